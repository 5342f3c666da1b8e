"""Answers for the rows of a Spark frame, by `mapInArrow`.

    from boxwood import spark
    answers = spark.explain(applicants, explainer, "granted", key="id", fixed=["age"])
    answers.write.parquet("answers")

Every task gets the explainer with its function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from boxwood.errors import library
from boxwood.worker import Worker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from boxwood._question import Question
    from boxwood.explainer import Explainer


def explain(frame: Any, explainer: Explainer, target: Any = None, *, key: str,
            keep: Iterable[str] = (), why_not: bool = True, questions: bool = False,
            time: bool = False, **question: Unpack[Question]) -> Any:
    """Explain every row of a Spark frame, one thread a task.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Rows. Their number of partitions is the number of tasks: a few for each core.
    explainer : Explainer
        Who is asked; it is sent to the tasks.
    target, key, keep, why_not, questions, time
        As for `boxwood.worker.Worker`.
    **question
        As for `boxwood.worker.Worker`.

    Returns
    -------
    pyspark.sql.DataFrame
        One record for each row, docs/formats.md. It is lazy like every frame of Spark's.
    """
    types = library("pyspark.sql.pandas.types")
    worker = Worker(explainer, key, target=target, question=dict(question), keep=keep,
                    why_not=why_not, questions=questions, time=time, threads=1)
    source = types.to_arrow_schema(frame.schema)
    schema = types.from_arrow_schema(worker.schema(source))
    columns = [f"`{name.replace('`', '``')}`" for name in worker.columns(source)]
    return frame.select(*columns).mapInArrow(_Task(worker), schema)


class _Task:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        return map(self._worker, batches)
