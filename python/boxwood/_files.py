"""Writing whole files: the old content stays until the new one is complete."""

from __future__ import annotations

import os
from pathlib import Path


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Replace a file as a whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The file.
    content : str or bytes
        All of it; texts are written as UTF-8.
    """
    import tempfile  # here, because it loads four compressors, which takes longer than a question

    target = Path(path)
    if target.exists() and not target.is_file():  # a pipe or /dev/stdout cannot be replaced
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return
    target = Path(os.path.realpath(target))  # a link stays a link
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
