"""The experiment on reasons of faults: its small version, and its arithmetic on cases made by hand."""

import sys

import numpy as np
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "experiments"))

import fault_methods
import fault_reasons


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return fault_reasons.run(["--small", "--out", str(tmp_path_factory.mktemp("fault_reasons"))])


def test_no_normal_value_of_a_signal_lowers_the_score_further(run):
    report, _ = run
    case, weights = report.cases.fresh, report.found["gain"].weights
    assert weights.shape == (len(case.rows), len(fault_methods.SIGNALS)) and (weights >= 0).all()
    random = np.random.default_rng(0)
    names = list(case.rows)

    def score(rows):
        return case.model.predict(rows, output_margin=True).astype(float)

    reached = 0
    for k in range(5):
        for i in range(len(fault_methods.SIGNALS)):
            tried = case.rows.iloc[[k] * 200].reset_index(drop=True)
            for name in names[2 * i:2 * i + 2]:
                tried[name] = random.choice(case.normal[name], len(tried)).astype(tried[name].dtype)
            fall = score(case.rows.iloc[[k]])[0] - score(tried).min()
            assert fall <= weights[k, i] + 1e-12
            reached += fall == weights[k, i]
    assert reached > 10  # and often 200 tries find as much


def test_no_values_of_a_signal_bring_a_row_nearer_to_normal_than_its_formula_says(run):
    report, _ = run
    case, weights = report.cases.fresh, report.found["correlation"].weights
    inverse = fault_methods.precision(case)
    unit = fault_methods.deviations(case)
    rows = (case.rows.to_numpy() - case.normal.mean().to_numpy()) / unit

    def distance(points):
        return np.einsum("ri,ij,rj->r", points, inverse, points)

    for k in range(3):
        for i in range(len(fault_methods.SIGNALS)):
            own = [2 * i, 2 * i + 1]
            others = np.delete(np.arange(rows.shape[1]), own)
            there = rows[[k] * 2].copy()
            # Where the others put it, and beside that.
            there[:, own] = -np.linalg.solve(inverse[np.ix_(own, own)],
                                             inverse[np.ix_(own, others)] @ rows[k, others])
            there[1, own] += 0.1
            falls = distance(rows[[k]])[0] - distance(there)
            assert falls[0] == pytest.approx(weights[k, i]) and falls[1] < falls[0]


def test_sums_add_shares():
    found = {"gain": [[3.0, 1.0]], "PCA residual": [[0.0, 2.0]], "largest deviation": [[0.0, 0.0]],
             "TreeSHAP": [[1.0, 1.0]], "correlation": [[1.0, 3.0]], "gain in residuals": [[2.0, 0.0]]}
    found = {name: fault_methods.Blame(np.array(weights)) for name, weights in found.items()}
    with_gain, without = fault_reasons.sums(found)
    assert with_gain["gain + residual"].weights.tolist() == [[0.75, 1.25]]
    assert with_gain["gain + deviation"].weights.tolist() == [[0.75, 0.25]]
    assert with_gain["gain in residuals + correlation"].weights.tolist() == [[1.25, 0.75]]
    assert without["TreeSHAP + residual"].weights.tolist() == [[0.5, 1.5]]


def test_the_verdict_says_what_the_test_shows():
    text = fault_reasons.verdict("mine", ["worse", "better", "like"],
                                 [(9, 0, 0.01), (0, 9, 0.01), (5, 5, 1.0)], [0.03, 0.03, 1.0])
    assert "more often than: *worse*; less often than: *better*" in text
    assert "no difference is shown against: *like*" in text
    assert "It is not reached: no advantage over *TreeSHAP*, *largest deviation* is shown." in text
    text = fault_reasons.conclusion("mine", ["TreeSHAP", "largest deviation"], [])
    assert text.endswith("It is reached.")
    text = fault_reasons.conclusion("mine", ["TreeSHAP", "largest deviation", "correlation"], [])
    assert "*mine* names the cause more often than *correlation* alone" in text
    text = fault_reasons.conclusion("mine", ["TreeSHAP", "largest deviation"], ["correlation"])
    assert "It is reached. The trees are not what brings this" in text


def test_what_is_chosen_is_reported_on_other_faults(run):
    report, page = run
    text = page.read_text(encoding="utf-8")
    assert report.chosen.startswith("gain") and f"is chosen: *{report.chosen}*" in text
    assert not report.cases.choice.rows.equals(report.cases.fresh.rows)
    for name, judged in report.judged.items():
        assert f"| {name} | {judged['first'].mean():.0%} (" in text
