"""Checks a record again: against the model, the schema, its question and its certificate."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._arguments import whole
from boxwood._codec import label_text
from boxwood._question import Asked, check_names
from boxwood.errors import Error
from boxwood.records import VERSION, _outcomes, is_labelled, kinds_of, sha256

if TYPE_CHECKING:
    from boxwood._codec import Codec
    from boxwood.explainer import Explainer

_REGION = re.compile(r"(?:(missing)|([\[(])(\S+), (\S+)([\])]))(?: \{([\d, ]*)\})?")


def check_record(record: Mapping[str, Any], model: Any, schema: Any = None, *,
                 question: Any = None, alternative: int = 1, samples: int = 256) -> list[str]:
    """Check a record again, by code that shares nothing with the search.

    Hashes, row, outcome, rules, cost, region and words are checked. That nothing is cheaper, or
    that nothing works, is checked only where the record has a certificate (`proof`). Key, nodes,
    times, version and blocking rules are not checked, nor columns that a portfolio keeps.

    Parameters
    ----------
    record : mapping
        What `Answer.record` returned, or a row of a portfolio.
    model : Explainer or model
        The explainer, or the model that was asked, as `Explainer` takes it.
    schema : Schema, mapping, JSON text or path, optional
        The explainer's schema, unless an explainer is given.
    question : mapping, str or path, optional
        The question, unless the record holds it: the arguments of `explain` by name
        (``{"target": "granted", "fixed": ["age"]}``), the text of a question file, or its path.
    alternative : int
        Which alternative of a menu the record is, from 1. Later ones claim less than the first.
    samples : int
        Random points of the region that are tried.

    Returns
    -------
    list of str
        What is wrong; empty when everything that is checked holds. A row without an answer, whose
        status is error or interrupted, cannot be checked, which is also in the list.
    """
    from boxwood.explainer import Explainer

    # A row of a pandas frame is not a mapping, but has items().
    if not isinstance(record, Mapping) and not (
            hasattr(record, "items") and getattr(record, "ndim", None) == 1):
        raise Error("record", f"it is of type {type(record).__name__}",
                    "Give what Answer.record returned, or one row of a portfolio")
    earlier = whole(alternative, "alternative", 1, 10**6) - 1
    explainer = model if isinstance(model, Explainer) else Explainer(model, schema=schema)
    return _Check(_plain(record), explainer, samples, earlier).run(question)


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    # Frames have NaN where there is no value, and arrays in place of lists.
    plain = {}
    for name, value in record.items():
        if isinstance(value, np.ndarray):
            value = value.tolist()
        elif isinstance(value, np.generic):
            value = value.item()
        plain[str(name)] = None if isinstance(value, float) and math.isnan(value) else value
    return plain


class _Check:
    def __init__(self, record: dict[str, Any], explainer: Explainer, samples: int,
                 earlier: int) -> None:
        self.record, self.explainer, self.samples = record, explainer, samples
        self.earlier = earlier  # alternatives of the same menu
        self.kinds = kinds_of(explainer)
        self.faults: list[str] = []

    def run(self, question: Any) -> list[str]:
        record = self.record
        if record.get("boxwood_record") != VERSION:
            raise Error("record", f"this Boxwood reads records of version {VERSION}",
                        "Give what Answer.record returned, or a row of a portfolio")
        for name in self.kinds:
            if name not in record:
                raise Error("record", f'it has no "{name}"', "Give a whole record, and its model")
        hashes = self.explainer.hashes
        for part in ("model", "schema"):
            if record[f"{part}_hash"] != hashes[part]:
                self.faults.append(f"{part}_hash: the record is about another {part}")
        if self.faults:
            return self.faults
        if record["status"] in ("error", "interrupted"):
            return ["status: a row without an answer cannot be checked"]
        try:
            self._check_answer(question)
        except _Fault as fault:
            self.faults.append(str(fault))
        return self.faults

    def _expect(self, name: str, expected: Any) -> None:
        found = self.record[name]
        if found != expected:
            self.faults.append(f"{name}: it is {found!r}, which should be {expected!r}")

    def _check_answer(self, question: Any) -> None:
        point = self._point("before_")
        text = self._question(question, point)
        try:
            query = _core.query_from_json(text)
        except Error as error:
            raise _Fault(f"question: {error}") from None
        if not np.array_equal(query.point, point, equal_nan=True):
            raise _Fault("before: the row is not the one of the question")
        answer = self._answer()
        self.faults += self.explainer.core.verify(query, answer, self.samples, 1)[0]
        self._expect("proven", self.record["status"] in ("optimal", "infeasible"))
        self._expect("claim", str(_core.claim_of(
            self.explainer.core, query, answer, self.earlier)))
        self._expect("error", None)
        if not json.loads(text).get("fewest_first"):
            self._expect("least_changes", 0)  # only such questions count changes first
        if self.record["status"] == "infeasible":
            self._expect("lower_bound", None)
        else:
            self._expect("blockers", None)
        self._expect_outcome("outcome_before", point)
        self._expect("gap", answer.gap if answer.count else None)
        facts = _core.record_columns(self.explainer.core, [query], point[np.newaxis], [answer])
        for name in ("changes", "changed_features", "changed"):
            value = facts[name][0]
            self._expect(name, value.item() if isinstance(value, np.generic) else value)
        if answer.count:
            self._expect_outcome("outcome", self._point("after_"))
        else:
            for name in self.record:
                if name in ("outcome", "output_after", "cost", "distance") or (
                        name.startswith(("after_", "region_")) and name in self.kinds):
                    self._expect(name, None)
        if self.record["proof"] is not None:
            self._check_proof(text, answer)

    def _expect_outcome(self, name: str, point: np.ndarray) -> None:
        # A class is 1 to a model and "1" to its schema.
        found = _outcomes(self.explainer, point[np.newaxis])[0]
        found = found.item() if isinstance(found, np.generic) else found
        if str(self.record[name]) != str(found):
            self._expect(name, found)

    def _point(self, start: str) -> np.ndarray:
        return np.array([_number(codec, self.record[f"{start}{codec.name}"], f"{start}{codec.name}")
                         for codec in self.explainer.columns.codecs])

    def _question(self, question: Any, point: np.ndarray) -> str:
        held, known = self.record["question"], self.record["question_hash"]
        if held is not None and (not isinstance(held, str) or sha256(held) != known):
            raise _Fault("question: it is not the one of question_hash")
        if known is None:
            raise Error("question", "a cost function and `live` have no file form, so that the "
                        "record has no hash of its question", "Such records cannot be checked")
        text = held if question is None else _text_of(question, self.explainer, point)
        if text is None:
            raise Error("question", "the record holds only the hash of its question",
                        "Give question=, or make records with their questions")
        if sha256(text) != known:
            raise _Fault("question_hash: the record is about another question")
        return text

    def _answer(self) -> _core.Answer:
        record = self.record
        for name, known in (("status", _core.Status), ("stop", _core.Stop)):
            if record[name] not in [one.name for one in known]:
                raise _Fault(f"{name}: there is no {record[name]!r}")
        solution = None
        found = record["status"] in ("optimal", "feasible")
        if found:
            regions = [self._region(f"region_{name}") for name in self.explainer.columns.names]
            solution = _core.solution_of(self._point("after_").tolist(),
                                         [interval for interval, _ in regions],
                                         [codes for _, codes in regions])
        if not isinstance(record["already_met"], bool):
            raise _Fault(f"already_met: {record['already_met']!r} is neither true nor false")
        numbers = {name: math.inf if record[name] is None and not (found and name != "lower_bound")
                   else self._real(name, record[name])
                   for name in ("cost", "distance", "lower_bound")}
        least = self._real("least_changes", record["least_changes"])
        if not least.is_integer() or not 0 <= least < 2**31:
            raise _Fault(f"least_changes: {least!r} is not a whole number")
        before = self._outputs("before_", "output_before")
        after: list[list[float]] = []
        if solution is not None:
            after = self._outputs("after_", "output_after")
        return _core.answer_of(getattr(_core.Status, record["status"]),
                               getattr(_core.Stop, record["stop"]), record["already_met"],
                               numbers["cost"], numbers["distance"], numbers["lower_bound"],
                               int(least), solution, before, after)

    def _outputs(self, row: str, name: str) -> list[list[float]]:
        # The record has the outputs of the first model; those of the others are computed.
        core = self.explainer.core
        point = self._point(row)[np.newaxis]
        own = self.record[name]
        if not isinstance(own, (list, tuple)):
            raise _Fault(f"{name}: {own!r} is not a list of numbers")
        return [[self._real(name, one) for one in own],
                *(core.outputs(point, i)[0].tolist() for i in range(1, len(core)))]

    def _real(self, name: str, value: Any) -> float:
        if type(value) not in (int, float) or (type(value) is int and abs(value) > 2**53):
            raise _Fault(f"{name}: {value!r} is not a number")
        return float(value)

    def _region(self, name: str) -> tuple[_core.Interval, list[int]]:
        found = _REGION.fullmatch(str(self.record[name]))
        if found is None:
            raise _Fault(f"{name}: {self.record[name]!r} is not a region")
        lost, start, lower, upper, end, codes = found.groups()
        try:
            ends = (math.nan, math.nan) if lost else (float(lower), float(upper))
            listed = [int(code) for code in codes.split(",")] if codes else []
        except ValueError:
            raise _Fault(f"{name}: {self.record[name]!r} is not a region") from None
        return _core.Interval(*ends, start != "(", end != ")"), listed

    def _check_proof(self, question: str, answer: _core.Answer) -> None:
        from boxwood import boxwood_check as checker

        record = self.record
        try:
            proof = json.loads(record["proof"])
            claim = {"feasible": "lower_bound", "unknown": "lower_bound"}.get(record["status"],
                                                                              record["status"])
            if proof.get("claim") != claim:
                raise checker.Rejected(f"it claims {proof.get('claim')!r}, the record {claim!r}")
            bound = math.inf if claim == "infeasible" else float(proof["cost"])
            if claim != "infeasible" and bound < answer.lower_bound:
                raise checker.Rejected(f"it proves a lower bound of {bound!r} only")
            point = np.array([float(x) for x in proof.get("point", [])], dtype=float)
            if claim == "optimal" and not np.array_equal(point, self._point("after_"),
                                                         equal_nan=True):
                raise checker.Rejected("it is about another point")
            models = [checker.Model(json.loads(self.explainer.core.ensemble(i).to_json()))
                      for i in range(len(self.explainer.core))]
            checker.check(models, question.encode(), proof)
        except checker.Rejected as reason:
            self.faults.append(f"proof: {reason}")
        except (checker.Unsupported, LookupError, AttributeError, TypeError, ValueError,
                ArithmeticError) as error:
            self.faults.append(f"proof: it cannot be checked: {type(error).__name__}: {error}")


class _Fault(Exception):
    """A fault after which the record cannot be checked further."""


def _number(codec: Codec, value: Any, place: str) -> float:
    """Turn a value of a record into the number that the model reads."""
    if value is None:
        return math.nan
    try:
        if not is_labelled(codec):
            return float(value)
        text = label_text(value)
        if text in codec.codes:
            return float(codec.codes[text])
        originals = [label_text(one) for one in codec.originals or ()]
        if text in originals:
            return float(originals.index(text))
        return float(len(codec.labels) - 1) if codec.others else float(text)
    except (TypeError, ValueError, OverflowError):
        raise _Fault(f"{place}: {value!r} is no value of this feature") from None


def _text_of(question: Any, explainer: Explainer, point: np.ndarray) -> str:
    if isinstance(question, Mapping):
        arguments = dict(question)
        target = arguments.pop("target", None)
        check_names(arguments)
        return Asked(explainer, target, arguments).at(point).question_text()  # type: ignore[arg-type]
    if isinstance(question, str) and question.lstrip().startswith("{"):
        return question
    return Path(question).read_text(encoding="utf-8")
