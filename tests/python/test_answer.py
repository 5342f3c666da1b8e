"""The face of an answer: text, table, HTML, frames, and what is there when nothing was found."""

import dataclasses
import json
import pickle

import boxwood
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor


@pytest.fixture(scope="module")
def answer(german, applicants):
    return german.explain(applicants.iloc[0], "granted")


def test_what_is_known(answer, applicants):
    assert answer.status == "optimal" and answer.proven and answer.found and answer
    assert answer.gap == 0 and answer.lower_bound == answer.cost == pytest.approx(2.2)
    assert answer.outcome == "granted" and answer.outcome_before == "refused"
    assert answer.statistics.seconds >= 0 and answer.statistics.nodes >= 0
    change = answer.changes[0]
    assert (change.feature, change.title) == ("checking_status", "checking account")
    assert (change.before, change.after) == ("0 to 200 DM", "200 DM or more")
    assert str(change) == ("checking account: 0 to 200 DM → 200 DM or more (anything in: "
                           "200 DM or more)")
    assert set(answer.region) == set(applicants.columns)
    assert all(value in answer.region[name] for name, value in
               zip(applicants.columns, answer.array, strict=True))
    facts = json.loads(answer.to_json())
    assert facts["cost"] == answer.cost and facts["text"]
    frame = answer.to_frame()
    assert list(frame["feature"]) == ["checking_status", "other_parties"]


def test_the_row_before_is_there_in_its_own_form(german, applicants):
    row = applicants.iloc[3]
    answer = german.explain(row, "granted")
    assert answer.explainer is german
    assert answer.before.equals(row) and answer.before.name == 3
    assert list(answer.before.index) == list(answer.point.index)
    assert german.explain(row.to_dict(), "granted").before == row.to_dict()
    numbers = german.columns.point(row)
    before = german.explain(numbers, "granted").before
    assert isinstance(before, np.ndarray) and np.array_equal(before, numbers)
    assert np.array_equal(answer.array_before, numbers)
    answer.array_before[:] = -1
    assert np.array_equal(answer.array_before, numbers), "the question cannot be changed by it"
    impossible = german.explain(row, "granted", only=["own_telephone"])
    assert impossible.point is None and impossible.before.equals(row)
    moved = [name for name in row.index if answer.before[name] != answer.point[name]]
    assert moved == [change.feature for change in answer.changes]
    batch = german.explain_batch(applicants, "granted", show_progress=False)
    assert all(one.before.equals(applicants.iloc[i]) for i, one in enumerate(batch))
    for one in german.menu(row, 2, "granted"):
        assert one.before.equals(row) and one.explainer is german


def test_repr_is_the_table(answer):
    text = repr(answer)
    assert text.startswith('Applicant 0: credit refused (probability of "granted" 0.13')
    assert "feature            now           change to        anything in" in text
    assert "proven: no allowed change costs less (" in " ".join(text.split())
    assert "proven optimal" in answer.text


def test_html(answer, german, applicants):
    page = answer._repr_html_()
    assert page.count("<tr>") == 3 and "proven optimal" in page and "200 DM or more" in page
    assert page.count("<svg") == 1, "one of the two changes is on a scale"
    assert page.startswith("<div") and page.endswith("</div>")
    impossible = german.explain(applicants.iloc[0], "granted", only=["own_telephone"])
    assert "proven impossible" in impossible._repr_html_()
    assert "nothing to change" in german.explain(applicants.iloc[0], "refused")._repr_html_()
    unknown = german.explain(applicants.iloc[0], "granted", node_limit=0, engine="paper")
    assert "nothing found yet" in unknown._repr_html_()
    odd = boxwood.Schema.from_json(german.schema.to_json())
    odd["checking_status"].title = "<b>account</b>"
    from conftest import GERMAN
    shown = boxwood.Explainer(GERMAN / "model.ubj", schema=odd)
    assert "<b>account" not in shown.explain(applicants.iloc[0], "granted")._repr_html_()


def test_claims_are_about_the_question_that_was_asked(german, applicants):
    row = applicants.iloc[0]
    cheapest = german.explain(row, "granted", cost="l1")
    assert str(cheapest.claim).startswith("proven: no allowed change costs less (")
    assert cheapest.claim.among_changes is None and "L1" in cheapest.claim.cost_name
    few = german.explain(row, "granted", cost="l1", fewest_first=True)
    assert few.claim.fewest_first and few.claim.least_changes == len(few.changes)
    assert few.claim.among_changes == len(few.changes)
    assert "no other" in str(few.claim) and "nothing nearer" not in few.text + repr(few)
    assert str(few.claim) in few.text and str(few.claim) in " ".join(repr(few).split())
    assert json.loads(few.to_json())["claim"]["minimised"] == ["changes", "cost"]
    impossible = german.explain(row, "granted", only=["own_telephone"])
    assert str(impossible.claim) == "proven: no allowed change works"


def test_an_impossible_answer_points_to_why_not(german, applicants):
    impossible = german.explain(applicants.iloc[0], "granted", only=["own_telephone"])
    assert "why_not()" in repr(impossible) and "why_not()" in impossible._repr_html_()
    why = german.why_not(applicants.iloc[0], "granted", only=["own_telephone"])
    assert "why_not()" not in repr(why)


def test_why_not_does_not_call_blocked_what_is_unknown(german, applicants):
    row = applicants.iloc[0]
    fixed = [name for name in applicants.columns if name not in ("own_telephone", "purpose")]
    why = german.why_not(row, "granted", fixed=fixed)
    assert why.blockers
    text = repr(why)
    assert text.startswith("Applicant 0: credit refused") and "(proven" in text
    for blocker in why.blockers:
        line = next(line for line in text.splitlines() if blocker.rule in line and "->" in line)
        assert ("possible at" in line) == blocker.without.found
        assert ("still impossible" in line) == (blocker.without.status == "infeasible")
    assert "<table" not in text and why._repr_html_().startswith("<div")
    early = german.why_not(row, "granted", fixed=fixed, node_limit=0)
    assert not early.blockers and not early.smallest and not early.impossible
    for shown in (repr(early), early._repr_html_()):
        assert "It is unknown which rules block it (" in shown and "still" not in shown


def test_robustness_is_a_statement(german, applicants):
    found = german.robustness(applicants.iloc[0])
    assert isinstance(found, boxwood.Robustness) and found.radius == found.distance
    assert "has another outcome (proven" in " ".join(repr(found).split())
    assert "Smallest change" not in repr(found) and "another outcome" in found.text
    assert "another outcome" in found._repr_html_()


def test_every_result_has_html(german, applicants):
    row = applicants.iloc[0]
    odd = boxwood.Schema.from_json(german.schema.to_json())
    odd["checking_status"].title = "<b>account</b>"
    from conftest import GERMAN
    shown = boxwood.Explainer(GERMAN / "model.ubj", schema=odd)
    results = [shown, shown.schema, shown.menu(row, 2, "granted"),
               shown.why_not(row, "granted", fixed=list(applicants.columns)),
               shown.sweep(row, [0.5, 0.6], "granted"), shown.robustness(row),
               shown.regions(row, 2, "granted", limit=3),
               shown.widen(shown.explain(row, "granted")),
               shown.explain_batch(applicants, "granted", show_progress=False)]
    for result in results:
        page = result._repr_html_()
        assert page.startswith("<div") and page.endswith("</div>"), result
        assert "<b>account" not in page, "everything is escaped"
        assert page.count("<div") == page.count("</div>")
    drawn = german.map(applicants.iloc[3], "granted", features=("duration", "credit_amount"))
    assert drawn._repr_html_().startswith("<img") and drawn.to_svg().startswith("<svg")
    assert "Applicant 3: credit refused" in drawn.to_svg()


def test_html_of_a_wide_region_has_titles_and_what_is_proven(german, applicants):
    wide = german.widen(german.explain(applicants.iloc[0], "granted"))
    page = wide._repr_html_().replace("&nbsp;", " ")
    assert "other debtors" in page and "other_parties" not in page
    assert page.count("<tr>") == 1 + len(wide.words)
    assert all(text in page for text in wide.words.values())
    assert "No side can be moved further (proven)." in page
    early = dataclasses.replace(wide, maximal=False, stop="nodes")
    assert "Not proven to be the widest: nodes." in early._repr_html_()
    assert "(proven)" not in early._repr_html_()


def test_a_list_of_regions_says_whether_it_is_complete(german, applicants):
    none = german.regions(applicants.iloc[0], 0.3, "granted")
    assert repr(none).endswith("There is none within the distance (proven).") and none.complete
    some = german.regions(applicants.iloc[0], 2.5, "granted", limit=2)
    assert len(some) == 2 and not some.complete and "there may be more" in repr(some)
    few = german.regions(applicants.iloc[0], 1e-9, "granted")
    assert few.complete and few == []


def test_levels_of_a_sweep_speak_of_their_own_level(german, applicants):
    sweep = german.sweep(applicants.iloc[0], [0.5, 0.7], "granted")
    assert "needed 0.70" in repr(sweep.answers[1]) and "probability" in repr(sweep)


def test_html_of_whole_numbers_and_thousands(german, applicants):
    page = german.explain(applicants.iloc[0], "granted", fixed=["other debtors"],
                          cost="l2")._repr_html_()
    assert "5&nbsp;234 DM" in page and "5 234" not in page
    # Of the credits at this bank 1 will do and nothing else: the bar has no length.
    bar = page.partition("credits at this bank")[2].partition("stroke-width")[0]
    assert 'x1="6.0" x2="6.0"' in bar, bar


def test_html_without_data_or_ranges(applicants):
    from conftest import GERMAN
    explainer = boxwood.Explainer(GERMAN / "model.ubj")
    page = explainer.explain(explainer.columns.point(applicants.assign(
        **{name: 0 for name in applicants.select_dtypes(exclude="number")}).iloc[0]))._repr_html_()
    assert "<svg" in page and "nan" not in page and "inf" not in page


def test_the_label_of_a_row_is_what_it_is_called(german, applicants):
    def said(row):
        answer = german.explain(row, "granted")
        return answer.text.partition(" (")[0], json.loads(answer.to_json())["row"]

    row = applicants.iloc[0]
    assert said(applicants.iloc[3]) == ("Applicant 3: credit refused", 3)
    assert said(row.rename("Smith")) == ("Applicant Smith: credit refused", "Smith")
    assert said(row.rename(None)) == ("Applicant: credit refused", None)
    assert said(row.to_dict()) == ("Applicant: credit refused", None)
    assert said(german.columns.point(row)) == ("Applicant: credit refused", None)
    named = applicants.set_axis([f"no. {i}" for i in range(len(applicants))])
    batch = german.explain_batch(named, "granted", show_progress=False)
    assert batch[3].text.startswith("Applicant no. 3: credit refused")


def test_where_nothing_is_found(german, applicants):
    answer = german.explain(applicants.iloc[0], "granted", only=["own_telephone"])
    assert answer.status == "infeasible" and answer.proven and not answer
    assert answer.point is None and answer.array is None and answer.outcome is None
    assert answer.changes == [] and answer.region == {} and answer.ties == []
    assert answer.cost == np.inf and answer.to_frame().empty and answer.verify() == []
    assert "Not possible" in answer.text
    with pytest.raises(ValueError, match="has no point"):
        answer.point_frame()
    with pytest.raises(boxwood.Error, match="has no point"):
        german.widen(answer)


def test_ties(german, applicants):
    ties = {}
    for i, row in applicants.iterrows():
        answer = german.explain(row, "granted", cost="l0")
        ties[i] = len(answer.ties)
        for other in answer.ties:
            assert len(other) == answer.cost and other != answer.changes
    assert any(ties.values())


def test_errors_can_be_sent_to_other_processes():
    error = boxwood.Error("x", "it is wrong", "Mend it", "")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.place, again.remedy) == ("x: it is wrong. Mend it", "x", "Mend it")
    unknown = boxwood.UnsupportedModelError("this is none", "Give one")
    assert str(pickle.loads(pickle.dumps(unknown))) == "this is none. Give one"
    assert isinstance(unknown, boxwood.Error) and isinstance(unknown, ValueError)


def test_intervals():
    interval = boxwood.Interval(1, 2, upper_closed=False)
    assert 1 in interval and 2 not in interval and not interval.empty
    assert repr(interval) == "[1.0, 2.0)"
    assert interval == boxwood.Interval(1, 2, True, False) and interval != boxwood.Interval(1, 2)
    assert interval != 3 and len({interval, boxwood.Interval(1, 2, True, False)}) == 1


def test_a_limit_from_the_present_output_is_short_and_says_that_it_is_rounded():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"area": random.integers(50, 200, 300), "age": random.integers(0, 90, 300)})
    price = frame["area"] * 1234.567 - frame["age"] * 98.7654 + random.normal(0, 1e4, 300)
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(frame, price)
    explainer = boxwood.Explainer(model, frame)
    row = frame.iloc[0]
    now = model.predict(frame.iloc[[0]])[0]
    for change, limit, words in (("-10%", now * 0.9, "at most"), ("+10%", now * 1.1, "at least")):
        answer = explainer.explain(row, change=change)
        shown = f"{words} about {float(f'{limit:.6g}'):,.0f}".replace(",", " ")
        assert f"needed {shown})" in str(answer) and shown in answer.text
        assert shown in answer._repr_html_().replace("&nbsp;", " ")
        assert shown in " ".join(str(explainer.menu(row, 2, change=change)).split())
    # What a user gave is printed as it is.
    assert "needed at most 150 000.5)" in str(explainer.explain(row, at_most=150000.5))
