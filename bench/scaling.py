"""How time and memory of the fast engine grow: trees, depth, features, classes, free features, cells.

    PYTHONPATH=build/release/python .venv/bin/python bench/scaling.py [--ocean PYTHON]
        [--write docs/cpcf.md]

Made-up data, XGBoost; one size grows, the others keep their values in BASE. Each model is asked in
a process of its own. Times are processor time of one thread, the median over the rows; memory is
the growth of the process's peak from before the model is prepared to the last answer. OCEAN's
CP-SAT gets fewer rows and a limit; its memory includes its libraries. Peers cannot hold features
fixed, so that free features are measured for Boxwood alone.
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


def ask_ocean(given, work, seconds, python, rows):
    """The same of CP-SAT; None where it gives no answer in time."""
    file = work / "scaling_peer.pickle"
    count = given["rows"].shape[1]
    given["model"].get_booster().feature_names = [f"x{i}" for i in range(count)]
    file.write_bytes(pickle.dumps({
        "model": given["model"], "hard": False, "columns": [f"x{i}" for i in range(count)],
        "features": [{"name": f"x{i}", "kind": "F", "values": [-0.5, 1.5], "codes": []}
                     for i in range(count)],
        "forests": {}, "rows": list(given["rows"][:rows]), "targets": given["targets"][:rows],
        "norm": 1, "seconds": seconds, "tool": "cpsat", "seed": 2}))
    try:
        done = subprocess.run([python, HERE / "peers" / "ocean_cpcf.py", file], text=True,
                              capture_output=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not found or any(one["status"] not in ("optimal", "infeasible") for one in found):
        return None
    return {"seconds": statistics.median(one["seconds"] for one in found),
            "memory": max(one["peak"] for one in found) / 1024}


def exponent(points, key):
    """The slope of the straight line through the logarithms."""
    sizes = np.log([size for size, _ in points])
    return float(np.polyfit(sizes, np.log([max(one[key], 1e-6) for _, one in points]), 1)[0])


def draw(axis, curves, file):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "boxwood", "font.size": 9})
    from matplotlib import pyplot

    figure, places = pyplot.subplots(1, 2, figsize=(8, 3))
    for place, key, unit in zip(places, ("seconds", "memory"), ("seconds (median)", "MB")):
        for name, points in curves.items():
            if len(points) > 1:
                place.plot([size for size, _ in points], [one[key] for _, one in points],
                           marker="o", label=f"{name}: exponent {exponent(points, key):.2f}")
        place.set(xscale="log", yscale="log", xlabel=TITLES[axis], ylabel=unit)
        place.grid(alpha=0.3)
        place.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--work", type=Path, default=Path("build/bench/cpcf"))
    parser.add_argument("--ocean", help="the Python of an environment with oceanpy")
    parser.add_argument("--ocean-rows", type=int, default=1)
    parser.add_argument("--ocean-minutes", type=float, default=10)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    if given.answer:
        return answer(given.answer, given.seconds)
    ends = time.monotonic() + 60 * given.ocean_minutes
    lines = ["| grows | sizes | proven | time, smallest to largest | exponent of time | memory, "
             "smallest to largest | exponent of memory | CP-SAT: sizes | time | exponent of time |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for axis, sizes in AXES.items():
        ours, theirs, alive = [], [], True
        for size in sizes:
            model = made(axis, size)
            ours.append((size, ask(model, given.work, given.seconds)))
            # What a peer does not finish it is not asked at larger sizes.
            if given.ocean and axis != "free" and time.monotonic() < ends and alive:
                found = ask_ocean(model, given.work, given.seconds, given.ocean, given.ocean_rows)
                theirs += [(size, found)] if found else []
                alive = found is not None
            print(axis, size, ours[-1][1], theirs[-1:] if given.ocean else "", flush=True)
        times = [1e3 * one["seconds"] for _, one in ours]
        space = [one["memory"] for _, one in ours]
        cells = [TITLES[axis], f"{sizes[0]} to {sizes[-1]}",
                 f"{sum(o['proven'] for _, o in ours)} of {sum(o['asked'] for _, o in ours)}",
                 f"{times[0]:.2g} to {times[-1]:.2g} ms", f"{exponent(ours, 'seconds'):.2f}",
                 f"{space[0]:.2g} to {space[-1]:.2g} MB", f"{exponent(ours, 'memory'):.2f}"]
        if len(theirs) > 1:
            cells += [f"{theirs[0][0]} to {theirs[-1][0]}, {len(theirs)} of {len(sizes)} proven",
                      f"{theirs[0][1]['seconds']:.2g} to {theirs[-1][1]['seconds']:.2g} s",
                      f"{exponent(theirs, 'seconds'):.2f}"]
        else:
            cells += ["–"] * 3
        lines.append("| " + " | ".join(cells) + " |")
        if given.write:
            draw(axis, {"Boxwood": ours, "OCEAN, CP-SAT": theirs},
                 given.write.parent / "img" / f"growth_{axis}.svg")
            write_block(given.write, "scaling", "\n".join(lines))
    print("\n".join(lines))
    return None


if __name__ == "__main__":
    main()
