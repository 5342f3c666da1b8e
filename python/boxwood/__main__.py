"""``python -m boxwood``: what needs Python. Everything else is the command ``boxwood``."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from typing import Any, NoReturn

from boxwood._text import printable
from boxwood.errors import Error


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m boxwood",
        description="Answers for whole tables. Everything else: the command boxwood.")
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="portfolio")
    portfolio = commands.add_parser("portfolio", help="run, report on or check a portfolio")
    actions = portfolio.add_subparsers(dest="action", required=True, metavar="run|report|check")

    run = actions.add_parser("run", help="answer every row of a source into a folder")
    run.add_argument("model", help="the model file")
    run.add_argument("source", nargs="+", help="Parquet, CSV or Arrow files, or a folder of them")
    run.add_argument("folder", help="where the answers go; a second run goes on there")
    run.add_argument("--key", default="id", help='the column that identifies a row ("id")')
    run.add_argument("--schema", help="the schema file")
    run.add_argument("--want", help='the wanted outcome: a class, or words such as "want granted"')
    run.add_argument("--rule", action="append", default=[], help="a rule in words; repeatable")
    run.add_argument("--fix", action="append", default=[], metavar="FEATURE")
    run.add_argument("--only", action="append", metavar="FEATURE")
    run.add_argument("--cost", help='"l1 + 0.1 l0" and the like')
    run.add_argument("--max-changes", type=int)
    run.add_argument("--time-limit", type=float, metavar="SECONDS", help="for each row")
    run.add_argument("--node-limit", type=int, help="for each row")
    run.add_argument("--keep", action="append", default=[], metavar="COLUMN",
                     help="a further column that goes into the records; repeatable")
    run.add_argument("--rows-per-part", type=int, default=10_000)
    run.add_argument("--threads", type=int, default=0)
    run.add_argument("--no-why-not", action="store_true", help="do not look for blocking rules")
    run.add_argument("--no-resume", action="store_true", help="refuse a folder that is in use")
    run.add_argument("--time", action="store_true", help="add a time stamp to each record")

    report = actions.add_parser("report", help="sum up a portfolio")
    report.add_argument("folder")
    report.add_argument("--by", action="append", default=[], metavar="COLUMN",
                        help="compare the groups of this column; repeatable")
    report.add_argument("--output", action="append", default=[], metavar="FILE",
                        help="write .html, .json or .txt; repeatable. Otherwise it is printed")

    check = actions.add_parser("check", help="compare the part files with the manifest")
    check.add_argument("folder")
    return parser


def _stop(number: int, _: object) -> None:
    # Like Ctrl-C: finished rows are kept. A second signal of the same kind ends the process.
    signal.signal(number, signal.SIG_DFL)
    raise KeyboardInterrupt


def _run(given: argparse.Namespace) -> int:
    import boxwood
    from boxwood import portfolio
    from boxwood.portfolio.manifest import STOPPING

    for number in STOPPING:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(number, _stop)
    explainer = boxwood.Explainer(given.model, schema=given.schema)
    question: dict[str, Any] = {
        "rules": given.rule, "fixed": given.fix, "only": given.only, "cost": given.cost,
        "max_changes": given.max_changes, "time_limit": given.time_limit,
        "node_limit": given.node_limit}
    made = portfolio.run(
        explainer, given.source if len(given.source) > 1 else given.source[0], given.folder,
        given.key, given.want, {name: value for name, value in question.items()
                                   if value is not None and value != []},
        keep=given.keep, resume=not given.no_resume, rows_per_part=given.rows_per_part,
        why_not=not given.no_why_not, time=given.time, threads=given.threads)
    print(str(made)[1:-1])
    return 0 if made.finished else 130


def _report(given: argparse.Namespace) -> int:
    from boxwood import portfolio

    made = portfolio.report(given.folder, given.by)
    for path in given.output:
        made.save(path)
    if not given.output:
        print(made)
    return 0


def _check(given: argparse.Namespace) -> int:
    from boxwood import portfolio

    found = portfolio.load(given.folder)
    faults = found.check()
    for fault in faults:
        print(printable(fault))
    if not faults:
        print(str(found)[1:-1])
    return 1 if faults else 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; errors go to standard error.

    Parameters
    ----------
    arguments : list of str, optional
        Those of the process by default.

    Returns
    -------
    int
        0: done, 1: something is wrong, 2: the arguments or files make no sense, 130: interrupted.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.version:
        import boxwood

        print(f"boxwood {boxwood.__version__}")
        return 0
    if given.command is None:
        parser.print_help()
        return 2
    try:
        return {"run": _run, "report": _report, "check": _check}[given.action](given)
    except KeyboardInterrupt:
        return 130
    except (Error, ImportError, OSError, json.JSONDecodeError) as error:
        said = str(error) if isinstance(error, Error) else printable(str(error))
        print(f"boxwood: {said}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
