"""Mixed questions to eight models from two threads for a long time: the same question has the same answer
every time, and the memory of the process does not grow.

    PYTHONPATH=build/dev/python python tests/soak.py [SECONDS]        1800 by default

`make test-long` runs it. It fails if an answer differs from the first one to the same question, if an
answer fails `verify`, or if the process needs over 5 % more memory at the end than after the first third.
"""

from __future__ import annotations

import hashlib
import os
import random
import statistics
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import boxwood
import numpy as np
import pandas

DATA = Path(__file__).resolve().parent / "data"
FILES = ("xgboost/3.4.1/binary_logistic_missing.ubj", "xgboost/3.4.1/multi_softmax.json",
         "xgboost/3.4.1/reg_squarederror.json", "lightgbm/2.2.3/binary_nan.txt",
         "lightgbm/2.2.3/regression_forest.txt", "catboost/1.1.1/logloss.json",
         "sklearn/1.3.2/bagging_three.json")
ROWS = 12
TIME_LIMIT = 20.0  # an answer that takes longer is counted, not compared


class Model:
    """An explainer with rows and, for each, a target that the row does not meet."""

    def __init__(self, name: str, explainer: boxwood.Explainer, rows: list) -> None:
        self.name = name
        self.explainer = explainer
        self.questions = [(row, self.target(row)) for row in rows]

    def target(self, row: object) -> object:
        now = self.explainer.predict(self.table([row]))[0]
        classes = self.explainer.core.ensemble(0).class_count
        if classes:
            labels = self.explainer._labels(0)
            return labels[(list(labels).index(now) + 1) % classes]
        return boxwood.Output(at_least=float(now) + 0.1 * (abs(float(now)) + 0.1))

    @staticmethod
    def table(rows: list) -> object:
        return np.stack(rows) if isinstance(rows[0], np.ndarray) else pandas.DataFrame(rows)

    def ask(self, kind: str, number: int) -> str | None:
        """Answer a question; return what must not change, or None where a limit came first."""
        row, target = self.questions[number]
        if kind == "explain":
            answers = [self.explainer.explain(row, target, time_limit=TIME_LIMIT)]
        elif kind == "verify":
            answers = [self.explainer.explain(row, target, time_limit=TIME_LIMIT)]
            faults = answers[0].verify()
            assert not faults, faults
        elif kind == "menu":
            menu = self.explainer.menu(row, 3, target, time_limit=TIME_LIMIT)
            if menu.stop != "finished":
                return None
            answers = list(menu)
        elif kind == "robustness":
            answers = [self.explainer.robustness(row, time_limit=TIME_LIMIT)]
        else:
            rows = self.table([each for each, _ in self.questions])
            answers = list(self.explainer.explain_batch(rows, target, show_progress=False,
                                                        time_limit=TIME_LIMIT))
        parts = []
        for answer in answers:
            if getattr(answer, "stop", "finished") != "finished":
                return None
            parts.append((str(getattr(answer, "status", "")), repr(getattr(answer, "cost", None)),
                          repr(getattr(answer, "radius", None)), repr(getattr(answer, "point", None))))
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def models() -> list[Model]:
    draw = np.random.default_rng(7)
    example = boxwood.examples.german_credit()
    found = [Model("german credit", example.explainer(), [row for _, row in pandas.DataFrame(example.data).iterrows()])]
    for file in FILES:
        explainer = boxwood.Explainer(DATA / file)
        width = len(explainer.schema.features)
        rows = [draw.normal(0, 1.5, width).round(2)
                for _ in range(ROWS)]
        found.append(Model(file, explainer, rows))
    return found


def memory() -> float:
    """Return the resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(seconds: float) -> int:
    asked = models()
    kinds = ("explain", "verify", "menu", "robustness", "batch")
    first: dict[tuple[str, str, int], str] = {}
    lock = threading.Lock()
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    start = time.monotonic()

    def work(seed: int) -> None:
        draw = random.Random(seed)
        while time.monotonic() - start < seconds and not wrong:
            model = draw.choice(asked)
            kind = draw.choices(kinds, (6, 3, 2, 2, 1))[0]
            number = draw.randrange(len(model.questions))
            try:
                answer = model.ask(kind, number)
            except Exception as error:  # whatever it is, the run has failed
                wrong.append(f"{model.name}, {kind}, row {number}: {error!r}")
                return
            with lock:
                counts["questions"] += 1
                if answer is None:
                    counts["stopped at the time limit"] += 1
                    continue
                earlier = first.setdefault((model.name, kind, number), answer)
                counts["compared with an earlier answer"] += earlier is not answer
                if earlier != answer:
                    wrong.append(f"{model.name}, {kind}, row {number}: another answer than before")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    samples: list[tuple[float, float]] = []
    while any(thread.is_alive() for thread in threads):
        samples.append(((time.monotonic() - start) / seconds, memory()))
        time.sleep(min(0.5, seconds / 100))
    for thread in threads:
        thread.join()
    early = statistics.median(m for at, m in samples if 0.3 <= at < 0.45) if not wrong else 0
    late = statistics.median(m for at, m in samples if at >= 0.85) if not wrong else 0
    growth = late / early - 1 if early else 0
    print(f"{seconds:.0f} s, {len(asked)} models, 2 threads: "
          + ", ".join(f"{count} {what}" for what, count in counts.items()))
    print(f"memory {early:.1f} MB after a third, {late:.1f} MB at the end ({growth:+.1%})")
    if growth > 0.05:
        wrong.append("the memory grew by over 5 %")
    for line in wrong:
        print("FAILED:", line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 1800))
