"""Generate, read, score and compare MERGE data sets.

    import merge_snli as merge

    data = merge.load("demo:dataset")
    result = merge.score("demo:nli-a", data)
    result.pattern_accuracy, result.interval

The names in `__all__` are the public API. They are imported on first use, so that importing the package is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from merge_snli.base import __version__ as __version__
from merge_snli.base.typed import typed

if TYPE_CHECKING:
    from generation.options import Options
    from generation.pipeline import generate
    from merge_snli.base.errors import InputError
    from merge_snli.comparison.compare import compare_results as compare
    from merge_snli.comparison.figures import draw_curves
    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.dataset.stored import find_dataset as load
    from merge_snli.hub.publish import publish
    from merge_snli.language_models.import_files import import_files
    from merge_snli.pairs.extended_pair import make_extended_pair as extended_pair
    from merge_snli.pairs.options import ExtendedPairOptions, SimplePairOptions
    from merge_snli.pairs.simple_pair import make_simple_pair as simple_pair
    from merge_snli.paper.report.analyze import analyze
    from merge_snli.results.result import Result
    from merge_snli.results.score_table import score_table
    from merge_snli.results.store import read_answers, read_result, read_results
    from merge_snli.scoring.score import score
    from merge_snli.validation import validate

__all__ = [
    "ExtendedPairOptions",
    "InputError",
    "MergeDataset",
    "Options",
    "Result",
    "SimplePairOptions",
    "analyze",
    "compare",
    "draw_curves",
    "extended_pair",
    "generate",
    "import_files",
    "load",
    "publish",
    "read_answers",
    "read_result",
    "read_results",
    "score",
    "score_table",
    "simple_pair",
    "validate",
]

# The module and the name in it of each public name.
_HOMES = {
    "ExtendedPairOptions": "merge_snli.pairs.options:ExtendedPairOptions",
    "InputError": "merge_snli.base.errors:InputError",
    "MergeDataset": "merge_snli.dataset.stored:MergeDataset",
    "Options": "generation.options:Options",
    "Result": "merge_snli.results.result:Result",
    "SimplePairOptions": "merge_snli.pairs.options:SimplePairOptions",
    "analyze": "merge_snli.paper.report.analyze:analyze",
    "compare": "merge_snli.comparison.compare:compare_results",
    "draw_curves": "merge_snli.comparison.figures:draw_curves",
    "extended_pair": "merge_snli.pairs.extended_pair:make_extended_pair",
    "generate": "generation.pipeline:generate",
    "import_files": "merge_snli.language_models.import_files:import_files",
    "load": "merge_snli.dataset.stored:find_dataset",
    "publish": "merge_snli.hub.publish:publish",
    "read_answers": "merge_snli.results.store:read_answers",
    "read_result": "merge_snli.results.store:read_result",
    "read_results": "merge_snli.results.store:read_results",
    "score": "merge_snli.scoring.score:score",
    "score_table": "merge_snli.results.score_table:score_table",
    "simple_pair": "merge_snli.pairs.simple_pair:make_simple_pair",
    "validate": "merge_snli.validation:validate",
}

# What does the same as a command that has no public function, because a package has its name or nearly so.
_COMMANDS = {
    "leaderboard": "merge_snli.leaderboard.write.write_leaderboard",
    "explore": "merge_snli.explorer.write.write_explorer",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function or a class
    """Import a public name on first use."""
    if name not in _HOMES:
        advice = ""
        if name in _COMMANDS:
            advice = f": run merge-snli {name}, or call {_COMMANDS[name]}"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")
    module, _, attribute = _HOMES[name].partition(":")
    found = getattr(import_module(module), attribute)
    return found if isinstance(found, type) else typed(found, name)


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__, "__version__"]
