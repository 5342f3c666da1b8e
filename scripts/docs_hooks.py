"""Hooks of mkdocs.

Pages also link to files of the source tree, which the site does not hold. Such a link becomes its
text, and the file's name where the text does not say it. A file that does not exist stays a link, so
that the strict build fails on it as on any other.

Reports of experiments become a section of their own, as they come: docs/experiments/README.md is its
first page, the others follow by name.

Where `make page` has built the page for browsers, the site contains it, and its front page shows it.
"""
import os
import pathlib
import re
import shutil

BUILT = pathlib.Path(__file__).resolve().parent.parent / "build" / "page" / "index.html"
DEMO = """
## Try it
This is [the page](page.md) with the example inside. It runs in your browser and sends nothing anywhere.

<iframe src="demo.html" title="Boxwood in the browser: the German credit example" loading="lazy"
  style="width: 100%; height: 48rem; border: 1px solid #8886; border-radius: 8px"></iframe>

"""
LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s#]+)(?:#[^)\s]*)?\)")


def on_config(config, **_):
    """Add the section of the experiments, where there are any."""
    docs = pathlib.Path(config.docs_dir)
    reports = sorted((docs / "experiments").glob("**/*.md"),
                     key=lambda path: (path.name != "README.md", path))
    if reports:
        after = 1 + next(i for i, entry in enumerate(config.nav) if "Guides" in entry)
        config.nav.insert(after, {"Experiments": [path.relative_to(docs).as_posix()
                                                  for path in reports]})


def on_page_markdown(markdown, page, config, **_):
    """Replace the links of a page that leave the folder of the documentation."""
    docs = pathlib.Path(config.docs_dir)
    folder = (docs / page.file.src_uri).parent
    if page.file.src_uri == "index.md" and BUILT.exists():
        markdown = markdown.replace("\n## ", DEMO + "\n## ", 1)

    def shown(match):
        target = pathlib.Path(os.path.normpath(folder / match[2]))
        if target.is_relative_to(docs) or not target.exists():
            return match[0]
        name = target.relative_to(docs.parent).as_posix()
        return f"`{name}`" if match[1].strip("`") in (name, target.name) else f"{match[1]} (`{name}`)"

    return LINK.sub(shown, markdown)


def on_post_build(config, **_):
    """Copy the page for browsers into the site."""
    if BUILT.exists():
        shutil.copy(BUILT, pathlib.Path(config.site_dir) / "demo.html")
