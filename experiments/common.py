"""What the experiments share: the command line, where data comes from, and the page a run writes.

Every script of this folder is run as `python experiments/NAME.py` and has a small version
(`--small`) that needs neither data nor network and is part of the tests. The page is written as a
whole by the run: text, tables, pictures, versions and times.
"""

import argparse
import contextlib
import importlib.metadata
import pathlib
import platform
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(1, str(ROOT / "bench"))  # behind this folder: both have a run.py

import datasets


def parse(description, arguments=None, extra=None):
    """The arguments of an experiment; `extra(parser)` may add its own."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data",
                        help="folder of CSV files; where it is missing, OpenML is asked")
    parser.add_argument("--mnist", type=pathlib.Path,
                        help="folder of MNIST's four IDX files (default: from the npm package)")
    parser.add_argument("--out", type=pathlib.Path,
                        help="folder of the page and its pictures (default: docs/experiments; of a "
                        "small version build/experiments/small)")
    parser.add_argument("--seed", type=int, default=0, help="of every random choice")
    parser.add_argument("--small", action="store_true",
                        help="a version of a few seconds that needs no data")
    if extra:
        extra(parser)
    options = parser.parse_args(arguments)
    if options.out is None:  # the pages that are committed are those of the whole
        options.out = ROOT / ("build/experiments/small" if options.small else "docs/experiments")
    return options


def read_table(options, file, openml, version=1):
    """A table as pandas reads it: from the data folder, or from OpenML where there is none."""
    import pandas as pd

    path = options.data / file
    if path.is_file():
        return pd.read_csv(path, keep_default_na=False, na_values=[""])
    from sklearn.datasets import fetch_openml

    print(f"{file} is not in the data folder; asking OpenML for {openml}", file=sys.stderr,
          flush=True)
    try:
        table = fetch_openml(openml, version=version, as_frame=True).frame
    except (OSError, ValueError) as error:  # no network; or no such data
        raise SystemExit(f"{path}: no such file, and OpenML does not give {openml} ({error}); "
                         "name the folder of the data with --data") from error
    return as_from_csv(table)


def as_from_csv(table):
    """OpenML's table as the CSV file would be read: plain labels, and whole numbers as such."""
    import pandas as pd

    columns = {}
    for name, column in table.items():
        if not pd.api.types.is_numeric_dtype(column):
            column = column.astype(object).where(column.notna(), None)
        elif column.notna().all() and (column % 1 == 0).all():
            column = column.astype(int)
        columns[name] = column
    return pd.DataFrame(columns)


def mnist(options):
    """(training images, labels, test images, labels), pixels from 0 to 1."""
    try:
        folder = options.mnist or datasets.fetch_mnist(ROOT / "build" / "experiments")
        return datasets.mnist(folder)
    except datasets.Missing as missing:
        raise SystemExit(str(missing)) from missing


def settings(options):
    """The arguments of a run in words.

    Folders are left out, since they say where and not what, and in a small run all but the seed,
    since it has sizes of its own.
    """
    shown = ["seed"] if options.small else sorted(set(vars(options)) - {
        "data", "mnist", "out", "keep", "small"})
    words = {True: "yes", False: "no"}
    return ", ".join(
        f"{name.replace('_', ' ')} {words[value] if isinstance(value, bool) else value}"
        for name, value in ((name, getattr(options, name)) for name in shown))


class Report:
    """A page of docs/experiments, written at the end of the run."""

    def __init__(self, options, name, title, libraries=()):
        self.folder = options.out
        self.name = name
        self.small = options.small
        self.settings = settings(options)
        self.libraries = ["numpy", *libraries]
        self.begin = time.monotonic()
        self.times = []
        self.parts = [f"# {title}"]
        self.folder.mkdir(parents=True, exist_ok=True)

    def text(self, words):
        """A paragraph, or several."""
        self.parts.append(words.strip())

    def heading(self, words):
        self.parts.append(f"## {words}")

    def code(self, words, language="text"):
        self.parts.append(f"```{language}\n{words.rstrip()}\n```")

    def table(self, rows, columns=None):
        """A table of a pandas frame, or of rows of cells under column names."""
        if columns is None:
            columns, rows = list(rows.columns), rows.itertuples(index=False)
        lines = ["| " + " | ".join(map(str, columns)) + " |", "|" + "---|" * len(columns)]
        for row in rows:
            lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
        self.parts.append("\n".join(lines))

    def picture(self, figure, name, words):
        """A matplotlib figure, saved beside the page, with words for those who cannot see it."""
        file = f"{self.name}_{name}.png"
        figure.savefig(self.folder / file, dpi=110, bbox_inches="tight")
        import matplotlib.pyplot as plt

        plt.close(figure)
        self.parts.append(f"![{words}]({file})")

    @contextlib.contextmanager
    def timed(self, what):
        """Measures and announces one part of the run."""
        print(f"{self.name}: {what} ...", file=sys.stderr, flush=True)
        begin = time.monotonic()
        yield
        self.times.append((what, time.monotonic() - begin))
        print(f"{self.name}: {what}: {self.times[-1][1]:.1f} s", file=sys.stderr, flush=True)

    def write(self):
        """Writes the page; returns its path."""
        self.heading("This run")
        import boxwood

        versions = [f"Boxwood {boxwood.__version__}", f"Python {platform.python_version()}"]
        for library in self.libraries:
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                versions.append(f"{library} {importlib.metadata.version(library)}")
        kind = "The small version of" if self.small else "Written by"
        self.text(f"{kind} `python experiments/{self.name}.py`, {', '.join(versions)}; "
                  f"{self.settings}; {time.monotonic() - self.begin:.0f} s in all, "
                  f"{time.process_time():.0f} s of processor time.")
        if self.times:
            self.table([(what, f"{seconds:.1f}") for what, seconds in self.times],
                       ["part", "seconds"])
        path = self.folder / f"{self.name}.md"
        path.write_text("\n\n".join(self.parts) + "\n", encoding="utf-8")
        print(path)
        return path
