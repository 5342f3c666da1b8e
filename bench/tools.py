"""The tools that are compared, and how one of them is asked: a process that prints a line a query.

Boxwood's two engines come from boxwood_ask; each peer has an adapter in bench/peers/ and an
environment of its own, because their requirements differ. All times and limits are processor time
of the tool's process and its children, so that other work on the machine neither shortens what a
tool may do nor lengthens what it took. A tool that crashes, or is still busy past the limit, loses
that query and goes on with the next.
"""

import dataclasses
import importlib.metadata
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SETUP_SECONDS = 900  # of processor time at most, for reading a model and preparing it
GRACE_SECONDS = 5  # of processor time past the limit, before a busy tool is ended
SILENT_SECONDS = 3600  # of the clock, before a tool that waits for nothing counts as hung
RESTARTS = 5  # after crashes
TITLES = {"fast": "Boxwood", "paper": "Boxwood, engine paper", "treecf": "treecf",
          "treecf_cold": "treecf without warm start", "ocean": "OCEAN, CP-SAT"}
REPEAT = 3  # times that Boxwood is asked; the least time counts
# Every tool has one thread, whatever its libraries would start by themselves.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                     "RAYON_NUM_THREADS", "NUMBA_NUM_THREADS")}


@dataclasses.dataclass(frozen=True)
class Tool:
    """`program` starts it; a peer takes only models without kinds, and none of `unfit` families."""

    name: str
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
        flags = ["--norm", norm, "--threads", threads, "--processor-limit", limit]
        if self.name == "fast":
            flags += ["--repeat", REPEAT]
        return [str(part) for part in [*self.program, *model, *flags,
                                       *(["--rows", rows] if rows else [])]]


def engine_tool(ask, engine):
    """One of Boxwood's engines, or None where this build does not have it."""
    probe = subprocess.run([ask, "-", "-", "--engine", engine], capture_output=True, text=True,
                           check=False)
    if "no engine" in probe.stderr:
        return None
    return Tool(engine, (ask, "--engine", engine), False, ("squared_l2", "l1"))


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
            tools += [Tool("treecf", program, True, ("l1",), ("ten",)),
                      Tool("treecf_cold", (*program, "--cold"), True,
                           ("l1",), ("ten",))]
    except (subprocess.CalledProcessError, OSError) as fault:
        print(f"treecf is left out: its environment could not be made ({fault})", flush=True)
    if "ocean" in names:
        python = python_from(("3.13", "3.12", "3.14"), python312)
        try:
            if python is None:
                raise OSError("it needs Python 3.12 or newer; name one with --python312")
            python = environment(work / "venv_ocean", python, peers / "ocean_requirements.txt")
            tools.append(Tool("ocean", (python, peers / "ocean_peer.py"), True,
                              ("l1",), ("ames",)))
        except (subprocess.CalledProcessError, OSError) as fault:
            print(f"oceanpy is left out: {fault}", flush=True)
    return [tool for tool in tools if tool.name in names]


def processor_seconds(process):
    """What a process, the children that it has waited for and those that still run have used."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        used = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            used += sum(map(processor_seconds, (task / "children").read_text().split()))
    except OSError:  # it has ended meanwhile
        return 0.0
    return used


class Lines:
    """The lines of a running process, with a limit on the processor time that one may take."""

    def __init__(self, command, errors, threads):
        environment = {**os.environ, **(ONE_THREAD if threads == 1 else {})}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                                        env=environment)
        self.lines = queue.Queue()
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, seconds):
        """The next line as an object; EOFError when the process has ended, TimeoutError when late."""
        before, started = processor_seconds(self.process.pid), time.perf_counter()
        while True:
            try:
                line = self.lines.get(timeout=0.25)
            except queue.Empty:
                used = processor_seconds(self.process.pid) - before
                if used > seconds or time.perf_counter() - started > SILENT_SECONDS:
                    raise TimeoutError from None
                continue
            if line is None:
                raise EOFError
            return json.loads(line)

    def stop(self):
        self.process.kill()
        self.process.wait()


def ranges_text(rows):
    return ",".join(str(row) for row in rows)


def ask(tool, folder, meta, *, norm, threads, limit, rows, seconds, errors, extra=()):
    """Asks a tool the rows of a model, in their order, for at most so many seconds past set-up.

    Yields ("setup", line), ("answer", line) and ("failed", why). The time is looked at between two
    queries only, so that slow queries are not left out of what was asked.
    """
    left, prepared, restarts, used = list(rows), False, 0, 0.0
    while left and used <= seconds:
        command = tool.command(folder, meta, norm, threads, limit, ranges_text(left))
        lines = Lines([*command, *extra], errors, threads)
        try:
            first = lines.next(SETUP_SECONDS)
            if not prepared:
                yield "setup", first
            prepared = True
            while left and used <= seconds:
                answer = lines.next(limit + GRACE_SECONDS)
                answer["seconds"] = answer.pop("processor_seconds", answer.get("seconds"))
                left.remove(answer["row"])
                used += answer["seconds"] or 0.0
                yield "answer", answer
        except (TimeoutError, EOFError) as fault:
            late = isinstance(fault, TimeoutError)
            if not prepared:
                yield "failed", "set-up took too long" if late else "it failed before the first query"
                return
            used += limit
            yield "answer", {"row": left.pop(0), "status": "unknown" if late else "crashed",
                             "seconds": limit, "point": None}
            restarts += not late
            if restarts > RESTARTS:
                yield "failed", f"it crashed {restarts} times"
                return
        finally:
            lines.stop()
