"""Score NLI models on MERGE data sets: sample accuracy, pattern accuracy, and reports on them.

    from scoring import score

    result = score("demo:nli-a", "demo:dataset")
    result.qt

Imports are lazy, so that `import scoring` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from merge_snli.shadowing import check_not_shadowed

if TYPE_CHECKING:
    from scoring.api import score
    from scoring.reports.analysis.analyze import analyze
    from scoring.reports.figures import draw_curves
    from scoring.results.files import read_result, read_results
    from scoring.results.result import Result
    from scoring.results.score_table import score_table

__all__ = [
    "Result",
    "analyze",
    "draw_curves",
    "read_result",
    "read_results",
    "score",
    "score_table",
]

check_not_shadowed("metrics")

_HOMES = {
    "Result": "scoring.results.result",
    "analyze": "scoring.reports.analysis.analyze",
    "draw_curves": "scoring.reports.figures",
    "read_result": "scoring.results.files",
    "read_results": "scoring.results.files",
    "score": "scoring.api",
    "score_table": "scoring.results.score_table",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function or a class
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
