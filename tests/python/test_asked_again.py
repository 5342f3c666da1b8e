"""An explainer keeps the last questions, so that asking again does not read the arguments again."""

import pickle

import boxwood
import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor


def said(answer):
    return answer.status, answer.cost, answer.array.tolist()


def test_a_question_asked_again_is_read_once_and_never_mistaken_for_another(german, applicants):
    explainer = pickle.loads(pickle.dumps(german))
    row = applicants.iloc[0]
    fixed = ["age"]
    first = explainer.explain(row, "granted", fixed=fixed)
    assert said(explainer.explain(row, "granted", fixed=fixed)) == said(first)
    assert len(explainer._questions) == 1
    # A list that has changed since, and an iterator, which can be read only once.
    fixed.append("duration")
    for given in (fixed, iter(fixed)):
        kept = explainer.explain(row, "granted", fixed=given)
        assert not {"age", "duration"} & {change.feature for change in kept.changes}
    assert said(explainer.explain(row, "granted", fixed=["age"])) == said(first)
    # Equal in Python, but True is not a number of changes.
    explainer.explain(row, "granted", max_changes=1)
    with pytest.raises(boxwood.Error, match="max_changes"):
        explainer.explain(row, "granted", max_changes=True)
    # Questions that follow the row are made anew for each.
    for i in range(3):
        other = applicants.iloc[i]
        again = explainer.explain(other, "granted", rules="duration <= now")
        assert said(again) == said(german.explain(other, "granted", rules=iter(["duration <= now"])))
    for most in range(100):
        explainer.explain(row, "granted", max_changes=3, node_limit=most)
    assert len(explainer._questions) <= 32


def test_an_array_of_numbers_is_the_same_point_as_a_list_of_them(german, applicants):
    point = german.columns.point(applicants.iloc[0])
    for array in (point, point.astype(np.float32)):
        assert german.columns.point(array).tolist() == german.columns.point(list(array)).tolist()
    with pytest.raises(boxwood.Error, match="columns"):
        german.columns.point(point[:-1])


@pytest.mark.parametrize("question", [{"change": 20}, {"change": "+50%"},
                                      {"target": "want output >= now + 20"},
                                      {"target": "want output >= +50%"}])
def test_limits_relative_to_the_row_follow_every_row(question):
    """Each row is asked for its own output plus 20 or half as much again."""
    values = np.arange(100.0)
    model = DecisionTreeRegressor().fit(values.reshape(-1, 1), values)
    explainer = boxwood.Explainer(model, schema={
        "features": [{"name": "f0", "kind": "integer", "range": [0, 99]}]})
    rows = [10.0, 40.0, 90.0]
    relative = "%" in str(question)
    expected = [row * 1.5 if relative else row + 20 for row in rows]
    expected = [value if value <= 99 else None for value in expected]

    def found(answer):
        return float(answer.outcome) if answer.status == "optimal" else None

    assert [found(explainer.explain([row], **question)) for row in rows] == expected
    batch = explainer.explain_batch(np.reshape(rows, (-1, 1)), show_progress=False, **question)
    assert [found(answer) for answer in batch] == expected
    for row, value in zip(rows, expected, strict=True):
        if value is not None:
            assert found(explainer.menu([row], 1, **question)[0]) == value
