"""How time and memory of the fast engine grow: trees, depth, features, classes, free features, cells.

    PYTHONPATH=build/release/python .venv/bin/python bench/scaling.py [--ocean PYTHON]
        [--treecf PYTHON] [--write docs/cpcf.md]

Made-up data, XGBoost; one size grows, the others keep their values in BASE. Each model is asked in
a process of its own. Times are processor time of one thread, the median over the rows; memory is
the growth of the process's peak from before the model is prepared to the last answer. The peers get
fewer rows and a limit of processor time for each; a size that they do not finish is left out, and
so are larger ones. The peers are not asked with features that are held fixed, and treecf takes two
classes only. Every figure is kept in build/bench/cpcf/scaling.jsonl and not measured again.
"""

import argparse
import json
import pickle
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from pages import write_block
from tools import Lines

HERE = Path(__file__).resolve().parent
BASE = {"trees": 100, "depth": 5, "features": 10, "classes": 2, "free": None, "cells": 64}
AXES = {
    "trees": (25, 50, 100, 200, 400, 800),
    "depth": (2, 3, 4, 5, 6, 7, 8),
    "features": (5, 10, 20, 40, 80),
    "classes": (2, 3, 4, 6, 8),
    "free": (2, 4, 8, 16, 32),
    "cells": (4, 8, 16, 32, 64, 128, 256),
}
TITLES = {"trees": "trees", "depth": "depth", "features": "features", "classes": "classes",
          "free": "free features, of 32", "cells": "cells per feature"}
ROWS = 4000
COLOURS = {"Boxwood": "C0", "OCEAN, CP-SAT": "C1", "treecf": "C2"}


def made(axis, size):
    """Train a model, and choose rows that are asked for the next class."""
    from xgboost import XGBClassifier

    chosen = {**BASE, axis: size}
    if axis == "free":
        chosen["features"] = 32
    random = np.random.default_rng(1)
    count = chosen["features"]
    x = random.random((ROWS, count)).astype(np.float32)
    waves = sum(np.sin(5 * x @ random.normal(size=count) / np.sqrt(count)) for _ in range(4))
    score = waves + x[:, 0] + x[:, 1] * x[:, 2] + random.normal(0, 0.3, ROWS)
    y = np.searchsorted(np.quantile(score, np.arange(1, chosen["classes"]) / chosen["classes"]),
                        score)
    model = XGBClassifier(n_estimators=chosen["trees"], max_depth=chosen["depth"],
                          max_bin=chosen["cells"], n_jobs=1, learning_rate=0.1).fit(x, y)
    rows = x[:20].astype(float)
    targets = [int((now + 1) % chosen["classes"]) for now in model.predict(x[:20])]
    return {"model": model, "rows": rows, "targets": targets, "free": chosen["free"]}


def peak():
    """The largest memory of this process since the last reset, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def answer(file, seconds):
    """Ask Boxwood, in a process of its own."""
    import boxwood
    from xgboost import XGBClassifier

    # What Python and the libraries load once does not belong to the model.
    corners = np.array([[0.0], [1.0]])
    small = XGBClassifier(n_estimators=1, n_jobs=1).fit(corners, [0, 1])
    boxwood.Explainer(small, scale=None).explain(corners[0], 1, cost="l1", threads=1)
    given = pickle.loads(Path(file).read_bytes())
    names = [f"x{i}" for i in range(given["rows"].shape[1])]
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = peak()
    begin = time.process_time()
    explainer = boxwood.Explainer(given["model"], scale=None, schema={
        "features": [{"name": f"f{i}", "range": [0, 1], "fixed": given["free"] is not None
                      and i >= given["free"]} for i in range(len(names))]})
    explainer.explain(given["rows"][0], given["targets"][0], cost="l1", threads=1, node_limit=1)
    setup = time.process_time() - begin
    times, proven = [], 0
    for row, target in zip(given["rows"], given["targets"], strict=True):
        begin = time.process_time()
        found = explainer.explain(row, target, cost="l1", threads=1, ties=1,
                                  time_limit=float(seconds))
        times.append(time.process_time() - begin)
        proven += found.proven
    print(json.dumps({"seconds": statistics.median(times), "memory": peak() - before,
                      "setup": setup, "proven": proven, "asked": len(times)}))


def ask(given, work, seconds):
    file = work / "scaling.pickle"
    file.write_bytes(pickle.dumps(given))
    done = subprocess.run([sys.executable, __file__, "--answer", file, "--seconds", str(seconds)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def ask_peer(given, work, seconds, command, rows):
    """The same of a peer; None where it does not prove every answer within the limit."""
    file = work / "scaling_peer.pickle"
    count = given["rows"].shape[1]
    given["model"].get_booster().feature_names = [f"x{i}" for i in range(count)]
    file.write_bytes(pickle.dumps({
        "model": given["model"], "hard": False, "columns": [f"x{i}" for i in range(count)],
        "features": [{"name": f"x{i}", "kind": "F", "values": [-0.5, 1.5], "codes": []}
                     for i in range(count)],
        "forests": {}, "rows": list(given["rows"][:rows]), "targets": given["targets"][:rows],
        "norm": 1, "seconds": seconds, "tool": "cpsat", "seed": 2}))
    lines, found = Lines([*command, file], subprocess.DEVNULL, 1), []
    try:
        for _ in range(rows):
            # The first line also has to wait for imports and set-up.
            found.append(lines.next(seconds + (15 if not found else 5)))
    except (TimeoutError, EOFError):
        return None
    finally:
        lines.stop()
    if any(one["status"] not in ("optimal", "infeasible") or one["seconds"] > seconds
           for one in found):
        return None
    return {"seconds": statistics.median(one["seconds"] for one in found),
            "memory": max(one["memory"] for one in found), "proven": rows, "asked": rows}


def exponent(points, key):
    """The slope of the straight line through the logarithms."""
    sizes = np.log([size for size, _ in points])
    slope = np.polyfit(sizes, np.log([max(one[key], 1e-6) for _, one in points]), 1)[0]
    return float(np.round(slope, 2)) + 0.0  # no minus before a zero


def draw(axis, curves, file):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "boxwood", "font.size": 9})
    from matplotlib import pyplot

    figure, places = pyplot.subplots(1, 2, figsize=(8, 3))
    for place, key, unit in zip(places, ("seconds", "memory"), ("seconds of processor time", "MB")):
        for name, points in curves.items():
            slope = f": exponent {exponent(points, key):.2f}" if len(points) > 1 else ""
            place.plot([size for size, _ in points], [one[key] for _, one in points],
                       marker="o", color=COLOURS[name], label=name + slope)
        place.set(xscale="log", yscale="log", xlabel=TITLES[axis], ylabel=unit)
        place.set_xticks(AXES[axis], [str(size) for size in AXES[axis]])
        place.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        place.grid(alpha=0.3)
        place.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


class Kept:
    """The figures of this and earlier runs."""

    def __init__(self, file):
        self.file, self.known = file, {}
        file.parent.mkdir(parents=True, exist_ok=True)
        for line in file.read_text().splitlines() if file.is_file() else []:
            one = json.loads(line)
            self.known[one["tool"], one["axis"], one["size"]] = one["found"]

    def get(self, tool, axis, size, measure):
        key = tool, axis, size
        if key not in self.known:
            self.known[key] = measure()
            print(*key, self.known[key], flush=True)
            with self.file.open("a") as stream:
                stream.write(json.dumps({"tool": tool, "axis": axis, "size": size,
                                         "found": self.known[key]}) + "\n")
        return self.known[key]


def programs(given):
    """How each tool is started that was asked for; None for Boxwood."""
    return {"Boxwood": None,
            **({"OCEAN, CP-SAT": [given.ocean, HERE / "peers" / "ocean_cpcf.py"]}
               if given.ocean else {}),
            **({"treecf": [given.treecf, HERE / "peers" / "treecf_scaling.py"]}
               if given.treecf else {})}


def curve(tool, command, axis, kept, given, models):
    """[(size, figures)] of a tool along an axis, as far as it finishes."""
    points = []
    if tool != "Boxwood" and axis == "free" or tool == "treecf" and axis == "classes":
        return points
    for size in AXES[axis]:
        def measure(size=size):
            if size not in models:
                models[size] = made(axis, size)
            if command is None:
                return ask(models[size], given.work, given.seconds)
            return ask_peer(models[size], given.work, given.seconds, command, given.peer_rows)
        found = kept.get(tool, axis, size, measure)
        if found is None:
            break
        points.append((size, found))
    return points


def show(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def between(values, unit=""):
    """The first and the last of some figures."""
    ends = [show(value) for value in (values[0], values[-1])[:len(values)]]
    return " to ".join(ends) + unit


def cells(axis, tool, points):
    """A line of the table."""
    times = [1e3 * one["seconds"] for _, one in points]
    space = [one["memory"] for _, one in points]
    several = len(points) > 1
    return [TITLES[axis], tool, between([size for size, _ in points]),
            f"{sum(o['proven'] for _, o in points)} of {sum(o['asked'] for _, o in points)}",
            between(times, " ms"),
            f"{exponent(points, 'seconds'):.2f}" if several else "–",
            between(space, " MB"),
            f"{exponent(points, 'memory'):.2f}" if several else "–"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=10, help="limit of a question")
    parser.add_argument("--work", type=Path, default=Path("build/bench/cpcf"))
    parser.add_argument("--ocean", help="the Python of an environment with oceanpy")
    parser.add_argument("--treecf", help="the Python of an environment with treecf")
    parser.add_argument("--peer-rows", type=int, default=3)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    if given.answer:
        return answer(given.answer, given.seconds)
    kept = Kept(given.work / "scaling.jsonl")
    heads = ["grows", "tool", "sizes", "proven", "time, smallest to largest", "exponent of time",
             "memory, smallest to largest", "exponent of memory"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for axis in AXES:
        models, curves = {}, {}
        for tool, command in programs(given).items():
            points = curve(tool, command, axis, kept, given, models)
            if points:
                curves[tool] = points
                lines.append("| " + " | ".join(cells(axis, tool, points)) + " |")
        if given.write:
            draw(axis, curves, given.write.parent / "img" / f"growth_{axis}.svg")
            write_block(given.write, "scaling", "\n".join(lines))
    print("\n".join(lines))
    return None


if __name__ == "__main__":
    main()
