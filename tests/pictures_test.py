"""Pictures and examples: SVG is well-formed XML whatever a model calls its features, the pictures
of the documents are what the commands beside them make, and examples that name the files of
examples/german_credit run."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "german_credit"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<a & "b">'


def examples_of(text):
    """Command lines that speak of the example's files; continued lines are joined."""
    text = re.sub(r"\\\n\s*", " ", text)
    lines = re.findall(r"^\s*(?:\$ )?(boxwood [a-z]+ model\.ubj.*)$", text, re.MULTILINE)
    return [shlex.split(line.partition(" > ")[0])[1:] for line in lines]


class Pictures(unittest.TestCase):
    def setUp(self):
        self.command = os.environ["BOXWOOD_COMMAND"]
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("model.ubj", "applicants.csv", "schema.json"):
            shutil.copy(EXAMPLE / name, self.folder)
        shutil.copy(EXAMPLE / "model.ubj", self.folder / "last_year.ubj")  # of an example

    def run_command(self, words):
        return subprocess.run([self.command, *words], cwd=self.folder, text=True,
                              capture_output=True, timeout=300)

    def picture(self, words):
        done = self.run_command([*words, "--format", "svg"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return ElementTree.fromstring(done.stdout)

    def hostile_schema(self):
        schema = json.loads((EXAMPLE / "schema.json").read_text())
        schema["subject"] = "<script>alert(1)</script>"
        schema["classes"] = ["]]>", "&amp;"]
        for feature in schema["features"]:
            if feature["name"] in ("duration", "savings_status"):
                feature["title"] = HOSTILE + feature["name"]
                feature["unit"] = "\x01\u2028'"
            if feature["name"] == "savings_status":
                feature["labels"][0] = "</svg>"
        (self.folder / "hostile.json").write_text(json.dumps(schema))
        rows = (EXAMPLE / "applicants.csv").read_text().replace("under 100 DM", "</svg>")
        (self.folder / "hostile.csv").write_text(rows)
        return ["model.ubj", "--data", "hostile.csv", "--schema", "hostile.json", "--row", "3"]

    def test_texts_are_escaped(self):
        asked = self.hostile_schema()
        root = self.picture(["map", *asked, "--x", HOSTILE + "duration", "--y", "savings_status"])
        texts = [text.text for text in root.iter(SVG + "text")]
        self.assertTrue(any(HOSTILE + "duration" in text for text in texts), texts)
        self.assertIn("</svg>", texts)
        self.assertEqual({element.tag for element in root.iter()} - {
            SVG + name for name in ("svg", "title", "style", "rect", "line", "path", "polyline",
                                    "circle", "text")}, set())
        root = self.picture(["sweep", *asked, "--levels", "0.5,0.6,0.99999"])
        self.assertIn("impossible", [text.text for text in root.iter(SVG + "text")])

    def test_texts_stay_inside_the_picture(self):
        asked = ["model.ubj", "--data", "applicants.csv", "--schema", "schema.json", "--row", "3"]
        root = self.picture(["map", *asked, "--x", "savings", "--y", "credit amount"])
        width, height = float(root.get("width")), float(root.get("height"))
        for text in root.iter(SVG + "text"):
            x, y = float(text.get("x")), float(text.get("y"))
            self.assertTrue(0 <= x <= width and 0 <= y <= height, text.text)
            if text.get("text-anchor") == "start" and not text.get("transform"):
                self.assertLess(x + 5 * len(text.text), width, text.text)

    def test_documents_show_what_their_commands_make(self):
        page = (ROOT / "docs" / "command_line.md").read_text()
        shown = 0
        for words in examples_of(page):
            if "svg" not in words:
                continue
            done = self.run_command(words)
            self.assertEqual(done.returncode, 0, done.stderr)
            name = words[words.index("--output") + 1]
            self.assertEqual((self.folder / name).read_bytes(),
                             (ROOT / "docs" / "img" / name).read_bytes(), name)
            self.assertIn(f"(img/{name})", page)
            shown += 1
        self.assertEqual(shown, 2)

    def test_examples_run(self):
        texts = [path.read_text() for path in (ROOT / "docs").glob("*.md")]
        for verb in ("inspect", "predict", "explain", "robustness", "sweep", "map", "regions"):
            texts.append(self.run_command([verb, "--help"]).stdout)
        count = 0
        for words in (words for text in texts for words in examples_of(text)):
            with self.subTest(words=words):
                done = self.run_command(words)
                # A list that is cut at --limit ends in 3.
                allowed = (0, 3) if "--limit" in words or "--time-limit" in words else (0,)
                self.assertIn(done.returncode, allowed, done.stderr)
                count += 1
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
