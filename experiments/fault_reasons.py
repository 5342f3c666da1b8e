"""Reasons in fault diagnosis: does the exact gain of a signal name the cause of a fault?

    python experiments/fault_reasons.py [--faults 768] [--small] [--out FOLDER]

The plant, the detector and the simpler methods are those of faults.py. The gain of a signal is the
largest fall of the detector's raw score that this signal alone can bring within the range of normal
rows, by exact search. The gain in residuals is that of a second detector, which reads how far each
feature is from where the others put it. Gains and simpler measures are also added, each as shares of
its sum over all signals. One set of faults is for choosing; the figures are those of fresh faults.
"""

import argparse
import math
import types

import boxwood
import common
import fault_methods as methods
import fault_simulator as plant
import faults
import numpy as np
import pandas as pd
import xgboost

SIMPLE = {"TreeSHAP": methods.tree_shap, "largest deviation": methods.largest_deviation,
          "PCA residual": methods.residuals, "correlation": methods.correlation_gain}
VALUES = 60  # of a feature that the gain in residuals tries

GOAL = ["TreeSHAP", "largest deviation"]


def gains(case):
    """By how much each signal alone can lower the raw score of "fault"."""
    explainer = boxwood.Explainer(case.model, case.normal, scale="deviation")
    weights = np.zeros((len(case.rows), len(plant.SIGNALS)))
    for i, signal in enumerate(plant.SIGNALS):
        for k in range(len(case.rows)):
            best = explainer.best(case.rows.iloc[k], math.inf, boxwood.Score(at_most=0.0),
                                  only=[f"{signal} mean", f"{signal} spread"], cost="l1",
                                  threads=1)
            assert best.status == "optimal"
            weights[k, i] = best.before - best.value
    return methods.Blame(weights)


class ResidualDetector:
    """A detector like the other one that reads residuals: each feature beside what others predict."""

    def __init__(self, case):
        self.mean, self.unit = case.normal.mean().to_numpy(), methods.deviations(case)
        inverse = methods.precision(case)
        self.weights = inverse / np.sqrt(np.diag(inverse))
        self.model = xgboost.XGBClassifier(**case.model.get_params()).fit(
            self.residuals(case.training.to_numpy()), case.labels)

    def residuals(self, rows):
        return ((rows - self.mean) / self.unit @ self.weights).astype(np.float32)

    def score(self, rows):
        return self.model.predict(self.residuals(rows), output_margin=True).astype(float)


def residual_gains(case, detector):
    """The same with that detector, for one feature at a time, of `VALUES` values that are tried."""
    rows, before = case.rows.to_numpy(), detector.score(case.rows.to_numpy())
    falls = np.zeros(rows.shape)
    for j, name in enumerate(case.normal):
        for value in np.linspace(case.normal[name].min(), case.normal[name].max(), VALUES):
            there = rows.copy()
            there[:, j] = value
            falls[:, j] = np.maximum(falls[:, j], before - detector.score(there))
    return methods.Blame(falls.reshape(len(rows), len(plant.SIGNALS), 2).max(axis=2))


def shares(blame):
    total = blame.weights.sum(axis=1, keepdims=True)
    return np.divide(blame.weights, total, out=np.zeros_like(blame.weights), where=total > 0)


def sums(found):
    """Sums of shares: with the exact gain, and without it."""
    def of(*names):
        return methods.Blame(sum(shares(found[name]) for name in names))

    with_gain = {"gain + residual": of("gain", "PCA residual"),
                 "gain + deviation": of("gain", "largest deviation"),
                 "gain + residual + deviation": of("gain", "PCA residual", "largest deviation"),
                 "gain + correlation": of("gain", "correlation"),
                 "gain in residuals + correlation": of("gain in residuals", "correlation")}
    without = {"TreeSHAP + residual": of("TreeSHAP", "PCA residual"),
               "deviation + residual": of("largest deviation", "PCA residual")}
    return with_gain, without


def detected(case, options, seed, count):
    """Fresh faults that the detector finds."""
    drawn = plant.draw(1, count, seed)
    rows = pd.DataFrame(drawn.values, columns=plant.FEATURES)
    places = np.flatnonzero(drawn.faulty & (case.model.predict(rows) == methods.FAULT))
    return methods.Case(case.model, case.normal, case.training, case.labels, rows, drawn.kinds,
                        drawn.causes, options.small).part(places)


def asked(case, detector, report, name):
    with report.timed(f"{name}, {len(case.rows)} faults"):
        return {"gain": gains(case), "gain in residuals": residual_gains(case, detector),
                **{one: way(case) for one, way in SIMPLE.items()}}


def first_share(case, blame):
    return faults.judged(blame, case.causes)["first"].mean()


def run(arguments=None):
    """Runs the experiment; returns the report with what was found, and its page."""
    options = common.parse(__doc__.split("\n")[0], arguments, lambda parser: parser.add_argument(
        "--faults", type=int, default=768, help="fresh faults, detected or not"))
    report = common.Report(options, "fault_reasons", "Reasons in fault diagnosis",
                           ["xgboost", "scikit-learn", "pandas"])
    count = 64 if options.small else options.faults
    with report.timed("simulation and detector"):
        case, *_ = faults.prepare(argparse.Namespace(
            small=options.small, seed=options.seed, faults=1))
        sets = types.SimpleNamespace(
            choice=detected(case, options, options.seed + 300, count),
            fresh=detected(case, options, options.seed + 500, count))
        detector = ResidualDetector(case)
    found = asked(sets.choice, detector, report, "the faults for choosing")
    with_gain, without = sums(found)
    chosen = max(with_gain, key=lambda name: first_share(sets.choice, with_gain[name]))
    report.text(f"""
[The page on faults](faults.md) shows that counterfactuals of the detector name the cause of a fault less
often than simple methods do. This page asks whether *reasons* do better. The **gain** of a signal is
the largest fall of the detector's raw score that this signal alone can bring within the range of
normal rows: one exact question for each signal ([definition](../concepts.md#reasons)). Unlike a
repair, it also counts signals that are not enough by themselves. The plant, the detector, TreeSHAP,
the largest deviation and the PCA residual are those of that page. Sums add the shares that two or
three methods give to each signal.

Normal signals move together, and a detector of single values need not know how. *Correlation* is a
gain too, of another model: by how much a signal alone can bring the row nearer to the normal ones,
measured with their covariance (Mahalanobis; in process monitoring the reconstruction-based
contribution). It has a formula, and no trees. *Gain in residuals* is the gain in a second detector,
XGBoost with the same settings, which reads for each feature how far it is from where the others put it.
There one feature of a signal moves at a time, to {VALUES} evenly spaced values, so this gain is not exact:
asked exactly, with 30 derived columns that are sums of 30 terms each, six of nine such questions took
Boxwood 0.4 to 10 s, three did not end within 20 s, and thousands are needed.

Among the sums with gain, the best of {len(sets.choice.rows)} detected faults is chosen: *{chosen}*. The
sums without gain show what the exact gain adds. The first table has the faults for choosing, all others
{len(sets.fresh.rows)} other detected faults. Intervals are at 95 %.
""")
    report.heading("For choosing")
    report.table([(name, faults.share_text(faults.judged(blame, sets.choice.causes)["first"]))
                  for name, blame in {**found, **with_gain, **without}.items()],
                 ["method", "first named is to blame"])
    fresh = asked(sets.fresh, detector, report, "fresh faults")
    with_gain, without = sums(fresh)
    everything = {name: fresh[name] for name in ("gain", "gain in residuals")}
    everything |= {name: with_gain[name] for name in dict.fromkeys(("gain + correlation", chosen))}
    everything |= {**{name: fresh[name] for name in SIMPLE}, **without}
    report.heading("On fresh faults")
    judged = {name: faults.judged(blame, sets.fresh.causes) for name, blame in everything.items()}
    report.table([(name, faults.share_text(one["first"]), faults.share_text(one["three"]))
                  for name, one in judged.items()],
                 ["method", "first named is to blame", "among the first three"])
    others = [name for name in everything if name != chosen]
    duels = [faults.against(judged[chosen]["first"], judged[name]["first"]) for name in others]
    chances = faults.corrected([chance for *_, chance in duels])
    report.text(f"*{chosen}* against each other method, fault by fault (sign test, Holm's correction for this "
                "table):")
    report.table([(name, ours, theirs, f"{chance:.2g}", f"{both:.2g}")
                  for name, (ours, theirs, chance), both in zip(others, duels, chances, strict=True)],
                 ["other method", f"only {chosen} right", "only the other right", "p", "p corrected"])
    report.text(verdict(chosen, others, duels, chances))
    report.found, report.chosen, report.judged, report.cases = everything, chosen, judged, sets
    return report, report.write()


def verdict(chosen, others, duels, chances, level=0.05):
    """What the table shows, in a sentence for each result."""
    ahead = [name for name, (ours, theirs, _), chance in zip(others, duels, chances, strict=True)
             if chance < level and ours > theirs]
    behind = [name for name, (ours, theirs, _), chance in zip(others, duels, chances, strict=True)
              if chance < level and ours < theirs]
    open_ = [name for name in others if name not in ahead + behind]
    return (f"On these faults *{chosen}* names the cause first more often than: {faults.listed(ahead)}; less "
            f"often than: {faults.listed(behind)}; no difference is shown against: {faults.listed(open_)} "
            "(corrected p < 0.05)." + conclusion(chosen, ahead, open_))


def conclusion(chosen, ahead, open_):
    """Whether the goal is reached, and what the exact gain has to do with it."""
    missed = [name for name in GOAL if name not in ahead]
    text = f" The goal was to be ahead of {faults.listed(GOAL)}. "
    text += (f"It is not reached: no advantage over {faults.listed(missed)} is shown." if missed
             else "It is reached.")
    if "correlation" in ahead:
        text += (f" The trees add to what correlations know: *{chosen}* names the cause more often than "
                 "*correlation* alone.")
    elif "correlation" in open_:
        text += (" The trees are not what brings this: no difference is shown against *correlation*, which asks "
                 "no detector.")
    return text


if __name__ == "__main__":
    run()
