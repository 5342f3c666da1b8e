"""Damaged model files of XGBoost and LightGBM: whatever Boxwood accepts, it predicts as the library.

    python fuzz/differential.py [--seed N] [--models N] [--command PATH]

Fixtures are damaged in many ways: numbers, types, keys and lengths change, keys are missing or
given twice, lines vanish. Where both read a file, the raw scores must be the same, bit for bit, and
Boxwood must never end in any other way than with scores or an error. Files that only one of them
reads are counted: Boxwood checks what prediction needs, XGBoost also statistics that it does not.
It is slow, because some files make LightGBM hang, so no test runs it.
The library runs in a process of its own, because some of these files make it crash.
BOXWOOD_CASES sets the number of files; BOXWOOD_KEEP names a folder for those that fail.
"""

import json
import math
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import live

DATA = TESTS / "data"
NUMBERS = [0, 1, -1, 2, 3, 7, 0.5, -0.25, 1e-45, 3e38, 1e30, -1e-30, 2**31, 16777217]
OTHER_TYPES = ["1", "x", "", True, None, [], {}, [1], 1.5, 2]


def places(value, path=()):
    """Every path within a JSON document."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def other_number(draw, value):
    choice = draw.random()
    if choice < 0.4:
        return draw.choice(NUMBERS)
    if choice < 0.6 and isinstance(value, int):
        return value + draw.choice([-1, 1])
    return -value if choice < 0.8 else value * draw.choice([2, 0.5, 1.25])


def damaged_value(draw, value):
    if draw.random() < 0.15:
        return draw.choice(OTHER_TYPES)
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return other_number(draw, value)
    if isinstance(value, str):
        try:
            return str(other_number(draw, float(value) if "." in value or "E" in value else int(value)))
        except ValueError:
            return draw.choice(["", value[:-1], value + "x", "gbtree", "binary:logistic", "reg:squarederror"])
    if isinstance(value, list) and value:
        value = list(value)
        i = draw.randrange(len(value))
        draw.choice([lambda: value.pop(i), lambda: value.insert(i, value[i]),
                     lambda: value.reverse()])()
        return value
    return draw.choice(OTHER_TYPES)


def damaged_json(draw, text):
    document = json.loads(text)
    for _ in range(draw.choice([1, 1, 1, 2])):
        path = draw.choice([path for path in places(document) if path])
        holder, key = at(document, path[:-1]), path[-1]
        if isinstance(holder, dict) and draw.random() < 0.1:
            del holder[key]
        else:
            holder[key] = damaged_value(draw, holder[key])
    damaged = json.dumps(document, separators=(",", ":"))
    if draw.random() < 0.05:  # a key that is given twice
        key = draw.choice(["num_feature", "left_children", "base_score", "name", "tree_info"])
        damaged = damaged.replace(f'"{key}":', f'"{key}":"0","{key}":', 1)
    return damaged


def damaged_lines(draw, text):
    lines = text.split("\n")
    for _ in range(draw.choice([1, 1, 1, 2])):
        i = draw.randrange(len(lines))
        key, equals, value = lines[i].partition("=")
        words = value.split(" ")
        choice = draw.random()
        if choice < 0.1:
            lines.pop(i)
        elif choice < 0.15:
            lines.insert(i, lines[i])
        elif not equals:
            continue
        elif choice < 0.3:
            words.pop(draw.randrange(len(words)))
            lines[i] = key + equals + " ".join(words)
        else:
            at_word = draw.randrange(len(words))
            try:
                number = float(words[at_word])
                other = other_number(draw, int(number) if number == int(number) else number)
                words[at_word] = repr(other)
            except (ValueError, OverflowError):
                words[at_word] = draw.choice(["", "x", "nan", "inf", "1e400", words[at_word] + "1"])
            lines[i] = key + equals + " ".join(words)
    return "\n".join(lines)


def rows_for(draw, width):
    return [[draw.choice([0.0, 1.0, -1.0, 0.5, 3.0, 40.0, math.nan, draw.gauss(0, 2)])
             for _ in range(width)] for _ in range(12)]


def library_scores(library, path, rows):
    """The raw scores of the library, or the text of its error."""
    import numpy as np
    try:
        if library == "xgboost":
            import xgboost
            xgboost.set_config(verbosity=0)
            booster = xgboost.Booster(model_file=path)
            width = booster.num_features()
            data = np.array(rows, dtype=np.float32)[:, :width]
            if data.shape[1] < width:
                return "more columns than rows have"
            matrix = xgboost.DMatrix(data, feature_names=booster.feature_names,
                                     feature_types=booster.feature_types, enable_categorical=True)
            scores = booster.predict(matrix, output_margin=True)
        else:
            import lightgbm
            booster = lightgbm.Booster(model_file=path)
            width = booster.num_feature()
            data = np.array(rows, dtype=np.float64)[:, :width]
            if data.shape[1] < width:
                return "more columns than rows have"
            scores = booster.predict(data, raw_score=True)
        return np.asarray(scores, dtype=np.float64).reshape(len(rows), -1).tolist()
    except Exception as error:  # whatever the library raises is a refusal
        return str(error)


def serve(pipe):
    while True:
        pipe.send(library_scores(*pipe.recv()))


class Library:
    """The libraries in a process of their own, which is started again when a file makes it crash."""

    def __init__(self):
        self.process = None

    def scores(self, *question):
        patience = 3  # seconds; some files make LightGBM hang
        if self.process is None:
            patience = 60  # it has to import the library first
            self.pipe, theirs = multiprocessing.Pipe()
            self.process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
        try:
            self.pipe.send(question)
            if self.pipe in multiprocessing.connection.wait([self.pipe, self.process.sentinel], patience):
                return self.pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass
        self.process.kill()
        self.process.join()
        self.process = None
        return "it crashed or did not end"


def names_in(library, text):
    """The names of the columns, where the file can tell them."""
    try:
        if library == "lightgbm":
            return text.split("\nfeature_names=")[1].split("\n")[0].split(" ")
        learner = json.loads(text)["learner"]
        return learner["feature_names"] or [f"f{i}" for i in range(int(learner["learner_model_param"]["num_feature"]))]
    except (ValueError, KeyError, IndexError, TypeError):
        return []


def boxwood_scores(command, library, path, rows, folder):
    """The raw scores of the command, or the text of its error."""
    names = names_in(library, path.read_text())[:len(rows[0])]
    data = folder / "rows.csv"
    header = ",".join('"' + str(name).replace('"', '""') + '"' for name in names)
    data.write_text("\n".join([header] + [
        ",".join("" if math.isnan(value) else repr(value) for value in row[:len(names)]) for row in rows]) + "\n")
    said = subprocess.run([command, "predict", path, "--data", data, "--raw"], capture_output=True, text=True,
                          check=False)
    if said.returncode not in (0, 1, 2):
        raise SystemExit(f"the command ended with {said.returncode}: {path.read_text()[:2000]}")
    if said.returncode != 0:
        return said.stderr
    return [[float(cell) for cell in line.split(",")] for line in said.stdout.splitlines()[1:]]


def same(library, ours, theirs):
    """Whether scores are the same bits; those of XGBoost are float32."""
    import numpy as np
    width = np.float32 if library == "xgboost" else np.float64
    return np.array_equal(np.array(ours, dtype=width), np.array(theirs, dtype=width), equal_nan=True)


def main():
    given = live.flags("damaged files of XGBoost and LightGBM",
                       int(os.environ.get("BOXWOOD_CASES", "40")))
    draw = random.Random(given.seed)
    originals = [("xgboost", path) for path in sorted(DATA.glob("xgboost/3.[012].*/*.json"))]
    originals += [("lightgbm", path) for path in sorted(DATA.glob("lightgbm/4.*/*.txt"))]
    originals = [(library, path) for library, path in originals if path.stat().st_size < 30_000]
    library_process = Library()
    seen = {"refused by both": 0, "refused by Boxwood alone": 0, "read by Boxwood alone": 0, "same scores": 0}
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in range(given.models):
            library, original = draw.choice(originals)
            damage = damaged_json if library == "xgboost" else damaged_lines
            path = folder / ("m.json" if library == "xgboost" else "m.txt")
            path.write_text(damage(draw, original.read_text()))
            rows = rows_for(draw, 12)
            ours = boxwood_scores(given.command, library, path, rows, folder)
            theirs = library_process.scores(library, str(path), rows)
            if isinstance(ours, str):
                seen["refused by both" if isinstance(theirs, str) else "refused by Boxwood alone"] += 1
                continue
            if isinstance(theirs, str):
                seen["read by Boxwood alone"] += 1
                continue
            if same(library, ours, theirs):
                seen["same scores"] += 1
                continue
            failures.append(f"case {case}, {original.relative_to(DATA)}: scores differ: {ours[:2]} and {theirs[:2]}")
            if os.environ.get("BOXWOOD_KEEP"):
                keep = pathlib.Path(os.environ["BOXWOOD_KEEP"])
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{given.seed}_{case}{path.suffix}").write_text(path.read_text())
    print(f"{given.models} files: " + ", ".join(f"{count} {what}" for what, count in seen.items()))
    for failure in failures:
        print(failure)
    if failures or seen["same scores"] < given.models / 20:
        sys.exit(1)


if __name__ == "__main__":
    main()
