"""Every claim of docs/models.md with a small model of the real library, and the table of the claims.

    python tests/support_live_test.py [--family NAME] [--command PATH] [--write docs/models.md]
    python tests/support_live_test.py --family NAME --record

Families with RECORDED are trained only where they are named; otherwise their recorded models are
converted again (support_recorded.py). --record trains them and writes the records.

What is read has to have the library's own raw scores, bit for bit, in `boxwood predict --raw`; what is
refused has to be refused with the message that the table shows. The table in docs/models.md is made of
the cases alone and may not differ from them: --write renews it.
"""

import argparse
import functools
import importlib
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from support_case import DATA

warnings.filterwarnings("ignore")

FAMILIES = ["xgboost", "lightgbm", "catboost", "sklearn", "onnx", "interpret", "spark", "pmml", "treelite",
            "sksurv", "ngboost", "quantile_forest", "ydf", "h2o"]
PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "models.md"
BEGIN, END = "<!-- support: begin -->", "<!-- support: end -->"
RENEW = "python tests/support_live_test.py --write docs/models.md"


def cell(value):
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return "" if np.isnan(value) else repr(float(value))


def run(command, *arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


def compare(sample, text):
    """What differs between the library's scores and the lines of `boxwood predict --raw`."""
    lines = text.splitlines()[1:]
    scores = np.array([[float(number) for number in line.split(",")] for line in lines])
    kind, bits = (np.float32, np.uint32) if sample.single else (np.float64, np.uint64)
    expected = np.ascontiguousarray(sample.scores, dtype=kind)
    if expected.shape != scores.shape:
        return f"{scores.shape} scores, the library has {expected.shape}"
    if sample.varies and (expected == expected[0]).all():
        return "the model says the same of every row, which proves nothing"
    actual = scores.astype(kind)
    wrong = np.argwhere(expected.view(bits) != actual.view(bits))
    if len(wrong) == 0:
        return None
    row, output = wrong[0]
    return (f"{len(wrong)} of {expected.size} scores differ; score {output} of "
            f"{list(sample.rows[row])}: {actual[row, output]!r}, the library says "
            f"{expected[row, output]!r}")


def problem_of(case, make, command, folder):
    """None, or what is wrong with a case."""
    try:
        sample = make()
    except ValueError as error:  # boxwood.UnsupportedModelError is one
        if case.message and type(error).__name__ == "UnsupportedModelError":
            return None if case.message in str(error) else f"refused otherwise: {error}"
        raise
    model, table = folder / "model", folder / "rows.csv"
    model.write_bytes(sample.model)
    if case.message:
        done = run(command, "inspect", model)
        if done.returncode == 0:
            return "it is read, but should be refused"
        return None if case.message in done.stderr else f"refused otherwise: {done.stderr.strip()}"
    with open(table, "w", encoding="utf-8") as out:
        out.write(",".join(sample.names) + "\n")
        out.writelines(",".join(map(cell, row)) + "\n" for row in sample.rows)
    done = run(command, "predict", model, "--data", table, "--raw")
    return compare(sample, done.stdout) if done.returncode == 0 else done.stderr.strip()


def tried(family, live):
    """Each case of a family with a function that makes its sample."""
    for case in family.CASES:
        if not getattr(family, "RECORDED", False):
            yield case, case.make
        elif live:
            yield case, case.sample
        else:
            records, name = case.files()
            if not records:
                raise SystemExit(f"tests/data/{case.family}/*/{name} is missing: record it")
            for path in records:
                yield case, functools.partial(case.sample, path)


def record(family):
    for case in family.CASES:
        case.record(version_of(family))


def version_of(family):
    try:
        return importlib.import_module(family.LIBRARY).__version__
    except AttributeError:
        return importlib.metadata.version(family.LIBRARY)


def versions(folder):
    names = [entry.name for entry in (DATA / folder).glob("*") if entry.is_dir()]
    return ", ".join(sorted(names, key=lambda name: [int(part) for part in name.split(".")]))


def table_of(families):
    """One row a group with all that is read, then one for each that is refused."""
    lines = ["| family, versions tested | | what | |", "|---|---|---|---|"]
    for family in families:
        title = f"**{getattr(family, 'TITLE', family.FAMILY)}** {versions(family.FOLDER)}"
        for group in dict.fromkeys(case.group for case in family.CASES):
            cases = [case for case in family.CASES if case.group == group]
            names = [case.name for case in cases if not case.message]
            if names:
                lines.append(f"| {title} | {group} | {', '.join(names)} | read |")
                title = ""
            for case in cases:
                if case.message:
                    lines.append(f"| {title} | {group} | {case.name} | refused: “{case.message}” |")
                    title = ""
    return "\n".join(re.sub(r" +\|", " |", line) for line in lines)


def in_page(text, table):
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{PAGE.name} has no marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--command", default=os.environ.get("BOXWOOD_COMMAND", "boxwood"))
    parser.add_argument("--write", type=pathlib.Path, help="renew the table and run nothing")
    parser.add_argument("--record", action="store_true", help="train and write the records")
    flags = parser.parse_args()
    families = [importlib.import_module(f"support_{name}") for name in FAMILIES]
    table = table_of(families)
    if flags.write:
        page = flags.write.read_text(encoding="utf-8")
        flags.write.write_text(in_page(page, table), encoding="utf-8")
        return 0
    chosen = flags.family or FAMILIES
    if flags.record:
        for family in families:
            if family.__name__.removeprefix("support_") in chosen and getattr(family, "RECORDED", False):
                record(family)
        return 0
    passed = failed = 0
    page = PAGE.read_text(encoding="utf-8")
    if in_page(page, table) == page:
        passed += 1
    else:
        failed += 1
        print(f"the table in docs/models.md is not that of the cases: {RENEW}")
    with tempfile.TemporaryDirectory() as name:
        for family in families:
            if family.__name__.removeprefix("support_") not in chosen:
                continue
            start = time.monotonic()
            live = bool(flags.family) or not getattr(family, "RECORDED", False)
            installed = version_of(family) if live else "recorded"
            known = tuple(map(int, re.findall(r"\d+", installed)[:3])) if live else ()
            for case, make in tried(family, live):
                if live and known < case.since:
                    print(f"{case.family} {installed} cannot make {case.group}, {case.name}")
                    continue
                try:
                    problem = problem_of(case, make, flags.command, pathlib.Path(name))
                except Exception as error:  # libraries raise what they like
                    problem = f"not made: {error!r}"
                passed, failed = passed + (problem is None), failed + (problem is not None)
                if problem:
                    print(f"{case.family}, {case.group}, {case.name}: {problem}")
            print(f"{family.FAMILY} {installed}: {len(family.CASES)} cases, "
                  f"{time.monotonic() - start:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
