"""One list of categories for a column that several members of a composition read.

The members were trained on different rows, so their lists differ. A CatBoost model has codes for
the categories that its own splits name, and one more for all others; a pipeline has codes for those
that its encoders know, and one more for others if they accept any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boxwood.models._ensemble import IN_SET, Ensemble


def share_categories(models: list[Ensemble], places: list[np.ndarray]) -> None:
    """Give every column of the composition the categories that its models take.

    `places` has the column of the composition for each feature of a model. Splits are rewritten:
    a category that a model does not name goes where its "(other)" goes. What a model without
    "(other)" does not name is left out: the library fails for it. Columns of other libraries stay
    as they are.
    """
    readers: dict[tuple[int, bool], list[tuple[Ensemble, int]]] = {}
    for model, to in zip(models, places, strict=True):
        for i, column in enumerate(to.tolist()):
            of_steps = i in model.encoded
            if of_steps or (model.library == "catboost"
                            and model.features[i]["kind"] == "categorical"):
                readers.setdefault((column, of_steps), []).append((model, i))
    for several in readers.values():
        lists = [model.features[i].get("categories", []) for model, i in several]
        if all(one == lists[0] for one in lists):
            continue
        closed = [{one["label"] for one in known} for known in lists
                  if not any(one.get("others") for one in known)]
        named = {one["label"]: one for known in lists for one in known
                 if not one.get("others") and all(one["label"] in labels for labels in closed)}
        rest = [one for known in lists for one in known if one.get("others")]
        # The byte order of the labels, as the reader has it.
        order = [named[label] for label in sorted(named, key=str.encode)] + \
            (rest[:1] if not closed else [])
        union = [{**one, "code": code} for code, one in enumerate(order)]
        for model, i in several:
            _rewrite(model, i, union)


def _rewrite(model: Ensemble, feature: int, union: list[dict[str, Any]]) -> None:
    own = model.features[feature].get("categories", [])
    codes = {one["label"]: one["code"] for one in own if not one.get("others")}
    others = next((one["code"] for one in own if one.get("others")), None)
    before = [others if one.get("others") else codes.get(one["label"], others) for one in union]
    for tree in model.trees:
        used = np.flatnonzero((tree.kind == IN_SET) & (tree.feature == feature))
        for node in used.tolist():
            members = set(tree.sets[tree.value[node]])
            tree.value[node] = len(tree.sets)
            tree.sets.append([one["code"] for one, code in zip(union, before, strict=True)
                              if code in members])
    model.features[feature] = {**model.features[feature], "categories": union}
