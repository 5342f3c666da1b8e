"""The documentation site builds without the network, strictly, and holds what it should."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

import boxwood
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import docs_hooks  # noqa: E402

# Found by every Python that has its folder on the path: whoever looks for a host fails.
NO_NETWORK = """
import socket
def refuse(*what, **how):
    raise OSError(f"the build asks the network: {what}")
socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
"""


def tree(folder):
    """A copy of what the build reads; pages link to files of the rest."""
    for path in ROOT.iterdir():
        if path.name in ("docs", "scripts", "python"):
            shutil.copytree(path, folder / path.name,
                            ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        elif not path.name.startswith(".") and path.name != "build":
            (folder / path.name).symlink_to(path)
    (folder / "offline").mkdir()
    (folder / "offline" / "sitecustomize.py").write_text(NO_NETWORK)
    return folder


def build(root):
    return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file",
                           root / "mkdocs.yml", "--site-dir", root / "site"],
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1",
                               "PYTHONPATH": str(root / "offline")},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tree(tmp_path_factory.mktemp("with_reports"))
    reports = root / "docs" / "experiments"
    if not reports.exists():
        reports.mkdir()
        (reports / "README.md").write_text("# Experiments\nThe [first](first.md).\n")
        (reports / "first.md").write_text("# First\nBy [a script](../../scripts/guides.py).\n")
    done = build(root)
    assert done.returncode == 0, done.stdout
    return root


def test_every_page_is_there(root):
    for page in (root / "docs").glob("**/*.md"):
        made = root / "site" / page.relative_to(root / "docs")
        assert made.with_name(made.name.replace("README.md", "index.md")).with_suffix(
            ".html").exists(), page


def test_reports_of_experiments_are_a_section(root):
    text = (root / "site" / "index.html").read_text(encoding="utf-8")
    for page in (root / "docs" / "experiments").glob("*.md"):
        name = page.with_suffix(".html").name.replace("README", "index")
        assert f'href="experiments/{name}"' in text, name


def test_without_reports_there_is_no_section(tmp_path):
    config = types.SimpleNamespace(docs_dir=str(tmp_path),
                                   nav=[{"Guides": []}, {"Concepts": "c.md"}])
    docs_hooks.on_config(config)
    assert [next(iter(entry)) for entry in config.nav] == ["Guides", "Concepts"]


def test_reference_has_every_public_name(root):
    text = (root / "site" / "reference.html").read_text(encoding="utf-8")
    for name in set(boxwood.__all__) - {"Interval", "Progress", "Target", "__version__"}:
        assert f'id="boxwood.{name}"' in text, name
    assert 'id="boxwood.Explainer.explain"' in text
    assert 'id="boxwood.Explainer.why_not"' in text
    assert 'id="boxwood.plots.changes"' in text
    assert 'id="boxwood.evaluate.stability"' in text
    assert "Find the cheapest admissible change" in text


def test_nothing_is_fetched_from_elsewhere(root):
    for page in (root / "site").glob("**/*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="((?:https?:)?//[^"]+)"', text)
        fetched += re.findall(r'<link[^>]*href="((?:https?:)?//[^"]+)"', text)
        assert not fetched, (page.name, fetched)
    for sheet in (root / "site").glob("**/*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.findall(r'(?:url\(|@import)\s*["\']?(?:https?:)?//', text), sheet.name


def test_a_broken_link_fails_the_build(tmp_path):
    tree(tmp_path)
    for page in (tmp_path / "docs").glob("**/*.md"):  # one page is enough, and takes a tenth of the time
        page.unlink()
    (tmp_path / "docs" / "index.md").write_text(
        "# Boxwood\nSee [nothing](nowhere.md), [the tree](../nowhere.hpp), [a script](../scripts/guides.py).\n")
    settings = tmp_path / "mkdocs.yml"
    text = settings.read_text()
    settings.unlink()  # a link to the project's own file
    settings.write_text(re.sub(r"(?s)\nnav:\n.*?\ntheme:\n", "\nnav: [index.md]\ntheme:\n", text))
    done = build(tmp_path)
    assert done.returncode != 0
    warnings = [line for line in done.stdout.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == 2, done.stdout
    assert "nowhere.md" in warnings[0] + warnings[1] and "nowhere.hpp" in warnings[0] + warnings[1]
