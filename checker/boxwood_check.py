#!/usr/bin/env python3
"""Checks a Boxwood proof: that no admissible point with the wanted outcome is cheaper than claimed.

    python3 boxwood_check.py MODEL [MODEL ...] QUESTION PROOF

MODEL is Boxwood's model file or an XGBoost JSON file, QUESTION a question file, PROOF a certificate
(docs/formats.md, docs/proof.md). Prints "accepted" and what is proven, or "rejected" and why. Exit
code 0: accepted, 1: rejected, 2: a file cannot be read or uses something that proofs do not cover.

The file uses the Python standard library only and shares no code with Boxwood. Scores are exact
integers and fractions. Costs are IEEE doubles, added in the order that the claim is about; Python's
floats are IEEE doubles. Python compares floats with fractions exactly. Words in square brackets are
headings or bold words of docs/proof.md, which has the theorem behind each part.
"""

import decimal
import hashlib
import json
import math
import struct
import sys
from collections import Counter, namedtuple
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from types import SimpleNamespace
from typing import NamedTuple

INF = math.inf
PRECISE = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
FUZZ = Decimal(10) ** -30  # far above the error of every logarithm and exponential below


class Rejected(Exception):
    """The certificate proves nothing."""


class Unsupported(Exception):
    """The model or the question is outside of what this checker covers, or a file is malformed."""


# ------------------------------------------------------------------------------------- numbers

def parsed(content):
    """Read JSON in UTF-8; refuse a key that is given twice, by which a file says two things, and 1e400 or NaN."""
    def unique(pairs):
        if len(dict(pairs)) < len(pairs):
            raise Unsupported("a key is given twice")
        return dict(pairs)

    def finite(text):
        if not math.isfinite(float(text)):
            raise Unsupported(f"{text[:40]} is not a finite number")
        return float(text)
    return json.loads(content.decode("utf-8"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite)


def numeric(value):
    """Give a number of a JSON file, or a list of them, as doubles; infinities and NaN are text there."""
    if isinstance(value, list):
        return [numeric(one) for one in value]
    return float(value) if type(value) is int or value in ("inf", "-inf", "nan") else value


def known(data, keys, what):
    """Give an object of a file; refuse it if it has other keys, whose meaning is not known here."""
    if set(data) - set(keys.split()):
        raise Unsupported(f"{what} with {', '.join(sorted(set(data) - set(keys.split())))}")
    return data


def same(one, other):
    """Whether two values are equal, or both missing."""
    return one == other or (math.isnan(one) and math.isnan(other))


def single(value):
    """Round a double to float32, as a double."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(INF, value)


def next_up(value, is_single):
    """Give the next larger number of the precision."""
    if not is_single or value == INF:
        return math.nextafter(value, INF)
    bits = struct.unpack("<i", struct.pack("<f", value))[0] if value else 0
    return struct.unpack("<f", struct.pack("<i", bits + 1 if value >= 0 else bits - 1))[0]


def first_from(bound, is_open, is_single):
    """Give the smallest number of the precision that is >= bound (> bound if open)."""
    if bound in (INF, -INF):
        return bound
    value = single(float(bound)) if is_single else float(bound)
    while value >= bound:
        value = -next_up(-value, is_single)
    while value < bound or (is_open and value == bound):
        value = next_up(value, is_single)
    return value


def rounds_from(end, closed, is_single):
    """[Rounded differences] Say which exact numbers round to at least `end` (not closed: to more): (from, open)."""
    first = first_from(end, not closed, is_single)
    if first == -INF:
        return first, not closed
    below = Fraction(-next_up(-first, is_single))
    if first == INF:
        return below, False
    middle = (below + Fraction(first)) / 2
    return middle, (single(float(middle)) if is_single else float(middle)) < first


class Interval(NamedTuple):
    """An interval of the question file."""

    lower: float = -INF
    upper: float = INF
    lower_closed: bool = True
    upper_closed: bool = True

    def holds(self, value):
        return (value >= self.lower if self.lower_closed else value > self.lower) and \
            (value <= self.upper if self.upper_closed else value < self.upper)

    def mirrored(self):
        return Interval(-self.upper, -self.lower, self.upper_closed, self.lower_closed)

    def read(self, rounding):
        return self._replace(lower=rounding(self.lower), upper=rounding(self.upper))

    def ends(self):
        """Both ends as (sign, end, closed); sign 1: at least the end, sign -1: at most."""
        return (1, self.lower, self.lower_closed), (-1, self.upper, self.upper_closed)


# ----------------------------------------------------------------------------------- the model

# With the names of the model file; kind is a position in Model.KINDS, and a node of the kind "in" has its categories.
Node = namedtuple("Node", "kind feature threshold left right value missing_left missing_at_zero zero_up categories")
Tree = namedtuple("Tree", "output nodes values sets")


class Model:
    """One ensemble, with the fields of Boxwood's model file."""

    KINDS = ("leaf", "<", "<=", "==", "in")
    ZERO = single(1e-35)  # up to here a number counts as zero where zero goes with missing values

    def __init__(self, data):
        data = xgboost_as_boxwood(data) if "learner" in data else data
        if data.get("boxwood_model") != 1:
            raise Unsupported("the model file is neither Boxwood's (version 1) nor XGBoost JSON")
        known(data, "boxwood_model source library objective notes task link link_form input accumulator order factor "
              "divisor steepness decision classes base features trees", "a model")
        data = {"factor": 1, "divisor": 1, "steepness": 1, "link_form": "plain", "decision": "output_above_half", **data}
        self.words = [data[key] for key in ("input", "accumulator", "order", "link", "link_form", "task", "decision")]
        self.input, self.accumulator, self.order, self.link, self.form, self.task, self.decision = self.words
        self.factor, self.divisor, self.steepness = (numeric(data[key]) for key in ("factor", "divisor", "steepness"))
        self.base, self.width = numeric(data["base"]), len(data["features"])
        self.single = self.accumulator == "float32"
        self.round = single if self.single else float
        self.trees = [self.tree(tree) for tree in data["trees"]]
        self.unit = Fraction(self.round(self.factor)) / Fraction(self.round(self.divisor))
        self.errors = [self.error(k) for k in range(len(self.base))]
        self.bounded = INF not in self.errors

    def tree(self, data):
        known(data, "output values sets kind feature threshold left right value missing_left missing_at_zero zero_up",
              "a tree")
        if not data["kind"] or not -1 <= data["output"] < len(self.base):
            raise Unsupported("a tree without nodes or of an unknown output")
        falses, sets = [False] * len(data["kind"]), data.get("sets", [])
        nodes = [Node(*fields, tuple(sets[fields[5]]) if fields[0] == 4 else ()) for fields in zip(
            map(self.KINDS.index, data["kind"]), data["feature"], numeric(data["threshold"]), data["left"],
            data["right"], data["value"], data["missing_left"], data.get("missing_at_zero", falses),
            data.get("zero_up", falses), strict=True)]
        for at, node in enumerate(nodes):
            if node.kind and not (at < node.left < len(nodes) > node.right > at and 0 <= node.feature < self.width):
                raise Unsupported("a child does not come after its parent, or a split without a feature")
            if node.kind == 0 and not 0 <= node.value <= len(data["values"]) - (
                    len(self.base) if data["output"] == -1 else 1):
                raise Unsupported("a leaf without values")
        return Tree(data["output"], nodes, numeric(data["values"]), sets)

    def digest(self):
        """[The hash of a model]"""
        words = ["boxwood model 1", *self.words, ""]
        flat = [self.factor, self.divisor, self.steepness, len(self.base), *self.base, self.width, len(self.trees)]
        for tree in self.trees:
            flat += [tree.output, len(tree.nodes), *(field for node in tree.nodes for field in node[:9]),
                     len(tree.values), *tree.values, len(tree.sets)]
            flat += [number for one in tree.sets for number in (len(one), *one)]
        return hashlib.sha256(" ".join(words).encode() + struct.pack(f"<{len(flat)}d", *flat)).hexdigest()

    def goes_left(self, node, value):
        """Whether a value, read as the model reads it, goes to the left child."""
        value = single(value) if self.input == "float32" else value
        if math.isnan(value) or (node.missing_at_zero and abs(value) <= self.ZERO):
            return bool(node.missing_left)
        if node.kind == 4:
            return -1 < value < 2 ** 31 and not (node.zero_up and value < 0) and int(value) in node.categories
        return (value < node.threshold, value <= node.threshold, value == node.threshold)[node.kind - 1]

    def numbers(self, tree, leaf):
        """What a leaf adds to the outputs, in the precision of the sums."""
        values = tree.values[leaf.value:leaf.value + (len(self.base) if tree.output == -1 else 1)]
        return {k: self.round(value) for k, value in enumerate(values, max(tree.output, 0))}

    def scores(self, leaves):
        """Add the numbers of one leaf of each tree as the library does."""
        first = self.order == "base_first"
        sums = [self.round(value) if first else 0.0 for value in self.base]
        for k, value in (item for leaf in leaves for item in leaf.items()):
            sums[k] = self.round(sums[k] + value)
        sums = [self.round(total * self.round(self.factor)) for total in sums] if self.factor != 1 else sums
        sums = [self.round(total / self.round(self.divisor)) for total in sums] if self.divisor != 1 else sums
        return sums if first else [self.round(total + self.round(base)) for total, base in zip(sums, self.base)]

    def scores_of(self, point):
        """Give the scores of a point."""
        leaves = []
        for tree in self.trees:
            node = tree.nodes[0]
            while node.kind:
                node = tree.nodes[node.left if self.goes_left(node, point[node.feature]) else node.right]
            leaves.append(self.numbers(tree, node))
        return self.scores(leaves)

    def error(self, k):
        """[The error of a score] INF where a sum may overflow."""
        used = [tree.values[k::len(self.base)] if tree.output == -1 else tree.values
                for tree in self.trees if tree.output in (-1, k)]
        total = sum(max(abs(Fraction(self.round(value))) for value in values) for values in used)
        base, factor = abs(Fraction(self.round(self.base[k]))), Fraction(self.round(self.factor))
        share = Fraction(len(used) + 6, 2 ** (24 if self.single else 53))
        size = (total + base) * max(1, factor) * max(1, self.unit) + base
        if size >= 2 ** (126 if self.single else 1022) or share > Fraction(1, 4):
            return INF
        return ((total + base) * self.unit + base) * share / (1 - share) + \
            Fraction(1, 2 ** (140 if self.single else 1060))

    def offset(self, plus, minus, sign):
        """Bound what sign * (score[plus] - score[minus]) has beyond the exact sum of the trees' numbers."""
        base = Fraction(self.round(self.base[plus])) - (0 if minus is None else Fraction(self.round(self.base[minus])))
        return sign * base * (self.unit if self.order == "base_first" else 1) + self.errors[plus] + \
            (0 if minus is None else self.errors[minus])


def xgboost_as_boxwood(data):
    """Give an XGBoost JSON file in the form of the model file."""
    learner = data["learner"]
    objectives = {"binary:logistic": ("binary", "sigmoid"), "binary:logitraw": ("binary", "identity"),
                  "multi:softprob": ("multiclass", "softmax"), "multi:softmax": ("multiclass", "winner"),
                  "reg:squarederror": ("regression", "identity")}
    task, link = objectives.get(learner["objective"]["name"], (None, None))
    if task is None or learner["gradient_booster"]["name"] != "gbtree" or \
            "best_iteration" in learner.get("attributes", {}):
        raise Unsupported("of XGBoost files only gbtree models with common objectives and without early "
                          "stopping are read directly; use boxwood inspect --save-model")
    parameters, booster = learner["learner_model_param"], learner["gradient_booster"]["model"]
    base = [single(float(text)) for text in parameters["base_score"].strip("[]").split(",")]
    if link == "sigmoid":
        base = [single(-math.log(single(single(1 / p) - 1))) for p in base]
    outputs = max(1, int(parameters.get("num_class", 1)), int(parameters.get("num_target", 1)))
    keys, trees = ("kind", "feature", "threshold", "left", "right", "value", "missing_left"), []
    for tree, output in zip(booster["trees"], booster["tree_info"], strict=True):
        if any(tree.get("split_type", [])) or int(tree["tree_param"].get("size_leaf_vector", 1)) > 1:
            raise Unsupported("categories and vector leaves of XGBoost files are not read directly")
        nodes, values, numbering = [], [], [0]
        for index in numbering:  # breadth first, as Boxwood numbers nodes
            child, value = tree["left_children"][index], single(tree["split_conditions"][index])
            if child == -1:
                nodes.append(("leaf", -1, 0.0, -1, -1, len(values), False))
                values.append(value)
            else:
                nodes.append(("<", tree["split_indices"][index], value, len(numbering), len(numbering) + 1, -1,
                              bool(tree["default_left"][index])))
                numbering += [child, tree["right_children"][index]]
        trees.append({"output": output, "values": values, **dict(zip(keys, map(list, zip(*nodes))))})
    return {"boxwood_model": 1, "task": task, "link": link, "input": "float32", "accumulator": "float32",
            "order": "base_first", "base": base * (outputs if len(base) == 1 else 1), "trees": trees,
            "features": [None] * int(parameters["num_feature"])}


# --------------------------------------------------------------- [Alternatives and conditions]

# sign * (score[plus] - score[minus]) >= least (> least if open), for the library's scores, exactly. With `part`,
# instead: the softmax of plus is at least (sign 1) or at most (sign -1) `part`.
Condition = namedtuple("Condition", "plus minus sign least is_open part", defaults=(False, None))

DIRECT = ("identity", "votes")  # links whose output is the score
INVERSE = {  # the score of an output, and the outputs that a score may have
    "sigmoid": (lambda y, steep: (y / (1 - y)).ln() / steep, 0, 1),
    "exponential": (lambda y, _: y.ln(), 0, INF),
    "softplus": (lambda y, _: y.ln() + y / 2 if y < FUZZ else (y.exp() - 1).ln() if y < 1000 else y, 0, INF),
    "isolation": (lambda y, _: -(-y).ln() / Decimal(2).ln(), -INF, 0),
    "square": (lambda y, _: abs(y).sqrt().copy_sign(y), -INF, INF),
}


class Outcome:
    """One requirement as alternatives of conditions, with the allowances of [Links]."""

    def __init__(self, model, wanted):
        known(wanted, "class classes probability margin output score rival range model negated", "a requirement")
        self.model, self.link, self.wanted = model, model.link, wanted
        onnx = model.form == "onnxruntime"
        if onnx and not (model.single and model.link in ("sigmoid", "softmax", *DIRECT)):
            raise Unsupported(f"models with the link {model.link} in the form {model.form}")
        self.tiny = Decimal(2) ** (-20 if onnx else -120 if model.single else -1000)
        self.by_output = model.decision == "output_above_half" and self.link not in (*DIRECT, "winner")
        half = model.decision == "score_above_half" or \
            (model.decision == "output_above_half" and self.link in DIRECT)
        self.middle = Fraction(1, 2) if half else 0  # where a binary model changes its class
        self.alternatives = self.alternatives_of(wanted.get("negated", False))

    def relative(self, output):
        """[Links] Bound the relative error of a link's result near an output."""
        if self.link == "softmax":
            return Decimal(2) ** -16 + len(self.model.base) * Decimal(2) ** -23 if self.model.single else \
                Decimal(2) ** -38
        small = self.link == "sigmoid" and output < Decimal("0.51")
        return Decimal(2) ** ((-15 if small else -20) if self.model.single else (-38 if small else -42))

    def score_for(self, output, sign):
        """Bound the score: an output >= (sign -1: <=) `output` needs a score beyond the result."""
        if self.link not in INVERSE:
            raise Unsupported(f"outputs of the link {self.link}")
        if output == -sign * INF:
            return output  # every output
        inverse, lowest, highest = INVERSE[self.link]
        output = Fraction(sign * 2 ** 127 if output == sign * INF else output)  # infinite outputs overflow
        y = Decimal(output.numerator) / Decimal(output.denominator)
        y -= sign * (abs(y) * self.relative(y) * 2 + self.tiny)
        if y <= lowest or y >= highest:
            return INF if y >= highest else -INF
        score = inverse(y, Decimal(self.model.steepness))
        return Fraction(score - sign * (abs(score) + 1) * FUZZ)

    def softmax_within(self, k, interval):
        """[Softmax] Conditions for a probability in an interval."""
        relative = 2 * self.relative(1)
        low = Decimal(min(interval.lower, 2)) * (1 - relative) - self.tiny if interval.lower > 0 else Decimal(0)
        high = Decimal(max(interval.upper, -1)) * (1 + relative) + self.tiny if interval.upper < 1 else Decimal(1)
        lead = INF if low >= 1 or high <= 0 else \
            Fraction((low / (1 - low)).ln() - 1000 * FUZZ) if low > 0 else -INF
        return [Condition(k, rival, 1, lead) for rival in range(len(self.model.base)) if rival != k] + [
            Condition(k, None, sign, -INF, part=part) for sign, part in ((1, low), (-1, high)) if 0 < part < 1]

    def rounded(self, plus, minus, sign, end, closed, centre=0, is_single=False):
        """The condition that sign * (score[plus] - score[minus] - centre), rounded, is at least an end."""
        least, is_open = rounds_from(end, closed, is_single)
        return Condition(plus, minus, sign, least + sign * centre, is_open)

    def lead_within(self, plus, minus, interval):
        """Conditions for a rounded difference of scores in an interval."""
        return [self.rounded(plus, minus, sign, sign * end, closed) for sign, end, closed in interval.ends()]

    def conditions(self, side):
        """Conditions for an interval of whatever the requirement is about."""
        wanted, binary = self.wanted, self.model.task == "binary"
        if "rival" in wanted:
            return self.lead_within(wanted["score"], wanted["rival"], side)
        by_score = "score" in wanted or self.link in DIRECT
        if binary and wanted.get("class") == 0:  # its probability is 1 - output, rounded by the library
            ends = [(sign, end, closed) for sign, end, closed in side.ends() if math.isfinite(end)]
            if by_score:
                return [self.rounded(0, None, -sign, sign * end, closed, 1, self.model.single) for sign, end, closed in ends]
            slack = Fraction(1, 2 ** (23 if self.model.single else 51))
            return [Condition(0, None, -sign, -sign * self.score_for(1 - Fraction(end) + sign * slack, -sign))
                    for sign, end, _ in ends]
        k = wanted.get("score", wanted.get("output", 0 if binary else wanted.get("class")))
        if self.link == "softmax" and not by_score:
            return self.softmax_within(k, side)
        return [Condition(k, None, sign, sign * (end if by_score else self.score_for(end, sign)), by_score and not closed)
                for sign, end, closed in side.ends()]

    def wins(self, target, scores):
        """Conditions for a predicted class; ties are won by class 0, or by the first of several."""
        near, model = Fraction(1, 2 ** (20 if self.model.single else 46)) if self.by_output else 0, self.model
        if self.by_output and self.link != ("sigmoid" if model.task == "binary" else "softmax"):
            raise Unsupported(f"classes of the link {self.link}")
        if model.task == "binary":
            sign, tie_wins = (1 if target == 1 else -1), (target == 1) == (model.decision == "score_from_zero")
            near = near / min(1, Fraction(model.steepness)) if target == 0 else 0
            return [Condition(0, None, sign, sign * self.middle - near, not tie_wins)]
        return [Condition(target, k, 1, 0 if scores and scores[k] == scores[target] else -near, k < target)
                for k in range(len(model.base)) if k != target]  # equal scores have equal outputs

    def alternatives_of(self, negated, scores=None):
        """List alternatives, of which every point with the outcome (negated: without it) fulfils one."""
        model, wanted = self.model, self.wanted
        if "range" in wanted or "probability" in wanted:
            whole = Interval(*numeric(wanted.get("range", [wanted.get("probability"), "inf", True, True])))
            below = Interval(-INF, whole.lower, True, not whole.lower_closed)
            above = Interval(whole.upper, INF, not whole.upper_closed, True)
            sides = [side for side in (below, above) if side.lower != side.upper or side.holds(side.lower)]
            return [self.conditions(side) for side in (sides if negated else [whole])]
        targets = wanted["classes"] if "classes" in wanted else [wanted["class"]]
        classes = range(2 if model.task == "binary" else len(model.base))
        won = [self.wins(k, scores) for k in classes if (k in targets) != negated]
        if "margin" not in wanted:
            return won
        margin, target = numeric(wanted["margin"]), targets[0]
        if model.task == "binary":
            sign = 1 if (target == 1) != negated else -1
            leads = [[self.rounded(0, None, sign, -margin if negated else margin, not negated, self.middle)]]
        else:
            side = Interval(upper=margin, upper_closed=False) if negated else Interval(lower=margin)
            leads = [self.lead_within(target, k, side) for k in classes if k != target]
        return won + leads if negated else [won[0] + sum(leads, [])]

    def refuted(self, alternatives, upper):
        """Whether every alternative has a condition that cannot hold; upper(plus, minus, sign) bounds differences."""
        return all(any(self.fails(one, upper) for one in conditions) for conditions in alternatives)

    def fails(self, condition, upper):
        """Whether a condition cannot hold."""
        plus, minus, sign, least, is_open, part = condition
        if part is None:
            if least == -INF and not is_open:
                return False
            most = upper(plus, minus, sign)
            return most < least or (is_open and most == least)
        total = Decimal(0)  # [Softmax]
        for rival in (k for k in range(len(self.model.base)) if k != plus):
            most = upper(plus, rival, 1) if sign == 1 else upper(rival, plus, 1)
            exponent = -sign * Decimal(most.numerator) / Decimal(most.denominator)
            total += min(max(exponent, Decimal(-100000)), Decimal(100000)).exp()
        if sign == 1:
            return 1 / (1 + total * (1 - FUZZ)) < part * (1 - FUZZ)
        return total * (1 + FUZZ) < (1 / part - 1) * (1 - FUZZ)

    def certainly(self, scores, holds):
        """[Known scores] Whether scores that the library computes certainly have the outcome or not."""
        plain = self.link in (*DIRECT, "winner")
        if not all(math.isfinite(score) or (plain and not math.isnan(score)) for score in scores):
            return False
        exact = [Fraction(score) if math.isfinite(score) else score for score in scores]

        def difference(plus, minus, sign):
            if minus is None:
                return sign * exact[plus]
            return Fraction(0) if exact[plus] == exact[minus] else sign * (exact[plus] - exact[minus])

        opposite = self.wanted.get("negated", False) != holds
        return self.refuted(self.alternatives_of(opposite, scores), difference)


# -------------------------------------------------------------------------------- the question

RULE = {  # what the question file says about a feature, with its defaults
    "kind": "continuous", "fixed": False, "range": ["-inf", "inf", True, True], "domain": None, "allowed": [], "step": 0,
    "missing_allowed": False, "changes": [], "direction": "both", "least_change": 0, "most_change": "inf", "weight": 1,
    "up": 1, "down": 1, "scale": 1, "quantiles": []}

MIXTURES = {"l2": (1.0, 0.0, 0.0), "l1": (0.0, 1.0, 0.0), "linf": (0.0, 1.0, 0.0), "l0": (0.0, 0.0, 1.0)}


class Variable:
    """A feature or a one-hot group: its cells, each with the values of its columns and its cost."""

    def __init__(self, columns, cells, own):
        self.columns, self.cells, self.own = columns, cells, own  # by position
        # Bit i of a mask is the i-th cheapest cell; the own cell comes first.
        order = sorted(range(len(cells)), key=lambda at: (cells[at][1], at != own))
        self.costs = [cells[at][1] for at in order]  # of a bit
        self.bit = [bit for _, bit in sorted((at, 1 << rank) for rank, at in enumerate(order))]  # of a position
        self.below = list(accumulate(self.bit, initial=0))  # the cells below a position


class Question:
    """What is asked: admissible values, costs, clauses, requirements."""

    def __init__(self, data, models):
        known(data, "boxwood_question point requirements features groups clauses max_changes cost mixture fewest_first "
              "scale_name", "a question")
        self.models, self.norm, self.point = models, data["cost"], numeric(data["point"])
        self.max_changes, self.fewest = data.get("max_changes", INF), data.get("fewest_first", False)
        self.mixture = MIXTURES.get(self.norm) or [numeric(data["mixture"][key]) for key in ("l2", "l1", "l0")]
        self.rules = [SimpleNamespace(**{key: numeric(value) for key, value in {**RULE, **rule}.items()})
                      for rule in (known(rule, " ".join(RULE), "a feature") for rule in data["features"])]
        self.groups = {column: known(group, "columns weight none_allowed", "a group")
                       for group in data.get("groups", []) for column in group["columns"]}
        self.clauses = [[known(one, "feature inside range codes missing", "a condition") for one in clause]
                        for clause in data.get("clauses", [])]
        if data.get("boxwood_question") != 1 or self.norm not in (*MIXTURES, "mixture"):
            raise Unsupported("the question file is not of version 1, or its cost is not known")
        if not data["requirements"] or {model.width for model in models} != {len(self.point)} or \
                len(self.rules) != len(self.point):
            raise Unsupported("the question does not fit the models")
        if any(rule.quantiles for rule in self.rules):
            raise Unsupported("costs by quantiles; the fast checker covers them")
        self.wanted = [(one.get("model", 0), Outcome(models[one.get("model", 0)], one)) for one in data["requirements"]]
        self.single = any(model.input == "float32" for model in models)
        self.read = single if self.single else float

    # [Costs] The same operations in the same order as the claim is about.

    def cost_of_size(self, weight, size):
        l2, l1, l0 = self.mixture
        return weight * ((l2 * (size * size) if l2 else 0.0) + (l1 * size if l1 else 0.0) + l0)

    def term(self, d, to):
        """Give the cost of changing feature d to a value."""
        start, rule = self.point[d], self.rules[d]
        if same(to, start):
            return 0.0
        if math.isnan(to) or math.isnan(start):
            return self.cost_of_size(rule.weight, 1.0) if rule.missing_allowed else INF
        if rule.kind == "categorical":
            row, column = (int(min(max(code, 0.0), 2.0 ** 40)) for code in (start, to))
            row = rule.changes[row] if row < len(rule.changes) else []
            size = row[column] if column < len(row) else 1.0
            return self.cost_of_size(rule.weight, size) if size < INF else INF
        weight = rule.weight * (rule.up if to > start else rule.down)
        return self.cost_of_size(weight, abs(to - start) / rule.scale)

    def group_cost(self, group, hot):
        """Give the cost of a group's column `hot` being 1 (past the last: none); INF if it may not be."""
        columns = group["columns"]
        if hot == self.hot(group):
            return 0.0
        for k, column in enumerate(columns):
            rule, value = self.rules[column], float(k == hot)
            if value != self.point[column] and (
                    rule.fixed or rule.direction == ("down" if value else "up") or not Interval(*rule.range).holds(value) or
                    not rule.least_change <= 1 <= rule.most_change or (rule.allowed and value not in rule.allowed)):
                return INF
        forbidden = hot == len(columns) and not group.get("none_allowed", False)
        return INF if forbidden else self.cost_of_size(numeric(group.get("weight", 1)), 1.0)

    def hot(self, group):
        """Give the position of the column that is 1 now, or the number of columns."""
        values = [self.point[column] for column in group["columns"]]
        if values.count(1) > 1 or any(value not in (0, 1) for value in values):
            raise Unsupported("the columns of a group are not one-hot")
        return values.index(1) if 1 in values else len(values)

    # [Cells] Admissible values.

    def first_value(self, d, within, sign):
        """Give the first admissible value upwards (sign -1: downwards) in some intervals; None if there is none."""
        rule, start = self.rules[d], sign * self.point[d]
        within = [*within, Interval(*rule.range).read(self.read)]
        within = within if sign == 1 else [one.mirrored() for one in within]  # from here on, upwards
        if math.isfinite(start):
            if rule.direction == ("down" if sign == 1 else "up"):
                return None
            within.append(Interval(Fraction(start) + Fraction(rule.least_change) if rule.least_change else -INF,
                                   Fraction(start) + Fraction(rule.most_change) if rule.most_change < INF else INF))
        value = max(first_from(one.lower, not one.lower_closed, self.single) for one in within)
        if rule.allowed:
            value = min((sign * one for one in map(self.read, rule.allowed) if sign * one >= value), default=INF)
        elif rule.step and math.isfinite(value):
            parts, times = float(round(1 / rule.step)), math.ceil(Fraction(value) / Fraction(rule.step)) - 2

            def multiple(n):
                return self.read(n / parts if parts > 1 and 1 / parts == rule.step else n * rule.step)

            if multiple(float(round(Fraction(value) / Fraction(rule.step)))) != value:
                if abs(times) > 2 ** 50:
                    raise Unsupported("a step that is too fine for its values")
                while multiple(times) < value:
                    times += 1
                value = multiple(times)
        elif rule.kind != "continuous" and math.isfinite(value):
            value = float(math.ceil(value))
        return sign * value + 0.0 if math.isfinite(value) and all(one.holds(value) for one in within) else None

    def cheapest_value(self, d, cell, sign):
        """Give the cheapest admissible value of a cell that lies above (sign -1: below) the own one."""
        rule, tries = self.rules[d], [([cell], sign)]
        if math.isnan(self.point[d]):  # all values cost the same
            tries = [([cell], 1), ([cell], -1), ([cell, Interval(0.0, 0.0)], 1)]
        elif rule.changes and rule.kind == "categorical":  # a table of sizes, which are all 1 beyond its ends
            width = float(max(map(len, [rule.changes, *rule.changes])))
            tries = [([cell, Interval(float(code), float(code))], 1) for code in range(int(width))] + [
                ([cell, Interval(lower=width)], 1), ([cell, Interval(upper=0.0, upper_closed=False)], -1)]
        values = [self.first_value(d, within, direction) for within, direction in tries]
        return min((value for value in values if value is not None), key=lambda value: self.term(d, value), default=None)

    def literal_holds(self, literal, value):
        """Whether a condition of a clause holds for a value."""
        value = self.read(value)
        if math.isnan(value):
            return bool(literal.get("missing"))
        if "codes" in literal:
            return (-1 < value < 2 ** 31 and int(value) in literal["codes"]) == literal["inside"]
        return Interval(*numeric(literal["range"])).read(self.read).holds(value) == literal["inside"]

    # [Cells] Variables.

    def cuts(self):
        """[Cuts] List the cuts (value, inclusive) of each feature."""
        cuts = [set() for _ in self.point]
        for node in (node for model in self.models for tree in model.trees for node in tree.nodes if node.kind):
            if node.kind == 4:
                cuts[node.feature] |= set_cuts(node.categories, node.zero_up)
            else:
                cuts[node.feature] |= {(node.threshold + 0.0, one) for one in ((False,), (True,), (False, True))[
                    node.kind - 1]} | ({(-Model.ZERO, False), (Model.ZERO, True)} if node.missing_at_zero else set())
        for literal in (literal for clause in self.clauses for literal in clause):
            if "codes" in literal:
                cuts[literal["feature"]] |= set_cuts(literal["codes"], False)
            else:
                one = Interval(*numeric(literal["range"])).read(self.read)
                cuts[literal["feature"]] |= {(one.lower + 0.0, not one.lower_closed), (one.upper + 0.0, one.upper_closed)}
        return [sorted(cut for cut in own if math.isfinite(cut[0])) for own in cuts]

    def variables(self):
        """Make the variables by number; columns of a group except its first one have none."""
        cuts = self.cuts()
        return {d: self.group_variable(self.groups[d]) if d in self.groups else self.feature_variable(d, cuts[d])
                for d in range(len(self.point)) if d not in self.groups or self.groups[d]["columns"][0] == d}

    def feature_variable(self, d, cuts):
        rule, start, cells, own = self.rules[d], self.read(self.point[d]), [], None
        missing_stays = math.isnan(start) and (rule.fixed or not rule.missing_allowed)
        for (lower, above), (upper, inclusive) in pairwise([(-INF, False), *cuts, (INF, True)]):
            cell = Interval(lower, upper, not above, inclusive)
            if cell.holds(start):
                own = len(cells)
                cells.append(([self.point[d]], 0.0))
            elif not rule.fixed and not missing_stays:
                value = self.cheapest_value(d, cell, 1 if start <= lower else -1)
                if value is not None and self.term(d, value) < INF:
                    cells.append(([value], self.term(d, value)))
        if math.isnan(start) or (rule.missing_allowed and not rule.fixed):
            own = len(cells) if math.isnan(start) else own
            cells.append(([math.nan], self.term(d, math.nan)))
        return Variable([d], cells, own)

    def group_variable(self, group):
        columns = range(len(group["columns"]))
        costs = {hot: self.group_cost(group, hot) for hot in range(len(columns) + 1)}
        hots = [hot for hot, cost in costs.items() if cost < INF]
        return Variable(group["columns"], [([float(k == hot) for k in columns], costs[hot]) for hot in hots],
                        hots.index(self.hot(group)))


def set_cuts(codes, zero_up):
    """[Cuts] Give the cuts around the runs of a set of categories."""
    codes = set(codes)
    return {(-1.0, True) if code == 0 and not zero_up else (float(code), False)
            for code in codes if code - 1 not in codes} | \
        {(code + 1.0, False) for code in codes if code + 1 not in codes}


# ----------------------------------------------------------------------------------- [The tree]

# A leaf has its cells of the variables on its path, what it adds to the outputs, and that times 2^shift.
Leaf = namedtuple("Leaf", "cells numbers whole")
# A set of cells for each variable, its measure, and the live leaves of each tree.
Box = namedtuple("Box", "cells measure live")
CHANGE = 2 ** 80  # a measure is the number of changes times this, plus the sum of the costs in whole numbers


class Checker:
    """Walks the tree of a certificate."""

    def __init__(self, question, claim, changes):
        self.question, self.claim, self.claimed_changes = question, claim, changes
        self.most_changes = min(question.max_changes, INF if changes is None else changes)
        self.variables = question.variables()
        self.variable_of = {d: v for v, variable in self.variables.items() for d in variable.columns}
        self.literals = [[self.cells_where(one["feature"], lambda value, one=one: question.literal_holds(one, value))
                          for one in clause] for clause in question.clauses]
        self.set_tolls()
        cells = {v: sum(1 << bit for bit, cost in enumerate(variable.costs)
                        if question.fewest or cost < claim or cost == 0) for v, variable in self.variables.items()}
        self.shifts = [max((Fraction(model.round(v)).denominator.bit_length() for tree in model.trees
                            for v in tree.values), default=1) for model in question.models]
        self.trees = [(m, tree.output) for m, model in enumerate(question.models) for tree in model.trees]
        self.sides = {}
        leaves = [self.leaves(m, tree, cells) for m, model in enumerate(question.models) for tree in model.trees]
        self.whole = self.restricted(Box(cells, sum(self.measure(v, mask) for v, mask in cells.items()), leaves))

    def cells_where(self, d, holds):
        """Give the variable of a feature and those of its cells whose value satisfies `holds`."""
        v = self.variable_of[d]
        variable, column = self.variables[v], self.variables[v].columns.index(d)
        return v, sum(bit for (values, _), bit in zip(variable.cells, variable.bit) if holds(values[column]))

    def leaves(self, m, tree, cells):
        """Give the leaves of a tree with their cells."""
        model, made, stack = self.question.models[m], [], [(tree.nodes[0], {})]
        while stack:
            node, path = stack.pop()
            if node.kind == 0:
                numbers = model.numbers(tree, node)
                made.append(Leaf(path, numbers, {k: int(Fraction(value) * 2 ** self.shifts[m])
                                                 for k, value in numbers.items()}))
                continue
            key = (model.input, node._replace(left=0, right=0))
            if key not in self.sides:
                self.sides[key] = self.cells_where(node.feature, lambda value, node=node: model.goes_left(node, value))
            v, left = self.sides[key]
            for child, side in ((node.left, left), (node.right, ~left)):
                if side & path.get(v, cells[v]):
                    stack.append((tree.nodes[child], {**path, v: side & path.get(v, cells[v])}))
        return made

    # [Measure], [Live leaves]

    def set_tolls(self):
        """[Tolls] Make the costs of cells in whole numbers, the limit of their sums, the tolls, and the priced conditions."""
        question = self.question
        finite, largest = self.claim < INF, question.norm == "linf"
        scale = Fraction(2) ** (41 - math.frexp(self.claim)[1]) if finite else 0
        self.scaled_claim = Fraction(self.claim) * scale if finite else 0
        self.spread = len(self.variables) + 2
        self.limit = math.floor(self.scaled_claim) + 2 + self.spread // 1024

        def whole(cost):  # a sum of these reaches the limit only if the costs reach the claim; a maximum: exactly then
            if largest:
                return self.limit if cost >= self.claim else 0
            return min(math.floor(Fraction(cost) * scale), self.limit)

        self.costs = {v: [whole(cost) for cost in variable.costs] for v, variable in self.variables.items()}
        self.tolls, self.toll_limit = self.costs, self.limit
        if not finite or largest or self.claim <= 0 or question.fewest:
            one = 2 ** 30 if self.most_changes < INF else 0
            self.tolls = {v: [0] + [one] * (len(costs) - 1) for v, costs in self.costs.items()}
            self.toll_limit = (min(self.most_changes, len(self.variables)) + 1) * one or 2 ** 40
        self.priced = [(m, condition) for m, outcome in question.wanted if len(outcome.alternatives) == 1
                        for condition in outcome.alternatives[0] if condition.part is None]

    def measure(self, v, cells):
        """Give the measure of the cheapest of a variable's cells."""
        bit = (cells & -cells).bit_length() - 1
        return (CHANGE if bit else 0) + self.costs[v][bit]

    def may_improve(self, box, within):
        """Whether a box, within some cells of some variables, may hold a point better than the claim."""
        measure = box.measure
        for v, cells in within.items():
            if not cells & box.cells[v]:
                return False
            measure += self.measure(v, cells & box.cells[v]) - self.measure(v, box.cells[v])
        changes, cost = divmod(measure, CHANGE)
        if changes > self.most_changes:
            return False
        if self.claim == INF or (self.question.fewest and changes < self.claimed_changes):
            return True
        if cost >= self.limit or cost + 2 * self.spread < self.scaled_claim:
            return cost < self.limit
        total = 0.0  # too close to the claim: the doubles decide
        for v, cells in box.cells.items():
            cells &= within.get(v, cells)
            total += self.variables[v].costs[(cells & -cells).bit_length() - 1]
        return total < self.claim

    def restricted(self, box, v=None, cells=0):
        """Give the box with only these cells of a variable, and what is live in it; None if it has no cell."""
        moved = v is None
        if v is not None:
            if not cells & box.cells[v]:
                return None
            before, now = self.measure(v, box.cells[v]), self.measure(v, cells & box.cells[v])
            box, moved = Box({**box.cells, v: cells & box.cells[v]}, box.measure + now - before, box.live), now != before
        return box._replace(live=[[leaf for leaf in leaves if not (moved or v in leaf.cells) or
                                   self.may_improve(box, leaf.cells)] for leaves in box.live])

    # [Rule R: requirement]

    def refuted(self, box, r):
        """Whether no point of a box that is better than the claim meets requirement r."""
        if not all(box.live):
            return True
        m, outcome = self.question.wanted[r]
        model, trees = outcome.model, [(output, leaves) for (of, output), leaves in zip(self.trees, box.live) if of == m]

        def upper(plus, minus, sign):
            total = sum(max(sign * (leaf.whole.get(plus, 0) - leaf.whole.get(minus, 0)) for leaf in leaves)
                        for output, leaves in trees if output in (-1, plus, minus))
            return Fraction(total, 2 ** self.shifts[m]) * model.unit + model.offset(plus, minus, sign)

        if model.bounded and outcome.refuted(outcome.alternatives, upper):
            return True
        return all(len(leaves) == 1 for _, leaves in trees) and \
            outcome.certainly(model.scores([leaves[0].numbers for _, leaves in trees]), False)

    # [Rule D: dual bound]

    def read_dual(self, unit, tokens):
        """Read exponent, prices, the shares of each tree {variable: [(cells, share)]}, and their sums by position."""
        exponent = take(tokens, -60, 800)
        prices = [take(tokens, 0, 2 ** 31 - 1) for _ in self.priced]
        shares, sums = [], {v: [0] * len(variable.bit) for v, variable in self.variables.items()}
        for _ in self.trees:
            shares.append({})
            for _ in range(take(tokens, 0, len(self.variables))):
                v = take(tokens, 0, len(self.question.point))
                if v not in self.variables or v in shares[-1]:
                    raise Rejected("rule D: shares of a variable that does not exist, or twice")
                below, runs, begin, share = self.variables[v].below, [], 0, 0
                for _ in range(take(tokens, 1, len(below) - 1)):
                    end, before = take(tokens, begin, len(below) - 2), share
                    runs.append((below[end] & ~below[begin], share))
                    begin, share = end, take(tokens, 1 - 2 ** 31, 2 ** 31 - 1) * 2 ** unit
                    sums[v][begin] += share - before
                shares[-1][v] = [*runs, (below[-1] & ~below[begin], share)]
        return exponent, prices, shares, {v: list(accumulate(steps)) for v, steps in sums.items()}

    def thinned(self, box, exponent, prices, shares, sums):
        """Give a box without the leaves that the bound excludes."""
        if not all(box.live):
            return box
        weights, bound, models = Counter(), 0, self.question.models
        for price, (m, condition) in zip(prices, self.priced):
            if price:
                plus, minus, sign, least = condition[:4]
                if least in (INF, -INF) or not models[m].bounded:
                    raise Rejected("rule D: a price for a condition that cannot be used")
                weights[m, plus] += sign * price
                weights[m, minus] -= sign * price
                needed = (least - models[m].offset(plus, minus, sign)) / models[m].unit
                bound += price * math.floor(needed * Fraction(2) ** exponent)
        for v, variable in self.variables.items():
            bound += min(self.tolls[v][bit.bit_length() - 1] - sums[v][at]
                         for at, bit in enumerate(variable.bit) if bit & box.cells[v])
        values = []
        for (m, _), leaves, own in zip(self.trees, box.live, shares):
            values.append([])
            for leaf in leaves:
                value = sum(min(share for cells, share in runs if cells & box.cells[v] & leaf.cells.get(v, -1))
                            for v, runs in own.items())
                for k, whole in leaf.whole.items():  # rounded up if the weight is positive, else down
                    weight = weights[m, k]
                    value += abs(weight) * shifted(-whole if weight > 0 else whole, exponent - self.shifts[m])
                values[-1].append(value)
            bound += min(values[-1])
        return box._replace(live=[
            [leaf for leaf, value in zip(leaves, of) if bound - min(of) + value < self.toll_limit]
            for leaves, of in zip(box.live, values)])

    # [The point]

    def check_point(self, point):
        """Check that a point is made of cells, costs what is claimed, keeps to the clauses and has the outcome."""
        question, total, changes = self.question, 0.0, 0
        if len(point) != len(question.point):
            raise Rejected("the point has the wrong length")
        for variable in self.variables.values():
            here = [at for at, (values, _) in enumerate(variable.cells)
                    if all(same(value, point[d]) for value, d in zip(values, variable.columns))]
            if not here:
                raise Rejected(f"the value of feature {variable.columns[0]} is not that of a cell")
            cost = variable.cells[here[0]][1]
            total = max(total, cost) if question.norm == "linf" else total + cost
            changes += here[0] != variable.own
        if total != self.claim:
            raise Rejected("the point does not cost what is claimed")
        if changes > question.max_changes or (question.fewest and changes != self.claimed_changes):
            raise Rejected("the point has too many changes, or not as many as claimed")
        if not all(any(question.literal_holds(one, point[one["feature"]]) for one in clause)
                   for clause in question.clauses):
            raise Rejected("the point breaks a clause")
        if not all(outcome.certainly(outcome.model.scores_of(point), True) for _, outcome in question.wanted):
            raise Rejected("the point does not certainly have the outcome")

    # [The tree]

    def run(self, tree):
        """Walk the tree; every box must be closed. Gives the number of closed boxes."""
        tokens, open_boxes, closed = iter(tree), [(self.whole, None)], 0
        while open_boxes:
            token, (box, dual) = next(tokens), open_boxes.pop()
            if token >= 0:
                if token not in self.variables:
                    raise Rejected(f"variable {token} does not exist")
                first = self.first_cells(token, tokens)
                for cells in (~first, first):
                    open_boxes.append((box and self.restricted(box, token, cells), dual))
            elif token == -3:
                again = take(tokens, -1, 44)
                if again >= 0:
                    dual = self.read_dual(again, tokens)
                elif dual is None:
                    raise Rejected("rule D: there are no numbers to use again")
                open_boxes.append((box and self.thinned(box, *dual), dual))
            else:
                if box is not None and not self.closes(token, box):
                    raise Rejected(f"rule {token} does not close a box: it may hold a better point")
                closed += 1
        if next(tokens, None) is not None:
            raise Rejected("the tree goes on after its end")
        return closed

    def first_cells(self, v, tokens):
        """Read the cells that go to the first child: every number b moves the cells below position b to the other side."""
        below, cells = self.variables[v].below, 0
        for _ in range(take(tokens, 0, len(below) - 1)):
            cells ^= below[take(tokens, 0, len(below) - 1)]
        return cells

    def closes(self, token, box):
        """Whether a rule closes a box."""
        if token == -1:  # [Rule C: cost]
            return not self.may_improve(box, {})
        if token == -2:  # [Rule K: clauses]
            return any(not any(self.may_improve(box, dict([literal])) for literal in clause)
                       for clause in self.literals)
        return -4 - token < len(self.question.wanted) and self.refuted(box, -4 - token)


def take(tokens, low, high):
    """Take a number of the tree within some limits."""
    token = next(tokens)
    if not low <= token <= high:
        raise Rejected(f"the number {token} is out of range")
    return token


def shifted(value, exponent):
    """Round value * 2^exponent down; the value is a whole number."""
    return value << exponent if exponent >= 0 else value >> -exponent


def check(models, question_bytes, proof):
    """[What is proven] Check a proof; gives what is proven. Raises Rejected or Unsupported."""
    if not isinstance(proof, dict) or proof.get("boxwood_proof") != 1:
        raise Rejected("this is not a proof of version 1")
    if proof.get("models") != [model.digest() for model in models]:
        raise Rejected("the proof is about other models")
    if proof.get("question") != hashlib.sha256(question_bytes).hexdigest():
        raise Rejected("the proof is about another question")
    with decimal.localcontext(PRECISE):
        return check_claim(Question(parsed(question_bytes), models), proof)


def check_claim(question, proof):
    """[What is proven] Check the claim of a proof about a question."""
    claim, changes, tree = proof.get("claim"), proof.get("changes"), proof.get("tree")
    if claim not in ("optimal", "infeasible", "lower_bound") or not isinstance(tree, list) or \
            not all(type(token) is int for token in tree):
        raise Rejected("there is no such claim, or no tree of whole numbers")
    counts = question.fewest and claim != "infeasible"
    if counts != (changes is not None) or (counts and (type(changes) is not int or changes < 0)):
        raise Rejected("a number of changes must be claimed for fewest changes first, and only there")
    cost = INF if claim == "infeasible" else numeric(proof["cost"])
    if not cost >= 0:
        raise Rejected("the claimed cost is not a number, or negative")
    checker = Checker(question, cost, changes)
    if claim == "optimal":
        checker.check_point(numeric(proof["point"]))
    try:
        boxes = checker.run(tree)
    except StopIteration:
        raise Rejected("the tree ends before every box is closed") from None
    if claim == "infeasible":
        return f"no admissible point has the outcome ({boxes} boxes)"
    fewest = f" of at most {changes} changes" if question.fewest else ""
    return f"no admissible point{fewest} with the outcome costs less than {cost!r} ({boxes} boxes)"


def main(names):
    """Check the files that are named on the command line."""
    if len(names) < 3:
        print(__doc__)
        return 2
    try:
        contents = [open(name, "rb").read() for name in names]  # noqa: SIM115 - the process ends soon
        models = [Model(parsed(text)) for text in contents[:-2]]
        print("accepted:", check(models, contents[-2], parsed(contents[-1])))
        return 0
    except Rejected as reason:
        print("rejected:", ascii(str(reason))[1:-1][:500])  # names in the files must not forge lines
        return 1
    except (Unsupported, OSError, KeyError, IndexError, TypeError, ValueError, ArithmeticError, AttributeError,
            RecursionError, MemoryError) as error:
        print(f"cannot be checked: {type(error).__name__}: {ascii(str(error))[1:-1][:500]}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
