#!/usr/bin/env python3
"""Writes pages of the documentation from scripts: docs/index.py, docs/quickstart.py, docs/guides/*.py.

A script opens with its title and what the page is about. Then come cells: a line "# %%", prose as
comments, code. The page shows all of it, and below each cell what it printed and drew: pyplot's
figures, or one that its last line gives, as in a notebook. A cell "# %% console" holds commands as
comments ("# $ boxwood ..."), which run as well; of a cell "# %% hidden" only the figures are shown. The
scripts of NOTEBOOKS are also written as notebooks
with these outputs, docs/notebooks/NAME.ipynb.

    PYTHONPATH=build/dev/python python scripts/guides.py [--check] [--png FOLDER] [NAME...]

--check writes nothing and fails if a page or notebook shows something else, times aside; --png also
writes the pictures as PNG files. The command is BOXWOOD_COMMAND, or that of a build in build/.
"""
import argparse
import ast
import base64
import contextlib
import difflib
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
NOTEBOOKS = ("quickstart", "credit_refusal")
TIME = re.compile(r"(under )?\b[\d.]+ (ms|µs|s)\b")
# Readable on a light and on a dark page.
GREY, STYLE = "#808080", {
    "figure.figsize": (6.4, 3.2), "savefig.transparent": True, "svg.hashsalt": "boxwood",
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "figure.constrained_layout.use": True, "font.size": 10,
}


def scripts():
    """The scripts by name."""
    found = [DOCS / "index.py", DOCS / "quickstart.py", *sorted((DOCS / "guides").glob("*.py"))]
    return {path.stem: path for path in found}


def parts(path):
    """Title, introduction, and (kind, prose, code) of every cell: "", "console" or "hidden"."""
    source = path.read_text(encoding="utf-8")
    title, _, introduction = ast.get_docstring(ast.parse(source)).partition("\n")
    pieces = re.split(r"^# %%(.*)\n", source, flags=re.MULTILINE)
    cells = []
    for kind, text in zip(pieces[1::2], pieces[2::2], strict=True):
        lines = text.splitlines()
        count = next((i for i, line in enumerate(lines) if not line.startswith("#")
                      or line.startswith("# $")), len(lines))
        prose = "\n".join(line[2:] for line in lines[:count])
        cells.append((kind.strip(), prose, "\n".join(lines[count:]).strip("\n")))
    return title, introduction.strip(), cells


def command():
    """The command line's program."""
    known = [os.environ.get("BOXWOOD_COMMAND", ""),
             *(ROOT / "build" / preset / "bin" / "boxwood" for preset in ("dev", "release"))]
    return next((str(one) for one in known if str(one) and pathlib.Path(one).exists()), None)


def console(text):
    """What the commands of a cell print, as on a terminal."""
    shown = []
    for line in (line[2:] for line in text.splitlines() if line.startswith("# $ ")):
        words = shlex.split(line[2:])
        if words[0] != "boxwood":
            sys.exit(f"guides: {line}: only the command boxwood is run")
        done = subprocess.run([command(), *words[1:]], cwd=ROOT, text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"guides: {line}\n{done.stderr}")
        shown.append(f"{line}\n{done.stdout}")
    return "\n".join(shown)


def run(code, names, place):
    """What a cell prints, and what its last line gives; its mistakes name the place in the script."""
    tree, out, last = ast.parse(code, place), io.StringIO(), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    with contextlib.redirect_stdout(out):
        exec(compile(tree, place, "exec"), names)  # The scripts are ours.
        given = eval(compile(last, place, "eval"), names) if last else None
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()), given


def described(figure, otherwise):
    """What a figure shows, for those who cannot see it."""
    if figure.get_label() not in ("", "boxwood"):
        return figure.get_label()
    axes = figure.axes[0]
    head = axes.get_title(loc="left").replace("\n", ". ")
    across, up = axes.get_xlabel(), axes.get_ylabel()
    return head or (f"{up} by {across}" if across and up else otherwise)


def executed(path):
    """Run a script: (kind, prose, code, output, figures) of every cell."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    matplotlib.rcParams.update(STYLE)
    for key in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"):
        matplotlib.rcParams[key] = GREY
    names, cells = {"__name__": "__main__"}, []
    for kind, prose, code in parts(path)[2]:
        if kind == "console":
            cells.append((kind, prose, code, console(code).rstrip() + "\n", []))
            continue
        output, given = run(code, names, path.name)
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
        if isinstance(given, Figure) and given not in figures:
            figures.append(given)
        pyplot.close("all")
        cells.append((kind, prose, code, output, figures))
    return cells


def page(path, cells=None):
    """The text of a script's page, and its figures by file name."""
    title, introduction, _ = parts(path)
    text = [f"<!-- Made by scripts/guides.py from {path.name}: change that, not this. -->",
            f"# {title}", introduction]
    pictures, heading = {}, title
    for kind, prose, code, output, figures in cells or executed(path):
        text.append(prose)
        heading = ([heading] + re.findall(r"^##+ (.*)$", prose, re.MULTILINE))[-1]
        if kind == "console":
            text.append(f"```console\n{output}```")
            continue
        if code and kind != "hidden":
            text.append(f"```python\n{code}\n```")
        if output:
            text.append(f"```text\n{output}```")
        for figure in figures:
            name = f"img/{path.stem}_{len(pictures) + 1}.svg"
            pictures[name] = figure
            text.append(f"![{described(figure, heading)}]({name})")
    last = f"The script of this page is [{path.name}]({path.name})"
    if path.stem in NOTEBOOKS:
        beside = os.path.relpath(notebook_file(path), path.parent)
        last += f"; the same as a [notebook]({beside})"
    text.append(last + ".")
    return "\n\n".join(one for one in text if one) + "\n", pictures


def notebook_file(path):
    """Where the notebook of a script is written."""
    return DOCS / "notebooks" / f"{path.stem}.ipynb"


def notebook(path, cells):
    """The notebook of a script that has run, as JSON text."""
    import nbformat
    from nbformat import v4

    def moved(prose):
        """Prose with links that lead from the folder of the notebooks to where they led before."""
        def link(match):
            if "://" in match[1] or match[1].startswith("#"):
                return match[0]
            target = os.path.relpath(path.parent / match[1], notebook_file(path).parent)
            return f"]({target})"
        return re.sub(r"\]\(([^)\s]+)\)", link, prose)

    title, introduction, _ = parts(path)
    made = [v4.new_markdown_cell(f"# {title}\n{moved(introduction)}")]
    for kind, prose, code, output, figures in cells:
        if prose:
            made.append(v4.new_markdown_cell(moved(prose)))
        outputs = []
        if kind == "console":
            code = "\n".join("!" + line[4:] for line in code.splitlines())
            output = "".join(line + "\n" for line in output.splitlines()
                             if not line.startswith("$ "))
        if output:
            outputs.append(v4.new_output("stream", text=output))
        for figure in figures:
            drawn = io.BytesIO()
            figure.savefig(drawn, format="png", dpi=100, facecolor="white", transparent=False)
            data = {"image/png": base64.b64encode(drawn.getvalue()).decode(),
                    "text/plain": described(figure, title)}
            outputs.append(v4.new_output("display_data", data=data))
        if code:
            made.append(v4.new_code_cell(code, outputs=outputs,
                                         execution_count=sum(c.cell_type == "code"
                                                             for c in made) + 1))
    for number, cell in enumerate(made):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = v4.new_notebook(cells=made, metadata={"kernelspec": kernel})
    nbformat.validate(whole)
    return nbformat.writes(whole) + "\n"


def without_pictures(text):
    """A notebook's text without the bytes of its pictures, which differ between machines."""
    return re.sub(r'("image/png": )"[^"]*"', r'\1"…"', text)


def masked(text):
    """The text without what differs from run to run."""
    return TIME.sub("TIME", text)


def check(path):
    """Compare a page with a fresh run: the differences, or nothing."""
    cells = executed(path)
    text, pictures = page(path, cells)
    shown = path.with_suffix(".md")
    old = shown.read_text(encoding="utf-8") if shown.exists() else ""
    wrong = list(difflib.unified_diff(masked(old).splitlines(), masked(text).splitlines(),
                                      "the page", "the run", lineterm="", n=1))
    wrong += [f"{name} is missing" for name in pictures if not (path.parent / name).exists()]
    if path.stem in NOTEBOOKS and path.is_relative_to(DOCS):
        file = notebook_file(path)
        there = without_pictures(file.read_text(encoding="utf-8")) if file.exists() else ""
        fresh = without_pictures(notebook(path, cells))
        wrong += difflib.unified_diff(masked(there).splitlines(), masked(fresh).splitlines(),
                                      "the notebook", "the run", lineterm="", n=1)
    return "\n".join(wrong)


def write(path, png):
    """Write a page and its pictures."""
    cells = executed(path)
    text, pictures = page(path, cells)
    if path.stem in NOTEBOOKS:
        file = notebook_file(path)
        file.parent.mkdir(exist_ok=True)
        file.write_text(notebook(path, cells), encoding="utf-8")
    shown = path.with_suffix(".md")
    if not shown.exists() or masked(shown.read_text(encoding="utf-8")) != masked(text):
        shown.write_text(text, encoding="utf-8")
    for name, figure in pictures.items():
        target = path.parent / name
        target.parent.mkdir(exist_ok=True)
        figure.savefig(target, metadata={"Date": None})
        if png:
            figure.savefig(png / f"{target.stem}.png", dpi=110, facecolor="white")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true")
    options.add_argument("--png", type=pathlib.Path)
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    if given.png:
        given.png = given.png.resolve()
        given.png.mkdir(exist_ok=True)
    known, failed = scripts(), False
    if unknown := set(given.names) - set(known):
        options.error(f"no page {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if command() is None:
        options.error("no command: set BOXWOOD_COMMAND, or build it")
    os.chdir(ROOT)
    # Threads that wait for each other crawl where the machine has other work.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in given.names or known:
        if not given.check:
            write(known[name], given.png)
        elif wrong := check(known[name]):
            failed = True
            print(f"docs: {known[name].with_suffix('.md').name} has drifted; "
                  f"run scripts/guides.py {name}\n{wrong}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
