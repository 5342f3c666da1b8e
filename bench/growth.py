"""How the time of the paper's engine grows with trees and with free features.

    python3 bench/growth.py build/release/bin/boxwood [--write docs/performance.md]

Standard library only. For every applicant of the embedded German-credit example it asks for
the other outcome, on one thread, and prints (or writes) the tables of docs/performance.md.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import time

from pages import write_block

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent / "examples" / "german_credit"
# The features an applicant can act on first, then the others.
FEATURES = [
    "duration", "credit_amount", "checking_status", "savings_status", "employment",
    "other_parties", "installment_commitment", "existing_credits", "own_telephone",
    "other_payment_plans", "housing", "property_magnitude", "job", "purpose", "credit_history",
    "residence_since", "num_dependents", "age", "personal_status", "foreign_worker",
]


def explain(boxwood, limit, *flags):
    command = [
        boxwood, "explain", EXAMPLE / "model.ubj", "--data", EXAMPLE / "applicants.csv",
        "--schema", EXAMPLE / "schema.json", "--norm", "l2", "--engine", "paper", "--threads", "1",
        "--time-limit", str(limit),
        "--format", "json", *flags,
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def cells(rows):
    seconds = [row["seconds"] for row in rows]
    nodes = [row["nodes"] for row in rows]
    proven = sum(row["status"] in ("optimal", "infeasible") for row in rows)
    return [
        f"{proven} of {len(rows)}", f"{1e3 * statistics.median(seconds):.1f}",
        f"{1e3 * max(seconds):.1f}", f"{statistics.median(nodes):.0f}",
    ]


def table(heads, lines):
    out = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boxwood")
    parser.add_argument("--limit", type=float, default=10, help="seconds a query may take")
    parser.add_argument("--write", type=pathlib.Path, help="replace the tables in this file")
    args = parser.parse_args()

    started = time.perf_counter()
    explain(args.boxwood, args.limit, "--rows", "9")
    whole = time.perf_counter() - started

    heads = ["proven", "median ms", "worst ms", "median nodes"]
    trees = []
    for rounds in (25, 50, 100, 150, 200, 250):
        flags = ["--rounds", rounds, "--only", ",".join(FEATURES[:10])]
        trees.append([str(rounds), *cells(explain(args.boxwood, args.limit, *flags))])
    free = []
    for count in (2, 4, 6, 8, 10, 12, 16, 20):
        flags = ["--only", ",".join(FEATURES[:count])]
        free.append([str(count), *cells(explain(args.boxwood, args.limit, *flags))])
    published = []
    for rounds, count in ((25, 4), (250, 4), (250, 6), (250, 8), (250, 10)):
        flags = ["--rounds", rounds, "--only", ",".join(FEATURES[:count])]
        published.append([
            str(rounds), str(count), *cells(explain(args.boxwood, args.limit, *flags)),
            *cells(explain(args.boxwood, args.limit, "--published", *flags)),
        ])

    text = "\n\n".join([
        f"Machine: {platform.machine()} with {os.cpu_count()} cores, one thread; ten applicants, "
        f"each asking for the other outcome; at most {args.limit:g} s a query. Reading the model "
        f"and preparing it, once for all rows, is not in the times: the whole command for one "
        f"row took {1e3 * whole:.0f} ms.",
        "Trees (10 free features):", table(["trees", *heads], trees),
        "Free features (250 trees):", table(["free features", *heads], free),
        "Without the additions to the paper (`--published`):",
        table(["trees", "free features", *heads, *(f"{h}, published" for h in heads)], published),
    ])
    print(text)
    if args.write:
        write_block(args.write, "growth", text)


if __name__ == "__main__":
    main()
