"""Damaged and hostile text: a boxwood.Error or a harmless text, never another exception."""

import boxwood
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

ATTACK = "\x1b[2J\u202e\nforged\u2066"
HIDDEN = set(ATTACK) - set("[2Jforged\n")


@pytest.fixture(scope="module")
def forest():
    data = np.random.default_rng(0).normal(size=(60, 2))
    return RandomForestClassifier(5, random_state=0).fit(data, data[:, 0] > 0), data


def test_names_that_are_not_utf8_are_refused(forest):
    content = boxwood.model_bytes(forest[0])
    assert b'"name":"f0"' in content or b"f0" in content
    with pytest.raises(boxwood.Error):
        boxwood.Explainer(content.replace(b"f0", b"\xff0"))


def test_hostile_names_are_harmless(forest):
    model, data = forest
    schema = boxwood.Schema([boxwood.Feature(f"f{i}", title=f"title {i} {ATTACK}", unit=ATTACK)
                             for i in range(2)], subject=ATTACK, outcome=ATTACK,
                            classes=[f"no {ATTACK}", f"yes {ATTACK}"])
    explainer = boxwood.Explainer(boxwood.model_bytes(model), schema=schema)
    answer = explainer.explain(data[np.argmin(data[:, 0])])
    for text in (str(answer), answer._repr_html_(), str(explainer.menu(data[0], 2))):
        assert "title" in text
        assert not HIDDEN & set(text)
        assert "\nforged" not in text


def test_errors_are_short_and_printable():
    error = boxwood.Error("file " + ATTACK, "x" * 10**6 + ATTACK, "\ud800")
    assert len(str(error)) < 1500
    assert not (HIDDEN | set("\n\ud800")) & set(str(error))
    assert str(error).startswith("file \\x1b[2J\\u202e\\nforged\\u2066: xxx")
