"""Model debugging: do counterfactual distances point at labels that are wrong?

    python experiments/labels.py [--data FOLDER] [--rows 1000] [--seeds 5] [--small] [--out FOLDER]

Labels of public data are flipped at random; a model is trained on what is left of the truth. A row
whose label the model contradicts is the more suspect the further it would have to move for the
model to agree with it; a row whose label the model confirms is the less suspect the further it is
from the border. Both are the distance to the nearest point of the other class, signed, and exact.
Other rankings see the same labels.
"""

import dataclasses
import sys

import boxwood
import common
import matplotlib
import numpy as np
import pandas as pd

matplotlib.use("Agg")

SETS = ("german", "students", "compas", "adult", "credit_default", "phishing", "spambase")
SHARES = (0.05, 0.10)
FOLDS = 5
NEIGHBOURS = 10

EXACT = "counterfactual distance, L1"
EXACT_QUANTILES = "counterfactual distance, L1 in quantiles"
EXACT_TRAINING = "counterfactual distance, L1, training points"
LOSS = "probability of the label, out of fold"
LOSS_TRAINING = "probability of the label, training points"
KNN = f"{NEIGHBOURS} nearest neighbours disagree"
FOREST = "isolation forest of the class"
BOTH = "mean rank of distance and probability"
CONTRADICTS = "the model contradicts the label, yes or no"
METHODS = (EXACT, EXACT_QUANTILES, EXACT_TRAINING, LOSS, LOSS_TRAINING, BOTH, CONTRADICTS, KNN,
           FOREST)


@dataclasses.dataclass
class Rows:
    """A table as XGBoost takes it, the same as plain numbers for distances, and the true labels."""

    name: str
    frame: pd.DataFrame
    numbers: np.ndarray
    truth: np.ndarray


def taken(name, frame, truth, most, random):
    """At most so many rows, at random."""
    chosen = np.sort(random.permutation(len(frame))[:most])
    frame = frame.iloc[chosen].reset_index(drop=True)
    return Rows(name, frame, plain(frame), np.asarray(truth)[chosen].astype(int))


def plain(frame):
    """Columns in deviations, missing ones at the mean; two different categories are 1 apart."""
    columns = []
    for name in frame:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered:
            columns += [(column == label).to_numpy(float) / np.sqrt(2)
                        for label in column.cat.categories]
            continue
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.cat.codes.astype(float).where(column.notna())
        spread = column.std()
        columns.append(((column - column.mean()) / (spread if spread > 0 else 1)).fillna(0.0))
    return np.column_stack(columns).astype(float)


def german(options):
    """(frame, labels) of the German credit data, in words."""
    frame = common.read_table(options, "german_credit.csv", "credit-g")
    truth = frame.pop("class").astype(str) == "good"
    for name in frame:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            order = common.datasets.GERMAN_ORDERS.get(name)
            frame[name] = pd.Categorical(frame[name].astype(str), categories=order,
                                         ordered=order is not None)
    return frame, truth


def ocean(options, name):
    """(frame, labels) of a set of the OCEAN paper; categories are numbers of theirs."""
    table = common.datasets.tabular(name, options.data)
    frame = {}
    for column, kind, values in zip(table.names, table.kinds, table.values.T, strict=True):
        if kind == "categorical":
            known = np.unique(values[~np.isnan(values)])
            codes = np.where(np.isnan(values), -1, np.searchsorted(known, values))
            frame[column] = pd.Categorical.from_codes(codes, [f"{code:g}" for code in known])
        else:
            whole = kind in ("integer", "ordinal") and not np.isnan(values).any()
            frame[column] = values.astype(int) if whole else values
    return pd.DataFrame(frame), table.target


def sets_of(options, random, left_out):
    """The data sets, one after the other; those of which there is no file go to `left_out`."""
    if options.small:
        from sklearn.datasets import load_breast_cancer

        frame, truth = load_breast_cancer(return_X_y=True, as_frame=True)
        yield taken("breast cancer", frame, truth, 120, random)
        return
    for name in SETS:
        try:
            frame, truth = german(options) if name == "german" else ocean(options, name)
        except common.datasets.Missing as missing:
            print(f"labels: {missing}", file=sys.stderr, flush=True)
            left_out.append(name)
            continue
        yield taken(name, frame, truth, options.rows, random)


def flipped(truth, share, random):
    """(labels with that share of them wrong, which are wrong)."""
    wrong = np.zeros(len(truth), bool)
    wrong[random.permutation(len(truth))[:round(share * len(truth))]] = True
    return np.where(wrong, 1 - truth, truth), wrong


# Rankings: the higher, the more suspect.

def fitted(frame, labels, trees, seed):
    import xgboost

    return xgboost.XGBClassifier(
        n_estimators=trees, max_depth=3, learning_rate=0.1, subsample=0.8, n_jobs=1,
        random_state=seed, enable_categorical=True).fit(frame, labels)


def signed(explainer, frame, labels, predicted):
    """(signed distance a row, answers): to the other class, negative where model and label agree.

    Where there is no other class at all, nothing is further.
    """
    distance = np.full(len(labels), np.nan)
    answers = [None] * len(labels)
    for now in (0, 1):
        places = np.flatnonzero(predicted == now)
        if len(places) == 0:
            continue
        batch = explainer.explain_batch(frame.iloc[places], 1 - now, cost="l1", threads=1,
                                        time_limit=5.0, show_progress=False, on_error="raise")
        for place, answer in zip(places, batch, strict=True):
            distance[place], answers[place] = answer.cost, answer
    furthest = np.max(distance[np.isfinite(distance)], initial=0.0)
    distance = np.where(np.isfinite(distance), distance, furthest + 1)
    return np.where(predicted == labels, -distance, distance), answers


@dataclasses.dataclass
class Trial:
    """One flip of labels: the rankings and what was found on the way."""

    labels: np.ndarray
    wrong: np.ndarray
    scores: dict
    answers: list  # out of fold
    unproven: int
    refuted: int  # points that the library's own predict does not call the other class
    accuracy: float


def trial(rows, share, trees, seed):
    """Flips labels and ranks the rows by every method."""
    from sklearn.model_selection import StratifiedKFold

    random = np.random.default_rng([seed, round(1000 * share)])
    labels, wrong = flipped(rows.truth, share, random)
    count = len(labels)
    scores = {name: np.zeros(count) for name in METHODS}
    answers, unproven, refuted = [None] * count, 0, 0
    predictions = np.zeros(count, int)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(
            rows.frame, labels):
        model = fitted(rows.frame.iloc[train], labels[train], trees, seed)
        held = rows.frame.iloc[test]
        predicted = model.predict(held)
        predictions[test] = predicted
        scores[CONTRADICTS][test] = predicted != labels[test]
        scores[LOSS][test] = 1 - model.predict_proba(held)[np.arange(len(test)), labels[test]]
        for name, scale in ((EXACT, "range"), (EXACT_QUANTILES, "quantiles")):
            explainer = boxwood.Explainer(model, rows.frame, scale=scale)
            scores[name][test], found = signed(explainer, held, labels[test], predicted)
            unproven += sum(not answer.proven for answer in found)
            refuted += confirm(model, rows.frame, found, predicted)
            if name == EXACT:
                for place, answer in zip(test, found, strict=True):
                    answers[place] = answer
    model = fitted(rows.frame, labels, trees, seed)
    predicted = model.predict(rows.frame)
    scores[LOSS_TRAINING] = 1 - model.predict_proba(rows.frame)[np.arange(count), labels]
    explainer = boxwood.Explainer(model, rows.frame)
    scores[EXACT_TRAINING], found = signed(explainer, rows.frame, labels, predicted)
    unproven += sum(not answer.proven for answer in found)
    refuted += confirm(model, rows.frame, found, predicted)
    scores[BOTH] = pd.Series(scores[EXACT]).rank() + pd.Series(scores[LOSS]).rank()
    scores[KNN] = disagreement(rows.numbers, labels)
    scores[FOREST] = strangeness(rows.numbers, labels, seed)
    return Trial(labels, wrong, {name: np.asarray(score) for name, score in scores.items()},
                 answers, unproven, refuted, float(np.mean(predictions == rows.truth)))


def confirm(model, frame, answers, predicted):
    """How many counterfactuals the library itself does not call the other class."""
    found = [(answer, now) for answer, now in zip(answers, predicted, strict=True) if answer.found]
    if not found:
        return 0
    points = found[0][0].explainer.frame_of(np.array([answer.array for answer, _ in found]))
    points = points.astype(frame.dtypes)
    return int(np.sum(model.predict(points) == np.array([now for _, now in found])))


def disagreement(numbers, labels, count=NEIGHBOURS):
    """The share of the nearest neighbours with another label, the nearer counting more in ties."""
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=count + 1).fit(numbers)
    _, places = near.kneighbors(numbers)
    other = np.empty((len(labels), count))
    for row, neighbours in enumerate(places):
        neighbours = neighbours[neighbours != row][:count]
        other[row] = labels[neighbours] != labels[row]
    return other.mean(axis=1) + 1e-6 * other @ (1 / np.arange(1, count + 1))


def strangeness(numbers, labels, seed):
    """How odd a row is among those of its label: scikit-learn's isolation forest."""
    from sklearn.ensemble import IsolationForest

    odd = np.zeros(len(labels))
    for label in np.unique(labels):
        same = labels == label
        forest = IsolationForest(n_estimators=100, random_state=seed).fit(numbers[same])
        odd[same] = -forest.score_samples(numbers[same])
    return odd


def measures(scores, wrong):
    """Average precision; precision among as many as are wrong; recall among twice as many."""
    from sklearn.metrics import average_precision_score

    count = int(wrong.sum())
    return (float(average_precision_score(wrong, scores)), among(scores, wrong, count) / count,
            among(scores, wrong, 2 * count) / count)


def among(scores, wrong, count):
    """How many of the first so many are wrong; of equal scores, how many on average."""
    cut = np.sort(scores)[::-1][count - 1]
    above, level = scores > cut, scores == cut
    return float(wrong[above].sum() + wrong[level].mean() * (count - above.sum()))


def results(trials):
    """A frame with a row for each set, share of wrong labels, seed and method."""
    rows = []
    for (name, share, seed), one in trials.items():
        for method, scores in one.scores.items():
            rows.append((name, share, seed, method, *measures(scores, one.wrong)))
    return pd.DataFrame(rows, columns=["set", "share", "seed", "method", "average precision",
                                       "precision", "recall"])


def spread(values):
    """Mean and standard error in words."""
    values = np.asarray(values, float)
    if len(values) < 2:
        return f"{values.mean():.2f}"
    return f"{values.mean():.2f} ± {values.std(ddof=1) / np.sqrt(len(values)):.2f}"


def summary(found):
    """For each method and share: the mean over the sets, with its standard error over the seeds."""
    rows = []
    for method in METHODS:
        cells = [method]
        for share in SHARES:
            part = found[(found["method"] == method) & (found["share"] == share)]
            by_seed = part.groupby("seed")[["average precision", "precision", "recall"]].mean()
            cells += [spread(by_seed[name]) for name in by_seed]
        rows.append(cells)
    columns = ["ranking"]
    for share in SHARES:
        columns += [f"{share:.0%} wrong: average precision", "precision", "recall at twice"]
    return rows, columns


def by_set(found, share, trials):
    """Average precision: a row for each method, a column for each set."""
    names = list(dict.fromkeys(found["set"]))
    right = [np.mean([one.accuracy for (name, at, _), one in trials.items()
                      if (name, at) == (wanted, share)]) for wanted in names]
    rows = [["(share that the models have right)", *(f"{value:.2f}" for value in right)],
            ["a random order", *[f"{share:.2f}"] * len(names)]]
    for method in METHODS:
        part = found[(found["method"] == method) & (found["share"] == share)]
        rows.append([method, *(spread(part[part["set"] == name]["average precision"])
                               for name in names)])
    return rows, ["ranking", *names]


@dataclasses.dataclass
class Duel:
    """Average precision of one ranking less that of another."""

    mean: float
    over_trials: tuple  # 95 % interval: other flips of the same sets
    over_sets: tuple  # 95 % interval: other sets
    won: int
    lost: int
    ahead: int  # pairs of set and share with a gain on average
    pairs: int


def interval(values):
    """The 95 % interval of a mean by Student's t; without ends where there is one value."""
    from scipy import stats

    values = np.asarray(values, float)
    if len(values) < 2:
        return -np.inf, np.inf
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def duel(found, ours, theirs):
    """The two rankings on the same trials."""
    wide = found.pivot_table(index=["set", "share", "seed"], columns="method",
                             values="average precision")
    gain = wide[ours] - wide[theirs]
    means = gain.groupby(level=["set", "share"]).mean()
    # A seed stands for one trial of each set: sets differ from each other for good.
    by_seed = gain.groupby(level="seed").mean()
    return Duel(float(gain.mean()), interval(by_seed), interval(gain.groupby(level="set").mean()),
                int((gain > 0).sum()), int((gain < 0).sum()), int((means > 0).sum()), len(means))


def ends(low_high):
    low, high = low_high
    return f"{low:+.3f} to {high:+.3f}" if np.isfinite(low) else "none, of one value"


def duel_text(one):
    """The figures of a duel in words."""
    return (f"{one.mean:+.3f} in average precision (95 % interval over the seeds, for these sets: "
            f"{ends(one.over_trials)}; over the sets: {ends(one.over_sets)}); better in {one.won} "
            f"and worse in {one.lost} trials, better on average in {one.ahead} of {one.pairs} "
            "pairs of set and share")


def drawn(found):
    """Average precision of every method and set."""
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(found["set"]))
    figure, axes = plt.subplots(1, len(SHARES), figsize=(11, 0.9 + 0.75 * len(names)), sharey=True,
                                squeeze=False)
    shown = (EXACT, EXACT_TRAINING, LOSS, CONTRADICTS, KNN, FOREST)
    colours = ("#1b7a4b", "#7fc29b", "#c0392b", "#e6a23c", "#2c6fbb", "#8a8a8a")
    for ax, share in zip(axes[0], SHARES, strict=True):
        for place, (method, colour) in enumerate(zip(shown, colours, strict=True)):
            part = found[(found["method"] == method) & (found["share"] == share)]
            grouped = part.groupby("set")["average precision"]
            mean, error = grouped.mean()[names], grouped.sem()[names].fillna(0.0)
            ax.errorbar(mean, np.arange(len(names)) + 0.14 * (place - 2.5), xerr=error, fmt="o", ms=5,
                        color=colour, label=method, lw=1.4)
        ax.axvline(share, color="#555555", lw=1, ls=":", label="a random order")
        ax.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
        ax.set_ylim(len(names) - 0.5, -0.5)
        for border in range(1, len(names)):
            ax.axhline(border - 0.5, color="#dddddd", lw=0.8, zorder=0)
        ax.set_xlim(0, 1)
        ax.set_xlabel("average precision")
        ax.set_title(f"{share:.0%} of the labels wrong", fontsize="medium")
    handles, words = axes[0][0].get_legend_handles_labels()
    figure.tight_layout()
    figure.legend(handles, words, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=3,
                  frameon=False, fontsize="small")
    return figure


def suspects(one, count=8):
    """The first of the exact ranking: label, whether it was flipped, distance, what would do."""
    rows = []
    for place in np.argsort(-one.scores[EXACT], kind="stable")[:count]:
        answer = one.answers[place]
        words = "; ".join(f"{change.title}: {change.now} → {change.change_to}"
                          for change in answer.changes) or "nothing would"
        rows.append((place, one.labels[place], "yes" if one.wrong[place] else "no",
                     f"{one.scores[EXACT][place]:.2f}", words))
    return rows, ["row", "label given", "flipped", "distance",
                  "for the model to agree, the least change"]


def extra(parser):
    parser.add_argument("--rows", type=int, default=1000, help="of each set, at most")
    parser.add_argument("--seeds", type=int, default=5, help="flips of labels for each set")


def run(arguments=None):
    """(the report with what was found, its page)."""
    options = common.parse(__doc__.split("\n")[0], arguments, extra)
    report = common.Report(options, "labels", "Labels that are wrong",
                           ["xgboost", "scikit-learn", "pandas"])
    trees, seeds = (30, 1) if options.small else (100, options.seeds)
    trials, sizes, left_out = {}, [], []
    for rows in sets_of(options, np.random.default_rng(options.seed), left_out):
        sizes.append((rows.name, len(rows.frame), rows.frame.shape[1], f"{rows.truth.mean():.2f}"))
        with report.timed(rows.name):
            for share in SHARES:
                for seed in range(options.seed, options.seed + seeds):
                    one = trial(rows, share, trees, seed)
                    trials[rows.name, share, seed] = one
                    if (rows.name, seed) != (sizes[0][0], options.seed):
                        one.answers = []  # only one trial is shown in words
    found = results(trials)
    report.found, report.trials = found, trials
    write(report, options, trees, seeds, sizes, left_out)
    return report, report.write()


def main(arguments=None):
    return run(arguments)[1]


def write(report, options, trees, seeds, sizes, left_out):
    """The page."""
    found, trials = report.found, report.trials
    report.text(f"""
Labels of public data are flipped at random, {" or ".join(f"{share:.0%}" for share in SHARES)} of
them, and a model is trained on the result. Which rows have the wrong label? The paper names this
use of counterfactuals in its outlook and does not measure it; the protocol here is ours.

The exact ranking asks for each row how far it is to the nearest point of the other class. Where
model and label disagree, the row is the more suspect the further it is; where they agree, the
less. The model has not seen the row (out of fold, {FOLDS} folds); *training points* are ranked by
one model trained on all rows, wrong labels included. The distance is L1 in ranges of the features,
or in shares of the data passed (*quantiles*); a category that changes counts as one range. The
models are XGBoost, {trees} trees of depth 3. The other rankings see the same labels: the
probability that the same models give to the label (confident learning builds on it), the nearest
neighbours, an isolation forest of the rows with the same label, and plainest of all whether the
same models contradict the label, with nothing to order those rows by. Rows of equal score count in
a random order.""")
    report.table(sizes, ["set", "rows", "features", "share of class 1"])
    if left_out:
        report.text(f"Left out, since the data folder has no file of them: {', '.join(left_out)}.")
    report.heading("How well each ranking finds them")
    errors = f", with its standard error over {seeds} seeds" if seeds > 1 else ""
    report.text(f"""
Mean over the sets{errors}. Precision: of as many suspects as there are wrong labels, how many are
wrong. Recall at twice: how many of the wrong labels are among twice as many suspects.""")
    report.table(*summary(found))
    report.picture(drawn(found), "precision",
                   "Average precision of six rankings on every set, with standard errors")
    one, both = duel(found, EXACT, LOSS), duel(found, BOTH, LOSS)
    plain_one = duel(found, EXACT, CONTRADICTS)
    report.text(f"""
**The distance against the probability** of the same models: {duel_text(one)}.
{verdict(one, "distance", "probability")}

**The mean rank of both against the probability** alone: {duel_text(both)}.
{verdict(both, "mean rank", "probability")}

**The distance against the plain contradiction**: {duel_text(plain_one)}.
{verdict(plain_one, "distance", "plain contradiction")}

A probability costs nothing beside a search: as a ranking alone the distance is worth its time only
where it is clearly better. What it adds is what the last table shows: how the row would have to
look.""")
    for share in SHARES:
        report.text(f"Average precision with {share:.0%} wrong labels:")
        report.table(*by_set(found, share, trials))
    first = sizes[0][0]
    report.heading("What the first suspects look like")
    report.text(f"""
The head of the exact ranking of “{first}” with {SHARES[0]:.0%} wrong labels, first seed: which
label the row has{" (0: bad, 1: good)" if first == "german" else ""}, and what would have to be
different for a model that did not see it to agree.""")
    report.table(*suspects(trials[first, SHARES[0], options.seed]))
    unproven = sum(one.unproven for one in trials.values())
    refuted = sum(one.refuted for one in trials.values())
    asked = sum(3 * len(one.labels) for one in trials.values())
    report.heading("What to keep in mind")
    report.text(f"""
- {asked:,} exact questions were asked; {unproven} were not proven in 5 s; XGBoost's own `predict`
  contradicts {refuted} of the points found.
- The flips are at random. Labels that people get wrong are not, and nothing here says how well
  those are found.
- Nobody knows how many labels of the public data are wrong to begin with; these count as errors of
  every ranking.
- {extremes(found, trials)}""")


def extremes(found, trials, share=SHARES[0]):
    """What the best ranking reaches where the models are worst and where they are best."""
    right = {}
    for (name, at, _), one in trials.items():
        if at == share:
            right.setdefault(name, []).append(one.accuracy)
    right = {name: np.mean(values) for name, values in right.items()}
    order = sorted(right, key=right.get)
    words = []
    for name in dict.fromkeys((order[0], order[-1])):
        part = found[(found["set"] == name) & (found["share"] == share)]
        best = part.groupby("method")["average precision"].mean()
        words.append(f"on “{name}” the models have {right[name]:.0%} of the rows right, and the "
                     f"best ranking ({best.idxmax()}) has an average precision of {best.max():.2f}")
    return (f"How much can be found depends on the models: with {share:.0%} wrong labels, "
            f"{'; '.join(words)}. A random order has {share:.2f}.")


def verdict(one, ours, theirs):
    """What a duel comes to, in words: for these sets, and beyond them."""
    (low, high), (low_sets, high_sets) = one.over_trials, one.over_sets
    if low <= 0 <= high:
        return "On these sets neither is clearly better."
    better = ours if low > 0 else theirs
    if low_sets > 0 or high_sets < 0:
        return f"The {better} ranks better."
    return (f"On these sets the {better} ranks better; the sets differ too much among each other "
            "to say so of others.")


if __name__ == "__main__":
    main()
