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
from functools import partial
from itertools import accumulate
from types import SimpleNamespace

INF = math.inf
PRECISE = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
FUZZ = Decimal(10) ** -30  # far above the error of every logarithm and exponential below


class Rejected(Exception):
    """The certificate proves nothing."""


class Unsupported(Exception):
    """The model or the question is outside of what this checker covers, or a file is malformed."""


# ------------------------------------------------------------------------------------- numbers

def parsed(content):
    """Read JSON in UTF-8. Refuse 1e400, NaN, and a key that is given twice."""
    def unique(pairs):
        if len(dict(pairs)) < len(pairs):
            raise Unsupported("a key is given twice")
        return dict(pairs)

    def finite(text):
        if not math.isfinite(float(text)):
            raise Unsupported(f"{text[:40]} is not a finite number")
        return float(text)
    return json.loads(content.decode(), object_pairs_hook=unique, parse_float=finite, parse_constant=finite)


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
    """Round a double to float32, as a double. `single` and `float` stand for the two precisions."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(INF, value)


def next_up(value, precision):
    """Give the next larger number of a precision."""
    if precision is float or value == INF:
        return math.nextafter(value, INF)
    bits = struct.unpack("<i", struct.pack("<f", value))[0] if value else 0
    return struct.unpack("<f", struct.pack("<i", bits + 1 if value >= 0 else bits - 1))[0]


def first_from(bound, is_open, precision):
    """Give the smallest number of a precision that is >= bound (> bound if open)."""
    if bound in (INF, -INF):
        return bound
    value = precision(float(bound))
    while value >= bound:
        value = -next_up(-value, precision)
    while value < bound or (is_open and value == bound):
        value = next_up(value, precision)
    return value


def rounds_from(end, closed, precision):
    """[Rounded differences] Which numbers round to at least `end` (not closed: to more): (from, open)."""
    first = first_from(end, not closed, precision)
    if first == -INF:
        return first, not closed
    below = Fraction(-next_up(-first, precision))
    if first == INF:
        return below, False
    middle = (below + Fraction(first)) / 2
    return middle, precision(float(middle)) < first


def ends_of(interval, precision=float):
    """Give both ends of an interval of the question file: (sign, end, closed).

    The sign is 1 for the lower end (at least the end) and -1 for the upper one (at most the end).
    """
    lower, upper, lower_closed, upper_closed = numeric(interval)
    return [(1, precision(lower), lower_closed), (-1, precision(upper), upper_closed)]


def beyond(sign, end, closed):
    """Give both ends of what lies outside of an end of an interval."""
    return sorted([(-sign, end, not closed), (sign, -sign * INF, True)], reverse=True)


def within(value, ends):
    """Whether a value lies in an interval."""
    return all(sign * value > sign * end or (closed and value == end) for sign, end, closed in ends)


def in_codes(value, codes):
    """Whether a value, cut off to a whole number, is one of some categories."""
    return -1 < value < 2 ** 31 and int(value) in codes


# ----------------------------------------------------------------------------------- the model

# With the names of the model file; kind is a position in KINDS, and a node of the kind "in" has categories.
Node = namedtuple("Node", ("kind", "feature", "threshold", "left", "right", "value", "missing_left",
                           "missing_at_zero", "zero_up", "categories"))
Tree = namedtuple("Tree", "output nodes values sets")
KINDS = ("leaf", "<", "<=", "==", "in")
WORDS = ("input", "accumulator", "order", "link", "link_form", "task", "decision")
ZERO = single(1e-35)  # up to here a number counts as zero where zero goes with missing values


class Model:
    """One ensemble, with the fields of Boxwood's model file."""

    def __init__(self, data):
        data = xgboost_as_boxwood(data) if "learner" in data else data
        if data.get("boxwood_model") != 1:
            raise Unsupported("the model file is neither Boxwood's (version 1) nor XGBoost JSON")
        known(data, "boxwood_model source library objective notes task link link_form input accumulator "
              "order factor divisor steepness decision classes base features trees", "a model")
        data = {"factor": 1, "divisor": 1, "steepness": 1, "link_form": "plain",
                "decision": "output_above_half", **data}
        self.words = [data[key] for key in WORDS]
        self.input, accumulator, self.order, self.link, self.form, self.task, self.decision = self.words
        self.factor, self.divisor, self.steepness, self.base = (
            numeric(data[key]) for key in ("factor", "divisor", "steepness", "base"))
        self.width, self.single = len(data["features"]), accumulator == "float32"
        self.round = single if self.single else float
        self.trees = [self.tree(tree) for tree in data["trees"]]
        self.unit = Fraction(self.round(self.factor)) / Fraction(self.round(self.divisor))
        self.errors = [self.error(k) for k in range(len(self.base))]
        self.bounded = INF not in self.errors

    def tree(self, data):
        """Read a tree; its walks end, and every leaf has its numbers."""
        known(data, "output values sets " + " ".join(Node._fields[:9]), "a tree")
        count, sets, outputs = len(data["kind"]), data.get("sets", []), len(self.base)
        if not count or not -1 <= data["output"] < outputs:
            raise Unsupported("a tree without nodes or of an unknown output")
        data = {"missing_at_zero": [False] * count, "zero_up": [False] * count, **data,
                "kind": map(KINDS.index, data["kind"]), "threshold": numeric(data["threshold"])}
        nodes = [Node(*fields, tuple(sets[fields[5]]) if fields[0] == 4 else ())
                 for fields in zip(*(data[name] for name in Node._fields[:9]), strict=True)]
        last = len(data["values"]) - (outputs if data["output"] == -1 else 1)
        for at, node in enumerate(nodes):
            if not (0 <= node.value <= last if node.kind == 0 else 0 <= node.feature < self.width and
                    at < min(node.left, node.right) and max(node.left, node.right) < count):
                raise Unsupported("a leaf without values, or a split without a feature or two later nodes")
        return Tree(data["output"], nodes, numeric(data["values"]), sets)

    def digest(self):
        """[The hash of a model]"""
        words = ["boxwood model 1", *self.words, ""]
        flat = [self.factor, self.divisor, self.steepness, len(self.base), *self.base, self.width,
                len(self.trees)]
        for tree in self.trees:
            flat += [tree.output, len(tree.nodes), *(field for node in tree.nodes for field in node[:9]),
                     len(tree.values), *tree.values, len(tree.sets)]
            flat += [number for one in tree.sets for number in (len(one), *one)]
        return hashlib.sha256(" ".join(words).encode() + struct.pack(f"<{len(flat)}d", *flat)).hexdigest()

    def goes_left(self, node, value):
        """Whether a value, read as the model reads it, goes to the left child."""
        value = single(value) if self.input == "float32" else value
        if math.isnan(value) or (node.missing_at_zero and abs(value) <= ZERO):
            return bool(node.missing_left)
        if node.kind == 4:
            return in_codes(value, node.categories) and not (node.zero_up and value < 0)
        return (value < node.threshold, value <= node.threshold, value == node.threshold)[node.kind - 1]

    def scores(self, leaves):
        """[Scores] Add the numbers of one leaf of each tree as the library does."""
        first, sums = self.order == "base_first", []
        for k, base in enumerate(map(self.round, self.base)):
            total = base if first else 0.0
            for leaf in leaves:
                total = self.round(total + leaf.get(k, 0.0))
            total = self.round(self.round(total * self.round(self.factor)) / self.round(self.divisor))
            sums.append(total if first else self.round(total + base))
        return sums

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
        least = Fraction(1, 2 ** (140 if self.single else 1060))
        return ((total + base) * self.unit + base) * share / (1 - share) + least

    def offset(self, plus, minus, sign):
        """Bound what sign * (score[plus] - score[minus]) has beyond the exact sum of the trees' numbers."""
        base, error = Fraction(self.round(self.base[plus])), self.errors[plus]
        if minus is not None:
            base, error = base - Fraction(self.round(self.base[minus])), error + self.errors[minus]
        return sign * base * (self.unit if self.order == "base_first" else 1) + error


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
    trees = []
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
                left, missing = len(numbering), bool(tree["default_left"][index])
                nodes.append(("<", tree["split_indices"][index], value, left, left + 1, -1, missing))
                numbering += [child, tree["right_children"][index]]
        trees.append({"output": output, "values": values, **dict(zip(Node._fields, map(list, zip(*nodes))))})
    return {"boxwood_model": 1, "task": task, "link": link, "input": "float32", "accumulator": "float32",
            "order": "base_first", "base": base * (outputs if len(base) == 1 else 1), "trees": trees,
            "features": [None] * int(parameters["num_feature"])}


# --------------------------------------------------------------- [Alternatives and conditions]

# sign * (score[plus] - score[minus]) >= least (> least if open), for the library's scores, exactly. With
# `part`, instead: the softmax of plus is at least (sign 1) or at most (sign -1) `part`.
Condition = namedtuple("Condition", "plus minus sign least is_open part", defaults=(False, None))

DIRECT = ("identity", "votes")  # links whose output is the score
INVERSE = {  # the score of an output, and the outputs that a score may have
    "sigmoid": (lambda y, steep: (y / (1 - y)).ln() / steep, 0, 1),
    "exponential": (lambda y, _: y.ln(), 0, INF),
    "softplus": (lambda y, _: y.ln() + y / 2 if y < FUZZ else (y.exp() - 1).ln() if y < 1000 else y, 0, INF),
    "isolation": (lambda y, _: -(-y).ln() / Decimal(2).ln(), -INF, 0),
    "square": (lambda y, _: abs(y).sqrt().copy_sign(y), -INF, INF),
}


def rounded(plus, minus, sign, end, closed, centre=0, precision=float):
    """The condition that sign * (score[plus] - score[minus] - centre), rounded, is at least an end."""
    least, is_open = rounds_from(end, closed, precision)
    return Condition(plus, minus, sign, least + sign * centre, is_open)


def lead_within(plus, minus, ends):
    """Conditions for a rounded difference of scores in an interval."""
    return [rounded(plus, minus, sign, sign * end, closed) for sign, end, closed in ends]


class Outcome:
    """One requirement as alternatives of conditions, with the allowances of [Links]."""

    def __init__(self, model, wanted):
        known(wanted, "class classes probability margin output score rival range model negated",
              "a requirement")
        self.model, self.link, self.wanted, self.binary = model, model.link, wanted, model.task == "binary"
        onnx = model.form == "onnxruntime"
        if onnx and not (model.single and model.link in ("sigmoid", "softmax", *DIRECT)):
            raise Unsupported(f"models with the link {model.link} in the form {model.form}")
        self.tiny = Decimal(2) ** (-20 if onnx else -120 if model.single else -1000)
        by_output = model.decision == "output_above_half"
        half = model.decision == "score_above_half" or (by_output and self.link in DIRECT)
        self.middle = Fraction(1, 2) if half else 0  # where a binary model changes its class
        self.by_output = by_output and self.link not in (*DIRECT, "winner")
        self.alternatives = self.alternatives_of(wanted.get("negated", False))

    def relative(self, output):
        """[Links] Bound the relative error of a link's result near an output."""
        if self.link == "softmax" and self.model.single:
            return Decimal(2) ** -16 + len(self.model.base) * Decimal(2) ** -23
        wide = self.link == "softmax" or (self.link == "sigmoid" and output < Decimal("0.51"))
        return Decimal(2) ** ((-15 if wide else -20) if self.model.single else (-38 if wide else -42))

    def score_for(self, output, sign):
        """Bound the score: an output >= (sign -1: <=) `output` needs a score beyond the result."""
        if self.link not in INVERSE:
            raise Unsupported(f"outputs of the link {self.link}")
        if output == -sign * INF:
            return output  # every output
        inverse, lowest_output, highest_output = INVERSE[self.link]
        output = Fraction(sign * 2 ** 127 if output == sign * INF else output)  # infinite outputs overflow
        y = Decimal(output.numerator) / Decimal(output.denominator)
        y -= sign * (abs(y) * self.relative(y) * 2 + self.tiny)
        if not lowest_output < y < highest_output:
            return INF if y >= highest_output else -INF
        score = inverse(y, Decimal(self.model.steepness))
        return Fraction(score - sign * (abs(score) + 1) * FUZZ)

    def softmax_within(self, k, lower, upper):
        """[Softmax] Conditions for a probability from `lower` to `upper`."""
        low, high, relative, lead = Decimal(0), Decimal(1), 2 * self.relative(1), -INF
        if lower > 0:
            low = Decimal(min(lower, 2)) * (1 - relative) - self.tiny
        if upper < 1:
            high = Decimal(max(upper, -1)) * (1 + relative) + self.tiny
        if low >= 1 or high <= 0:
            lead = INF
        elif low > 0:
            lead = Fraction((low / (1 - low)).ln() - 1000 * FUZZ)
        leads = [Condition(k, rival, 1, lead) for rival in range(len(self.model.base)) if rival != k]
        parts = [(sign, part) for sign, part in ((1, low), (-1, high)) if 0 < part < 1]
        return leads + [Condition(k, None, sign, -INF, part=part) for sign, part in parts]

    def conditions(self, ends):
        """Conditions for an interval of whatever the requirement is about."""
        wanted = self.wanted
        if "rival" in wanted:
            return lead_within(wanted["score"], wanted["rival"], ends)
        by_score = "score" in wanted or self.link in DIRECT
        if self.binary and wanted.get("class") == 0:  # its probability is 1 - output, rounded by the library
            ends = [one for one in ends if math.isfinite(one[1])]
            if by_score:
                return [rounded(0, None, -sign, sign * end, closed, 1, self.model.round)
                        for sign, end, closed in ends]
            slack = Fraction(1, 2 ** (23 if self.model.single else 51))
            ends = [(-sign, 1 - Fraction(end) + sign * slack, closed) for sign, end, closed in ends]
            return [Condition(0, None, sign, sign * self.score_for(end, sign)) for sign, end, _ in ends]
        k = wanted.get("score", wanted.get("output", 0 if self.binary else wanted.get("class")))
        if by_score:
            return [Condition(k, None, sign, sign * end, not closed) for sign, end, closed in ends]
        if self.link == "softmax":
            return self.softmax_within(k, *(end for _, end, _ in ends))
        return [Condition(k, None, sign, sign * self.score_for(end, sign)) for sign, end, _ in ends]

    def wins(self, target, scores):
        """Conditions for a predicted class; ties are won by class 0, or by the first of several."""
        near, model = 0, self.model
        if self.by_output:
            near = Fraction(1, 2 ** (20 if model.single else 46))
            if self.link != ("sigmoid" if self.binary else "softmax"):
                raise Unsupported(f"classes of the link {self.link}")
        if self.binary:
            at_middle = 1 if model.decision == "score_from_zero" else 0
            if target == 1:
                return [Condition(0, None, 1, self.middle, at_middle != 1)]
            near /= min(1, Fraction(model.steepness))
            return [Condition(0, None, -1, -self.middle - near, at_middle != 0)]
        tied = [scores and scores[k] == scores[target] for k in range(len(model.base))]  # so are the outputs
        return [Condition(target, k, 1, 0 if tied[k] else -near, k < target)
                for k in range(len(model.base)) if k != target]

    def alternatives_of(self, negated, scores=None):
        """List alternatives, of which every point with the outcome (negated: without it) fulfils one."""
        wanted = self.wanted
        if "range" in wanted or "probability" in wanted:
            whole = ends_of(wanted.get("range", [wanted.get("probability"), "inf", True, True]))
            outside = [beyond(sign, end, closed) for sign, end, closed in whole
                       if end != -sign * INF or not closed]
            return [self.conditions(ends) for ends in (outside if negated else [whole])]
        targets = wanted["classes"] if "classes" in wanted else [wanted["class"]]
        classes = range(2 if self.binary else len(self.model.base))
        won = [self.wins(k, scores) for k in classes if (k in targets) != negated]
        if "margin" not in wanted:
            return won
        margin, target = numeric(wanted["margin"]), targets[0]
        if self.binary:
            sign = 1 if (target == 1) != negated else -1
            leads = [[rounded(0, None, sign, -margin if negated else margin, not negated, self.middle)]]
        else:
            ends = beyond(1, margin, True) if negated else beyond(-1, margin, False)
            leads = [lead_within(target, k, ends) for k in classes if k != target]
        return won + leads if negated else [won[0] + sum(leads, [])]

    def refuted(self, alternatives, upper):
        """Whether every alternative has a condition that fails; `upper` bounds differences of scores."""
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
    "kind": "continuous", "fixed": False, "range": ["-inf", "inf", True, True], "domain": None,
    "allowed": [], "step": 0, "missing_allowed": False, "changes": [], "direction": "both",
    "least_change": 0, "most_change": "inf", "weight": 1, "up": 1, "down": 1, "scale": 1, "quantiles": []}

MIXTURES = {"l2": (1.0, 0.0, 0.0), "l1": (0.0, 1.0, 0.0), "linf": (0.0, 1.0, 0.0), "l0": (0.0, 0.0, 1.0)}


class Variable:
    """A feature or a one-hot group: its cells, each with the values of its columns and its cost."""

    def __init__(self, columns, cells, now):
        self.columns, self.values = columns, [values for values, _ in cells]  # by position
        own = self.position(now)
        # Bit i of a mask is the i-th cheapest cell; the own cell comes first.
        order = sorted(range(len(cells)), key=lambda at: (cells[at][1], at != own))
        self.costs = [cells[at][1] for at in order]  # of a bit
        self.bit = [1 << order.index(at) for at in range(len(cells))]  # of a position
        self.below = list(accumulate(self.bit, initial=0))  # the cells below a position

    def position(self, values):
        """Give the position of the cell that has some values, or None."""
        return next((at for at, own in enumerate(self.values) if all(map(same, own, values))), None)


class Question:
    """What is asked: admissible values, costs, clauses, requirements."""

    def __init__(self, data, models):
        known(data, "boxwood_question point requirements features groups clauses max_changes cost mixture "
              "fewest_first scale_name", "a question")
        self.models, self.norm, self.point = models, data["cost"], numeric(data["point"])
        self.max_changes, self.fewest = data.get("max_changes", INF), data.get("fewest_first", False)
        self.mixture = MIXTURES.get(self.norm) or [
            numeric(data["mixture"][key]) for key in ("l2", "l1", "l0")]
        self.rules = [SimpleNamespace(**{key: numeric(value) for key, value in {**RULE, **rule}.items()})
                      for rule in (known(rule, " ".join(RULE), "a feature") for rule in data["features"])]
        self.groups = [known(group, "columns weight none_allowed", "a group")
                       for group in data.get("groups", [])]
        self.clauses = [[known(one, "feature inside range codes missing", "a condition") for one in clause]
                        for clause in data.get("clauses", [])]
        if data.get("boxwood_question") != 1 or self.norm not in (*MIXTURES, "mixture"):
            raise Unsupported("the question file is not of version 1, or its cost is not known")
        if not data["requirements"] or {model.width for model in models} != {len(self.point)} or \
                len(self.rules) != len(self.point):
            raise Unsupported("the question does not fit the models")
        if any(rule.quantiles for rule in self.rules):
            raise Unsupported("costs by quantiles; the fast checker covers them")
        self.wanted = [(one.get("model", 0), Outcome(models[one.get("model", 0)], one))
                       for one in data["requirements"]]
        self.precision = single if any(model.input == "float32" for model in models) else float
        if any(math.isinf(self.precision(x)) and not rule.fixed for x, rule in zip(self.point, self.rules)):
            raise Unsupported("a feature that may change from an infinite value")

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

    # [Cells] Admissible values.

    def first_value(self, d, low, high, sign):
        """Give the first admissible value from low up to high (sign -1: from high down to low), or None."""
        rule, start = self.rules[d], sign * self.point[d]
        lower, upper = (first_from(one * end, not closed, self.precision)
                        for one, end, closed in ends_of(rule.range, self.precision))
        low, high = max(low, lower), min(high, -upper)
        low, high = (low, high) if sign == 1 else (-high, -low)  # from here on, upwards
        if math.isfinite(start):
            if rule.direction == ("down" if sign == 1 else "up"):
                return None
            if rule.least_change:
                nearest = Fraction(start) + Fraction(rule.least_change)
                low = max(low, first_from(nearest, False, self.precision))
            if rule.most_change < INF:
                high = min(high, Fraction(start) + Fraction(rule.most_change))
        if rule.allowed:
            values = (sign * self.precision(one) for one in rule.allowed)
            low = min((value for value in values if value >= low), default=INF)
        elif rule.step and math.isfinite(low):
            low = self.multiple_from(rule.step, low)
        elif rule.kind != "continuous" and math.isfinite(low):
            low = float(math.ceil(low))
        return sign * low + 0.0 if math.isfinite(low) and low <= high else None

    def multiple_from(self, step, value):
        """Give the first multiple of a step that is at least a value of the precision."""
        parts, times = float(round(1 / step)), Fraction(value) / Fraction(step)

        def multiple(n):
            return self.precision(n / parts if parts > 1 and 1 / parts == step else n * step)

        if multiple(float(round(times))) == value:
            return value
        if abs(times) > 2 ** 50:
            raise Unsupported("a step that is too fine for its values")
        times = math.ceil(times) - 2
        while multiple(times) < value:
            times += 1
        return multiple(times)

    def cheapest_value(self, d, low, high, sign):
        """Give the cheapest admissible value of a cell above (sign -1: below) the own one, or None."""
        rule, tries = self.rules[d], [(low, high, sign)]
        if math.isnan(self.point[d]):  # all values cost the same
            tries = [(low, high, 1), (low, high, -1), (max(low, 0.0), min(high, 0.0), 1)]
        elif rule.changes and rule.kind == "categorical":  # a table of sizes; all are 1 beyond its ends
            width = max(map(len, [rule.changes, *rule.changes]))
            tries = [(max(low, float(code)), min(high, float(code)), 1) for code in range(width)]
            tries += [(max(low, float(width)), high, 1), (low, min(high, -next_up(0.0, self.precision)), -1)]
        values = [self.first_value(d, *one) for one in tries]
        return min((one for one in values if one is not None), key=partial(self.term, d), default=None)

    def literal_holds(self, literal, value):
        """Whether a condition of a clause holds for a value."""
        value = self.precision(value)
        if math.isnan(value):
            return bool(literal.get("missing"))
        if "codes" in literal:
            return in_codes(value, literal["codes"]) == literal["inside"]
        return within(value, ends_of(literal["range"], self.precision)) == literal["inside"]

    # [Cells] Variables.

    def cuts(self):
        """[Cuts] Give for each feature the first number above each of its cuts."""
        cuts = [set() for _ in self.point]
        for node in (node for model in self.models for tree in model.trees for node in tree.nodes):
            if node.kind == 4:
                cuts[node.feature] |= set_cuts(node.categories, node.zero_up)
            elif node.kind:
                inclusive = ((False,), (True,), (False, True))[node.kind - 1]
                cuts[node.feature] |= {(node.threshold, one) for one in inclusive}
                cuts[node.feature] |= {(-ZERO, False), (ZERO, True)} if node.missing_at_zero else set()
        for literal in (literal for clause in self.clauses for literal in clause):
            if "codes" in literal:
                cuts[literal["feature"]] |= set_cuts(literal["codes"], False)
            else:
                ends = ends_of(literal["range"], self.precision)
                cuts[literal["feature"]] |= {(end, closed == (sign == -1)) for sign, end, closed in ends}
        return [sorted({first_from(value, inclusive, self.precision) for value, inclusive in own
                        if math.isfinite(value)}) for own in cuts]

    def variables(self):
        """Make the variables by number, in the order of the features."""
        groups, cuts = {column: group for group in self.groups for column in group["columns"]}, self.cuts()
        return {d: self.group_variable(groups[d]) if d in groups else self.feature_variable(d, cuts[d])
                for d in range(len(self.point)) if d not in groups or groups[d]["columns"][0] == d}

    def feature_variable(self, d, cuts):
        rule, start, cells = self.rules[d], self.precision(self.point[d]), []
        stays = rule.fixed or (math.isnan(start) and not rule.missing_allowed)
        for low, high in zip([-INF, *cuts], [*(-next_up(-cut, self.precision) for cut in cuts), INF]):
            if low <= start <= high:
                cells.append(([self.point[d]], 0.0))
            elif not stays:
                value = self.cheapest_value(d, low, high, 1 if start < low else -1)
                if value is not None and self.term(d, value) < INF:
                    cells.append(([value], self.term(d, value)))
        if math.isnan(start) or (rule.missing_allowed and not rule.fixed):
            cells.append(([math.nan], self.term(d, math.nan)))
        return Variable([d], cells, [self.point[d]])

    def group_variable(self, group):
        columns, cells = group["columns"], []
        now = [self.point[column] for column in columns]
        if now.count(1) > 1 or any(value not in (0, 1) for value in now):
            raise Unsupported("the columns of a group are not one-hot")
        cost = self.cost_of_size(numeric(group.get("weight", 1)), 1.0)
        for hot in range(len(columns) + 1):  # past the last: none
            values = [float(k == hot) for k in range(len(columns))]
            if values == now:
                cells.append((values, 0.0))
            elif cost < INF and (hot < len(columns) or group.get("none_allowed", False)) and \
                    all(map(self.column_may_become, columns, values)):
                cells.append((values, cost))
        return Variable(columns, cells, now)

    def column_may_become(self, d, value):
        """Whether a column of a group may be 0 or 1."""
        rule = self.rules[d]
        return value == self.point[d] or (
            not rule.fixed and rule.direction != ("down" if value else "up") and
            within(value, ends_of(rule.range)) and rule.least_change <= 1 <= rule.most_change and
            (not rule.allowed or value in rule.allowed))


def set_cuts(codes, zero_up):
    """[Cuts] Give the cuts around the runs of a set of categories."""
    begins = {code for code in codes if code - 1 not in codes}
    ends = {(code + 1.0, False) for code in codes if code + 1 not in codes}
    return ends | {(-1.0, True) if code == 0 and not zero_up else (float(code), False) for code in begins}


# ----------------------------------------------------------------------------------- [The tree]

# A leaf has its cells of the variables on its path, what it adds to the outputs, and that times 2^shift.
Leaf = namedtuple("Leaf", "cells numbers whole")
# A set of cells for each variable, the cheapest bit of those without their own cell, and the live leaves of
# each tree and clause.
Box = namedtuple("Box", "cells far live")


class Checker:
    """Walks the tree of a certificate. A dead box, which holds no point better than the claim, is None."""

    def __init__(self, question, claim, changes):
        self.question, self.claim, self.claimed_changes = question, claim, changes
        self.most_changes = min(question.max_changes, INF if changes is None else changes)
        self.variables = question.variables()
        self.variable_of = {d: v for v, variable in self.variables.items() for d in variable.columns}
        self.set_tolls()
        self.priced = [(m, condition) for m, outcome in question.wanted if len(outcome.alternatives) == 1
                       for condition in outcome.alternatives[0] if condition.part is None]
        self.trees = [(m, tree) for m, model in enumerate(question.models) for tree in model.trees]
        self.shift = max((Fraction(question.models[m].round(value)).denominator.bit_length()
                          for m, tree in self.trees for value in tree.values), default=1)
        self.sides = {}
        # A condition of a clause counts as a leaf: a point lies in one of each tree and each clause.
        self.clauses = [[Leaf(self.cells_where(one["feature"], partial(question.literal_holds, one)), {}, {})
                         for one in clause] for clause in question.clauses]
        cells = {v: sum(1 << bit for bit, cost in enumerate(variable.costs)
                        if question.fewest or cost < claim or cost == 0)
                 for v, variable in self.variables.items()}
        leaves = [self.leaves(m, tree, cells) for m, tree in self.trees]
        self.whole = self.with_live(Box(cells, {}, leaves + self.clauses))

    def cells_where(self, d, holds):
        """Give {variable of a feature: those of its cells whose value satisfies `holds`}."""
        variable = self.variables[self.variable_of[d]]
        column = variable.columns.index(d)
        return {self.variable_of[d]: sum(bit for values, bit in zip(variable.values, variable.bit)
                                         if holds(values[column]))}

    def leaves(self, m, tree, cells):
        """Give the leaves of a tree with their cells, as far as they have some of each variable."""
        model, made, stack = self.question.models[m], [], [(tree.nodes[0], {})]
        while stack:
            node, path = stack.pop()
            if node.kind == 0:
                outputs = range(len(model.base)) if tree.output == -1 else [tree.output]
                numbers = {k: model.round(value) for k, value in zip(outputs, tree.values[node.value:])}
                whole = {k: int(Fraction(value) * 2 ** self.shift) for k, value in numbers.items()}
                made.append(Leaf(path, numbers, whole))
                continue
            key = (model.input, node._replace(left=0, right=0))
            if key not in self.sides:
                self.sides[key] = self.cells_where(node.feature, partial(model.goes_left, node))
            (v, left), = self.sides[key].items()
            for child, side in ((node.left, left), (node.right, ~left)):
                if side & path.get(v, cells[v]):
                    stack.append((tree.nodes[child], {**path, v: side & path.get(v, cells[v])}))
        return made

    # [Measure], [Live leaves]

    def cost(self, far):
        """Add the costs of some changes {variable: bit} as the claim does; `sum` would round otherwise."""
        total = 0.0
        for v in sorted(far):
            cost = self.variables[v].costs[far[v]]
            total = max(total, cost) if self.question.norm == "linf" else total + cost
        return total

    def excluded(self, far):
        """Whether points with at least these changes {variable: bit} are no better than the claim."""
        if len(far) > self.most_changes:
            return True
        if self.claim == INF or (self.question.fewest and len(far) < self.claimed_changes):
            return False
        return self.cost(far) >= self.claim

    def is_live(self, leaf, box):
        """Whether a leaf may have a point of the box that is better than the claim."""
        far = dict(box.far)
        for v, cells in leaf.cells.items():
            if not cells & box.cells[v]:
                return False
            if not cells & box.cells[v] & 1:
                far[v] = lowest(cells & box.cells[v])
        return not self.excluded(far)

    def with_live(self, box, v=None):
        """Give a box with those leaves that are live after a cut of variable v, or None if it is dead."""
        live = [[leaf for leaf in leaves if not (v is None or v in leaf.cells or v in box.far) or
                 self.is_live(leaf, box)] for leaves in box.live]
        return box._replace(live=live) if all(live) and not self.excluded(box.far) else None

    def restricted(self, box, v, cells):
        """Give a box with only some cells of a variable, or None if it is dead."""
        cells &= box.cells[v]
        if not cells:
            return None
        far = box.far if cells & 1 else {**box.far, v: lowest(cells)}
        return self.with_live(Box({**box.cells, v: cells}, far, box.live), v)

    # [Rule R: requirement]

    def refuted(self, box, r):
        """Whether no point of a box that is better than the claim meets requirement r."""
        m, outcome = self.question.wanted[r]
        model = outcome.model
        trees = [(tree.output, leaves) for (of, tree), leaves in zip(self.trees, box.live) if of == m]

        def upper(plus, minus, sign):
            total = sum(max(sign * (leaf.whole.get(plus, 0) - leaf.whole.get(minus, 0)) for leaf in leaves)
                        for output, leaves in trees if output in (-1, plus, minus))
            return Fraction(total, 2 ** self.shift) * model.unit + model.offset(plus, minus, sign)

        if model.bounded and outcome.refuted(outcome.alternatives, upper):
            return True
        return all(len(leaves) == 1 for _, leaves in trees) and \
            outcome.certainly(model.scores([leaves[0].numbers for _, leaves in trees]), False)

    # [Rule D: dual bound]

    def set_tolls(self):
        """[Tolls] Make the tolls by bit, and the limit of their sum."""
        costs, count = {v: variable.costs for v, variable in self.variables.items()}, len(self.variables)
        if 0 < self.claim < INF and self.question.norm != "linf" and not self.question.fewest:
            scale = Fraction(2) ** (41 - math.frexp(self.claim)[1])
            self.limit = math.floor(Fraction(self.claim) * scale) + 2 + (count + 2) // 1024
            self.tolls = {v: [min(math.floor(Fraction(cost) * scale), self.limit) for cost in own]
                          for v, own in costs.items()}
        else:
            one = 2 ** 30 if self.most_changes < INF else 0
            self.limit = (min(self.most_changes, count) + 1) * one or 2 ** 40
            self.tolls = {v: [0] + [one] * (len(own) - 1) for v, own in costs.items()}

    def read_dual(self, unit, tokens):
        """Read exponent, prices, the shares of each tree {variable: [(cells, share)]}, and their sums."""
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
            bound += min(self.tolls[v][lowest(bit)] - share for bit, share in zip(variable.bit, sums[v])
                         if bit & box.cells[v])
        values = []
        for (m, _), leaves, own in zip(self.trees, box.live, shares):
            values.append([])
            for leaf in leaves:
                value = 0
                for v, runs in own.items():
                    common = box.cells[v] & leaf.cells.get(v, -1)
                    value += min(share for cells, share in runs if cells & common)
                for k, whole in leaf.whole.items():  # rounded up if the weight is positive, else down
                    weight = weights[m, k]
                    value += abs(weight) * shifted(-whole if weight > 0 else whole, exponent - self.shift)
                values[-1].append(value)
            bound += min(values[-1])
        live = [[leaf for leaf, value in zip(leaves, of) if bound - min(of) + value < self.limit]
                for leaves, of in zip(box.live, values)]
        return box._replace(live=live + box.live[len(live):]) if all(live) else None

    # [The point]

    def check_point(self, point):
        """Check that a point consists of cells, costs what is claimed, and has the outcome."""
        question, cells = self.question, {}
        if len(point) != len(question.point):
            raise Rejected("the point has the wrong length")
        for v, variable in self.variables.items():
            at = variable.position([point[d] for d in variable.columns])
            if at is None:
                raise Rejected(f"the value of feature {v} is not that of a cell")
            cells[v] = variable.bit[at]
        far = {v: lowest(bit) for v, bit in cells.items() if bit > 1}
        if self.cost(far) != self.claim or len(far) > question.max_changes or \
                (question.fewest and len(far) != self.claimed_changes):
            raise Rejected("the point has another cost or another number of changes than claimed")
        if not all(any(leaf.cells[v] & cells[v] for leaf in clause for v in leaf.cells)
                   for clause in self.clauses):
            raise Rejected("the point breaks a clause")
        for m, outcome in question.wanted:
            leaves = [self.leaves(m, tree, cells)[0].numbers for tree in outcome.model.trees]
            if not outcome.certainly(outcome.model.scores(leaves), True):
                raise Rejected("the point does not certainly have the outcome")

    # [The tree]

    def run(self, tree):
        """Walk the tree; every box must be closed. Gives the number of closed boxes."""
        tokens, open_boxes, closed = iter(tree), [(self.whole, None)], 0
        while open_boxes:
            token, (box, dual) = next(tokens), open_boxes.pop()
            if token >= 0:
                first = self.first_cells(token, tokens)
                for cells in (~first, first):
                    open_boxes.append((box and self.restricted(box, token, cells), dual))
            elif token == -1:
                unit = take(tokens, -1, 44)
                if unit >= 0:
                    dual = self.read_dual(unit, tokens)
                elif dual is None:
                    raise Rejected("rule D: there are no numbers to use again")
                open_boxes.append((box and self.thinned(box, *dual), dual))
            else:
                r = -2 - token
                if box is not None and not (r < len(self.question.wanted) and self.refuted(box, r)):
                    raise Rejected(f"requirement {r} does not close a box: it may hold a better point")
                closed += 1
        if next(tokens, None) is not None:
            raise Rejected("the tree goes on after its end")
        return closed

    def first_cells(self, v, tokens):
        """Read the cells of the first child: each number b moves the cells below it to the other side."""
        if v not in self.variables:
            raise Rejected(f"variable {v} does not exist")
        below, cells = self.variables[v].below, 0
        for _ in range(take(tokens, 0, len(below) - 1)):
            cells ^= below[take(tokens, 0, len(below) - 1)]
        return cells


def lowest(cells):
    """Give the number of the lowest bit of a mask: its cheapest cell."""
    return (cells & -cells).bit_length() - 1


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
    decimal.setcontext(PRECISE)
    if not isinstance(proof, dict) or proof.get("boxwood_proof") != 1:
        raise Rejected("this is not a proof of version 1")
    if proof.get("models") != [model.digest() for model in models] or \
            proof.get("question") != hashlib.sha256(question_bytes).hexdigest():
        raise Rejected("the proof is about other models or another question")
    question = Question(parsed(question_bytes), models)
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
    except Exception as error:  # noqa: BLE001 - whatever fails, nothing is proven
        print(f"cannot be checked: {type(error).__name__}: {ascii(str(error))[1:-1][:500]}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
