"""PA curves as pictures, in the shape of the paper's Figures 4, 5 and 11."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from merge_snli.schema import WORD_CLASSES
from scoring.reports.line_chart import Line, draw_lines
from scoring.results.result import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scoring.results.result import Curve, Result

FROM = 0.8
"""Where Figure 4 begins."""


def draw_curves(results: Sequence[Result], path: str | Path, *, start: float = 0) -> list[Path]:
    """Draw the mean PA curve of each result, with a dot at the quality threshold (Figures 4 and 11).

    The band around a line reaches from the lowest to the highest subsample.

    Args:
        results: At least one result, in the order of the colours; all on one config of one data set.
        path: Where the picture goes; a PNG and an SVG are written, whichever of the endings it has, or none.
        start: The first threshold that is shown: 0 as in Figure 11, or 0.8 as in Figure 4.

    Returns:
        The two files.

    Raises:
        InputError: Where there is no result.
    """
    first = _first(results)
    title = f"Pattern accuracy on {_where(first)} ({first.scores.seeds:,} seeds)"
    curves = [result.scores.on_variants.curve for result in results]
    named = zip(names_of(results), curves, strict=True)
    lines = [_of_subsamples(name, curve) for name, curve in named if _is_drawn(curve)]
    return draw_lines(lines, first.thresholds, path, title=title, marked=first.quality_threshold, start=start)


def draw_classes(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Draw the PA curve of each word class, averaged over the models (Figure 5).

    The band around a line reaches from the lowest to the highest subsample of that average.

    Args:
        results: At least one result, all on one config of one data set.
        path: As for `draw_curves`.

    Returns:
        The two files.

    Raises:
        InputError: Where there is no result.
    """
    first = _first(results)
    title = f"Pattern accuracy by word class on {_where(first)}, mean of {len(results)} model(s)"
    scored = [name for name in WORD_CLASSES if all(name in result.classes for result in results)]
    curves = [(name, [result.classes[name].on_variants.curve for result in results]) for name in scored]
    lines = [_of_models(name, of_models) for name, of_models in curves if all(map(_is_drawn, of_models))]
    return draw_lines(lines, first.thresholds, path, title=title, marked=first.quality_threshold)


def _first(results: Sequence[Result]) -> Result:
    if not results:
        raise InputError("there is no result to draw: score a model first")
    return results[0]


def _where(result: Result) -> str:
    return f"{result.dataset.name}, config {result.dataset.config}"


def _is_drawn(curve: Curve) -> bool:
    """Tell whether a subsample drew any of the variants: where none did, there is no curve."""
    return None not in curve.mean


def _of_subsamples(name: str, curve: Curve) -> Line:
    return _line(name, _numbers(curve.mean), np.array(curve.each, dtype=float))  # None becomes NaN


def _of_models(name: str, curves: Sequence[Curve]) -> Line:
    mean = np.mean([_numbers(curve.mean) for curve in curves], axis=0)
    return _line(name, mean.tolist(), np.mean([np.array(curve.each, dtype=float) for curve in curves], axis=0))


def _line(name: str, mean: Sequence[float], each: NDArray[np.float64]) -> Line:
    """Put a line and its band together; a subsample without a value is left out of the band."""
    return Line(name, mean, np.fmin.reduce(each, axis=0).tolist(), np.fmax.reduce(each, axis=0).tolist())


def _numbers(shares: Sequence[float | None]) -> list[float]:
    return [float("nan") if share is None else share for share in shares]
