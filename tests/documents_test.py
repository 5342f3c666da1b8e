"""Checks that the documents speak of what exists: links, make targets, presets, flags, versions."""
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("**/*.md"))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def command_lines(page):
    """The lines of a page that call boxwood, with continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", page.read_text())
    return re.findall(r"^(?:\$ )?(boxwood [a-z]+ .*)$", text, re.MULTILINE)


class Documents(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for page in PAGES:
            for link in LINK.findall(page.read_text()):
                if "://" in link or link.startswith("mailto:"):
                    continue
                name, _, anchor = link.partition("#")
                target = page.parent / name if name else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor and target.suffix == ".md":
                        self.assertIn(anchor, anchors(target))

    def test_every_make_target_exists_and_is_listed_by_help(self):
        makefile = (ROOT / "Makefile").read_text()
        targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
        listed = set(re.findall(r"echo 'make ([a-z-]+)", makefile))
        self.assertEqual(listed, targets - {"help"})
        for page in PAGES:
            for target in re.findall(r"`(?:[A-Z_]+=\S+ )*make ([a-z-]+)", page.read_text()):
                with self.subTest(page=page.name, target=target):
                    self.assertIn(target, targets)

    def test_every_flag_in_an_example_is_known_to_the_command(self):
        command = os.environ.get("BOXWOOD_COMMAND")
        self.assertTrue(command, "BOXWOOD_COMMAND names the command to ask for its flags")
        help_of = {}
        for page in PAGES:
            for line in command_lines(page):
                verb = line.split()[1]
                if verb not in help_of:
                    help_of[verb] = subprocess.run([command, verb, "--help"], text=True,
                                                   capture_output=True, check=True).stdout
                for flag in re.findall(r"(?<=\s)--[a-z][a-z-]*", line):
                    with self.subTest(page=page.name, line=line):
                        self.assertRegex(help_of[verb], re.escape(flag) + r"(?![a-z-])")

    def test_every_identifier_in_the_glossary_exists(self):
        folders = [ROOT / name for name in ("include", "src", "python")]
        words = {word for folder in folders for path in folder.rglob("*")
                 if path.suffix in (".hpp", ".cpp", ".py")
                 for word in re.findall(r"--[a-z-]+|\w+", path.read_text())}
        for line in (ROOT / "docs" / "glossary.md").read_text().splitlines():
            cells = line.split("|")
            for name in re.findall(r"`([^`]+)`", cells[3]) if len(cells) == 6 else ():
                for word in re.findall(r"--[a-z-]+|\w+", name.partition("(")[0]):
                    with self.subTest(line=line):
                        self.assertIn(word, words)

    def test_formats_lists_every_value_of_the_model_file(self):
        source = "".join((ROOT / "src" / "model" / name).read_text()
                         for name in ("ensemble_json.cpp", "kinds.hpp"))
        values = re.findall(r'std::pair\{"(\w[^"]*)", (?:\w+::|&Node::)', source)
        self.assertIn("score_above_half", values)
        page = (ROOT / "docs" / "formats.md").read_text()
        for value in values:
            with self.subTest(value=value):
                self.assertIn(f"`{value}`", page)

    def test_performance_has_its_figures(self):
        text = (ROOT / "docs" / "performance.md").read_text()
        for mark, remedy in (("growth", "run bench/growth.py with --write"), ("bench", "make bench")):
            blocks = re.findall(f"<!-- {mark}: begin -->(.*?)<!-- {mark}: end -->", text, re.DOTALL)
            with self.subTest(mark=mark):
                self.assertEqual(len(blocks), 1, f"docs/performance.md has one block of {mark}")
                self.assertRegex(blocks[0], r"\|.*\d", f"no figures: {remedy}")

    def test_one_version(self):
        version = (ROOT / "VERSION").read_text().strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        newest = re.search(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(newest[1], version)


if __name__ == "__main__":
    unittest.main()
