"""Answers for the rows of a Dask frame, by `map_partitions`.

    from boxwood import dask
    answers = dask.explain(applicants, explainer, "granted", key="id", fixed=["age"])
    answers.to_parquet("answers")

Every partition is answered by one thread.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    """Explain every row of a Dask frame, one thread a partition.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Rows.
    explainer : Explainer
        Who is asked; it is sent with the tasks.
    target, key, keep, why_not, questions, time
        As for `boxwood.worker.Worker`.
    **question
        As for `boxwood.worker.Worker`.

    Returns
    -------
    dask.dataframe.DataFrame
        One record for each row, docs/formats.md, in Arrow's types. It is lazy.
    """
    library("dask.dataframe")
    arrow = library("pyarrow")
    worker = Worker(explainer, key, target=target, question=dict(question), keep=keep,
                    why_not=why_not, questions=questions, time=time, threads=1)
    source = arrow.Schema.from_pandas(frame._meta, preserve_index=False)
    empty = _frame(worker.schema(source).empty_table())
    return frame[worker.columns(source)].map_partitions(_Part(worker), meta=empty)


def _frame(table: Any) -> Any:
    return table.to_pandas(types_mapper=library("pandas").ArrowDtype)


class _Part:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def __call__(self, part: Any) -> Any:
        table = library("pyarrow").Table.from_pandas(part, preserve_index=False)
        return _frame(self._worker(table))
