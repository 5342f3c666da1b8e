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
from bisect import bisect_left
from collections import Counter, namedtuple
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, chain
from types import SimpleNamespace

INF = math.inf
PRECISE = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
FUZZ = Decimal(10) ** -30  # far above the error of every logarithm and exponential below
UNITS = 2 ** 1074  # every finite double is a whole number of 1 / UNITS


class Rejected(Exception):
    """The certificate proves nothing."""


class Unsupported(Exception):
    """The model or the question is outside of what this checker covers, or a file is malformed."""


def need(condition, complaint, failure=Unsupported):
    """Refuse a file, or reject a certificate, unless a condition holds."""
    if not condition:
        raise failure(complaint)


# ------------------------------------------------------------------------------- the values of files

def parsed(content):
    """Read JSON in UTF-8. Refuse 1e400, NaN, and a key that is given twice."""
    def unique(pairs):
        need(len(dict(pairs)) == len(pairs), "a key is given twice")
        return dict(pairs)

    def finite(text):
        need(math.isfinite(float(text)), f"{text[:40]} is not a finite number")
        return float(text)
    return json.loads(content.decode(), object_pairs_hook=unique, parse_float=finite, parse_constant=finite)


def fit(value, like, what):
    """Give a value of a file as the checker uses it, if it is like an example. Refuse others.

    Like a float: a number; from 0 on if the example is neither negative nor infinite; NaN only if the example
    is. Like an integer: one from 0 on, or from -1 on if the example is -1. Like a text: one of its words. Like
    a tuple: a list of such values. Like a list: a list of any number of such values. Like a dictionary: an
    object with these keys; those with "?" may be left out, which means the example, its first word, or an
    empty list. Other keys are refused: their meaning is not known here. Like None: anything. Like `...`:
    nothing, because this is left to the fast checker.
    """
    if like is None:
        return value
    need(like is not ..., f"{what}; the fast checker covers them")
    if type(like) is dict:
        return fit_object(value, like, what)
    if type(like) in (list, tuple):
        need(type(value) is list and (type(like) is list or len(value) == len(like)), f"{what} that are no list")
        return [fit(one, like[at if type(like) is tuple else 0], what) for at, one in enumerate(value)]
    if type(like) is float:
        need(type(value) in (int, float) or value in ("inf", "-inf", "nan"), f"{what} that is no number")
        value = float(value)
        fits = value >= 0 or math.isnan(like) or (value < 0 and (like < 0 or like == INF))
    elif type(like) is int:
        fits = type(value) is int and min(like, 0) <= value < 2 ** 31
    else:
        fits = type(value) is type(like) and (type(like) is bool or value in like.split())
    need(fits, f"{what} {value!r}")
    return value


def fit_object(value, like, what):
    """Give an object of a file if it is like an example."""
    need(type(value) is dict, f"{what} that is no object")
    unknown = value.keys() - {key.rstrip("?") for key in like}
    need(not unknown, f"{what} with {', '.join(sorted(unknown))}")
    made = SimpleNamespace()
    for asked, example in like.items():
        key = asked.rstrip("?")
        need(key in value or key != asked, f"{what} without {key}")
        default = [] if type(example) is list else example.split()[0] if type(example) is str else example
        setattr(made, key, fit(value[key], example, f"{what} with {key}") if key in value else default)
    return made


# ----------------------------------------------------------------------------------- numbers and tests

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
    value = precision(float(bound))  # the bound or one of the two next to it
    if value < bound or (is_open and value == bound < INF):
        value = next_up(value, precision)
    return value + 0.0


def span(interval, precision=float):
    """Give the first and the last number of a precision in an interval; infinite ones if there is none."""
    lower, upper, lower_closed, upper_closed = interval
    need(lower <= upper, "an interval whose ends are exchanged")
    lower, upper = precision(lower), precision(upper)
    if (lower == INF and not lower_closed) or (upper == -INF and not upper_closed):
        return INF, -INF
    return first_from(lower, precision, not lower_closed), -first_from(-upper, precision, not upper_closed)


# A split or a condition of a clause. A cut (value, inclusive) separates x <= value (inclusive) or x < value
# from the rest. `first`: whether values below all cuts pass; each cut changes that. `missing`: whether
# missing values pass, with `zero` also numbers that count as zero.
Test = namedtuple("Test", "feature cuts first missing zero")
ZERO = single(1e-35)  # up to here a number counts as zero where zero goes with missing values
ZERO_CUTS = ((-ZERO, False), (ZERO, True))


def passes(test, value):
    """Whether a value, read as the models read it, passes a test."""
    if math.isnan(value) or (test.zero and abs(value) <= ZERO):
        return test.missing
    return test.first != bisect_left(test.cuts, (value, True)) % 2  # so many cuts are below the value


def cuts_around(codes, zero_up=False):
    """[Cuts] Give the cuts around categories, which are the numbers that are cut off to these integers."""
    need(sorted(set(codes)) == codes, "categories that do not ascend")
    return tuple((code, False) if code or zero_up else (-1, True)
                 for code in sorted(set(codes) ^ {code + 1 for code in codes}))


# ----------------------------------------------------------------------------------------- the model

WORDS = {  # in the order of the hash
    "input": "float32 float64", "accumulator": "float32 float64", "order": "base_first base_last",
    "link": "identity sigmoid exponential softmax winner votes square softplus isolation",
    "link_form?": "plain onnxruntime catboost", "task": "regression binary multiclass",
    "decision?": "output_above_half score_above_zero score_from_zero score_above_half largest_score"}
TREE = {"output": -1, "values": [-1.0], "sets?": [[0]], "kind": ["leaf < <= == in"], "feature": [-1],
        "threshold": [-1.0], "left": [-1], "right": [-1], "value": [-1], "missing_left": [False],
        "missing_at_zero?": [False], "zero_up?": [False]}
MODEL = {"boxwood_model": 1, **WORDS, "factor?": 1.0, "divisor?": 1.0, "steepness?": 1.0, "base": [-1.0],
         "features": [None], "trees": [TREE], **dict.fromkeys("source? library? objective? notes? classes?".split())}
INCLUSIVE = {"<": [False], "<=": [True], "==": [False, True]}  # the cuts of a threshold
Split = namedtuple("Split", "test left right")  # a leaf is a dictionary {output: number}
Tree = namedtuple("Tree", "outputs nodes")


class Model:
    """One ensemble, with the fields of Boxwood's model file; numbers of scores are rounded."""

    def __init__(self, data):
        vars(self).update(vars(fit(xgboost_as_boxwood(data) if "learner" in data else data, MODEL, "a model")))
        self.single, self.width = self.accumulator == "float32", len(self.features)
        self.round = single if self.single else float
        # [The hash of a model]
        hashed = [self.factor, self.divisor, self.steepness, len(self.base), *self.base, self.width,
                  len(self.trees)]
        self.trees = [self.tree(tree, hashed) for tree in self.trees]
        words = " ".join(["boxwood model 1", *(getattr(self, key.rstrip("?")) for key in WORDS), ""])
        self.hash = hashlib.sha256(words.encode() + struct.pack(f"<{len(hashed)}d", *hashed)).hexdigest()
        self.base, self.factor, self.divisor = (
            [self.round(one) for one in self.base], self.round(self.factor), self.round(self.divisor))
        need(self.boxwood_model == 1 and (self.task != "binary" or len(self.base) == 1) and
             all(0 < one < INF for one in (self.factor, self.divisor, self.steepness)),
             "another version, a factor that is not positive, or a binary model of several outputs")
        self.unit = Fraction(self.factor) / Fraction(self.divisor)
        self.errors = [self.error(k) for k in range(len(self.base))]
        self.bounded = INF not in self.errors

    def tree(self, data, hashed):
        """Give a tree as its nodes by number; add what is hashed of it, in pre-order."""
        outputs = range(len(self.base)) if data.output == -1 else [data.output]
        need(data.output < len(self.base), "a tree of an unknown output")
        none = [False] * len(data.kind)
        rows = list(zip(data.kind, data.feature, data.threshold, data.left, data.right, data.value,
                        data.missing_left, data.missing_at_zero or none, data.zero_up or none, strict=True))
        nodes, waiting = {}, [0]
        hashed.append(data.output)
        while waiting:
            at = waiting.pop()
            need(at not in nodes, "a node that is the child of two")
            kind, feature, threshold, left, right, value, missing, zero, zero_up = rows[at]
            if kind == "leaf":
                numbers = data.values[max(value, 0):value + len(outputs)]
                need(len(numbers) == len(outputs), "a leaf without numbers")
                hashed += [0, len(numbers), *numbers]
                nodes[at] = dict(zip(outputs, map(self.round, numbers)))
                continue
            need(0 <= feature < self.width and at < min(left, right) and (kind != "in" or value >= 0) and
                 (kind == "in" or not zero_up) and (kind in ("<", "<=") or not zero),
                 "a split that refers to nothing, or with a flag of another kind")
            if kind == "in":
                cuts, about = cuts_around(data.sets[value], zero_up), [len(data.sets[value]), *data.sets[value]]
            else:
                cuts, about = tuple((threshold, inclusive) for inclusive in INCLUSIVE[kind]), [threshold]
            hashed += [["<", "<=", "==", "in"].index(kind) + 1, feature, *about, missing, zero, zero_up]
            nodes[at] = Split(Test(feature, cuts, kind in ("<", "<="), missing, zero), left, right)
            waiting += [right, left]
        return Tree(outputs, nodes)

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
        used = [max(abs(node[k]) for node in tree.nodes.values() if type(node) is dict)
                for tree in self.trees if k in tree.outputs]
        total, base = sum(map(Fraction, used)), abs(Fraction(self.base[k]))
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
XGBOOST_KEYS = {"cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees"}  # "weight_drop" is dart


def xgboost_as_boxwood(data):
    """[XGBoost JSON] Give an XGBoost file in the form of the model file."""
    learner = data["learner"]
    parameters, booster = learner["learner_model_param"], learner["gradient_booster"]
    need(learner["objective"]["name"] in OBJECTIVES and booster["name"] == "gbtree" and
         booster["model"].keys() <= XGBOOST_KEYS and booster["model"]["trees"] and
         "best_iteration" not in learner.get("attributes", {}),
         "an XGBoost file that is not read directly; use boxwood inspect --save-model")
    task, link = OBJECTIVES[learner["objective"]["name"]]
    base = [single(float(text)) for text in parameters["base_score"].strip("[]").split(",")]
    if link == "sigmoid":
        base = [single(-math.log(single(single(1 / p) - 1))) for p in base]
    outputs = max(1, *(int(parameters.get(key, 1)) for key in ("num_class", "num_target")))
    width = int(parameters["num_feature"])
    need(len(base) in (1, outputs) and max(outputs, width) <= 2 ** 22,
         "base scores that are not one for each output, or too many features or outputs")
    trees = []
    for tree, output in zip(booster["model"]["trees"], booster["model"]["tree_info"], strict=True):
        need(output >= 0 and not any(tree.get("split_type", [])) and
             int(tree["tree_param"].get("size_leaf_vector", 1)) <= 1, "categories or vector leaves of XGBoost")
        children, numbers = tree["left_children"], [single(one) for one in tree["split_conditions"]]
        trees.append({"output": output, "kind": ["leaf" if child == -1 else "<" for child in children],
                      "feature": tree["split_indices"], "threshold": numbers, "left": children,
                      "right": tree["right_children"], "value": list(range(len(numbers))), "values": numbers,
                      "missing_left": [one == 1 for one in tree["default_left"]]})
    return {"boxwood_model": 1, "task": task, "link": link, "input": "float32", "accumulator": "float32",
            "order": "base_first", "base": base * (outputs if len(base) == 1 else 1), "trees": trees,
            "features": [None] * width}


# --------------------------------------------------------------------- [Alternatives and conditions]

# sign * (score[plus] - score[minus]) >= least, for the library's scores, exactly. With `part`, instead:
# the softmax of plus is at least (sign 1) or at most (sign -1) `part`.
Condition = namedtuple("Condition", "plus minus sign least part", defaults=(None,))

REQUIREMENT = {"class?": 0, "classes?": [0], "output?": 0, "score?": 0, "range?": (-INF, INF, True, True),
               "probability?": -1.0, "margin?": ..., "rival?": ..., "model?": 0, "negated?": False}
FORMS = [{"class"}, {"class", "probability"}, {"classes"}, {"output", "range"}, {"score", "range"}]
DIRECT = ("identity", "votes")  # links whose output is the score
INVERSE = {  # the score of an output, and the outputs that a score may have
    "sigmoid": (lambda y, steep: (y / (1 - y)).ln() / steep, 0, 1),
    "softmax": (lambda y, _: (y / (1 - y)).ln(), 0, 1),  # the lead over every rival that it needs
    "exponential": (lambda y, _: y.ln(), 0, INF),
    "isolation": (lambda y, _: -(-y).ln() / Decimal(2).ln(), -INF, 0)}


def as_decimal(value):
    """Round an exact number to 60 digits."""
    return Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator)


class Outcome:
    """One requirement as alternatives of conditions, with the allowances of [Links]."""

    def __init__(self, models, data):
        wanted, about = fit(data, REQUIREMENT, "a requirement"), data.keys() - {"model", "negated"}
        need(about in FORMS and wanted.model < len(models), "a requirement of two kinds, or about no model")
        self.number, self.negated, self.model = wanted.model, wanted.negated, models[wanted.model]
        self.link, self.binary = self.model.link, self.model.task == "binary"
        outputs = range(len(self.model.base))
        self.classes = {"binary": range(2), "multiclass": outputs, "regression": ()}[self.model.task]
        self.named = [data[key] for key in about & {"class", "output", "score"}] or wanted.classes
        need({*self.named} <= {*(outputs if "range" in data else self.classes)},
             "a requirement about no class or output")
        self.of_score = self.link in DIRECT or "score" in data
        self.class_0 = "probability" in data and self.binary and self.named == [0]
        self.range = [wanted.probability, INF, True, True] if "probability" in data else \
            wanted.range if "range" in data else None
        need(self.model.link_form != "onnxruntime" and not (self.class_0 and self.of_score),
             "models of onnxruntime, or probabilities of class 0 without a link; the fast checker covers them")
        self.alternatives = self.alternatives_of(self.negated)

    def true_output(self, sign, end):
        """[Links] Give what the true output reaches where sign * the library's output >= end."""
        output, float32 = sign * Fraction(2 ** 127 if end == INF else end), self.model.single  # INF: it overflows
        wide = self.link == "softmax" or (self.link == "sigmoid" and output < Fraction(51, 100))
        relative = Fraction(1, 2 ** ((15 if wide else 20) if float32 else (38 if wide else 42)))
        if self.link == "softmax" and float32:
            relative = Fraction(1, 2 ** 16) + Fraction(len(self.model.base), 2 ** 23)
        return output - sign * (abs(output) * relative * 2 + Fraction(1, 2 ** (120 if float32 else 1000)))

    def score_for(self, sign, end):
        """Bound sign * score where sign * output >= end."""
        need(self.link in INVERSE, f"outputs of the link {self.link}; the fast checker covers them")
        output, (inverse, least, most) = self.true_output(sign, end), INVERSE[self.link]
        if not least < output < most:
            return INF if (output >= most) == (sign == 1) else -INF
        score = inverse(as_decimal(output), Decimal(self.model.steepness))
        return Fraction(sign * score - (abs(score) + 1) * 1000 * FUZZ)

    def reaches(self, sign, end):
        """Conditions for sign * (the score, output or probability) >= end."""
        k = 0 if self.binary else self.named[0]
        if self.of_score:
            return [Condition(k, None, sign, end)]
        if self.class_0:  # of 1 - output, rounded: sign - sign * output >= end
            sign, end = -sign, Fraction(end) - sign - Fraction(1, 2 ** (23 if self.model.single else 51))
        least = self.score_for(sign, end)
        if self.link != "softmax":
            return [Condition(k, None, sign, least)]
        part = as_decimal(max(self.true_output(sign, end), Fraction(1, UNITS)))  # [Softmax]
        leads = [Condition(k, rival, 1, least) for rival in self.classes if rival != k and sign == 1]
        return [*leads, Condition(k, None, sign, -INF, part)]

    def wins(self, target, scores):
        """Conditions for a predicted class; of several classes, the first of equals wins."""
        decision, more, near = self.model.decision, Fraction(1, UNITS), 0  # more: the least difference
        if decision == "output_above_half" and self.link not in (*DIRECT, "winner"):
            near = Fraction(1, 2 ** (20 if self.model.single else 46))
            need(self.link == ("sigmoid" if self.binary else "softmax"), f"classes of the link {self.link}")
        if self.binary:
            half = decision == "score_above_half" or (decision == "output_above_half" and self.link in DIRECT)
            sign, middle = (1 if target == 1 else -1), Fraction(half, 2)
            closed = (target == 1) == (decision == "score_from_zero")  # whether the middle belongs to the class
            near = 0 if target == 1 else near / min(1, Fraction(self.model.steepness))
            return [Condition(0, None, sign, sign * middle - near + more * (not closed))]
        tied = [scores and scores[k] == scores[target] for k in self.classes]  # so are the outputs
        return [Condition(target, k, 1, more * (k < target) - near * (not tied[k]))
                for k in self.classes if k != target]

    def alternatives_of(self, negated, scores=None):
        """List alternatives; every point with the outcome (negated: without it) fulfils one."""
        if not self.range:
            return [self.wins(k, scores) for k in self.classes if (k in self.named) != negated]
        lower, upper = span(self.range)
        need(-INF < upper and lower < INF, "an interval without numbers")
        ends = [(1, lower)] * (lower > -INF) + [(-1, -upper)] * (upper < INF)
        if negated:
            return [self.reaches(-sign, next_up(-end)) for sign, end in ends]
        return [list(chain(*(self.reaches(*one) for one in ends)))]

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
            one, other = scores[plus], 0 if minus is None else scores[minus]
            return 0 if one == other else sign * (exact(one) - exact(other))

        return self.refuted(self.alternatives_of(self.negated != holds, scores), difference)


# -------------------------------------------------------------------------------------- the question

MIXTURES = {"l2": (1, 0, 0), "l1": (0, 1, 0), "linf": (0, 1, 0), "l0": (0, 0, 1)}
FEATURE = {"kind?": "continuous integer ordinal categorical", "fixed?": False, "range?": (-INF, INF, True, True),
           "domain?": None, "allowed?": [-1.0], "step?": 0.0, "missing_allowed?": False, "changes?": ...,
           "direction?": "both up down", "least_change?": 0.0, "most_change?": INF, "weight?": 1.0, "up?": 1.0,
           "down?": 1.0, "scale?": 1.0, "quantiles?": ...}
CONDITION = {"feature": 0, "inside": False, "missing?": False, "codes?": [0], "range?": (-INF, INF, True, True)}
QUESTION = {"boxwood_question": 1, "point": [math.nan], "requirements": [None], "features": [FEATURE],
            "groups?": [{"columns": [0], "weight?": 1.0, "none_allowed?": False}], "clauses?": [[None]],
            "max_changes?": 2 ** 31, "cost": "l2 l1 linf l0 mixture", "fewest_first?": False,
            "mixture?": {"l2": 0.0, "l1": 0.0, "l0": 0.0}, "scale_name?": None}

# A feature or a one-hot group: of each cell, by its position, the values of the columns and the cost; the
# position of the own cell; and all positions, the cheapest first, of equally cheap ones the own one first.
# A set of cells is an integer: bit p is the cell at position p.
Variable = namedtuple("Variable", "columns values costs own order")


def position(values, of_cells):
    """Give the position of the cell that has some values, or None."""
    return next((at for at, own in enumerate(of_cells) if all(map(same, own, values))), None)


def variable(columns, cells, now):
    """Make a variable of cells, without those of infinite cost."""
    values, costs = zip(*(cell for cell in cells if cell[1] < INF))
    own = position(now, values)
    return Variable(columns, values, costs, own, sorted(range(len(costs)), key=lambda at: (costs[at], at != own)))


class Question:
    """What is asked: admissible values, costs, clauses, requirements."""

    def __init__(self, data, models):
        vars(self).update(vars(fit(data, QUESTION, "a question")))
        self.models, self.norm = models, self.cost
        self.precision = single if any(model.input == "float32" for model in models) else float
        self.factors = MIXTURES.get(self.norm) or vars(self.mixture).values()
        grouped = [column for group in self.groups for column in group.columns]
        need(self.boxwood_question == 1 and self.requirements and len(set(grouped)) == len(grouped) and
             {model.width for model in models} == {len(self.point)} == {len(self.features)},
             "another version, nothing wanted, groups that overlap, or not a question about these models")
        need(len({model.input for model in models}) == 1 or all(same(single(one), one) for one in self.point),
             "models that read a value in different precisions, as different numbers")
        for rule, rule.now in zip(self.features, self.point):
            need(rule.scale > 0 and rule.most_change >= 0 and
                 (rule.fixed or not math.isinf(self.precision(rule.now))), "a scale of 0, or a change from infinity")
            need(not rule.step or (not rule.allowed and (rule.kind == "continuous" or rule.step % 1 == 0)),
                 "a step with allowed values, or between whole numbers")
        self.clauses = [[self.test(one) for one in clause] for clause in self.clauses]
        self.wanted = [Outcome(models, one) for one in self.requirements]

    def test(self, data):
        """Give a condition of a clause as a test."""
        given = fit(data, CONDITION, "a condition")
        need(bool(given.codes) != ("range" in data), "a condition with a range and codes, or with none of them")
        lower, upper, lower_closed, upper_closed = given.range
        need(lower <= upper, "a condition whose ends are exchanged")
        cuts = cuts_around(given.codes) if given.codes else (
            (self.precision(lower), not lower_closed), (self.precision(upper), upper_closed))
        return Test(given.feature, cuts, not given.inside, given.missing, False)

    # [Costs] The same operations in the same order as the claim is about.

    def cost_of_size(self, weight, size):
        """Give the cost of a change of some size."""
        l2, l1, l0 = self.factors
        return weight * ((l2 * (size * size) if l2 else 0.0) + (l1 * size if l1 else 0.0) + l0)

    def term(self, rule, to):
        """Give the cost of changing a feature to a value."""
        if same(to, rule.now):
            return 0.0
        missing = math.isnan(to) or math.isnan(rule.now)
        if missing or rule.kind == "categorical":
            return INF if missing and not rule.missing_allowed else self.cost_of_size(rule.weight, 1.0)
        weight = rule.weight * (rule.up if to > rule.now else rule.down)
        return self.cost_of_size(weight, abs(to - rule.now) / rule.scale)

    # [Cells] Upwards is sign 1, downwards is sign -1.

    def limits(self, rule, sign, precision):
        """Give the least and the largest sign * value that a rule admits above (below) the present value."""
        lower, upper, lower_closed, upper_closed = rule.range  # changed values are finite
        low, high = span((lower, upper, lower_closed or lower == -INF, upper_closed or upper == INF), precision)
        near, far = (low, high) if sign == 1 else (-high, -low)
        if not math.isnan(rule.now):
            if rule.direction == ("down" if sign == 1 else "up"):
                return INF, -INF
            least, most = (exact(sign * rule.now) + exact(size) for size in (rule.least_change, rule.most_change))
            near, far = max(near, first_from(least, precision)), min(far, -first_from(-most, precision))
        return near, far

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

    def nearest(self, rule, sign, bound):
        """List the first admissible value from a bound on, if there is one."""
        near, far = self.limits(rule, sign, self.precision)
        near = max(near, sign * bound)
        values = sorted(sign * self.precision(one) for one in rule.allowed)
        if not values and math.isfinite(near):
            values = [self.first_value(rule, near)]
        return [sign * one + 0.0 for one in values if near <= one <= far and math.isfinite(one)][:1]

    def feature_variable(self, d, cuts):
        """Make the cells of a feature from the first numbers above its cuts."""
        rule, start, others = self.features[d], self.precision(self.point[d]), []
        ends = [-next_up(-cut, self.precision) for cut in cuts] + [INF]  # of the intervals between cuts
        if not rule.fixed and not math.isnan(start):
            others = [self.nearest(rule, 1, cut) for cut in cuts if cut > start] + [
                self.nearest(rule, -1, end) for end in ends if end < start]
        elif not rule.fixed and rule.missing_allowed:  # the smallest of each interval, if there is one
            no_smallest = self.limits(rule, 1, self.precision)[0] == -INF and not rule.allowed
            others = [self.nearest(rule, -1, ends[0]) or [0.0] * (rule.range[1] > 0) if no_smallest else self.nearest(rule, 1, -INF),
                      *(self.nearest(rule, 1, cut) for cut in cuts)]
        values = sorted((one for one in {*chain(*others), rule.now} if not math.isnan(one)), key=self.precision)
        if math.isnan(start) or (rule.missing_allowed and not rule.fixed):
            values.append(math.nan)
        return variable([d], [([one], self.term(rule, one)) for one in values], [rule.now])

    def admits(self, rule, value):
        """Whether a column of a group may have a value."""
        near, far = self.limits(rule, 1 if value else -1, float)
        return value == rule.now or (not rule.fixed and near <= (value or -value) <= far and
                                     (not rule.allowed or value in rule.allowed))

    def group_variable(self, group):
        """Make the cells of a group: one column is 1, or none."""
        rules, now = ([of[d] for d in group.columns] for of in (self.features, self.point))
        need(now.count(1) <= 1 and set(now) <= {0, 1}, "the columns of a group are not one-hot")
        cells = []
        for hot in range(len(now) + 1):  # past the last: none
            values = [float(k == hot) for k in range(len(now))]
            if values == now:
                cells.append((values, 0.0))
            elif (hot < len(now) or group.none_allowed) and all(map(self.admits, rules, values)):
                cells.append((values, self.cost_of_size(group.weight, 1.0)))
        return variable(group.columns, cells, now)

    def variables(self):
        """Make the variables by number, in the order of the features."""
        tests = {node.test for model in self.models for tree in model.trees for node in tree.nodes.values()
                 if type(node) is Split}
        cuts = [set() for _ in self.point]  # [Cuts] the first number above each cut
        for test in [*tests, *chain(*self.clauses)]:
            cuts[test.feature] |= {first_from(value, self.precision, inclusive)
                                   for value, inclusive in test.cuts + ZERO_CUTS * test.zero if abs(value) < INF}
        groups = {column: group for group in self.groups for column in group.columns}
        return {d: self.group_variable(groups[d]) if d in groups else self.feature_variable(d, sorted(cuts[d]))
                for d in range(len(cuts)) if d not in groups or groups[d].columns[0] == d}


# ----------------------------------------------------------------------------------------- [The tree]

# Its cells of the variables on its path, what it adds to the outputs, and that in units.
Leaf = namedtuple("Leaf", "cells numbers whole")
# The cells of each variable, the position of the cheapest one where it is not the own one, and the live
# leaves of each tree and clause. A dead box, which holds no point better than the claim, is None.
Box = namedtuple("Box", "cells far live")


class Checker:
    """Walks the tree of a certificate. The claim is (changes or 0, cost): no better point has less of them."""

    def __init__(self, question, claim):
        self.question, self.claim, self.variables = question, claim, question.variables()
        self.sides, self.known = {}, {}  # what `side` and `cheapest` have given
        self.variable_of = {d: v for v, one in self.variables.items() for d in one.columns}
        self.trees = [(m, tree) for m, model in enumerate(question.models) for tree in model.trees]
        self.priced = [(one.model, one.number, condition) for one in question.wanted
                       if len(one.alternatives) == 1
                       for condition in one.alternatives[0] if condition.part is None]
        self.set_tolls()
        near = {v: sum(1 << at for at, cost in enumerate(variable.costs)
                       if question.fewest_first or cost < claim[1] or cost == 0)
                for v, variable in self.variables.items()}
        # A condition of a clause counts as a leaf: a point lies in one of each tree and clause.
        self.clauses = [[Leaf(dict([self.side(test)]), {}, {}) for test in clause]
                        for clause in question.clauses]
        live = [self.leaves(tree, near) for _, tree in self.trees] + self.clauses
        self.whole = self.restricted(Box(near, {}, live), near)

    def side(self, test):
        """Give the variable of a test, and those of its cells that pass."""
        if test not in self.sides:
            v = self.variable_of[test.feature]
            variable, column = self.variables[v], self.variables[v].columns.index(test.feature)
            self.sides[test] = v, sum(1 << at for at, values in enumerate(variable.values)
                                      if passes(test, self.question.precision(values[column])))
        return self.sides[test]

    def leaves(self, tree, cells):
        """Give the leaves of a tree that have some of these cells of each variable."""
        made, stack = [], [(0, {})]
        while stack:
            at, path = stack.pop()
            node = tree.nodes[at]
            if type(node) is dict:
                made.append(Leaf(path, node, {k: int(Fraction(one) * UNITS)
                                              for k, one in node.items()}))
                continue
            v, left = self.side(node.test)
            for child, side in ((node.left, left), (node.right, ~left)):
                if side & path.get(v, cells[v]):
                    stack.append((child, {**path, v: side & path.get(v, cells[v])}))
        return made

    # [Measure], [Live leaves]

    def measure(self, far):
        """Give (number of changes or 0, cost) of some changes {variable: position}."""
        cost = 0.0  # `sum` would round otherwise
        for v in sorted(far):
            term = self.variables[v].costs[far[v]]
            cost = max(cost, term) if self.question.norm == "linf" else cost + term
        return len(far) if self.question.fewest_first else 0, cost

    def cheapest(self, v, cells):
        """Give the position of the cheapest of some cells of a variable."""
        if (v, cells) not in self.known:
            self.known[v, cells] = next(at for at in self.variables[v].order if cells >> at & 1)
        return self.known[v, cells]

    def far_within(self, box, cells):
        """Give the changes {variable: position} of a box within some cells; None: it is excluded."""
        far = dict(box.far)
        for v, own in cells.items():
            common = own & box.cells[v]
            if not common:
                return None
            if not common >> self.variables[v].own & 1:
                far[v] = self.cheapest(v, common)
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
        trees = [(tree.outputs, leaves) for (m, tree), leaves in zip(self.trees, box.live)
                 if m == outcome.number]

        def upper(plus, minus, sign):
            total = sum(max(sign * (leaf.whole.get(plus, 0) - leaf.whole.get(minus, 0)) for leaf in leaves)
                        for outputs, leaves in trees if plus in outputs or minus in outputs)
            return Fraction(total, UNITS) * model.unit + model.offset(plus, minus, sign)

        if model.bounded and outcome.refuted(outcome.alternatives, upper):
            return True
        return all(len(leaves) == 1 for _, leaves in trees) and \
            outcome.certainly(model.scores([leaves[0].numbers for _, leaves in trees]), False)

    # [Rule D: dual bound]

    def set_tolls(self):
        """[Tolls] Make the tolls by position, and the limit of their sum."""
        count, (changes, cost) = len(self.variables), self.claim
        if 0 < cost < INF and self.question.norm != "linf" and not self.question.fewest_first:
            scale = Fraction(2) ** (41 - math.frexp(cost)[1])
            self.limit = math.floor(Fraction(cost) * scale) + 2 + (count + 2) // 1024
            self.tolls = {v: [min(math.floor(Fraction(one) * scale), self.limit) for one in variable.costs]
                          for v, variable in self.variables.items()}
        else:
            most = min(count, self.question.max_changes, changes if self.question.fewest_first else count)
            self.limit = (most + 1) * 2 ** 30
            self.tolls = {v: [2 ** 30 * (at != variable.own) for at in range(len(variable.costs))]
                          for v, variable in self.variables.items()}

    def read_dual(self, unit, tokens):
        """Read exponent, prices, shares of each tree {variable: [(cells, share)]}, their sums."""
        exponent = take(tokens, -60, 800)
        prices = [take(tokens, 0, 2 ** 31 - 1) for _ in self.priced]
        shares, sums = [], {v: [0] * len(one.costs) for v, one in self.variables.items()}
        for _ in self.trees:
            shares.append({})
            for _ in range(take(tokens, 0, len(self.variables))):
                v = take(tokens, 0, len(self.question.point))
                need(v in self.variables and v not in shares[-1], "rule D: shares of no variable", Rejected)
                count, runs, begin, share = len(self.variables[v].costs), [], 0, 0
                for _ in range(take(tokens, 1, count)):
                    end, before = take(tokens, begin, count - 1), share
                    runs.append(((1 << end) - (1 << begin), share))
                    begin, share = end, take(tokens, 1 - 2 ** 31, 2 ** 31 - 1) * 2 ** unit
                    sums[v][begin] += share - before
                shares[-1][v] = [*runs, ((1 << count) - (1 << begin), share)]
        return exponent, prices, shares, {v: list(accumulate(one)) for v, one in sums.items()}

    def thinned(self, box, exponent, prices, shares, sums):
        """Give a box without the leaves that the bound excludes."""
        weights, bound, shift = Counter(), 0, 1074 - exponent  # from units to the numbers of the bound
        for price, (model, m, (plus, minus, sign, least, _)) in zip(prices, self.priced):
            if price:
                need(abs(least) < INF and model.bounded, "rule D: a price that cannot be used", Rejected)
                weights[m, plus] += sign * price
                weights[m, minus] -= sign * price
                needed = (least - model.offset(plus, minus, sign)) / model.unit
                bound += price * math.floor(needed * Fraction(2) ** exponent)
        for v in self.variables:
            bound += min(toll - share for at, (toll, share) in enumerate(zip(self.tolls[v], sums[v]))
                         if box.cells[v] >> at & 1)
        values = []
        for (m, _), leaves, own in zip(self.trees, box.live, shares):
            values.append([])
            for leaf in leaves:
                value = 0
                for v, runs in own.items():
                    common = box.cells[v] & leaf.cells.get(v, -1)
                    value += min(share for cells, share in runs if cells & common)
                for k, whole in leaf.whole.items():  # rounded up if the weight is positive
                    value += abs(weights[m, k]) * ((-whole if weights[m, k] > 0 else whole) >> shift)
                values[-1].append(value)
            bound += min(values[-1])
        live = [[leaf for leaf, value in zip(leaves, of) if bound - min(of) + value < self.limit]
                for leaves, of in zip(box.live, values)]
        return box._replace(live=live + box.live[len(live):]) if all(live) else None

    # [The point]

    def check_point(self, point):
        """Check that a point consists of cells, costs what is claimed, and has the outcome."""
        need(len(point) == len(self.question.point), "the point has the wrong length", Rejected)
        chosen = {v: position([point[d] for d in one.columns], one.values) for v, one in self.variables.items()}
        need(None not in chosen.values(), "a value of the point is not that of a cell", Rejected)
        cells = {v: 1 << at for v, at in chosen.items()}
        far = {v: at for v, at in chosen.items() if at != self.variables[v].own}
        need(self.measure(far) == self.claim and len(far) <= self.question.max_changes,
             "the point has another cost or number of changes than claimed", Rejected)
        need(all(any(leaf.cells[v] & cells[v] for leaf in clause for v in leaf.cells)
                 for clause in self.clauses), "the point breaks a clause", Rejected)
        for one in self.question.wanted:
            leaves = [self.leaves(tree, cells)[0].numbers for tree in one.model.trees]
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
                count, first = len(self.variables[token].costs), 0
                for _ in range(take(tokens, 0, count)):
                    first ^= (1 << take(tokens, 0, count)) - 1
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


def take(tokens, low, high):
    """Take a number of the tree within some limits."""
    token = next(tokens)
    need(low <= token <= high, f"the number {token} is out of range", Rejected)
    return token


PROOF = {"boxwood_proof": 1, "claim": "optimal infeasible lower_bound", "models": [None], "question": None,
         "tree": [None], "point?": [math.nan], "cost?": INF, "changes?": 0}
KEYS = {"optimal": {"cost", "changes", "point"}, "lower_bound": {"cost", "changes"}, "infeasible": set()}


def check(models, question_bytes, data):
    """[What is proven] Check a proof; gives what is proven. Raises Rejected or Unsupported."""
    decimal.setcontext(PRECISE)
    question, proof = Question(parsed(question_bytes), models), fit(data, PROOF, "a proof")
    need(proof.boxwood_proof == 1, "another version")
    need(proof.models == [model.hash for model in models] and
         proof.question == hashlib.sha256(question_bytes).hexdigest(),
         "the proof is about other models or another question", Rejected)
    left_out = set() if question.fewest_first else {"changes"}
    need(data.keys() & KEYS["optimal"] == KEYS[proof.claim] - left_out and proof.cost >= 0 and
         all(type(token) is int for token in proof.tree),
         "a claim with other keys, a cost below 0, or a tree of other things than whole numbers", Rejected)
    checker = Checker(question, (INF if proof.claim == "infeasible" else proof.changes, proof.cost))
    if proof.claim == "optimal":
        checker.check_point(proof.point)
    try:
        boxes = checker.run(proof.tree)
    except StopIteration:
        raise Rejected("the tree ends before every box is closed") from None
    if proof.claim == "infeasible":
        return f"no admissible point has the outcome ({boxes} boxes)"
    fewest = f" of at most {proof.changes} changes" if question.fewest_first else ""
    return f"no admissible point{fewest} with the outcome costs less than {proof.cost!r} ({boxes} boxes)"


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
    except Exception as error:  # noqa: BLE001 - whatever fails, nothing is proven
        rejected = isinstance(error, Rejected)
        verdict = "rejected:" if rejected else f"cannot be checked: {type(error).__name__}:"
        print(verdict, ascii(str(error))[1:-1][:500])  # names in files must not forge lines
        return 1 if rejected else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
