"""A portfolio: the answers to all rows of a table, in a folder of Parquet files, and its report.

    from boxwood import portfolio
    portfolio.run(explainer, "refused.parquet", "answers", key="id", target="granted")
    portfolio.report("answers", by=["sex"]).save("report.html")

``python -m boxwood portfolio --help`` does the same from a terminal.
"""

from __future__ import annotations

from boxwood.portfolio.manifest import Portfolio, load
from boxwood.portfolio.report import Report, report
from boxwood.portfolio.run import run

__all__ = ["Portfolio", "Report", "load", "report", "run"]
