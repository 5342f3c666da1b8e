"""The tools that are compared, and how one of them is asked: a process that prints a line a query.

Boxwood's two engines come from boxwood_ask; each peer has an adapter in bench/peers/ and an
environment of its own, because their requirements differ. A tool that crashes or hangs loses that
query and goes on with the next.
"""

import dataclasses
import importlib.metadata
import json
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SETUP_SECONDS = 900  # at most, for reading a model and preparing it
GRACE_SECONDS = 30  # past the limit, before a silent tool counts as hung
RESTARTS = 5


@dataclasses.dataclass(frozen=True)
class Tool:
    """`program` starts it; a peer takes only models without kinds, and none of `unfit` families."""

    name: str
    title: str
    program: tuple
    peer: bool
    norms: tuple
    unfit: tuple = ()

    def takes(self, meta, norm):
        if norm not in self.norms or meta["family"] in self.unfit:
            return False
        if self.name == "paper" and meta["kinds"] and norm == "l1":
            return False  # the published metric is the square; L1 is for the tables with the peers
        return not (self.peer and meta["kinds"])

    def command(self, folder, meta, norm, threads, limit, rows):
        model = [folder] if self.peer else [folder / meta["model"], folder / "queries.json"]
        flags = ["--norm", norm, "--threads", threads, "--time-limit", limit]
        return [str(part) for part in [*self.program, *model, *flags,
                                       *(["--rows", rows] if rows else [])]]


def engine_tool(ask, engine):
    """One of Boxwood's engines, or None where this build does not have it."""
    probe = subprocess.run([ask, "-", "-", "--engine", engine], capture_output=True, text=True,
                           check=False)
    if "no engine" in probe.stderr:
        return None
    titles = {"fast": "Boxwood", "paper": "Boxwood, engine paper"}
    return Tool(engine, titles[engine], (ask, "--engine", engine), False, ("squared_l2", "l1"))


def python_from(versions, named=None):
    """A Python of one of these versions, by command or from pyenv; None where there is none."""
    candidates = [named] if named else [shutil.which(f"python{version}") for version in versions]
    if not named:
        for version in versions:
            found = sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
            candidates += map(str, found)
    for candidate in filter(None, candidates):
        answer = subprocess.run([candidate, "-c", "import sys; print(*sys.version_info[:2])"],
                                capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            major, minor = map(int, answer.stdout.split())
            if f"{major}.{minor}" in versions or (named and (major, minor) >= (3, 12)):
                return candidate
    return None


def environment(folder, python, requirements):
    """The Python of an environment with these requirements, made where it is not there.

    XGBoost and scikit-learn are those of this process: a forest is handed over as a pickle.
    """
    wanted = requirements.read_text() + "".join(
        f"{name}=={importlib.metadata.version(name)}\n" for name in ("xgboost", "scikit-learn"))
    stamp = folder / "requirements.txt"
    if not stamp.is_file() or stamp.read_text() != wanted:
        print(f"making the environment {folder.name}", flush=True)
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        listed = folder / "wanted.txt"
        listed.write_text(wanted)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet",
                        "--disable-pip-version-check", "-r", listed], check=True)
        listed.rename(stamp)
    return folder / "bin" / "python"


def peer_tools(work, names, python312):
    """The peers among `names` that this machine can run; says which it cannot, and why."""
    tools = []
    peers = HERE / "peers"
    try:
        if {"treecf", "treecf_cold"} & set(names):
            python = environment(work / "venv_treecf", sys.executable,
                                 peers / "treecf_requirements.txt")
            program = (python, peers / "treecf_peer.py")
            tools += [Tool("treecf", "treecf", program, True, ("l1",), ("ten",)),
                      Tool("treecf_cold", "treecf without warm start", (*program, "--cold"), True,
                           ("l1",), ("ten",))]
    except (subprocess.CalledProcessError, OSError) as fault:
        print(f"treecf is left out: its environment could not be made ({fault})", flush=True)
    if "ocean" in names:
        python = python_from(("3.13", "3.12", "3.14"), python312)
        try:
            if python is None:
                raise OSError("it needs Python 3.12 or newer; name one with --python312")
            python = environment(work / "venv_ocean", python, peers / "ocean_requirements.txt")
            tools.append(Tool("ocean", "OCEAN, CP-SAT", (python, peers / "ocean_peer.py"), True,
                              ("l1",), ("ames",)))
        except (subprocess.CalledProcessError, OSError) as fault:
            print(f"oceanpy is left out: {fault}", flush=True)
    return [tool for tool in tools if tool.name in names]


class Lines:
    """The lines of a running process, with a limit on how long one may take to come."""

    def __init__(self, command, errors):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, seconds):
        """The next line as an object; None when the process has ended; queue.Empty when late."""
        line = self.lines.get(timeout=seconds)
        return None if line is None else json.loads(line)

    def stop(self):
        self.process.kill()
        self.process.wait()


def ranges_text(rows):
    return ",".join(str(row) for row in rows)


def ask(tool, folder, meta, *, norm, threads, limit, rows, minutes, errors, extra=()):
    """Asks a tool the rows of a model, in their order, for at most so many minutes past set-up.

    The time is looked at between two queries only, so that slow queries are not left out of what
    was asked. Returns the set-up line, the answers and why it stopped early, if it did.
    """
    left, answers, setup, restarts, stopped = list(rows), [], None, 0, None
    used = 0.0
    while left and stopped is None:
        command = tool.command(folder, meta, norm, threads, limit, ranges_text(left))
        lines = Lines([*command, *extra], errors)
        try:
            first = lines.next(SETUP_SECONDS)
            if first is None:
                stopped = "it failed before the first query"
                break
            setup = setup or first
            started = time.perf_counter()
            while left:
                answer = lines.next(limit + GRACE_SECONDS)
                if answer is None:
                    raise EOFError
                answers.append(answer)
                left.remove(answer["row"])
                if left and used + time.perf_counter() - started > 60 * minutes:
                    stopped = f"stopped after {minutes:g} minutes"
                    break
        except (queue.Empty, EOFError) as fault:
            if setup is None:
                stopped = "set-up took too long"
                break
            status = "crashed" if isinstance(fault, EOFError) else "hung"
            answers.append({"row": left.pop(0), "status": status, "seconds": limit, "point": None})
            restarts += 1
            used += time.perf_counter() - started
            if restarts > RESTARTS:
                stopped = f"it crashed or hung {restarts} times"
        finally:
            lines.stop()
    return {"setup": setup, "answers": answers, "stopped": stopped}
