"""Installs the build into a fresh prefix and uses it from there as a stranger would.

The consumer project beside this file sees only the prefix: it finds the package, compiles every
installed header alone, builds and runs a small program, and builds and runs the program of
README.md. A header that needs a private one, or a dependency the package does not name, fails.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def expect(condition, message):
    if not condition:
        sys.exit(message)


def readme_programs(text):
    """The C++ blocks of a Markdown page that are whole programs."""
    blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for block in blocks if "int main" in block]


def formats_model(text):
    """The model file that docs/formats.md shows."""
    blocks = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if "boxwood_model" in block)


def check_installed_files(prefix):
    headers = sorted(path.relative_to(prefix / "include").as_posix()
                     for path in (prefix / "include").rglob("*") if path.is_file())
    promised = sorted(f"boxwood/{path.name}" for path in (SOURCE / "include/boxwood").glob("*.hpp"))
    promised = sorted(promised + ["boxwood/version.hpp"])
    expect(headers == promised, f"installed headers {headers}, expected {promised}")
    expect(list(prefix.rglob("doc/boxwood/LICENSE")), "LICENSE is not in the doc folder")
    for config in prefix.rglob("cmake/boxwood/*.cmake"):
        text = config.read_text()
        for place in (SOURCE, os.environ["BOXWOOD_BUILD_DIR"]):
            expect(str(place) not in text, f"{config.name} names the build machine's {place}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("cmake", "generator", "compiler", "flags", "version"):
        parser.add_argument(f"--{option}", required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run(arguments.cmake, "--install", os.environ["BOXWOOD_BUILD_DIR"],
            "--prefix", work / "first")
        # Moved after installing: nothing in the package may depend on where it was put.
        prefix = work / "moved"
        shutil.move(work / "first", prefix)
        check_installed_files(prefix)

        command = prefix / "bin" / "boxwood"
        if os.environ.get("BOXWOOD_COMMAND"):
            said = run(command, "--version")
            expect(arguments.version in said, f"boxwood --version says {said!r}")

        programs = readme_programs((SOURCE / "README.md").read_text())
        expect(programs, "README.md shows no whole C++ program")
        for number, program in enumerate(programs, 1):
            (work / f"readme_{number}.cpp").write_text(program)
        run(arguments.cmake, "-S", HERE, "-B", work / "build", "-G", arguments.generator,
            f"-DCMAKE_CXX_COMPILER={arguments.compiler}", f"-DCMAKE_CXX_FLAGS={arguments.flags}",
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DBOXWOOD_VERSION={arguments.version}",
            f"-DREADME_PROGRAMS={';'.join(str(path) for path in work.glob('readme_*.cpp'))}")
        run(arguments.cmake, "--build", work / "build")
        print(run(work / "build" / "consumer"), end="")
        model = work / "model.json"
        model.write_text(formats_model((SOURCE / "docs" / "formats.md").read_text()))
        for number in range(1, len(programs) + 1):
            said = run(work / "build" / f"readme_{number}", model)
            expect(said == "optimal, cost 0\n", f"program {number} of README.md says {said!r}")


if __name__ == "__main__":
    main()
