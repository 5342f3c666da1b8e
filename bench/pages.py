"""Replaces the part of a page that a benchmark writes. Standard library only."""


def write_block(page, mark, text):
    """Puts the text between `<!-- mark: begin -->` and `<!-- mark: end -->` of a file."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")
