"""The pages that are made from scripts show what the scripts print today (scripts/guides.py)."""

import json
import pathlib
import sys
import warnings

import matplotlib
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import guides  # noqa: E402


@pytest.fixture(autouse=True)
def settings_of_its_own(monkeypatch):
    """Pages have a style, a folder and warnings as usual, which are not for the tests that follow."""
    monkeypatch.chdir(ROOT)
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("default")
        yield


@pytest.mark.parametrize("name", sorted(guides.scripts()))
def test_page_shows_what_its_script_prints(name, monkeypatch, capsys):
    # In this process: importing the libraries takes longer than most scripts.
    monkeypatch.setattr(sys, "argv", ["guides.py", "--check", name])
    failed = guides.main()
    assert not failed, capsys.readouterr().out


def test_drift_is_found(tmp_path):
    script = tmp_path / "page.py"
    script.write_text('"""Title\n\nAbout."""\n# %%\n# Prose.\nprint("proven in 3 ms:", 1 + 1)\n')
    shown = "```text\nproven in {}: {}\n```"
    text, _ = guides.page(script)
    assert shown.format("3 ms", 2) in text
    page = tmp_path / "page.md"
    page.write_text(text.replace("3 ms", "under 1 ms"))
    assert guides.check(script) == ""
    page.write_text(text.replace(": 2\n", ": 3\n"))
    assert "+proven in TIME: 2" in guides.check(script)
    page.unlink()
    assert guides.check(script)


def test_a_figure_that_the_last_line_gives_is_shown(tmp_path):
    script = tmp_path / "page.py"
    script.write_text('"""Title\n\nAbout."""\n# %%\nfrom matplotlib.figure import Figure\n'
                      'figure = Figure()\nfigure.subplots().set(xlabel="x", ylabel="cost")\nfigure\n')
    text, pictures = guides.page(script)
    assert list(pictures) == ["img/page_1.svg"]
    assert "![cost by x](img/page_1.svg)" in text


def test_of_a_hidden_cell_only_the_figure_is_shown(tmp_path):
    script = tmp_path / "page.py"
    script.write_text('"""Title\n\nAbout."""\n# %% hidden\nfrom matplotlib.figure import Figure\n'
                      'figure = Figure()\naxes = figure.subplots()\nfigure\n')
    text, pictures = guides.page(script)
    assert "import" not in text and "img/page_1.svg" in text and len(pictures) == 1


def test_a_notebook_holds_the_cells_and_their_outputs(tmp_path, monkeypatch):
    monkeypatch.setattr(guides, "DOCS", tmp_path)
    monkeypatch.setattr(guides, "NOTEBOOKS", ("page",))
    script = tmp_path / "page.py"
    script.write_text('"""Title\n\nAbout [this](other.md)."""\n# %%\n# Prose.\nprint("in 3 ms:", 1 + 1)\n'
                      '# %%\nfrom matplotlib.figure import Figure\nfigure = Figure()\n'
                      'axes = figure.subplots()\nfigure\n')
    (tmp_path / "notebooks").mkdir()
    cells = guides.executed(script)
    text = guides.notebook(script, cells)
    whole = json.loads(text)
    assert [cell["cell_type"] for cell in whole["cells"]] == ["markdown", "markdown", "code", "code"]
    assert "](../other.md)" in "".join(whole["cells"][0]["source"])
    assert whole["cells"][2]["outputs"][0]["text"] == ["in 3 ms: 2\n"]
    assert "image/png" in whole["cells"][3]["outputs"][0]["data"]
    guides.write(script, None)
    assert guides.check(script) == ""
    file = tmp_path / "notebooks" / "page.ipynb"
    file.write_text(text.replace("3 ms: 2", "7 ms: 2"))
    assert guides.check(script) == ""
    file.write_text(text.replace("3 ms: 2", "3 ms: 3"))
    assert "+" in guides.check(script)


def test_code_and_prose_of_a_cell_are_told_apart(tmp_path):
    script = tmp_path / "page.py"
    script.write_text('"""Title\n\nAbout."""\n# %%\n# ## Head\n#\n# Prose.\nx = 1  # one\n\n# %%\n'
                      "# More prose, no code.\n# %% console\n# Run:\n# $ boxwood inspect model\n")
    assert guides.parts(script) == ("Title", "About.", [
        ("", "## Head\n\nProse.", "x = 1  # one"), ("", "More prose, no code.", ""),
        ("console", "Run:", "# $ boxwood inspect model")])
