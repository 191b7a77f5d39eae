"""Compute the mean of the scores of several results on the same rows."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from merge_snli.scoring.results.measure import anchor_scores, spread
from merge_snli.scoring.results.scores import Curve, Intervals, RowScores, Scores, Spread


def mean_rows(each: Sequence[RowScores]) -> dict[str, Any]:
    """Return the fields of the mean of some scores as `RowScores`, with the draws of all of them."""
    curves = [scores.curve for scores in each]
    whole = [scores.all_rows_accuracy for scores in each]
    return {
        "rows": sum(scores.rows for scores in each),
        "sample_accuracy": _stacked([scores.sample_accuracy for scores in each]),
        "all_rows_accuracy": mean_of(whole),
        "pattern_accuracy": _stacked([scores.pattern_accuracy for scores in each]),
        "curve": Curve(
            mean=tuple(map(mean_of, zip(*(curve.mean for curve in curves), strict=True))),
            passing=tuple(row for curve in curves for row in curve.passing),
            groups=tuple(groups for curve in curves for groups in curve.groups),
        ),
    }


def mean_scores(each: Sequence[Scores], intervals: Intervals | None = None) -> Scores:
    """Return the mean of some scores on the same groups, with the draws of all of them.

    Args:
        each: The scores, at least one.
        intervals: The intervals of the mean.
    """
    rows, on_anchors = mean_rows(each), mean_of([scores.anchor_accuracy for scores in each])
    first = each[0]
    return Scores(
        **rows,
        groups=first.groups,
        predicted={
            gold: {label: sum(scores.predicted[gold][label] for scores in each) for label in labels}
            for gold, labels in first.predicted.items()
        },
        **({} if on_anchors is None else anchor_scores(on_anchors, rows)),
        intervals=intervals,
    )


def _stacked(spreads: Sequence[Spread]) -> Spread:
    return spread(np.array([value for each in spreads for value in each.each], dtype=np.float64))


def mean_of(values: Sequence[float | None]) -> float | None:
    """Return the mean of some values; None if one is None."""
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def sum_of(values: Sequence[int | None]) -> int | None:
    """Return the sum of some counts; None if one is None."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
