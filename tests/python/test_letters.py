"""Letters: two separate parts, reasons that are exact, and nothing that a name can smuggle in."""

import pathlib

import boxwood
import numpy as np
import pytest
from boxwood import letters

DETAILS = {"sender": "Example Bank", "recipient": "R. Example", "date": "17 November 2026",
           "reference": "A-17", "contact": "review desk"}


def test_the_example_letter_has_two_separate_parts(german, applicants):
    text = letters.letter(german, applicants.iloc[0], "granted", details=DETAILS, fixed=["age"])
    reasons, changes = (text.index("1. Principal reasons"), text.index("2. What would have changed"))
    assert reasons < changes
    facts = letters.facts(german, applicants.iloc[0], "granted", fixed=["age"])
    assert len(facts["reasons"]) == 4 and len(facts["alternatives"]) == 2
    for one in facts["reasons"]:
        assert f"{one['title']}: {one['value']}" in text[reasons:changes]
    for one in facts["alternatives"]:
        for change in one["changes"]:
            assert f"{change['title']}: {change['now']} now, {change['change_to']}" in text[changes:]
    assert "age" not in text[changes:] and "age: 28 years" in text[reasons:changes]


def test_reasons_are_what_trying_every_value_finds(colours):
    """An oracle without the search: the library's own probabilities at and beside every threshold."""
    model, schema, explainer = colours
    schema = boxwood.Schema.from_dict(schema.to_dict())
    schema["n"].fixed = True  # a reason need not be changeable
    explainer = boxwood.Explainer(model, schema=schema)
    thresholds = {float(line) for line in model.get_booster().trees_to_dataframe().query(
        "Feature == 'n'")["Split"]}
    low, high = schema["n"].range
    values = [float(np.float32(one)) for one in (low, high)]
    for one in thresholds:
        near = np.float32(one)
        values += [float(near), float(np.nextafter(near, np.float32(-9e9)))]
    values = [one for one in values if low <= one <= high]
    random = np.random.default_rng(9)
    seen = 0
    for _ in range(20):
        shade = int(random.integers(0, 4))
        row = {"n": float(np.float32(random.normal())),
               **{f"c{k}": float(k == shade) for k in range(4)}}
        found = {one.feature: one for one in
                 letters.principal_reasons(explainer, row, 1, most=10)}

        def chance(rows):
            import pandas as pd

            frame = pd.DataFrame(rows)[["n", "c0", "c1", "c2", "c3"]]
            return model.predict_proba(frame)[:, 1], model.predict(frame)

        now = chance([row])[0][0]
        for feature, rows in (("n", [{**row, "n": value} for value in values]),
                              ("colour", [{**row, **{f"c{k}": float(k == j) for k in range(4)}}
                                          for j in range(4)])):
            chances, classes = chance(rows)
            if chances.max() <= now:
                assert feature not in found
                continue
            assert found[feature].gain == pytest.approx(chances.max() - now, abs=1e-6)
            assert found[feature].decides == bool((classes == 1).any())
            seen += 1
    assert seen > 10


def test_values_cannot_write_html_or_paragraphs(german, applicants):
    bad = {**DETAILS, "recipient": "<script>alert(1)</script>\n\n1. Principal reasons {{ 7 * 7 }}"}
    page = letters.letter(german, applicants.iloc[0], "granted", html=True, details=bad)
    assert "<script>" not in page and "&lt;script&gt;" in page and "49" not in page.split("<h1>")[0]
    text = letters.letter(german, applicants.iloc[0], "granted", details=bad)
    assert text.count("\n1. Principal reasons") == 1 and "{{ 7 * 7 }}" in text


def test_mistakes_are_named(german, applicants):
    def write(**more):
        return letters.letter(german, applicants.iloc[0], "granted", **{"details": DETAILS, **more})

    with pytest.raises(boxwood.Error, match="'reference' is undefined"):
        write(details={name: value for name, value in DETAILS.items() if name != "reference"})
    with pytest.raises(boxwood.Error, match=r"template, line 1: .*[^.]\. Mend it"):
        write(template="{{ sender ")
    with pytest.raises(boxwood.Error, match=r"unsafe\. Templates"):
        write(template="{{ reasons.__class__.__mro__ }}")
    for template in ("{% for i in range(10**9) %}{% endfor %}", "{{ 1 / 0 }}", "{{ 'a' + 1 }}"):
        with pytest.raises(boxwood.Error, match="template: it fails: .*[^.]\\. Mend it"):
            write(template=template)
    for name in ("alternatives", "reasons"):
        with pytest.raises(boxwood.Error, match=f"{name}: 0 is not a whole number"):
            write(**{name: 0})
    with pytest.raises(boxwood.Error, match="a name of the letter's own"):
        write(details={**DETAILS, "reasons": []})
    with pytest.raises(boxwood.Error, match="has the wanted outcome already"):
        letters.letter(german, applicants.iloc[1], "granted", details=DETAILS)
    with pytest.raises(boxwood.Error, match="no class 'good'"):
        letters.principal_reasons(german, applicants.iloc[0], "good")
    for lost in (None, float("nan")):  # as rows of a customer table have them
        with pytest.raises(boxwood.Error, match="'recipient' is undefined. Give it in details="):
            write(details={**DETAILS, "recipient": lost})
    with pytest.raises(boxwood.Error, match="no attribute 'titel'. Mend it: docs/letters.md lists"):
        write(template="{{ reasons[0].titel }}")
    with pytest.raises(boxwood.Error, match="details: it is of type list"):
        write(details=[1])
    with pytest.raises(boxwood.Error, match="template: it is of type (Posix|Windows)Path. Give the text"):
        write(template=pathlib.Path("letter.txt"))
    with pytest.raises(boxwood.Error, match='gives "granted" already, not as surely as asked'):
        letters.letter(german, applicants.iloc[1], "granted", details=DETAILS, probability=0.999)
    assert write(template="{{ sender }} {{ reasons|length }} {{ wanted }}") == "Example Bank 4 granted"


def test_a_review_is_offered_only_by_those_who_give_a_contact(german, applicants):
    without = {name: value for name, value in DETAILS.items() if name != "contact"}
    for html in (False, True):
        for details, offered in ((DETAILS, True), (without, False), ({**DETAILS, "contact": ""}, False)):
            told = letters.letter(german, applicants.iloc[0], "granted", details=details, html=html)
            assert ("review of this decision by a person" in told) == offered


def test_nothing_that_leads_there_is_said_as_such(german, applicants):
    told = letters.letter(german, applicants.iloc[0], "granted", details=DETAILS,
                          only=["duration"], ranges={"duration": (50, 60)})
    assert "None of the changes that we consider possible" in told
    told = letters.letter(german, applicants.iloc[0], "granted", details=DETAILS, node_limit=0)
    assert "there may be one" in told or "Either" in told or "Change:" in told
