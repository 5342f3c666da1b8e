#!/usr/bin/env python3
"""Measures batches: answers a second, instructions for each answer, and whether answers are the same.

    python3 bench/batch.py boxwood_ask [OTHER_boxwood_ask ...] [--models build/bench/models]
        [--names NAME ...] [--rows 100] [--rounds 3] [--write docs/performance.md]

Several programs, such as those of two commits, are run in turn, and the last is compared with the
first: status, cost, bound and point of every answer must be equal to the last bit. A rate is the
best of the rounds. Instructions are those of one thread, counted by valgrind's callgrind where it
is installed; they do not depend on what else the machine does. bench/models.py trains the models.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from pages import write_block

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ["german_250x8", "german_250x8_kinds", "adult_100x6", "compas_100x6"]


def ask(program, folder, rows, *flags, before=()):
    queries = folder / "queries_batch.json"
    if not queries.is_file():
        queries = folder / "queries.json"
    command = [*before, program, folder / "model.ubj", queries, "--rows", rows, *flags]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stderr


def rate(program, folder, rows, threads):
    lines, _ = ask(program, folder, f"0-{rows - 1}", "--batch", "--threads", threads)
    return lines[-1]["answers_per_second"]


def instructions(program, folder, rows):
    """For each answer after the first, which also builds the tables of the model."""
    if not shutil.which("valgrind"):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        before = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out"]

        def count(last):
            _, said = ask(program, folder, f"0-{last}", "--batch", "--threads", 1, before=before)
            return int(re.search(r"refs:\s+([\d,]+)", said)[1].replace(",", ""))

        last = min(rows, len(ask(program, folder, f"0-{rows - 1}", "--threads", 1)[0]) - 1) - 1
        return (count(last) - count(0)) / last


def answers(program, folder, rows):
    lines, _ = ask(program, folder, f"0-{rows - 1}", "--threads", 1)
    return [[line[key] for key in ("row", "status", "cost", "lower_bound", "point")]
            for line in lines[1:]]


def measure(given, name):
    folder = given.models / name
    rates = {program: 0.0 for program in given.programs}
    for _ in range(given.rounds):
        for program in rates:
            rates[program] = max(rates[program], rate(program, folder, given.rows, given.threads))
    counts = {program: instructions(program, folder, given.rows) for program in rates}
    first, last = given.programs[0], given.programs[-1]
    if answers(first, folder, given.rows) != answers(last, folder, given.rows):
        raise SystemExit(f"batch.py: {name}: the programs give different answers")
    cells = [name, *(f"{rates[program]:,.0f}" for program in rates)]
    cells += [f"{counts[program] / 1e6:.2f}" if counts[program] else "–" for program in rates]
    if len(rates) > 1:
        cells += [f"{rates[last] / rates[first]:.2f}",
                  f"{counts[first] / counts[last]:.2f}" if counts[first] else "–"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=pathlib.Path, help="boxwood_ask, oldest first")
    parser.add_argument("--names", nargs="+", default=NAMES, help="models")
    parser.add_argument("--models", type=pathlib.Path,
                        default=HERE.parent / "build" / "bench" / "models")
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--note", default="", help="about the programs or the machine, for the page")
    parser.add_argument("--write", type=pathlib.Path, help="write the table into this page")
    given = parser.parse_args()
    given.programs = [program.resolve() for program in given.programs]
    several = len(given.programs) > 1
    heads = ["model"]
    for what in ("answers a second", "million instructions an answer"):
        heads += [f"{what}, {when}" for when in ("before", "after")] if several else [what]
    if several:
        heads += ["times as many answers", "times fewer instructions"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    print("\n".join(lines), flush=True)
    for name in given.names:
        lines.append(measure(given, name))
        print(lines[-1], flush=True)
    if given.write:
        text = (f"The first {given.rows} queries of each model (fewer where it has fewer), {given.threads} threads, best of "
                f"{given.rounds} rounds in turn, the same answers. {given.note}".strip())
        write_block(given.write, "batch", text + "\n\n" + "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
