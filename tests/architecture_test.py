"""Checks that the tree is built as ARCHITECTURE.md says.

Includes point only upstream between folders, public headers need nothing but each other and the
standard library, no file has grown past 600 lines, none names a place on somebody's machine, the
sources of the page use nothing that its compiler lacks, and no pointer is cast to a stricter alignment.
The second half plants each fault in a small tree and expects it to be found.
"""
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_LINES = 600
# The checker of proofs is one file, so that it can be read, copied and run by itself.
LONGER = {pathlib.Path("checker/boxwood_check.py"): 1050}
PROGRAM_SUFFIXES = {".cpp", ".hpp", ".in", ".py", ".sh", ".cmake", ".ts", ".tsx", ".mjs", ".css", ".html"}
TEXT_SUFFIXES = PROGRAM_SUFFIXES | {".md", ".txt", ".json", ".csv", ".cff", ".yml", ".supp", ""}
IGNORED_FOLDERS = {".git", ".venv", ".cache", "build", "node_modules", "__pycache__", ".hypothesis", ".mypy_cache",
                   ".pytest_cache", ".ruff_cache"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
# Written so that this file does not name such a place itself.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:" + "|".join(["work", "tmp", "home", "root", "Users"]) + r")/\w")
CAST = re.compile(r"\breinterpret_cast<[^>]*>|\bstatic_cast<[^>]*\*(?: ?const)?>")
BYTES = re.compile(r"<(?:const )?(?:unsigned char|char|std::byte|void)(?: const)? ?\*>$")
STANDARD_HEADER = re.compile(r"[a-z0-9_]+")
# The page is compiled with the standard library of emscripten 3.1.6 (libc++ 13), which lacks these of C++20.
MISSING_ON_THE_PAGE = re.compile(
    r"\bstd::(?:ranges|views|format|vformat|format_to|bit_cast|atomic_ref|jthread|stop_token|stop_source|source_location|pmr|"
    r"execution|osyncstream|make_unique_for_overwrite|make_shared_for_overwrite)\b"
    r"|^\s*#\s*include\s*<(?:ranges|format|source_location|stop_token|syncstream|memory_resource|execution)>")


def table(text, first_column):
    """The cells of the table in a Markdown text whose head begins with `first_column`."""
    rows = []
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == first_column:
            inside = True
        elif inside and not set(cells[0]) <= set("-: "):
            rows.append(cells)
    return rows


class Architecture:
    """What ARCHITECTURE.md promises: folders in order, what each may include, headers' folders."""

    def __init__(self, text):
        self.may_include = {}   # folder -> {folder: True where only public headers}
        self.header_folder = {}
        self.faults = []
        for name, _, allowed in table(text, "folder"):
            entries = {}
            for entry in allowed.split(","):
                match = re.fullmatch(r"(\w+)( \(public\))?", entry.strip())
                if match:
                    entries[match[1]] = bool(match[2])
                elif entry.strip() not in ("–", "-", ""):
                    self.faults.append(f'ARCHITECTURE.md: "{entry.strip()}" in the row {name}')
            # The order of the rows is the order of the stream: no row names a later one.
            for other in entries:
                if other not in self.may_include:
                    self.faults.append(
                        f"ARCHITECTURE.md: {name} may include {other}, which is not a row above it")
            self.may_include[name] = entries
        for header, folder in table(text, "header"):
            self.header_folder[header] = folder
        if not self.may_include or not self.header_folder:
            self.faults.append("ARCHITECTURE.md: the table of folders or of headers is missing")

    def allows(self, source, target, public):
        if source == target:
            return True
        entry = self.may_include.get(source, {}).get(target)
        return entry is not None and (public or not entry)


def files_below(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not IGNORED_FOLDERS & set(parts):
            yield path


def include_faults(root, architecture):
    faults = list(architecture.faults)
    folders = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    for name in sorted(folders ^ set(architecture.may_include)):
        where = "src/" if name in folders else "ARCHITECTURE.md"
        faults.append(f"the folder {name} is only in {where}")
    headers = {path.name for path in (root / "include/boxwood").glob("*.hpp")} | {"version.hpp"}
    for name in sorted(headers ^ set(architecture.header_folder)):
        where = "include/boxwood/" if name in headers else "ARCHITECTURE.md"
        faults.append(f"the header {name} is only in {where}")

    for path in files_below(root / "src"):
        if path.suffix in (".cpp", ".hpp"):
            folder = path.relative_to(root / "src").parts[0]
            faults += faults_of_file(root, path, folder, architecture)
    for path in files_below(root / "include"):
        folder = architecture.header_folder.get(path.name)
        if folder in architecture.may_include:
            faults += faults_of_file(root, path, folder, architecture)
        for quoted, angled in INCLUDE.findall(path.read_text()):
            if quoted or not (angled.startswith("boxwood/") or STANDARD_HEADER.fullmatch(angled)):
                faults.append(f"{path.relative_to(root)}: a public header includes "
                              f"{quoted or angled}, which an installed package does not have")
    return faults + extension_faults(root, architecture)


def extension_faults(root, architecture):
    """The Python extension uses the library as anybody may: by its public headers."""
    faults = []
    folder = root / "python/src"
    for path in files_below(folder) if folder.is_dir() else ():
        for quoted, angled in INCLUDE.findall(path.read_text()):
            if angled.startswith("boxwood/") and angled[len("boxwood/"):] in architecture.header_folder:
                continue
            if (folder / quoted).is_file() if quoted else (
                    angled.startswith("nanobind/") or STANDARD_HEADER.fullmatch(angled)):
                continue
            faults.append(f"{path.relative_to(root)}: the extension may not include "
                          f"{quoted or angled}")
    return faults


def faults_of_file(root, path, folder, architecture):
    faults = []
    place = path.relative_to(root)
    for quoted, angled in INCLUDE.findall(path.read_text()):
        if quoted:
            if ".." in quoted or not (root / "src" / quoted).is_file():
                faults.append(f'{place}: "{quoted}" is not a file below src/')
                continue
            target, public = quoted.split("/")[0], False
        elif angled.startswith("boxwood/"):
            target, public = architecture.header_folder.get(angled[len("boxwood/"):]), True
            if target is None:
                faults.append(f"{place}: <{angled}> is not a public header")
                continue
        else:
            continue
        if not architecture.allows(folder, target, public):
            faults.append(f"{place}: {folder} may not include {quoted or angled}"
                          + ("" if public else " (ARCHITECTURE.md, Folders)"))
    return faults


def text_faults(root):
    faults = []
    for path in files_below(root):
        if path.suffix not in TEXT_SUFFIXES and path.name not in ("CMakeLists.txt", "Makefile"):
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        place = path.relative_to(root)
        most = LONGER.get(place, MOST_LINES)
        if path.suffix in PROGRAM_SUFFIXES and len(lines) > most:
            faults.append(f"{place}: {len(lines)} lines; past {most} it is two things")
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                faults.append(f"{place}:{number}: names a place on somebody's machine")
    return faults


def page_faults(root):
    """What GCC accepts in the sources of the page and emscripten does not: better known now than when the page is built."""
    for folder in ("include", "src", "checker", "page/core"):
        for path in files_below(root / folder) if (root / folder).is_dir() else ():
            if path.suffix not in (".cpp", ".hpp"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if found := MISSING_ON_THE_PAGE.search(line.split("//")[0]):
                    yield (f"{path.relative_to(root)}:{number}: the page's compiler (emscripten 3.1.6) has no "
                           f"{found[0].strip()}: write it without, for instance std::none_of(begin, end, …)")


def cast_faults(root):
    """No pointer is cast to a type of stricter alignment, for which the sanitizers do not look (cmake/compiler.cmake)."""
    for folder in ("include", "src", "checker"):
        for path in files_below(root / folder) if (root / folder).is_dir() else ():
            if path.suffix in (".cpp", ".hpp"):
                for cast in CAST.findall(path.read_text(encoding="utf-8")):
                    if not BYTES.search(cast):
                        yield f"{path.relative_to(root)}: {cast}: cast pointers to bytes only, and copy with std::memcpy"


def namespace_faults(root):
    """The files of a group of tests are compiled together, so each needs a namespace of its own."""
    for path in sorted((root / "tests").glob("*_test.cpp")):
        text = path.read_text(encoding="utf-8")
        alone = "operator new(" in text  # such a file is a group of its own
        if not alone and (re.search(r"^namespace \{", text, re.MULTILINE) or f"namespace {path.stem} {{" not in text):
            yield f"{path.relative_to(root)}: put everything into namespace {path.stem}, not an unnamed one"


def all_faults(root):
    architecture = Architecture((root / "ARCHITECTURE.md").read_text())
    return [*include_faults(root, architecture), *text_faults(root), *namespace_faults(root), *page_faults(root),
            *cast_faults(root)]


class TheTree(unittest.TestCase):
    def test_is_built_as_architecture_md_says(self):
        faults = all_faults(ROOT)
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_was_looked_at(self):
        sources = [path for path in files_below(ROOT / "src") if path.suffix == ".cpp"]
        self.assertGreater(len(sources), 10)


class PlantedFaults(unittest.TestCase):
    """Each test plants one fault in a sound little tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("ARCHITECTURE.md",
                   "| folder | what it holds | may include |\n|---|---|---|\n"
                   "| base | errors | – |\n| query | questions | base |\n"
                   "| grid | cells | base, query |\n| verify | checks | base, query (public) |\n\n"
                   "| header | folder |\n|---|---|\n| error.hpp | base |\n| query.hpp | query |\n"
                   "| version.hpp | base |\n| boxwood.hpp | all of them |\n")
        self.write("include/boxwood/error.hpp", "#include <string>\n")
        self.write("include/boxwood/query.hpp", "#include <boxwood/error.hpp>\n")
        self.write("include/boxwood/boxwood.hpp", "#include <boxwood/query.hpp>\n")
        self.write("src/base/text.hpp", "#include <boxwood/version.hpp>\n")
        self.write("src/query/terms.hpp", '#include "base/text.hpp"\n')
        self.write("src/grid/cells.cpp", '#include <boxwood/query.hpp>\n#include "query/terms.hpp"\n')
        self.write("src/grid/cells.hpp", "#include <vector>\n")
        self.write("src/verify/verify.cpp", '#include <boxwood/query.hpp>\n#include "base/text.hpp"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, fault):
        faults = all_faults(self.root)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(fault, faults[0])

    def test_none_in_the_sound_tree(self):
        self.assertEqual(all_faults(self.root), [])

    def test_downstream_include(self):
        self.write("src/base/text.hpp", '#include "query/terms.hpp"\n')
        self.expect("base may not include query/terms.hpp")

    def test_downstream_public_header(self):
        self.write("src/base/text.hpp", "  #  include <boxwood/query.hpp>\n")
        self.expect("base may not include boxwood/query.hpp")

    def test_everything_header_inside_the_library(self):
        self.write("src/grid/cells.hpp", "#include <boxwood/boxwood.hpp>\n")
        self.expect("grid may not include boxwood/boxwood.hpp")

    def test_public_header_that_points_downstream(self):
        self.write("include/boxwood/error.hpp", "#include <boxwood/query.hpp>\n")
        self.expect("base may not include boxwood/query.hpp")

    def test_verify_using_the_grid(self):
        self.write("src/verify/verify.cpp", '#include "grid/cells.hpp"\n')
        self.expect("verify may not include grid/cells.hpp")

    def test_verify_using_a_private_header_of_query(self):
        self.write("src/verify/verify.cpp", '#include "query/terms.hpp"\n')
        self.expect("verify may not include query/terms.hpp")

    def test_public_header_with_a_foreign_library(self):
        self.write("include/boxwood/query.hpp", "#include <fmt/format.h>\n")
        self.expect("a public header includes fmt/format.h")

    def test_include_by_relative_path(self):
        self.write("src/grid/cells.hpp", '#include "../query/terms.hpp"\n')
        self.expect("is not a file below src/")

    def test_extension_that_includes_what_is_not_public(self):
        self.write("python/src/model.cpp", '#include <boxwood/error.hpp>\n#include <vector>\n')
        self.write("python/src/query.cpp", '#include "grid/cells.hpp"\n')
        self.expect("python/src/query.cpp: the extension may not include grid/cells.hpp")

    def test_folder_without_a_row(self):
        self.write("src/extra/new.cpp", "\n")
        self.expect("the folder extra is only in src/")

    def test_header_without_a_row(self):
        self.write("include/boxwood/new.hpp", "\n")
        self.expect("the header new.hpp is only in include/boxwood/")

    def test_row_that_points_downstream(self):
        page = self.root / "ARCHITECTURE.md"
        page.write_text(page.read_text().replace("| base | errors | – |", "| base | errors | grid |"))
        self.expect("base may include grid, which is not a row above it")

    def test_file_that_grew_too_long(self):
        self.write("src/grid/cells.cpp", "\n" * (MOST_LINES + 1))
        self.expect("src/grid/cells.cpp: 601 lines")

    def test_unnamed_namespace_in_a_test(self):
        self.write("tests/cells_test.cpp", "namespace {\nint helper();\n}\n")
        self.expect("tests/cells_test.cpp: put everything into namespace cells_test")

    def test_what_the_compiler_of_the_page_lacks(self):
        for text in ("#include <ranges>\n", "bool b = std::ranges::none_of(all, odd);\n", "auto t = std::format(\"\");\n",
                     "auto u = std::bit_cast<int>(f);\n"):
            self.write("src/grid/cells.cpp", text + "// std::ranges and std::format may be talked about\n")
            self.expect("src/grid/cells.cpp:1: the page's compiler (emscripten 3.1.6) has no")
        self.write("src/grid/cells.cpp", "std::formatter_of(1); fmt::format(\"\"); std::midpoint(1, 2);\n")
        self.assertEqual(all_faults(self.root), [])

    def test_cast_to_a_stricter_alignment(self):
        self.write("src/grid/cells.cpp", "auto* a = reinterpret_cast<const unsigned char*>(b);\n")
        self.assertEqual(all_faults(self.root), [])
        for cast in ("reinterpret_cast<const double*>", "static_cast<std::uint32_t *>"):
            self.write("src/grid/cells.cpp", f"auto* a = {cast}(b);\n")
            self.expect(f"src/grid/cells.cpp: {cast}: cast pointers to bytes only")

    def test_machine_path(self):
        self.write("docs/page.md", "fine\nread it from /" + "home/somebody/model.json\n")
        self.expect("docs/page.md:2: names a place on somebody's machine")


if __name__ == "__main__":
    unittest.main()
