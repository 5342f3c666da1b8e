"""Pages from Python hold the model, the schema, the rows and the question."""

import base64
import json

import boxwood
import pytest
from boxwood import _page

START = '<script type="application/json" id="boxwood-content">'


@pytest.fixture
def template(monkeypatch):
    """Stand in for the page, which `make page` builds."""
    monkeypatch.setattr(_page, "built_page", lambda: f"<html>{START}{{}}</script></html>")


def content_of(file):
    text = file.read_text(encoding="utf-8")
    return json.loads(text[text.index(START) + len(START):text.rindex("</script>")])


def text_in(entry):
    return base64.b64decode(entry["base64"]).decode()


def test_a_page_has_the_rows_as_the_command_reads_them(german, applicants, template, tmp_path):
    german.save_page(tmp_path / "page.html", rows=applicants.iloc[:4], title="Credit")
    content = content_of(tmp_path / "page.html")
    assert content["title"] == "Credit"
    lines = text_in(content["data"]).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("checking_status,duration,")
    assert lines[4].startswith("0 to 200 DM,45.0,") or "45.0" in lines[4]
    assert json.loads(text_in(content["schema"]))["boxwood_schema"] == 1
    assert json.loads(text_in(content["model"]))["boxwood_model"] == 1
    assert "saved" not in content


def test_an_answer_comes_with_its_question(german, applicants, template, tmp_path):
    answer = german.explain(applicants.iloc[3], "granted", max_changes=2)
    answer.save_html(tmp_path / "answer.html")
    content = content_of(tmp_path / "answer.html")
    question = json.loads(text_in(content["saved"]))
    assert question["max_changes"] == 2
    assert len(text_in(content["data"]).splitlines()) == 2


def test_no_rows_are_refused(german, applicants, template, tmp_path):
    with pytest.raises(boxwood.Error, match="rows"):
        german.save_page(tmp_path / "page.html", rows=applicants.iloc[:0])
