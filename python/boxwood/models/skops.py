"""Files of skops: scikit-learn's models without pickles.

skops loads a file only if every type in it is trusted. Boxwood trusts, besides what skops trusts
itself, the types below: they hold numbers and arrays, and making them runs nothing that a file
contains. A file with any other type is refused by name.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np

from boxwood.errors import Error, UnsupportedModelError, library
from boxwood.models._ensemble import LEAF, Ensemble

TRUSTED = (
    "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "sklearn.utils._bunch.Bunch",
)
REVIEW = ("Look at skops.io.get_untrusted_types(file=…), load it with skops.io.load(file, "
          "trusted=[…]) and give the model")


def is_skops(content: bytes) -> bool:
    """Whether the content of an archive was written by skops."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "schema.json" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def read(content: bytes) -> Ensemble | None:
    """Read the model of a file; None for an archive that skops did not write.

    Raises
    ------
    Error
        If skops cannot load the file.
    UnsupportedModelError
        If the file holds types that are not trusted, or a model that Boxwood does not read.
    """
    if not is_skops(content):
        return None
    skops = library("skops.io")
    try:
        unknown = set(skops.get_untrusted_types(data=content)) - set(TRUSTED)
        if not unknown:
            model = skops.loads(content, trusted=list(TRUSTED))
    except Exception as error:  # a damaged file may raise anything
        raise Error("skops", f"it cannot load the file: {error}",
                    "Save the model again, with the version of scikit-learn that runs here"
                    ) from error
    if unknown:
        raise UnsupportedModelError(
            f"this file of skops holds {', '.join(sorted(unknown)[:3])}, which Boxwood does not "
            "trust without being told to", REVIEW)
    from boxwood.models import converted_model, library_of, unwrapped
    from boxwood.pipelines import is_pipeline

    model = unwrapped(model)
    if library_of(model) != "sklearn":
        raise UnsupportedModelError(
            f"this file of skops holds {type(model).__name__}", "Save it in its own format")
    _check_sizes(model)
    if is_pipeline(model) and model.steps:
        # Steps are tried together with the model, so its trees have to be trees.
        last = unwrapped(model.steps[-1][1])
        if library_of(last) != "sklearn":
            raise UnsupportedModelError(
                f"this file of skops holds a pipeline that ends in {type(last).__name__}", REVIEW)
        _check_trees(converted_model(last))
    made = converted_model(model)
    _check_trees(made)
    return made


def _check_trees(ensemble: Ensemble) -> None:
    """Refuse trees whose nodes have children outside the tree or before themselves."""
    for tree in ensemble.trees:
        inner = np.flatnonzero(tree.kind != LEAF)
        for children in (tree.left[inner], tree.right[inner]):
            if not ((children > inner) & (children < len(tree.kind))).all():
                raise Error("skops", "a node of a tree has a child that is none",
                            "The file is damaged: save the model again")


def _check_sizes(model: Any) -> None:
    """Refuse trees that claim more nodes than the file holds, before their arrays are used."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (str, bytes, int, float)):
            continue
        seen.add(id(one))
        if type(one).__name__ == "Tree" and type(one).__module__ == "sklearn.tree._tree":
            if not 0 < one.node_count <= one.capacity:
                raise Error("skops", f"a tree claims {one.node_count} nodes and has "
                                     f"{one.capacity}", "The file is damaged: save the model again")
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple, set)) or (
                isinstance(one, np.ndarray) and one.dtype == object):
            waiting += list(one.ravel()) if isinstance(one, np.ndarray) else list(one)
        elif hasattr(one, "__dict__"):
            waiting += vars(one).values()
