"""Text from outside made safe to print, as the core prints it (src/base/text.hpp)."""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 600  # characters of a part of a message
# Control characters, marks that change the direction of the writing, line separators, and halves of
# surrogate pairs, which cannot be printed.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
                    "\ud800-\udfff]")


def printable(text: str, keep: str = "") -> str:
    """Return text as it may be printed: short, with escapes in place of hidden characters.

    Parameters
    ----------
    text : str
        From anywhere.
    keep : str
        Hidden characters that stay as they are.

    Returns
    -------
    str
        A text without hidden characters; the middle of a long one is left out.
    """
    if len(text) > LONGEST:
        first, last = LONGEST * 2 // 3, len(text) - LONGEST // 3
        text = f"{text[:first]} … {last - first} characters … {text[last:]}"

    def escape(found: re.Match[str]) -> str:
        return found[0] if found[0] in keep else found[0].encode("unicode_escape").decode()

    return HIDDEN.sub(escape, text)


def printable_facts(value: Any) -> Any:
    """Return a copy of lists and dicts in which all texts are printable, keys included."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable_facts(key): printable_facts(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [printable_facts(one) for one in value]
    return value


def json_text(value: Any, **options: Any) -> str:
    r"""Write JSON in which all hidden characters of texts are written like ``\u202e``."""
    # Outside of texts there are line breaks only, and inside of them json has escaped those.
    return HIDDEN.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}",
                      json.dumps(value, ensure_ascii=False, **options))
