"""The experiment on wrong labels: its small version, and its arithmetic on cases made by hand."""

import sys

import boxwood
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from matplotlib import pyplot
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(ROOT / "experiments"))

import labels


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return labels.run(["--small", "--out", str(tmp_path_factory.mktemp("labels"))])


def test_the_library_confirms_every_counterfactual(run):
    report, _ = run
    for one in report.trials.values():
        assert one.unproven == 0 and one.refuted == 0
    shown = report.trials["breast cancer", labels.SHARES[0], 0]
    assert len(shown.answers) == len(shown.labels) == 120
    for label, score, answer in zip(shown.labels, shown.scores[labels.EXACT], shown.answers,
                                    strict=True):
        assert answer.found and answer.outcome != answer.outcome_before
        assert abs(score) == pytest.approx(answer.cost)
        assert (score > 0) == (answer.outcome_before != label)  # the model contradicts the label
    plain = shown.scores[labels.CONTRADICTS]
    assert ((shown.scores[labels.EXACT] > 0) == (plain == 1)).all() and 0 < plain.sum() < 120


def test_as_many_labels_are_wrong_as_asked_and_rankings_beat_chance(run):
    report, _ = run
    for (_, share, _), one in report.trials.items():
        assert one.wrong.sum() == round(share * 120)
        assert set(one.scores) == set(labels.METHODS)
    mean = report.found.groupby("method")["average precision"].mean()
    assert mean[labels.EXACT] > 0.4 and mean[labels.LOSS] > 0.4  # a random order has 0.05 to 0.1


def test_the_page_and_its_picture(run):
    report, page = run
    words = page.read_text(encoding="utf-8")
    found = report.found
    part = found[(found["method"] == labels.LOSS) & (found["share"] == labels.SHARES[0])]
    assert f"| {labels.LOSS} | {part['average precision'].mean():.2f} |" in words
    assert "720 exact questions were asked; 0 were not proven" in words
    picture = pyplot.imread(page.parent / "labels_precision.png")
    assert picture.shape[1] > 600 and picture[..., :3].std() > 0.05


def test_flips_change_exactly_the_rows_they_name():
    truth = np.arange(40) % 2
    given, wrong = labels.flipped(truth, 0.1, np.random.default_rng(0))
    assert wrong.sum() == 4
    assert (given[wrong] == 1 - truth[wrong]).all() and (given[~wrong] == truth[~wrong]).all()


def test_measures_of_a_ranking_made_by_hand():
    wrong = np.array([True, False, True, False, False, False])
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    average, precision, recall = labels.measures(scores, wrong)
    assert average == pytest.approx((1 + 2 / 3) / 2)
    assert precision == 0.5 and recall == 1.0


def test_the_distance_is_signed_by_what_the_model_says():
    frame = pd.DataFrame({"x": [0.0, 1.0, 3.0, 4.0]})
    model = DecisionTreeClassifier(max_depth=1).fit(frame, [0, 0, 1, 1])  # splits at 2
    explainer = boxwood.Explainer(model, frame, scale=None)
    given = np.array([0, 1, 1, 0])
    signed, answers = labels.signed(explainer, frame, given, model.predict(frame))
    np.testing.assert_allclose(signed, [-2, 1, -1, 2], atol=1e-5)
    assert labels.confirm(model, frame, answers, model.predict(frame)) == 0


def test_a_model_without_another_class_puts_nothing_nearer():
    frame = pd.DataFrame({"x": [0.0, 1.0, 3.0, 4.0]})
    model = DecisionTreeClassifier(max_depth=1).fit(frame, [0, 0, 1, 1])
    explainer = boxwood.Explainer(model, frame, schema=boxwood.Schema.from_data(model, frame),
                                  scale=None)
    fixed = labels.signed(_Fixed(explainer), frame, np.array([1, 0, 1, 1]), model.predict(frame))
    assert fixed[0].tolist() == [1, -1, -1, -1]


class _Fixed:
    """An explainer that may change nothing: every question is impossible."""

    def __init__(self, explainer):
        self.explainer = explainer

    def explain_batch(self, *arguments, **question):
        return self.explainer.explain_batch(*arguments, **question, fixed=["x"])


def test_neighbours_that_disagree_are_counted_without_the_row_itself():
    numbers = np.array([[0.0], [1.0], [2.1], [3.3], [10.0]])
    disagree = labels.disagreement(numbers, np.array([0, 1, 0, 0, 1]), count=2)
    # The nearest two of row 0 are 1 (other) and 2 (same); of row 1 both are other.
    np.testing.assert_allclose(disagree[:2], [0.5, 1.0], atol=1e-5)


def test_categories_are_one_apart_and_numbers_in_deviations():
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "b", "a"]), "size": [1.0, 2.0, np.nan]})
    numbers = labels.plain(frame)
    assert np.linalg.norm(numbers[0, :2] - numbers[1, :2]) == pytest.approx(1)
    assert numbers[2, 2] == 0  # missing: the mean


def test_a_duel_counts_trials_and_pairs():
    found = pd.DataFrame(
        [("a", 0.05, 0, "ours", 0.5), ("a", 0.05, 1, "ours", 0.4), ("b", 0.05, 0, "ours", 0.2),
         ("b", 0.05, 1, "ours", 0.2), ("a", 0.05, 0, "theirs", 0.4), ("a", 0.05, 1, "theirs", 0.4),
         ("b", 0.05, 0, "theirs", 0.5), ("b", 0.05, 1, "theirs", 0.1)],
        columns=["set", "share", "seed", "method", "average precision"])
    one = labels.duel(found, "ours", "theirs")
    assert one.mean == pytest.approx((0.1 + 0 - 0.3 + 0.1) / 4)
    assert (one.won, one.lost, one.ahead, one.pairs) == (2, 1, 1, 2)
    # Means of the seeds are -0.1 and 0.05, of the sets 0.05 and -0.1: t of one degree is 12.706.
    half = 12.7062 * 0.15 / 2
    assert one.over_trials == pytest.approx((-0.025 - half, -0.025 + half), abs=1e-4)
    assert one.over_sets == pytest.approx((-0.025 - half, -0.025 + half), abs=1e-4)


def test_an_interval_of_students_t():
    # Mean 2, deviation 1, three values: 4.3027 / sqrt(3).
    assert labels.interval([1, 2, 3]) == pytest.approx((2 - 2.4841, 2 + 2.4841), abs=1e-3)
    assert labels.interval([1]) == (-np.inf, np.inf)


@pytest.mark.parametrize(("trials", "sets", "words"), [
    ((-0.06, -0.04), (-0.08, -0.02), "The probability ranks better."),
    ((0.04, 0.06), (0.02, 0.08), "The distance ranks better."),
    ((-0.06, -0.04), (-0.12, 0.02), "On these sets the probability ranks better; the sets differ"),
    ((-0.01, 0.04), (-0.12, 0.02), "On these sets neither is clearly better."),
])
def test_a_verdict_is_what_the_intervals_allow(trials, sets, words):
    one = labels.Duel(0.0, trials, sets, 0, 0, 0, 0)
    assert labels.verdict(one, "distance", "probability").startswith(words)


def test_of_equal_scores_the_average_counts():
    wrong = np.array([True, False, True, False])
    assert labels.among(np.array([1.0, 0, 0, 0]), wrong, 2) == pytest.approx(1 + 1 / 3)
    assert labels.among(np.ones(4), wrong, 3) == pytest.approx(1.5)
    assert labels.among(np.array([4.0, 3, 2, 1]), wrong, 3) == 2
