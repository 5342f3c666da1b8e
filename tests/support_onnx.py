"""The cases of ONNX for support_live_test.py; the library is onnxruntime."""

import os
import tempfile

import numpy as np
from support_case import Case, Sample

FAMILY = "ONNX (skl2onnx)"
LIBRARY = "onnxruntime"
FOLDER = "onnx"
RNG = np.random.default_rng(9)
X = RNG.normal(size=(80, 3)).astype(np.float32)
SCORE = X[:, 0] - X[:, 1] * X[:, 2]
UP = (SCORE > 0).astype(int)
THREE = np.digitize(SCORE, [-0.5, 0.8])
TRANSFORMS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
CODES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 2.5], [-1, 40, np.nan], [31.7, 31, 100]])
TEXTS = np.array(["red", "green", "blue", "a, \"b\""], dtype=object)
FLOAT, DOUBLE, INT64 = 1, 11, 7  # element types of tensors


def rows_for(kind):
    rows = np.vstack([X[:25], CODES, np.full((1, 3), np.nan)])
    if kind == INT64:
        return np.nan_to_num(np.round(rows)).astype(np.int64)
    return rows.astype(np.float64 if kind == DOUBLE else np.float32)


def lists(classes=0, targets=2, trees=4, modes=MODES[:1], kind=FLOAT, opset=1, tracks=0,
          tensors=False, transform="NONE", **more):
    """A TreeEnsembleClassifier of so many classes, or a TreeEnsembleRegressor: trees of two tests."""
    from onnx import TensorProto, helper, numpy_helper
    from onnx_models import wrap
    rng = np.random.default_rng(1)
    columns = {name: [] for name in ("treeids", "nodeids", "modes", "featureids", "values",
                                     "truenodeids", "falsenodeids", "missing_value_tracks_true")}
    prefix, outputs = ("class", classes) if classes else ("target", targets)
    weights = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(trees):
        for node in range(5):
            leaf = node > 1
            mode = modes[(tree + node) % len(modes)]
            whole = mode in MODES[4:]
            threshold = float(rng.integers(0, 8) if whole else np.float32(rng.normal()))
            entry = (tree, node, "LEAF" if leaf else mode, (tree + node) % 3,
                     0.0 if leaf else threshold, 0 if leaf else node + 1, 0 if leaf else 4 - node,
                     tracks)
            for column, value in zip(columns.values(), entry):
                column.append(value)
            for output in (range(outputs if outputs != 2 or not classes else 1) if leaf else ()):
                value = float(np.float32(rng.normal()))
                for column, cell in zip(weights.values(), (tree, node, output, value)):
                    column.append(cell)
    attributes = {f"nodes_{name}": column for name, column in columns.items()}
    attributes |= {f"{prefix}_{name}": column for name, column in weights.items()}
    attributes |= {"post_transform": transform} | more
    attributes |= {"classlabels_int64s": list(range(classes))} if classes else {"n_targets": outputs}
    if tensors:
        real = np.float64 if kind == DOUBLE else np.float32
        for name in ("nodes_values", f"{prefix}_weights"):
            numbers = np.array(attributes.pop(name), dtype=real)
            attributes[f"{name}_as_tensor"] = numpy_helper.from_array(numbers)
    names = ["label", "scores"] if classes else ["scores"]
    node = helper.make_node(f"TreeEnsemble{'Classifier' if classes else 'Regressor'}", ["X"], names,
                            domain="ai.onnx.ml", **attributes)
    types = [("label", TensorProto.INT64), ("scores", TensorProto.FLOAT)]
    return wrap(node, kind, 3, types if classes else types[1:], opset)


def newest(members=(), kind=FLOAT, transform=0, aggregate=1, trees=2):
    """A TreeEnsemble of ai.onnx.ml 5: a test of a tree, and a set for each if there are members."""
    from onnx import helper, numpy_helper
    from onnx_models import wrap
    real = np.float64 if kind == DOUBLE else np.float32

    def tensor(values, type_=real):
        return numpy_helper.from_array(np.array(values, dtype=type_))
    count = range(trees)
    sets = {"membership_values": tensor([*members, np.nan] * trees)} if members else {}
    node = helper.make_node(
        "TreeEnsemble", ["X"], ["scores"], domain="ai.onnx.ml", tree_roots=list(count), n_targets=2,
        nodes_featureids=[tree % 3 for tree in count], nodes_splits=tensor([0.25 * t for t in count]),
        nodes_modes=tensor([6 if members else 0] * trees, np.uint8),
        nodes_truenodeids=[2 * t for t in count], nodes_trueleafs=[1] * trees,
        nodes_falsenodeids=[2 * t + 1 for t in count], nodes_falseleafs=[1] * trees,
        leaf_targetids=[t % 2 for t in range(2 * trees)],
        leaf_weights=tensor(np.random.default_rng(2).normal(size=2 * trees)),
        post_transform=transform, aggregate_function=aggregate, **sets)
    return wrap(node, kind, 3, [("scores", kind)], 5)


def then(model, steps, constants=()):
    """Steps after the trees: (operator, further inputs), and the constants that they use."""
    from onnx import TensorProto, helper, numpy_helper
    last = "scores"
    for number, (operator, inputs, settings) in enumerate(steps):
        result = f"step{number}"
        model.graph.node.append(helper.make_node(operator, [last, *inputs], [result], **settings))
        last = result
    for name, value in constants:
        model.graph.initializer.append(numpy_helper.from_array(value, name))
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info(last, TensorProto.FLOAT, None))
    return model


def before(model, node, constants=()):
    from onnx import numpy_helper
    trees = model.graph.node[0]
    trees.input[0] = node.output[0]
    model.graph.node.insert(0, node)
    for name, value in constants:
        model.graph.initializer.append(numpy_helper.from_array(value, name))
    return model


def step(operator, *inputs, **settings):
    return operator, inputs, settings


def sample(model, whole_graph=False):
    """The scores before the transform; of a graph that goes on with them, what it ends in."""
    import onnx_models
    kind = model.graph.input[0].type.tensor_type.elem_type
    rows = rows_for(kind)
    asked = model if whole_graph else onnx_models.without_transform(model)
    _, scores = onnx_models.Session(asked).ask(rows)
    if onnx_models.is_binary(model):
        scores = scores[:, 1:]
    is_newest = onnx_models.tree_node(model).op_type == "TreeEnsemble"
    return Sample(model.SerializeToString(), ["f0", "f1", "f2"], rows, scores,
                  single=not (is_newest and kind == DOUBLE))


def case(group, name, make, whole_graph=False):
    return Case(FAMILY, group, name, lambda: sample(make(), whole_graph))


def refused(group, name, make, message):
    return Case(FAMILY, group, name, lambda: Sample(make().SerializeToString()), message)


def scaler():
    from onnx import helper
    return before(lists(), helper.make_node("Scaler", ["X"], ["scaled"], domain="ai.onnx.ml",
                                            offset=[0.0] * 3, scale=[2.0] * 3))


def imputer():
    from onnx import helper
    return before(lists(), helper.make_node(
        "Imputer", ["X"], ["filled"], domain="ai.onnx.ml", imputed_value_floats=[0.5, -1.0, 2.0],
        replaced_value_float=float("nan")))


def normalizer():
    from onnx import helper
    return before(lists(), helper.make_node("Normalizer", ["X"], ["normal"], domain="ai.onnx.ml", norm="L2"))


def cast():
    from onnx import helper
    return before(lists(), helper.make_node("Cast", ["X"], ["cast"], to=FLOAT))


def encoded(encoder, column):
    """skl2onnx's graph of an encoder, of a column of texts, whole numbers or floats, and two numbers."""
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
    from sklearn import compose, ensemble, pipeline, preprocessing
    kinds = {"O": (StringTensorType, object), "i": (Int64TensorType, np.int64), "f": (FloatTensorType, np.float32)}
    kind, dtype = kinds[np.asarray(column).dtype.kind]
    codes = RNG.integers(0, len(column), size=len(X))
    y = SCORE + 3 * (codes % 2)
    # Columns by number, so that the graph's inputs keep these names and no frame is needed.
    steps = compose.ColumnTransformer([("encoder", getattr(preprocessing, encoder[0])(**encoder[1]), [0]),
                                       ("numbers", "passthrough", [1, 2])])
    table = np.empty((len(X), 3), dtype=object)
    table[:, 0], table[:, 1:] = np.asarray(column, dtype=object)[codes], X[:, :2]
    model = pipeline.make_pipeline(steps, ensemble.RandomForestRegressor(3, max_depth=4, random_state=1)).fit(table, y)
    graph = to_onnx(model, initial_types=[("c", kind([None, 1])), ("f1", FloatTensorType([None, 1])),
                                          ("f2", FloatTensorType([None, 1]))])
    rows = [[column[i % len(column)], float(X[i, 0]), float(X[i, 1])] for i in range(30)]
    return graph, rows, dtype


def encoder_case(name, encoder, column):
    def make():
        import onnxruntime
        graph, rows, dtype = encoded(encoder, column)
        session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        scores = [session.run(None, {
            "c": np.array([[row[0]]], dtype=dtype), "f1": np.array([[row[1]]], dtype=np.float32),
            "f2": np.array([[row[2]]], dtype=np.float32)})[0].ravel() for row in rows]
        return Sample(graph.SerializeToString(), ["c", "f1", "f2"],
                      [[row[0] if dtype is object else float(row[0]), *row[1:]] for row in rows],
                      np.array(scores), single=True)
    return Case(FAMILY, "before the trees", name, make)


def twice():
    model = lists()
    other = lists().graph.node[0]
    other.output[0] = "others"
    model.graph.node.append(other)
    return model


def exported(library, kind, label):
    """What the converters write."""
    def make():
        import onnx
        if library == "skl2onnx":
            from skl2onnx import to_onnx
            from sklearn import ensemble
            model = getattr(ensemble, kind)(n_estimators=3, max_depth=3, random_state=1).fit(X, label)
            return to_onnx(model, X[:1])
        if library == "catboost":
            import catboost
            model = getattr(catboost, kind)(iterations=3, depth=3, verbose=0, thread_count=1,
                                            allow_writing_files=False).fit(X, label)
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "model.onnx")
                model.save_model(file, format="onnx")
                return onnx.load(file)
        import importlib

        import onnxmltools
        from onnxmltools.convert.common.data_types import FloatTensorType
        quiet = {"verbose": -1} if library == "lightgbm" else {"verbosity": 0}
        model = getattr(importlib.import_module(library), kind)(n_estimators=3, n_jobs=1, **quiet)
        model.fit(X, label)
        convert = getattr(onnxmltools, f"convert_{library}")
        return convert(model, initial_types=[("X", FloatTensorType([None, 3]))])
    return case("converters", f"{library} ({kind})", make)


TWO = [("two", np.array([2.0], dtype=np.float32))]
SHAPE = [("shape", np.array([-1, 2], dtype=np.int64))]
CASES = [
    *(case("operators", f"TreeEnsembleRegressor {n}", lambda n=n: lists(opset=n)) for n in (1, 3)),
    *(case("operators", f"TreeEnsembleClassifier {n}", lambda n=n: lists(classes=3, opset=n))
      for n in (1, 3)),
    case("operators", "TreeEnsemble 5", newest),
    case("operators", "two classes", lambda: lists(classes=2)),
    case("operators", "double features", lambda: lists(kind=DOUBLE, opset=3, tensors=True)),
    case("operators", "integer features", lambda: lists(classes=3, kind=INT64)),
    case("operators", "*_as_tensor", lambda: lists(opset=3, tensors=True)),
    refused("operators", "several in a graph", twice, "the graph has more than one tree ensemble"),
    *(case("tests", name, lambda name=name: lists(modes=[name])) for name in MODES),
    case("tests", "BRANCH_MEMBER", lambda: newest(members=(1.0, 4.0, 31.0))),
    case("tests", "missing values track true", lambda: lists(tracks=1)),
    case("sums", "SUM", lambda: lists(aggregate_function="SUM")),
    case("sums", "AVERAGE", lambda: lists(aggregate_function="AVERAGE")),
    case("sums", "base values", lambda: lists(base_values=[0.5, -1.25])),
    *(case("sums", f"{name} of one tree", lambda name=name: lists(trees=1, aggregate_function=name))
      for name in ("MIN", "MAX")),
    *(refused("sums", f"{name} of several trees",
              lambda name=name: lists(aggregate_function=name),
              f'the aggregate "{name}" of 4 trees is not supported')
      for name in ("MIN", "MAX")),
    *(case("transforms", name, lambda name=name: lists(classes=3, transform=name))
      for name in TRANSFORMS[:3]),
    refused("transforms", "SOFTMAX_ZERO", lambda: lists(classes=3, transform="SOFTMAX_ZERO"),
            "SOFTMAX_ZERO is not supported"),
    refused("transforms", "PROBIT", lambda: lists(classes=3, transform="PROBIT"),
            'post_transform "PROBIT" is not supported'),
    case("before the trees", "Cast", cast),
    case("before the trees", "Scaler", scaler, True),
    case("before the trees", "Imputer", imputer, True),
    encoder_case("OneHotEncoder of texts", ("OneHotEncoder", {"handle_unknown": "ignore"}), TEXTS),
    encoder_case("OneHotEncoder of whole numbers", ("OneHotEncoder", {"drop": "first"}), np.array([0, 2, 3, 9])),
    encoder_case("OneHotEncoder of floats", ("OneHotEncoder", {}), np.array([0.0, 2.0, 3.0, 9.0])),
    encoder_case("LabelEncoder of texts", ("OrdinalEncoder", {}), TEXTS),
    encoder_case("LabelEncoder of whole numbers", ("OrdinalEncoder", {}), np.array([0, 2, 3, 9])),
    refused("before the trees", "LabelEncoder of floats",
            lambda: encoded(("OrdinalEncoder", {}), np.array([0.0, 2.0, 3.0, 9.0]))[0],
            "it compares numbers that may be fractions with its categories"),
    refused("before the trees", "other steps", normalizer,
            "this operator transforms the features before the trees"),
    *(case("after the trees", name, lambda name=name: then(lists(), [step(name, "two")], TWO), True)
      for name in ("Mul", "Div", "Add", "Sub")),
    case("after the trees", "Identity", lambda: then(lists(), [step("Identity")]), True),
    case("after the trees", "Cast", lambda: then(lists(), [step("Cast", to=FLOAT)]), True),
    case("after the trees", "Reshape", lambda: then(lists(), [step("Reshape", "shape")], SHAPE), True),
    case("after the trees", "Flatten", lambda: then(lists(), [step("Flatten")]), True),
    case("after the trees", "Exp", lambda: then(lists(), [step("Exp")])),
    refused("after the trees", "other steps", lambda: then(lists(), [step("Sigmoid")]),
            "this operator transforms the scores in an unsupported way"),
    *(exported(*entry) for entry in (
        ("skl2onnx", "RandomForestClassifier", THREE), ("skl2onnx", "RandomForestRegressor", SCORE),
        ("skl2onnx", "GradientBoostingClassifier", UP), ("xgboost", "XGBClassifier", UP),
        ("lightgbm", "LGBMRegressor", SCORE), ("catboost", "CatBoostClassifier", UP))),
]
