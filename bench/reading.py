"""How long a large model takes to read, and how much memory.

    python3 bench/reading.py build/release/bin/boxwood [--write docs/performance.md]

Standard library only. Makes an XGBoost model of 2,000 trees and 1,000,000 leaves from a fixed seed,
as UBJSON and as JSON, all columns that XGBoost writes included, and measures `boxwood inspect` on
it: wall and processor time (the best of some runs) and the most memory that the process had.
"""

import argparse
import array
import os
import pathlib
import platform
import random
import struct
import subprocess
import sys
import time

from pages import write_block

HERE = pathlib.Path(__file__).resolve().parent
FEATURES = 50
MOST_MEMORY = 5  # times the file's size


def make_tree(rng, leaves):
    """Parallel columns: a random leaf is split until there are enough of them."""
    left, right, feature, condition, parents = [-1], [-1], [0], [0.0], [2147483647]
    open_leaves = [0]
    while len(open_leaves) < leaves:
        at = rng.randrange(len(open_leaves))
        node = open_leaves[at]
        child = len(left)
        left[node], right[node] = child, child + 1
        feature[node], condition[node] = rng.randrange(FEATURES), rng.gauss(0, 1)
        left += [-1, -1]
        right += [-1, -1]
        feature += [0, 0]
        condition += [rng.gauss(0, 0.01), rng.gauss(0, 0.01)]
        parents += [node, node]
        open_leaves[at] = child
        open_leaves.append(child + 1)
    count = len(left)
    statistics = array.array("f", (rng.random() for _ in range(count)))
    return {
        "base_weights": statistics, "categories": array.array("i"),
        "categories_nodes": array.array("i"), "categories_segments": array.array("q"),
        "categories_sizes": array.array("q"),
        "default_left": array.array("B", (rng.randrange(2) for _ in range(count))),
        "left_children": array.array("i", left), "loss_changes": statistics,
        "parents": array.array("i", parents), "right_children": array.array("i", right),
        "split_conditions": array.array("f", condition),
        "split_indices": array.array("i", feature),
        "split_type": array.array("B", bytes(count)), "sum_hessian": statistics,
    }


def make_model(trees, leaves, seed=20210514):
    rng = random.Random(seed)
    members = []
    for index in range(trees):
        tree = make_tree(rng, leaves)
        tree["id"] = index
        tree["tree_param"] = {"num_deleted": "0", "num_feature": str(FEATURES),
                              "num_nodes": str(len(tree["left_children"])),
                              "size_leaf_vector": "1"}
        members.append(dict(sorted(tree.items())))
    model = {"gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(trees)},
             "iteration_indptr": array.array("i", range(trees + 1)),
             "tree_info": array.array("i", bytes(4 * trees)), "trees": members}
    return {"learner": {
        "attributes": {}, "feature_names": [], "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {"base_score": "5E-1", "boost_from_average": "1",
                                "num_class": "0", "num_feature": str(FEATURES),
                                "num_target": "1"},
        "objective": {"name": "binary:logistic", "reg_loss_param": {"scale_pos_weight": "1"}},
    }, "version": array.array("i", [3, 0, 0])}


def write_ubjson(value, out):
    if isinstance(value, dict):
        out.write(b"{")
        for key, member in value.items():
            out.write(b"L" + struct.pack(">q", len(key)) + key.encode())
            write_ubjson(member, out)
        out.write(b"}")
    elif isinstance(value, array.array):
        kind = {"f": b"d", "i": b"l", "q": b"L", "B": b"U"}[value.typecode]
        out.write(b"[$" + kind + b"#L" + struct.pack(">q", len(value)))
        swapped = array.array(value.typecode, value)
        if sys.byteorder == "little":
            swapped.byteswap()
        out.write(swapped.tobytes())
    elif isinstance(value, list):
        out.write(b"[#L" + struct.pack(">q", len(value)))
        for member in value:
            write_ubjson(member, out)
    elif isinstance(value, str):
        out.write(b"SL" + struct.pack(">q", len(value)) + value.encode())
    else:
        out.write(b"L" + struct.pack(">q", value))


def write_json(value, out):
    if isinstance(value, dict):
        for index, (key, member) in enumerate(value.items()):
            out.write(b"{" if index == 0 else b",")
            out.write(f'"{key}":'.encode())
            write_json(member, out)
        out.write(b"}" if value else b"{}")
    elif isinstance(value, array.array):
        form = "%.9g" if value.typecode == "f" else "%d"
        out.write(b"[" + ",".join(form % member for member in value).encode() + b"]")
    elif isinstance(value, list):
        out.write(b"[")
        for index, member in enumerate(value):
            out.write(b"," if index else b"")
            write_json(member, out)
        out.write(b"]")
    else:
        out.write(f'"{value}"'.encode() if isinstance(value, str) else str(value).encode())


def measure(command):
    """Seconds, those of the processor, the most memory in bytes, and what was printed first."""
    started = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)
    text = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    seconds = time.perf_counter() - started
    computing = usage.ru_utime + usage.ru_stime
    return seconds, computing, usage.ru_maxrss * 1024, text.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boxwood")
    parser.add_argument("--trees", type=int, default=2000)
    parser.add_argument("--leaves", type=int, default=500, help="of a tree")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, default=HERE.parent / "build" / "bench",
                        help="where the models lie; made where they are missing")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this file")
    args = parser.parse_args()

    args.folder.mkdir(parents=True, exist_ok=True)
    stem = args.folder / f"reading_{args.trees}x{args.leaves}"
    files = {stem.with_suffix(".ubj"): write_ubjson, stem.with_suffix(".json"): write_json}
    if not all(file.exists() for file in files):
        model = make_model(args.trees, args.leaves)
        for file, write in files.items():
            with open(file, "wb") as out:
                write(model, out)
    lines = ["| file | size MB | seconds | processor seconds | most memory MB | memory / file |",
             "|---|---|---|---|---|---|"]
    kept = True
    for file in files:
        runs = [measure([args.boxwood, "inspect", file]) for _ in range(args.runs)]
        summary = "".join(letter for letter in runs[0][3] if letter.isalnum())
        if f"{args.trees}trees" not in summary or f"{args.trees * args.leaves}leaves" not in summary:
            raise SystemExit(f"{file}: {runs[0][3]}")
        size, memory = file.stat().st_size, max(run[2] for run in runs)
        kept = kept and memory < MOST_MEMORY * size
        lines.append(f"| {file.suffix[1:]} | {size / 1e6:.0f} | {min(run[0] for run in runs):.2f} "
                     f"| {min(run[1] for run in runs):.2f} | {memory / 1e6:.0f} | {memory / size:.1f} |")
    text = (f"Machine: {platform.machine()} with {os.cpu_count()} cores; {args.trees:,} trees of "
            f"{args.leaves} leaves, {FEATURES} features; `boxwood inspect`, the best of "
            f"{args.runs} runs. Wanted: less than {MOST_MEMORY} times the file's size"
            f"{'' if kept else ' (not kept)'}.\n\n" + "\n".join(lines))
    print(text)
    if args.write:
        write_block(args.write, "reading", text)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
