"""Cases of libraries that are too heavy for every run: trained in `make test-matrix`, recorded otherwise.

A recorded case is a file in tests/data/<library>/<version>: the parts of the fitted model that Boxwood
reads, or the library's own file, with rows and the library's raw scores. Every run converts these.
`support_live_test.py --family NAME --record` trains the models and writes the files.
"""

import atexit
import base64
import dataclasses
import json
import pathlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from support_case import DATA, Case, Sample

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))


@dataclasses.dataclass(frozen=True)
class RecordedCase(Case):
    """`live` trains: a model, names of columns, rows and raw scores. `kept`: the attributes that matter."""

    live: Callable[[], tuple] | None = None
    kept: tuple = ()
    single: bool = False  # the library's scores are float32

    def files(self):
        slug = re.sub(r"[^a-z0-9]+", "_", f"{self.group} {self.name}".lower()).strip("_")
        return sorted((DATA / self.family).glob(f"*/{slug}.json")), f"{slug}.json"

    def sample(self, recorded=None):
        """The case as support_live_test.py takes it; without a record it is trained."""
        import boxwood
        if recorded is None:
            model, names, rows, scores = self.live()
        else:
            content = json.loads(recorded.read_text(encoding="utf-8"))
            model, names = restored(content["model"]), content["names"]
            rows, scores = content["rows"], content["scores"]
        made = boxwood.model_bytes(model)
        if self.message:
            return Sample(made)
        rows = [[np.nan if cell is None else cell for cell in row] for row in plain(rows)]
        return Sample(made, names, rows, np.asarray(scores, dtype=np.float64).reshape(len(rows), -1),
                      self.single)

    def record(self, version):
        model, names, rows, scores = self.live()
        path = DATA / self.family / version / self.files()[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"model": encoded(model, self.kept), "names": names, "rows": plain(rows),
                   "scores": plain(scores)}
        path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


def case(family, group, name, live, kept=(), message=None, single=False):
    return RecordedCase(family, group, name, live, message, live=live, kept=tuple(kept), single=single)


def plain(values):
    """Lists of numbers and words; missing values are null."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy(dtype=object)
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return [plain(value) for value in values]
    if values is None or (isinstance(values, float) and np.isnan(values)):
        return None
    return values.item() if hasattr(values, "item") else values


def encoded(value, kept):
    """JSON of the parts of a model."""
    if isinstance(value, pathlib.Path):
        files = [value] if value.is_file() else sorted(one for one in value.rglob("*") if one.is_file())
        return {"files": {str(one.relative_to(value)): base64.b64encode(one.read_bytes()).decode()
                          for one in files if not one.name.endswith(".crc") and one.name != "_SUCCESS"}}
    if isinstance(value, np.ndarray):
        return {"array": [encoded(one, kept) for one in value.tolist()], "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"entries": [[encoded(key, kept), encoded(one, kept)] for key, one in value.items()]}
    if isinstance(value, (list, tuple)):
        return [encoded(one, kept) for one in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, type):
        return {"type": [[base.__module__, base.__name__] for base in value.__mro__[:-1]],
                "parts": {name: encoded(getattr(value, name), kept) for name in kept
                          if hasattr(value, name)}}
    bases = [[base.__module__, base.__name__] for base in type(value).__mro__[:-1]]
    return {"bases": bases, "parts": {name: encoded(getattr(value, name), kept) for name in kept
                                      if hasattr(value, name)}}


def restored(value: Any) -> Any:
    """What `encoded` was given; objects have the names of their classes and the parts that were kept."""
    if isinstance(value, list):
        return [restored(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "files" in value:
        if list(value["files"]) == ["."]:
            return base64.b64decode(value["files"]["."])
        folder = pathlib.Path(tempfile.mkdtemp(prefix="boxwood-recorded-"))
        atexit.register(shutil.rmtree, folder)
        for name, text in value["files"].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(base64.b64decode(text))
        return folder
    if "array" in value:
        return np.array(restored(value["array"]), dtype=value["dtype"])
    if "entries" in value:
        return {restored(key): restored(one) for key, one in value["entries"]}
    kind = object
    for module, name in reversed(value.get("bases") or value["type"]):
        kind = type(name, (kind,), {"__module__": module})
    made = kind() if "bases" in value else kind
    for name, part in value["parts"].items():
        setattr(made, name, restored(part))
    return made


def rows_around(columns, count, seed=7):
    """Rows in which every candidate of every column occurs, among random ones."""
    rng = np.random.default_rng(seed)
    count = max(count, *map(len, columns))
    made = []
    for candidates in columns:
        picks = np.concatenate([np.arange(len(candidates)),
                                rng.integers(0, len(candidates), count - len(candidates))])
        made.append([candidates[pick] for pick in rng.permutation(picks)])
    return [list(row) for row in zip(*made, strict=True)]


def neighbours(thresholds, single=False):
    """Thresholds, the numbers next to them, and the ends of the scale."""
    kind = np.float32 if single else np.float64
    own = np.unique(np.asarray(thresholds, dtype=kind))
    near = [own, np.nextafter(own, kind(np.inf)), np.nextafter(own, kind(-np.inf)),
            np.array([0.0, 1e30, -1e30], dtype=kind)]
    return np.unique(np.concatenate(near)).astype(np.float64).tolist()
