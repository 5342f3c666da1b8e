"""The examples of docs/python.md and README.md run in their order and print what the page shows.

    PYTHONPATH=build/dev/python python tests/python/test_docs.py      writes what they print into them
"""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"
PAGES = {PAGE: 9, ROOT / "README.md": 1}  # with the least number of examples
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.DOTALL)
TIME = re.compile(r"(under )?[\d.]+ m?s\)")


def printed(code, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "example", "exec"), names)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def in_folder(folder):
    """The examples name files of the tree and write beside them: a copy of its root will do."""
    (folder / "examples").symlink_to(ROOT / "examples")
    os.chdir(folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_folder(tmp_path)
    names = {}
    examples = EXAMPLE.findall(page.read_text(encoding="utf-8"))
    assert len(examples) >= PAGES[page]
    for code, shown in examples:
        assert TIME.sub("TIME)", printed(code, names)) == TIME.sub("TIME)", shown), code


def test_the_command_of_the_readme_prints_what_its_python_prints():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    folder, words = re.search(r"```\ncd (\S+)\nboxwood (.*)\n```", page).groups()
    command = pathlib.Path(os.environ["BOXWOOD_COMMAND"]).resolve()
    done = subprocess.run([command, *words.split()], cwd=ROOT / folder, text=True,
                          capture_output=True, check=True)
    shown = EXAMPLE.search(page)[2]
    assert TIME.sub("TIME)", done.stdout).strip() == TIME.sub("TIME)", shown).strip()


def test_the_landing_page_needs_nothing_but_pandas():
    """Its code, as printed, runs where no other optional library is installed."""
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    code = "\n".join(code for code, _ in EXAMPLE.findall(page))
    assert "print(answer)" in code
    absent = ("matplotlib", "sklearn", "xgboost", "lightgbm", "catboost", "tqdm", "pyarrow")
    head = f"import sys\nsys.modules.update(dict.fromkeys({absent}))\n"
    done = subprocess.run([sys.executable, "-c", head + code], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "proven" in done.stdout


def test_the_time_of_a_batch_is_told():
    told = re.search(r"<!-- batch: begin -->(.*?)<!-- batch: end -->",
                     PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert re.search(r"20,000 German-credit questions took \d+ s on \d+ cores", told), (
        "run bench/python_batch.py --write docs/python.md")


def write():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        in_folder(pathlib.Path(folder))
        for page in PAGES:
            names = {}

            def renewed(match, names=names):
                output = printed(match[1], names)
                shown = f"```text\n{output}```\n" if output else ""
                return f"```python\n{match[1]}```\n{shown}"

            text = page.read_text(encoding="utf-8")
            new = EXAMPLE.sub(renewed, text)
            if TIME.sub("TIME)", new) != TIME.sub("TIME)", text):
                page.write_text(new, encoding="utf-8")
        os.chdir(ROOT)


if __name__ == "__main__":
    sys.exit(write())
