"""The raw results of a run on disk: one JSON line for each answer, written as soon as it is known.

A run that was stopped goes on where it ended, and a run with more time or more tools adds to an
earlier one. A line cut off by the end of a process is dropped.
"""

import json

KEY = ("model", "tool", "norm", "threads")


class Store:
    """What earlier runs of the same name have measured, and what this one adds."""

    def __init__(self, file, settings):
        """`settings` must be those of the earlier runs, so that their figures can stand together."""
        self.file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        if lines and not complete(lines[-1]):
            lines.pop()
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        self._take_all(map(json.loads, lines))
        for earlier in self.sessions:
            if earlier["settings"] != settings:
                raise SystemExit(f"run.py: {file} has results with {earlier['settings']}, this run "
                                 f"has {settings}; give it another --name")

    def forget(self, tools):
        """Drops what these tools have measured, so that they are asked anew."""
        if not self.file.is_file():
            return
        lines = [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            if line["line"] == "session":
                line["tools"] = [tool for tool in line["tools"] if tool not in tools]
        kept = [line for line in lines if line["line"] == "model" or line.get("tools")
                or line.get("tool", line.get("facts", {}).get("tool")) not in {*tools, None}]
        self.file.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        self._take_all(kept)

    def add(self, **line):
        self._take(line)
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")

    def entry(self, key):
        return self.entries.get(key) or {**dict(zip(KEY, key)), "setup": None, "answers": [],
                                         "failed": None}

    def _take_all(self, lines):
        self.entries, self.models, self.batches, self.sessions = {}, {}, {}, []
        for line in lines:
            self._take(line)

    def _take(self, line):
        kind = line["line"]
        if kind == "session":
            self.sessions.append(line)
        elif kind == "model":
            self.models[line["facts"]["name"]] = line["facts"]
        elif kind == "batch":
            self.batches[line["facts"]["model"]] = line["facts"]
        else:
            key = tuple(line[part] for part in KEY)
            entry = self.entries.setdefault(key, self.entry(key))
            if kind == "answer":
                entry["answers"].append(line["answer"])
            else:  # setup, failed
                entry[kind] = line[kind]


def complete(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def spent(entry):
    """Seconds of processor time that the tool took for the answers of an entry."""
    return sum(answer["seconds"] or 0.0 for answer in entry["answers"])
