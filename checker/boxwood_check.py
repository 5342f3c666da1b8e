#!/usr/bin/env python3
"""Checks a Boxwood proof: that no admissible point with the wanted outcome is cheaper than claimed.

    python3 boxwood_check.py MODEL [MODEL ...] QUESTION PROOF

MODEL is Boxwood's model file or an XGBoost JSON file, QUESTION a question file, PROOF a certificate
(docs/formats.md, docs/proof.md). Prints "accepted" and what is proven, or "rejected" and why. Exit
code 0: accepted, 1: rejected, 2: a file cannot be read or uses something that proofs do not cover.

The file uses the Python standard library only and shares no code with Boxwood. Scores are exact
integers, thresholds exact fractions. Costs are IEEE doubles, added in the order that the claim is
about; Python's floats are IEEE doubles. The names C, K, R and D of the rules are those of
docs/proof.md, which has the theorem behind each of them.
"""

import bisect
import decimal
import hashlib
import json
import math
import struct
import sys
from decimal import Decimal
from fractions import Fraction

INF = math.inf
ZERO_SIZE = struct.unpack("<f", struct.pack("<f", 1e-35))[0]
decimal.getcontext().prec = 40
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN


class Rejected(Exception):
    """The certificate proves nothing."""


class Unsupported(Exception):
    """The model or the question is outside of what proofs cover, or a file is malformed."""


# ---------------------------------------------------------------- numbers


def number(value):
    """Read a number of a JSON file; infinities and NaN are text there."""
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unsupported(f"{value!r} is not a number")
    return float(value)


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
    if value == INF:
        return value
    if value == 0:
        return 2.0 ** -149
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    return struct.unpack("<f", struct.pack("<i", bits + 1 if value > 0 else bits - 1))[0]


def least_from(bound, is_open, is_single):
    """Give the smallest number of the precision that is >= bound (> bound if open)."""
    if bound in (INF, -INF):
        return bound
    exact = Fraction(bound)
    value = float(exact)  # correctly rounded
    if is_single:
        value = single(value)
    while value == INF or (value != -INF and Fraction(value) > exact):
        value = -next_up(-value, is_single)
    while value != INF and (value == -INF or Fraction(value) < exact or
                            (is_open and Fraction(value) == exact)):
        value = next_up(value, is_single)
    return value


def most_to(bound, is_open, is_single):
    """Give the largest number of the precision that is <= bound (< bound if open)."""
    return -least_from(-bound, is_open, is_single)


def exp(value):
    """Give e to a Decimal; 0 and infinity stand for what is far beyond every double."""
    return Decimal(0) if value < -100000 else Decimal("inf") if value > 100000 else value.exp()


def inside(interval, value):
    """Whether an interval [lower, upper, lower closed, upper closed] holds a number."""
    lower, upper, lower_closed, upper_closed = interval
    return ((value >= lower if lower_closed else value > lower) and
            (value <= upper if upper_closed else value < upper))


# ---------------------------------------------------------------- the model


class Model:
    """One ensemble, with the fields of Boxwood's model file."""

    KINDS = ("leaf", "<", "<=", "==", "in")

    def __init__(self, data):
        if data.get("boxwood_model") == 1:
            self.from_boxwood(data)
        elif "learner" in data:
            self.from_xgboost(data)
        else:
            raise Unsupported("the model file is neither Boxwood's (version 1) nor XGBoost JSON")
        self.single = self.accumulator == "float32"

    def from_boxwood(self, data):
        self.task, self.link = data["task"], data["link"]
        self.form = data.get("link_form", "plain")
        self.input, self.accumulator = data["input"], data["accumulator"]
        self.order = data["order"]
        self.factor, self.divisor = number(data.get("factor", 1)), number(data.get("divisor", 1))
        self.steepness = number(data.get("steepness", 1))
        self.decision = data.get("decision", "output_above_half")
        self.base = [number(value) for value in data["base"]]
        self.width = len(data["features"])
        self.trees = []
        for tree in data["trees"]:
            count = len(tree["kind"])
            falses = [False] * count
            nodes = list(zip((self.KINDS.index(kind) for kind in tree["kind"]), tree["feature"],
                             map(number, tree["threshold"]), tree["left"], tree["right"],
                             tree["value"], tree["missing_left"],
                             tree.get("missing_at_zero", falses), tree.get("zero_up", falses)))
            self.trees.append((tree["output"], nodes, [number(v) for v in tree["values"]],
                               tree.get("sets", [])))

    def from_xgboost(self, data):
        learner = data["learner"]
        booster = learner["gradient_booster"]
        if booster["name"] != "gbtree":
            raise Unsupported("of XGBoost files only gbtree models are read directly")
        known = {"binary:logistic": ("binary", "sigmoid"), "binary:logitraw": ("binary", "identity"),
                 "multi:softprob": ("multiclass", "softmax"),
                 "multi:softmax": ("multiclass", "winner"),
                 "reg:squarederror": ("regression", "identity")}
        objective = learner["objective"]["name"]
        if objective not in known or "scikit_learn" in learner.get("attributes", {}) and \
                "best_iteration" in learner["attributes"]:
            raise Unsupported("of XGBoost files only common objectives without early stopping are "
                              "read directly; use boxwood inspect --save-model")
        self.task, self.link = known[objective]
        self.form, self.input, self.accumulator, self.order = "plain", "float32", "float32", "base_first"
        self.factor = self.divisor = self.steepness = 1.0
        self.decision = "output_above_half"
        parameters = learner["learner_model_param"]
        outputs = max(1, int(parameters.get("num_class", 1)), int(parameters.get("num_target", 1)))
        self.width = int(parameters["num_feature"])
        scores = [single(float(text)) for text in parameters["base_score"].strip("[]").split(",")]
        if self.link == "sigmoid":
            scores = [single(-math.log(single(single(1 / p) - 1))) for p in scores]
        self.base = scores * (outputs if len(scores) == 1 else 1)
        self.trees = []
        for tree, output in zip(booster["model"]["trees"], booster["model"]["tree_info"]):
            if any(tree.get("split_type", [])) or int(tree["tree_param"].get("size_leaf_vector", 1)) > 1:
                raise Unsupported("categories and vector leaves of XGBoost files are not read directly")
            nodes, values, old = [], [], [0]
            for index in old:  # breadth first, as Boxwood numbers nodes
                left, value = tree["left_children"][index], single(tree["split_conditions"][index])
                if left == -1:
                    nodes.append((0, -1, 0.0, -1, -1, len(values), False, False, False))
                    values.append(value)
                else:
                    nodes.append((1, tree["split_indices"][index], value, len(old), len(old) + 1, -1,
                                  bool(tree["default_left"][index]), False, False))
                    old += [left, tree["right_children"][index]]
            self.trees.append((output, nodes, values, []))

    def digest(self):
        """SHA-256 of the model's meaning, the same for every file form."""
        parts = [" ".join(["boxwood model 1", self.input, self.accumulator, self.order, self.link,
                           self.form, self.task, self.decision, ""]).encode(),
                 struct.pack("<dddI", self.factor, self.divisor, self.steepness, len(self.base)),
                 struct.pack(f"<{len(self.base)}d", *self.base),
                 struct.pack("<II", self.width, len(self.trees))]
        for output, nodes, values, sets in self.trees:
            parts.append(struct.pack("<iI", output, len(nodes)))
            for kind, feature, threshold, left, right, value, missing, at_zero, zero_up in nodes:
                flags = missing + 2 * at_zero + 4 * zero_up
                parts.append(struct.pack("<BBiiiid", kind, flags, feature, left, right, value,
                                         threshold))
            parts.append(struct.pack(f"<I{len(values)}d", len(values), *values))
            parts.append(struct.pack("<I", len(sets)))
            parts += [struct.pack(f"<I{len(one)}i", len(one), *one) for one in sets]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    @staticmethod
    def goes_left(node, sets, value):
        """Whether a value, as it is read, goes to the left child."""
        kind, _, threshold, _, _, index, missing_left, at_zero, zero_up = node
        if math.isnan(value) or (at_zero and abs(value) <= ZERO_SIZE):
            return bool(missing_left)
        if kind == 4:
            if not -1 < value < 2 ** 31 or (zero_up and value < 0):
                return False
            return int(value) in sets[index]
        return value < threshold if kind == 1 else value <= threshold if kind == 2 \
            else value == threshold

    @staticmethod
    def cuts(node, sets):
        """List the cuts (value, inclusive) of a split; between cuts all values go the same way."""
        kind, _, threshold, _, _, index, _, at_zero, zero_up = node
        if kind == 4:
            cuts = []
            for code in sets[index]:
                cuts += [(-1.0, True) if code == 0 and not zero_up else (float(code), False),
                         (code + 1.0, False)]
            ends = set(cuts)  # a code's end that is the next one's beginning is no cut
            chain = {(code + 1.0, False) for code in sets[index] if code + 1 in sets[index]}
            return ends - chain
        cuts = {1: [(threshold, False)], 2: [(threshold, True)],
                3: [(threshold, False), (threshold, True)]}[kind]
        return cuts + ([(-ZERO_SIZE, False), (ZERO_SIZE, True)] if at_zero else [])

    def unit(self):
        """Raw scores per unit of the trees' sum, exactly; factor and divisor as they are read."""
        read = single if self.single else float
        return Fraction(read(self.factor)) / Fraction(read(self.divisor))

    def scores(self, leaves):
        """Add the leaves (one list of numbers for each tree) as the library does."""
        read = single if self.single else float
        first = self.order == "base_first"
        sums = [read(value) if first else 0.0 for value in self.base]
        for (output, _, _, _), values in zip(self.trees, leaves):
            for k in range(len(sums)) if output == -1 else [output]:
                sums[k] = read(sums[k] + read(values[k if output == -1 else 0]))
        for k, total in enumerate(sums):
            if self.factor != 1:
                total = read(total * read(self.factor))
            if self.divisor != 1:
                total = read(total / read(self.divisor))
            sums[k] = total if first else read(total + read(self.base[k]))
        return sums

    def error(self, k):
        """Bound the difference of the library's sum and the exact one; None if it may overflow."""
        read = single if self.single else float
        base, total, count = abs(Fraction(read(self.base[k]))), Fraction(0), 6
        for output, _, values, _ in self.trees:
            if output in (-1, k):
                used = values[k::len(self.base)] if output == -1 else values
                total += max(abs(Fraction(read(value))) for value in used)
                count += 1
        unit, factor = self.unit(), Fraction(read(self.factor))
        size = (total + base) * unit + base
        largest = Fraction(2) ** (126 if self.single else 1022)
        if (total + base) * max(1, factor) * max(1, unit) + base >= largest:
            return None
        share = count * Fraction(1, 2 ** (24 if self.single else 53))
        if share > Fraction(1, 4):
            return None
        return size * share / (1 - share) + Fraction(1, 2 ** (140 if self.single else 1060))


# ---------------------------------------------------------------- outcomes
# A condition (plus, minus, sign, least) says: sign * score[plus] - score[minus] >= least, for the
# scores that the library computes; minus may be None. An outcome that holds fulfils all conditions
# of one of its alternatives. `least` is a Fraction; INF means impossible. A condition may also be
# ("softmax", output, p): the true softmax probability of the output is at least p.


def fraction(value):
    """Give a Decimal or a float as a Fraction, infinities as they are."""
    return value if value in (INF, -INF) else Fraction(value)


class Outcomes:
    """The outcome of one requirement of one model, with the allowances for the library's links."""

    MARGIN = Decimal(10) ** -30  # far above the error of a Decimal function of 40 digits

    def __init__(self, model):
        self.model = model
        if model.link in ("square", "softplus", "isolation") or model.form == "onnxruntime":
            raise Unsupported(f"models with the link {model.link} in the form {model.form}")
        self.tiny = Decimal(2) ** (-120 if model.single else -1000)  # beside relative errors

    def relative(self, output_half_or_more):
        """Bound the relative error of a link's result."""
        if self.model.link == "softmax":
            classes = len(self.model.base)
            return Decimal(2) ** -16 + classes * Decimal(2) ** -23 if self.model.single \
                else Decimal(2) ** -38
        if self.model.link == "sigmoid" and not output_half_or_more:
            return Decimal(2) ** -15 if self.model.single else Decimal(2) ** -38
        return Decimal(2) ** -20 if self.model.single else Decimal(2) ** -42

    def forward(self, score):
        """Bound the output of one score from below and above."""
        link = self.model.link
        if link in ("identity", "votes"):
            return score, score
        if not math.isfinite(score):
            return -INF, INF
        if link == "sigmoid" and score == 0:
            return 0.5, 0.5
        x, half = Decimal(score), Decimal("0.5")
        if link == "sigmoid":
            value = 1 / (1 + exp(-Decimal(self.model.steepness) * x))
        elif x > 100000:
            return Decimal("1e400"), INF  # more than every double
        else:
            value = exp(x)
        slack = value * self.relative(value >= half) + self.tiny
        low, high = value - slack, value + slack
        if link == "sigmoid":  # the library's exp is at least 1 for numbers >= 0, at most 1 for others
            return (max(low, half), high) if score > 0 else (low, min(high, half))
        return low, INF if x > 80 else high

    def score_for(self, output, upward):
        """Bound the score: an output >= `output` (<= if not upward) needs a score beyond the result."""
        link = self.model.link
        anything, never = (-INF, INF) if upward else (INF, -INF)
        if output in (INF, -INF):
            return anything
        if link in ("identity", "votes"):
            return Fraction(output)
        y = Decimal(output)
        slack = abs(y) * self.relative(y >= Decimal("0.51")) * 2 + self.tiny
        y = y - slack if upward else y + slack
        if y <= 0:
            return anything if upward else never
        if link == "exponential":
            score = y.ln()
        elif y >= 1:
            return never if upward else anything
        else:
            score = (y / (1 - y)).ln() / Decimal(self.model.steepness)
        slack = (abs(score) + 1) * self.MARGIN
        return Fraction(score - slack if upward else score + slack)

    def bounded(self, k, lower, upper, of_output):
        """Conditions for a score or an output k in [lower, upper]."""
        conditions = []
        low = self.score_for(lower, True) if of_output else fraction(lower)
        high = self.score_for(upper, False) if of_output else fraction(upper)
        if low != -INF:
            conditions.append((k, None, 1, low))
        if high != INF:
            conditions.append((k, None, -1, -high))
        return conditions

    def near_tie(self):
        """Scores that differ by more than this have different outputs, in the same order."""
        return Fraction(1, 2 ** (20 if self.model.single else 46))

    def alternatives(self, wanted):
        """List alternatives, of which one is fulfilled by every point with the outcome."""
        model, negated = self.model, wanted.get("negated", False)
        if "score" in wanted or "output" in wanted:
            k = wanted.get("score", wanted.get("output"))
            lower, upper = number(wanted["range"][0]), number(wanted["range"][1])
            of_output = "output" in wanted
            sides = [(lower, upper)] if not negated else \
                [side for side in ((-INF, lower), (upper, INF)) if side != (-INF, -INF) and side != (INF, INF)]
            if "rival" in wanted:
                return [self.lead(k, wanted["rival"], low, high) for low, high in sides]
            if of_output and model.link == "softmax":
                return [way for low, high in sides for way in self.softmax(k, low, high)]
            return [self.bounded(k, low, high, of_output) for low, high in sides]
        if "classes" in wanted:
            targets = wanted["classes"]
        else:
            targets = [wanted["class"]]
        if "probability" in wanted:
            p, target = number(wanted["probability"]), targets[0]
            low, high = (-INF, p) if negated else (p, INF)
            if model.task == "multiclass":
                if model.link == "softmax":
                    return self.softmax(target, low, high)
                return [self.bounded(target, low, high, True)]
            if target == 0:  # the library gives 1 - output, rounded
                slack = 2.0 ** (-23 if self.model.single else -51)
                low, high = 1 - high - slack, 1 - low + slack
            return [self.bounded(0, low, high, True)]
        classes = range(2 if model.task == "binary" else len(model.base))
        ways = [self.wins(target) for target in (
            [k for k in classes if k not in targets] if negated else targets)]
        if "margin" not in wanted:
            return ways
        margin, target = number(wanted["margin"]), targets[0]
        if model.task == "binary":
            middle = 0.5 if model.decision == "score_above_half" or (
                model.decision == "output_above_half" and model.link in ("identity", "votes")) else 0.0
            slack = Fraction(1, 2 ** 50) * (abs(Fraction(margin)) + 1)
            least = (Fraction(margin) - slack) if not negated else -(Fraction(margin) + slack)
            sign = (1 if target == 1 else -1) * (-1 if negated else 1)
            lead = [[(0, None, sign, least + sign * Fraction(middle))]]
        elif negated:
            lead = [self.lead(target, k, -INF, margin) for k in range(len(model.base)) if k != target]
        else:
            lead = [[c for k in range(len(model.base)) if k != target for c in self.lead(target, k, margin, INF)]]
        return ways + lead if negated else [ways[0] + lead[0]]

    def lead(self, k, rival, lower, upper):
        """Conditions for a lead over a rival, which the library rounds to a double."""
        conditions = []
        slack = Fraction(1, 2 ** 1000)
        if lower != -INF:
            low = Fraction(lower) - abs(Fraction(lower)) / 2 ** 52 - slack if lower != INF else INF
            conditions.append((k, rival, 1, low))
        if upper != INF:
            high = Fraction(upper) + abs(Fraction(upper)) / 2 ** 52 + slack if upper != -INF else -INF
            conditions.append((rival, k, 1, -high))
        return conditions

    def softmax(self, k, low, high):
        """Alternatives for a softmax probability in [low, high]."""
        rivals = [r for r in range(len(self.model.base)) if r != k]
        conditions = []
        relative = 2 * self.relative(True)
        if low > 0:
            p = Decimal(low) * (1 - relative) - self.tiny if low != INF else Decimal(2)
            if p >= 1:
                return [[(k, None, 1, INF)]]
            if p > 0:
                lead = Fraction((p / (1 - p)).ln() - self.MARGIN * 1000)
                conditions = [(k, r, 1, lead) for r in rivals] + [("softmax", k, p)]
        if high < 1:
            p = Decimal(high) * (1 + relative) + self.tiny if high != -INF else Decimal(0)
            if p <= 0:
                return [[(k, None, 1, INF)]]
            if p < 1:
                lead = Fraction(((1 / p - 1) / len(rivals)).ln() - self.MARGIN * 1000)
                return [conditions + [(r, k, 1, lead)] for r in rivals]
        return [conditions]

    def wins(self, target):
        """Conditions for a predicted class."""
        model = self.model
        if model.task == "binary":
            sign = 1 if target == 1 else -1
            decided = {"score_above_zero": 0.0, "score_from_zero": 0.0, "score_above_half": 0.5}
            if model.decision in decided:
                return [(0, None, sign, Fraction(sign * decided[model.decision]))]
            if model.link == "winner":
                return [(0, None, sign, Fraction(0))]
            if model.link in ("identity", "votes"):
                return [(0, None, sign, Fraction(sign, 2))]
            if model.link != "sigmoid":
                raise Unsupported(f"classes of the link {model.link}")
            return [(0, None, sign, Fraction(0) if sign == 1 else
                     -self.near_tie() / min(1, Fraction(model.steepness)))]
        by_score = model.decision == "largest_score" or model.link in ("winner", "votes", "identity")
        if not by_score and model.link != "softmax":
            raise Unsupported(f"classes of several outputs with the link {model.link}")
        slack = Fraction(0) if by_score else self.near_tie()
        return [(target, k, 1, -slack) for k in range(len(model.base)) if k != target]

    def holds(self, wanted, scores):
        """Whether scores have an outcome: True, False, or None where allowances overlap."""
        result = None if any(map(math.isnan, scores)) else self.holds_plainly(wanted, scores)
        return result if result is None else result != wanted.get("negated", False)

    @staticmethod
    def both(first, second):
        """Combine with a three-valued and."""
        return False if first is False or second is False else None if None in (first, second) else True

    def within(self, low, high, interval):
        """Compare bounds of a number with an interval."""
        lower, upper, lower_closed, upper_closed = interval
        if low == high:
            return inside(interval, low)
        above = True if low > lower else False if high < lower else None
        below = True if high < upper else False if low > upper else None
        return self.both(above if lower != -INF else True, below if upper != INF else True)

    def holds_plainly(self, wanted, scores):
        model = self.model
        if "score" in wanted or "output" in wanted:
            interval = interval_of(wanted["range"])
            k = wanted.get("score", wanted.get("output"))
            if "rival" in wanted:
                rival = scores[wanted["rival"]]
                return inside(interval, 0.0 if scores[k] == rival else scores[k] - rival)
            if "score" in wanted:
                return inside(interval, scores[k])
            low, high = self.softmax_bounds(scores, k) if model.link == "softmax" else self.forward(scores[k])
            return self.within(low, high, interval)
        if "classes" in wanted:
            each = [self.class_is(k, scores) for k in wanted["classes"]]
            return True if True in each else None if None in each else False
        target = wanted["class"]
        if "probability" in wanted:
            p = number(wanted["probability"])
            if model.task == "multiclass":
                low, high = self.softmax_bounds(scores, target) if model.link == "softmax" \
                    else self.forward(scores[target])
            else:
                low, high = self.forward(scores[0])
                if target == 0:
                    if low == high:
                        read = single if self.model.single else float
                        low = high = read(1.0 - read(low))
                    else:
                        slack = Decimal(2) ** (-24 if self.model.single else -53)
                        low, high = 1 - Decimal(high) - slack, 1 - Decimal(low) + slack
            return self.within(low, high, (p, INF, True, True))
        result = self.class_is(target, scores)
        if "margin" not in wanted:
            return result
        if len(scores) == 1:
            middle = 0.5 if model.decision == "score_above_half" or (
                model.decision == "output_above_half" and model.link in ("identity", "votes")) else 0.0
            lead = scores[0] - middle if target == 1 else -(scores[0] - middle)
        else:
            rival = max(score for k, score in enumerate(scores) if k != target)
            lead = 0.0 if scores[target] == rival else scores[target] - rival
        return self.both(result, lead >= number(wanted["margin"]))

    def softmax_bounds(self, scores, k):
        """Bound the softmax probability that the library computes."""
        if not all(map(math.isfinite, scores)):
            return -INF, INF
        top = Decimal(max(scores))
        parts = [exp(Decimal(score) - top) for score in scores]
        value = parts[k] / sum(parts)
        slack = value * self.relative(True) + self.tiny
        return value - slack, value + slack

    def class_is(self, target, scores):
        """Whether a class is predicted: True, False or None."""
        model = self.model
        if model.task == "binary":
            score = scores[0]
            if model.decision == "score_above_zero":
                return (score > 0) == (target == 1)
            if model.decision == "score_from_zero":
                return (score >= 0) == (target == 1)
            if model.decision == "score_above_half":
                return (score > 0.5) == (target == 1)
            if model.link == "winner":
                return (score > 0) == (target == 1)
            low, high = self.forward(score)
            one = True if low > Decimal("0.5") else False if high <= Decimal("0.5") else None
            return one if one is None else one == (target == 1)
        by_score = model.decision == "largest_score" or model.link == "winner"
        if by_score or model.link in ("votes", "identity"):
            return scores.index(max(scores)) == target
        if not all(map(math.isfinite, scores)):
            return None
        result = True
        for k, score in enumerate(scores):
            lead = Fraction(scores[target]) - Fraction(score)
            if k == target or lead > self.near_tie() or (lead == 0 and k > target):
                continue
            result = self.both(result, False if lead == 0 or lead < -self.near_tie() else None)
        return result


def interval_of(data):
    """Read an interval of the question file."""
    return number(data[0]), number(data[1]), data[2], data[3]


# ---------------------------------------------------------------- the question


class Variable:
    """A feature or a one-hot group: its admissible cells, each with its cheapest value and cost."""

    def __init__(self, features, cells, own):
        self.features = features  # the columns that it decides about
        self.cells = cells  # (values of these columns, cost), in the order of the axis
        self.own = own  # position of the cell of the point itself
        # Bit i of a mask is the i-th cheapest cell; the own cell comes first.
        order = sorted(range(len(cells)), key=lambda at: (cells[at][1], at != own))
        self.costs = [cells[at][1] for at in order]
        self.bit = [0] * len(cells)
        for bit, at in enumerate(order):
            self.bit[at] = 1 << bit
        self.prefix = [0]
        for bit in self.bit:
            self.prefix.append(self.prefix[-1] | bit)


class Question:
    """What is asked: admissible values, costs, clauses, requirements."""

    def __init__(self, data, models):
        if data.get("boxwood_question") != 1:
            raise Unsupported("the question file is not of version 1")
        self.models = models
        self.point = [number(value) for value in data["point"]]
        self.rules = data["features"]
        self.groups = data.get("groups", [])
        self.clauses = data.get("clauses", [])
        self.max_changes = data.get("max_changes")
        self.norm = data["cost"]
        self.mixture = {key: number(value) for key, value in data.get("mixture", {}).items()}
        self.fewest = data.get("fewest_first", False)
        self.requirements = data["requirements"]
        if self.norm not in ("l2", "l1", "l0", "linf", "mixture"):
            raise Unsupported(f"the cost {self.norm}")
        if not self.requirements or any(m.width != len(self.point) for m in models) or \
                len(self.rules) != len(self.point):
            raise Unsupported("the question does not fit the models")
        self.single = any(model.input == "float32" for model in models)
        self.group_of = {column: group for group in self.groups for column in group["columns"]}
        self.rules = [dict(rule, range=interval_of(rule.get("range", [-INF, INF, True, True])))
                      for rule in self.rules]

    def read(self, value):
        """Give a value in the precision that all models read exactly."""
        return single(value) if self.single else value

    # Costs: the same operations in the same order as the claim is about, all on IEEE doubles.

    def cost_of_size(self, weight, size):
        if self.norm == "l0":
            return weight
        if self.norm == "l2":
            return weight * (size * size)
        if self.norm == "mixture":
            square = self.mixture["l2"] * (size * size) if self.mixture["l2"] > 0 else 0.0
            plain = self.mixture["l1"] * size if self.mixture["l1"] > 0 else 0.0
            return weight * (square + plain + self.mixture["l0"])
        return weight * size

    def term(self, d, to):
        """Give the cost of changing feature d to a value."""
        start, rule = self.point[d], self.rules[d]
        if to == start or (math.isnan(to) and math.isnan(start)):
            return 0.0
        weight = number(rule.get("weight", 1))
        if math.isnan(to) or math.isnan(start):
            return self.cost_of_size(weight, 1.0) if rule.get("missing_allowed") else INF
        if rule.get("kind") == "categorical":
            table = rule.get("changes", [])
            row, column = (int(min(max(code, 0.0), 2.0 ** 40)) for code in (start, to))
            listed = row < len(table) and column < len(table[row])
            size = number(table[row][column]) if listed else 1.0
            return self.cost_of_size(weight, size) if size != INF else INF
        weight = weight * number(rule.get("up" if to > start else "down", 1))
        quantiles = rule.get("quantiles", [])
        if quantiles:
            size = abs(self.share(quantiles, to) - self.share(quantiles, start))
        else:
            size = abs(to - start) / number(rule.get("scale", 1))
        return self.cost_of_size(weight, size)

    @staticmethod
    def share(quantiles, value):
        """Give the share of the data below a value, interpolated between quantiles."""
        quantiles = [number(q) for q in quantiles]
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
        if start == 0:  # std::lerp
            mixed = way * end + (1 - way) * start
        elif way == 1:
            mixed = end
        else:
            mixed = min(start + way * (end - start), end)
        return mixed / 2 / last

    def group_cost(self, group, now, hot):
        if now == hot:
            return 0.0
        if hot == len(group["columns"]) and not group.get("none_allowed"):
            return INF
        return self.cost_of_size(number(group.get("weight", 1)), 1.0)

    @staticmethod
    def hot(group, point):
        """Give the position of the column that is 1, or the number of columns."""
        ones = [k for k, column in enumerate(group["columns"]) if point[column] == 1]
        if len(ones) > 1 or any(point[column] not in (0, 1) for column in group["columns"]):
            raise Rejected("the columns of a group are not one-hot")
        return ones[0] if ones else len(group["columns"])

    # Admissible values.

    def limits(self, d, upward, is_single):
        """Bounds [(value, open)] from below and above for a change in one direction; None: forbidden."""
        rule, start = self.rules[d], self.point[d]
        lower, upper, lower_closed, upper_closed = rule["range"]
        if is_single:
            lower, upper = single(lower), single(upper)
        low, high = [(lower, not lower_closed)], [(upper, not upper_closed)]
        if not math.isfinite(start):
            return low, high
        if rule.get("direction", "both") == ("down" if upward else "up"):
            return None
        least, most = number(rule.get("least_change", 0)), number(rule.get("most_change", INF))
        if upward:
            if least > 0:
                low.append((Fraction(start) + Fraction(least), False))
            if most < INF:
                high.append((Fraction(start) + Fraction(most), False))
        else:
            if least > 0:
                high.append((Fraction(start) - Fraction(least), False))
            if most < INF:
                low.append((Fraction(start) - Fraction(most), False))
        return low, high

    def multiple(self, step, times):
        """Give a multiple of a step as the models read it."""
        parts = float(round(1 / step))
        value = times / parts if parts > 1 and 1 / parts == step else times * step
        return self.read(value)

    def snapped(self, d, value, upward):
        """Give the nearest value of the feature's own kind, not below (above) a number."""
        rule = self.rules[d]
        if rule.get("allowed"):
            allowed = [self.read(number(one)) for one in rule["allowed"]]
            fitting = [one for one in allowed if (one >= value if upward else one <= value)]
            return (min if upward else max)(fitting, default=INF if upward else -INF)
        step = number(rule.get("step", 0))
        if not math.isfinite(value):
            return value
        if step > 0:
            sign = 1 if upward else -1
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
            return float(math.ceil(value) if upward else math.floor(value))
        return value

    def nearest(self, d, lower, upper, upward):
        """Give the first admissible value between two cuts, from below (above); None if there is none."""
        limits = self.limits(d, upward, self.single)
        if limits is None:
            return None
        low, high = limits
        low, high = low + ([lower] if lower else []), high + ([upper] if upper else [])
        if upward:
            value = max(least_from(bound, is_open, self.single) for bound, is_open in low)
        else:
            value = min(most_to(bound, is_open, self.single) for bound, is_open in high)
        value = self.snapped(d, value, upward)
        if not math.isfinite(value):
            return None
        fits = all(value > bound if is_open else value >= bound for bound, is_open in low) and \
            all(value < bound if is_open else value <= bound for bound, is_open in high)
        return value + 0.0 if fits else None

    def cheapest_code(self, d, lower, upper):
        """Give the cheapest admissible code of a feature with a table of changes."""
        rule = self.rules[d]
        low, high = [lower] if lower else [], [upper] if upper else []
        if rule.get("allowed"):
            codes = [self.read(number(code)) for code in rule["allowed"]]
        else:
            width = float(max([len(rule["changes"])] + [len(row) for row in rule["changes"]]))
            step = max(number(rule.get("step", 0)), 1.0)
            codes = [step * k for k in range(int(math.ceil(width / step)))]
            beyond = (width, False)
            if lower and (lower[0], lower[1]) > (width, False):
                beyond = lower
            codes.append(self.nearest(d, beyond, upper, True))
            below = (0.0, True)
            if upper and upper[0] <= 0:
                below = upper
            codes.append(self.nearest(d, lower, below, False))
        best = None
        for code in codes:
            if code is None or not inside(rule["range"], code) or \
                    not all(code > b if o else code >= b for b, o in low) or \
                    not all(code < b if o else code <= b for b, o in high):
                continue
            if best is None or self.term(d, code) < self.term(d, best):
                best = code
        return best

    def admissible(self, d, value):
        """Whether a feature may have a value, which is read exactly."""
        rule, start = self.rules[d], self.point[d]
        if value == start or (math.isnan(value) and math.isnan(start)):
            return True
        if rule.get("fixed") or not math.isfinite(self.term(d, value)):
            return False
        if math.isnan(value):
            return True
        if not math.isfinite(value) or self.read(value) != value:
            return False
        near = (value, False)
        if rule.get("kind") == "categorical" and rule.get("changes"):
            return self.cheapest_code(d, near, near) is not None
        if math.isnan(start):
            return self.nearest(d, near, near, True) is not None
        return self.nearest(d, near, near, value > start) is not None

    def may_be_hot(self, group, hot):
        for k, column in enumerate(group["columns"]):
            value, now, rule = float(k == hot), self.point[column], self.rules[column]
            if value == now:
                continue
            limits = self.limits(column, value > now, False)
            if rule.get("fixed") or limits is None or \
                    (rule.get("allowed") and value not in map(number, rule["allowed"])):
                return False
            if not all(value > b if o else value >= b for b, o in limits[0]) or \
                    not all(value < b if o else value <= b for b, o in limits[1]):
                return False
        return True

    # Variables and their cells.

    def literal_cuts(self, literal):
        if "codes" in literal:
            node = (4, 0, 0.0, 0, 0, 0, False, False, False)
            return Model.cuts(node, [literal["codes"]])
        lower, upper, lower_closed, upper_closed = interval_of(literal["range"])
        return [(self.read(lower) + 0.0, not lower_closed), (self.read(upper) + 0.0, upper_closed)]

    def literal_holds(self, literal, value):
        value = self.read(value)
        if math.isnan(value):
            return bool(literal.get("missing"))
        if "codes" in literal:
            return (-1 < value < 2 ** 31 and int(value) in literal["codes"]) == literal["inside"]
        lower, upper, lower_closed, upper_closed = interval_of(literal["range"])
        return inside((self.read(lower), self.read(upper), lower_closed, upper_closed), value) == \
            literal["inside"]

    def variables(self):
        """Make the variables; columns of a group except its first one have none."""
        cuts = [set() for _ in self.point]
        for model in self.models:
            for _, nodes, _, sets in model.trees:
                for node in nodes:
                    if node[0] != 0:
                        cuts[node[1]].update((value + 0.0, closed) for value, closed in Model.cuts(node, sets))
        for clause in self.clauses:
            for literal in clause:
                cuts[literal["feature"]].update(
                    cut for cut in self.literal_cuts(literal) if math.isfinite(cut[0]))
        made = {}
        for d in range(len(self.point)):
            group = self.group_of.get(d)
            if group is None:
                made[d] = self.feature_variable(d, sorted(cuts[d]))
            elif group["columns"][0] == d:
                made[d] = self.group_variable(group)
        return made

    def feature_variable(self, d, cuts):
        rule, start = self.rules[d], self.point[d]
        missing = math.isnan(start)
        if missing and (rule.get("fixed") or not rule.get("missing_allowed")):
            return Variable([d], [([start], 0.0)], 0)
        read = self.read(start)
        own_rank = None if missing else sum(1 for value, closed in cuts
                                            if not (read <= value if closed else read < value))
        cells, own = [], None
        for rank in range(len(cuts) + 1):
            if rank == own_rank:
                own = len(cells)
                cells.append(([start], 0.0))
                continue
            if rule.get("fixed"):
                continue
            # As bounds: a cell begins after its lower cut and ends at its upper one.
            lower = cuts[rank - 1] if rank > 0 else None
            upper = (cuts[rank][0], not cuts[rank][1]) if rank < len(cuts) else None
            if missing:
                value = self.nearest(d, lower, upper, True)
                value = self.nearest(d, lower, upper, False) if value is None else value
                if value is None and self.nothing_but_zero(d, lower, upper):
                    value = 0.0
            elif rule.get("kind") == "categorical" and rule.get("changes"):
                value = self.cheapest_code(d, lower, upper)
            else:
                value = self.nearest(d, lower, upper, rank > own_rank)
            if value is not None and math.isfinite(self.term(d, value)):
                cells.append(([value], self.term(d, value)))
        if rule.get("missing_allowed") and not rule.get("fixed"):
            if missing:
                own = len(cells)
            cells.append(([math.nan], self.term(d, math.nan)))
        return Variable([d], cells, own)

    def nothing_but_zero(self, d, lower, upper):
        """Whether a cell without finite ends, and so without a first value, may hold 0."""
        fits = (lower is None or (0 > lower[0] if lower[1] else 0 >= lower[0])) and \
            (upper is None or (0 < upper[0] if upper[1] else 0 <= upper[0]))
        return fits and not self.rules[d].get("allowed") and inside(self.rules[d]["range"], 0.0)

    def group_variable(self, group):
        now = self.hot(group, self.point)
        cells, own = [], None
        for hot in range(len(group["columns"]) + 1):
            cost = self.group_cost(group, now, hot)
            if (hot != now and cost == INF) or not self.may_be_hot(group, hot):
                continue
            if hot == now:
                own = len(cells)
            cells.append(([float(k == hot) for k in range(len(group["columns"]))], cost))
        return Variable(group["columns"], cells, own)


# ---------------------------------------------------------------- the proof


class Checker:
    """Walks the tree of a certificate."""

    def __init__(self, question, claim):
        self.question = question
        self.claim, self.claimed_changes = claim  # cost and, with fewest changes first, changes
        self.variables = question.variables()
        self.index = {d: v for v, variable in self.variables.items() for d in variable.features}
        self.order = sorted(self.variables)
        self.outcomes = [(wanted, Outcomes(question.models[wanted.get("model", 0)]))
                         for wanted in question.requirements]
        self.set_scale()
        self.box = {}
        for v, variable in self.variables.items():
            self.box[v] = sum(1 << bit for bit, cost in enumerate(variable.costs)
                              if question.fewest or cost < self.claim or cost == 0)
        self.literals = [[self.literal_mask(literal) for literal in clause]
                         for clause in question.clauses]
        self.place_leaves()
        self.conditions = [self.integer_conditions(wanted, outcomes)
                           for wanted, outcomes in self.outcomes]

    # Costs. A box is excluded if its cheapest point is not better than the claim. Sums of whole
    # numbers (costs rounded down) decide unless they are too close to the claim; then the doubles
    # are added as the claim says. A key is the number of changes times `big` plus the cost.

    def set_scale(self):
        finite = math.isfinite(self.claim)
        scale = Fraction(1)
        self.sums = finite and self.question.norm != "linf"
        count = len(self.variables) + 2
        if self.sums and self.claim > 0:
            while Fraction(self.claim) * scale < 2 ** 60:
                scale *= 2
            while Fraction(self.claim) * scale >= 2 ** 61:
                scale /= 2
        self.keys = {}
        claim = Fraction(self.claim) * scale if self.sums else Fraction(0)
        self.big = 4 * count * (int(claim) + 1)
        for v, variable in self.variables.items():  # bit 0 is the own cell, which is no change
            self.keys[v] = [(self.big if bit else 0) +
                            (min(int(Fraction(cost) * scale), int(claim) + 1) if self.sums else 0)
                            for bit, cost in enumerate(variable.costs)]
        self.surely_out = math.ceil(claim * (1 + Fraction(count, 2 ** 52))) if self.sums else None
        self.surely_in = math.floor(claim * (1 - Fraction(count, 2 ** 52))) - count if self.sums else None

    def excluded(self, key, box, leaf=None):
        """Whether no point of a box (and a leaf in it) is better than the claim."""
        changes, cost = divmod(key, self.big)
        limit = self.question.max_changes
        if limit is not None and changes > limit:
            return True
        if self.question.fewest and self.claimed_changes is not None:
            if changes != self.claimed_changes:
                return changes > self.claimed_changes
        if not math.isfinite(self.claim):
            return False
        if self.sums and cost <= self.surely_in:
            return False
        if self.sums and cost >= self.surely_out:
            return True
        if not self.sums and not self.question.fewest:
            return self.claim <= 0  # linf: cells that cost as much as the claim are not in the box
        total = 0.0
        for v in self.order:
            mask = box[v] & leaf[v] if leaf is not None and v in leaf else box[v]
            cost = self.variables[v].costs[(mask & -mask).bit_length() - 1]
            total = total + cost if self.sums else max(total, cost)
        return total >= self.claim

    def literal_mask(self, literal):
        """Give the variable of a literal and the cells in which it holds."""
        d = literal["feature"]
        v = self.index[d]
        variable = self.variables[v]
        column = variable.features.index(d)
        return v, sum(bit for (values, _), bit in zip(variable.cells, variable.bit)
                      if self.question.literal_holds(literal, values[column]))

    # Leaves. `self.trees` lists (model, output, leaves); a leaf is (masks by variable, numbers).

    def place_leaves(self):
        self.trees, self.live, cache = [], [], {}
        root_key = self.box_key(self.box)
        for m, model in enumerate(self.question.models):
            reads_single = model.input == "float32"
            for output, nodes, values, sets in model.trees:
                leaves = []
                stack = [(0, {})]
                width = len(model.base) if output == -1 else 1
                while stack:
                    at, masks = stack.pop()
                    node = nodes[at]
                    if node[0] == 0:
                        leaves.append((masks, values[node[5]:node[5] + width]))
                        continue
                    name = (node[1], node[0], node[2], node[6:], reads_single,
                            tuple(sets[node[5]]) if node[0] == 4 else None)
                    if name not in cache:
                        cache[name] = self.left_mask(node, sets, reads_single)
                    v, left = cache[name]
                    now = masks.get(v, self.box[v])
                    for child, mask in ((node[3], now & left), (node[4], now & ~left)):
                        if mask:
                            more = dict(masks)
                            more[v] = mask
                            if not self.excluded(self.leaf_key(self.box, more, root_key), self.box, more):
                                stack.append((child, more))
                self.trees.append((m, output, leaves))
                self.live.append([(leaf, self.leaf_key(self.box, leaf[0], 0)) for leaf in leaves])

    def left_mask(self, node, sets, reads_single):
        v = self.index[node[1]]
        variable = self.variables[v]
        column = variable.features.index(node[1])
        left = 0
        for (values, _), bit in zip(variable.cells, variable.bit):
            value = single(values[column]) if reads_single else values[column]
            if Model.goes_left(node, sets, value):
                left |= bit
        return v, left

    def box_key(self, box):
        return sum(self.cell_key(v, mask) for v, mask in box.items())

    def cell_key(self, v, mask):
        return self.keys[v][(mask & -mask).bit_length() - 1]

    def leaf_key(self, box, masks, key):
        """Add what a leaf costs beyond its box to a key."""
        for v, mask in masks.items():
            key += self.cell_key(v, mask & box[v]) - self.cell_key(v, box[v])
        return key

    # Conditions on whole numbers: leaf values times 2^shift are whole.

    def integer_conditions(self, wanted, outcomes):
        model = outcomes.model
        m = wanted.get("model", 0)
        read = single if model.single else float
        ways = []
        for way in outcomes.alternatives(wanted):
            made = []
            for condition in way:
                if condition[0] == "softmax":
                    made.append(condition)
                    continue
                plus, minus, sign, least = condition
                if least == INF:
                    made.append((plus, minus, sign, None))
                    continue
                errors = [model.error(k) for k in (plus, minus) if k is not None]
                if None in errors:
                    continue
                base = sign * Fraction(read(model.base[plus]))
                base -= Fraction(read(model.base[minus])) if minus is not None else 0
                unit = model.unit()
                base *= unit if model.order == "base_first" else 1
                made.append((plus, minus, sign, (least - sum(errors) - base) / unit))
            ways.append(made)
        return m, ways

    def most(self, live, m, plus, minus, sign):
        """Bound sign * score[plus] - score[minus], without base and factors, from above."""
        total = Fraction(0)
        read = single if self.question.models[m].single else float
        for (model, output, _), leaves in zip(self.trees, live):
            if model != m or output not in (-1, plus, minus):
                continue
            if output == -1:
                best = max(Fraction(sign * read(leaf[1][plus])) -
                           (Fraction(read(leaf[1][minus])) if minus is not None else 0)
                           for leaf, _ in leaves)
            else:
                best = Fraction(max((sign if output == plus else -1) * read(leaf[1][0])
                                    for leaf, _ in leaves))
            total += best
        return total

    def refuted(self, live, r):
        """Rule R: no way to meet requirement r is left."""
        if any(not leaves for leaves in live):
            return True
        m, ways = self.conditions[r]
        model = self.question.models[m]
        bounds = {}

        def most(plus, minus, sign):
            if (plus, minus, sign) not in bounds:
                bounds[plus, minus, sign] = self.most(live, m, plus, minus, sign)
            return bounds[plus, minus, sign]

        def fails(condition):
            if condition[0] == "softmax":
                return self.softmax_fails(model, condition[1], condition[2], most)
            plus, minus, sign, least = condition
            return least is None or most(plus, minus, sign) < least

        if all(any(fails(condition) for condition in way) for way in ways):
            return True
        if any(len(leaves) != 1 for (i, _, _), leaves in zip(self.trees, live) if i == m):
            return False
        scores = model.scores([leaves[0][0][1] for (i, _, _), leaves in zip(self.trees, live) if i == m])
        wanted, outcomes = self.outcomes[r]
        return outcomes.holds(wanted, scores) is False

    @staticmethod
    def softmax_fails(model, k, p, most):
        """Whether leads over all rivals are too small for a probability."""
        total = Decimal(1)
        unit = model.unit()
        read = single if model.single else float
        base_unit = unit if model.order == "base_first" else 1
        for rival in range(len(model.base)):
            if rival == k:
                continue
            errors = [model.error(k), model.error(rival)]
            if None in errors:
                return False
            base = (Fraction(read(model.base[k])) - Fraction(read(model.base[rival]))) * base_unit
            lead = most(k, rival, 1) * unit + base + sum(errors)
            total += exp(-Decimal(lead.numerator) / Decimal(lead.denominator)) * (1 - Decimal(10) ** -30)
        return 1 / total < p - Decimal(10) ** -30

    # The tree.

    def cut(self, box, live, v, mask):
        """Keep the cells of a mask of one variable."""
        new = dict(box)
        new[v] = mask
        if not mask:
            return None
        key = self.box_key(new)
        before, after = self.cell_key(v, box[v]), self.cell_key(v, mask)
        kept = []
        for leaves in live:
            some = []
            for leaf, extra in leaves:
                side = leaf[0].get(v)
                if side is not None:
                    meet = side & mask
                    if not meet:
                        continue
                    extra += self.cell_key(v, meet) - after - self.cell_key(v, side & box[v]) + before
                if not self.excluded(key + extra, new, leaf[0]):
                    some.append((leaf, extra))
            kept.append(some)
        return new, kept, key

    def run(self, tree):
        """Walk the tree; every box must be closed."""
        tokens = iter(tree)
        boxes = [(self.box, self.live, self.box_key(self.box))]
        closed = 0
        for token in tokens:
            if not boxes:
                raise Rejected("the tree goes on after its end")
            state = boxes.pop()
            if type(token) is not int:
                raise Rejected(f"{token!r} is not a whole number")
            if token < 0:
                if state is not None:
                    self.close(token, *state)
                closed += 1
                continue
            if token not in self.variables:
                raise Rejected(f"variable {token} does not exist")
            mask = self.positions(token, tokens)
            if state is None:
                boxes += [None, None]
                continue
            box, live, _ = state
            boxes.append(self.cut(box, live, token, box[token] & ~mask))
            boxes.append(self.cut(box, live, token, box[token] & mask))
        if boxes:
            raise Rejected("the tree ends before every box is closed")
        return closed

    def positions(self, v, tokens):
        """Read the cells that go to the first child."""
        prefix = self.variables[v].prefix
        ends = [next(tokens, None)]
        if type(ends[0]) is int and ends[0] < 0:
            ends = [next(tokens, None) for _ in range(min(-ends[0], 2 * len(prefix)))]
        else:
            ends = [0] + ends
        if any(type(end) is not int or not 0 <= end < len(prefix) for end in ends) or len(ends) % 2 or \
                any(a >= b for a, b in zip(ends, ends[1:]) if (a, b) != (0, 0)):
            raise Rejected("a cut names cells that do not exist")
        mask = 0
        for begin, end in zip(ends[::2], ends[1::2]):
            mask |= prefix[end] & ~prefix[begin]
        return mask

    def close(self, token, box, live, key):
        """Check the rule that closes a box."""
        if token == -1:
            if not self.excluded(key, box):
                raise Rejected("rule C: a box may hold a point that is cheaper than claimed")
        elif token == -2:
            for clause in self.literals:
                if all(not mask & box[v] or self.excluded(
                        key + self.cell_key(v, mask & box[v]) - self.cell_key(v, box[v]), box,
                        {v: mask}) for v, mask in clause):
                    return
            raise Rejected("rule K: every clause can hold in a box")
        elif token <= -4 and -4 - token < len(self.conditions):
            if not self.refuted(live, -4 - token):
                raise Rejected("rule R: a box may hold a point with the outcome")
        else:
            raise Rejected(f"there is no rule {token}")


def check_point(question, proof):
    """Check that the point of an optimal answer is what it is said to be."""
    point = [number(value) for value in proof["point"]]
    if len(point) != len(question.point):
        raise Rejected("the point has the wrong length")
    total, changes = 0.0, 0
    for d in range(len(point)):
        group = question.group_of.get(d)
        if group is None:
            if not question.admissible(d, point[d]):
                raise Rejected(f"the value of feature {d} is not admissible")
            term = question.term(d, point[d])
        elif group["columns"][0] != d:
            continue
        else:
            now, hot = question.hot(group, question.point), question.hot(group, point)
            if not question.may_be_hot(group, hot):
                raise Rejected("a one-hot group has a value that is not admissible")
            term = question.group_cost(group, now, hot)
        columns = group["columns"] if group else [d]
        changes += any(point[c] != question.point[c] and not
                       (math.isnan(point[c]) and math.isnan(question.point[c])) for c in columns)
        total = max(total, term) if question.norm == "linf" else total + term
    if total != number(proof["cost"]) or not math.isfinite(total):
        raise Rejected("the point does not cost what is claimed")
    if question.fewest and changes != proof["changes"]:
        raise Rejected("the point does not have as many changes as claimed")
    if question.max_changes is not None and changes > question.max_changes:
        raise Rejected("the point has too many changes")
    for clause in question.clauses:
        if not any(question.literal_holds(one, point[one["feature"]]) for one in clause):
            raise Rejected("the point breaks a clause")
    for wanted in question.requirements:
        model = question.models[wanted.get("model", 0)]
        leaves = []
        for output, nodes, values, sets in model.trees:
            at = 0
            while nodes[at][0] != 0:
                value = point[nodes[at][1]]
                value = single(value) if model.input == "float32" else value
                at = nodes[at][3 if Model.goes_left(nodes[at], sets, value) else 4]
            start = nodes[at][5]
            leaves.append(values[start:start + (len(model.base) if output == -1 else 1)])
        if Outcomes(model).holds(wanted, model.scores(leaves)) is not True:
            raise Rejected("the point does not certainly have the outcome")


def check(models, question_bytes, proof):
    """Check a proof; returns what is proven. Raises Rejected or Unsupported."""
    if not isinstance(proof, dict) or proof.get("boxwood_proof") != 1:
        raise Rejected("this is not a proof of version 1")
    if proof.get("models") != [model.digest() for model in models]:
        raise Rejected("the proof is about other models")
    if proof.get("question") != hashlib.sha256(question_bytes).hexdigest():
        raise Rejected("the proof is about another question")
    question = Question(json.loads(question_bytes), models)
    claim = proof.get("claim")
    changes = proof.get("changes")
    if (question.fewest and claim != "infeasible") != (changes is not None) or \
            (changes is not None and (type(changes) is not int or changes < 0)):
        raise Rejected("a number of changes must be claimed for fewest changes first, and only there")
    if claim == "optimal":
        check_point(question, proof)
    elif claim not in ("infeasible", "lower_bound"):
        raise Rejected("there is no such claim")
    cost = INF if claim == "infeasible" else number(proof["cost"])
    if math.isnan(cost):
        raise Rejected("the claimed cost is not a number")
    if not isinstance(proof.get("tree"), list):
        raise Rejected("the proof has no tree")
    boxes = Checker(question, (cost, changes)).run(proof["tree"])
    if claim == "infeasible":
        return f"no admissible point has the outcome ({boxes} boxes)"
    fewest = f" of at most {changes} changes" if question.fewest else ""
    return f"no admissible point{fewest} with the outcome costs less than {cost!r} ({boxes} boxes)"


def main(arguments):
    """Check the files that are named on the command line."""
    if len(arguments) < 3:
        print(__doc__)
        return 2
    try:
        models = []
        for name in arguments[:-2]:
            with open(name, "rb") as file:
                models.append(Model(json.load(file)))
        with open(arguments[-2], "rb") as file:
            question = file.read()
        with open(arguments[-1], "rb") as file:
            proof = json.load(file)
        print("accepted:", check(models, question, proof))
        return 0
    except Rejected as reason:
        print("rejected:", reason)
        return 1
    except (Unsupported, OSError, KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        print(f"cannot be checked: {type(error).__name__}: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
