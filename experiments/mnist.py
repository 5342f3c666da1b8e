"""Experiment 2: misclassified digits of four pairs, against FOCUS, DiCE, NICE and treecf.

Neighbours: mnist_pairs.py (data and models), focus.py, rivals.py, mnist_measures.py,
mnist_figures.py, mnist_words.py (what is said of the tables), mnist_kept.py (answers kept).
"""

import argparse
import pathlib
import time

import common
import focus
import mnist_figures as figures
import mnist_kept
import mnist_measures as measures
import mnist_pairs as pairs
import mnist_words as words
import numpy as np
import rivals

LEVELS = (0.5, 0.4, 0.3, 0.2)  # as in the paper
TREECF_NODES = 2_000_000  # its default
EXACT = ("Boxwood", "Boxwood, L1", "Boxwood, fewest")
BEYOND, BEYOND_SMALL = 0.001, 0.1  # 20 trees are never as sure as 200
# Table "crit_num" of the paper: L1, L2, changed components, stability.
PAPER = {
    "5 v 6": {"FOCUS": (0.93, 0.37, 15.83, 1.07), "exact": (0.32, 0.20, 3.08, 0.98)},
    "1 v 7": {"FOCUS": (0.66, 0.28, 10.75, 1.04), "exact": (0.17, 0.14, 1.75, 0.96)},
    "4 v 9": {"FOCUS": (1.04, 0.31, 20.91, 1.22), "exact": (0.26, 0.15, 3.36, 0.90)},
    "3 v 8": {"FOCUS": (1.07, 0.38, 18.50, 1.04), "exact": (0.29, 0.20, 3.00, 0.94)},
}
COLUMNS = ["pair", "tool", "digits", "valid", "L1", "L2", "× smallest L2", "changed",
           f"changed > {measures.VISIBLE:.0%}", "stability", "CPU seconds a digit"]


def more_arguments(parser):
    parser.add_argument("--trials", type=int, default=100, help="settings of FOCUS that are tried")
    parser.add_argument("--iterations", type=int, default=1000, help="of FOCUS, a setting")
    parser.add_argument("--sample", type=int, default=0,
                        help="digits a pair for DiCE, NICE and treecf; 0: all")
    parser.add_argument("--nodes", type=int, default=TREECF_NODES, help="of treecf, a digit")
    parser.add_argument("--rivals", action=argparse.BooleanOptionalAction, default=True,
                        help="ask DiCE, NICE and treecf")
    parser.add_argument("--keep", type=pathlib.Path,
                        help="folder of FOCUS's, DiCE's, NICE's and treecf's answers: those there "
                        "are used, new ones are put there")


def figure(value, digits=2):
    return "–" if value is None or np.isnan(value) else f"{value:.{digits}f}"


def article(digit):
    return f"{'an' if digit == 8 else 'a'} {digit}"


def seconds(value):
    return "–" if np.isnan(value) else f"{value:.2g}"


def line(name, tool, facts):
    """A row of the tables: means over the valid points, of the ratio the median."""
    return [name, tool, len(facts["valid"]), f"{measures.mean(facts['valid']):.0%}",
            figure(measures.mean(facts["l1"])), figure(measures.mean(facts["l2"])),
            figure(measures.median(facts["ratio"])), figure(measures.mean(facts["changed"])),
            figure(measures.mean(facts["visible"])), figure(measures.mean(facts["stability"])),
            seconds(measures.mean(facts["seconds"]))]


def paper_line(name, which):
    l1, l2, changed, stability = PAPER[name][which]
    return [name, f"*{which}, the paper's figures*", "–", "–", figure(l1), figure(l2), "–",
            figure(changed), "–", figure(stability), "–"]


def boxwood(pair, cost, name, units=None, **question):
    """Boxwood's answers about the wrong digits."""
    explainer = pairs.explainer(pair, units)
    begin = time.process_time()
    points, answers = pairs.ask(explainer, pair.rows, pair.now, cost=cost, threads=1, **question)
    spent = (time.process_time() - begin) / len(pair.rows)
    confirm(pair, pair.now, points, answers, name)
    return measures.Result(name, pair.rows, pair.now, points, spent)


def confirm(pair, now, points, answers, what, epsilon=0.5):
    """Every answer is proven, and XGBoost leaves the wrong digit at most epsilon; or the run stops."""
    unproven = sum(not answer.proven for answer in answers)
    if unproven:
        raise SystemExit(f"{pair.name}: {unproven} answers of {what} are not proven")
    left = np.abs(1 - now - pair.probability(points).astype(float))
    wrong = ~(left <= epsilon)  # NaN is wrong, too
    if epsilon == 0.5:
        wrong |= pair.predict(points) != 1 - now
    if wrong.any():
        raise SystemExit(f"{pair.name}: XGBoost does not confirm {wrong.sum()} points of {what}")


def confirmed(pair, explainer, rows, now, what, epsilon=0.5):
    """Boxwood's points of any rows, each proven and confirmed."""
    points, answers = pairs.ask(explainer, rows, now, epsilon, cost="l2", threads=1)
    confirm(pair, now, points, answers, what, epsilon)
    return points


class Focus:
    """FOCUS tuned on the wrong digits of a pair."""

    def __init__(self, pair, options, kept):
        self.pair, self.kept = pair, kept
        self.iterations = options.iterations
        self.trees = focus.SoftTrees(pair.model.get_booster())
        self.limits = {"iterations": options.iterations, "lower": pair.train.min(axis=0),
                       "upper": pair.train.max(axis=0)}
        self.facts = [fingerprint(pair), *self.limits.values()]
        # Each pair has draws of its own.
        self.best, self.trials = focus.tune(
            self.trees, pair.predict, pair.rows, options.trials,
            [options.seed, pair.first, pair.second],
            keep=lambda settings, ask: kept(focus, [*self.facts, settings, pair.rows], ask),
            **self.limits)
        self.spent = sum(trial.seconds for trial in self.trials)
        self.result = measures.Result("FOCUS", pair.rows, pair.now, self.best.points,
                                      self.best.seconds / len(pair.rows))
        self.lucky = measures.Result(
            f"FOCUS, for each digit the best of {options.trials} settings", pair.rows, pair.now,
            focus.nearest_of_all(pair.rows, self.trials), self.spent / len(pair.rows))

    def answer(self, rows, now):
        settings = self.best.settings
        return self.kept(focus, [*self.facts, settings, rows], lambda: (focus.search(
            self.trees, self.pair.predict, rows, settings, **self.limits), 0.0))[0]


def fingerprint(pair):
    """The model of a pair as bytes, for what is kept."""
    return np.frombuffer(pair.model.get_booster().save_raw("ubj"), dtype=np.uint8)


def sample(count, options):
    """Places of the digits that slow tools are asked about, at random."""
    chosen = np.random.default_rng(options.seed).permutation(count)
    return np.sort(chosen[:options.sample] if options.sample else chosen)


# The parts of the page.


def data_part(report, trained):
    report.heading("Models")
    report.table([(pair.name, len(pair.train), len(pair.test), len(pair.wrong),
                   f"{pair.right:.2%}", pair.pca.n_components_,
                   f"{pair.pca.explained_variance_ratio_.sum():.0%}")
                  for pair in trained],
                 ["pair", "training digits", "test digits", "wrong", "right", "components",
                  "variance kept"])


def levels_part(report, trained):
    """Pictures for falling epsilon, and what it costs."""
    report.heading("Towards more certainty")
    report.text("""
The paper asks for the nearest point to which the model gives the wrong digit at most the
probability ε. For each pair one wrong digit whose distance at ε = 0.2 is the median one of the
pair: the scan, what the components keep of it, and the counterfactuals for falling ε; below, what
they change of the second image, each on its own scale. `d` is the L2 distance, `p` the probability
that is left to the wrong digit. The last ε is not in the paper.""")
    distances, pixels = {}, {}
    levels = (*LEVELS, BEYOND_SMALL if report.small else BEYOND)
    for pair in trained:
        explainer = pairs.explainer(pair)
        found = [confirmed(pair, explainer, pair.rows, pair.now, f"ε {level}", level)
                 for level in levels]
        pixels[pair.name] = [np.abs(pair.pixels(points) - pair.pixels(pair.rows)).max(axis=1)
                             for points in found]
        far = np.array([np.linalg.norm(points.astype(float) - pair.rows, axis=1)
                        for points in found])
        distances[pair.name] = far
        # As in the paper the true digit is the first one, where there is such an error.
        choice = np.flatnonzero(pair.now == 1) if (pair.now == 1).any() else np.arange(len(far[0]))
        one = choice[np.argsort(far[3][choice])[(len(choice) - 1) // 2]]
        wrong, true = ((pair.second, pair.first) if pair.now[one] == 1
                       else (pair.first, pair.second))
        left = [np.abs(1 - pair.now[one] - pair.probability(points[one:one + 1])[0])
                for points in found]
        now = np.abs(1 - pair.now[one] - pair.probability(pair.rows[one:one + 1])[0])
        columns = [("the scan", pair.test_images[pair.wrong[one]]),
                   (f"components\np {now:.3f}", pair.pixels(pair.rows[one:one + 1])[0])]
        columns += [(f"ε {level}\nd {d:.3f}, p {p:.3f}", pair.pixels(points[one:one + 1])[0])
                    for level, d, p, points in zip(levels, far[:, one], left, found, strict=True)]
        report.picture(
            figures.strip(columns[1][1], columns, f"{article(true)}, taken for {article(wrong)}.\n"
                          "Below each what it changes:\nred brighter, blue darker,\n"
                          "each on its own scale"),
            pair.name.replace(" ", ""),
            f"{article(true)} that the model takes for {article(wrong)}, and its counterfactuals for ε from "
            f"{levels[0]} to {levels[-1]}, distances {far[0, one]:.3f} to {far[-1, one]:.3f}")
    report.picture(figures.certainty(LEVELS, {name: far[:4] for name, far in distances.items()}),
                   "certainty",
                   "Distance of the nearest counterfactual by ε, median and quartiles of each pair")
    report.table([(name, *(figure(row.mean(), 3) for row in far))
                  for name, far in distances.items()],
                 ["pair: mean L2", *(f"ε {level}" for level in levels)])
    report.text(words.certainty(distances, papers=not report.small))
    report.text("The largest change of any pixel, in the mean over the wrong digits:")
    report.table([(name, *(figure(row.mean(), 3) for row in rows))
                  for name, rows in pixels.items()],
                 ["pair: largest change of a pixel", *(f"ε {level}" for level in levels)])
    report.text(words.faint(pixels, levels, LEVELS[-1]))
    return distances


def focus_part(report, trained, exact, tuned):
    report.heading("Against FOCUS")
    report.text(f"""
FOCUS is that of Lucic, Oosterhuis, Haned and de Rijke, *FOCUS: Flexible Optimizable Counterfactual
Explanations for Tree Ensembles* (AAAI 2022). ε is 0.5. Means over the valid points, and the median
of how many times as far they are as the nearest point of the same digit; *changed* counts components
that differ at all, and by more than {measures.VISIBLE:.0%} of their range. Stability is equation 2
of Alvarez-Melis and Jaakkola (2018) of the counterfactual points; smaller is more stable. Their
neighbours are all data points within a distance ε; ours are the {measures.NEIGHBOURS} nearest wrong
digits that are decided alike, however far. Distances are in standard deviations of the
components (they are whitened), for which the part on units gives the reason. The time of FOCUS is
that of the chosen setting, asked about all digits at once; the search for the setting comes on
top.""")
    rows, means = [], ({}, {})
    for pair, ours, theirs in zip(trained, exact, tuned, strict=True):
        if not report.small:
            rows += [paper_line(pair.name, "FOCUS"), paper_line(pair.name, "exact")]
        facts = [measures.facts(pair, result, ours) for result in
                 (theirs.result, theirs.lucky, ours)]
        rows += [line(pair.name, result.tool, one) for result, one in
                 zip((theirs.result, theirs.lucky, ours), facts, strict=True)]
        means[0][pair.name], means[1][pair.name] = (
            {key: measures.mean(values) for key, values in one.items()} for one in
            (facts[2], facts[0]))
    report.table(rows, COLUMNS)
    report.text(words.against(*means))
    if not report.small:
        report.text("A common unit cancels in how much farther FOCUS goes than the exact method. "
                    "Mean distances of FOCUS over those of the exact method, of the same digits:")
        farther = {norm: [measures.farther(pair, theirs.result, ours, norm) for pair, ours, theirs
                          in zip(trained, exact, tuned, strict=True)] for norm in ("l1", "l2")}
        papers = {norm: [PAPER[pair.name]["FOCUS"][at] / PAPER[pair.name]["exact"][at]
                         for pair in trained] for at, norm in enumerate(("l1", "l2"))}
        report.table([(pair.name, *(figure(value) for value in cells)) for pair, *cells in
                      zip(trained, papers["l1"], papers["l2"], farther["l1"], farther["l2"],
                          strict=True)],
                     ["pair", "L1, paper", "L2, paper", "L1 here", "L2 here"])
        report.text(words.focus_differs(
            farther["l2"], papers["l2"], *([one[key] for one in means[1].values()]
                                           for key in ("changed", "visible")),
            [PAPER[pair.name]["FOCUS"][2] for pair in trained]))
    report.text(f"""
Our FOCUS is written from its paper, with numpy: sigmoid splits of steepness σ, the probability of
the present class as a sigmoid of τ times the raw score, counted only while the real model still
answers it, β times the Euclidean distance, Adam with rate α. XGBoost itself says what is valid after
every step, and the nearest valid point of all steps is kept. Its gradient is checked against finite
differences in the tests, so that PyTorch is not needed. Values stay within the range of the training
data, as in its authors' code; Boxwood's do not have to: {sum(map(outside, trained, exact))} of its
{sum(len(one.rows) for one in exact)} points go farther out of it than their digits. The authors tune
σ, τ, β and α together on the very rows that are explained: first as many valid counterfactuals as
possible, then the least mean distance. We do the same with {tuned[0].iterations:,} iterations of
each setting; the settings are drawn at random, for each pair anew, evenly on logarithmic scales: σ
from 1 to 100, τ from 1 to 20, β from 0.001 to 0.1, α from 0.001 to 0.1.""")
    report.table([
        (pair.name, len(one.trials), f"{one.best.settings.sigma:.3g}",
         f"{one.best.settings.tau:.3g}", f"{one.best.settings.beta:.2g}",
         f"{one.best.settings.rate:.2g}",
         sum(trial.found == len(pair.rows) for trial in one.trials),
         sum(trial.found == 0 for trial in one.trials),
         f"{np.mean([trial.found for trial in one.trials]) / len(pair.rows):.0%}",
         f"{one.spent:.0f}")
        for pair, one in zip(trained, tuned, strict=True)],
        ["pair", "settings tried", "σ chosen", "τ", "β", "α", "settings with every digit valid",
         "with none", "valid in the mean of the settings", "CPU seconds of tuning"])


def outside(pair, result):
    """How many points leave the range of the training data farther than their digits do."""
    lower, upper = pair.train.min(axis=0), pair.train.max(axis=0)
    return int(((result.points < np.minimum(lower, result.rows)) |
                (result.points > np.maximum(upper, result.rows))).any(axis=1).sum())


def stability_part(report, trained, exact, tuned, options):
    """Stability depends on what a neighbour is."""
    report.text(f"""
What stability says depends on the neighbours, which the paper does not name. Three choices, for all
wrong digits, {measures.NEIGHBOURS} neighbours each: the nearest other wrong digits (as above); the
nearest test digits that the model decides alike; and the digit itself with every component moved at
random by up to 1 % of its range, each digit in its own way: the sampled form of a small
neighbourhood. The last column measures both distances in ranges of the components, the others in
standard deviations. A neighbour of which a tool finds nothing does not count.""")
    rows, moved = [], ({}, {})
    for pair, ours, theirs in zip(trained, exact, tuned, strict=True):
        explainer = pairs.explainer(pair)
        tools = {"Boxwood": lambda rows, now, pair=pair, explainer=explainer: confirmed(
            pair, explainer, rows, now, "neighbours"), "FOCUS": theirs.answer}
        for result, (name, answer), by_pair in zip((ours, theirs.result), tools.items(), moved,
                                                   strict=True):
            near, by_pair[pair.name] = (measures.stability_around(
                pair, pair.rows, pair.now, answer, moves, options.seed) for moves in (None, 0.01))
            among = measures.stability_among(pair, result)
            rows.append((pair.name, name, *(figure(measures.mean(one))
                                            for one in (among, near, by_pair[pair.name]))))
    report.table(rows, ["pair", "tool", "wrong digits", "digits decided alike",
                        "moved by 1 % (in ranges)"])
    if any("–" in row for row in rows):
        report.text("A dash means that the tool found no counterfactual of any neighbour.")
    report.text(words.stability(*moved, papers=not options.small))
    apart = [np.sort(np.linalg.norm(one.rows[:, None].astype(float) - one.rows, axis=2), axis=1)[:, 1]
             for one in exact]
    moves = [measures.lengths(one) for one in exact]
    report.text(words.far_apart(np.concatenate(apart).mean(), np.concatenate(moves).mean(),
                                [float(cell) for row in rows for cell in row[2:4] if cell != "–"],
                                None if options.small else
                                [one["exact"][3] for one in PAPER.values()]))


def units_part(report, trained, images, size, options):
    """Under which scaling the paper's distances make sense."""
    report.heading("In which units the paper measures")
    report.text("""
The paper names neither the scale of the pixels nor that of the components, nor the learning rate.
Each row below is one reading of it: components of the pair's own training digits or of all ten
digits, as they come from pixels of 0 to 1 (of 0 to 255 everything is 255 times as far), divided by
their standard deviation (whitened) or by their range; XGBoost's default learning rate, 0.3, or 0.1.
The nearest points are searched for anew in each unit. *Misfit* is the root mean square of log(ours
/ paper's) over all figures of a row; 0.69 is a factor of two.""")
    bases = {"the pair's": None, "all digits'": pairs.fit_pca(images, range(10), size)}
    rows = []
    for basis, pca in bases.items():
        for rate in (0.3, 0.1):
            models = [pair if pca is None and rate == 0.3 else pairs.make_pair(
                images, pair.first, pair.second, size, options.seed, pca, learning_rate=rate)
                for pair in trained]
            for unit in ("pixels 0 to 1", "standard deviation", "range"):
                rows.append((basis, rate, unit, *units_line(models, unit)))
                if unit == "pixels 0 to 1":
                    rows.append((basis, rate, "pixels 0 to 255", *units_line(models, unit, 255)))
    named = [pair.name for pair in trained]
    if options.small:  # other digits than the paper's: nothing to compare with
        report.table([row[:-1] for row in rows],
                     ["components", "rate", "unit", *(f"{name}: L1, L2, changed" for name in named)])
        return rows
    rows.sort(key=lambda row: row[-1])
    rows.insert(0, ("*the paper*", "?", "?", *(
        "{:.2f}, {:.2f}, {:.2f}".format(*PAPER[name]["exact"][:3]) for name in named), np.nan))
    report.table([(*row[:-1], figure(row[-1])) for row in rows],
                 ["components", "rate", "unit", *(f"{name}: L1, L2, changed" for name in named),
                  "misfit"])
    report.text(words.best_reading(rows[1:], ("the pair's", 0.3, "standard deviation")))
    report.text(words.changes_more(
        [[float(cell.split(", ")[2]) for cell in row[3:-1]] for row in rows[1:]],
        [PAPER[name]["exact"][2] for name in named]))
    return rows


def units_line(models, unit, factor=1):
    """Cells of one reading of the paper: figures by pair, then the misfit."""
    ours = []
    for pair in models:
        # The components that the model reads are whitened: one of them is a standard deviation.
        units = {"standard deviation": np.ones(pair.train.shape[1]),
                 "pixels 0 to 1": 1 / np.sqrt(pair.pca.explained_variance_),
                 "range": np.ptp(pair.train.astype(float), axis=0)}[unit]
        moved = boxwood(pair, "l2", unit, units).points.astype(float) - pair.rows
        moved *= factor / units
        ours.append((np.abs(moved).sum(axis=1).mean(), np.linalg.norm(moved, axis=1).mean(),
                     (moved != 0).sum(axis=1).mean()))
    papers = [PAPER[pair.name]["exact"] for pair in models]
    return [*("{:.2f}, {:.2f}, {:.2f}".format(*one) for one in ours),
            measures.misfit(ours, [one[:3] for one in papers])]


def rivals_part(report, trained, exact, tuned, kept, options):
    """The other tools; `exact` is what Boxwood found for each of its three questions, by pair."""
    report.heading("DiCE, NICE and treecf")
    tools, missing = rivals.available() if options.rivals else ({}, [])
    if missing:
        report.text(f"Not installed here, and so left out: {', '.join(missing)}.")
    elif not options.rivals:
        report.text("They were not asked (`--no-rivals`).")
    chosen = (f"{options.sample} digits a pair, drawn at random" if options.sample
              else "All wrong digits")
    report.text(f"""
{chosen}, the same for every tool; all pairs together, stability among these digits. Boxwood
minimises squared L2, in its second row L1, in its third the number of changed components and then
L1. Points are rounded to float32, as XGBoost reads them, and checked by XGBoost. {words.how_asked(tools, options.nodes, TREECF_NODES)}""")
    by_tool, nearer, fewer = {}, 0, 0
    for pair, *ours, theirs in zip(trained, *exact, tuned, strict=True):
        some = sample(len(pair.rows), options)
        results = [result.at(some) for result in (*ours, theirs.result)]
        task = rivals.Task(pair.model, pair.train, pair.labels, pair.rows[some],
                           options.nodes)
        for name, tool in tools.items():
            points, spent = kept(rivals, [fingerprint(pair), task.rows, name, options.nodes,
                                          pair.train], lambda tool=tool, task=task: tool(task))
            results.append(measures.Result(name, pair.rows[some], pair.now[some], points,
                                           float(spent.mean())))
        best = {norm: measures.lengths(result, norm)
                for norm, result in (("l2", results[0]), ("l1", results[1]))}
        least = measures.facts(pair, results[2], results[0])["changed"]
        for result in results:
            facts = measures.facts(pair, result, results[0])
            # Nothing may be nearer than what is proven to be nearest; float32 has 7 digits.
            nearer += sum(int((facts[norm] < best[norm] * (1 - 1e-6)).sum()) for norm in best)
            fewer += int((facts["changed"] < least).sum())
            facts["best"] = facts["l1"] <= best["l1"] * (1 + 1e-4)
            for key, values in facts.items():
                by_tool.setdefault(result.tool, {}).setdefault(key, []).extend(values)
    report.table([[*line("", tool, facts)[1:], int(sum(facts["best"]))]
                  for tool, facts in by_tool.items()], [*COLUMNS[1:], "at the L1 optimum"])
    shown = {tool: measures.known(facts["ratio"]) for tool, facts in by_tool.items()}
    shown = {tool: values for tool, values in shown.items() if len(values)}
    report.picture(figures.ratios(list(shown), list(shown.values())), "tools",
                   "L2 distance of each tool's valid points over the smallest possible, by digit")
    report.text(f"Points of any tool that are valid and nearer than Boxwood's, in L2 or in L1: "
                f"{nearer}; that change fewer components than Boxwood's fewest: {fewer}.")
    report.text(words.sparsest(by_tool, *EXACT))
    if tools:
        report.text(words.rivals(by_tool, EXACT))
        if options.sample:
            every = sum(len(pair.rows) for pair in trained)
            minutes = every * sum(measures.mean(by_tool[name]["seconds"]) for name in tools) / 60
            report.text(f"Why not all {every} digits: {words.listed(tools)} would take about "
                        f"{minutes:.0f} minutes of the processor for them at the rates above, more "
                        "than this run was given. `--sample 0` asks about all.")
    return nearer, fewer


def main(arguments=None):
    options = common.parse(__doc__.split("\n")[0], arguments, more_arguments)
    if options.small:
        options.trials, options.iterations = min(options.trials, 4), min(options.iterations, 150)
    kept = mnist_kept.Kept(options.keep)
    images, size, chosen = pairs.read_images(options)
    report = common.Report(options, "mnist", "Misclassified digits",
                           ["xgboost", "scikit-learn", "dice-ml", "NICEx", "treecf"])
    source = ("the 8 × 8 digits of scikit-learn, half of them for training" if options.small
              else "MNIST, its own training and test digits")
    report.text(f"""
Experiment 2 of the paper: XGBoost tells two digits apart, {size.trees} trees of depth {size.depth}
on the first {size.components} principal components of {source}; everything else
is XGBoost's default. For every test digit that it gets
wrong, Boxwood finds the nearest point that it takes for the true digit. Every answer of Boxwood's on
this page is proven to be optimal and confirmed by XGBoost's own prediction; otherwise the run would
have stopped.""")
    with report.timed("training"):
        trained = [pairs.make_pair(images, first, second, size, options.seed)
                   for first, second in chosen]
    data_part(report, trained)
    with report.timed("counterfactuals for four ε"):
        levels_part(report, trained)
    with report.timed("Boxwood, L2, L1 and fewest"):
        exact = [boxwood(pair, "l2", EXACT[0]) for pair in trained]
        least = [boxwood(pair, "l1", EXACT[1]) for pair in trained]
        fewest = [boxwood(pair, "l1", EXACT[2], fewest_first=True) for pair in trained]
    with report.timed("FOCUS, tuning included"):
        tuned = [Focus(pair, options, kept) for pair in trained]
    focus_part(report, trained, exact, tuned)
    with report.timed("stability by neighbours"):
        stability_part(report, trained, exact, tuned, options)
    with report.timed("units"):
        units_part(report, trained, images, size, options)
    with report.timed("DiCE, NICE, treecf"):
        rivals_part(report, trained, (exact, least, fewest), tuned, kept, options)
    if kept.old:
        report.text(f"{kept.old} of {kept.old + kept.new} searches of FOCUS, DiCE, NICE and treecf "
                    "were taken from earlier runs of the same code on the same models "
                    "(`--keep`), with the processor time that they took then; the times of the parts "
                    "below are without them.")
    return report.write()


if __name__ == "__main__":
    main()
