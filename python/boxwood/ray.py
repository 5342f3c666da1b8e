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
        """Explain a batch of rows.

        Parameters
        ----------
        table : pyarrow.Table
            Rows.

        Returns
        -------
        pyarrow.Table
            One record for each row.
        """
        return self.worker(table)


def explain(dataset: Any, explainer: Explainer, target: Any = None, *, key: str,
            workers: int | tuple[int, int] = 2, batch_size: int = 1024, keep: Iterable[str] = (),
            why_not: bool = True, questions: bool = False, time: bool = False,
            **question: Unpack[Question]) -> Any:
    """Explain every row of a Ray dataset, one processor and one thread a worker.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Rows.
    explainer : Explainer
        Who is asked; every worker gets it once.
    target : object, optional
        As for `Explainer.explain`.
    key : str
        The column that identifies a row. Every row gives one record, also where batches are run
        again because a worker was lost; keys are not checked for repetitions.
    workers : int or tuple of int
        How many, or the fewest and the most.
    batch_size : int
        Rows at a time.
    keep : iterable of str
        Further columns that go into the records as they are.
    why_not : bool
        For rows without an admissible change, find the rules that block it.
    questions : bool
        Keep the whole question of each row, not only its hash.
    time : bool
        Add a time stamp.
    **question
        As for `Explainer.explain`. With `node_limit` in place of `time_limit` a second run gives
        the same answers, whatever the load of the machines.

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
    return dataset.select_columns(worker.columns(base)).map_batches(
        Actor, fn_constructor_args=(worker,), batch_format="pyarrow",
        batch_size=whole(batch_size, "batch_size", 1), num_cpus=1, compute=pool)
