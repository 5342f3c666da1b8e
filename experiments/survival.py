"""Advice and retrained models: how much of it survives, and what that costs.

    python experiments/survival.py [--data FOLDER] [--rows 50] [--held-out 20] [--small] [--out FOLDER]

After Forel, Parmentier and Vidal (arXiv 2205.14116): answers are made with one random forest and
then given to forests of the same kind that were trained again. Plain answers, answers with a higher
probability, robust answers and answers that several retrained forests agree on are compared: which
share of them the held-out forests accept, and what they cost.
"""

import dataclasses
import sys

import boxwood
import common
import matplotlib
import numpy as np
import pandas as pd
from boxwood import evaluate

matplotlib.use("Agg")

SETS = ("german_credit_small", "compas", "adult", "credit_default")
DEPTH = 4
TRAINING = 2000
MODELS = 10  # of which some must agree
# What is asked, and its keywords. The forest that is in use must accept every answer.
METHODS = {
    "plain": {},
    "probability 0.55": {"probability": 0.55},
    "probability 0.6": {"probability": 0.6},
    "probability 0.65": {"probability": 0.65},
    "robust 0.01": {"robust": 0.01},
    "robust 0.05": {"robust": 0.05},
    "robust 0.1": {"robust": 0.1},
    **{f"{m} of {MODELS}": {"agree": m, "requirements": [boxwood.Class(1, model=0)]}
       for m in (6, 8, 10)},
}
FAMILIES = {"plain": "o", "probability": "s", "robust": "^", "of": "D"}
HELD_OUT = {"seed": "the same rows, another seed",
            "sample": "a bootstrap sample of the rows, another seed"}


@dataclasses.dataclass
class Rows:
    """Training rows, rows to ask about, and what may change."""

    name: str
    frame: pd.DataFrame
    truth: np.ndarray
    asked: pd.DataFrame
    kinds: dict
    fixed: list
    rising: list


def divided(name, frame, truth, kinds, fixed, rising, random, most):
    """At most so many training rows; the others may be asked about."""
    order = random.permutation(len(frame))
    size = min(most, 2 * len(frame) // 3)
    frame, truth = frame.iloc[order].reset_index(drop=True), np.asarray(truth)[order].astype(int)
    return Rows(name, frame.iloc[:size], truth[:size], frame.iloc[size:], kinds, fixed, rising)


def table(options, name, random):
    """A set of the OCEAN paper, categories as numbers, as scikit-learn's forests read them."""
    read = common.datasets.tabular(name, options.data)
    frame = pd.DataFrame(read.values, columns=read.names)
    kinds = dict(zip(read.names, read.kinds, strict=True))
    held = [one for one, action in zip(read.names, read.actions, strict=True) if action == "FIXED"]
    rising = [one for one, action in zip(read.names, read.actions, strict=True) if action == "INC"]
    return divided(name, frame, read.target, kinds, held, rising, random, TRAINING)


def small_table(random):
    """Made-up loans, for the small version."""
    count = 400
    frame = pd.DataFrame({"income": random.integers(10, 90, count),
                          "debt": random.integers(0, 60, count),
                          "savings": random.integers(0, 30, count)}).astype(float)
    score = frame["income"] - frame["debt"] + frame["savings"] + random.normal(0, 12, count)
    return divided("made up", frame, score > 30, dict.fromkeys(frame, "integer"), [], ["savings"],
                   random, 250)


def forest(trees, seed):
    """A function that fits a forest to rows and labels."""
    from sklearn.ensemble import RandomForestClassifier

    return lambda frame, truth: RandomForestClassifier(
        n_estimators=trees, max_depth=DEPTH, random_state=seed).fit(frame, truth)


def held_out_models(rows, count, trees, seed):
    """Forests that no question sees, by the kind of retraining."""
    by_seed = [forest(trees, 1000 + seed + k)(rows.frame, rows.truth) for k in range(count)]
    seeds = iter(range(2000 + seed, 2000 + seed + count))
    by_sample = list(boxwood.retrain(lambda frame, truth: forest(trees, next(seeds))(frame, truth),
                                     (rows.frame, rows.truth), count, random_state=seed + 1))
    return {"seed": by_seed, "sample": by_sample}


def explainers(rows, trees, seed):
    """The explainer of the first forest, and that of it and retrained ones."""
    first = forest(trees, seed)(rows.frame, rows.truth)
    seeds = iter(range(100 + seed, 100 + seed + MODELS))
    others = list(boxwood.retrain(lambda frame, truth: forest(trees, next(seeds))(frame, truth),
                                  (rows.frame, rows.truth), MODELS - 1, random_state=seed + 2))
    schema = {"features": [{"name": name, "kind": kind} for name, kind in rows.kinds.items()]}
    one, several = (boxwood.Explainer(models, data=rows.frame, schema=schema)
                    for models in (first, [first, *others]))
    return first, one, several


def answered(rows, options):
    """(rows asked about, answers by method): rows that the first forest refuses."""
    first, one, several = explainers(rows, options.trees, options.seed)
    refused = rows.asked[first.predict(rows.asked) == 0].iloc[:options.rows]
    answers = {}
    for name, keywords in METHODS.items():
        explainer = several if "agree" in keywords else one
        answers[name] = explainer.explain_batch(
            refused, 1, cost="l1", fixed=rows.fixed, increase=rows.rising, time_limit=options.limit,
            show_progress=False, **keywords)
    return refused, answers


def measured(rows, options):
    """A line for each method and kind of retraining."""
    refused, answers = answered(rows, options)
    models = held_out_models(rows, options.held_out, options.trees, options.seed)
    by_all = np.all([[answer.found for answer in batch] for batch in answers.values()], axis=0)
    lines = []
    for name, batch in answers.items():
        found = np.array([answer.found for answer in batch])
        costs = np.array([answer.cost for answer in batch])
        points = batch.points()[list(rows.frame)].astype(float)
        for kind in HELD_OUT:
            share = evaluate.survival(models[kind], points[found], 1)
            lines.append({
                "set": rows.name, "method": name, "held out": kind, "asked": len(refused),
                "found": int(found.sum()), "by all": int(by_all.sum()),
                "proven": sum(answer.proven for answer in batch),
                "cost": float(costs[by_all].mean()) if by_all.any() else np.nan,
                "valid": share.valid, "pairs": share.total, "share": share.share,
                "low": share.low, "high": share.high,
                "least": min(share.by_model), "most": max(share.by_model)})
    return lines


def undominated(lines):
    """The methods of one set that no other beats in cost or survival without losing in the other."""
    return [one["method"] for one in lines.to_dict("records") if not (
        (lines["cost"] <= one["cost"]) & (lines["share"] >= one["share"])
        & ((lines["cost"] < one["cost"]) | (lines["share"] > one["share"]))).any()]


def family(method):
    return method.split()[1] if method[0].isdigit() else method.split()[0]


def drawn(found, kind):
    """Survival against cost, a picture for each set."""
    import matplotlib.pyplot as plt

    sets = list(found["set"].unique())
    figure, axes = plt.subplots(1, len(sets), figsize=(4 * len(sets), 4), sharey=True, squeeze=False)
    for ax, name in zip(axes[0], sets, strict=True):
        lines = found[(found["set"] == name) & (found["held out"] == kind)]
        for colour, (group, marker) in enumerate(FAMILIES.items()):
            part = lines[[family(method) == group for method in lines["method"]]]
            below, above = part["share"] - part["low"], part["high"] - part["share"]
            ax.errorbar(part["cost"], 100 * part["share"], 100 * np.array([below, above]),
                        fmt=marker + "-", color=f"C{colour}", capsize=2, markersize=6, lw=1,
                        label={"of": f"m of {MODELS} forests"}.get(group, group))
            for cost, share, method in zip(part["cost"], part["share"], part["method"],
                                           strict=True):
                words = method.split()[0] if group == "of" else method.split()[-1]
                if group != "plain":
                    ax.annotate(words, (cost, 100 * share), xytext=(4, -9), fontsize=7,
                                textcoords="offset points", color=f"C{colour}")
        ax.set(title=name, xlabel="mean cost (L1 in ranges)", ylim=(0, 103))
        ax.set_xlim(left=0)
    axes[0, 0].set_ylabel("accepted by held-out forests, %")
    axes[0, -1].legend(fontsize=8, loc="lower right")
    figure.suptitle(f"Trained again: {HELD_OUT[kind]}", fontsize=11)
    figure.tight_layout()
    return figure


def percent(value):
    return f"{100 * value:.1f}"


def told(report, found):
    """Tables, pictures and what they show."""
    for kind, words in HELD_OUT.items():
        report.heading(f"Trained again on {words}")
        lines = found[found["held out"] == kind]
        report.picture(drawn(found, kind), kind,
                       "Survival against cost of every method on every set, with intervals")
        report.table([(one["set"], one["method"], f"{one['found']} of {one['asked']}",
                       one["proven"], f"{one['cost']:.3f}", percent(one["share"]),
                       f"{percent(one['low'])} to {percent(one['high'])}",
                       f"{percent(one['least'])} to {percent(one['most'])}")
                      for one in lines.to_dict("records")],
                     ["set", "asked for", "found", "proven", "mean cost", "accepted, %",
                      "interval", "worst and best forest"])
        plain = lines[lines["method"] == "plain"]
        report.text(
            "Plain answers are accepted in "
            + ", ".join(f"{percent(one['share'])} % ({one['set']})"
                        for one in plain.to_dict("records"))
            + " of the pairs. Methods that no other beats, because none is cheaper on average and "
            "accepted as often, or as cheap and accepted more often: "
            + "; ".join(f"{name}: {', '.join(undominated(part))}"
                        for name, part in lines.groupby("set", sort=False)) + ".")


def run(arguments=None):
    """Runs the experiment; returns its report, with the lines as `found`, and its page."""
    options = common.parse(__doc__.split("\n")[0], arguments, lambda parser: (
        parser.add_argument("--sets", default=",".join(SETS), help="data sets"),
        parser.add_argument("--rows", type=int, default=50, help="rows asked about in each set"),
        parser.add_argument("--held-out", type=int, default=20, help="held-out forests of a kind"),
        parser.add_argument("--trees", type=int, default=100, help="in a forest"),
        parser.add_argument("--limit", type=float, default=60.0, help="seconds for an answer")))
    if options.small:
        options.rows, options.held_out, options.trees = 8, 4, 15
    report = common.Report(options, "survival", "Advice and retrained models",
                           ["scikit-learn", "pandas"])
    random = np.random.default_rng(options.seed)
    report.text(f"""
A model is trained again, and people who have followed its advice meet the new one. Forel, Parmentier
and Vidal (arXiv 2205.14116) measure how many counterfactuals of a random forest another forest of
the same kind accepts. This page follows their protocol on other sets, and asks what each method of
Boxwood brings and costs. It is not a repetition of their figures.

A random forest ({options.trees} trees of depth {DEPTH}, scikit-learn) is trained on at most {TRAINING} rows.
Up to {options.rows} other rows that it refuses get advice: the cheapest change, L1 in ranges of the
features, that the forest accepts. Age and similar columns may only rise, fixed columns stay.
Categories are read as numbers, as scikit-learn's forests do.
- *plain*: nothing else is asked.
- *probability*: the forest's probability is at least this. Forel et al. raise this threshold too,
  and derive its level from statistics.
- *robust*: every row within this share of the range in every numeric feature that may change is
  accepted too.
- *m of {MODELS}*: of the forest and {MODELS - 1} more, trained on bootstrap samples, at least so many
  accept the answer, the forest in use among them.

Each answer is then given to {options.held_out} forests that no question has seen. An answer and a
forest are a pair; the interval (Clopper-Pearson, 95 %) takes pairs as independent. They are not: one
forest judges many answers. The last column therefore gives the worst and the best forest. The mean
cost is that of the rows for which every method found an answer.
""")
    tables = []
    if options.small:
        tables.append(small_table(random))
    else:
        for name in options.sets.split(","):
            try:
                tables.append(table(options, name, random))
            except common.datasets.Missing as missing:
                print(f"survival: {missing}", file=sys.stderr, flush=True)
                report.text(f"The data folder has no file of {name}.")
    lines = []
    for rows in tables:
        with report.timed(rows.name):
            lines += measured(rows, options)
    report.found = pd.DataFrame(lines)
    told(report, report.found)
    report.text("""
What this shows: acceptance by forests that were trained again on the same population. It says
nothing about a population that changes, or about a model of another kind.
""")
    return report, report.write()


if __name__ == "__main__":
    run()
