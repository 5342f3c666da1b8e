"""Tree models of H2O, from a MOJO file, as Boxwood's own file.

The reference is H2O's scorer of MOJO files, in Java. Values are doubles, thresholds and leaves
float32; `x >= threshold` goes right, and so do the categories of a split's bit set. Categories that
the bit set does not cover go where missing values go. Sums are doubles, tree by tree, and the
intercept comes last.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble
from boxwood.models._h2o_trees import Damaged, read_tree
from boxwood.models._votes import member, shared_votes

ALGORITHMS = {"gbm": "GBM", "drf": "DRF"}
MOST_GROWTH = 1000  # of a file by unpacking it; deflate reaches 1,032, trees about 10
EXP = "outputs may differ from H2O's in the last digits: Java has its own exp"
TIES = "where several classes are equally probable, H2O draws one by a hash of the row"


@dataclass
class Info:
    """What model.ini says, and the other files."""

    archive: zipfile.ZipFile
    names: list[str]
    domains: list[list[str] | None]
    entries: dict[str, str]

    def text(self, key: str) -> str:
        """Return an entry that has to be there."""
        if key not in self.entries:
            raise Damaged(f"model.ini has no {key}")
        return self.entries[key]

    def whole(self, key: str) -> int:
        """Return an entry that is a count."""
        text = self.text(key)
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise Damaged(f"{key} in model.ini is {text!r}, not a count")
        return int(text)

    def number(self, key: str) -> float:
        """Return an entry that is a finite number."""
        try:
            value = float(self.text(key))
        except ValueError:
            value = float("nan")
        if not abs(value) < float("inf"):
            raise Damaged(f"{key} in model.ini is {self.text(key)!r}, not a number")
        return value


def converted(model: Any) -> Ensemble:
    """Convert a model of the package h2o.

    It is downloaded from its server as a MOJO file. Releases of H2O that export these files with a
    licence only say so themselves.
    """
    if not hasattr(model, "download_mojo"):
        raise UnsupportedModelError(f"{type(model).__name__} of h2o is not a trained model",
                                    "Give a trained GBM or DRF, or the path of its MOJO file")
    with tempfile.TemporaryDirectory(prefix="boxwood-") as folder:
        try:
            path = Path(model.download_mojo(folder))
        except Exception as error:  # H2O has many kinds
            raise UnsupportedModelError(
                f"H2O does not export this {type(model).__name__} as a MOJO file: {error}",
                "Give the path of a MOJO file instead") from error
        made = read(path.read_bytes())
    if made is None:
        raise UnsupportedModelError("what H2O exported is no MOJO file",
                                    "Give the path of a MOJO file instead")
    return made


def read(content: bytes) -> Ensemble | None:
    """Convert a MOJO file; None if the archive is not one."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile:
        return None
    try:
        with archive:
            if "model.ini" not in archive.namelist():
                return None
            if sum(one.file_size for one in archive.infolist()) > MOST_GROWTH * len(content):
                raise Damaged("it grows too much by unpacking")
            return _model(_info(archive))
    except (Damaged, UnicodeDecodeError) as error:
        raise UnsupportedModelError(f"this MOJO file of H2O is damaged: {error}",
                                    "Save it again with model.save_mojo(path)") from error


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except KeyError as error:
        raise Damaged(f"{name} is missing") from error
    except Exception as error:  # zlib's errors are of several kinds
        raise Damaged(f"{name} cannot be unpacked: {error}") from error


def _lines(archive: zipfile.ZipFile, name: str) -> list[str]:
    return _unpacked(archive, name).decode("utf-8").split("\n")


def _info(archive: zipfile.ZipFile) -> Info:
    entries: dict[str, str] = {}
    names: list[str] = []
    tables: dict[int, tuple[int, str]] = {}
    part = ""
    for raw in _lines(archive, "model.ini"):
        line = raw.rstrip("\r")
        if line.strip() in ("[info]", "[columns]", "[domains]"):
            part = line.strip()
        elif part == "[columns]":
            names.append(line)
        elif part == "[info]" and "=" in line:
            key, _, value = line.partition("=")
            entries[key.strip()] = value.strip()
        elif part == "[domains]" and line.strip():
            words = line.replace(":", " ", 1).split()
            if len(words) != 3 or not words[0].isdigit() or not words[1].isdigit():
                raise Damaged(f"the domain {line!r} in model.ini is not understood")
            tables[int(words[0])] = int(words[1]), words[2]
    while names and not names[-1].strip():
        names.pop()
    info = Info(archive, names, [None] * len(names), entries)
    for column, (count, file) in tables.items():
        if column >= len(names):
            raise Damaged(f"model.ini has no column {column}")
        labels = [line.rstrip("\r") for line in _lines(archive, f"domains/{file}")]
        if entries.get("escape_domain_values") == "true":
            labels = [label.replace("\\n", "\n").replace("\\\\", "\\") for label in labels]
        if len(labels) < count:
            raise Damaged(f"domains/{file} has fewer than {count} lines")
        info.domains[column] = labels[:count]
    return info


def _refuse(info: Info) -> None:
    """Refuse by name what is not a sum of these trees."""
    algorithm = info.text("algo")
    if algorithm not in ALGORITHMS:
        raise UnsupportedModelError(
            f"this MOJO file of H2O holds {info.entries.get('algorithm', algorithm)}, which is not "
            "supported", "Give a GBM or a DRF; XGBoost models can be trained with XGBoost itself")
    if float(info.text("mojo_version").partition(",")[0] or 0) < 1.2:
        raise UnsupportedModelError("this MOJO file is of an old version of H2O",
                                    "Import it into H2O 3.2x or newer and save it again")
    if info.entries.get("balance_classes") == "true":
        raise UnsupportedModelError(
            "this model of H2O was trained with balance_classes, which corrects its probabilities",
            "Train it without balance_classes; weights_column can balance the classes")
    if info.entries.get("offset_column", "null") not in ("null", ""):
        raise UnsupportedModelError("this model of H2O has an offset column, which is added to "
                                    "its scores", "Train it without offset_column")
    for key in ("_genmodel_encoding", "encoding"):
        encoding = info.entries.get(key, "AUTO")
        if encoding.upper() not in ("AUTO", "ENUM", "NULL", ""):
            raise UnsupportedModelError(
                f'this model of H2O has categorical_encoding="{encoding}", which is not supported',
                'Train it with categorical_encoding="enum"')


def _model(info: Info) -> Ensemble:
    try:
        _refuse(info)
    except ValueError as error:
        if isinstance(error, UnsupportedModelError):
            raise
        raise Damaged(f"mojo_version in model.ini is {info.text('mojo_version')!r}") from error
    count, classes = info.whole("n_features"), info.whole("n_classes")
    if not 0 < count <= len(info.names):
        raise Damaged(f"it has {count} features and {len(info.names)} columns")
    boosted = info.text("algo") == "gbm"
    rounds, each = info.whole("n_trees"), info.whole("n_trees_per_class")
    if each not in (1, classes):
        raise Damaged(f"it has {each} trees a round for {classes} classes")
    little = info.entries.get("endianness", "LITTLE_ENDIAN") == "LITTLE_ENDIAN"
    files = set(info.archive.namelist())
    trees = []
    for own in range(each):
        for one in range(rounds):
            file = f"trees/t{own:02d}_{one:03d}.bin"
            if file in files:  # a class that training data lacks has no trees
                tree = read_tree(_unpacked(info.archive, file), info.domains[:count], little)
                tree.output = own
                trees.append(tree)
    labels = (info.domains[count] if count < len(info.domains) else None) or []
    if classes > 1 and len(labels) != classes:
        raise Damaged(f"it has {classes} classes and {len(labels)} labels")
    features = [{"name": name, "kind": "continuous"} if domain is None else
                {"name": name, "kind": "categorical", "categories": [
                    {"code": code, "label": label} for code, label in enumerate(domain)]}
                for name, domain in zip(info.names[:count], info.domains, strict=False)]
    fields: dict[str, Any] = {
        "source": f"H2O {info.entries.get('h2o_version', '')}".strip(), "features": features,
        "objective": " ".join([ALGORITHMS[info.text("algo")], info.entries.get(
            "distribution", info.entries.get("category", ""))]).strip(),
        "input": "float64", "library": "other"}
    made = _boosted if boosted else _forest
    return made(info, trees, labels, rounds, fields)


def _boosted(info: Info, trees: list[Any], labels: list[str], rounds: int,
             fields: dict[str, Any]) -> Ensemble:
    family = info.text("distribution")
    link = info.entries.get("link_function") or {
        "bernoulli": "logit", "quasibinomial": "logit", "poisson": "log", "gamma": "log",
        "tweedie": "log"}.get(family, "identity")
    base = info.number("init_f")
    if family == "multinomial" and len(labels) > 2:
        return Ensemble(task="multiclass", link="softmax", base=[0.0] * len(labels), trees=trees,
                        classes=labels, notes=[EXP, TIES], **fields)
    if len(labels) == 2 and link == "logit" and family in ("bernoulli", "quasibinomial"):
        return _two(info, trees, base, labels, fields, link="sigmoid", order="base_last",
                    classes=[0, 1], notes=[EXP])
    if not labels and link in ("identity", "log") and family != "custom":
        exponential = link == "log"
        return Ensemble(task="regression", link="exponential" if exponential else "identity",
                        base=[base], trees=trees, order="base_last",
                        notes=[EXP] if exponential else [], **fields)
    raise UnsupportedModelError(
        f'this GBM of H2O has the distribution "{family}" with the link "{link}", which is not '
        "supported", "Train it with bernoulli, multinomial, gaussian, poisson, gamma, tweedie, "
        "laplace, quantile or huber")


def _forest(info: Info, trees: list[Any], labels: list[str], rounds: int,
            fields: dict[str, Any]) -> Ensemble:
    if rounds == 0:
        raise UnsupportedModelError("this DRF of H2O has no trees", "Train it with ntrees > 0")
    if not labels:
        return Ensemble(task="regression", link="identity", base=[0.0], trees=trees,
                        divisor=float(rounds), **fields)
    if len(labels) == 2 and info.entries.get("binomial_double_trees", "false") != "true":
        # The trees vote for the first class; the other's probability is what is left of 1.
        return _two(info, trees, 0.0, labels, fields, link="votes", divisor=float(rounds),
                    classes=[1, 0], notes=[])
    if len(labels) == 2:
        raise UnsupportedModelError("this DRF of H2O has binomial_double_trees, which is not "
                                    "supported", "Train it without binomial_double_trees")
    return shared_votes(trees, labels, notes=[TIES], **fields)


def _two(info: Info, trees: list[Any], base: float, labels: list[str], fields: dict[str, Any],
         *, notes: list[str], **arithmetic: Any) -> Ensemble:
    """Return a classifier that predicts class 1 from H2O's own threshold on."""
    composition = {"sum": "float64", "divisor": 1.0,
                   "threshold": {"target": 1, "least": info.number("default_threshold")},
                   "members": [member(outputs=1, task="binary", **arithmetic)]}
    return Ensemble(task="multiclass", link="composed", base=[base], trees=trees, classes=labels,
                    composition=json.dumps(composition), notes=notes, **fields)
