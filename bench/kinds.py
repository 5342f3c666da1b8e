"""What each kind of question costs beside the plain one.

    python3 bench/kinds.py build/release/bin/boxwood_ask [--models build/bench/models]
        [--write docs/performance.md]

Standard library only. Asks the same queries of some models (trained by `make bench` or
`make bench-quick`) in every kind that bench/kinds.hpp knows, one kind after the other in one run,
so that the ratios to the plain question are of the same machine and hour.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

from pages import write_block

HERE = pathlib.Path(__file__).resolve().parent
MODELS = ["german_250x8_kinds", "adult_100x6_kinds", "credit_default_100x6_kinds",
          "students_100x6_kinds", "mnist_1v7"]


def kinds():
    """The names in bench/kinds.hpp, the plain question first."""
    names = re.findall(r'^ *\{"([a-z0-9 .,+]+)",', (HERE / "kinds.hpp").read_text(), re.M)
    return ["plain"] + [name for name in names if name != "plain"]


def ask(command, folder, kind, rows, limit):
    run = subprocess.run(
        [command, folder / "model.ubj", folder / "queries.json", "--kind", kind, "--rows",
         f"0-{rows - 1}", "--time-limit", str(limit)], capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()][1:]
    failed = [answer for answer in answers if answer["status"] == "error"]
    if failed:
        raise SystemExit(f"{folder.name}, {kind}: {failed[0]['error']}")
    return answers


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return "0 s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ask")
    parser.add_argument("--models", type=pathlib.Path, default=HERE.parent / "build/bench/models")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--limit", type=float, default=60, help="seconds for a question")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this file")
    args = parser.parse_args()
    missing = [name for name in MODELS if not (args.models / name / "model.ubj").exists()]
    if missing:
        raise SystemExit(f"{args.models}: no {missing[0]}. Train the models with make bench first")
    lines = ["| question | " + " | ".join(f"{name}: median | worst | × plain" for name in MODELS)
             + " | proven |", "|---|" + "---|" * (3 * len(MODELS) + 1)]
    plain = {}
    for kind in kinds():
        cells, proven, asked = [], 0, 0
        for name in MODELS:
            answers = ask(args.ask, args.models / name, kind, args.rows, args.limit)
            times = [answer["seconds"] for answer in answers]
            median = statistics.median(times)
            plain.setdefault(name, median)
            cells += [duration(median), duration(max(times)), f"{median / plain[name]:.1f}"]
            asked += len(answers)
            proven += sum(answer["status"] in ("optimal", "infeasible") for answer in answers)
        lines.append(f"| {kind} | " + " | ".join(cells) + f" | {proven} of {asked} |")
        print(lines[-1], flush=True)
    text = (f"Machine: {platform.machine()} with {os.cpu_count()} cores; squared L2, {args.rows} "
            "queries of each model, two threads. What takes several searches (menus, wide regions, "
            "paths, sweeps) is timed as a whole, the plain answer that it starts from included.\n\n"
            + "\n".join(lines))
    if args.write:
        write_block(args.write, "kinds", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
