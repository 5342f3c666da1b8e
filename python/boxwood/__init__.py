"""Exact counterfactual explanations for tree ensembles.

    import boxwood
    explainer = boxwood.Explainer(model, data=X_train)
    explainer.explain(X_test.iloc[3], target="good", fixed=["age"])

docs/python.md is the manual; docs/models.md lists the supported models.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from boxwood.errors import Error, UnsupportedModelError
from boxwood.models import model_bytes, save_model
from boxwood.models.xgboost_dump import xgboost_from_dump

if TYPE_CHECKING:
    from boxwood import examples
    from boxwood._core import Claim, Interval, Progress
    from boxwood._functions import monotone
    from boxwood._record_check import check_record
    from boxwood.anomalies import Anomaly
    from boxwood.answer import Answer, Change, Robustness
    from boxwood.batch import Batch
    from boxwood.best import Best
    from boxwood.costs import L0, L1, L2, Cost, Linf
    from boxwood.explainer import Explainer
    from boxwood.reasons import Reason, Reasons
    from boxwood.results import (
        Blocker,
        Map,
        Menu,
        Region,
        Regions,
        RobustSweep,
        Step,
        Sweep,
        WhyNot,
        WideRegion,
    )
    from boxwood.retraining import retrain
    from boxwood.rules import AllOf, AnyOf, If, Rule
    from boxwood.schema import Feature, OneHot, Schema
    from boxwood.suggestions import Suggestion, suggest_rules
    from boxwood.sums import Sum, category, change, feature
    from boxwood.targets import Class, Not, OneOf, Output, Score, Target

    __version__: str

# Loaded when they are first used: saving a model needs neither the compiled part nor numpy.
_HOMES = {
    "examples": ("examples",),
    "_core": ("Claim", "Interval", "Progress", "__version__"),
    "_functions": ("monotone",),
    "_record_check": ("check_record",),
    "anomalies": ("Anomaly",),
    "answer": ("Answer", "Change", "Robustness"),
    "batch": ("Batch",),
    "best": ("Best",),
    "costs": ("Cost", "L0", "L1", "L2", "Linf"),
    "explainer": ("Explainer",),
    "reasons": ("Reason", "Reasons"),
    "results": ("Blocker", "Map", "Menu", "Region", "Regions", "RobustSweep", "Step", "Sweep",
                "WhyNot", "WideRegion"),
    "rules": ("AllOf", "AnyOf", "If", "Rule"),
    "schema": ("Feature", "OneHot", "Schema"),
    "retraining": ("retrain",),
    "suggestions": ("Suggestion", "suggest_rules"),
    "sums": ("Sum", "category", "change", "feature"),
    "targets": ("Class", "Not", "OneOf", "Output", "Score", "Target"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "L0",
    "L1",
    "L2",
    "AllOf",
    "Anomaly",
    "Answer",
    "AnyOf",
    "Batch",
    "Best",
    "Blocker",
    "Change",
    "Claim",
    "Class",
    "Cost",
    "Error",
    "Explainer",
    "Feature",
    "If",
    "Interval",
    "Linf",
    "Map",
    "Menu",
    "Not",
    "OneHot",
    "OneOf",
    "Output",
    "Progress",
    "Reason",
    "Reasons",
    "Region",
    "Regions",
    "RobustSweep",
    "Robustness",
    "Rule",
    "Schema",
    "Score",
    "Step",
    "Suggestion",
    "Sum",
    "Sweep",
    "Target",
    "UnsupportedModelError",
    "WhyNot",
    "WideRegion",
    "__version__",
    "category",
    "change",
    "check_record",
    "examples",
    "feature",
    "model_bytes",
    "monotone",
    "retrain",
    "save_model",
    "suggest_rules",
    "xgboost_from_dump",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'boxwood' has no attribute {name!r}")
    module = importlib.import_module(f"boxwood.{_HOME[name]}")
    value = module if name == _HOME[name] else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
