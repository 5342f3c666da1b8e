#!/usr/bin/env python3
"""Checks a Boxwood proof: that no admissible point with the wanted outcome is cheaper than claimed.

    python3 boxwood_check.py MODEL [MODEL ...] QUESTION PROOF

MODEL is Boxwood's model file or an XGBoost JSON file, QUESTION a question file, PROOF a certificate
(docs/formats.md, docs/proof.md). Prints "accepted" and what is proven, or "rejected" and why. Exit
code 0: accepted, 1: rejected, 2: a file cannot be read or uses something that proofs do not cover.

The file uses the Python standard library only and shares no code with Boxwood. Scores are exact
integers, thresholds exact fractions. Costs are IEEE doubles, added in the order that the claim is
about; Python's floats are IEEE doubles. Words in square brackets are headings or bold words of
docs/proof.md, which has the theorem behind each part.
"""

import bisect
import decimal
import functools
import hashlib
import json
import math
import struct
import sys
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

INF = math.inf
OVERFLOWING = 2.0 ** 127  # what a library calculates as an infinite output is at least this large
decimal.getcontext().prec = 40
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN
FUZZ = Decimal(10) ** -30  # far above the error of a Decimal function of 40 digits


class Rejected(Exception):
    """The certificate proves nothing."""


class Unsupported(Exception):
    """The model or the question is outside of what proofs cover, or a file is malformed."""


# ------------------------------------------------------------------------------------- numbers


def number(value):
    """Read a number of a JSON file; infinities and NaN are text there."""
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unsupported(f"{value!r} is not a number")
    return float(value)


def numbers(values):
    return [number(value) for value in values]


def single(value):
    """Round a double to float32, as a double."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(INF, value)


def next_up(value, is_single):
    """Give the next larger number of the precision."""
    if not is_single:
        return math.nextafter(value, INF)
    if value in (0.0, INF):
        return value if value else 2.0 ** -149
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    return struct.unpack("<f", struct.pack("<i", bits + 1 if value > 0 else bits - 1))[0]


def least_from(bound, is_open, is_single):
    """Give the smallest number of the precision that is >= bound (> bound if open)."""
    if bound in (INF, -INF):
        return bound
    value = float(bound)  # correctly rounded, also from a Fraction
    value = single(value) if is_single else value
    while value == INF or (value != -INF and Fraction(value) > bound):
        value = -next_up(-value, is_single)
    while value != INF and (value == -INF or Fraction(value) < bound or (is_open and Fraction(value) == bound)):
        value = next_up(value, is_single)
    return value


def exponential(value):
    """Give e to a Decimal; 0 and infinity stand for what is far beyond every double."""
    return Decimal(0) if value < -100000 else Decimal("inf") if value > 100000 else value.exp()


def softplus_score(output):
    """Give ln(exp(output) - 1); small outputs lose up to 302 digits in the difference."""
    with decimal.localcontext() as context:
        context.prec = 400
        return +(output.exp() - 1).ln() if output < 1000 else output


def decimal_of(value):
    """Give a Fraction or float as a Decimal of 40 digits."""
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


class Interval(NamedTuple):
    """An interval of the question file."""

    lower: float = -INF
    upper: float = INF
    lower_closed: bool = True
    upper_closed: bool = True

    @staticmethod
    def of(data):
        return Interval(number(data[0]), number(data[1]), data[2], data[3])

    def ends(self):
        """Both ends as (sign, end, closed); sign 1: at least the end, sign -1: at most."""
        return (1, self.lower, self.lower_closed), (-1, self.upper, self.upper_closed)

    def holds(self, value):
        return (value >= self.lower if self.lower_closed else value > self.lower) and \
            (value <= self.upper if self.upper_closed else value < self.upper)


# ----------------------------------------------------------------------------------- the model


class Node(NamedTuple):
    """A node of a tree, with the names of the model file."""

    kind: int  # position in Model.KINDS
    feature: int
    threshold: float
    left: int
    right: int
    value: int
    missing_left: bool
    missing_at_zero: bool
    zero_up: bool


class Tree(NamedTuple):
    """A tree: the output that it adds to (-1: all), nodes, leaf values, sets of categories."""

    output: int
    nodes: list
    values: list
    sets: list


class Model:
    """One ensemble, with the fields of Boxwood's model file."""

    KINDS = ("leaf", "<", "<=", "==", "in")
    ZERO = single(1e-35)  # up to here a number counts as zero where zero goes with missing values

    def __init__(self, data):
        if "learner" in data:
            data = xgboost_as_boxwood(data)
        if data.get("boxwood_model") != 1:
            raise Unsupported("the model file is neither Boxwood's (version 1) nor XGBoost JSON")
        self.task, self.link, self.order = data["task"], data["link"], data["order"]
        self.form = data.get("link_form", "plain")
        self.input, self.accumulator = data["input"], data["accumulator"]
        self.factor, self.divisor = number(data.get("factor", 1)), number(data.get("divisor", 1))
        self.steepness = number(data.get("steepness", 1))
        self.decision = data.get("decision", "output_above_half")
        self.base, self.width = numbers(data["base"]), len(data["features"])
        self.single = self.accumulator == "float32"
        self.round = single if self.single else float
        self.trees = [self.tree(tree) for tree in data["trees"]]

    def tree(self, data):
        falses = [False] * len(data["kind"])
        nodes = [Node(*fields) for fields in zip(
            map(self.KINDS.index, data["kind"]), data["feature"], numbers(data["threshold"]), data["left"],
            data["right"], data["value"], data["missing_left"], data.get("missing_at_zero", falses),
            data.get("zero_up", falses))]
        for at, node in enumerate(nodes):
            if node.kind and not at < node.left < len(nodes) > node.right > at:
                raise Unsupported("a child does not come after its parent")
        return Tree(data["output"], nodes, numbers(data["values"]), data.get("sets", []))

    def digest(self):
        """[The hash of a model]"""
        parts = [" ".join(["boxwood model 1", self.input, self.accumulator, self.order, self.link, self.form,
                           self.task, self.decision, ""]).encode(),
                 struct.pack("<dddI", self.factor, self.divisor, self.steepness, len(self.base)),
                 struct.pack(f"<{len(self.base)}d", *self.base), struct.pack("<II", self.width, len(self.trees))]
        for tree in self.trees:
            parts.append(struct.pack("<iI", tree.output, len(tree.nodes)))
            for node in tree.nodes:
                flags = node.missing_left + 2 * node.missing_at_zero + 4 * node.zero_up
                parts.append(struct.pack("<BBiiiid", node.kind, flags, node.feature, node.left, node.right,
                                         node.value, node.threshold))
            parts.append(struct.pack(f"<I{len(tree.values)}d", len(tree.values), *tree.values))
            parts.append(struct.pack("<I", len(tree.sets)))
            parts += [struct.pack(f"<I{len(one)}i", len(one), *one) for one in tree.sets]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def goes_left(self, node, sets, value):
        """Whether a value, read as the model reads it, goes to the left child."""
        value = single(value) if self.input == "float32" else value
        if math.isnan(value) or (node.missing_at_zero and abs(value) <= self.ZERO):
            return bool(node.missing_left)
        if node.kind == 4:
            return -1 < value < 2 ** 31 and not (node.zero_up and value < 0) and int(value) in sets[node.value]
        return value < node.threshold if node.kind == 1 else value <= node.threshold if node.kind == 2 \
            else value == node.threshold

    def leaf_of(self, tree, point):
        """Give the leaf of a point."""
        node = tree.nodes[0]
        while node.kind:
            node = tree.nodes[node.left if self.goes_left(node, tree.sets, point[node.feature]) else node.right]
        return self.numbers_of(tree, node)

    def numbers_of(self, tree, leaf):
        return tree.values[leaf.value:leaf.value + (len(self.base) if tree.output == -1 else 1)]

    @staticmethod
    def cuts(node, sets):
        """[Cuts] List the cuts (value, inclusive) of a split."""
        if node.kind == 4:
            return set_cuts(sets[node.value], node.zero_up)
        kinds = {1: [False], 2: [True], 3: [False, True]}[node.kind]
        zero = [(-Model.ZERO, False), (Model.ZERO, True)] if node.missing_at_zero else []
        return [(node.threshold + 0.0, inclusive) for inclusive in kinds] + zero

    def unit(self):
        """Raw scores per unit of the trees' sum."""
        return Fraction(self.round(self.factor)) / Fraction(self.round(self.divisor))

    def scores(self, leaves):
        """Add the leaves (one list of numbers for each tree) as the library does."""
        first = self.order == "base_first"
        sums = [self.round(value) if first else 0.0 for value in self.base]
        for tree, values in zip(self.trees, leaves):
            for k, value in enumerate(values, 0 if tree.output == -1 else tree.output):
                sums[k] = self.round(sums[k] + self.round(value))
        for k, total in enumerate(sums):
            total = self.round(total * self.round(self.factor)) if self.factor != 1 else total
            total = self.round(total / self.round(self.divisor)) if self.divisor != 1 else total
            sums[k] = total if first else self.round(total + self.round(self.base[k]))
        return sums

    def error(self, k):
        """[The error of a score] INF where a sum may overflow."""
        base, total, count = abs(Fraction(self.round(self.base[k]))), Fraction(0), 6
        for tree in self.trees:
            if tree.output in (-1, k):
                used = tree.values[k::len(self.base)] if tree.output == -1 else tree.values
                total += max(abs(Fraction(self.round(value))) for value in used)
                count += 1
        unit, factor = self.unit(), Fraction(self.round(self.factor))
        share = Fraction(count, 2 ** (24 if self.single else 53))
        if (total + base) * max(1, factor) * max(1, unit) + base >= 2 ** (126 if self.single else 1022) or \
                share > Fraction(1, 4):
            return INF
        return ((total + base) * unit + base) * share / (1 - share) + Fraction(1, 2 ** (140 if self.single else 1060))


def set_cuts(codes, zero_up):
    """[Cuts] List the cuts around the runs of a set of categories."""
    codes = set(codes)
    return [(-1.0, True) if code == 0 and not zero_up else (float(code), False)
            for code in codes if code - 1 not in codes] + \
        [(code + 1.0, False) for code in codes if code + 1 not in codes]


def xgboost_as_boxwood(data):
    """Give an XGBoost JSON file in the form of the model file."""
    learner = data["learner"]
    known = {"binary:logistic": ("binary", "sigmoid"), "binary:logitraw": ("binary", "identity"),
             "multi:softprob": ("multiclass", "softmax"), "multi:softmax": ("multiclass", "winner"),
             "reg:squarederror": ("regression", "identity")}
    task, link = known.get(learner["objective"]["name"], (None, None))
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
    for tree, output in zip(booster["trees"], booster["tree_info"]):
        if any(tree.get("split_type", [])) or int(tree["tree_param"].get("size_leaf_vector", 1)) > 1:
            raise Unsupported("categories and vector leaves of XGBoost files are not read directly")
        made = {"output": output, "values": [], **{key: [] for key in (
            "kind", "feature", "threshold", "left", "right", "value", "missing_left")}}
        numbering = [0]
        for index in numbering:  # breadth first, as Boxwood numbers nodes
            child, value = tree["left_children"][index], single(tree["split_conditions"][index])
            fields = ("leaf", -1, 0.0, -1, -1, len(made["values"]), False) if child == -1 else \
                ("<", tree["split_indices"][index], value, len(numbering), len(numbering) + 1, -1,
                 bool(tree["default_left"][index]))
            for key, field in zip(("kind", "feature", "threshold", "left", "right", "value", "missing_left"), fields):
                made[key].append(field)
            made["values"] += [value] if child == -1 else []
            numbering += [] if child == -1 else [child, tree["right_children"][index]]
        trees.append(made)
    return {"boxwood_model": 1, "task": task, "link": link, "input": "float32", "accumulator": "float32",
            "order": "base_first", "base": base * (outputs if len(base) == 1 else 1), "trees": trees,
            "features": [None] * int(parameters["num_feature"])}


# --------------------------------------------------------------- [Alternatives and conditions]


class Condition(NamedTuple):
    """sign * (score[plus] - score[minus] - centre) >= least - slack, for the scores of the library.

    Where the scores are known, slack is 0, the difference is rounded as the library does, and the
    result may not be `barred`. With `part`, instead: the softmax of plus is at least (sign 1) or at
    most (sign -1) `part`.
    """

    plus: int
    least: object = -INF  # a Fraction or an infinity
    sign: int = 1
    minus: int | None = None
    centre: float = 0.0
    barred: float | None = None
    slack: Fraction = Fraction(0)
    in_single: bool = False
    part: Decimal | None = None


class Outcomes:
    """Requirements on one model as alternatives of conditions, with the allowances of [Links]."""

    INVERSE = {  # the score of an output, and the outputs that a score may have
        "sigmoid": (lambda y, steep: (y / (1 - y)).ln() / steep, 0, 1),
        "exponential": (lambda y, _: y.ln(), 0, INF),
        "softplus": (lambda y, _: softplus_score(y), 0, INF),
        "isolation": (lambda y, _: -(-y).ln() / Decimal(2).ln(), -INF, 0),
        "square": (lambda y, _: abs(y).sqrt().copy_sign(y), -INF, INF),
    }
    DIRECT = ("identity", "votes")

    def __init__(self, model):
        self.model, self.link = model, model.link
        onnx = model.form == "onnxruntime"
        if onnx and not (model.single and model.link in ("sigmoid", "softmax", *self.DIRECT)):
            raise Unsupported(f"models with the link {model.link} in the form {model.form}")
        self.tiny = Decimal(2) ** (-20 if onnx else -120 if model.single else -1000)
        self.near = Fraction(1, 2 ** (20 if model.single else 46))

    def relative(self, output):
        """[Links] Bound the relative error of a link's result near an output."""
        if self.link == "softmax":
            single_error = Decimal(2) ** -16 + len(self.model.base) * Decimal(2) ** -23
            return single_error if self.model.single else Decimal(2) ** -38
        if self.link == "sigmoid" and output < Decimal("0.51"):
            return Decimal(2) ** (-15 if self.model.single else -38)
        return Decimal(2) ** (-20 if self.model.single else -42)

    def score_for(self, output, sign):
        """Bound the score: an output >= (sign -1: <=) `output` needs a score beyond the result."""
        if output == -sign * INF:
            return output  # no condition
        if self.link in self.DIRECT:
            return output if output == sign * INF else Fraction(output)
        if self.link not in self.INVERSE:
            raise Unsupported(f"outputs of the link {self.link}")
        inverse, lowest, highest = self.INVERSE[self.link]
        y = decimal_of(sign * OVERFLOWING if output == sign * INF else output)
        y -= sign * (abs(y) * self.relative(y) * 2 + self.tiny)
        if y <= lowest or y >= highest:
            return INF if y >= highest else -INF
        score = inverse(y, Decimal(self.model.steepness))
        return Fraction(score - sign * (abs(score) + 1) * FUZZ)

    def output_within(self, k, interval):
        """Conditions for output k in an interval."""
        if self.link == "softmax":
            return self.softmax_within(k, interval)
        return [Condition(k, sign * self.score_for(end, sign), sign,
                          barred=None if closed or self.link not in self.DIRECT else sign * end)
                for sign, end, closed in interval.ends()]

    def softmax_within(self, k, interval):
        """[Softmax] Conditions for a probability in an interval."""
        rivals = [r for r in range(len(self.model.base)) if r != k]
        relative = 2 * self.relative(1)
        low = Decimal(min(interval.lower, 2)) * (1 - relative) - self.tiny if interval.lower > 0 else Decimal(0)
        high = Decimal(max(interval.upper, -1)) * (1 + relative) + self.tiny if interval.upper < 1 else Decimal(1)
        lead = INF if low >= 1 or high <= 0 else \
            Fraction((low / (1 - low)).ln() - 1000 * FUZZ) if low > 0 else -INF
        return [Condition(k, lead, minus=r) for r in rivals] + [
            Condition(k, sign=sign, part=part) for sign, part in ((1, low), (-1, high)) if 0 < part < 1]

    def score_within(self, k, rival, interval):
        """Conditions for a score, or a lead over a rival, in an interval."""
        made = []
        for sign, end, closed in interval.ends():
            exact = Fraction(end) if math.isfinite(end) else None
            made.append(Condition(k, sign * end if exact is None else sign * exact, sign, rival,
                                  barred=None if closed else sign * end,
                                  slack=abs(exact or 0) / Fraction(2 ** 52) if rival is not None else Fraction(0)))
        return made

    def middle(self):
        """Give the score at which a binary model changes its class."""
        half = self.model.decision == "score_above_half" or \
            (self.model.decision == "output_above_half" and self.link in self.DIRECT)
        return 0.5 if half else 0.0

    def wins(self, target):
        """Conditions for a predicted class; ties are won by class 0, or by the first of several."""
        model = self.model
        by_output = model.decision == "output_above_half" and self.link not in (*self.DIRECT, "winner")
        if model.task == "binary":
            if by_output and self.link != "sigmoid":
                raise Unsupported(f"classes of the link {self.link}")
            sign, from_zero = (1 if target == 1 else -1), model.decision == "score_from_zero"
            near = self.near / min(1, Fraction(model.steepness)) if by_output and target == 0 else 0
            barred = sign * self.middle() if (target == 1) != from_zero else None
            return [Condition(0, sign * Fraction(self.middle()) - near, sign, barred=barred)]
        if by_output and self.link != "softmax":
            raise Unsupported(f"classes of several outputs with the link {self.link}")
        near = self.near if by_output else Fraction(0)
        return [Condition(target, -near, 1, k, barred=0.0 if k < target else None)
                for k in range(len(model.base)) if k != target]

    def alternatives(self, wanted, negated):
        """List alternatives, of which every point with the outcome (negated: without it) fulfils one."""
        model = self.model
        if "range" in wanted or "probability" in wanted:
            return [self.conditions(wanted, side) for side in self.sides(wanted, negated)]
        targets = wanted["classes"] if "classes" in wanted else [wanted["class"]]
        classes = range(2 if model.task == "binary" else len(model.base))
        won = [self.wins(k) for k in classes if (k in targets) != negated]
        if "margin" not in wanted:
            return won
        margin, target = number(wanted["margin"]), targets[0]
        side = Interval(upper=margin, upper_closed=False) if negated else Interval(lower=margin)
        if model.task == "binary":
            centre, towards = self.middle(), 1 if target == 1 else -1
            leads = [[Condition(0, Fraction(-margin if negated else margin), -towards if negated else towards,
                                centre=centre, barred=-margin if negated else None,
                                slack=(abs(Fraction(margin)) + 1) / 2 ** 50)]]
        else:
            leads = [self.score_within(target, k, side) for k in classes if k != target]
        return won + leads if negated else [won[0] + sum(leads, [])]

    @staticmethod
    def sides(wanted, negated):
        """Give the intervals that an outcome, or its opposite, asks for."""
        interval = Interval.of(wanted["range"]) if "range" in wanted else Interval(lower=number(wanted["probability"]))
        if interval.lower == INF or interval.upper == -INF:
            raise Unsupported("an interval that holds no finite number")
        if not negated:
            return [interval]
        below = Interval(upper=interval.lower, upper_closed=not interval.lower_closed)
        above = Interval(lower=interval.upper, lower_closed=not interval.upper_closed)
        # An output that overflows is outside of an interval that is open there.
        return [side for side, end, closed in ((below, interval.lower, interval.lower_closed),
                                               (above, interval.upper, interval.upper_closed))
                if math.isfinite(end) or not closed]

    def conditions(self, wanted, side):
        """Conditions for an interval of whatever the requirement is about."""
        if "score" in wanted:
            return self.score_within(wanted["score"], wanted.get("rival"), side)
        if "output" in wanted:
            return self.output_within(wanted["output"], side)
        if self.model.task == "multiclass":
            return self.output_within(wanted["class"], side)
        if wanted["class"] == 1:
            return self.output_within(0, side)
        # Class 0 of a binary model: 1 - output, rounded by the library.
        slack = Fraction(1, 2 ** (23 if self.model.single else 51))
        sign, end, closed = (1, side.lower, side.lower_closed) if side.lower > -INF else \
            (-1, side.upper, side.upper_closed)
        if self.link in self.DIRECT:
            return [Condition(0, sign * Fraction(end), -sign, centre=1.0, barred=None if closed else sign * end,
                              slack=slack, in_single=self.model.single)]
        score = self.score_for(1 - Fraction(end) + sign * slack, -sign)
        return [Condition(0, -sign * score, -sign)]

    def fails(self, condition, upper, known):
        """Whether a condition cannot hold; upper(plus, minus, sign) bounds or, if known, gives differences."""
        if condition.part is not None:
            return self.softmax_fails(condition, upper)
        if not known:
            if condition.least in (INF, -INF):
                return condition.least == INF
            most = upper(condition.plus, condition.minus, condition.sign)
            centre = condition.sign * Fraction(condition.centre)
            return most != INF and most - centre < condition.least - condition.slack
        value = upper(condition.plus, condition.minus, 1) - condition.centre
        value = condition.sign * (single(value) if condition.in_single else value)
        return value < condition.least or value == condition.barred

    def softmax_fails(self, condition, upper):
        """[Softmax] Whether leads are too small for a probability to be large (or small) enough."""
        total, k = Decimal(0), condition.plus
        for rival in range(len(self.model.base)):
            if rival != k:
                most = upper(k, rival, 1) if condition.sign == 1 else upper(rival, k, 1)
                if not -INF < most < INF:
                    return False
                total += exponential(-condition.sign * decimal_of(most))
        if condition.sign == 1:
            return 1 / (1 + total * (1 - FUZZ)) < condition.part * (1 - FUZZ)
        return total * (1 + FUZZ) < (1 / condition.part - 1) * (1 - FUZZ)

    def refuted(self, alternatives, upper, known=False):
        """Whether every alternative has a condition that cannot hold."""
        return all(any(self.fails(one, upper, known) for one in conditions) for conditions in alternatives)

    def certainly(self, wanted, scores, holds):
        """[Known scores] Whether scores that the library computes certainly have an outcome or not."""
        plain = self.link in (*self.DIRECT, "winner")
        if not all(math.isfinite(score) or (plain and not math.isnan(score)) for score in scores):
            return False

        def difference(plus, minus, _):
            return scores[plus] if minus is None else 0.0 if scores[plus] == scores[minus] else \
                scores[plus] - scores[minus]

        opposite = wanted.get("negated", False) != holds
        return self.refuted(self.alternatives(wanted, opposite), difference, True)


# -------------------------------------------------------------------------------- the question


class Variable:
    """A feature or a one-hot group: its admissible cells, each with its cheapest value and cost."""

    def __init__(self, columns, cells, own):
        self.columns, self.cells = columns, cells  # a cell: (values of the columns, cost), by position
        # Bit i of a mask is the i-th cheapest cell; the own cell comes first.
        order = sorted(range(len(cells)), key=lambda at: (cells[at][1], at != own))
        self.costs = [cells[at][1] for at in order]
        self.bit = [0] * len(cells)  # of a position
        for bit, at in enumerate(order):
            self.bit[at] = 1 << bit
        self.below = [0]  # the cells below a position
        for bit in self.bit:
            self.below.append(self.below[-1] | bit)


class Question:
    """What is asked: admissible values, costs, clauses, requirements."""

    def __init__(self, data, models):
        self.models, self.data, self.norm = models, data, data["cost"]
        self.point, self.rules = numbers(data["point"]), data["features"]
        self.clauses, self.requirements = data.get("clauses", []), data["requirements"]
        self.max_changes, self.fewest = data.get("max_changes"), data.get("fewest_first", False)
        self.mixture = {key: number(value) for key, value in data.get("mixture", {}).items()}
        if data.get("boxwood_question") != 1 or self.norm not in ("l2", "l1", "l0", "linf", "mixture"):
            raise Unsupported("the question file is not of version 1, or its cost is not known")
        if not self.requirements or {model.width for model in models} != {len(self.point)} or \
                len(self.rules) != len(self.point):
            raise Unsupported("the question does not fit the models")
        self.single = any(model.input == "float32" for model in models)
        self.read = single if self.single else float
        self.groups = {column: group for group in data.get("groups", []) for column in group["columns"]}
        self.ranges = [Interval.of(rule["range"]) if "range" in rule else Interval() for rule in self.rules]

    def same(self, d, value):
        """Whether a value is the present one."""
        return value == self.point[d] or (math.isnan(value) and math.isnan(self.point[d]))

    # [Costs] The same operations in the same order as the claim is about.

    def cost_of_size(self, weight, size):
        if self.norm == "mixture":
            l2, l1 = self.mixture["l2"], self.mixture["l1"]
            return weight * ((l2 * (size * size) if l2 > 0 else 0.0) + (l1 * size if l1 > 0 else 0.0) +
                             self.mixture["l0"])
        return weight if self.norm == "l0" else weight * (size * size) if self.norm == "l2" else weight * size

    def term(self, d, to):
        """Give the cost of changing feature d to a value."""
        start, rule = self.point[d], self.rules[d]
        if self.same(d, to):
            return 0.0
        weight = number(rule.get("weight", 1))
        if math.isnan(to) or math.isnan(start):
            return self.cost_of_size(weight, 1.0) if rule.get("missing_allowed") else INF
        if rule.get("kind") == "categorical":
            row, column = (int(min(max(code, 0.0), 2.0 ** 40)) for code in (start, to))
            table = rule.get("changes", [])
            size = number(table[row][column]) if row < len(table) and column < len(table[row]) else 1.0
            return self.cost_of_size(weight, size) if size != INF else INF
        weight = weight * number(rule.get("up" if to > start else "down", 1))
        if rule.get("quantiles"):
            shares = numbers(rule["quantiles"])
            return self.cost_of_size(weight, abs(share_below(shares, to) - share_below(shares, start)))
        return self.cost_of_size(weight, abs(to - start) / number(rule.get("scale", 1)))

    def group_cost(self, group, now, hot):
        if now == hot:
            return 0.0
        forbidden = hot == len(group["columns"]) and not group.get("none_allowed")
        return INF if forbidden else self.cost_of_size(number(group.get("weight", 1)), 1.0)

    @staticmethod
    def hot(group, point):
        """Give the position of the column that is 1, or the number of columns."""
        values = [point[column] for column in group["columns"]]
        if values.count(1) > 1 or any(value not in (0, 1) for value in values):
            raise Rejected("the columns of a group are not one-hot")
        return values.index(1) if 1 in values else len(values)

    # [Cells] Admissible values.

    def limits(self, d, upward, is_single):
        """Bounds [(value, open)] from below and above for a change in one direction; None: forbidden."""
        rule, start = self.rules[d], self.point[d]
        read = single if is_single else float
        low = [(read(self.ranges[d].lower), not self.ranges[d].lower_closed)]
        high = [(read(self.ranges[d].upper), not self.ranges[d].upper_closed)]
        if not math.isfinite(start):
            return low, high
        if rule.get("direction", "both") == ("down" if upward else "up"):
            return None
        sign = 1 if upward else -1
        least, most = number(rule.get("least_change", 0)), number(rule.get("most_change", INF))
        if least > 0:
            (low if upward else high).append((Fraction(start) + sign * Fraction(least), False))
        if most < INF:
            (high if upward else low).append((Fraction(start) + sign * Fraction(most), False))
        return low, high

    def multiple(self, step, times):
        """Give a multiple of a step as the models read it."""
        parts = float(round(1 / step))
        return self.read(times / parts if parts > 1 and 1 / parts == step else times * step)

    def snapped(self, d, value, sign):
        """Give the nearest value of the feature's own kind, not below (sign -1: above) a number."""
        rule = self.rules[d]
        if rule.get("allowed"):
            fitting = [one for one in map(self.read, numbers(rule["allowed"])) if sign * one >= sign * value]
            return (min if sign == 1 else max)(fitting, default=sign * INF)
        step = number(rule.get("step", 0))
        if not math.isfinite(value):
            return value
        if step > 0:
            if self.multiple(step, float(round(Fraction(value) / Fraction(step)))) == value:
                return value
            times = sign * math.ceil(sign * Fraction(value) / Fraction(step))
            if abs(times) > 2 ** 50:
                raise Unsupported("a step that is too fine for its values")
            while sign * self.multiple(step, float(times - sign)) >= sign * value:
                times -= sign
            while sign * self.multiple(step, float(times)) < sign * value:
                times += sign
            return self.multiple(step, float(times))
        if rule.get("kind", "continuous") != "continuous":
            return float(sign * math.ceil(sign * value))
        return value

    def nearest(self, d, lower, upper, upward):
        """Give the first admissible value between two bounds, from below (above); None if there is none."""
        limits = self.limits(d, upward, self.single)
        if limits is None:
            return None
        low, high = limits[0] + lower, limits[1] + upper
        if upward:
            value = max(least_from(bound, is_open, self.single) for bound, is_open in low)
        else:
            value = -max(least_from(-bound, is_open, self.single) for bound, is_open in high)
        value = self.snapped(d, value, 1 if upward else -1)
        return value + 0.0 if math.isfinite(value) and fits(value, low, high) else None

    def cheapest_code(self, d, lower, upper):
        """Give the cheapest admissible code of a feature with a table of changes."""
        rule, width = self.rules[d], float(max(map(len, [self.rules[d]["changes"], *self.rules[d]["changes"]])))
        if rule.get("allowed"):
            codes = [self.read(code) for code in numbers(rule["allowed"])]
        else:  # within the table, and the first beyond each of its ends
            step = max(number(rule.get("step", 0)), 1.0)
            codes = [step * k for k in range(math.ceil(width / step))] + [
                self.nearest(d, max([(width, False)], lower), upper, True),
                self.nearest(d, lower, upper if upper and upper[0][0] <= 0 else [(0.0, True)], False)]
        codes = [code for code in codes if code is not None and self.ranges[d].holds(code) and
                 fits(code, lower, upper)]
        return min(codes, key=lambda code: self.term(d, code), default=None)

    def has_table(self, d):
        return self.rules[d].get("kind") == "categorical" and bool(self.rules[d].get("changes"))

    def admissible(self, d, value):
        """Whether a feature may have a value, which is read exactly."""
        if self.same(d, value):
            return True
        if self.rules[d].get("fixed") or not math.isfinite(self.term(d, value)):
            return False
        if math.isnan(value):
            return True
        if not math.isfinite(value) or self.read(value) != value:
            return False
        near = [(value, False)]
        if self.has_table(d):
            return self.cheapest_code(d, near, near) is not None
        return self.nearest(d, near, near, math.isnan(self.point[d]) or value > self.point[d]) is not None

    def may_be_hot(self, group, hot):
        """Whether the columns of a group may change to a position."""
        for k, column in enumerate(group["columns"]):
            value, rule = float(k == hot), self.rules[column]
            if value == self.point[column]:
                continue
            limits = self.limits(column, value > self.point[column], False)
            if rule.get("fixed") or limits is None or not fits(value, *limits) or \
                    (rule.get("allowed") and value not in numbers(rule["allowed"])):
                return False
        return True

    def literal_holds(self, literal, value):
        """Whether a condition of a clause holds for a value."""
        value = self.read(value)
        if math.isnan(value):
            return bool(literal.get("missing"))
        if "codes" in literal:
            return (-1 < value < 2 ** 31 and int(value) in literal["codes"]) == literal["inside"]
        interval = Interval.of(literal["range"])
        interval = interval._replace(lower=self.read(interval.lower), upper=self.read(interval.upper))
        return interval.holds(value) == literal["inside"]

    # [Cells] Variables.

    def variables(self):
        """Make the variables by number; columns of a group except its first one have none."""
        cuts = [set() for _ in self.point]
        for model in self.models:
            for tree in model.trees:
                for node in tree.nodes:
                    if node.kind:
                        cuts[node.feature].update(Model.cuts(node, tree.sets))
        for literal in (literal for clause in self.clauses for literal in clause):
            interval = Interval.of(literal.get("range", [0, 0, True, True]))
            made = set_cuts(literal["codes"], False) if "codes" in literal else [
                (self.read(interval.lower) + 0.0, not interval.lower_closed),
                (self.read(interval.upper) + 0.0, interval.upper_closed)]
            cuts[literal["feature"]].update(cut for cut in made if math.isfinite(cut[0]))
        return {d: self.group_variable(self.groups[d]) if d in self.groups else
                self.feature_variable(d, sorted(cuts[d]))
                for d in range(len(self.point)) if d not in self.groups or self.groups[d]["columns"][0] == d}

    def feature_variable(self, d, cuts):
        rule, start = self.rules[d], self.point[d]
        missing, fixed = math.isnan(start), rule.get("fixed")
        if missing and (fixed or not rule.get("missing_allowed")):
            return Variable([d], [([start], 0.0)], 0)
        read, cells, own = self.read(start), [], None
        own_rank = None if missing else sum(not fits(read, [], [(value, not closed)]) for value, closed in cuts)
        for rank in range(len(cuts) + 1):
            if rank == own_rank:
                own = len(cells)
                cells.append(([start], 0.0))
            elif not fixed:  # a cell begins after its lower cut and ends at its upper one
                lower, upper = cuts[rank - 1:rank] if rank else [], [(v, not c) for v, c in cuts[rank:rank + 1]]
                value = self.value_of_cell(d, lower, upper, missing or rank > own_rank)
                if value is not None and math.isfinite(self.term(d, value)):
                    cells.append(([value], self.term(d, value)))
        if rule.get("missing_allowed") and not fixed:
            own = len(cells) if missing else own
            cells.append(([math.nan], self.term(d, math.nan)))
        return Variable([d], cells, own)

    def value_of_cell(self, d, lower, upper, upward):
        """Give the value of a cell other than the own one; None if it does not exist."""
        if not math.isnan(self.point[d]):
            return self.cheapest_code(d, lower, upper) if self.has_table(d) else self.nearest(d, lower, upper, upward)
        for direction in (True, False):
            value = self.nearest(d, lower, upper, direction)
            if value is not None:
                return value
        zero = fits(0.0, lower, upper) and not self.rules[d].get("allowed") and self.ranges[d].holds(0.0)
        return 0.0 if zero else None

    def group_variable(self, group):
        now, count = self.hot(group, self.point), len(group["columns"])
        hots = [hot for hot in range(count + 1)
                if hot == now or (self.group_cost(group, now, hot) < INF and self.may_be_hot(group, hot))]
        cells = [([float(k == hot) for k in range(count)], self.group_cost(group, now, hot)) for hot in hots]
        return Variable(group["columns"], cells, hots.index(now))


def fits(value, low, high):
    """Whether a value respects bounds [(value, open)] from below and above."""
    return all(value > bound if is_open else value >= bound for bound, is_open in low) and \
        all(value < bound if is_open else value <= bound for bound, is_open in high)


def share_below(quantiles, value):
    """[Costs] Give the share of the data below a value, interpolated between quantiles."""
    below, above = bisect.bisect_left(quantiles, value), bisect.bisect_right(quantiles, value)
    last = float(len(quantiles) - 1)
    if below != above:
        return (float(below) + float(above - 1)) / 2 / last
    if below == 0 or below == len(quantiles):
        return 0.0 if below == 0 else 1.0
    lower = bisect.bisect_left(quantiles, quantiles[below - 1])
    upper = bisect.bisect_right(quantiles, quantiles[below])
    start, end = float(lower + below - 1), float(below + upper - 1)
    way = (value - quantiles[lower]) / (quantiles[below] - quantiles[lower])
    if start == 0:
        mixed = way * end + (1 - way) * start
    else:
        mixed = end if way == 1 else min(start + way * (end - start), end)
    return mixed / 2 / last


# ----------------------------------------------------------------------------------- [The tree]


class Leaf(NamedTuple):
    """A leaf: its cells of the variables on its path, its numbers, and these times 2^shift."""

    cells: dict
    numbers: list
    whole: list


class Box(NamedTuple):
    """A set of cells for each variable, its measure, and the live leaves of each tree: (leaf, its
    measure beyond the box's)."""

    cells: dict
    measure: int
    live: list


class Checker:
    """Walks the tree of a certificate."""

    def __init__(self, question, cost, changes):
        self.question, self.claim, self.claimed_changes = question, cost, changes
        self.variables = question.variables()
        self.variable_of = {d: v for v, variable in self.variables.items() for d in variable.columns}
        self.outcomes = [Outcomes(question.models[wanted.get("model", 0)]) for wanted in question.requirements]
        self.alternatives = [outcomes.alternatives(wanted, wanted.get("negated", False))
                             for outcomes, wanted in zip(self.outcomes, question.requirements)]
        self.errors = [[model.error(k) for k in range(len(model.base))] for model in question.models]
        self.set_measures()
        self.set_tolls()
        self.literals = [[self.cells_where(one["feature"], lambda value, one=one: question.literal_holds(one, value))
                          for one in clause] for clause in question.clauses]
        whole = {v: sum(1 << bit for bit, cost in enumerate(variable.costs)
                        if question.fewest or cost < self.claim or cost == 0)
                 for v, variable in self.variables.items()}
        self.whole = self.place_leaves(whole)

    def cells_where(self, d, holds):
        """Give the variable of a feature and those of its cells whose value satisfies `holds`."""
        v = self.variable_of[d]
        variable, column = self.variables[v], self.variables[v].columns.index(d)
        return v, sum(bit for (values, _), bit in zip(variable.cells, variable.bit) if holds(values[column]))

    # [Measure] The number of changes times `big`, plus the cost in whole numbers, rounded down. If
    # these are too close to the claim, the doubles are added in the order of the claim.

    def set_measures(self):
        self.sums = math.isfinite(self.claim) and self.question.norm != "linf"
        exponent = 60 - math.frexp(self.claim)[1] if self.sums else 0
        claim = Fraction(self.claim) * Fraction(2) ** exponent if self.sums else Fraction(0)
        count = len(self.variables) + 2
        self.big = 4 * count * (int(claim) + 1)
        self.surely_out = math.ceil(claim * (1 + Fraction(count, 2 ** 52)))
        self.surely_in = math.floor(claim * (1 - Fraction(count, 2 ** 52))) - count
        self.measures = {v: [(self.big if bit else 0) + (min(
            int(Fraction(cost) * Fraction(2) ** exponent), int(claim) + 1) if self.sums else 0)
            for bit, cost in enumerate(variable.costs)] for v, variable in self.variables.items()}

    def measure(self, v, cells):
        """Give the measure of the cheapest of a variable's cells."""
        return self.measures[v][(cells & -cells).bit_length() - 1]

    def excluded(self, measure, cells, leaf=None):
        """Whether no point of a box (and of a leaf in it) is better than the claim."""
        changes, cost = divmod(measure, self.big)
        if self.question.max_changes is not None and changes > self.question.max_changes:
            return True
        if self.claimed_changes is not None and changes != self.claimed_changes:
            return changes > self.claimed_changes
        if not math.isfinite(self.claim) or (self.sums and cost <= self.surely_in):
            return False
        if self.sums and cost >= self.surely_out:
            return True
        if not self.sums and not self.question.fewest:
            return self.claim <= 0  # linf: cells that cost as much as the claim are not in the box
        total = 0.0
        for v in sorted(cells):
            own = cells[v] & leaf[v] if leaf and v in leaf else cells[v]
            cost = self.variables[v].costs[(own & -own).bit_length() - 1]
            total = total + cost if self.sums else max(total, cost)
        return total >= self.claim

    # [Live leaves]

    def place_leaves(self, cells):
        """Make the whole box with the leaves that are live in it."""
        measure = sum(self.measure(v, mask) for v, mask in cells.items())
        self.trees, live, passing = [], [], {}
        for m, model in enumerate(self.question.models):
            shift = max((Fraction(model.round(v)).denominator.bit_length() for t in model.trees for v in t.values),
                        default=1)
            for tree in model.trees:
                self.trees.append((m, tree.output, shift))
                live.append([])
                stack = [(tree.nodes[0], {}, measure)]
                while stack:
                    node, path, now = stack.pop()
                    if node.kind == 0:
                        values = [model.round(value) for value in model.numbers_of(tree, node)]
                        whole = [int(Fraction(value) * 2 ** shift) for value in values]
                        live[-1].append((Leaf(path, values, whole), now - measure))
                        continue
                    key = (node._replace(left=0, right=0), model.input, str(node.kind == 4 and tree.sets[node.value]))
                    if key not in passing:
                        passing[key] = self.cells_where(
                            node.feature, functools.partial(model.goes_left, node, tree.sets))
                    v, left = passing[key]
                    before = path.get(v, cells[v])
                    for child, mask in ((node.left, before & left), (node.right, before & ~left)):
                        if mask:
                            then, more = now + self.measure(v, mask) - self.measure(v, before), {**path, v: mask}
                            if not self.excluded(then, cells, more):
                                stack.append((tree.nodes[child], more, then))
        return Box(cells, measure, live)

    def child(self, box, v, cells):
        """Give the box with only these cells of a variable; None if there are none."""
        if not cells:
            return None
        before, after = self.measure(v, box.cells[v]), self.measure(v, cells)
        new, measure = {**box.cells, v: cells}, box.measure + after - before
        live = []
        for leaves in box.live:
            kept = []
            for leaf, extra in leaves:
                side = leaf.cells.get(v)
                if side is not None:
                    if not side & cells:
                        continue
                    extra += self.measure(v, side & cells) - after - self.measure(v, side & box.cells[v]) + before
                if not self.excluded(measure + extra, new, leaf.cells):
                    kept.append((leaf, extra))
            live.append(kept)
        return Box(new, measure, live)

    # [Rule R: requirement]

    def most(self, box, m, plus, minus, sign):
        """Bound sign * (score[plus] - score[minus]) of model m from above."""
        model, shift, total = self.question.models[m], 0, 0
        errors = [self.errors[m][k] for k in (plus, minus) if k is not None]
        if INF in errors:
            return INF
        for (of, output, shift_of), leaves in zip(self.trees, box.live):
            if of == m:
                shift = shift_of
                if output == -1:
                    total += max(sign * (leaf.whole[plus] - (leaf.whole[minus] if minus is not None else 0))
                                 for leaf, _ in leaves)
                elif output in (plus, minus):
                    towards = sign if output == plus else -sign
                    total += max(towards * leaf.whole[0] for leaf, _ in leaves)
        base = Fraction(model.round(model.base[plus]))
        base -= Fraction(model.round(model.base[minus])) if minus is not None else 0
        unit = model.unit()
        return Fraction(total, 2 ** shift) * unit + sign * base * (unit if model.order == "base_first" else 1) + \
            sum(errors)

    def refuted(self, box, r):
        """[Rule R: requirement] Whether no point of a box that is better than the claim meets requirement r."""
        if not all(box.live):
            return True
        wanted, outcomes, bounds = self.question.requirements[r], self.outcomes[r], {}
        m = wanted.get("model", 0)

        def upper(*difference):
            if difference not in bounds:
                bounds[difference] = self.most(box, m, *difference)
            return bounds[difference]

        if INF not in self.errors[m] and outcomes.refuted(self.alternatives[r], upper):
            return True
        leaves = [leaves for (of, _, _), leaves in zip(self.trees, box.live) if of == m]
        if any(len(one) != 1 for one in leaves):
            return False
        return outcomes.certainly(wanted, outcomes.model.scores([one[0][0].numbers for one in leaves]), False)

    # [Rule D: dual bound]

    def set_tolls(self):
        """[Tolls] Make the tolls of cells, the limit, and the priced conditions."""
        question, limits = self.question, [self.question.max_changes, self.claimed_changes]
        changes = min((limit for limit in limits if limit is not None), default=None)
        exponent, self.limit = 0, 2 ** 40
        by_cost = self.sums and self.claim > 0 and not question.fewest
        if by_cost:
            exponent = 41 - math.frexp(self.claim)[1]
            self.limit = scaled(Fraction(self.claim), exponent) + 2 + (len(self.variables) + 2) // 1024
        elif changes is not None:
            self.limit = (min(changes, len(self.variables)) + 1) * 2 ** 30
        self.tolls = {v: [min(scaled(Fraction(cost), exponent), self.limit) if by_cost else
                          2 ** 30 if bit and changes is not None else 0 for bit, cost in enumerate(variable.costs)]
                      for v, variable in self.variables.items()}
        self.priced_conditions = [
            (wanted.get("model", 0), condition)
            for wanted, alternatives in zip(question.requirements, self.alternatives)
            if len(alternatives) == 1 for condition in alternatives[0] if condition.part is None]

    def read_dual(self, tokens):
        """Read the numbers of a dual bound: exponent, prices, and for each tree its runs [(cells, share)]."""
        def take(low, high):
            token = next(tokens, None)
            if type(token) is not int or not low <= token <= high:
                raise Rejected("rule D: a number is missing or out of range")
            return token

        unit, exponent = take(0, 44), take(-60, 800)
        prices = [take(0, 2 ** 31 - 1) for _ in self.priced_conditions]
        shares, count = [], 0
        for _ in self.trees:
            shares.append({})
            for _ in range(take(0, len(self.variables))):
                v = take(0, len(self.question.point))
                if v not in self.variables or v in shares[-1]:
                    raise Rejected("rule D: shares of a variable that does not exist, or twice")
                below, runs, begin, share = self.variables[v].below, [], 0, 0
                for _ in range(take(1, len(below) - 1)):
                    end = take(begin, len(below) - 2)
                    runs.append((below[end] & ~below[begin], share))
                    begin, share = end, take(1 - 2 ** 31, 2 ** 31 - 1) * 2 ** unit
                    if abs(share) > 2 ** 44:
                        raise Rejected("rule D: a share is out of range")
                runs.append((below[-1] & ~below[begin], share))
                shares[-1][v], count = runs, count + 1
        if count > 2 ** 16:
            raise Rejected("rule D: too many shares")
        return exponent, prices, shares

    def thinned(self, box, exponent, prices, shares):
        """[Rule D: dual bound] Give a box without the leaves that the bound excludes."""
        if not all(box.live):
            return box
        weights, bound = {}, 0
        for price, (m, condition) in zip(prices, self.priced_conditions):
            if price:
                model, k, rival, sign = self.question.models[m], condition.plus, condition.minus, condition.sign
                if condition.least in (INF, -INF) or INF in self.errors[m]:
                    raise Rejected("rule D: a price for a condition that cannot be used")
                weights[m, k] = weights.get((m, k), 0) + sign * price
                if rival is not None:
                    weights[m, rival] = weights.get((m, rival), 0) - sign * price
                bound += priced(price, scaled(self.sum_needed(m, model, condition), exponent))
        for v, tolls in self.tolls.items():
            rest = [tolls[bit.bit_length() - 1] for bit in self.variables[v].bit]  # of positions
            for runs in (one[v] for one in shares if v in one):
                begin = 0
                for cells, share in runs:
                    end = begin + cells.bit_count()
                    if share:
                        rest[begin:end] = [toll - share for toll in rest[begin:end]]
                    begin = end
            bound += min(toll for toll, bit in zip(rest, self.variables[v].bit) if bit & box.cells[v])
        values = []
        for (m, output, shift), leaves, own in zip(self.trees, box.live, shares):
            values.append([])
            for leaf, _ in leaves:
                value = 0
                for k, whole in enumerate(leaf.whole, 0 if output == -1 else output):
                    weight = weights.get((m, k), 0)
                    value -= priced(weight, scaled(whole, exponent - shift, weight > 0))
                for v, runs in own.items():
                    cells = box.cells[v] & leaf.cells.get(v, box.cells[v])
                    value += min(share for mask, share in runs if mask & cells)
                values[-1].append(value)
            bound += min(values[-1])
        live = [[one for one, value in zip(leaves, of) if bound - min(of) + value < self.limit]
                for leaves, of in zip(box.live, values)]
        return box._replace(live=live)

    def sum_needed(self, m, model, condition):
        """Give the least sum of the trees' sign * (value[plus] - value[minus]) that a condition needs."""
        unit, errors = model.unit(), self.errors[m][condition.plus]
        base = Fraction(model.round(model.base[condition.plus]))
        if condition.minus is not None:
            base -= Fraction(model.round(model.base[condition.minus]))
            errors += self.errors[m][condition.minus]
        base = condition.sign * (base * (unit if model.order == "base_first" else 1) - Fraction(condition.centre))
        return (condition.least - condition.slack - errors - base) / unit

    # [The tree]

    def run(self, tree):
        """Walk the tree; every box must be closed. Gives the number of closed boxes."""
        tokens, open_boxes, closed = iter(tree), [(self.whole, None)], 0
        for token in tokens:
            if type(token) is not int or not open_boxes:
                raise Rejected(f"{token!r} is not a whole number, or the tree goes on after its end")
            box, dual = open_boxes.pop()
            if token == -3:
                again = next(tokens, None)
                if again != -1:
                    dual = self.read_dual(prepend(again, tokens))
                elif dual is None:
                    raise Rejected("rule D: there are no numbers to use again")
                open_boxes.append((box and self.thinned(box, *dual), dual))
            elif token < 0:
                if box is not None:
                    self.close(token, box)
                closed += 1
            elif token in self.variables:
                first = self.positions(token, tokens)
                for mask in (~first, first):
                    open_boxes.append((box and self.child(box, token, box.cells[token] & mask), dual))
            else:
                raise Rejected(f"variable {token} does not exist")
        if open_boxes:
            raise Rejected("the tree ends before every box is closed")
        return closed

    def positions(self, v, tokens):
        """Read the cells that go to the first child."""
        below = self.variables[v].below
        ends = [0, next(tokens, None)]
        if type(ends[1]) is int and ends[1] < 0:
            ends = [next(tokens, None) for _ in range(min(-ends[1], 2 * len(below)))]
        if any(type(end) is not int or not 0 <= end < len(below) for end in ends) or len(ends) % 2 or \
                any(a >= b for a, b in zip(ends, ends[1:]) if (a, b) != (0, 0)):
            raise Rejected("a cut names cells that do not exist")
        return sum(below[end] & ~below[begin] for begin, end in zip(ends[::2], ends[1::2]))

    def close(self, token, box):
        """Check the rule that closes a box."""
        if token == -1:  # [Rule C: cost]
            if not self.excluded(box.measure, box.cells):
                raise Rejected("rule C: a box may hold a point that is cheaper than claimed")
        elif token == -2:  # [Rule K: clauses]
            if not any(all(self.dead(box, *literal) for literal in clause) for clause in self.literals):
                raise Rejected("rule K: every clause can hold in a box")
        elif -4 - token >= len(self.alternatives):
            raise Rejected(f"there is no rule {token}")
        elif not self.refuted(box, -4 - token):
            raise Rejected("rule R: a box may hold a point with the outcome")

    def dead(self, box, v, cells):
        """Whether a box, restricted to cells of one variable, is empty or excluded."""
        left = cells & box.cells[v]
        return not left or self.excluded(
            box.measure + self.measure(v, left) - self.measure(v, box.cells[v]), box.cells, {v: cells})


def scaled(value, exponent, up=False):
    """Round value * 2^exponent down (up) to a whole number."""
    value = value * 2 ** exponent if exponent >= 0 else Fraction(value) / 2 ** -exponent
    return math.ceil(value) if up else math.floor(value)


def priced(price, value):
    """Give a price times a value, both whole; the rule limits the product."""
    if abs(price * value) > 2 ** 44:
        raise Rejected("rule D: a priced number is out of range")
    return price * value


def prepend(first, rest):
    """Give an iterator with one more element in front."""
    yield first
    yield from rest


def check_point(question, proof):
    """[What is proven] Check that the point of an optimal answer is what it is said to be."""
    point, total, changes = numbers(proof["point"]), 0.0, 0
    if len(point) != len(question.point):
        raise Rejected("the point has the wrong length")
    for d, value in enumerate(point):
        group = question.groups.get(d)
        if group is None:
            if not question.admissible(d, value):
                raise Rejected(f"the value of feature {d} is not admissible")
            term, changed = question.term(d, value), not question.same(d, value)
        elif group["columns"][0] == d:
            now, hot = question.hot(group, question.point), question.hot(group, point)
            if not question.may_be_hot(group, hot):
                raise Rejected("a one-hot group has a value that is not admissible")
            term, changed = question.group_cost(group, now, hot), now != hot
        else:
            continue
        changes += changed
        total = max(total, term) if question.norm == "linf" else total + term
    if total != number(proof["cost"]) or not math.isfinite(total):
        raise Rejected("the point does not cost what is claimed")
    if question.fewest and changes != proof["changes"]:
        raise Rejected("the point does not have as many changes as claimed")
    if question.max_changes is not None and changes > question.max_changes:
        raise Rejected("the point has too many changes")
    if not all(any(question.literal_holds(one, point[one["feature"]]) for one in clause)
               for clause in question.clauses):
        raise Rejected("the point breaks a clause")
    for wanted in question.requirements:
        model = question.models[wanted.get("model", 0)]
        scores = model.scores([model.leaf_of(tree, point) for tree in model.trees])
        if not Outcomes(model).certainly(wanted, scores, True):
            raise Rejected("the point does not certainly have the outcome")


def check(models, question_bytes, proof):
    """[What is proven] Check a proof; gives what is proven. Raises Rejected or Unsupported."""
    if not isinstance(proof, dict) or proof.get("boxwood_proof") != 1:
        raise Rejected("this is not a proof of version 1")
    if proof.get("models") != [model.digest() for model in models]:
        raise Rejected("the proof is about other models")
    if proof.get("question") != hashlib.sha256(question_bytes).hexdigest():
        raise Rejected("the proof is about another question")
    question = Question(json.loads(question_bytes), models)
    claim, changes = proof.get("claim"), proof.get("changes")
    if claim not in ("optimal", "infeasible", "lower_bound") or not isinstance(proof.get("tree"), list):
        raise Rejected("there is no such claim, or no tree")
    counts = question.fewest and claim != "infeasible"
    if counts != (changes is not None) or (counts and (type(changes) is not int or changes < 0)):
        raise Rejected("a number of changes must be claimed for fewest changes first, and only there")
    if claim == "optimal":
        check_point(question, proof)
    cost = INF if claim == "infeasible" else number(proof["cost"])
    if not cost >= 0:
        raise Rejected("the claimed cost is not a number, or negative")
    boxes = Checker(question, cost, changes).run(proof["tree"])
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
        models = [Model(json.loads(text)) for text in contents[:-2]]
        print("accepted:", check(models, contents[-2], json.loads(contents[-1])))
        return 0
    except Rejected as reason:
        print("rejected:", reason)
        return 1
    except (Unsupported, OSError, KeyError, IndexError, TypeError, ValueError, ArithmeticError, AttributeError,
            RecursionError, MemoryError) as error:
        print(f"cannot be checked: {type(error).__name__}: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
