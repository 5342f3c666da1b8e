"""ONNX graphs that encode categories before the trees: what onnxruntime says, for every category."""

import itertools

import boxwood
import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn import compose, ensemble, impute, pipeline, preprocessing, tree

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(7)
TABLE = pd.DataFrame({
    "job": np.array(["cook", "driver", "nurse", "(other)"])[RNG.integers(0, 4, 200)],
    "age": RNG.normal(40, 10, 200).astype(np.float32),
    "town": np.array(["Ulm", "Bonn", "Köln"])[RNG.integers(0, 3, 200)],
    "plan": RNG.choice([0, 2, 3, 7], 200),
})
SCORE = (TABLE["age"] / 10 + 3 * (TABLE["job"] == "nurse") - 2 * (TABLE["town"] == "Bonn")
         + 2 * np.isin(TABLE["plan"], [2, 7]) * (TABLE["job"] != "cook")).to_numpy()
TYPES = [("job", StringTensorType([None, 1])), ("age", FloatTensorType([None, 1])),
         ("town", StringTensorType([None, 1])), ("plan", Int64TensorType([None, 1]))]
KINDS = {"job": object, "age": np.float32, "town": object, "plan": np.int64}
UNKNOWN = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
ENCODERS = {
    "one-hot, unknown ignored": lambda: preprocessing.OneHotEncoder(handle_unknown="ignore"),
    "one-hot": preprocessing.OneHotEncoder,
    "one-hot without the first": lambda: preprocessing.OneHotEncoder(drop="first"),
    "ordinal": preprocessing.OrdinalEncoder,
    "ordinal, unknown": lambda: preprocessing.OrdinalEncoder(**UNKNOWN),
    "scaled ordinal": lambda: pipeline.make_pipeline(preprocessing.OrdinalEncoder(**UNKNOWN),
                                                     preprocessing.StandardScaler()),
}


def exported(encoder, classify):
    last = ensemble.RandomForestClassifier(4, max_depth=5, random_state=1) if classify else \
        ensemble.RandomForestRegressor(4, max_depth=5, random_state=1)
    steps = compose.ColumnTransformer([("texts", encoder(), ["job", "town"]), ("numbers", encoder(), ["plan"]),
                                       ("age", "passthrough", ["age"])])
    model = pipeline.make_pipeline(steps, last).fit(TABLE, SCORE > 5 if classify else SCORE)
    options = {id(model): {"zipmap": False}} if classify else None
    return to_onnx(model, initial_types=TYPES, options=options).SerializeToString()


def said(content, rows):
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = {one.name for one in session.get_inputs()}
    return np.vstack([
        session.run(None, {name: np.array([[row[name]]], dtype=KINDS[name]) for name in names})[-1].reshape(1, -1)
        for row in rows.to_dict("records")])


def every_row(explainer, unknown):
    """All combinations of categories, with the numbers beside every threshold of the age."""
    core = explainer.core.ensemble(0)
    column = [one.name for one in core.features].index("age")
    ages = {30.0, 55.0}
    for i in range(core.tree_count):
        one = core.tree(i)
        for kind, feature, threshold in zip(one["kind"], one["feature"], one["threshold"], strict=True):
            if kind and feature == column and np.isfinite(threshold):
                at = np.float32(threshold)
                ages.update(float(np.nextafter(at, np.float32(end))) for end in (-np.inf, at, np.inf))
    jobs, towns, plans = (list(TABLE[name].unique()) for name in ("job", "town", "plan"))
    if unknown:
        jobs, towns, plans = [*jobs, "pilot"], [*towns, "Rom"], [*plans, 1, 5, 16777217]
    rows = list(itertools.product(jobs, ages, towns, plans))
    rows = [rows[i] for i in RNG.permutation(len(rows))[:1500]]
    return pd.DataFrame(rows, columns=list(TABLE)).astype({"age": np.float32})


@pytest.mark.parametrize("way", ENCODERS)
@pytest.mark.parametrize("classify", [False, True])
def test_columns_of_categories(way, classify):
    content = exported(ENCODERS[way], classify)
    explainer = boxwood.Explainer(content)
    assert {one.name for one in explainer.core.ensemble(0).features} == set(TABLE)
    refuses = way in ("one-hot", "one-hot without the first")  # onnxruntime fails for other categories
    rows = every_row(explainer, not refuses)
    expected = said(content, rows)
    ours = explainer.predict_proba(rows) if classify else explainer.predict(rows).reshape(-1, 1)
    assert np.array_equal(np.asarray(ours, dtype=np.float32), expected)
    assert len(np.unique(expected[:, -1])) > 5
    if refuses:
        with pytest.raises(boxwood.Error, match="no category 'pilot'"):
            explainer.predict(rows[:1].assign(job="pilot"))


@pytest.mark.parametrize("way", ENCODERS)
def test_the_cheapest_category_is_found(way):
    content = exported(ENCODERS[way], False)
    explainer = boxwood.Explainer(content, TABLE)
    row = TABLE.iloc[int(SCORE.argmin())]
    plain = pd.DataFrame([row])
    wanted = float(np.quantile(said(content, TABLE), 0.7))
    answer = explainer.explain(plain, at_least=wanted, fixed=["age"], cost="l0")
    changed = plain.assign(**{change.feature: [change.after] for change in answer.changes})
    assert answer.status == "optimal" and said(content, changed)[0, 0] >= wanted
    others = pd.DataFrame(list(itertools.product(*(TABLE[name].unique() for name in ("job", "town", "plan")))),
                          columns=["job", "town", "plan"]).assign(age=np.float32(row["age"]))
    good = others[said(content, others)[:, 0] >= wanted]
    least = min(sum(one[name] != row[name] for name in ("job", "town", "plan")) for _, one in good.iterrows())
    assert len(answer.changes) == least


def test_whole_parts_of_numbers_are_categories():
    x = np.column_stack([RNG.choice([0, 1, 3, 8], 150), RNG.normal(size=150)]).astype(np.float32)
    holed = x.copy()
    holed[::7, 0] = np.nan
    y = x[:, 1] + 2 * (x[:, 0] == 3) - (x[:, 0] == 0)
    rows = np.array([[code, number] for code in (0, -0.0, -0.5, -1, 0.9, 1, 1.5, 2, 3, 3.999, 8, 9, 3e9, np.inf, np.nan)
                     for number in (-1, 0.1, 2)], dtype=np.float32)
    for before in ([], [impute.SimpleImputer(strategy="most_frequent")]):
        encoder = pipeline.make_pipeline(*before, preprocessing.OneHotEncoder(handle_unknown="ignore"))
        steps = compose.ColumnTransformer([("e", encoder, [0])], remainder="passthrough")
        model = pipeline.make_pipeline(steps, ensemble.RandomForestRegressor(5, max_depth=4, random_state=2))
        content = to_onnx(model.fit(holed if before else x, y), x[:1]).SerializeToString()
        explainer = boxwood.Explainer(content)
        session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
        expected = np.concatenate([session.run(None, {"X": row[np.newaxis]})[0].ravel() for row in rows])
        assert np.array_equal(explainer.predict(rows).astype(np.float32), expected)
        assert [one.code for one in explainer.core.ensemble(0).features[0].categories] == [0, 1, 3, 8]


def test_whole_numbers_for_an_encoder_of_floats():
    """What the refusal of an OrdinalEncoder of floats advises: an input of whole numbers."""
    x = RNG.choice([0.0, 2.0, 5.0, 11.0], size=(60, 1))
    model = pipeline.make_pipeline(preprocessing.OrdinalEncoder(**UNKNOWN), tree.DecisionTreeRegressor(max_depth=2))
    model.fit(x, np.sin(x[:, 0]))
    content = to_onnx(model, initial_types=[("X", Int64TensorType([None, 1]))]).SerializeToString()
    rows = np.arange(-2, 14)[:, np.newaxis]
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    expected = np.concatenate([session.run(None, {"X": row[np.newaxis]})[0].ravel() for row in rows])
    assert np.array_equal(boxwood.Explainer(content).predict(rows.astype(float)).astype(np.float32), expected)
    assert len(np.unique(expected)) > 2


def test_several_numbers_may_come_before_an_encoder():
    numbers = TABLE.assign(size=TABLE["age"] * 2)
    steps = compose.ColumnTransformer([("numbers", "passthrough", ["age", "size"]),
                                       ("job", preprocessing.OneHotEncoder(), ["job"])])
    model = pipeline.make_pipeline(steps, tree.DecisionTreeRegressor(max_depth=4)).fit(numbers, SCORE)
    types = [*TYPES[:2], ("size", FloatTensorType([None, 1]))]
    content = to_onnx(model, initial_types=types).SerializeToString()
    rows = numbers[["job", "age", "size"]]
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    expected = session.run(None, {name: rows[[name]].to_numpy(dtype=object if name == "job" else np.float32)
                                  for name in rows})[0].ravel()
    assert np.array_equal(boxwood.Explainer(content).predict(rows).astype(np.float32), expected)


def refusal(x, encoder, types=None):
    model = pipeline.make_pipeline(encoder, ensemble.RandomForestRegressor(2, max_depth=3)).fit(x, np.arange(len(x)))
    with pytest.raises(boxwood.Error) as caught:
        boxwood.Explainer(to_onnx(model, x[:1], initial_types=types).SerializeToString())
    return str(caught.value)


def test_encoders_that_are_refused_say_why():
    numbers = RNG.choice([0.0, 1.0, 2.0], size=(40, 1)).astype(np.float32)
    assert "(LabelEncoder)" in refusal(numbers, preprocessing.OrdinalEncoder())
    assert "may be fractions" in refusal(numbers, preprocessing.OrdinalEncoder())
    negative = RNG.choice([-1, 1], size=(40, 1))
    assert "its category -1 is not a whole number from 0" in refusal(negative, preprocessing.OneHotEncoder())
    texts = RNG.choice(["", "a", "b"], size=(40, 1)).astype(object)
    assert "empty text" in refusal(texts, preprocessing.OneHotEncoder(), [("X", StringTensorType([None, 1]))])
    twice = pipeline.FeatureUnion([("a", preprocessing.OneHotEncoder(sparse_output=False)), ("b", "passthrough")])
    assert "both encoded and as a number" in refusal(numbers, twice)


def test_damaged_graphs_end_in_an_error_or_in_a_model():
    whole = exported(ENCODERS["scaled ordinal"], False)
    tries = [whole[:length] for length in range(0, len(whole), 7)]
    for place in RNG.integers(0, len(whole), 1500):
        tries.append(whole[:place] + bytes([RNG.integers(0, 256)]) + whole[place + 1:])
    refused = 0
    for content in tries:
        try:
            boxwood.Explainer(content)
        except boxwood.Error:
            refused += 1
    assert refused > len(tries) // 4


@pytest.mark.parametrize("number_step", ["passthrough", preprocessing.StandardScaler()])
def test_whole_numbers_are_refused_with_a_remedy_that_works(number_step):
    frame = pd.DataFrame({"age": [1, 2, 3, 4] * 5, "city": ["a", "b", "c", "a", "b"] * 4})
    model = pipeline.make_pipeline(
        compose.ColumnTransformer([("numbers", number_step, ["age"]),
                                   ("texts", preprocessing.OneHotEncoder(), ["city"])],
                                  sparse_threshold=0),
        tree.DecisionTreeClassifier(max_depth=3)).fit(frame, [0, 1, 1, 0, 0] * 4)

    def written(kind):
        return to_onnx(model, initial_types=[("age", kind([None, 1])),
                                             ("city", StringTensorType([None, 1]))],
                       options={"zipmap": False}).SerializeToString()

    with_whole_numbers = written(Int64TensorType)
    files = [written(FloatTensorType)]
    if any(node.op_type == "Cast" and node.input[0] == "age"
           for node in onnx.load_from_string(with_whole_numbers).graph.node):
        files.append(with_whole_numbers)  # some versions of skl2onnx turn them into floats first
    else:
        with pytest.raises(boxwood.Error, match="reads whole numbers.*FloatTensorType"):
            boxwood.Explainer(with_whole_numbers)
    for file in files:
        explainer = boxwood.Explainer(file, data=frame)
        assert [str(one) for one in explainer.predict(frame)] == [str(c) for c in model.predict(frame)]
