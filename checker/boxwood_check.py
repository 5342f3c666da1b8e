#!/usr/bin/env python3
"""Checks a Boxwood proof: that no admissible point with the wanted outcome is cheaper than claimed.

    python3 boxwood_check.py MODEL [MODEL ...] QUESTION PROOF

MODEL is Boxwood's model file or an XGBoost JSON file, QUESTION a question file, PROOF a certificate
(docs/formats.md, docs/proof.md). Prints "accepted" and what is proven, or "rejected" and why. Exit
code 0: accepted, 1: rejected, 2: a file cannot be read or uses something that is not covered.

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


# ----------------------------------------------------------------------------- files and numbers

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
    return json.loads(content.decode(), object_pairs_hook=unique, parse_float=finite,
                      parse_constant=finite)


def number(value):
    """Give a number of a file as a double; infinities and NaN are text there."""
    if type(value) not in (int, float) and value not in ("inf", "-inf", "nan"):
        raise Unsupported(f"{value!r} is not a number")
    return float(value)


def read(data, what, keys, ignored=""):
    """Give an object of a file. `keys` has the default of each key, its type, or its choices.

    A key without a default is required. Other keys are refused: their meaning is not known here.
    """
    unknown = set(data) - set(keys) - set(ignored.split())
    if unknown:
        raise Unsupported(f"{what} with {', '.join(sorted(unknown))}")
    made = SimpleNamespace()
    for key, expected in keys.items():
        kind = expected if isinstance(expected, type) else type(expected)
        value = data.get(key, expected)
        value = number(value) if kind is float else value
        if value not in expected if kind is tuple else type(value) is not kind:
            raise Unsupported(f"{what} without {key}, or the value of {key} is not known here")
        setattr(made, key, value)
    return made


def same(one, other):
    """Whether two values are equal, or both missing."""
    return one == other or (math.isnan(one) and math.isnan(other))


def single(value):
    """Round a double to float32. `single` and `float` stand for the two precisions."""
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
    value = -next_up(-precision(float(bound)), precision)  # below the bound
    while value < bound or (is_open and value == bound):
        value = next_up(value, precision)
    return value


def rounds_from(end, closed, precision):
    """[Rounded differences] Give (y, open): what rounds to >= end (not closed: > end) is >= y."""
    first = first_from(end, not closed, precision)
    if first == -INF:
        return first, not closed
    below = Fraction(-next_up(-first, precision))
    if first == INF:
        return below, False
    middle = (below + Fraction(first)) / 2
    return middle, precision(float(middle)) < first


# An interval is a list of its two ends (sign, end, closed). The sign is 1 for the lower end (at
# least the end) and -1 for the upper one (at most the end).

def ends_of(interval, precision=float):
    """Read an interval of the question file."""
    lower, upper, lower_closed, upper_closed = interval
    lower, upper = precision(number(lower)), precision(number(upper))
    if any(map(math.isnan, (lower, upper))) or {lower_closed, upper_closed} - {True, False}:
        raise Unsupported("an interval without two ends")
    return [(1, lower, lower_closed), (-1, upper, upper_closed)]


def beyond(sign, end, closed):
    """Give the interval outside of one end of an interval."""
    return sorted([(-sign, end, not closed), (sign, -sign * INF, True)], reverse=True)


def within(value, ends):
    """Whether a value lies in an interval."""
    return all(sign * value > sign * end or (closed and value == end)
               for sign, end, closed in ends)


def in_codes(value, codes):
    """Whether a value, cut off to a whole number, is one of some categories."""
    return -1 < value < 2 ** 31 and int(value) in codes


# ------------------------------------------------------------------------------------- the model

PRECISIONS = ("float32", "float64")
WORDS = {  # in the order of the hash
    "input": PRECISIONS, "accumulator": PRECISIONS, "order": ("base_first", "base_last"),
    "link": ("identity", "sigmoid", "exponential", "softmax", "winner", "votes", "square",
             "softplus", "isolation"),
    "link_form": ("plain", "onnxruntime", "catboost"),
    "task": ("regression", "binary", "multiclass"),
    "decision": ("output_above_half", "score_above_zero", "score_from_zero", "score_above_half",
                 "largest_score")}
MODEL = {"boxwood_model": (1,), **WORDS, "factor": 1.0, "divisor": 1.0, "steepness": 1.0,
         "base": list, "features": list, "trees": list}
NODE = "kind feature threshold left right value missing_left missing_at_zero zero_up".split()
TREE = {"output": int, "values": list, "sets": [], **dict.fromkeys(NODE, list),
        "missing_at_zero": [], "zero_up": []}
KINDS = ("leaf", "<", "<=", "==", "in")
Node = namedtuple("Node", [*NODE, "categories"])  # kind is a position in KINDS
ZERO = single(1e-35)  # up to here a number counts as zero where zero goes with missing values


class Model:
    """One ensemble, with the fields of Boxwood's model file; numbers of scores are rounded."""

    def __init__(self, data):
        data = xgboost_as_boxwood(data) if "learner" in data else data
        given = read({"link_form": "plain", "decision": "output_above_half", **data}, "a model",
                     MODEL, "source library objective notes classes")
        vars(self).update(vars(given))
        words = [getattr(self, key) for key in WORDS]
        self.single, self.width = self.accumulator == "float32", len(self.features)
        self.round = single if self.single else float
        base = [number(one) for one in given.base]
        self.base = [self.round(one) for one in base]
        # [The hash of a model]
        hashed = [self.factor, self.divisor, self.steepness, len(base), *base, self.width,
                  len(given.trees)]
        self.trees = [self.tree(tree, hashed) for tree in given.trees]
        text = " ".join(["boxwood model 1", *words, ""]).encode()
        self.hash = hashlib.sha256(text + struct.pack(f"<{len(hashed)}d", *hashed)).hexdigest()
        self.factor, self.divisor = self.round(self.factor), self.round(self.divisor)
        if not all(0 < one < INF for one in (self.factor, self.divisor, self.steepness)) or \
                (self.task == "binary" and len(base) != 1):
            raise Unsupported("a factor that is not positive, or a binary model of several outputs")
        self.unit = Fraction(self.factor) / Fraction(self.divisor)
        self.errors = [self.error(k) for k in range(len(base))]
        self.bounded = INF not in self.errors

    def tree(self, data, hashed):
        """Read a tree; its walks end, and every leaf has its numbers. Add what is hashed of it."""
        tree = read(data, "a tree", TREE)
        count, values = len(tree.kind), [number(one) for one in tree.values]
        tree.kind = [KINDS.index(kind) for kind in tree.kind]
        tree.threshold = [number(one) for one in tree.threshold]
        tree.missing_at_zero = tree.missing_at_zero or [False] * count
        tree.zero_up = tree.zero_up or [False] * count
        last = len(values) - (len(self.base) if tree.output == -1 else 1)
        if not count or not -1 <= tree.output < len(self.base):
            raise Unsupported("a tree without nodes or of an unknown output")
        if any(map(math.isnan, values + tree.threshold)):
            raise Unsupported("a tree with a number that is none")
        nodes = []
        for at, node in enumerate(zip(*(getattr(tree, key) for key in NODE), strict=True)):
            kind, feature, _, left, right, value = node[:6]
            if not (0 <= value <= last if kind == 0 else 0 <= feature < self.width and
                    at < min(left, right) <= max(left, right) < count and
                    (kind < 4 or 0 <= value < len(tree.sets))):
                raise Unsupported("a node that refers to nothing")
            nodes.append(Node(*node, frozenset(tree.sets[value] if kind == 4 else ())))
        hashed += [tree.output, count, *(field for node in nodes for field in node[:9]),
                   len(values), *values, len(tree.sets)]
        hashed += [one for codes in tree.sets for one in (len(codes), *codes)]
        tree.nodes, tree.values = nodes, [self.round(one) for one in values]
        return tree

    def goes_left(self, node, value):
        """Whether a value, read as the model reads it, goes to the left child."""
        value = single(value) if self.input == "float32" else value
        if math.isnan(value) or (node.missing_at_zero and abs(value) <= ZERO):
            return bool(node.missing_left)
        if node.kind == 4:
            return in_codes(value, node.categories) and not (node.zero_up and value < 0)
        return (value < node.threshold, value <= node.threshold, value == node.threshold)[
            node.kind - 1]

    def scores(self, leaves):
        """[Scores] Add the numbers of one leaf of each tree as the library does."""
        first, sums = self.order == "base_first", []
        for k, base in enumerate(self.base):
            total = base if first else 0.0
            for leaf in leaves:
                total = self.round(total + leaf.get(k, 0.0))
            total = self.round(self.round(total * self.factor) / self.divisor)
            sums.append(total if first else self.round(total + base))
        return sums

    def error(self, k):
        """[The error of a score] INF where a sum may overflow."""
        used = [tree.values[k::len(self.base)] if tree.output == -1 else tree.values
                for tree in self.trees if tree.output in (-1, k)]
        total = sum(Fraction(max(map(abs, values))) for values in used)
        base = abs(Fraction(self.base[k]))
        share = Fraction(len(used) + 6, 2 ** (24 if self.single else 53))
        size = (total + base) * max(1, Fraction(self.factor)) * max(1, self.unit) + base
        if size >= 2 ** (126 if self.single else 1022) or share > Fraction(1, 4):
            return INF
        least = Fraction(1, 2 ** (140 if self.single else 1060))
        return ((total + base) * self.unit + base) * share / (1 - share) + least

    def offset(self, plus, minus, sign):
        """Bound what sign * (score[plus] - score[minus]) has beyond the exact sum of the trees."""
        base, error = Fraction(self.base[plus]), self.errors[plus]
        if minus is not None:
            base, error = base - Fraction(self.base[minus]), error + self.errors[minus]
        return sign * base * (self.unit if self.order == "base_first" else 1) + error


OBJECTIVES = {  # of XGBoost: task and link
    "binary:logistic": ("binary", "sigmoid"), "binary:logitraw": ("binary", "identity"),
    "multi:softprob": ("multiclass", "softmax"), "multi:softmax": ("multiclass", "winner"),
    "reg:squarederror": ("regression", "identity")}


def xgboost_as_boxwood(data):
    """[XGBoost JSON] Give an XGBoost file in the form of the model file."""
    learner = data["learner"]
    objective, booster = learner["objective"]["name"], learner["gradient_booster"]
    if objective not in OBJECTIVES or booster["name"] != "gbtree" or \
            "best_iteration" in learner.get("attributes", {}):
        raise Unsupported("of XGBoost files only gbtree models with common objectives and without "
                          "early stopping are read directly; use boxwood inspect --save-model")
    parameters, (task, link) = learner["learner_model_param"], OBJECTIVES[objective]
    base = [single(float(text)) for text in parameters["base_score"].strip("[]").split(",")]
    if link == "sigmoid":
        base = [single(-math.log(single(single(1 / p) - 1))) for p in base]
    outputs = max(1, *(int(parameters.get(key, 1)) for key in ("num_class", "num_target")))
    trees = []
    for tree, output in zip(booster["model"]["trees"], booster["model"]["tree_info"], strict=True):
        if any(tree.get("split_type", [])) or \
                int(tree["tree_param"].get("size_leaf_vector", 1)) > 1:
            raise Unsupported("categories and vector leaves of XGBoost files are not read directly")
        nodes, values, numbering = [], [], [0]
        for index in numbering:  # breadth first, as Boxwood numbers nodes
            child, value = tree["left_children"][index], single(tree["split_conditions"][index])
            left, missing = len(numbering), bool(tree["default_left"][index])
            if child == -1:
                nodes.append(("leaf", -1, 0.0, -1, -1, len(values), False))
                values.append(value)
            elif left < len(tree["left_children"]):
                feature = tree["split_indices"][index]
                nodes.append(("<", feature, value, left, left + 1, -1, missing))
                numbering += [child, tree["right_children"][index]]
            else:
                raise Unsupported("an XGBoost tree in which two nodes have the same child")
        columns = dict(zip(NODE, map(list, zip(*nodes))))
        trees.append({"output": output, "values": values, **columns})
    return {"boxwood_model": 1, "task": task, "link": link, "input": "float32",
            "accumulator": "float32", "order": "base_first", "trees": trees,
            "base": base * (outputs if len(base) == 1 else 1),
            "features": [None] * int(parameters["num_feature"])}


# ----------------------------------------------------------------- [Alternatives and conditions]

# sign * (score[plus] - score[minus]) >= least (> least if open), for the library's scores, exactly.
# With `part`, instead: the softmax of plus is at least (sign 1) or at most (sign -1) `part`.
Condition = namedtuple("Condition", "plus minus sign least is_open part", defaults=(False, None))

REQUIREMENTS = {  # the keys of each kind of requirement
    "class": {"class": int, "probability": 0.0, "margin": 0.0}, "classes": {"classes": list},
    "output": {"output": int, "range": list}, "score": {"score": int, "rival": -1, "range": list}}
DIRECT = ("identity", "votes")  # links whose output is the score
INVERSE = {  # the score of an output, and the outputs that a score may have
    "sigmoid": (lambda y, steep: (y / (1 - y)).ln() / steep, 0, 1),
    "exponential": (lambda y, _: y.ln(), 0, INF),
    "softplus": (lambda y, _: y.ln() + y / 2 if y < FUZZ else (y.exp() - 1).ln() if y < 1000 else y,
                 0, INF),
    "isolation": (lambda y, _: -(-y).ln() / Decimal(2).ln(), -INF, 0),
    "square": (lambda y, _: abs(y).sqrt().copy_sign(y), -INF, INF)}


def as_decimal(fraction):
    """Round a fraction to 60 digits."""
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def rounded(plus, minus, sign, end, closed, centre=0, precision=float):
    """The condition that sign * (score[plus] - score[minus] - centre), rounded, is >= an end."""
    least, is_open = rounds_from(end, closed, precision)
    return Condition(plus, minus, sign, least + sign * centre, is_open)


def lead_within(plus, minus, ends):
    """The conditions for a rounded difference of scores in an interval."""
    return [rounded(plus, minus, sign, sign * end, closed) for sign, end, closed in ends]


class Outcome:
    """One requirement as alternatives of conditions, with the allowances of [Links]."""

    def __init__(self, models, data):
        kind = next((kind for kind in REQUIREMENTS if kind in data), "class")
        keys = {**REQUIREMENTS[kind], "model": 0, "negated": False}
        wanted = vars(read(data, "a requirement", keys))
        self.number, self.negated = wanted["model"], wanted["negated"]
        self.model, self.by_score = models[self.number], kind == "score"
        model = self.model
        self.link, self.binary, outputs = model.link, model.task == "binary", range(len(model.base))
        self.classes = {"binary": range(2), "multiclass": outputs, "regression": ()}[model.task]
        self.wanted = wanted[kind] if kind == "classes" else [wanted[kind]]  # numbers
        self.rival, self.margin, chance = map(data.get, ("rival", "margin", "probability"))
        existing = self.classes if kind in ("class", "classes") else outputs
        if self.number < 0 or not set(self.wanted + [self.rival or 0]) <= set(existing) or \
                (self.margin is not None and chance is not None):
            raise Unsupported("a requirement about no model or output, or of two kinds")
        self.class_0 = kind == "class" and self.binary and self.wanted == [0]
        interval = data.get("range") if chance is None else [chance, "inf", True, True]
        self.interval = interval and ends_of(interval)
        onnx, by_output = model.link_form == "onnxruntime", model.decision == "output_above_half"
        if onnx and not (model.single and self.link in ("sigmoid", "softmax", *DIRECT)):
            raise Unsupported(f"models with the link {self.link} in the form {model.link_form}")
        self.tiny = Fraction(1, 2 ** (20 if onnx else 120 if model.single else 1000))
        half = model.decision == "score_above_half" or (by_output and self.link in DIRECT)
        self.middle = Fraction(1, 2) if half else 0  # where a binary model changes its class
        self.by_output = by_output and self.link not in (*DIRECT, "winner")
        self.alternatives = self.alternatives_of(self.negated)

    def relative(self, output):
        """[Links] Bound the relative error of a link's result near an output."""
        if self.link == "softmax" and self.model.single:
            return Fraction(1, 2 ** 16) + Fraction(len(self.model.base), 2 ** 23)
        wide = self.link == "softmax" or (self.link == "sigmoid" and output < Fraction(51, 100))
        return Fraction(1, 2 ** ((15 if wide else 20) if self.model.single else 38 if wide else 42))

    def score_for(self, output, sign):
        """Bound the score: an output >= (sign -1: <=) `output` needs a score beyond the result."""
        if self.by_score or self.link in DIRECT or output == -sign * INF:
            return output
        if self.link not in INVERSE:
            raise Unsupported(f"outputs of the link {self.link}")
        inverse, lowest_output, highest_output = INVERSE[self.link]
        y = Fraction(sign * 2 ** 127 if output == sign * INF else output)  # infinite: overflows
        y -= sign * (abs(y) * self.relative(y) * 2 + self.tiny)
        if not lowest_output < y < highest_output:
            return INF if y >= highest_output else -INF
        score = inverse(as_decimal(y), Decimal(self.model.steepness))
        return Fraction(score - sign * (abs(score) + 1) * FUZZ)

    def softmax_within(self, k, lower, upper):
        """[Softmax] Conditions for a probability from `lower` to `upper`."""
        low, high, relative, lead = Fraction(0), Fraction(1), 2 * self.relative(1), -INF
        if lower > 0:
            low = Fraction(min(lower, 2)) * (1 - relative) - self.tiny
        if upper < 1:
            high = Fraction(max(upper, -1)) * (1 + relative) + self.tiny
        if low >= 1 or high <= 0:
            lead = INF
        elif low > 0:
            lead = Fraction(as_decimal(low / (1 - low)).ln() - 1000 * FUZZ)
        return [Condition(k, rival, 1, lead) for rival in self.classes if rival != k] + [
            Condition(k, None, sign, -INF, part=as_decimal(part))
            for sign, part in ((1, low), (-1, high)) if 0 < part < 1]

    def conditions(self, ends):
        """Conditions for an interval of whatever the requirement is about."""
        k, exact = self.wanted[0], self.by_score or self.link in DIRECT
        if self.rival is not None:
            return lead_within(k, self.rival, ends)
        if self.class_0:  # its probability is 1 - output, rounded by the library
            ends = [one for one in ends if math.isfinite(one[1])]
            if exact:
                return [rounded(0, None, -sign, sign * end, closed, 1, self.model.round)
                        for sign, end, closed in ends]
            slack = Fraction(1, 2 ** (23 if self.model.single else 51))
            ends = [(-sign, 1 - Fraction(end) + sign * slack, closed) for sign, end, closed in ends]
        elif self.link == "softmax" and not exact:
            return self.softmax_within(k, *(end for _, end, _ in ends))
        k = min(k, len(self.model.base) - 1)  # class 1 of a binary model has output 0
        return [Condition(k, None, sign, sign * self.score_for(end, sign), exact and not closed)
                for sign, end, closed in ends]

    def wins(self, target, scores):
        """Conditions for a predicted class; of several classes, the first of equals wins."""
        near, model = 0, self.model
        if self.by_output:
            near = Fraction(1, 2 ** (20 if model.single else 46))
            if self.link != ("sigmoid" if self.binary else "softmax"):
                raise Unsupported(f"classes of the link {self.link}")
        if self.binary:
            from_zero = model.decision == "score_from_zero"  # then the middle belongs to class 1
            if target == 1:
                return [Condition(0, None, 1, self.middle, not from_zero)]
            near /= min(1, Fraction(model.steepness))
            return [Condition(0, None, -1, -self.middle - near, from_zero)]
        tied = [scores and scores[k] == scores[target] for k in self.classes]  # so are the outputs
        return [Condition(target, k, 1, 0 if tied[k] else -near, k < target)
                for k in self.classes if k != target]

    def alternatives_of(self, negated, scores=None):
        """List alternatives; every point with the outcome (negated: without it) fulfils one."""
        if self.interval:
            outside = [beyond(sign, end, closed) for sign, end, closed in self.interval
                       if end != -sign * INF or not closed]
            return [self.conditions(ends) for ends in (outside if negated else [self.interval])]
        won = [self.wins(k, scores) for k in self.classes if (k in self.wanted) != negated]
        if self.margin is None:
            return won
        margin, target = number(self.margin), self.wanted[0]
        if self.binary:
            sign = 1 if (target == 1) != negated else -1
            leads = [[rounded(0, None, sign, -margin if negated else margin, not negated,
                              self.middle)]]
        else:
            ends = beyond(1, margin, True) if negated else beyond(-1, margin, False)
            leads = [lead_within(target, k, ends) for k in self.classes if k != target]
        return won + leads if negated else [won[0] + sum(leads, [])]

    def refuted(self, alternatives, upper):
        """Whether every alternative has a condition that fails; `upper` bounds differences."""
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
        for rival in (k for k in self.classes if k != plus):
            most = upper(plus, rival, 1) if sign == 1 else upper(rival, plus, 1)
            total += as_decimal(max(min(-sign * most, 10 ** 5), -10 ** 5)).exp()
        if sign == 1:
            return 1 / (1 + total * (1 - FUZZ)) < part * (1 - FUZZ)
        return total * (1 + FUZZ) < (1 / part - 1) * (1 - FUZZ)

    def certainly(self, scores, holds):
        """[Known scores] Whether the library's scores certainly have the outcome or have not."""
        plain = self.link in (*DIRECT, "winner")
        if not all(math.isfinite(score) or (plain and not math.isnan(score)) for score in scores):
            return False
        exact = [Fraction(score) if math.isfinite(score) else score for score in scores]

        def difference(plus, minus, sign):
            if minus is None:
                return sign * exact[plus]
            return 0 if exact[plus] == exact[minus] else sign * (exact[plus] - exact[minus])

        return self.refuted(self.alternatives_of(self.negated != holds, scores), difference)


# ---------------------------------------------------------------------------------- the question

MIXTURES = {"l2": (1, 0, 0), "l1": (0, 1, 0), "linf": (0, 1, 0), "l0": (0, 0, 1)}
QUESTION = {"boxwood_question": (1,), "point": list, "requirements": list, "features": list,
            "groups": [], "clauses": [], "max_changes": INF, "cost": (*MIXTURES, "mixture"),
            "mixture": {}, "fewest_first": False}
FEATURE = {"kind": ("continuous", "integer", "ordinal", "categorical"), "fixed": False,
           "range": ["-inf", "inf", True, True], "allowed": [], "step": 0.0,
           "missing_allowed": False, "changes": [], "direction": ("both", "up", "down"),
           "least_change": 0.0, "most_change": INF, "weight": 1.0, "up": 1.0, "down": 1.0,
           "scale": 1.0, "quantiles": []}
GROUP = {"columns": list, "weight": 1.0, "none_allowed": False}
LITERAL = {"feature": int, "inside": bool, "missing": False}  # and a range or codes


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
        data = read(data, "a question", QUESTION, "scale_name")
        self.models, self.norm, self.point = models, data.cost, [number(x) for x in data.point]
        self.max_changes, self.fewest = data.max_changes, data.fewest_first
        self.precision = single if any(model.input == "float32" for model in models) else float
        self.mixture = MIXTURES.get(self.norm) or [number(data.mixture[key])
                                                   for key in ("l2", "l1", "l0")]
        self.rules = [read({"kind": "continuous", "direction": "both", **one}, "a feature", FEATURE,
                           "domain") for one in data.features]
        self.groups = [read(one, "a group", GROUP) for one in data.groups]
        grouped = [column for group in self.groups for column in group.columns]
        if not data.requirements or {model.width for model in models} != {len(self.point)} or \
                len(self.rules) != len(self.point) or len(set(grouped)) < len(grouped) or \
                not all(group.weight >= 0 for group in self.groups):
            raise Unsupported("the question does not fit the models, or has impossible groups")
        for rule, now in zip(self.rules, self.point):
            self.complete(rule, now)
        self.clauses = [[self.literal(one) for one in clause] for clause in data.clauses]
        self.wanted = [Outcome(models, one) for one in data.requirements]

    def complete(self, rule, now):
        """Read the numbers of a feature's rule; costs must not fall with the distance."""
        rule.now, rule.ends = now, ends_of(rule.range, self.precision)
        rule.allowed = [self.precision(number(one)) + 0.0 for one in rule.allowed]
        rule.changes = [[number(size) for size in row] for row in rule.changes]
        sizes = [rule.step, rule.least_change, rule.most_change, rule.weight, rule.up, rule.down,
                 *self.mixture, *(size for row in rule.changes for size in row)]
        if rule.quantiles:
            raise Unsupported("costs by quantiles; the fast checker covers them")
        if not all(size >= 0 for size in sizes) or not rule.scale > 0 or \
                (math.isinf(self.precision(now)) and not rule.fixed):
            raise Unsupported("a negative cost, or a change from an infinite value")

    def literal(self, data):
        """Read a condition of a clause; `holds` says whether a value satisfies it."""
        kind = "codes" if "codes" in data else "range"
        literal = read(data, "a condition", {**LITERAL, kind: list})
        ends = None if kind == "codes" else ends_of(literal.range, self.precision)

        def holds(value):
            value = self.precision(value)
            if math.isnan(value):
                return literal.missing
            inside = within(value, ends) if ends else in_codes(value, literal.codes)
            return inside == literal.inside

        literal.holds = holds
        literal.cuts = set_cuts(literal.codes, False) if ends is None else {
            (end, closed == (sign == -1)) for sign, end, closed in ends}
        return literal

    # [Costs] The same operations in the same order as the claim is about.

    def cost_of_size(self, weight, size):
        l2, l1, l0 = self.mixture
        return weight * ((l2 * (size * size) if l2 else 0.0) + (l1 * size if l1 else 0.0) + l0)

    def term(self, rule, to):
        """Give the cost of changing a feature to a value."""
        if same(to, rule.now):
            return 0.0
        if math.isnan(to) or math.isnan(rule.now):
            return self.cost_of_size(rule.weight, 1.0) if rule.missing_allowed else INF
        if rule.kind == "categorical":
            row, column = (int(min(max(code, 0.0), 2.0 ** 40)) for code in (rule.now, to))
            row = rule.changes[row] if row < len(rule.changes) else []
            size = row[column] if column < len(row) else 1.0
            return self.cost_of_size(rule.weight, size) if size < INF else INF
        weight = rule.weight * (rule.up if to > rule.now else rule.down)
        return self.cost_of_size(weight, abs(to - rule.now) / rule.scale)

    # [Cells] Admissible values.

    def admissible(self, rule, value, ends):
        """Whether a feature may have a value, as far as it is not about multiples of a step."""
        if math.isfinite(rule.now):
            change = abs(Fraction(value) - Fraction(rule.now))
            if rule.direction == ("down" if value > rule.now else "up") or \
                    not rule.least_change <= change <= rule.most_change:
                return False
        return within(value, ends) and (not rule.allowed or value in rule.allowed)

    def snapped(self, rule, value):
        """Give values of a feature's kind, with the nearest ones on both sides of a value."""
        if not rule.step:
            return [value] if rule.kind == "continuous" else [math.floor(value), math.ceil(value)]
        parts, times = float(round(1 / rule.step)), Fraction(value) / Fraction(rule.step)
        by_parts = parts > 1 and 1 / parts == rule.step
        values = [self.precision(n / parts if by_parts else n * rule.step)
                  for n in range(math.floor(times) - 2, math.floor(times) + 4)]
        if abs(times) > 2 ** 50 and value not in values:
            raise Unsupported("a step that is too fine for its values")
        return values

    def cell_value(self, rule, low, high):
        """Give the admissible value of a cell that is the nearest to the present one, or None."""
        (_, lower, lower_closed), (_, upper, upper_closed) = rule.ends
        least, missing = Fraction(rule.least_change), math.isnan(rule.now)
        lows = [(low, False), (lower, not lower_closed)]
        highs = [(-high, False), (-upper, not upper_closed)]
        if not missing:
            lows.append((Fraction(rule.now) + least, False))
            highs.append((-Fraction(rule.now) + least, False))
        above, below = missing or rule.now < low, missing or rule.now > high
        if not missing and rule.direction == ("down" if above else "up"):
            return None
        points = [max(first_from(*one, self.precision) for one in lows)] if above else []
        points += [-max(first_from(*one, self.precision) for one in highs)] if below else []
        table = rule.kind == "categorical" and rule.changes
        if table:  # sizes of changes; beyond the table all are 1
            points += range(-1, max(map(len, [table, *table])) + 1)
        values = rule.allowed or [value + 0.0 for one in points if math.isfinite(one)
                                  for value in self.snapped(rule, one)]
        values = [one for one in values
                  if low <= one <= high and self.admissible(rule, one, rule.ends)]
        if missing:  # all values cost the same
            zero = low <= 0 <= high and self.admissible(rule, 0.0, rule.ends)
            return min(values, default=0.0 if zero else None)

        def farness(value):
            if table:
                return self.term(rule, value), value < 0, abs(value)
            return abs(Fraction(value) - Fraction(rule.now))
        return min(values, key=farness, default=None)

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
                if node.missing_at_zero:
                    cuts[node.feature] |= {(-ZERO, False), (ZERO, True)}
        for literal in (literal for clause in self.clauses for literal in clause):
            cuts[literal.feature] |= literal.cuts
        return [sorted({first_from(value, inclusive, self.precision) for value, inclusive in own
                        if math.isfinite(value)}) for own in cuts]

    def variables(self):
        """Make the variables by number, in the order of the features."""
        groups = {column: group for group in self.groups for column in group.columns}
        return {d: self.group_variable(groups[d]) if d in groups else self.feature_variable(d, cuts)
                for d, cuts in enumerate(self.cuts())
                if d not in groups or groups[d].columns[0] == d}

    def feature_variable(self, d, cuts):
        rule, start, cells = self.rules[d], self.precision(self.point[d]), []
        stays = rule.fixed or (math.isnan(start) and not rule.missing_allowed)
        ends = [*(-next_up(-cut, self.precision) for cut in cuts), INF]
        for low, high in zip([-INF, *cuts], ends):
            if low <= start <= high:
                cells.append(([rule.now], 0.0))
            elif not stays:
                value = self.cell_value(rule, low, high)
                if value is not None and self.term(rule, value) < INF:
                    cells.append(([value], self.term(rule, value)))
        if math.isnan(start) or (rule.missing_allowed and not rule.fixed):
            cells.append(([math.nan], self.term(rule, math.nan)))
        return Variable([d], cells, [rule.now])

    def group_variable(self, group):
        columns, cells = group.columns, []
        rules, now = [self.rules[d] for d in columns], [self.point[d] for d in columns]
        if now.count(1) > 1 or any(value not in (0, 1) for value in now):
            raise Unsupported("the columns of a group are not one-hot")
        cost = self.cost_of_size(group.weight, 1.0)
        for hot in range(len(columns) + 1):  # past the last: none
            values = [float(k == hot) for k in range(len(columns))]
            if values == now:
                cells.append((values, 0.0))
            elif cost < INF and (hot < len(columns) or group.none_allowed) and \
                    all(value == rule.now or (
                        not rule.fixed and self.admissible(rule, value, ends_of(rule.range)))
                        for rule, value in zip(rules, values)):
                cells.append((values, cost))
        return Variable(columns, cells, now)


def set_cuts(codes, zero_up):
    """[Cuts] Give the cuts around the runs of a set of categories."""
    ends = {(code + 1.0, False) for code in codes if code + 1 not in codes}
    return ends | {(-1.0, True) if code == 0 and not zero_up else (float(code), False)
                   for code in codes if code - 1 not in codes}


# ------------------------------------------------------------------------------------- [The tree]

# Its cells of the variables on its path, what it adds to the outputs, and that times 2^shift.
Leaf = namedtuple("Leaf", "cells numbers whole")
# A set of cells for each variable, the cheapest bit of those without their own cell, and the live
# leaves of each tree and clause. A dead box, which holds no point better than the claim, is None.
Box = namedtuple("Box", "cells far live")


class Checker:
    """Walks the tree of a certificate. The claim is (changes or 0, cost)."""

    def __init__(self, question, claim):
        self.question, self.claim = question, claim
        self.variables = question.variables()
        self.variable_of = {d: v for v, one in self.variables.items() for d in one.columns}
        self.set_tolls()
        self.priced = [(outcome.model, outcome.number, condition) for outcome in question.wanted
                       if len(outcome.alternatives) == 1
                       for condition in outcome.alternatives[0] if condition.part is None]
        self.trees = [(m, tree) for m, model in enumerate(question.models) for tree in model.trees]
        self.shift = max((Fraction(value).denominator.bit_length()
                          for _, tree in self.trees for value in tree.values), default=1)
        self.sides = {}
        # A condition of a clause counts as a leaf: a point lies in one of each tree and clause.
        self.clauses = [[Leaf(self.cells_where(one.feature, one.holds), {}, {}) for one in clause]
                        for clause in question.clauses]
        near = {v: sum(1 << bit for bit, cost in enumerate(variable.costs)
                       if question.fewest or cost < claim[1] or cost == 0)
                for v, variable in self.variables.items()}
        leaves = [self.leaves(m, tree, near) for m, tree in self.trees]
        self.whole = self.restricted(Box(near, {}, leaves + self.clauses), near)

    def cells_where(self, d, holds):
        """Give {variable of a feature: those of its cells whose value satisfies `holds`}."""
        variable = self.variables[self.variable_of[d]]
        column = variable.columns.index(d)
        return {self.variable_of[d]: sum(bit for values, bit in zip(variable.values, variable.bit)
                                         if holds(values[column]))}

    def leaves(self, m, tree, cells):
        """Give the leaves of a tree that have some of these cells of each variable."""
        model, made, stack = self.question.models[m], [], [(tree.nodes[0], {})]
        outputs = range(len(model.base)) if tree.output == -1 else [tree.output]
        while stack:
            node, path = stack.pop()
            if node.kind == 0:
                numbers = dict(zip(outputs, tree.values[node.value:]))
                whole = {k: int(Fraction(one) * 2 ** self.shift) for k, one in numbers.items()}
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

    def measure(self, far):
        """Give (number of changes or 0, cost) of some changes {variable: bit}."""
        cost = 0.0  # `sum` would round otherwise
        for v in sorted(far):
            term = self.variables[v].costs[far[v]]
            cost = max(cost, term) if self.question.norm == "linf" else cost + term
        return len(far) if self.question.fewest else 0, cost

    def far_within(self, box, cells):
        """Give the changes {variable: bit} of a box within some cells; None: it is excluded."""
        far = dict(box.far)
        for v, own in cells.items():
            own &= box.cells[v]
            if not own:
                return None
            if not own & 1:
                far[v] = lowest(own)
        excluded = len(far) > self.question.max_changes or self.measure(far) >= self.claim
        return None if excluded else far

    def restricted(self, box, cells):
        """Give a box with only some cells {variable: cells}, or None if it is dead."""
        far = self.far_within(box, cells)
        if far is None:
            return None
        common = {v: own & box.cells[v] for v, own in cells.items()}
        box = Box({**box.cells, **common}, far, box.live)
        # A leaf stays live if neither its cells nor the changes of the box are other ones.
        moved = [v for v in cells if v in far]
        live = [[leaf for leaf in leaves if not (moved or cells.keys() & leaf.cells.keys()) or
                 self.far_within(box, leaf.cells) is not None] for leaves in box.live]
        return box._replace(live=live) if all(live) else None

    # [Rule R: requirement]

    def refuted(self, box, outcome):
        """Whether no point of a box that is better than the claim meets a requirement."""
        model = outcome.model
        trees = [(tree.output, leaves) for (m, tree), leaves in zip(self.trees, box.live)
                 if m == outcome.number]

        def upper(plus, minus, sign):
            total = sum(max(sign * (leaf.whole.get(plus, 0) - leaf.whole.get(minus, 0))
                            for leaf in leaves)
                        for output, leaves in trees if output in (-1, plus, minus))
            return Fraction(total, 2 ** self.shift) * model.unit + model.offset(plus, minus, sign)

        if model.bounded and outcome.refuted(outcome.alternatives, upper):
            return True
        return all(len(leaves) == 1 for _, leaves in trees) and \
            outcome.certainly(model.scores([leaves[0].numbers for _, leaves in trees]), False)

    # [Rule D: dual bound]

    def set_tolls(self):
        """[Tolls] Make the tolls by bit, and the limit of their sum."""
        count, question, (changes, cost) = len(self.variables), self.question, self.claim
        if 0 < cost < INF and question.norm != "linf" and not question.fewest:
            scale = Fraction(2) ** (41 - math.frexp(cost)[1])
            self.limit = math.floor(Fraction(cost) * scale) + 2 + (count + 2) // 1024
            self.tolls = {v: [min(math.floor(Fraction(one) * scale), self.limit)
                              for one in variable.costs] for v, variable in self.variables.items()}
        else:
            most = min(question.max_changes, changes if question.fewest else INF)
            one = 2 ** 30 if most < INF else 0
            self.limit = int(min(most, count) + 1) * one or 2 ** 40
            self.tolls = {v: [0] + [one] * (len(variable.costs) - 1)
                          for v, variable in self.variables.items()}

    def read_dual(self, unit, tokens):
        """Read exponent, prices, shares of each tree {variable: [(cells, share)]}, their sums."""
        exponent = take(tokens, -60, 800)
        prices = [take(tokens, 0, 2 ** 31 - 1) for _ in self.priced]
        shares, sums = [], {v: [0] * len(one.bit) for v, one in self.variables.items()}
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
        return exponent, prices, shares, {v: list(accumulate(one)) for v, one in sums.items()}

    def thinned(self, box, exponent, prices, shares, sums):
        """Give a box without the leaves that the bound excludes."""
        weights, bound, left = Counter(), 0, exponent - self.shift
        for price, (model, m, (plus, minus, sign, least, *_)) in zip(prices, self.priced):
            if price:
                if least in (INF, -INF) or not model.bounded:
                    raise Rejected("rule D: a price for a condition that cannot be used")
                weights[m, plus] += sign * price
                weights[m, minus] -= sign * price
                needed = (least - model.offset(plus, minus, sign)) / model.unit
                bound += price * math.floor(needed * Fraction(2) ** exponent)
        for v, variable in self.variables.items():
            bound += min(self.tolls[v][lowest(bit)] - share
                         for bit, share in zip(variable.bit, sums[v]) if bit & box.cells[v])
        values = []
        for (m, _), leaves, own in zip(self.trees, box.live, shares):
            values.append([])
            for leaf in leaves:
                value = 0
                for v, runs in own.items():
                    common = box.cells[v] & leaf.cells.get(v, -1)
                    value += min(share for cells, share in runs if cells & common)
                for k, whole in leaf.whole.items():  # rounded up if the weight is positive
                    whole = -whole if weights[m, k] > 0 else whole
                    value += abs(weights[m, k]) * (whole << left if left >= 0 else whole >> -left)
                values[-1].append(value)
            bound += min(values[-1])
        live = [[leaf for leaf, value in zip(leaves, of) if bound - min(of) + value < self.limit]
                for leaves, of in zip(box.live, values)]
        return box._replace(live=live + box.live[len(live):]) if all(live) else None

    # [The point]

    def check_point(self, point):
        """Check that a point consists of cells, costs what is claimed, and has the outcome."""
        cells = {}
        if len(point) != len(self.question.point):
            raise Rejected("the point has the wrong length")
        for v, variable in self.variables.items():
            at = variable.position([point[d] for d in variable.columns])
            if at is None:
                raise Rejected(f"the value of feature {v} is not that of a cell")
            cells[v] = variable.bit[at]
        far = {v: lowest(bit) for v, bit in cells.items() if bit > 1}
        if self.measure(far) != self.claim or len(far) > self.question.max_changes:
            raise Rejected("the point has another cost or number of changes than claimed")
        if not all(any(leaf.cells[v] & cells[v] for leaf in clause for v in leaf.cells)
                   for clause in self.clauses):
            raise Rejected("the point breaks a clause")
        for one in self.question.wanted:
            leaves = [self.leaves(one.number, tree, cells)[0].numbers for tree in one.model.trees]
            if not one.certainly(one.model.scores(leaves), True):
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
                below, first = self.variables[token].below, 0
                for _ in range(take(tokens, 0, len(below) - 1)):
                    first ^= below[take(tokens, 0, len(below) - 1)]
                for cells in (~first, first):
                    open_boxes.append((box and self.restricted(box, {token: cells}), dual))
            elif token == -1:
                unit = take(tokens, -1, 44)
                if unit >= 0:
                    dual = self.read_dual(unit, tokens)
                elif dual is None:
                    raise Rejected("rule D: there are no numbers to use again")
                open_boxes.append((box and self.thinned(box, *dual), dual))
            else:
                r, wanted = -2 - token, self.question.wanted
                if box is not None and not (r < len(wanted) and self.refuted(box, wanted[r])):
                    raise Rejected(f"requirement {r} does not close a box")
                closed += 1
        if next(tokens, None) is not None:
            raise Rejected("the tree goes on after its end")
        return closed


def lowest(cells):
    """Give the number of the lowest bit of a mask: its cheapest cell."""
    return (cells & -cells).bit_length() - 1


def take(tokens, low, high):
    """Take a number of the tree within some limits."""
    token = next(tokens)
    if not low <= token <= high:
        raise Rejected(f"the number {token} is out of range")
    return token


def check(models, question_bytes, proof):
    """[What is proven] Check a proof; gives what is proven. Raises Rejected or Unsupported."""
    decimal.setcontext(PRECISE)
    if not isinstance(proof, dict) or proof.get("boxwood_proof") != 1:
        raise Rejected("this is not a proof of version 1")
    if proof.get("models") != [model.hash for model in models] or \
            proof.get("question") != hashlib.sha256(question_bytes).hexdigest():
        raise Rejected("the proof is about other models or another question")
    question = Question(parsed(question_bytes), models)
    claim, changes, tree = proof.get("claim"), proof.get("changes"), proof.get("tree")
    if claim not in ("optimal", "infeasible", "lower_bound") or not isinstance(tree, list) or \
            not all(type(token) is int for token in tree):
        raise Rejected("there is no such claim, or no tree of whole numbers")
    counts = question.fewest and claim != "infeasible"
    if counts != (changes is not None) or (counts and (type(changes) is not int or changes < 0)):
        raise Rejected("changes must be claimed for fewest changes first, and only there")
    cost = INF if claim == "infeasible" else number(proof["cost"])
    if not cost >= 0:
        raise Rejected("the claimed cost is not a number, or negative")
    checker = Checker(question, (INF if claim == "infeasible" else changes or 0, cost))
    if claim == "optimal":
        checker.check_point([number(one) for one in proof["point"]])
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
        contents = [open(name, "rb").read() for name in names]  # noqa: SIM115 - the process ends
        models = [Model(parsed(text)) for text in contents[:-2]]
        print("accepted:", check(models, contents[-2], parsed(contents[-1])))
        return 0
    except Rejected as reason:
        print("rejected:", ascii(str(reason))[1:-1][:500])  # names in files must not forge lines
        return 1
    except Exception as error:  # noqa: BLE001 - whatever fails, nothing is proven
        print(f"cannot be checked: {type(error).__name__}: {ascii(str(error))[1:-1][:500]}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
