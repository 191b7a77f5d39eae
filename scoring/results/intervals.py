"""Compute the bootstrap confidence intervals of a result by resampling seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, required_correct
from scoring.results.grouped_result import GroupIntervals
from scoring.results.scores import Intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from scoring.statistics import Interval

    Ints: TypeAlias = NDArray[np.int64]
    Bools: TypeAlias = NDArray[np.bool_]
    Floats: TypeAlias = NDArray[np.float64]

RESAMPLES = 999
"""Gives both ends to about 0.1 percentage points, in seconds for a result of the paper's size."""
LEVEL = 0.95
RANDOM_SEED = 0
DIGITS = 5
OPTIONS: dict[str, Any] = {"level": LEVEL, "n_resamples": RESAMPLES, "random_seed": RANDOM_SEED}


def seed_intervals(seeds_correct: Bools, correct: Ints, sizes: Ints) -> Intervals | None:
    """Compute the intervals of SA on seeds, SA and PA(0.9) on variants, and QT.

    Args:
        seeds_correct: Whether the model predicts each seed correctly, [n_seeds].
        correct: Number of correct variants of each seed in each subsample, [n_subsamples, n_seeds].
        sizes: Number of variants of each seed in each subsample, [n_subsamples, n_seeds].

    Returns:
        The intervals. Both ends are equal if the statistic is constant over seeds. None if fewer than two seeds have
        a variant in a subsample, or so few that a resample may have none.
    """
    if np.count_nonzero(sizes.any(axis=0)) < 2:
        return None
    equal_sizes = bool((sizes == sizes[0]).all() and sizes.all())
    intervals = (_by_means if equal_sizes else _by_shares)(seeds_correct, correct, sizes)
    ends = [(round(interval.low, DIGITS), round(interval.high, DIGITS)) for interval in intervals]
    if not np.isfinite(ends).all():
        return None
    return Intervals(
        level=LEVEL,
        method=next((one.method for one in intervals if one.low < one.high), intervals[0].method),
        resamples=RESAMPLES,
        random_seed=RANDOM_SEED,
        seed_sample_accuracy=ends[0],
        sample_accuracy=ends[1],
        pattern_accuracy=ends[2],
        qt=ends[3],
    )


def group_intervals(correct: Ints, sizes: Ints) -> GroupIntervals:
    """Compute the intervals of SA and PA(0.9) on groups of pairs.

    Args:
        correct: Number of correct pairs of each group, [n_groups], at least two.
        sizes: Number of pairs of each group, at least one, [n_groups].
    """
    from scoring.statistics import bootstrap_interval, mean_interval, passes_by_seed, share_correct

    accuracy = bootstrap_interval(share_correct, correct, sizes, unit="group", **OPTIONS)
    passing = mean_interval(passes_by_seed(correct[np.newaxis], sizes[np.newaxis]), unit="group", **OPTIONS)
    return GroupIntervals(
        level=LEVEL,
        method=next((one.method for one in (accuracy, passing) if one.low < one.high), accuracy.method),
        resamples=RESAMPLES,
        random_seed=RANDOM_SEED,
        sample_accuracy=(round(accuracy.low, DIGITS), round(accuracy.high, DIGITS)),
        pattern_accuracy=(round(passing.low, DIGITS), round(passing.high, DIGITS)),
    )


def _by_means(seeds_correct: Bools, correct: Ints, sizes: Ints) -> Sequence[Interval]:
    """Compute intervals of means over seeds, if every subsample draws as many variants of each seed."""
    from scoring.statistics import bootstrap_interval, mean_interval, passes_by_seed, share_correct

    on_seeds = seeds_correct.astype(np.float64)
    passes = passes_by_seed(correct, sizes)
    return (
        mean_interval(on_seeds, **OPTIONS),
        bootstrap_interval(share_correct, correct.sum(axis=0), sizes.sum(axis=0), **OPTIONS),
        mean_interval(passes, **OPTIONS),
        mean_interval(passes - on_seeds, **OPTIONS),
    )


def _by_shares(seeds_correct: Bools, correct: Ints, sizes: Ints) -> Sequence[Interval]:
    """Compute intervals of means of shares over subsamples, if seeds have different numbers of variants.

    Uses the percentile method: BCa would leave out each seed in turn, which takes too long here.
    """
    drawn = sizes > 0
    passing = drawn & (correct >= required_correct(QUALITY_THRESHOLD, sizes))
    n_seeds = len(seeds_correct)

    def on_seeds(weights: Floats) -> Floats:
        return np.asarray(weights @ seeds_correct / n_seeds)

    def pa_at_quality_threshold(weights: Floats) -> Floats:
        return _mean_share(weights, passing, drawn)

    return [
        _by_weights(statistic, n_seeds)
        for statistic in (
            on_seeds,
            lambda weights: _mean_share(weights, correct, sizes),
            pa_at_quality_threshold,
            lambda weights: pa_at_quality_threshold(weights) - on_seeds(weights),
        )
    ]


def _mean_share(weights: Floats, part: Ints | Bools, whole: Ints | Bools) -> Floats:
    """Return the mean share of weighted seeds over the subsamples that have any of them."""
    parts, wholes = weights @ part.T.astype(np.float64), weights @ whole.T.astype(np.float64)
    some = wholes > 0
    shares = np.divide(parts, wholes, out=np.zeros_like(parts), where=some)
    with np.errstate(invalid="ignore"):
        return np.asarray(shares.sum(axis=-1) / some.sum(axis=-1))


def _by_weights(statistic: Callable[[Floats], Floats], n_seeds: int) -> Interval:
    """Return the interval of a statistic of the weights: how often each seed was drawn, [n, n_seeds]."""
    from scoring.statistics import bootstrap_interval

    def of_indices(indices: Floats, axis: int = -1) -> Floats:
        assert axis == -1
        rows = indices.reshape(-1, n_seeds).astype(np.int64)
        cells = rows + n_seeds * np.arange(len(rows))[:, np.newaxis]
        weights = np.bincount(cells.ravel(), minlength=rows.size).reshape(rows.shape).astype(np.float64)
        return statistic(weights).reshape(indices.shape[:-1])

    return bootstrap_interval(of_indices, np.arange(n_seeds), method="percentile", **OPTIONS)
