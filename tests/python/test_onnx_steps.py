"""ONNX graphs that scale and fill in columns before the trees: what onnxruntime says, at every threshold."""

import boxwood
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from sklearn import compose, ensemble, impute, pipeline, preprocessing

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(5)
X = (RNG.normal(size=(150, 4)) * [1, 10, 0.01, 1e4] + [0, 3, 1, -5e3]).astype(np.float32)
HOLED = X.copy()
HOLED[RNG.random(X.shape) < 0.2] = np.nan
SCORE = X[:, 0] - X[:, 1] / 10 + 100 * (X[:, 2] - 1) * (X[:, 3] > -5e3)
SCALERS = {
    "standard": lambda: [preprocessing.StandardScaler()],
    "robust": lambda: [preprocessing.RobustScaler()],
    "largest": lambda: [preprocessing.MaxAbsScaler()],
    "range": lambda: [preprocessing.MinMaxScaler((-1, 2))],
    "imputed": lambda: [impute.SimpleImputer(), preprocessing.StandardScaler()],
    "columns": lambda: [compose.ColumnTransformer([
        ("a", preprocessing.StandardScaler(), [3, 0]),
        ("b", pipeline.make_pipeline(impute.SimpleImputer(strategy="median"), preprocessing.RobustScaler()),
         [1])], remainder="passthrough")],
    "twice": lambda: [preprocessing.StandardScaler(), preprocessing.MinMaxScaler(), preprocessing.RobustScaler()],
}


def rows_beside(explainer, rows):
    """The rows, and rows with a number at each threshold and next to it."""
    core = explainer.core.ensemble(0)
    made = [rows]
    for i in range(core.tree_count):
        one = core.tree(i)
        for kind, feature, threshold in zip(one["kind"], one["feature"], one["threshold"], strict=True):
            if kind == 0 or not np.isfinite(threshold):
                continue
            at, some = np.float32(threshold), rows[[0, 1, 2]].copy()
            some[:, feature] = [np.nextafter(at, np.float32(-np.inf)), at, np.nextafter(at, np.float32(np.inf))]
            made.append(some)
    return np.vstack(made)


def said(content, rows):
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    # One row at a time, as Boxwood promises.
    return np.vstack([session.run(None, {"X": row[np.newaxis]})[-1].reshape(1, -1) for row in rows])


@pytest.mark.parametrize("way", SCALERS)
@pytest.mark.parametrize("classify", [False, True])
def test_columns_that_are_scaled_and_filled_in(way, classify):
    last = ensemble.RandomForestClassifier(3, max_depth=4, random_state=1) if classify else \
        ensemble.RandomForestRegressor(3, max_depth=4, random_state=1)
    table = HOLED if way == "imputed" else X
    model = pipeline.make_pipeline(*SCALERS[way](), last).fit(table, SCORE > 0 if classify else SCORE)
    options = {id(model): {"zipmap": False}} if classify else None
    content = to_onnx(model, X[:1], options=options).SerializeToString()
    explainer = boxwood.Explainer(content)
    assert len(explainer.columns) == 4
    rows = rows_beside(explainer, table)
    expected = said(content, rows)
    ours = explainer.predict_proba(rows) if classify else explainer.predict(rows).reshape(-1, 1)
    assert np.array_equal(ours.astype(np.float32), expected)
    row = X[int(SCORE.argmin())]
    wanted = True if classify else float(np.quantile(expected, 0.7))
    answer = explainer.explain(row, 1) if classify else explainer.explain(row, at_least=wanted)
    there = said(content, np.asarray([answer.point], dtype=np.float32))[0]
    assert answer.status == "optimal" and (there[1] > there[0] if classify else there[0] >= wanted)


def test_steps_that_are_not_followed():
    model = pipeline.make_pipeline(preprocessing.StandardScaler(), ensemble.RandomForestRegressor(2, max_depth=2))
    graph = to_onnx(model.fit(X, SCORE), X[:1])
    scaler = next(node for node in graph.graph.node if node.op_type == "Scaler")
    falling = next(one for one in scaler.attribute if one.name == "scale")
    falling.floats[1] = -1.0
    with pytest.raises(boxwood.Error, match="Scaler.*Imputer"):
        boxwood.Explainer(graph.SerializeToString())
    falling.floats[1] = 1.0
    node = helper.make_node("Sin", [scaler.output[0]], ["wave"])
    trees = next(one for one in graph.graph.node if one.op_type.startswith("TreeEnsemble"))
    trees.input[0] = "wave"
    graph.graph.node.insert(list(graph.graph.node).index(trees), node)
    with pytest.raises(boxwood.Error, match=r"\(Sin\).*transforms the features before the trees"):
        boxwood.Explainer(graph.SerializeToString())
    assert TensorProto.FLOAT == graph.graph.input[0].type.tensor_type.elem_type
