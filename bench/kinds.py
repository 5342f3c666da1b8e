"""What each kind of question costs beside the plain one.

    python3 bench/kinds.py build/release/bin/boxwood_ask [--models build/bench/models] [--linear]
        [--write docs/performance.md]

Standard library only. Asks the same queries of some models (trained by `make bench` or
`make bench-quick`) in every kind that bench/kinds.hpp knows, one kind after the other in one run,
so that the ratios to the plain question are of the same machine and hour. Linear rules have a table
of their own (--linear makes only that one). Each query is asked several times, all kinds in turn,
and the least time counts: other work on the machine makes some of the runs slower. The table of linear
rules has processor time of one thread, which other work changes less.
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
LINEAR = ["one order pair", "ten linear rules", "ten tight linear rules"]


def kinds():
    """The names in bench/kinds.hpp, the plain question first."""
    names = re.findall(r'^ *\{"([a-z0-9 .,+]+)",', (HERE / "kinds.hpp").read_text(), re.M)
    return ["plain"] + [name for name in names if name != "plain"]


def ask(args, folder, kind, threads):
    run = subprocess.run(
        [args.ask, folder / "model.ubj", folder / "queries.json", "--kind", kind, "--rows",
         f"0-{args.rows - 1}", "--time-limit", str(args.limit), "--threads", str(threads)],
        capture_output=True, text=True, check=True)
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


def table(args, names, kinds_asked, seconds, threads):
    """Lines of Markdown: a row for each kind, the plain one first. `seconds` names the time."""
    answers = {}
    for _ in range(args.repeat):
        for kind in kinds_asked:
            for name in names:
                answers.setdefault((kind, name), []).append(
                    ask(args, args.models / name, kind, threads))
    lines = ["| question | " + " | ".join(f"{name}: median | worst | × plain" for name in names)
             + " | proven |", "|---|" + "---|" * (3 * len(names) + 1)]
    plain = {}
    for kind in kinds_asked:
        cells, proven, asked = [], 0, 0
        for name in names:
            runs = list(zip(*answers[kind, name], strict=True))
            times = [min(answer[seconds] for answer in of_one) for of_one in runs]
            median = statistics.median(times)
            plain.setdefault(name, median)
            cells += [duration(median), duration(max(times)), f"{median / plain[name]:.1f}"]
            asked += len(runs)
            proven += sum(any(answer["status"] in ("optimal", "infeasible") for answer in of_one)
                          for of_one in runs)
        lines.append(f"| {kind} | " + " | ".join(cells) + f" | {proven} of {asked} |")
        print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ask")
    parser.add_argument("--models", type=pathlib.Path, default=HERE.parent / "build/bench/models")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--limit", type=float, default=60, help="seconds for a question")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1, help="times that each query is asked")
    parser.add_argument("--linear", action="store_true", help="only the table of linear rules")
    parser.add_argument("--write", type=pathlib.Path, help="replace the tables in this file")
    args = parser.parse_args()
    linear_models = [name for name in MODELS if name.endswith("_kinds")]
    needed = linear_models if args.linear else MODELS
    missing = [name for name in needed if not (args.models / name / "model.ubj").exists()]
    if missing:
        raise SystemExit(f"{args.models}: no {missing[0]}. Train the models with make bench first")
    about = (f"Machine: {platform.machine()} with {os.cpu_count()} cores; squared L2, {args.rows} "
             f"queries of each model, least of {args.repeat} runs, ")
    blocks = {"linear": (linear_models, ["plain", *LINEAR], about + "processor time of one thread.",
                         "processor_seconds", 1)}
    if not args.linear:
        others = [kind for kind in kinds() if kind not in LINEAR]
        blocks["kinds"] = (MODELS, others, f"{about}threads: {args.threads}. What takes several "
                           "searches (menus, wide regions, paths, sweeps) is timed as a whole, the "
                           "plain answer that it starts from included.", "seconds", args.threads)
    for block, (names, asked, text, seconds, threads) in blocks.items():
        lines = table(args, names, asked, seconds, threads)
        if args.write:
            write_block(args.write, block, text + "\n\n" + "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
