"""Ten classes straight on pixels: what has to change for a misread digit to be read right?

    python experiments/pixels.py [--mnist FOLDER] [--sample 25] [--nodes 100000] [--small]
        [--out FOLDER]

MNIST and scikit-learn's digits, XGBoost with ten classes and a random forest. Pixels are whole
numbers of grey levels, so that every answer is an image. For misread digits the nearest image that
is read as what it is; for digits read rightly the distance to the nearest image of any other class.
"""

import dataclasses
import time

import boxwood
import common
import matplotlib
import numpy as np

matplotlib.use("Agg")

SURE = {"XGBoost": 0.9, "random forest": 0.4}
QUESTIONS = ("L2", "L1", "fewest pixels", "L2, sure")


@dataclasses.dataclass
class Images:
    """Training and test images as rows of grey levels from 0 to `white`."""

    name: str
    side: int
    white: int
    train: np.ndarray
    labels: np.ndarray
    test: np.ndarray
    truth: np.ndarray


@dataclasses.dataclass
class Reading:
    """A model of these images, what it misreads, and the answers to every question about that."""

    images: Images
    kind: str
    model: object
    explainer: object
    right: float
    rows: np.ndarray  # places of the misread test images that are asked about
    misread: int
    answers: dict
    spent: dict  # seconds of the processor for each answer
    robust: dict = dataclasses.field(default_factory=dict)


def digits(options):
    """scikit-learn's digits of 8 by 8 pixels, 16 grey levels."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    train, test, train_labels, truth = train_test_split(
        images.astype(np.uint8), labels, test_size=0.3, random_state=options.seed, stratify=labels)
    return Images("scikit-learn's digits", 8, 16, train, train_labels, test, truth)


def mnist(options):
    """MNIST with as many training images as are asked for, at random."""
    train, labels, test, truth = common.mnist(options)
    chosen = np.random.default_rng(options.seed).permutation(len(train))[:options.training]
    levels = [np.round(255 * part).astype(np.uint8) for part in (train[chosen], test)]
    return Images("MNIST", 28, 255, levels[0], labels[chosen], levels[1], truth)


def fitted(images, kind, options):
    """A model of that kind, of a size for these images."""
    small = images.side == 8
    if kind == "XGBoost":
        import xgboost

        rounds, depth = (8, 3) if options.small else (50, 4) if small else (50, 6)
        return xgboost.XGBClassifier(
            n_estimators=rounds, max_depth=depth, learning_rate=0.3, n_jobs=1,
            random_state=options.seed).fit(images.train, images.labels)
    from sklearn.ensemble import RandomForestClassifier

    trees, depth = (10, 5) if options.small else (50, 8)
    return RandomForestClassifier(trees, max_depth=depth, n_jobs=1,
                                  random_state=options.seed).fit(images.train, images.labels)


def question(name, kind, truth):
    """The arguments of a question: to be read as the true class."""
    if name == "L2, sure":
        # Below one half another class could still be likelier: both are asked.
        return {"target": [boxwood.Class(truth), boxwood.Class(truth, probability=SURE[kind])],
                "cost": "l2"}
    if name == "fewest pixels":
        return {"target": truth, "cost": "l1", "fewest_first": True}
    return {"target": truth, "cost": name.lower()}


def read(images, kind, options):
    """Trains, finds what is misread, and asks every question about a sample of it."""
    model = fitted(images, kind, options)
    # Two rows tell all that is to be known of pixels: whole numbers, from 0 to white.
    ends = np.array([[0] * images.side ** 2, [images.white] * images.side ** 2], dtype=np.uint8)
    explainer = boxwood.Explainer(model, ends, scale=None)
    said = model.predict(images.test)
    wrong = np.flatnonzero(said != images.truth)
    random = np.random.default_rng(options.seed)
    rows = np.sort(random.permutation(wrong)[:5 if options.small else options.sample])
    answers, spent = {name: [] for name in QUESTIONS}, {name: [] for name in QUESTIONS}
    for name in QUESTIONS:
        for row in rows:
            begin = time.process_time()
            answers[name].append(explainer.explain(
                images.test[row], threads=1, node_limit=options.nodes,
                time_limit=options.limit, **question(name, kind, int(images.truth[row]))))
            spent[name].append(time.process_time() - begin)
    return Reading(images, kind, model, explainer, float(np.mean(said == images.truth)), rows,
                   len(wrong), answers, spent)


def robust(reading, options):
    """For the first rightly read digit of each class: the nearest image read otherwise."""
    images = reading.images
    said = reading.model.predict(images.test)
    classes = (0, 1) if options.small else range(10)
    for cost in ("linf", "l2"):
        reading.robust[cost] = []
        for digit in classes:
            row = np.flatnonzero((said == digit) & (images.truth == digit))[0]
            begin = time.process_time()
            answer = reading.explainer.robustness(images.test[row], cost=cost, threads=1,
                                                  node_limit=options.nodes,
                                                  time_limit=options.limit)
            reading.robust[cost].append((row, digit, answer, time.process_time() - begin))


def whole_bound(answer):
    """No image is cheaper than this: a cost of grey levels is a whole number, and never 0 here."""
    return max(1, int(np.ceil(answer.lower_bound - 1e-6)))


def settled(answer):
    """Whether the answer is proven, by the search or since bound and cost are the same level."""
    return answer.proven or (answer.found and whole_bound(answer) >= answer.cost)


def count_settled(answer, touched):
    """Whether fewer pixels are proven impossible, whatever is known of the cost.

    None would leave the digit misread; and the bound of the cost is 0 as long as the search does
    not know the number.
    """
    return answer.proven or (answer.found and (touched == 1 or answer.lower_bound > 0))


def moved(reading, name):
    """A row of grey levels changed for each answer that has a point."""
    return np.array([answer.array - reading.images.test[row]
                     for row, answer in zip(reading.rows, reading.answers[name], strict=True)
                     if answer.found]).reshape(-1, reading.images.side ** 2)


def confirmed(reading, name):
    """How many points the library itself reads as the true class."""
    found = [(answer.array, reading.images.truth[row])
             for row, answer in zip(reading.rows, reading.answers[name], strict=True)
             if answer.found]
    if not found:
        return 0
    said = reading.model.predict(np.array([point for point, _ in found]))
    return int(np.sum(said == [truth for _, truth in found]))


def seconds(value):
    return f"{value:.1f} s" if value >= 0.95 else f"{1000 * value:.0f} ms"


def fact_row(reading, name):
    """One line of the table: proofs, times, sizes of the changes in grey levels."""
    answers = reading.answers[name]
    times = np.array(reading.spent[name])
    impossible = sum(answer.status == "infeasible" for answer in answers)
    open_ = [answer for answer in answers if not fully_settled(name, answer)]
    # The gap of the fewest pixels would be one of L1 among equal numbers: not what is asked first.
    gaps = [answer.gap for answer in open_ if np.isfinite(answer.gap) and name != "fewest pixels"]
    change = moved(reading, name)
    sizes = ["–"] * 3
    if len(change):
        sizes = [f"{np.abs(change).sum(axis=1).mean():.1f}",
                 f"{np.sqrt((change ** 2).sum(axis=1)).mean():.1f}",
                 f"{(change != 0).sum(axis=1).mean():.1f}"]
    return [reading.images.name, reading.kind, name, len(answers),
            len(answers) - len(open_), impossible, len(change),
            confirmed(reading, name), f"{np.median(gaps):.0%}" if gaps else "–",
            seconds(np.median(times)), seconds(np.quantile(times, 0.9)), seconds(times.max()),
            *sizes]


COLUMNS = ["images", "model", "question", "asked", "proven", "of these: impossible", "found",
           "confirmed", "gap of the unproven", "median", "90 %", "worst", "L1, levels", "L2, levels",
           "pixels"]


def fully_settled(name, answer):
    """Settled in all that is asked: of the fewest pixels the number, then the cost."""
    # Without a bound of the search the number is not known, but that one level is one pixel.
    known = name != "fewest pixels" or answer.lower_bound > 0 or answer.cost <= 1
    return answer.proven or (known and settled(answer))


def fewest_row(reading):
    """How much of the answers to "fewest pixels" is proven."""
    answers = reading.answers["fewest pixels"]
    both = [fully_settled("fewest pixels", answer) for answer in answers]
    number = [count_settled(answer, int((answer.array != reading.images.test[row]).sum())
                            if answer.found else 0) and not whole
              for row, answer, whole in zip(reading.rows, answers, both, strict=True)]
    return [reading.images.name, reading.kind, len(answers), sum(both), sum(number),
            len(answers) - sum(both) - sum(number)]


def pictures(reading, count=6):
    """Misread digits, their counterfactuals and what changed."""
    import matplotlib.pyplot as plt

    images, shown = reading.images, list(range(min(count, len(reading.rows))))
    names = ("L2", "fewest pixels", "L2, sure")
    figure, axes = plt.subplots(len(shown), 1 + 2 * len(names), squeeze=False,
                                figsize=(1.45 * (1 + 2 * len(names)), 1.75 * len(shown)))
    for line, place in zip(axes, shown, strict=True):
        row = reading.rows[place]
        said = reading.model.predict(images.test[[row]])[0]
        draw(line[0], images, images.test[row], f"a {images.truth[row]}, read as {said}")
        for i, name in enumerate(names):
            left, right = line[1 + 2 * i:3 + 2 * i]
            answer = reading.answers[name][place]
            if not answer.found:
                left.text(0.5, 0.5, "impossible" if answer.proven else "not found", ha="center",
                          va="center", transform=left.transAxes, fontsize=8)
                left.axis("off")
                right.axis("off")
                continue
            change = answer.array - images.test[row]
            touched = int((change != 0).sum())
            proof = ("" if fully_settled(name, answer) else "\nnumber proven, cost not"
                     if name == "fewest pixels" and count_settled(answer, touched)
                     else ", unproven")
            draw(left, images, answer.array, f"{name}{proof}")
            # On a scale of its own: one grey level of 255 would not be seen.
            most = np.abs(change).max()
            right.imshow(change.reshape(images.side, -1), cmap="RdBu_r", vmin=-most, vmax=most)
            right.set_title(f"{touched} pixel{'s' * (touched > 1)}, by ≤ {most:.0f}", fontsize=7)
            right.set_xticks([])
            right.set_yticks([])
    figure.tight_layout(h_pad=0.8, w_pad=0.4)
    return figure


def draw(ax, images, values, title):
    ax.imshow(np.asarray(values).reshape(images.side, -1), cmap="gray_r", vmin=0, vmax=images.white)
    ax.set_title(title, fontsize=7)
    ax.set_xticks([])
    ax.set_yticks([])


def extra(parser):
    parser.add_argument("--sample", type=int, default=25, help="misread digits of each model")
    parser.add_argument("--training", type=int, default=10_000, help="training images of MNIST")
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes a question")
    parser.add_argument("--limit", type=float, default=120.0,
                        help="seconds a question, should the nodes take longer")


def run(arguments=None):
    """(the report with what was found, its page)."""
    options = common.parse(__doc__.split("\n")[0], arguments, extra)
    report = common.Report(options, "pixels", "Ten classes, straight on pixels",
                           ["xgboost", "scikit-learn"])
    report.readings = []
    for load in (digits,) if options.small else (digits, mnist):
        images = load(options)
        for kind in SURE:
            with report.timed(f"{images.name}, {kind}"):
                reading = read(images, kind, options)
            with report.timed(f"{images.name}, {kind}: robustness"):
                robust(reading, options)
            report.readings.append(reading)
    write(report, options)
    return report, report.write()


def main(arguments=None):
    return run(arguments)[1]


def size_of(reading):
    ensemble = reading.explainer.core.ensemble(0)
    return f"{ensemble.tree_count:,} trees, {ensemble.leaf_count:,} leaves"


def write(report, options):
    """The page."""
    report.text(f"""
The paper reads digits of two classes through 50 principal components. Here all ten classes are
read from the pixels themselves, by XGBoost (`multi:softprob`) and by a random forest. Pixels are
whole numbers of grey levels between 0 and full ink (16 or 255), so that every answer is an image.
For test digits that are misread, at random at most {5 if options.small else options.sample} of each
model, the nearest image that is read as what it is: by squared L2, by L1, by the fewest pixels
(then L1), and by L2 with the model surer of it (probability of at least {SURE["XGBoost"]:g} by
XGBoost, {SURE["random forest"]:g} by the forest, whose probabilities are flatter). One thread, at
most {options.nodes:,} nodes of the search a question (and {options.limit:g} s by the clock, which
{stopped(report)}), so that a slower machine proves about as much: the same search takes some more or
fewer nodes from run to run, and near the limit that decides. The times in the tables are those of
the processor.""")
    report.table([(reading.images.name, reading.kind, size_of(reading), len(reading.images.train),
                   len(reading.images.test), f"{reading.right:.1%}", reading.misread)
                  for reading in report.readings],
                 ["images", "model", "size", "trained on", "tested on", "read right", "misread"])
    report.heading("Counterfactuals to the true class")
    report.text("""
L1 and L2 are in grey levels (of 16 or 255), means over the points found as are the pixels.
*Confirmed*: points that the library's own `predict` reads as the true class. Costs are whole
numbers of levels, or of their squares: a bound is rounded up, and proves what it reaches. Where the
limit came first, the gap (its median) says how much cheaper an answer could still be. The fewest
pixels have none: the search bounds the L1 that is asked second, not the number of pixels.""")
    report.table([fact_row(reading, name) for reading in report.readings for name in QUESTIONS],
                 COLUMNS)
    report.text("""
Of the fewest pixels, number and cost are proven apart: one pixel is the fewest there can be, since
the image as it is is misread, whether or not another pixel would cost less.""")
    report.table([fewest_row(reading) for reading in report.readings],
                 ["images", "model", "asked", "number and cost proven", "only the number proven",
                  "neither"])
    for place, reading in enumerate(report.readings):
        report.text(f"**{reading.images.name}, {reading.kind}.** The digit; then for three "
                    "questions the answer and what changed (red: more ink, blue: less; each on a "
                    "scale of its own, whose end the title says in grey levels).")
        report.picture(pictures(reading, 3 if options.small else 6), f"grid{place + 1}",
                       f"Misread digits of {reading.images.name}, counterfactuals, differences")
    write_robust(report, options)
    report.heading("What to keep in mind")
    report.text(f"""
- Nearest is not the same as natural: the pictures show what comes out. The median answer by L2
  changes {"; ".join(typical(reading) for reading in report.readings)}. Pairs of classes on
  principal components, where a change moves many pixels at once, are another experiment.
- Distances are in grey levels of the model's own input; nothing was scaled.
- The models are small, so that a run takes minutes; they are not the best readers of these
  digits.""")


def stopped(report):
    """How many searches the clock stopped, in words."""
    answers = [answer for reading in report.readings
               for part in (*reading.answers.values(),
                            *([one[2] for one in found] for found in reading.robust.values()))
               for answer in part]
    count = sum(answer.stop == "time" for answer in answers)
    return f"stopped {count or 'none'} of the {len(answers)} searches"


def typical(reading):
    """The size of the median answer by L2, and how much further the surer one is."""
    change = moved(reading, "L2")
    pairs = [(plain.distance, sure.distance) for plain, sure in zip(
        reading.answers["L2"], reading.answers["L2, sure"], strict=True)
        if plain.found and sure.found]
    words = (f"{np.median((change != 0).sum(axis=1)):g} of {change.shape[1]} pixels by at most "
             f"{np.median(np.abs(change).max(axis=1)):g} of {reading.images.white} levels "
             f"({reading.images.name}, {reading.kind}")
    if pairs:
        further = np.median([far / near for near, far in pairs])
        words += f"; the surer one is {further:.1f} times as far"
    return words + ")"


def write_robust(report, options):
    report.heading("How far to any other class")
    report.text(f"""
For the first rightly read test digit of each class the nearest image that is read as *anything*
else. Every image nearer than that is read the same. L∞: no pixel changes by more than so many grey
levels. Two numbers: not proven within {options.nodes:,} nodes; nothing nearer than the first
exists, and the second is the nearest found.""")
    for cost, unit in (("linf", "L∞, grey levels"), ("l2", "L2, grey levels")):
        rows = []
        for reading in report.readings:
            cells = [bound_text(answer, cost) for _, _, answer, _ in reading.robust[cost]]
            spent = [took for *_, took in reading.robust[cost]]
            rows.append([reading.images.name, reading.kind, *cells, seconds(np.median(spent))])
        digits_ = [str(digit) for _, digit, _, _ in report.readings[0].robust[cost]]
        report.text(f"{unit}:")
        report.table(rows, ["images", "model", *digits_, "median time"])


def bound_text(answer, cost):
    """A proven distance, or what is known of it."""
    if settled(answer):
        return f"{answer.distance:.3g}"
    bound = np.sqrt(whole_bound(answer)) if cost == "l2" else whole_bound(answer)
    best = f"{answer.distance:.3g}" if answer.found else "?"
    return f"{bound:.3g} to {best}"


if __name__ == "__main__":
    main()
