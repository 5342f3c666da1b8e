"""Pictures and examples: SVG is well-formed XML whatever a model calls its features, the pictures
of the documents are what the commands beside them make, and examples that name the files of
examples/german_credit run."""
import csv
import itertools
import json
import math
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

    def template(self):
        file = self.folder / "template.html"
        file.write_text('<script type="application/json" id="boxwood-content">{}</script>')
        return file

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
        self.assertIn("impossible (proven)", [text.text for text in root.iter(SVG + "text")])

    def test_texts_stay_inside_the_picture(self):
        asked = ["model.ubj", "--data", "applicants.csv", "--schema", "schema.json", "--row", "3"]
        root = self.picture(["map", *asked, "--x", "savings", "--y", "credit amount"])
        width, height = float(root.get("width")), float(root.get("height"))
        for text in root.iter(SVG + "text"):
            x, y = float(text.get("x")), float(text.get("y"))
            self.assertTrue(0 <= x <= width and 0 <= y <= height, text.text)
            if text.get("text-anchor") == "start" and not text.get("transform"):
                self.assertLess(x + 5 * len(text.text), width, text.text)

    def wordy_schema(self):
        """Write the example with long titles, labels and units, and ask about one row."""
        schema = json.loads((EXAMPLE / "schema.json").read_text())
        schema["subject"] = "person who applied for a loan at this branch"
        schema["outcome"] = "decision of the credit department of this branch"
        with (EXAMPLE / "applicants.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        for feature in schema["features"]:
            feature["title"] = f"what the applicant stated about the {feature['name']} in the form"
            if feature["name"] in ("purpose", "savings_status"):
                feature["unit"] = "as stated by the applicant"
                for k, label in enumerate(feature["labels"]):
                    feature["labels"][k] = f"the applicant answered: {label}, with proof"
                for row in rows:
                    row[feature["name"]] = (
                        f"the applicant answered: {row[feature['name']]}, with proof")
        (self.folder / "wordy.json").write_text(json.dumps(schema))
        with (self.folder / "wordy.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return ["model.ubj", "--data", "wordy.csv", "--schema", "wordy.json", "--row", "3"]

    def assert_readable(self, root):
        """No text leaves the picture, no two overlap; widths are those of a narrow sans-serif."""
        page = float(root.get("width")), float(root.get("height"))
        boxes, slanted = [], []
        for text in root.iter(SVG + "text"):
            size = 15 if text.get("class") == "head" else 11
            width = 0.5 * size * len(text.text)
            x, y = float(text.get("x")), float(text.get("y"))
            start = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
            turn = float((re.findall(r"rotate\((\S+)", text.get("transform", "")) or [0])[0])
            box = (start, y - 0.75 * size, start + width, y + 0.1 * size)
            if turn == -90:
                box = (x - size, y - width / 2, x, y + width / 2)
            elif turn:
                angle = math.radians(turn)
                slanted.append((x, angle))
                box = (x - width * math.cos(angle), y, x, y - width * math.sin(angle))
            self.assertTrue(box[0] >= 0 and box[1] >= 0 and box[2] <= page[0] and box[3] <= page[1],
                            f"{text.text} is cut off: {box}")
            if not turn or turn == -90:
                boxes.append((text.text, box))
        for (one, a), (other, b) in itertools.combinations(boxes, 2):
            across = min(a[2], b[2]) - max(a[0], b[0])
            down = min(a[3], b[3]) - max(a[1], b[1])
            self.assertLess(min(across, down), 1, f"{one} overlaps {other}")
        for (x, angle), (after, _) in itertools.pairwise(slanted):
            self.assertGreater((after - x) * abs(math.sin(angle)), 11, "slanted labels overlap")

    def test_texts_do_not_overlap(self):
        plain = ["model.ubj", "--data", "applicants.csv", "--schema", "schema.json", "--row", "3"]
        for asked in (plain, self.wordy_schema()):
            for words in (["map", "--x", "purpose", "--y", "savings_status"],
                          ["map", "--x", "savings_status", "--y", "purpose"],
                          ["map", "--x", "purpose", "--y", "credit_amount", "--radius", "1"],
                          ["map", "--x", "duration", "--y", "credit_amount", "--colour", "output"],
                          ["sweep", "--levels", "0.5,0.6,0.7,0.8,0.9"],
                          ["sweep", "--levels", "0.5,0.9,0.99,0.999,0.9999"],
                          ["sweep", "--levels", "0.99999,0.999991,0.999999"]):
                for width in ("480", "720"):
                    with self.subTest(words=words, width=width, wordy=asked is not plain):
                        self.assert_readable(self.picture(
                            [words[0], *asked, *words[1:], "--width", width]))

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
        for verb in ("inspect", "predict", "explain", "robustness", "sweep", "map", "regions",
                     "page"):
            texts.append(self.run_command([verb, "--help"]).stdout)
        count = 0
        for words in (words for text in texts for words in examples_of(text)):
            with self.subTest(words=words):
                if "--resume" in words:  # it begins where there is no file yet
                    (self.folder / words[words.index("--output") + 1]).unlink(missing_ok=True)
                # The page itself is built and tried after these tests.
                template = ["--template", self.template()] if words[0] == "page" else []
                done = self.run_command(words + template)
                # A list that is cut at --limit ends in 3.
                allowed = (0, 3) if "--limit" in words or "--time-limit" in words else (0,)
                self.assertIn(done.returncode, allowed, done.stderr)
                count += 1
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
