#!/usr/bin/env python3
"""Checks a Boxwood proof: that no admissible point with the wanted outcome is cheaper than claimed.

    python3 boxwood_check.py MODEL [MODEL ...] QUESTION PROOF

MODEL is Boxwood's model file or an XGBoost JSON file, QUESTION a question file, PROOF a certificate
(docs/formats.md, docs/proof.md). Prints "accepted" and what is proven, or "rejected" and why. Exit code
0: accepted, 1: rejected, 2: a file cannot be read, is malformed or uses something that is not covered.

The file uses the Python standard library only and shares no code with Boxwood. Scores are exact integers
and fractions. Costs are IEEE doubles, added in the order that the claim is about; Python's floats are IEEE
doubles, and Python compares them with fractions exactly. Words in square brackets are headings or bold
words of docs/proof.md, which has the theorem behind each part.
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
from itertools import accumulate, chain
from types import SimpleNamespace

INF = math.inf
PRECISE = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
FUZZ = Decimal(10) ** -30  # far above the error of every logarithm and exponential below


class Rejected(Exception):
    """The certificate proves nothing."""


class Unsupported(Exception):
    """The model or the question is outside of what this checker covers, or a file is malformed."""


def need(condition, complaint, failure=Unsupported):
    """Refuse a file, or reject a certificate, unless a condition holds."""
    if not condition:
        raise failure(complaint)


# --------------------------------------------------------------------------------- files and numbers

def parsed(content):
    """Read JSON in UTF-8. Refuse 1e400, NaN, and a key that is given twice."""
    def unique(pairs):
        need(len(dict(pairs)) == len(pairs), "a key is given twice")
        return dict(pairs)

    def finite(text):
        need(math.isfinite(float(text)), f"{text[:40]} is not a finite number")
        return float(text)
    return json.loads(content.decode(), object_pairs_hook=unique, parse_float=finite, parse_constant=finite)


def number(value):
    """Give a number of a file as a double; infinities and NaN are text there."""
    need(type(value) in (int, float) or value in ("inf", "-inf", "nan"), f"{value!r} is not a number")
    return float(value)


def read(data, what, keys, ignored=""):
    """Give an object of a file. `keys` has the default of each key, its type, or its choices.

    A key without a default is required. Other keys are refused: their meaning is not known here.
    """
    unknown = set(data) - set(keys) - set(ignored.split())
    need(not unknown, f"{what} with {', '.join(sorted(unknown))}")
    made = SimpleNamespace()
    for key, expected in keys.items():
        kind = expected if isinstance(expected, type) else type(expected)
        value = data.get(key, expected)
        value = number(value) if kind is float else value
        need(value in expected and type(value) is type(expected[0]) if kind is tuple else type(value) is kind,
             f"{what} without {key}, or the value of {key} is not known here")
        setattr(made, key, value)
    return made


def same(one, other):
    """Whether two values are equal, or both missing."""
    return one == other or (math.isnan(one) and math.isnan(other))


def exact(value):
    """Give a double as a fraction, if it is finite."""
    return Fraction(value) if math.isfinite(value) else value


def single(value):
    """Round a double to float32. `single` and `float` stand for the two precisions."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(INF, value)


def next_up(value, precision=float):
    """Give the next larger number of a precision."""
    if precision is float or value == INF:
        return math.nextafter(value, INF)
    bits = struct.unpack("<i", struct.pack("<f", value))[0] if value else 0
    return struct.unpack("<f", struct.pack("<i", bits + 1 if value >= 0 else bits - 1))[0]


def first_from(bound, precision=float, is_open=False):
    """Give the smallest number of a precision that is >= bound (> bound if open)."""
    value = precision(float(bound))
    while value >= bound and value > -INF:
        value = -next_up(-value, precision)
    while value < bound or (is_open and value == bound < INF):
        value = next_up(value, precision)
    return value + 0.0


def span(lower, upper, precision=float, lower_closed=True, upper_closed=True):
    """Give the first and the last number of a precision between two ends; infinite ones if there is none."""
    if (lower == INF and not lower_closed) or (upper == -INF and not upper_closed):
        return INF, -INF
    return first_from(lower, precision, not lower_closed), -first_from(-upper, precision, not upper_closed)


def interval(data, precision=float):
    """Read an interval of a file, whose ends are rounded to a precision, as its span."""
    lower, upper, *is_closed = data
    lower, upper = precision(number(lower)), precision(number(upper))
    need(lower <= upper and list(map(type, is_closed)) == [bool, bool], "an impossible interval")
    return span(lower, upper, precision, *is_closed)


def rounds_from(end, precision=float):
    """[Rounded differences] Give the least exact number that, rounded, may be >= end."""
    end = first_from(end, precision)
    if end == -INF:
        return end
    end, below = (Fraction(one) if math.isfinite(one) else
                  Fraction(2) ** (1024 if precision is float else 128) * (1 if one > 0 else -1)
                  for one in (end, -next_up(-end, precision)))
    last_digit = end / (end - below) % 2  # the middle rounds to the even one; numbers between are none
    return (end + below) / 2 + last_digit * Fraction(1, 2 ** 1075)


# A split or a condition of a clause: whether the value of a feature lies in one of some spans (if not
# `inside`: in none). `missing`: whether missing values pass, with `zero` also numbers that count as zero.
Test = namedtuple("Test", "feature spans missing zero inside", defaults=(False, True))
ZERO = single(1e-35)  # up to here a number counts as zero where zero goes with missing values


def passes(test, value):
    """Whether a value, read as the models read it, passes a test."""
    if math.isnan(value) or (test.zero and abs(value) <= ZERO):
        return test.missing
    return test.inside == any(low <= value <= high for low, high in test.spans)


def cuts_of(test, precision):
    """[Cuts] Give the first numbers above the cuts of a test."""
    spans = [*test.spans, *[(-ZERO, ZERO)] * test.zero]
    ends = {end for low, high in spans for end in (low, next_up(high, precision))}
    return ends - {-INF, next_up(-INF, precision), INF}


def code_spans(codes, precision, zero_up=False):
    """Give the spans of the numbers that are some categories when they are cut off to whole numbers."""
    need(all(type(code) is int and 0 <= code < 2 ** 31 for code in codes) and
         sorted(set(codes)) == list(codes), "categories that are none, or do not ascend")
    listed = set(codes)
    begins, ends = ([code + side for code in codes if code - 1 + 2 * side not in listed] for side in (0, 1))
    return [span(begin if begin or zero_up else -1, end, precision, begin > 0 or zero_up, False)
            for begin, end in zip(begins, ends)]


# ----------------------------------------------------------------------------------------- the model

PRECISIONS = ("float32", "float64")
WORDS = {  # in the order of the hash
    "input": PRECISIONS, "accumulator": PRECISIONS, "order": ("base_first", "base_last"),
    "link": ("identity", "sigmoid", "exponential", "softmax", "winner", "votes", "square", "softplus",
             "isolation"),
    "link_form": ("plain", "onnxruntime", "catboost"), "task": ("regression", "binary", "multiclass"),
    "decision": ("output_above_half", "score_above_zero", "score_from_zero", "score_above_half",
                 "largest_score")}
MODEL = {"boxwood_model": (1,), **WORDS, "factor": 1.0, "divisor": 1.0, "steepness": 1.0,
         "base": list, "features": list, "trees": list}
NODE = "kind feature threshold left right value missing_left missing_at_zero zero_up".split()
TREE = {"output": int, "values": list, "sets": [], **dict.fromkeys(NODE, list),
        "missing_at_zero": [], "zero_up": []}
KINDS = ("leaf", "<", "<=", "==", "in")
Node = namedtuple("Node", [*NODE, "categories"])  # kind is a position in KINDS


class Model:
    """One ensemble, with the fields of Boxwood's model file; numbers of scores are rounded."""

    def __init__(self, data):
        data = xgboost_as_boxwood(data) if "learner" in data else data
        data = {"link_form": "plain", "decision": "output_above_half", **data}
        vars(self).update(vars(read(data, "a model", MODEL, "source library objective notes classes")))
        self.single, self.width = self.accumulator == "float32", len(self.features)
        self.round = single if self.single else float
        base = [number(one) for one in self.base]
        # [The hash of a model]
        hashed = [self.factor, self.divisor, self.steepness, len(base), *base, self.width, len(self.trees)]
        self.trees = [self.tree(tree, hashed) for tree in self.trees]
        text = " ".join(["boxwood model 1", *(getattr(self, key) for key in WORDS), ""]).encode()
        self.hash = hashlib.sha256(text + struct.pack(f"<{len(hashed)}d", *hashed)).hexdigest()
        self.base, self.factor, self.divisor = (
            [self.round(one) for one in base], self.round(self.factor), self.round(self.divisor))
        need(all(0 < one < INF for one in (self.factor, self.divisor, self.steepness)) and
             (self.task != "binary" or len(base) == 1) and not any(map(math.isnan, base)),
             "a factor that is not positive, or a binary model of several outputs")
        self.unit = Fraction(self.factor) / Fraction(self.divisor)
        self.errors = [self.error(k) for k in range(len(base))]
        self.bounded = INF not in self.errors

    def tree(self, data, hashed):
        """Read a tree; its walks end, and every leaf has its numbers. Add what is hashed of it."""
        tree = read(data, "a tree", TREE)
        count, values = len(tree.kind), [number(one) for one in tree.values]
        tree.kind = [KINDS.index(kind) for kind in tree.kind]
        tree.threshold = [number(one) for one in tree.threshold]
        tree.missing_at_zero, tree.zero_up = (
            flags or [False] * count for flags in (tree.missing_at_zero, tree.zero_up))
        need(all(type(one) is int and -2 ** 31 <= one < 2 ** 31
                 for one in chain(tree.feature, tree.left, tree.right, tree.value)) and
             {*map(type, chain(tree.missing_left, tree.missing_at_zero, tree.zero_up))} == {bool},
             "a node whose numbers or flags are none")
        last = len(values) - (len(self.base) if tree.output == -1 else 1)
        need(count and -1 <= tree.output < len(self.base) and
             not any(map(math.isnan, values + tree.threshold)),
             "a tree without nodes, of an unknown output, or with a number that is none")
        for codes in tree.sets:
            code_spans(codes, float)  # they are categories
        tree.nodes = []
        for at, node in enumerate(zip(*(getattr(tree, key) for key in NODE), strict=True)):
            kind, feature, _, left, right, value, _, at_zero, zero_up = node
            need(0 <= value <= last if kind == 0 else
                 0 <= feature < self.width and at < min(left, right) <= max(left, right) < count and
                 (0 <= value < len(tree.sets) if kind == 4 else not zero_up) and not (at_zero and kind > 2),
                 "a node that refers to nothing, or with a flag of another kind")
            tree.nodes.append(Node(*node, tuple(tree.sets[value] if kind == 4 else ())))
        hashed += [tree.output, count, *(field for node in tree.nodes for field in node[:9]), len(values),
                   *values, len(tree.sets)]
        hashed += [one for codes in tree.sets for one in (len(codes), *codes)]
        tree.values = [self.round(one) for one in values]
        return tree

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
    need(objective in OBJECTIVES and booster["name"] == "gbtree" and
         "best_iteration" not in learner.get("attributes", {}),
         "of XGBoost files only gbtree models with common objectives and without early stopping are read "
         "directly; use boxwood inspect --save-model")
    parameters, (task, link) = learner["learner_model_param"], OBJECTIVES[objective]
    base = [single(float(text)) for text in parameters["base_score"].strip("[]").split(",")]
    if link == "sigmoid":
        base = [single(-math.log(single(single(1 / p) - 1))) for p in base]
    outputs = max(1, *(int(parameters.get(key, 1)) for key in ("num_class", "num_target")))
    need(len(base) in (1, outputs), "base scores that are not one for each output")
    trees = []
    for tree, output in zip(booster["model"]["trees"], booster["model"]["tree_info"], strict=True):
        need(output >= 0 and not any(tree.get("split_type", [])) and
             int(tree["tree_param"].get("size_leaf_vector", 1)) <= 1,
             "categories and vector leaves of XGBoost files are not read directly")
        nodes, values, numbering = [], [], [0]
        for index in numbering:  # breadth first, as Boxwood numbers nodes
            child, value = tree["left_children"][index], single(tree["split_conditions"][index])
            left, missing = len(numbering), tree["default_left"][index] == 1
            if child == -1:
                nodes.append(("leaf", -1, 0.0, -1, -1, len(values), False))
                values.append(value)
            else:
                need(left < len(tree["left_children"]) and 0 < min(child, tree["right_children"][index]),
                     "a node of an XGBoost tree that is the child of two, or of none")
                nodes.append(("<", tree["split_indices"][index], value, left, left + 1, -1, missing))
                numbering += [child, tree["right_children"][index]]
        columns = dict(zip(NODE, map(list, zip(*nodes))))
        trees.append({"output": output, "values": values, **columns})
    return {"boxwood_model": 1, "task": task, "link": link, "input": "float32", "accumulator": "float32",
            "order": "base_first", "base": base * (outputs if len(base) == 1 else 1), "trees": trees,
            "features": [None] * int(parameters["num_feature"])}


# --------------------------------------------------------------------- [Alternatives and conditions]

# sign * (score[plus] - score[minus]) >= least, for the library's scores, exactly. With `part`, instead:
# the softmax of plus is at least (sign 1) or at most (sign -1) `part`.
Condition = namedtuple("Condition", "plus minus sign least part", defaults=(None,))

REQUIREMENTS = {  # the keys of each kind of requirement
    "class": {"class": int, "probability": 0.0, "margin": 0.0}, "classes": {"classes": list},
    "output": {"output": int, "range": list}, "score": {"score": int, "rival": -1, "range": list}}
DIRECT = ("identity", "votes")  # links whose output is the score
INVERSE = {  # the score of an output, and the outputs that a score may have
    "sigmoid": (lambda y, steep: (y / (1 - y)).ln() / steep, 0, 1),
    "exponential": (lambda y, _: y.ln(), 0, INF),
    "softplus": (lambda y, _: y.ln() + y / 2 if y < FUZZ else (y.exp() - 1).ln() if y < 1000 else y, 0, INF),
    "isolation": (lambda y, _: -(-y).ln() / Decimal(2).ln(), -INF, 0),
    "square": (lambda y, _: abs(y).sqrt().copy_sign(y), -INF, INF)}


def as_decimal(fraction):
    """Round a fraction to 60 digits."""
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def lead(plus, minus, sign, end, centre=0, precision=float):
    """The condition that sign * (score[plus] - score[minus] - centre), rounded, is >= an end."""
    return Condition(plus, minus, sign, rounds_from(end, precision) + sign * Fraction(centre))


class Outcome:
    """One requirement as alternatives of conditions, with the allowances of [Links]."""

    def __init__(self, models, data):
        kind = next((kind for kind in REQUIREMENTS if kind in data), "class")
        wanted = vars(read(data, "a requirement", {**REQUIREMENTS[kind], "model": 0, "negated": False}))
        need(0 <= wanted["model"] < len(models), "a requirement about no model")
        self.number, self.negated = wanted["model"], wanted["negated"]
        self.model = model = models[self.number]
        self.link, self.binary, outputs = model.link, model.task == "binary", range(len(model.base))
        self.classes = {"binary": range(2), "multiclass": outputs, "regression": ()}[model.task]
        self.wanted = wanted[kind] if kind == "classes" else [wanted[kind]]  # numbers
        self.rival, self.margin, chance = map(data.get, ("rival", "margin", "probability"))
        existing = self.classes if kind in ("class", "classes") else outputs
        need(set(self.wanted + [self.rival or 0]) <= set(existing) and None in (self.margin, chance),
             "a requirement about no class or output, or of two kinds")
        given = data.get("range") if chance is None else [chance, "inf", True, True]
        self.interval = given and interval(given)
        need(not given or (-INF < self.interval[1] and self.interval[0] < INF), "an interval without numbers")
        self.class_0 = kind == "class" and self.binary and self.wanted == [0]
        self.exact = kind == "score" or self.link in DIRECT  # it is about scores
        onnx, by_output = model.link_form == "onnxruntime", model.decision == "output_above_half"
        need(not onnx or (model.single and self.link in ("sigmoid", "softmax", *DIRECT)),
             f"models with the link {self.link} in the form {model.link_form}")
        self.tiny = Fraction(1, 2 ** (20 if onnx else 120 if model.single else 1000))
        half = model.decision == "score_above_half" or (by_output and self.link in DIRECT)
        self.middle = 0.5 if half else 0.0  # where a binary model changes its class
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
        if output == -sign * INF:
            return output
        need(self.link in INVERSE, f"outputs of the link {self.link}")
        inverse, lowest_output, highest_output = INVERSE[self.link]
        y = Fraction(sign * 2 ** 127 if output == sign * INF else output)  # infinite: overflows
        y -= sign * (abs(y) * self.relative(y) * 2 + self.tiny)
        if not lowest_output < y < highest_output:
            return INF if y >= highest_output else -INF
        score = inverse(as_decimal(y), Decimal(self.model.steepness))
        return Fraction(score - sign * (abs(score) + 1) * FUZZ)

    def softmax_within(self, k, lower, upper):
        """[Softmax] Conditions for a probability from `lower` to `upper`."""
        low, high, relative, least = Fraction(0), Fraction(1), 2 * self.relative(1), -INF
        if lower > 0:
            low = Fraction(min(lower, 2)) * (1 - relative) - self.tiny
        if upper < 1:
            high = Fraction(max(upper, -1)) * (1 + relative) + self.tiny
        if low >= 1 or high <= 0:
            least = INF
        elif low > 0:
            least = Fraction(as_decimal(low / (1 - low)).ln() - 1000 * FUZZ)
        return [Condition(k, rival, 1, least) for rival in self.classes if rival != k] + [
            Condition(k, None, sign, -INF, as_decimal(part))
            for sign, part in ((1, low), (-1, high)) if 0 < part < 1]

    def conditions(self, interval):
        """Conditions for an interval of whatever the requirement is about."""
        k, ends = min(self.wanted[0], len(self.model.base) - 1), list(zip((1, -1), interval))
        if self.class_0:  # its probability is 1 - output, rounded by the library
            ends = [(-sign, end) for sign, end in ends if math.isfinite(end)]
            if self.exact:
                return [lead(0, None, sign, -sign * end, 1, self.model.round) for sign, end in ends]
            slack = Fraction(1, 2 ** (23 if self.model.single else 51))
            ends = [(sign, 1 - Fraction(end) - sign * slack) for sign, end in ends]
        if self.exact:
            return [lead(k, self.rival, sign, sign * end) for sign, end in ends]
        if self.link == "softmax":
            return self.softmax_within(k, *interval)
        return [Condition(k, None, sign, sign * self.score_for(end, sign)) for sign, end in ends]

    def wins(self, target, scores):
        """Conditions for a predicted class; of several classes, the first of equals wins."""
        near, model = 0, self.model
        if self.by_output:
            near = Fraction(1, 2 ** (20 if model.single else 46))
            need(self.link == ("sigmoid" if self.binary else "softmax"), f"classes of the link {self.link}")
        if self.binary:
            from_zero = model.decision == "score_from_zero"  # then the middle belongs to class 1
            sign = 1 if target == 1 else -1
            least = sign * self.middle if (target == 1) == from_zero else next_up(sign * self.middle)
            near = 0 if target == 1 else near / min(1, Fraction(model.steepness))
            return [Condition(0, None, sign, Fraction(least) - near)]
        tied = [scores and scores[k] == scores[target] for k in self.classes]  # so are the outputs
        more = Fraction(next_up(0.0))  # the least difference between numbers
        return [Condition(target, k, 1, (more if k < target else 0) - (0 if tied[k] else near))
                for k in self.classes if k != target]

    def alternatives_of(self, negated, scores=None):
        """List alternatives; every point with the outcome (negated: without it) fulfils one."""
        if self.interval:
            lower, upper = self.interval
            outside = [(-INF, -next_up(-lower))] * (lower > -INF) + [(next_up(upper), INF)] * (upper < INF)
            return [self.conditions(one) for one in (outside if negated else [self.interval])]
        won = [self.wins(k, scores) for k in self.classes if (k in self.wanted) != negated]
        if self.margin is None:
            return won
        target, sign, least = self.wanted[0], 1, number(self.margin)
        if negated:
            sign, least = -1, next_up(-least)
        if self.binary:
            leads = [lead(0, None, sign if target == 1 else -sign, least, self.middle)]
        else:
            leads = [lead(target, k, sign, least) for k in self.classes if k != target]
        return won + [[one] for one in leads] if negated else [won[0] + leads]

    def refuted(self, alternatives, upper):
        """Whether every alternative has a condition that fails; `upper` bounds differences."""
        return all(any(self.fails(one, upper) for one in conditions) for conditions in alternatives)

    def fails(self, condition, upper):
        """Whether a condition cannot hold."""
        plus, minus, sign, least, part = condition
        if part is None:
            return least > -INF and upper(plus, minus, sign) < least
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
        if any(math.isnan(score) or not (plain or math.isfinite(score)) for score in scores):
            return False

        def difference(plus, minus, sign):
            one, other = exact(scores[plus]), 0 if minus is None else exact(scores[minus])
            return 0 if one == other else sign * (one - other)

        return self.refuted(self.alternatives_of(self.negated != holds, scores), difference)


# -------------------------------------------------------------------------------------- the question

NO_LIMIT = 2 ** 31
MIXTURES = {"l2": (1, 0, 0), "l1": (0, 1, 0), "linf": (0, 1, 0), "l0": (0, 0, 1)}
QUESTION = {"boxwood_question": (1,), "point": list, "requirements": list, "features": list, "groups": [],
            "clauses": [], "max_changes": NO_LIMIT, "cost": (*MIXTURES, "mixture"), "mixture": {},
            "fewest_first": False}
FEATURE = {"kind": ("continuous", "integer", "ordinal", "categorical"), "fixed": False,
           "range": ["-inf", "inf", True, True], "allowed": [], "step": 0.0, "missing_allowed": False,
           "changes": [], "direction": ("both", "up", "down"), "least_change": 0.0, "most_change": INF,
           "weight": 1.0, "up": 1.0, "down": 1.0, "scale": 1.0, "quantiles": []}
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
        self.models, self.norm, self.point = models, data.cost, [number(one) for one in data.point]
        self.max_changes, self.fewest = data.max_changes, data.fewest_first
        self.precision = single if any(model.input == "float32" for model in models) else float
        self.mixture = MIXTURES.get(self.norm) or [number(data.mixture[key]) for key in ("l2", "l1", "l0")]
        rules = [read({"kind": "continuous", "direction": "both", **one}, "a feature", FEATURE, "domain")
                 for one in data.features]
        self.groups = [read(one, "a group", GROUP) for one in data.groups]
        grouped = [column for group in self.groups for column in group.columns]
        need(len({model.input for model in models}) == 1 or all(same(single(one), one) for one in self.point),
             "models that read a value in different precisions, as different numbers")
        need(data.requirements and {model.width for model in models} == {len(self.point)} == {len(rules)} and
             len(set(grouped)) == len(grouped) and all(group.weight >= 0 for group in self.groups) and
             data.max_changes >= 0,
             "the question does not fit the models, or has impossible groups")
        self.rules = [self.completed(*one) for one in zip(rules, self.point)]
        self.clauses = [[self.literal(one) for one in clause] for clause in data.clauses]
        self.wanted = [Outcome(models, one) for one in data.requirements]

    def completed(self, rule, now):
        """Read the numbers of a feature's rule; costs must not fall with the distance."""
        rule.now = now
        interval(rule.range)  # it is one
        ends = [*rule.range[:2], *(is_closed or math.isinf(number(end))  # changed values are finite
                                   for is_closed, end in zip(rule.range[2:], rule.range))]
        rule.range = {precision: interval(ends, precision) for precision in (single, float)}
        rule.allowed = [self.precision(number(one)) + 0.0 for one in rule.allowed]
        rule.changes = [[number(size) for size in row] for row in rule.changes]
        sizes = [rule.step, rule.least_change, rule.most_change, rule.weight, rule.up, rule.down,
                 *self.mixture, *chain(*rule.changes)]
        need(not rule.quantiles, "costs by quantiles; the fast checker covers them")
        need(all(size >= 0 for size in sizes) and rule.scale > 0 and
             (rule.fixed or not math.isinf(self.precision(now))), "negative costs, or a change from infinity")
        return rule

    def literal(self, data):
        """Read a condition of a clause."""
        kind = "codes" if "codes" in data else "range"
        given = read(data, "a condition", {**LITERAL, kind: list})
        spans = (code_spans(given.codes, self.precision) if kind == "codes" else
                 [interval(given.range, self.precision)])
        return Test(given.feature, spans, given.missing, False, given.inside)

    def split(self, node):
        """Give the test of a node: what goes left."""
        if node.kind == 4:
            spans = code_spans(node.categories, self.precision, node.zero_up)
        else:
            lower, upper_closed = node.threshold if node.kind == 3 else -INF, node.kind > 1
            spans = [span(lower, node.threshold, self.precision, True, upper_closed)]
        return Test(node.feature, spans, bool(node.missing_left), node.missing_at_zero)

    # [Costs] The same operations in the same order as the claim is about.

    def cost_of_size(self, weight, size):
        """Give the cost of a change of some size."""
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

    def limits(self, rule, sign, precision):
        """Give the first and the last value that a rule's limits admit above (sign 1) the present one or
        below it (sign -1); of a missing value (sign 0), on both sides."""
        low, high = rule.range[precision]
        if rule.direction == {1: "down", -1: "up"}.get(sign):
            return INF, -INF
        if sign and math.isfinite(rule.now):
            sizes = (rule.least_change, rule.most_change)[::sign]
            lower, upper = (exact(rule.now) + exact(sign * size) for size in sizes)
            low, high = max(low, first_from(lower, precision)), min(high, -first_from(-upper, precision))
        return low, high

    def first_value(self, rule, bound):
        """Give the smallest value >= a bound of a feature's kind and step."""
        if not rule.step:
            return bound if rule.kind == "continuous" else math.ceil(bound)
        parts, times = float(round(1 / rule.step)), math.floor(Fraction(bound) / Fraction(rule.step))
        by_parts = parts > 1 and 1 / parts == rule.step
        value = min(value for n in range(times - 2, times + 4)
                    if (value := self.precision(n / parts if by_parts else n * rule.step)) >= bound)
        need(abs(times) <= 2 ** 50 or value == bound, "a step that is too fine for its values")
        return value

    def cell_value(self, rule, low, high, sign):
        """Give the admissible value from low to high that is the nearest to the present one, or None."""
        least, most = self.limits(rule, sign, self.precision)
        low, high = max(low, least), min(high, most)
        up, down = ([low], []) if sign == 1 or (sign == 0 and low > -INF) else ([], [high])
        if sign == 0 and low == -high == -INF:
            up = [0.0]
        table = rule.changes if rule.kind == "categorical" and sign else []
        if table:  # sizes of changes; beyond the table all are 1
            up, down = [low, *range(max(map(len, [table, *table])) + 1)], [-1, high]
        values = rule.allowed or [self.first_value(rule, one) for one in up if math.isfinite(one)] + [
            -self.first_value(rule, -one) for one in down if math.isfinite(one)]

        def farness(value):
            return (self.term(rule, value), value < 0, abs(value)) if table else (value * (sign or 1),)
        return min((one + 0.0 for one in values if low <= one <= high), key=farness, default=None)

    # [Cells] Variables.

    def cuts(self):
        """[Cuts] Give for each feature the first number above each of its cuts."""
        cuts = [set() for _ in self.point]
        nodes = {node._replace(left=0, right=0) for model in self.models for tree in model.trees
                 for node in tree.nodes if node.kind}
        for test in [*map(self.split, nodes), *chain(*self.clauses)]:
            cuts[test.feature] |= cuts_of(test, self.precision)
        return map(sorted, cuts)

    def variables(self):
        """Make the variables by number, in the order of the features."""
        groups = {column: group for group in self.groups for column in group.columns}
        return {d: self.group_variable(groups[d]) if d in groups else self.feature_variable(d, cuts)
                for d, cuts in enumerate(self.cuts()) if d not in groups or groups[d].columns[0] == d}

    def feature_variable(self, d, cuts):
        """Make the cells of a feature."""
        rule, start, cells = self.rules[d], self.precision(self.point[d]), []
        stays = rule.fixed or (math.isnan(start) and not rule.missing_allowed)
        for low, high in zip([-INF, *cuts], [*(-next_up(-cut, self.precision) for cut in cuts), INF]):
            if low <= start <= high:
                cells.append(([rule.now], 0.0))
            elif not stays:
                value = self.cell_value(rule, low, high, (start < low) - (start > high))
                if value is not None and self.term(rule, value) < INF:
                    cells.append(([value], self.term(rule, value)))
        if math.isnan(start) or (rule.missing_allowed and not rule.fixed):
            cells.append(([math.nan], self.term(rule, math.nan)))
        return Variable([d], cells, [rule.now])

    def admits(self, rule, value):
        """Whether a column of a group may have a value."""
        low, high = self.limits(rule, 1 if value else -1, float)
        return value == rule.now or (not rule.fixed and low <= value <= high and
                                     (not rule.allowed or value in rule.allowed))

    def group_variable(self, group):
        """Make the cells of a group: one column is 1, or none."""
        columns, cells = group.columns, []
        rules, now = [self.rules[d] for d in columns], [self.point[d] for d in columns]
        need(now.count(1) <= 1 and set(now) <= {0, 1}, "the columns of a group are not one-hot")
        for hot in range(len(columns) + 1):  # past the last: none
            values = [float(k == hot) for k in range(len(columns))]
            cost = 0.0 if values == now else self.cost_of_size(group.weight, 1.0)
            if values == now or (cost < INF and (hot < len(columns) or group.none_allowed) and
                                 all(map(self.admits, rules, values))):
                cells.append((values, cost))
        return Variable(columns, cells, now)


# ----------------------------------------------------------------------------------------- [The tree]

# Its cells of the variables on its path, what it adds to the outputs, and that times 2^shift.
Leaf = namedtuple("Leaf", "cells numbers whole")
# A set of cells for each variable, the cheapest bit of those without their own cell, and the live leaves of
# each tree and clause. A dead box, which holds no point better than the claim, is None.
Box = namedtuple("Box", "cells far live")


class Checker:
    """Walks the tree of a certificate. The claim is (changes or 0, cost)."""

    def __init__(self, question, claim):
        self.question, self.claim, self.variables, self.sides = question, claim, question.variables(), {}
        self.variable_of = {d: v for v, one in self.variables.items() for d in one.columns}
        self.trees = [(m, tree) for m, model in enumerate(question.models) for tree in model.trees]
        self.shift = max((Fraction(value).denominator.bit_length()
                          for _, tree in self.trees for value in tree.values), default=1)
        self.priced = [(one.model, one.number, condition) for one in question.wanted
                       if len(one.alternatives) == 1
                       for condition in one.alternatives[0] if condition.part is None]
        self.set_tolls()
        near = {v: sum(1 << bit for bit, cost in enumerate(variable.costs)
                       if question.fewest or cost < claim[1] or cost == 0)
                for v, variable in self.variables.items()}
        # A condition of a clause counts as a leaf: a point lies in one of each tree and clause.
        self.clauses = [[Leaf(dict([self.side(test)]), {}, {}) for test in clause]
                        for clause in question.clauses]
        live = [self.leaves(m, tree, near) for m, tree in self.trees] + self.clauses
        self.whole = self.restricted(Box(near, {}, live), near)

    def side(self, test):
        """Give the variable of a test, and those of its cells that pass."""
        v = self.variable_of[test.feature]
        variable, column = self.variables[v], self.variables[v].columns.index(test.feature)
        return v, sum(bit for values, bit in zip(variable.values, variable.bit)
                      if passes(test, self.question.precision(values[column])))

    def leaves(self, m, tree, cells):
        """Give the leaves of a tree that have some of these cells of each variable."""
        made, stack, count = [], [(tree.nodes[0], {})], len(self.question.models[m].base)
        while stack:
            node, path = stack.pop()
            if node.kind == 0:
                outputs = range(count) if tree.output == -1 else [tree.output]
                numbers = dict(zip(outputs, tree.values[node.value:]))
                made.append(Leaf(path, numbers, {k: int(Fraction(one) * 2 ** self.shift)
                                                 for k, one in numbers.items()}))
                continue
            key = node._replace(left=0, right=0)
            if key not in self.sides:
                self.sides[key] = self.side(self.question.split(node))
            v, left = self.sides[key]
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
            if not own & box.cells[v]:
                return None
            if not own & box.cells[v] & 1:
                far[v] = lowest(own & box.cells[v])
        excluded = len(far) > self.question.max_changes or self.measure(far) >= self.claim
        return None if excluded else far

    def restricted(self, box, cells):
        """Give a box with only some cells {variable: cells}, or None if it is dead."""
        far = self.far_within(box, cells)
        if far is None:
            return None
        box = Box({**box.cells, **{v: own & box.cells[v] for v, own in cells.items()}}, far, box.live)
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
        count, question, (changes, cost) = len(self.variables), self.question, self.claim
        if 0 < cost < INF and question.norm != "linf" and not question.fewest:
            scale = Fraction(2) ** (41 - math.frexp(cost)[1])
            self.limit = math.floor(Fraction(cost) * scale) + 2 + (count + 2) // 1024
            self.tolls = {v: [min(math.floor(Fraction(one) * scale), self.limit) for one in variable.costs]
                          for v, variable in self.variables.items()}
        else:
            most = min(question.max_changes, changes if question.fewest else NO_LIMIT)
            one = 2 ** 30 if most < NO_LIMIT else 0
            self.limit = (min(most, count) + 1) * one or 2 ** 40
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
                need(v in self.variables and v not in shares[-1], "rule D: shares of no variable", Rejected)
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
        for price, (model, m, (plus, minus, sign, least, _)) in zip(prices, self.priced):
            if price:
                need(abs(least) < INF and model.bounded, "rule D: a price that cannot be used", Rejected)
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
        need(len(point) == len(self.question.point), "the point has the wrong length", Rejected)
        for v, variable in self.variables.items():
            at = variable.position([point[d] for d in variable.columns])
            need(at is not None, f"the value of feature {v} is not that of a cell", Rejected)
            cells[v] = variable.bit[at]
        far = {v: lowest(bit) for v, bit in cells.items() if bit > 1}
        need(self.measure(far) == self.claim and len(far) <= self.question.max_changes,
             "the point has another cost or number of changes than claimed", Rejected)
        need(all(any(leaf.cells[v] & cells[v] for leaf in clause for v in leaf.cells)
                 for clause in self.clauses), "the point breaks a clause", Rejected)
        for one in self.question.wanted:
            leaves = [self.leaves(one.number, tree, cells)[0].numbers for tree in one.model.trees]
            need(one.certainly(one.model.scores(leaves), True),
                 "the point does not certainly have the outcome", Rejected)

    # [The tree]

    def run(self, tree):
        """Walk the tree; every box must be closed. Gives the number of closed boxes."""
        tokens, open_boxes, closed, wanted = iter(tree), [(self.whole, None)], 0, self.question.wanted
        while open_boxes:
            token, (box, dual) = next(tokens), open_boxes.pop()
            if token >= 0:
                need(token in self.variables, f"variable {token} does not exist", Rejected)
                below, first = self.variables[token].below, 0
                for _ in range(take(tokens, 0, len(below) - 1)):
                    first ^= below[take(tokens, 0, len(below) - 1)]
                for cells in (~first, first):
                    open_boxes.append((box and self.restricted(box, {token: cells}), dual))
            elif token == -1:
                unit = take(tokens, -1, 44)
                dual = self.read_dual(unit, tokens) if unit >= 0 else dual
                need(dual, "rule D: there are no numbers to use again", Rejected)
                open_boxes.append((box and self.thinned(box, *dual), dual))
            else:
                r, closed = -2 - token, closed + 1
                need(box is None or (r < len(wanted) and self.refuted(box, wanted[r])),
                     f"requirement {r} does not close a box", Rejected)
        need(next(tokens, None) is None, "the tree goes on after its end", Rejected)
        return closed


def lowest(cells):
    """Give the number of the lowest bit of a mask: its cheapest cell."""
    return (cells & -cells).bit_length() - 1


def take(tokens, low, high):
    """Take a number of the tree within some limits."""
    token = next(tokens)
    need(low <= token <= high, f"the number {token} is out of range", Rejected)
    return token


PROOF = {"boxwood_proof": (1,), "models": list, "question": str, "tree": list, "point": [], "cost": INF,
         "changes": 0, "claim": ("optimal", "infeasible", "lower_bound")}


def check(models, question_bytes, proof):
    """[What is proven] Check a proof; gives what is proven. Raises Rejected or Unsupported."""
    decimal.setcontext(PRECISE)
    given = read(proof, "a proof", PROOF)
    claim, cost, changes = given.claim, given.cost, given.changes
    need(given.models == [model.hash for model in models] and
         given.question == hashlib.sha256(question_bytes).hexdigest(),
         "the proof is about other models or another question", Rejected)
    question = Question(parsed(question_bytes), models)
    left_out = {"optimal": set(), "lower_bound": {"point"}, "infeasible": {"point", "cost", "changes"}}[claim]
    need(proof.keys() == PROOF.keys() - left_out - (set() if question.fewest else {"changes"}),
         "the proof has other keys than its claim; changes are for fewest changes first", Rejected)
    need(cost >= 0 and changes >= 0 and all(type(token) is int for token in given.tree),
         "a cost or a number of changes below 0, or a tree of other things than whole numbers", Rejected)
    checker = Checker(question, (INF if claim == "infeasible" else changes, cost))
    if claim == "optimal":
        checker.check_point([number(one) for one in given.point])
    try:
        boxes = checker.run(given.tree)
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
