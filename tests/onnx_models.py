"""Random ONNX tree ensembles, and what onnxruntime says about a row: for onnx_live_test.py and
tests/data/onnx/make_fixtures.py.

A model is asked one row at a time, with one thread: sums of many trees and of many rows are put
together in another order otherwise.
"""

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

ort.set_default_logger_severity(4)
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
TYPES = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64, TensorProto.INT64: np.int64,
         TensorProto.INT32: np.int32}


def grow(rng, depth, feature_count, modes):
    """One tree: nested (mode, feature, threshold, tracks, yes, no), or None for a leaf."""
    if depth == 0 or rng.random() < 0.15:
        return None
    mode = str(rng.choice(modes))
    whole = mode in ("BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER") or rng.random() < 0.2
    threshold = float(rng.integers(0, 40) if whole else np.float32(rng.normal() * 3))
    if rng.random() < 0.02:
        threshold = float(rng.choice([np.inf, -np.inf, -0.0, 1e-45]))
    return [mode, int(rng.integers(feature_count)), threshold, int(rng.random() < 0.3),
            grow(rng, depth - 1, feature_count, modes), grow(rng, depth - 1, feature_count, modes)]


def flatten(tree):
    """Nodes in depth-first order: (mode, feature, threshold, tracks, yes, no)."""
    nodes = []

    def add(node):
        at = len(nodes)
        nodes.append(None)
        if node is None:
            nodes[at] = ("LEAF", 0, 0.0, 0, 0, 0)
        else:
            yes = add(node[4])
            nodes[at] = (*node[:4], yes, add(node[5]))
        return at

    add(tree)
    return nodes


def chain(rng, feature_count, deeper):
    """A test for a set of categories as converters write it: equal tests with one true branch."""
    feature, tracks = int(rng.integers(feature_count)), int(rng.random() < 0.5)
    yes = grow(rng, 2, feature_count, MODES[:2])
    node = grow(rng, deeper, feature_count, MODES[:2])
    for code in rng.permutation(40)[:int(rng.integers(2, 6))]:
        node = ["BRANCH_EQ", feature, float(code), tracks, yes, node]
    return node


def wrap(node, kind, feature_count, outputs, opset):
    inputs = [helper.make_tensor_value_info("X", kind, [None, feature_count])]
    values = [helper.make_tensor_value_info(name, type_, None) for name, type_ in outputs]
    graph = helper.make_graph([node], "trees", inputs, values)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def random_lists(rng):
    """TreeEnsembleClassifier or TreeEnsembleRegressor, all trees in parallel lists."""
    classifier = rng.random() < 0.6
    kinds = [TensorProto.FLOAT] * 4 + [TensorProto.DOUBLE] * 2
    kind = int(rng.choice(kinds + [TensorProto.INT64, TensorProto.INT32] * classifier))
    feature_count = int(rng.integers(1, 6))
    outputs = int(rng.integers(2, 5)) if classifier else int(rng.integers(1, 4))
    modes = MODES if rng.random() < 0.4 else [str(rng.choice(MODES))]
    columns = {name: [] for name in ("nodes_treeids", "nodes_nodeids", "nodes_modes",
                                     "nodes_featureids", "nodes_values", "nodes_truenodeids",
                                     "nodes_falsenodeids", "nodes_missing_value_tracks_true")}
    prefix = "class" if classifier else "target"
    weights = {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    opposite = classifier and outputs == 2 and rng.random() < 0.4
    each = rng.random() < 0.5  # a weight for each output in each leaf
    positive = rng.random() < 0.4
    for tree in range(int(rng.integers(1, 12)) * (outputs if not each else 1)):
        made = chain(rng, feature_count, 2) if rng.random() < 0.2 else None
        nodes = flatten(made or grow(rng, int(rng.integers(0, 5)), feature_count, modes))
        for number, (mode, feature, threshold, tracks, yes, no) in enumerate(nodes):
            for name, value in zip(columns, (tree, number, mode, feature, threshold, yes, no, tracks)):
                columns[name].append(value)
            if mode != "LEAF":
                continue
            leaf = np.float32(rng.normal() * 10.0 ** rng.integers(-3, 2))
            ids = [0] if classifier and outputs == 2 else range(outputs) if each else [tree % outputs]
            for output in ids if not opposite else [0, 1]:
                if not opposite:
                    leaf = np.float32(rng.normal() * 10.0 ** rng.integers(-3, 2))
                value = float(abs(leaf) if positive and not opposite else leaf)
                entries = (tree, number, output, -value if opposite and output == 0 else value)
                for name, entry in zip(weights, entries):
                    weights[name].append(entry)
    attributes = {**columns, **weights}
    transforms = ["NONE", "LOGISTIC", "SOFTMAX"]
    if opposite or outputs == 1:
        transforms = transforms[:2]
    attributes["post_transform"] = str(rng.choice(transforms))
    if rng.random() < 0.5:
        count = 1 if classifier and outputs == 2 and not opposite else outputs
        attributes["base_values"] = [float(np.float32(value)) for value in rng.normal(size=count)]
    if classifier:
        labels = [f"label {k}" for k in range(outputs)]
        strings = rng.random() < 0.5
        attributes["classlabels_strings" if strings else "classlabels_int64s"] = (
            labels if strings else list(range(outputs)))
    else:
        attributes["n_targets"] = outputs
        attributes["aggregate_function"] = str(rng.choice(["SUM", "AVERAGE"]))
    opset = int(rng.choice([1, 2, 3]))
    if opset == 3 and rng.random() < 0.6:
        for name in ("nodes_values", f"{prefix}_weights", "base_values"):
            if kind in (TensorProto.FLOAT, TensorProto.DOUBLE) and name in attributes:
                numbers = np.array(attributes.pop(name), dtype=TYPES[kind])
                if kind == TensorProto.DOUBLE and name != "nodes_values":
                    numbers = numbers * (1 + 1e-12)
                if opposite and name == "class_weights":
                    numbers = np.array(weights[name], dtype=TYPES[kind])
                attributes[f"{name}_as_tensor"] = numpy_helper.from_array(numbers)
    names = ["label", "scores"] if classifier else ["scores"]
    node = helper.make_node("TreeEnsembleClassifier" if classifier else "TreeEnsembleRegressor",
                            ["X"], names, domain="ai.onnx.ml", **attributes)
    label = TensorProto.STRING if "classlabels_strings" in attributes else TensorProto.INT64
    types = [("label", label), ("scores", TensorProto.FLOAT)]
    return wrap(node, kind, feature_count, types if classifier else types[1:], opset)


def random_newest(rng):
    """TreeEnsemble of ai.onnx.ml 5: splits and leaves apart, sets of members."""
    kind = int(rng.choice([TensorProto.FLOAT, TensorProto.DOUBLE]))
    feature_count, outputs = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    modes = MODES + ["BRANCH_MEMBER"] if rng.random() < 0.7 else [str(rng.choice(MODES))]
    columns = {name: [] for name in ("nodes_featureids", "nodes_truenodeids", "nodes_trueleafs",
                                     "nodes_falsenodeids", "nodes_falseleafs",
                                     "nodes_missing_value_tracks_true")}
    mode_numbers, splits, members, leaf_targets, leaf_weights, roots = [], [], [], [], [], []
    for tree in range(int(rng.integers(1, 8)) * outputs):
        nodes = flatten(grow(rng, int(rng.integers(1, 5)), feature_count, modes) or
                        ["BRANCH_LEQ", 0, 0.5, 0, None, None])
        numbers = {}
        for at, node in enumerate(nodes):
            leaf = node[0] == "LEAF"
            numbers[at] = (len(leaf_weights) if leaf
                           else len(splits) + sum(n[0] != "LEAF" for n in nodes[:at]), leaf)
            if leaf:
                leaf_weights.append(rng.normal())
                leaf_targets.append(tree % outputs)
        roots.append(len(splits))
        for mode, feature, threshold, tracks, yes, no in [n for n in nodes if n[0] != "LEAF"]:
            mode_numbers.append((MODES + ["BRANCH_MEMBER"]).index(mode))
            splits.append(0.0 if mode == "BRANCH_MEMBER" else threshold)
            if mode == "BRANCH_MEMBER":
                limit, most = (30, 9) if rng.random() < 0.5 else (500, 60)
                chosen = rng.permutation(limit)[:int(rng.integers(1, most))]
                members += [float(code) for code in chosen] + [np.nan]
            entries = (feature, numbers[yes][0], int(numbers[yes][1]), numbers[no][0],
                       int(numbers[no][1]), tracks)
            for name, entry in zip(columns, entries):
                columns[name].append(entry)
    tensor = lambda values: numpy_helper.from_array(np.array(values, dtype=TYPES[kind]))
    attributes = dict(columns, tree_roots=roots, n_targets=outputs,
                      aggregate_function=int(rng.integers(0, 2)),
                      post_transform=int(rng.integers(0, 3)) if outputs > 1 else 0,
                      leaf_targetids=leaf_targets, leaf_weights=tensor(leaf_weights),
                      nodes_splits=tensor(splits),
                      nodes_modes=numpy_helper.from_array(np.array(mode_numbers, dtype=np.uint8)))
    if members:
        attributes["membership_values"] = tensor(members)
    node = helper.make_node("TreeEnsemble", ["X"], ["scores"], domain="ai.onnx.ml", **attributes)
    return wrap(node, kind, feature_count, [("scores", kind)], 5)


def tree_node(model):
    return next(node for node in model.graph.node if node.op_type.startswith("TreeEnsemble"))


def attributes_of(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def splits_of(model):
    """Every (feature, threshold) of the trees, members of sets included."""
    values = attributes_of(tree_node(model))
    features = values.get("nodes_featureids", [])
    if "nodes_splits" in values:
        thresholds = numpy_helper.to_array(values["nodes_splits"]).tolist()
        found = set(zip(features, thresholds))
        if "membership_values" in values:
            codes = numpy_helper.to_array(values["membership_values"])
            found |= {(feature, code) for feature in set(features)
                      for code in codes[~np.isnan(codes)].tolist()[:20]}
        return sorted(found)
    thresholds = values.get("nodes_values")
    if not thresholds:
        thresholds = numpy_helper.to_array(values["nodes_values_as_tensor"]).tolist()
    return sorted({(feature, threshold)
                   for feature, threshold, mode in zip(features, thresholds, values["nodes_modes"])
                   if mode != b"LEAF"})


def input_of(model):
    shape = model.graph.input[0].type.tensor_type
    return TYPES[shape.elem_type], shape.shape.dim[1].dim_value


SPECIAL = [0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, -3.4028235e38, np.nan, np.inf,
           -np.inf, 1, 2, 3.5, -1, -0.5, 31, 32, 33, 64, 65, 2147483648.0, -2147483648.0]


def probes(rng, model, most=400):
    """Rows at every threshold and its neighbours, at special values, and anywhere."""
    kind, width = input_of(model)
    whole = kind in (np.int32, np.int64)
    splits = splits_of(model)
    splits = [splits[i] for i in sorted(rng.permutation(len(splits))[:most // 6])]
    rows = []

    def put(feature, value):
        row = rng.normal(size=width) * 4
        codes = rng.random(width) < 0.5
        row[codes] = rng.integers(-1, 40, size=codes.sum())
        row[rng.random(width) < 0.08] = np.nan
        if feature >= 0:
            row[feature] = value
        rows.append(row)

    for feature, threshold in splits:
        if whole:
            values = [np.floor(np.clip(threshold, -100, 100)) + d for d in (-1, 0, 1)]
        else:
            near = kind(threshold)
            values = [np.nextafter(near, kind(-np.inf)), near, np.nextafter(near, kind(np.inf))]
        for value in values:
            put(feature, value)
    for _ in range(30):
        put(-1, 0)
    for feature in range(width):
        for value in [0, 1, -1, 31, 32, 33, 100] if whole else SPECIAL:
            put(feature, value)
    points = np.array(rows)
    if whole:
        points = np.nan_to_num(points)
    return points.astype(kind)


class Session:
    """onnxruntime's answers, row by row: labels (as text) and scores."""

    def __init__(self, model):
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(model.SerializeToString(), options,
                                            providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0].name

    def ask(self, points):
        labels, scores = [], []
        for point in points:
            for answer in self.session.run(None, {self.input: point[None]}):
                if isinstance(answer, list):  # ZipMap
                    scores.append(list(answer[0].values()))
                elif answer.dtype.kind in "OUSi":
                    labels.append(str(answer.ravel()[0]))
                else:
                    scores.append(answer.ravel().tolist())
        return labels, np.array(scores, dtype=np.float64)


def without_transform(model):
    """The same trees alone, with the scores before post_transform."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    node = tree_node(copy)
    for attribute in node.attribute:
        if attribute.name == "post_transform":
            attribute.CopyFrom(helper.make_attribute(
                "post_transform", 0 if node.op_type == "TreeEnsemble" else "NONE"))
    kind = copy.graph.input[0].type.tensor_type.elem_type
    newest = node.op_type == "TreeEnsemble"
    kept = onnx.NodeProto()
    kept.CopyFrom(node)
    del copy.graph.node[:], copy.graph.output[:]
    copy.graph.node.append(kept)
    score = helper.make_tensor_value_info(kept.output[-1], kind if newest else TensorProto.FLOAT, None)
    copy.graph.output.append(score)
    kept.input[0] = copy.graph.input[0].name
    copy.graph.node[0].CopyFrom(kept)
    return copy


def is_binary(model):
    values = attributes_of(tree_node(model))
    return len(values.get("classlabels_strings") or values.get("classlabels_int64s") or []) == 2
