"""What a release is built from: pinned actions, locked tools with hashes, a bill of materials of all parts."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent


class Release(unittest.TestCase):
    def test_actions_are_pinned_to_commits(self):
        for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
            for used in re.findall(r"uses: (\S+.*)", file.read_text()):
                self.assertRegex(used, r"^[\w./-]+@[0-9a-f]{40} # v\d", f"{file.name}: {used}")

    def test_commands_are_valid_yaml(self):
        # ": " or " #" ends a plain value: GitHub then refuses the file or cuts the command off.
        for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
            for command in re.findall(r"run: (?![|>'\"])(.*)", file.read_text()):
                self.assertNotRegex(command, r": | #", f"{file.name}: write it as a block, run: |")

    def test_build_tools_are_locked_with_hashes(self):
        text = (ROOT / "scripts/build.lock").read_text().replace("\\\n", " ")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        for line in lines:
            self.assertRegex(line, r"^[\w.-]+==\S+( ; .*?)?( +--hash=sha256:[0-9a-f]{64})+$")
        locked = {line.split("==")[0] for line in lines}
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        needed = {re.match(r"[\w.-]+", each)[0] for each in project["build-system"]["requires"]}
        self.assertLessEqual(needed, locked)
        wheels = project["tool"]["cibuildwheel"]
        self.assertIn("--require-hashes", wheels["before-build"])
        self.assertIn("--no-build-isolation", wheels["build-frontend"]["args"])

    def test_what_checks_and_prints_is_of_one_version(self):
        """Checkers find other things in every version, and printed numbers differ: both would fail without a change."""
        lists = "".join((ROOT / folder / "requirements.txt").read_text() for folder in ("tests", "docs"))
        pinned = set(re.findall(r"^([\w.-]+)==\d", lists, re.MULTILINE))
        printed = {"ruff", "mypy", "nanobind", "mkdocs", "mkdocs-material", "mkdocstrings", "mkdocstrings-python"}
        for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("**/*.py")):
            text = page.read_text()
            code = text if page.suffix == ".py" else "".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
            printed |= set(re.findall(r"^\s*(?:import|from) (\w+)", code, re.M))
        others = {"boxwood", "boxwood_check", "sklearn", "pyspark", "ray", "dask", *sys.stdlib_module_names}
        self.assertIn("sklearn", printed)
        self.assertLessEqual(printed - others, pinned)
        self.assertIn("scikit-learn", pinned)

    def test_bill_of_materials_names_every_part(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "boxwood-0-py3-none-any.whl").write_bytes(b"wheel")
            command = [sys.executable, ROOT / "scripts/sbom.py", folder]
            bill = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        refs = " ".join(json.dumps(part) for part in bill["components"])
        pins = re.findall(r"GIT_TAG (\w+)", (ROOT / "cmake/dependencies.cmake").read_text())
        self.assertEqual(sum(pin in refs for pin in pins), len(pins) - 1, "all but GoogleTest")
        for name in ("nanobind", "scikit-build-core", "cmake", "ninja"):
            self.assertIn(f"pkg:pypi/{name}@", refs)
        self.assertEqual(len(bill["metadata"]["component"]["components"]), 1)


if __name__ == "__main__":
    unittest.main()
