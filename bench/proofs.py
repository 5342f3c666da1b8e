"""Makes a certificate for every answer of the benchmark, has both checkers check it, writes a table.

    python3 bench/proofs.py --bin build/dev/bin [--models 'german*,mnist_*'] [--queries N] [--write FILE]

Needs the models of bench/models.py in --cache. The results of each model and norm are kept in WORK/NAME.NORM.json
and not computed again unless --again is given. All times are processor time, which other programs disturb little. The
fast checker checks all certificates. The Python checker is slow on large ones: it checks the certificate of every
--python-every-th query and gives up after --python-seconds; --python-again has it check kept certificates. Both checkers
read a model once.
"""

import argparse
import fnmatch
import importlib.util
import json
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

from pages import write_block

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAMILIES = {"german": "tabular", "tabular": "tabular", "ames": "Ames prices", "mnist": "MNIST pairs",
            "ten": "MNIST, ten classes", "forest": "forests", "large": "synthetic"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "bin",
                        help="folder of boxwood_ask and boxwood_check")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "bench" / "models")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "bench" / "proofs")
    parser.add_argument("--models", default="*", help="names, * and ? fit anything, commas between")
    parser.add_argument("--norms", default="squared_l2,l1", help="commas between (squared_l2,l1)")
    parser.add_argument("--queries", type=int, help="at most so many of each model (all)")
    parser.add_argument("--seconds", type=float, default=600, help="seconds that a proof may take (600)")
    parser.add_argument("--python-every", type=int, default=10,
                        help="the Python checker checks the first of so many queries (10)")
    parser.add_argument("--python-seconds", type=float, default=300,
                        help="seconds after which the Python checker is stopped (300)")
    parser.add_argument("--python-again", action="store_true",
                        help="check kept certificates with the Python checker, with its present settings")
    parser.add_argument("--again", action="store_true", help="forget earlier results of these models")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this file")
    return parser.parse_args()


def answers(given, folder, meta, norm, place):
    """Ask every query of a model and make its certificate; one line of boxwood_ask each."""
    command = [given.bin / "boxwood_ask", folder / meta["model"], folder / "queries.json", "--norm", norm,
               "--threads", "1", "--time-limit", "60", "--proofs", place, "--proof-seconds", str(given.seconds)]
    if given.queries:
        command += ["--rows", ",".join(str(row) for row in range(given.queries))]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in found if "row" in line]


def check_fast(given, place, rows):
    """Let the fast checker check all certificates against the model, which it reads once."""
    listed = place / "list.jsonl"
    listed.write_text("".join(json.dumps({"question_file": str(place / f"{row}.question.json"),
                                          "proof_file": str(place / f"{row}.proof.json")}) + "\n" for row in rows))
    done = subprocess.run([given.bin / "boxwood_check", "--batch", listed, place / "model.json"],
                          capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    times = [re.search(r" in ([0-9.]+) s$", line) for line in said]
    return {row: (line.startswith("accepted"), float(found[1]) if found else None, line)
            for row, line, found in zip(rows, said, times)}


def out_of_time(_signal, _frame):
    raise TimeoutError


def check_python(given, checker, model, place, row):
    """Let the Python checker check one certificate."""
    signal.setitimer(signal.ITIMER_PROF, given.python_seconds)
    begun = time.process_time()
    try:
        said = "accepted: " + checker.check([model], (place / f"{row}.question.json").read_bytes(),
                                            checker.parsed((place / f"{row}.proof.json").read_bytes()))
    except TimeoutError:
        return {"python_said": f"stopped after {given.python_seconds:g} s"}
    except checker.Rejected as reason:
        said = f"rejected: {reason}"
    except Exception as error:  # whatever fails, nothing is proven
        said = f"cannot be checked: {type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"python": said.startswith("accepted"), "python_seconds": time.process_time() - begun, "python_said": said}


def check_some_in_python(given, place, rows):
    """Add to some rows what the Python checker says."""
    spec = importlib.util.spec_from_file_location("boxwood_check", ROOT / "checker" / "boxwood_check.py")
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    signal.signal(signal.SIGPROF, out_of_time)
    model = checker.Model(checker.parsed((place / "model.json").read_bytes()))
    for row in [row for row in rows if "fast" in row][::given.python_every]:
        for key in ("python", "python_seconds", "python_said"):
            row.pop(key, None)
        row.update(check_python(given, checker, model, place, row["row"]))


def measure(given, folder, meta, norm):
    """Everything about one model and norm."""
    place = given.work / f"{meta['name']}.{norm}.files"
    place.mkdir(parents=True, exist_ok=True)
    lines = answers(given, folder, meta, norm, place)
    made = [line["row"] for line in lines if "proof_bytes" in line]
    fast = check_fast(given, place, made)
    rows = []
    for line in lines:
        row = {key: line.get(key) for key in
               ("row", "status", "processor_seconds", "proof_processor_seconds", "proof_bytes", "proof_boxes", "proof_error")}
        if line["row"] in fast:
            row["fast"], row["fast_seconds"], row["fast_said"] = fast[line["row"]]
        rows.append(row)
    check_some_in_python(given, place, rows)
    return {"name": meta["name"], "family": meta["family"], "norm": norm, "rows": rows}


def middle(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def shown(value, unit=""):
    return "–" if value is None else f"{value:.3g}{unit}"


def faults(result):
    """Certificates that a checker does not accept."""
    return [row for row in result["rows"] if row.get("fast") is False or row.get("python") is False]


def table(results):
    """The table of docs/performance.md."""
    lines = [("| models | queries | made | accepted | size, median and worst | make / solve | fast check / solve "
              "| fast check | Python check, median and worst |"), "|---|---|---|---|---|---|---|---|---|"]
    for title in dict.fromkeys(FAMILIES.values()):
        rows = [row for result in results if FAMILIES[result["family"]] == title for row in result["rows"]]
        made = [row for row in rows if row["proof_bytes"] is not None]
        if not rows:
            continue
        accepted = sum(row.get("fast") is True and row.get("python") is not False for row in made)
        python = [row["python_seconds"] for row in made if "python_seconds" in row]
        size = [row["proof_bytes"] / 1000 for row in made]
        lines.append("| " + " | ".join([
            title, str(len(rows)), f"{len(made)} ({100 * len(made) / len(rows):.4g} %)",
            f"{accepted}, {len(python)} also by Python",
            f"{shown(middle(size))} KB, {shown(max(size, default=None))} KB",
            shown(middle([row["proof_processor_seconds"] / row["processor_seconds"] for row in made])),
            shown(middle([row["fast_seconds"] / row["processor_seconds"] for row in made if row.get("fast_seconds")])),
            shown(middle([1000 * row["fast_seconds"] for row in made if row.get("fast_seconds")]), " ms"),
            f"{shown(middle(python), ' s')}, {shown(max(python, default=None), ' s')}"]) + " |")
    return "\n".join(lines)


def told(result):
    """Print what is missing or not accepted; give the number of certificates that a checker does not accept."""
    for row in faults(result):
        print(f"  {result['name']} row {row['row']}: {row.get('fast_said')}; {row.get('python_said')}", flush=True)
    for row in result["rows"]:
        if row["proof_bytes"] is None:
            print(f"  {result['name']} row {row['row']}: {row['status']}, no proof: {row['proof_error']}", flush=True)
    return len(faults(result))


def main():
    given = arguments()
    given.work.mkdir(parents=True, exist_ok=True)
    results, bad = [], 0
    patterns = given.models.split(",")
    for folder in sorted(given.cache.iterdir()):
        if not (folder / "meta.json").is_file() or not any(fnmatch.fnmatch(folder.name, p) for p in patterns):
            continue
        meta = json.loads((folder / "meta.json").read_text())
        for norm in given.norms.split(","):
            kept = given.work / f"{folder.name}.{norm}.json"
            if given.again or not kept.is_file():
                begun = time.perf_counter()
                kept.write_text(json.dumps(measure(given, folder, meta, norm)))
                print(f"{folder.name}, {norm}: {time.perf_counter() - begun:.0f} s", flush=True)
            results.append(json.loads(kept.read_text()))
            if given.python_again:
                check_some_in_python(given, given.work / f"{folder.name}.{norm}.files", results[-1]["rows"])
                kept.write_text(json.dumps(results[-1]))
            bad += told(results[-1])
    text = table(results)
    print(text)
    if given.write:
        write_block(given.write, "proofs", text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
