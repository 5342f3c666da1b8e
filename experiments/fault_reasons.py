"""Reasons in fault diagnosis: does the exact gain of a signal name the cause of a fault?

    python experiments/fault_reasons.py [--faults 768] [--small] [--out FOLDER]

The plant, the detector and the simpler methods are those of faults.py. The gain of a signal is the
largest fall of the detector's raw score that this signal alone can bring within the range of normal
rows, by exact search. Gain and simpler measures are also added, each as shares of its sum over all
signals. One set of faults is for choosing among the sums; the figures are those of fresh faults.
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

SIMPLE = {"TreeSHAP": methods.tree_shap, "largest deviation": methods.largest_deviation,
          "PCA residual": methods.residuals}

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


def shares(blame):
    total = blame.weights.sum(axis=1, keepdims=True)
    return np.divide(blame.weights, total, out=np.zeros_like(blame.weights), where=total > 0)


def sums(found):
    """Sums of shares: with the exact gain, and without it."""
    def of(*names):
        return methods.Blame(sum(shares(found[name]) for name in names))

    with_gain = {"gain + residual": of("gain", "PCA residual"),
                 "gain + deviation": of("gain", "largest deviation"),
                 "gain + residual + deviation": of("gain", "PCA residual", "largest deviation")}
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


def asked(case, report, name):
    with report.timed(f"{name}, {len(case.rows)} faults"):
        return {"gain": gains(case), **{one: way(case) for one, way in SIMPLE.items()}}


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
            fresh=detected(case, options, options.seed + 400, count))
    found = asked(sets.choice, report, "the faults for choosing")
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

Among the sums with gain, the best of {len(sets.choice.rows)} detected faults is chosen: *{chosen}*. The
sums without gain show what the exact gain adds. The first table has the faults for choosing, all others
{len(sets.fresh.rows)} other detected faults. Intervals are at 95 %.
""")
    report.heading("For choosing")
    report.table([(name, faults.share_text(faults.judged(blame, sets.choice.causes)["first"]))
                  for name, blame in {**found, **with_gain, **without}.items()],
                 ["method", "first named is to blame"])
    fresh = asked(sets.fresh, report, "fresh faults")
    with_gain, without = sums(fresh)
    everything = {"gain": fresh["gain"], chosen: with_gain[chosen],
                  **{name: fresh[name] for name in SIMPLE}, **without}
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
    alike = [name for name in open_ if name.endswith(" + residual")]
    if "gain" in ahead and alike:
        text += (f" The residual of normal data helps (*{chosen}* against *gain*), but the exact gain is not "
                 f"needed for that: no difference is shown against {faults.listed(alike)}.")
    return text


if __name__ == "__main__":
    run()
