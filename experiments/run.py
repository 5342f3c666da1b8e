"""Runs the experiments one after the other; each writes its page and pictures by itself.

    python experiments/run.py [--small] [--data FOLDER] [--mnist FOLDER] [--out FOLDER] [NAME ...]

One that fails does not stop the others; it is named at the end, and the exit status is 1.
"""

import argparse
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EXPERIMENTS = ("german", "mnist", "ames", "pixels", "faults", "fault_reasons", "labels",
               "survival")


def run(scripts, flags):
    """Runs each script in a process of its own; (script, seconds, exit status) of each."""
    done = []
    for script in scripts:
        print(f"== {script.stem}", flush=True)
        begin = time.monotonic()
        status = subprocess.run([sys.executable, str(script), *flags], check=False).returncode
        done.append((script, time.monotonic() - begin, status))
        print(f"== {script.stem}: {'failed' if status else 'done'}, {done[-1][1]:.0f} s",
              flush=True)
    return done


def report(done):
    """What ran, how long, and what failed, in lines."""
    lines = [f"{script.stem:8} {seconds:8.0f} s  {'failed' if status else 'done'}"
             for script, seconds, status in done]
    failed = [script.stem for script, _, status in done if status]
    total = sum(seconds for _, seconds, _ in done)
    lines.append(f"{len(done) - len(failed)} of {len(done)} experiments are done, {total:.0f} s"
                 + (f"; failed: {', '.join(failed)}" if failed else ""))
    return lines


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"of {', '.join(EXPERIMENTS)}; all by default")
    parser.add_argument("--small", action="store_true", help="versions that need no data")
    for flag, words in (("--data", "folder of the CSV files; where it has none, OpenML is asked"),
                        ("--mnist", "folder of MNIST's four IDX files"),
                        ("--out", "folder of the pages"), ("--seed", "of every random choice")):
        parser.add_argument(flag, help=words)
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(EXPERIMENTS)
    if unknown:
        parser.error(f"no experiment {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(EXPERIMENTS)}")
    flags = ["--small"] if options.small else []
    for name in ("data", "mnist", "out", "seed"):
        if getattr(options, name):
            flags += [f"--{name}", getattr(options, name)]
    chosen = [HERE / f"{name}.py" for name in EXPERIMENTS if name in (options.names or EXPERIMENTS)]
    done = run(chosen, flags)
    print("\n".join(report(done)))
    return 1 if any(status for _, _, status in done) else 0


if __name__ == "__main__":
    sys.exit(main())
