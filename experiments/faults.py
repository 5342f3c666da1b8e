"""Fault diagnosis: how often does the nearest normal state name the signal that is to blame?

    python experiments/faults.py [--small] [--faults 256] [--slow-sample 0] [--out FOLDER]

A plant with known faults (fault_simulator.py), a detector that is trained to tell faulty from
normal rows, and for each fault that it detects several ways to name the cause (fault_methods.py):
exact counterfactuals, TreeSHAP, DiCE, FOCUS, and two rules of thumb of process monitoring.
"""

import boxwood
import common
import fault_simulator as plant
import matplotlib
import numpy as np
import pandas as pd
from fault_methods import (
    DIGITS,
    FAST,
    FAULT,
    LIMIT,
    NODES,
    NORMAL,
    SIGNALS,
    SLOW,
    Case,
    asked,
)
from scipy import stats

matplotlib.use("Agg")


def ranking(weights):
    """The signals of one row that are blamed, the most first; ties in the order of the plant."""
    order = np.argsort(-weights, kind="stable")
    return [SIGNALS[i] for i in order if weights[i] > 0]


def judged(blame, causes):
    """A frame a row: is the first named to blame, is one of three, is any, and how many named."""
    facts = []
    for weights, cause in zip(blame.weights, causes, strict=True):
        named = ranking(np.nan_to_num(weights))
        facts.append((bool(set(named[:1]) & set(cause)), bool(set(named[:3]) & set(cause)),
                      bool(set(named) & set(cause)), len(named)))
    return pd.DataFrame(facts, columns=["first", "three", "any", "named"])


def wilson(hits, count, z=1.96):
    """The 95 % interval of a share by Wilson's score."""
    if count == 0:
        return 0.0, 1.0
    share, square = hits / count, z * z / count
    middle = (share + square / 2) / (1 + square)
    half = z * np.sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def against(ours, theirs):
    """(only ours right, only theirs right, p of the two-sided sign test) over the same rows."""
    ours, theirs = np.asarray(ours, bool), np.asarray(theirs, bool)
    first, second = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    if first + second == 0:
        return first, second, 1.0
    return first, second, float(stats.binomtest(first, first + second).pvalue)


def corrected(chances):
    """Holm's correction of p-values that are looked at together, in their own order."""
    chances = np.asarray(chances, float)
    order = np.argsort(chances, kind="stable")
    steps = np.maximum.accumulate(chances[order] * np.arange(len(chances), 0, -1))
    result = np.empty(len(chances))
    result[order] = np.minimum(steps, 1.0)
    return result


def by_chance(causes):
    """How often one signal named at random would be right."""
    return float(np.mean([len(cause) for cause in causes])) / len(SIGNALS)


# The page.

def share_text(hits):
    low, high = wilson(int(np.sum(hits)), len(hits))
    return f"{np.mean(hits):.0%} ({low:.0%}–{high:.0%})"


def share_of(hits):
    return f"{np.mean(hits):.0%}" if hits else "–"


def milliseconds(seconds):
    return f"{1000 * seconds:.0f}" if seconds >= 0.0095 else f"{1000 * seconds:.1f}"


def found_text(case, blame):
    """For methods that give points: how many there are, how many the detector calls normal."""
    if blame.points is None:
        return "–", "–"
    there = ~np.isnan(blame.points).any(axis=1)
    valid = there.copy()
    if there.any():
        valid[there] = case.model.predict(blame.points[there]) == NORMAL
    proven = f", {int(blame.proven.sum())} proven" if blame.proven is not None else ""
    return f"{there.sum()}{proven}", f"{int(valid.sum())}"


def verdicts(case, found, only=None):
    """The table of methods: whom they name, how many, and what it takes."""
    rows = []
    for name, blame in found.items():
        facts = judged(blame, case.causes)
        chosen = facts if only is None else facts[only]
        names_all = facts["named"].mean() > 0.9 * len(SIGNALS)
        rows.append([name, share_text(chosen["first"]), share_text(chosen["three"]),
                     "names all" if names_all else share_text(chosen["any"]),
                     f"{chosen['named'].mean():.1f}", *found_text(case, blame),
                     milliseconds(blame.seconds)])
    return rows, ["method", "first named is to blame", "among the first three", "named at all",
                  "signals named", "points found", "of them normal", "ms a fault"]


def duelled(case, found, reference):
    """(name, right alone, wrong alone, p, corrected p) of each other method."""
    theirs = judged(found[reference], case.causes)["first"]
    rows = [(name, *against(judged(blame, case.causes)["first"], theirs))
            for name, blame in found.items() if name != reference]
    both = corrected([row[3] for row in rows])
    return [(*row, chance) for row, chance in zip(rows, both, strict=True)]


def duels(case, found, reference="TreeSHAP"):
    """Against the reference over the same faults: who alone is right, and the sign test."""
    rows = [[name, ours, other, f"{chance:.2g}", f"{all_:.2g}"]
            for name, ours, other, chance, all_ in duelled(case, found, reference)]
    return rows, ["method", f"right where {reference} is wrong",
                  f"wrong where {reference} is right", "p (sign test)",
                  "p corrected for this table (Holm)"]


def compared(case, found, reference="TreeSHAP", level=0.05):
    """What the methods come to beside the reference, in sentences."""
    rows = duelled(case, found, reference)
    exact = [row for row in rows if row[0].startswith("exact")]
    better = [name for name, ours, other, _, chance in rows if chance < level and ours > other]
    worse = [name for name, ours, other, _, chance in rows if chance < level and ours < other]
    names = {name for name, *_ in exact}
    return (f"Of the {len(exact)} exact questions {len(names & set(better))} name the cause first "
            f"more often than {reference} and {len(names & set(worse))} less often (corrected "
            f"p < {level:g}). Of the other methods, more often: "
            f"{listed(name for name in better if name not in names)}; less often: "
            f"{listed(name for name in worse if name not in names)}.")


def listed(names):
    return ", ".join(f"*{name}*" for name in names) or "none"


def beside(case, found, names, other, level=0.05):
    """Each of these against one other method: more or less often right, or neither clearly."""
    theirs = judged(found[other], case.causes)["first"]
    hits = [judged(found[name], case.causes)["first"] for name in names]
    chances = corrected([against(one, theirs)[2] for one in hits])
    words = []
    for name, one, chance in zip(names, hits, chances, strict=True):
        how = ("neither clearly more nor less often" if chance >= level else
               "more often" if one.mean() > theirs.mean() else "less often")
        words.append(f"*{name}* {how} ({one.mean():.0%} against {theirs.mean():.0%})")
    return "; ".join(words)


def first_of(case, found, names):
    """Of these methods the one that most often names the cause first."""
    return max(names, key=lambda name: judged(found[name], case.causes)["first"].mean())


def kinds_of():
    return [*plant.SENSOR_FAULTS, *plant.PROCESS_FAULTS]


def bars(case, found):
    """First named is to blame: a bar a method, with the interval."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 0.9 + 0.34 * len(found)))
    for y, (name, blame) in enumerate(found.items()):
        hits = judged(blame, case.causes)["first"]
        low, high = wilson(int(hits.sum()), len(hits))
        colour = "#1b7a4b" if name.startswith("exact") else "#7a7a7a"
        ax.barh(y, hits.mean(), color=colour, height=0.62)
        ax.plot([low, high], [y, y], color="black", lw=1.6)
    ax.axvline(by_chance(case.causes), color="#c0392b", lw=1, ls=":")
    ax.set_yticks(range(len(found)), list(found))
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of faults whose first named signal is to blame, with 95 % interval\n"
                  "(dotted: one signal named at random)")
    return figure


def grid(case, found):
    """The same by kind of fault."""
    import matplotlib.pyplot as plt

    kinds = [kind for kind in kinds_of() if kind in case.kinds]
    shares = np.array([[judged(blame, case.causes)["first"][np.array(case.kinds) == kind].mean()
                        for kind in kinds] for blame in found.values()])
    counts = [case.kinds.count(kind) for kind in kinds]
    figure, ax = plt.subplots(figsize=(1.5 + 0.95 * len(kinds), 1.2 + 0.36 * len(found)))
    ax.imshow(shares, cmap="Greens", vmin=0, vmax=1, aspect="auto")
    for (y, x), value in np.ndenumerate(shares):
        ax.text(x, y, f"{value:.0%}", ha="center", va="center", fontsize="small",
                color="white" if value > 0.6 else "black")
    ax.set_xticks(range(len(kinds)), [f"{kind}\n({count})" for kind, count in
                                      zip(kinds, counts, strict=True)],
                  rotation=35, ha="right", fontsize="small")
    ax.set_yticks(range(len(found)), list(found), fontsize="small")
    ax.tick_params(length=0)
    return figure


def prepare(options):
    """The detector, its false alarms, what it detects by kind, and the case to diagnose."""
    import xgboost

    # Few trees have to be bolder to be sure of anything.
    normal, faulty, test, trees, rate = ((400, 384, 64, 25, 0.5) if options.small else
                                         (6000, 6144, options.faults, 150, 0.15))
    training = plant.draw(normal, faulty, options.seed + 100)
    fresh = plant.draw(test, test, options.seed + 200)
    frame = pd.DataFrame(training.values, columns=plant.FEATURES)
    labels = training.faulty.astype(int)
    model = xgboost.XGBClassifier(n_estimators=trees, max_depth=5, learning_rate=rate, n_jobs=1,
                                  random_state=options.seed).fit(frame, labels)
    rows = pd.DataFrame(fresh.values, columns=plant.FEATURES)
    said = model.predict(rows)
    alarms = float(said[~fresh.faulty].mean())
    detected = {kind: said[[one == kind for one in fresh.kinds]].tolist() for kind in kinds_of()}
    detected["bias or drift of a level"] = said[[
        kind in ("bias", "drift") and cause[0] in ("h1", "h2")
        for kind, cause in zip(fresh.kinds, fresh.causes, strict=True)]].tolist()
    places = np.flatnonzero(fresh.faulty & (said == FAULT))
    case = Case(model, frame[labels == NORMAL], frame, labels, rows, fresh.kinds,
                fresh.causes, options.small).part(places)
    return case, alarms, detected, (normal, faulty, test, trees)


def extra(parser):
    parser.add_argument("--faults", type=int, default=256, help="fresh faults, detected or not")
    parser.add_argument("--slow-sample", type=int, default=0,
                        help="how many faults the slow methods are asked about; 0: all")


def run(arguments=None):
    """(the report with what was found, its page)."""
    options = common.parse(__doc__.split("\n")[0], arguments, extra)
    report = common.Report(options, "faults", "Naming the cause of a fault",
                           ["xgboost", "scikit-learn", "dice-ml", "pandas"])
    with report.timed("simulation and detector"):
        case, alarms, detected, sizes = prepare(options)
    found = asked(case, FAST, report)
    random = np.random.default_rng(options.seed)
    wanted = 3 if options.small else options.slow_sample or len(case.rows)
    sample = np.sort(random.permutation(len(case.rows))[:wanted])
    part = case.part(sample)
    slow = asked(part, SLOW, report)
    report.case, report.found, report.detected = case, found, detected
    report.part, report.slow = part, slow
    introduce(report, alarms, detected, sizes)
    write(report, case, found, part, sample, slow)
    return report, report.write()


def main(arguments=None):
    return run(arguments)[1]


def introduce(report, alarms, detected, sizes):
    normal, faulty, test, trees = sizes
    report.text(f"""
The paper wants counterfactuals for fault diagnosis: what would have to be different for the plant
to count as normal names what is wrong, and it expects that to say more than which features a model
looks at. It does not measure that; the plant and the protocol here are ours.
[fault_simulator.py](../../experiments/fault_simulator.py) has two tanks and a heat exchanger under
three controllers, {len(plant.SENSORS)} sensors and {len(plant.COMMANDS)} commands.
Controllers read the sensors, so that a lie of a sensor moves the plant, and other signals, too. A
row is the mean and the spread of each signal over the last twenty minutes of a run of its own.

The detector is XGBoost, {trees} trees of depth 5, trained on {normal} normal and {faulty} faulty
runs to tell the two apart; it is never told the cause. On {test} fresh normal runs it raises
{alarms:.1%} false alarms. Of {test} fresh faults it detects:""")
    report.table([(kind, "the sensor" if kind in plant.SENSOR_FAULTS else
                   " or ".join(plant.TITLES[name] for name in plant.PROCESS_FAULTS[kind]),
                   len(detected[kind]), share_of(detected[kind])) for kind in kinds_of()],
                 ["fault", "to blame", "runs", "detected"])
    report.text("""
Only detected faults are diagnosed. A counterfactual blames signals by their share of the change,
measured in deviations of normal rows; TreeSHAP by how much they push towards “fault”; *largest
deviation* by distance from the normal mean; *PCA residual* by the part of the row that the main
directions of normal rows leave unexplained. Mean and spread of a signal count together. *In
quantiles*: the cost of a change is the share of normal rows that it passes. *Normal with 0.9*: the
detector has to be that sure. *No outlier either*: an isolation forest of normal rows has to accept
the point as well. *One signal at a time* asks for each signal alone what the cheapest repair by it
costs. Values may move within the range of normal rows.""")


def write(report, case, found, part, sample, slow):
    report.heading("Whom each method names")
    late = sum(blame.late for blame in (*found.values(), *slow.values())) or "none"
    report.text(f"""
{len(case.rows)} detected faults, with 95 % intervals. “Named at all” has to be read with the
number of signals that are named. Times are of one processor. An exact question ends after
{NODES:,} nodes of the search, or {LIMIT:g} s by the clock, which stopped {late} on this page.""")
    report.table(*verdicts(case, found))
    report.picture(bars(case, found), "first",
                   "Share of faults whose first named signal is to blame")
    best = first_of(case, found, found)
    ours = first_of(case, found, exact_of(found))
    report.text(f"""
Most often right is *{best}*, of the exact ones *{ours}*. {compared(case, found)} Against TreeSHAP,
fault by fault:""")
    report.table(*duels(case, found))
    sensors = np.array([kind in plant.SENSOR_FAULTS for kind in case.kinds])
    report.heading("By kind of fault")
    report.text("The share whose first named signal is to blame; in brackets the number of faults.")
    report.picture(grid(case, found), "kinds", "The same by kind of fault")
    report.text(f"Faults of sensors alone ({sensors.sum()}), where one signal is to blame:")
    rows, columns = verdicts(case, found, sensors)
    report.table([row[:5] for row in rows], columns[:5])
    write_slow(report, case, found, part, sample, slow)
    write_examples(report, case, found["exact, fewest changes, then L1"])
    write_limits(report, case, found, slow, sensors)


def exact_of(found):
    return [name for name in found if name.startswith("exact")]


def write_slow(report, case, found, part, sample, slow):
    """The methods that take long, beside the others on the same faults."""
    both = {name: blame.part(sample) for name, blame in found.items()} | slow
    report.heading("With DiCE, FOCUS and slow questions")
    took = sum(blame.seconds for blame in slow.values())
    which = "All of the faults again." if len(part.rows) == len(case.rows) else (
        f"The same on a random sample of {len(part.rows)} of the {len(case.rows)} faults. The "
        f"reason is time: these methods take {took:.1f} s of a processor a fault together "
        "(`--slow-sample 0` asks about all). The intervals are wider than above.")
    rivals = [name for name in slow if not name.startswith("exact")]
    dice = ("DiCE (its random and its genetic method, seeded) gives one point a fault with its own "
            "settings; " if any(name.startswith("DiCE") for name in slow) else "")
    report.text(f"""
{which} {dice}FOCUS gets the best of {part.settings} settings drawn at random, in units of ten
deviations; its time is that of all {part.settings}. A fault for which a method finds nothing counts
as not named.""")
    report.table(*verdicts(part, both))
    report.picture(bars(part, both), "sample",
                   "The same share for every method, on the same faults")
    rival, ours = first_of(part, both, rivals), first_of(part, both, exact_of(both))
    report.text(f"""
{compared(part, both)} Of DiCE and FOCUS the one most often right is *{rival}*; the most often right
of the exact questions beside it: {beside(part, both, [ours], rival)}. Fault by fault:""")
    report.table(*duels(part, both))
    if len(slow) < len(SLOW):
        report.text(f"Not installed and left out: {', '.join(sorted(set(SLOW) - set(slow)))}.")


def write_limits(report, case, found, slow, sensors):
    report.heading("What to keep in mind")
    levels = report.detected["bias or drift of a level"]
    others = [name for name in exact_of(found) if name != "exact, L1"]
    rules = []
    for name in ("largest deviation", "PCA residual", first_of(case, found, exact_of(found))):
        hits = judged(found[name], case.causes)["first"]
        rules.append(f"*{name}* {share_of(list(hits[sensors]))} and "
                     f"{share_of(list(hits[~sensors]))}")
    dice = f"""
- DiCE is told to keep {DIGITS} digits; by itself it takes them from the commonest value, and rounds
  the spreads away.""" if any(name.startswith("DiCE") for name in slow) else ""
    report.text(f"""
- The nearest normal state need not undo the fault: it is where the *detector* changes its mind, and
  many small changes elsewhere can be cheaper than to undo a large one. How changes are counted
  matters. Beside *exact, L1*, the cause is named first by
  {beside(case, found, others, "exact, L1")}.
- Rules of thumb look at the row and not at the detector: they explain the plant. Right of the
  faults of sensors and of the plant: {"; ".join(rules)}.
- Variants were tried out on other runs of the simulator than those counted here, before this run,
  which does not repeat that. Tried there and left out: “normal with 0.99”, for which nothing was
  found in time; quantiles with “normal with 0.9”, and blame by quantiles, which named fewer; FOCUS
  in units of ranges and of single deviations, where it found fewer points.
- One plant, one detector, one training set: the intervals cover the choice of faults and nothing
  else. Only detected faults count; of the {len(levels)} biases and drifts of a level, which the
  controllers regulate away, the detector finds {share_of(levels)}.{dice}""")


def write_examples(report, case, blame):
    """A biased or drifting sensor that is named, and one that is not."""
    from boxwood import plots

    right = judged(blame, case.causes)["first"]
    gradual = np.array([kind in ("bias", "drift") for kind in case.kinds])
    schema = boxwood.Schema(subject="Run", classes=["normal", "faulty"])
    explainer = boxwood.Explainer(case.model, case.normal, scale="deviation", schema=schema)
    report.heading("Two of them")
    for wanted, words in ((True, "named"), (False, "not named")):
        places = np.flatnonzero(gradual & (right == wanted))
        if len(places) == 0:
            continue
        place = places[0]
        answer = explainer.explain(case.rows.iloc[place], "normal", cost="l1", fewest_first=True)
        cause = case.causes[place][0]
        report.text(f"The first {words}, by the fewest changes: {case.kinds[place]} of the "
                    f"{plant.TITLES[cause]} ({cause}).")
        report.code(str(answer))
        report.picture(plots.changes(answer), words.replace(" ", "_"), "What changes")


if __name__ == "__main__":
    main()
