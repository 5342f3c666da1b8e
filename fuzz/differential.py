"""Damaged model files of XGBoost and LightGBM: whatever Boxwood accepts, it predicts as the library.

    PYTHONPATH=build/dev/python python fuzz/differential.py [--files N] [--seed N] [--keep FOLDER]
    PYTHONPATH=build/dev/python python fuzz/differential.py --types

Fixtures are damaged at random: numbers, types, keys and lengths change, keys are missing or given
twice, lines vanish. Where both read a file, the raw scores must be the same, bit for bit. With `--types`
every field gets a value of every other type instead, and Boxwood must refuse whatever the library
refuses, but for what `is_exception` says.

The library runs in a process of its own for each file, because some files make it crash or hang.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import pickle
import random
import re
import resource
import select
import signal
import struct
import sys
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"

import boxwood
import lightgbm
import numpy as np
import xgboost
from boxwood import _core

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
DATA = TESTS / "data"
NUMBERS = [0, 1, -1, 2, 3, 7, 0.5, -0.25, 1e-45, 3e38, 1e30, -1e-30, 2**31, 16777217]
OTHER_TYPES = ["1", "x", "", True, None, [], {}, [1], 1.5, 2]
OTHER_WORDS = ["x", "", "1.5", "-1", "7", "1e400", "true", "null", "[1]", "1 1"]
# Between them they have every kind of field.
TYPE_FIXTURES = [("xgboost", "missing_only.json"), ("xgboost", "categorical_sets.json"),
                 ("xgboost", "binary_logistic_dart.json"), ("xgboost", "vector_leaves.json"),
                 ("lightgbm", "binary_nan.txt"), ("lightgbm", "binary_categories.txt"),
                 ("lightgbm", "regression_pandas.txt")]


# Results of the training, which prediction does not use.
STATISTICS = {"base_weights", "loss_changes", "sum_hessian", "parents", "leaf_weight", "num_deleted"}


def is_exception(field, value):
    """What Boxwood reads though the library does not: a field that prediction does not need may be absent, and
    statistics may have another length."""
    return value == "absent" or (field.split(".")[-1] in STATISTICS and value in ("[]", "[1]", "", "1 1"))


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


def resized(text):
    """The text with the right tree_sizes. LightGBM finds trees by them, and aborts where they are wrong."""
    starts = [found.start() + 1 for found in re.finditer("\nTree=", text)]
    ends = starts[1:] + [text.find("\nend of trees") + 1]
    sizes = " ".join(str(end - start) for start, end in zip(starts, ends))
    return re.sub("\ntree_sizes=.*", "\ntree_sizes=" + sizes, text, count=1)


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
    damaged = "\n".join(lines)
    return damaged if draw.random() < 0.05 else resized(damaged)


def is_average(path):
    return b"\naverage_output\n" in pathlib.Path(path).read_bytes()


def library_scores(library, path, rows):
    """The raw scores of the library, or the outputs of a forest of LightGBM."""
    if library == "xgboost":
        xgboost.set_config(verbosity=0)
        booster = xgboost.Booster(model_file=path)
        width = booster.num_features()
        matrix = xgboost.DMatrix(rows[:, :width].astype(np.float32), feature_names=booster.feature_names,
                                 feature_types=booster.feature_types, enable_categorical=True)
        scores = booster.predict(matrix, output_margin=True)
    else:
        booster = lightgbm.Booster(model_file=path)
        width = booster.num_feature()
        # Raw scores of forests are not divided by the number of trees.
        scores = booster.predict(rows[:, :width], raw_score=not is_average(path))
    if width > rows.shape[1]:
        raise ValueError("more columns than the rows have")
    return np.asarray(scores, dtype=np.float64).reshape(len(rows), -1)


class Crashed(Exception):
    """The library ended by a signal, or did not end."""


def in_a_process(work, seconds=2):
    """What the work returns or raises, computed in a forked process with so many seconds of processor time."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        try:
            result = work()
        except BaseException as error:  # whatever the library raises is a refusal
            result = f"{type(error).__name__}: {error}"
        os.write(writing, pickle.dumps(result))
        os._exit(0)
    os.close(writing)
    pieces = []
    while True:
        if not select.select([reading], [], [], 60)[0]:
            os.kill(child, signal.SIGKILL)  # it sleeps
            break
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        pieces.append(piece)
    os.close(reading)
    status = os.waitpid(child, 0)[1]
    if status != 0:
        raise Crashed(f"status {status}")
    return pickle.loads(b"".join(pieces))


def boxwood_scores(path, rows):
    """The raw scores of Boxwood, or the text of its error."""
    try:
        model = _core.Model([_core.read_file(str(path), "all")])
        width = len(model.ensemble(0).features)
        if width > rows.shape[1]:
            return "more columns than the rows have"
        points = np.ascontiguousarray(rows[:, :width])
        return np.array(model.outputs(points) if is_average(path) else model.scores(points))
    except boxwood.Error as error:
        return str(error)


def compare(library, path, rows):
    """How Boxwood and the library differ about a file, and what they say."""
    ours = boxwood_scores(path, rows)
    try:
        theirs = in_a_process(lambda: library_scores(library, str(path), rows))
    except Crashed as error:
        return ("refused by Boxwood, crashes the library" if isinstance(ours, str)
                else "read by Boxwood, crashes the library"), ours, str(error)
    if isinstance(ours, str):
        return ("refused by both" if isinstance(theirs, str) else "refused by Boxwood alone"), ours, theirs
    if isinstance(theirs, str):
        return "read by Boxwood alone", ours, theirs
    precision = np.float32 if library == "xgboost" else np.float64
    same = np.array_equal(ours.astype(precision), theirs.astype(precision), equal_nan=True)
    return ("same scores" if same else "other scores"), ours, theirs


def originals(small):
    """Fixtures of the installed versions; with `small` the smallest that have every kind of field."""
    files = [("xgboost", path) for path in sorted(DATA.glob(f"xgboost/{xgboost.__version__}/*.json"))]
    files += [("lightgbm", path) for path in sorted(DATA.glob(f"lightgbm/{lightgbm.__version__}/*.txt"))]
    return [(library, path) for library, path in files if path.stat().st_size < small]


def rows_for(draw, width=12):
    return np.array([[draw.choice([0.0, 1.0, -1.0, 0.5, 3.0, 40.0, math.nan, draw.gauss(0, 2)])
                      for _ in range(width)] for _ in range(12)])


def random_damage(given, folder):
    draw = random.Random(given.seed)
    files = originals(30_000)
    seen = collections.Counter()
    failures = []
    for case in range(given.files):
        library, original = draw.choice(files)
        text = original.read_text()
        path = folder / ("m.json" if library == "xgboost" else "m.txt")
        path.write_text(damaged_json(draw, text) if library == "xgboost" else damaged_lines(draw, text))
        verdict, ours, theirs = compare(library, path, rows_for(draw))
        seen[f"{library}: {verdict}"] += 1
        if verdict == "other scores":
            failures.append(f"case {case}, {original.relative_to(DATA)}: {ours[:2].tolist()} and {theirs[:2].tolist()}")
        if verdict in given.verdicts:
            words = [said if isinstance(said, str) else "read" for said in (ours, theirs)]
            print(f"case {case}, {original.relative_to(DATA)}: {verdict}: {words[0][:150]} | {words[1][:150]!r}")
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{given.seed}_{case}{path.suffix}").write_bytes(path.read_bytes())
    return seen, failures


def pattern(path):
    """A path without its indices: all trees and all nodes have the same fields."""
    return ".".join("#" if isinstance(key, int) else key for key in path)


def wrong_json(text):
    """Every field of a document with a value of every other type: the field, the value, the document."""
    document = json.loads(text)
    done = set()
    for path in list(places(document)):
        if not path or pattern(path) in done:
            continue
        done.add(pattern(path))
        holder, key = at(document, path[:-1]), path[-1]
        before = holder[key]
        for other in OTHER_TYPES:
            if type(other) is type(before) and (isinstance(before, str) or other == before):
                continue
            holder[key] = other
            yield pattern(path), json.dumps(other), document
        holder[key] = before
        if isinstance(holder, dict):
            del holder[key]
            yield pattern(path), "absent", document
            holder[key] = before


def wrong_lines(text):
    """Every field of a LightGBM file with other kinds of text."""
    lines = text.split("\n")
    end = lines.index("end of trees") if "end of trees" in lines else len(lines)
    done = set()
    for i, line in enumerate(lines[:end]):
        key, equals, value = line.partition("=")
        if not equals or key in done:
            continue
        done.add(key)
        words = value.split(" ")
        for other in OTHER_WORDS:
            if other == words[0]:
                continue
            changed = "\n".join(lines[:i] + [key + "=" + " ".join([other] + words[1:])] + lines[i + 1:])
            yield key, other, changed if key == "tree_sizes" else resized(changed)
        yield key, "absent", resized("\n".join(lines[:i] + lines[i + 1:]))


# Arrays of numbers with one type for all; other arrays have a type for each entry.
TYPED_REALS = {"split_conditions", "base_weights", "loss_changes", "sum_hessian", "leaf_weights"}
TYPED_WHOLES = {"left_children", "right_children", "parents", "split_indices", "categories",
                "categories_nodes", "feature_segments", "sorted_idx"}


def ubjson(value, key=None):
    """A document in UBJSON as XGBoost writes it."""
    def long(number):
        return number.to_bytes(8, "big", signed=True)

    def name(text):
        return b"L" + long(len(text.encode())) + text.encode()
    if value is None:
        return b"Z"
    if isinstance(value, bool):
        return b"T" if value else b"F"
    if isinstance(value, int):
        return b"L" + long(value)
    if isinstance(value, float):
        return b"d" + struct.pack(">f", value)
    if isinstance(value, str):
        return b"S" + name(value)
    if isinstance(value, dict):
        return b"{" + b"".join(name(each) + ubjson(child, each) for each, child in value.items()) + b"}"
    kinds = {type(child) for child in value}
    count = b"L" + long(len(value))
    if key in TYPED_REALS and kinds <= {float}:
        return b"[$d#" + count + b"".join(struct.pack(">f", child) for child in value)
    if key in TYPED_WHOLES and kinds <= {int}:
        return b"[$l#" + count + b"".join(child.to_bytes(4, "big", signed=True) for child in value)
    if key in ("categories_segments", "categories_sizes") and kinds <= {int}:
        return b"[$L#" + count + b"".join(long(child) for child in value)
    if key in ("default_left", "split_type") and kinds <= {int}:
        return b"[$U#" + count + bytes(child & 255 for child in value)
    return b"[#" + count + b"".join(ubjson(child) for child in value)


def type_damage(given, folder):
    """Compare what is refused, field by field."""
    draw = random.Random(given.seed)
    rows = rows_for(draw)
    seen = collections.Counter()
    failures = []
    versions = {"xgboost": xgboost.__version__, "lightgbm": lightgbm.__version__}
    for library, name in TYPE_FIXTURES:
        text = (DATA / library / versions[library] / name).read_text()
        if library == "xgboost":
            cases = ((field, value, suffix, encode(document)) for field, value, document in wrong_json(text)
                     for suffix, encode in ((".json", lambda d: json.dumps(d).encode()), (".ubj", ubjson)))
        else:
            cases = ((field, value, ".txt", content.encode()) for field, value, content in wrong_lines(text))
        for field, value, suffix, content in cases:
            path = folder / f"m{suffix}"
            path.write_bytes(content)
            verdict, ours, theirs = compare(library, path, rows)
            seen[f"{library}{suffix}: {verdict}"] += 1
            alone = verdict in ("read by Boxwood alone", "read by Boxwood, crashes the library")
            if verdict == "other scores" or (alone and not is_exception(field, value)):
                failures.append(f"{name}{suffix}: {field} = {value}: {verdict}: {str(theirs)[:160]!r}")
            elif given.verdicts and verdict in given.verdicts:
                print(f"{name}{suffix}: {field} = {value}: {verdict}: {str(ours)[:100]!r} {str(theirs)[:160]!r}")
    return seen, failures


def main():
    parser = argparse.ArgumentParser(description="damaged files of XGBoost and LightGBM")
    parser.add_argument("--seed", type=int, default=20210514)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--types", action="store_true", help="wrong types in every field instead of random damage")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files with one of these verdicts")
    parser.add_argument("--verdicts", nargs="*", default=["other scores"], help="what to print and keep")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        seen, failures = (type_damage if given.types else random_damage)(given, pathlib.Path(name))
    print(f"{sum(seen.values())} files, seed {given.seed}: "
          + ", ".join(f"{what} {count}" for what, count in sorted(seen.items())))
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
