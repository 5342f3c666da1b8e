"""Fresh random models from the installed scikit-learn against the command, bit for bit.

    python tests/sklearn_live_test.py [--seed N] [--models N] [--command PATH]

Every kind of model that boxwood.save_model takes is drawn over its settings. Probe points are
training rows, every threshold with its two neighbours, missing values, unknown and negative
categories and, where scikit-learn takes them, infinities. Then counterfactuals are searched and
shown to scikit-learn's own predict.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import boxwood
import live
import numpy as np
import sklearn
from sklearn_models import VERSION, draw_model, raw_scores

warnings.filterwarnings("ignore")

SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, -3.4028235e38]


def thresholds_of(document):
    """All (feature, threshold) of a written model, and its sets as (feature, category)."""
    splits, categories = set(), set()
    for entry in document["trees"]:
        for node, kind in enumerate(entry["kind"]):
            feature = entry["feature"][node]
            if kind == "<=":
                splits.add((feature, float(entry["threshold"][node])))
            elif kind == "in":
                categories.update((feature, code) for code in entry["sets"][entry["value"][node]])
    return sorted(splits), sorted(categories)


def make_points(rng, drawn, document):
    """Rows as Boxwood reads them: numbers, categories as codes."""
    x = drawn.points
    real = np.float64 if document["input"] == "float64" else np.float32
    rows = [x[int(rng.integers(len(x)))].copy() for _ in range(10)]

    def put(feature, value):
        row = x[int(rng.integers(len(x)))].copy()
        row[feature] = value
        rows.append(row)

    splits, categories = thresholds_of(document)
    for index in rng.permutation(len(splits))[:250]:
        feature, threshold = splits[index]
        for value in (np.nextafter(real(threshold), real(-np.inf)), real(threshold),
                      np.nextafter(real(threshold), real(np.inf))):
            if np.isfinite(value) or drawn.infinities:
                put(feature, float(value))
    for feature, code in categories[:100]:
        put(feature, float(code))
    for feature, entry in enumerate(document["features"]):
        if entry["kind"] == "categorical":
            # The data of a feature with labels holds these alone; the fixtures have other words.
            labelled = any(known["label"] for known in entry.get("categories", []))
            for value in () if labelled else (-1.0, -3.0, 77.0, 254.0):
                put(feature, value)
        else:
            for value in [*SPECIAL, *([np.inf, -np.inf] if drawn.infinities else [])]:
                put(feature, value)
        if drawn.missing:
            put(feature, np.nan)
    if drawn.missing:
        rows.append(np.full(x.shape[1], np.nan))
    return np.array(rows)


def write_table(path, document, points):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(entry["name"] for entry in document["features"]) + "\n")
        for row in points:
            out.write(",".join("nan" if np.isnan(v) else repr(float(v)) for v in row) + "\n")


def run(*arguments, codes=(0,)):
    result = subprocess.run([str(argument) for argument in arguments], capture_output=True,
                            text=True, timeout=120, check=False)
    if result.returncode not in codes:
        raise RuntimeError((result.stderr.splitlines() or [f"exit code {result.returncode}"])[0])
    return result.stdout


def differences(what, expected, actual, ulps=0, least=0.0):
    expected = np.asarray(expected, dtype=np.float64).reshape(len(actual), -1)
    if expected.shape != actual.shape:
        return [f"{what}: {actual.shape} numbers, scikit-learn has {expected.shape}"]
    same = np.abs(expected - actual) <= ulps * np.spacing(np.maximum(np.abs(expected), least))
    return [f"{what} {k} of point {p}: {actual[p, k]!r}, scikit-learn says {expected[p, k]!r}"
            for p, k in np.argwhere(~same)[:2]]


def compare(command, drawn, document, model, table, points):
    """What scikit-learn says of the points and what the command says, as a list of problems."""
    lines = run(command, "predict", model, "--data", table, "--raw").splitlines()[1:]
    scores = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    problems = []
    if drawn.raw is not None:
        problems += differences("score", raw_scores(drawn, points), scores)
    lines = run(command, "predict", model, "--data", table).splitlines()[1:]
    cells = [line.split() for line in lines]
    inputs = drawn.as_seen(points)
    first = 1
    if document["classes"]:
        first = 2
        classes = [line[1] for line in cells]
        expected = [str(label) for label in drawn.model.predict(inputs)]
        wrong = [i for i, pair in enumerate(zip(classes, expected)) if pair[0] != pair[1]]
        problems += [f"class of point {i}: {classes[i]}, scikit-learn says {expected[i]}"
                     for i in wrong[:2]]
    outputs = np.array([[float(cell) for cell in line[first:]] for line in cells])
    if outputs.size:
        # The last bits of exp and pow are the machine's own. One of two probabilities is one minus
        # the other, which keeps their distance but not their digits; so does the softmax of 1.3,
        # which goes through a logarithm.
        ulps = 0 if document["link"] in ("identity", "votes") else 16
        by_distance = ("sigmoid", "softmax") if VERSION < (1, 4) else ("sigmoid",)
        least = 0.5 if document["link"] in by_distance else 0.0
        problems += differences("output", drawn.outputs(inputs), outputs, ulps, least)
    return problems


def question_about(rng, drawn, document, point):
    """Flags that ask for another outcome, and whether scikit-learn says that it is reached."""
    seen = drawn.as_seen(point[None])
    if document["classes"]:
        now = str(drawn.model.predict(seen)[0])
        wanted = str(rng.choice([label for label in document["classes"] if label != now]))
        if document["link"] == "winner" or rng.random() < 0.6:
            return ["--class", wanted], lambda rows: str(drawn.model.predict(rows)[0]) == wanted
        place = document["classes"].index(wanted)
        least = float(rng.choice(drawn.outputs(drawn.as_seen(drawn.points))[:, place]))
        slack = 0 if document["link"] == "votes" else 1e-14
        return (["--class", wanted, "--probability", repr(least)],
                lambda rows: drawn.outputs(rows)[0, place] >= least - slack)
    value = float(np.ravel(drawn.outputs(seen))[0])
    others = np.asarray(drawn.outputs(drawn.as_seen(drawn.points))).reshape(len(drawn.points), -1)
    middle = (value + float(rng.choice(others[:, 0]))) / 2
    # The last bits of exp and pow are the machine's own.
    slack = 0 if document["link"] == "identity" else 1e-13 * abs(middle)
    several = ["--output-index", "0"] if len(document["base"]) > 1 else []

    def output(rows):
        return float(np.ravel(drawn.outputs(rows))[0])
    if value < middle:
        return ["--at-least", repr(middle), *several], lambda rows: output(rows) >= middle - slack
    return [f"--at-most={middle!r}", *several], lambda rows: output(rows) <= middle + slack


def explain(rng, command, drawn, document, model, folder):
    """Searches from two rows; scikit-learn has to agree with every point that is found."""
    problems, found = [], 0
    whole = drawn.points[~np.isnan(drawn.points).any(axis=1)]
    for _ in range(2):
        point = whole[int(rng.integers(len(whole)))]
        flags, reached = question_about(rng, drawn, document, point)
        table = folder / "row.csv"
        write_table(table, document, point[None])
        text = run(command, "explain", model, "--data", table, "--format", "json", "--verify",
                   "--time-limit", "5", "--threads", "2", *flags, codes=(0, 3))
        answer = json.loads(text)[0]
        if not answer["verified"]:
            problems.append(f"explain {flags} from {point.tolist()}: {answer['faults']}")
        if answer["point"] is None:
            continue
        found += 1
        there = np.array([[np.nan if v is None else float(v) for v in answer["point"]]])
        if not reached(drawn.as_seen(there)):
            problems.append(f"explain {flags} from {point.tolist()}: scikit-learn does not say so "
                            f"of {there[0].tolist()}")
    return problems, found


def main():
    flags = live.flags(f"scikit-learn {sklearn.__version__}", 64)
    passed = failed = points_checked = points_found = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model, table = folder / "model.json", folder / "points.csv"
        for index in range(flags.models):
            rng = np.random.default_rng([flags.seed, index])
            drawn = draw_model(rng, index)
            boxwood.save_model(drawn.model, model)
            document = json.loads(model.read_bytes())
            points = make_points(rng, drawn, document)
            write_table(table, document, points)
            try:
                problems = compare(flags.command, drawn, document, model, table, points)
                more, found = explain(rng, flags.command, drawn, document, model, folder)
                problems += more
                points_found += found
            except RuntimeError as error:
                problems = [str(error)]
            points_checked += len(points)
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems:
                print(f"model {index} ({drawn.text}): {problem}")
    print(f"{points_checked} points compared, {points_found} counterfactuals confirmed")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed or not points_found else 0


if __name__ == "__main__":
    sys.exit(main())
