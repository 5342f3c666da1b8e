"""Answers for the rows of a Ray dataset, by `map_batches` with an actor for each worker.

    from boxwood import ray
    answers = ray.explain(applicants, explainer, "granted", key="id", workers=2)
    answers.write_parquet("answers")

Every worker gets the explainer once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from boxwood._arguments import whole
from boxwood.errors import Error, library
from boxwood.worker import Worker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from boxwood._question import Question
    from boxwood.explainer import Explainer


class Actor:
    """A worker that Ray keeps alive; it gets the explainer once.

    Parameters
    ----------
    worker : Worker
        What explains a batch.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def __call__(self, table: Any) -> Any:
        """Explain a batch of rows, an Arrow table."""
        return self.worker(table)


def explain(dataset: Any, explainer: Explainer, target: Any = None, *, key: str,
            workers: int | tuple[int, int] = 2, batch_size: int = 2048, keep: Iterable[str] = (),
            why_not: bool = True, questions: bool = False, time: bool = False,
            **question: Unpack[Question]) -> Any:
    """Explain every row of a Ray dataset, one processor and one thread a worker.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Rows.
    explainer : Explainer
        Who is asked; every worker gets it once.
    target, key, keep, why_not, questions, time
        As for `boxwood.worker.Worker`.
    workers : int or tuple of int
        How many, or the fewest and the most.
    batch_size : int
        Rows at a time; every such batch goes to a worker that is free.
    **question
        As for `boxwood.worker.Worker`.

    Returns
    -------
    ray.data.Dataset
        One record for each row, docs/formats.md. It is lazy like every dataset of Ray's.
    """
    data = library("ray.data")
    worker = Worker(explainer, key, target=target, question=dict(question), keep=keep,
                    why_not=why_not, questions=questions, time=time, threads=1)
    known = dataset.schema()
    base = getattr(known, "base_schema", None)
    if not hasattr(base, "field"):
        raise Error("dataset", "its columns have no Arrow types",
                    "Make it with ray.data.read_parquet, from_arrow or from_pandas")
    worker.schema(base)
    pool = data.ActorPoolStrategy(size=whole(workers, "workers", 1)) \
        if isinstance(workers, int) else data.ActorPoolStrategy(min_size=workers[0],
                                                                max_size=workers[1])
    rows = whole(batch_size, "batch_size", 1)
    # A block goes to one worker as a whole, and a small file is one block.
    blocks = dataset.select_columns(worker.columns(base)).repartition(
        target_num_rows_per_block=rows)
    return blocks.map_batches(Actor, fn_constructor_args=(worker,), batch_format="pyarrow",
                              batch_size=rows, num_cpus=1, compute=pool)
