"""Compute the confidence intervals of a result by resampling seeds: the one place where any report gets them from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, required_correct
from scoring.results.grouped_result import GroupIntervals
from scoring.results.scores import Intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from scoring.statistics import Interval

    Ints: TypeAlias = NDArray[np.int64]
    Bools: TypeAlias = NDArray[np.bool_]
    Floats: TypeAlias = NDArray[np.float64]
    Statistic: TypeAlias = Callable[[Floats], Floats]

RESAMPLES = 9_999
LEVEL = 0.95
RANDOM_SEED = 0
DIGITS = 5

LOWEST = {"seed_sample_accuracy": 0.0, "sample_accuracy": 0.0, "pattern_accuracy": 0.0, "qt": -1.0}
"""The numbers that have intervals, with the lowest value that a seed can add to their mean."""


def seed_intervals(seeds_correct: Bools, correct: Ints, sizes: Ints) -> Intervals | None:
    """Compute the intervals of SA on seeds, SA and PA(0.9) on variants, and QT.

    SA and PA on variants are means over subsamples, so that seeds without a variant in any subsample do not affect
    them and are not resampled for them.

    Args:
        seeds_correct: Whether the model predicts each seed correctly, [n_seeds].
        correct: Number of correct variants of each seed in each subsample, [n_subsamples, n_seeds].
        sizes: Number of variants of each seed in each subsample, [n_subsamples, n_seeds].

    Returns:
        The intervals. None if fewer than two seeds have a variant in a subsample, or so few that a resample may have
        none.
    """
    drawn = np.asarray(sizes.any(axis=0))
    if np.count_nonzero(drawn) < 2:
        return None

    def on_seeds(weights: Floats) -> Floats:
        return np.asarray(weights @ seeds_correct / weights.sum(axis=-1))

    pa = _pattern_accuracy(correct, sizes, QUALITY_THRESHOLD)
    statistics = {
        "seed_sample_accuracy": on_seeds,
        "sample_accuracy": _sample_accuracy(correct, sizes),
        "pattern_accuracy": pa,
        "qt": lambda weights: pa(weights) - on_seeds(weights),
    }
    if drawn.all():
        intervals = _intervals(statistics, len(drawn), unit="seed")
    else:
        of_all = {name: statistics[name] for name in ("seed_sample_accuracy", "qt")}
        intervals = _intervals(of_all, len(drawn), unit="seed") | _on_variants(
            correct[:, drawn], sizes[:, drawn], QUALITY_THRESHOLD, unit="seed"
        )
    if not all(np.isfinite([interval.low, interval.high]).all() for interval in intervals.values()):
        return None
    ends = {name: (interval.low, interval.high) for name, interval in intervals.items()}
    return Intervals(
        level=LEVEL,
        methods={name: intervals[name].method for name in LOWEST},
        resamples=RESAMPLES,
        random_seed=RANDOM_SEED,
        seed_sample_accuracy=ends["seed_sample_accuracy"],
        sample_accuracy=ends["sample_accuracy"],
        pattern_accuracy=ends["pattern_accuracy"],
        qt=ends["qt"],
    )


def group_intervals(correct: Ints, sizes: Ints) -> GroupIntervals:
    """Compute the intervals of SA and PA(0.9) on groups of pairs.

    Args:
        correct: Number of correct pairs of each group, [n_groups], at least two.
        sizes: Number of pairs of each group, at least one, [n_groups].
    """
    intervals = _on_variants(correct[np.newaxis], sizes[np.newaxis], QUALITY_THRESHOLD, unit="group")
    accuracy, passing = intervals["sample_accuracy"], intervals["pattern_accuracy"]
    return GroupIntervals(
        level=LEVEL,
        methods={name: interval.method for name, interval in intervals.items()},
        resamples=RESAMPLES,
        random_seed=RANDOM_SEED,
        sample_accuracy=(accuracy.low, accuracy.high),
        pattern_accuracy=(passing.low, passing.high),
    )


def pattern_accuracy_interval(correct: Ints, sizes: Ints, threshold: float, *, unit: str = "seed") -> Interval:
    """Compute the interval of PA at a threshold; at the quality threshold, it is that of `seed_intervals`.

    Args:
        correct: Number of correct variants of each seed in each subsample, [n_subsamples, n_seeds].
        sizes: Number of variants of each seed in each subsample, at least one of each of at least two seeds,
            [n_subsamples, n_seeds].
        threshold: Threshold from 0 to 1.
        unit: Unit of the columns.
    """
    statistic = {"pattern_accuracy": _pattern_accuracy(correct, sizes, threshold)}
    return _intervals(statistic, sizes.shape[1], unit=unit)["pattern_accuracy"]


def _on_variants(correct: Ints, sizes: Ints, threshold: float, *, unit: str) -> dict[str, Interval]:
    statistics = {
        "sample_accuracy": _sample_accuracy(correct, sizes),
        "pattern_accuracy": _pattern_accuracy(correct, sizes, threshold),
    }
    return _intervals(statistics, sizes.shape[1], unit=unit)


def _sample_accuracy(correct: Ints, sizes: Ints) -> Statistic:
    return _mean_share(correct, sizes)


def _pattern_accuracy(correct: Ints, sizes: Ints, threshold: float) -> Statistic:
    drawn = sizes > 0
    return _mean_share(drawn & (correct >= required_correct(threshold, sizes)), drawn)


def _mean_share(part: Ints | Bools, whole: Ints | Bools) -> Statistic:
    """Return a function of weights: the mean share of weighted seeds over the subsamples that have any of them.

    Subsamples with the same wholes are added up first, which is most of the time if all have as many variants of each
    seed.
    """
    wholes, subsample, subsamples = np.unique(whole, axis=0, return_inverse=True, return_counts=True)
    parts = np.zeros(wholes.shape)
    np.add.at(parts, subsample.ravel(), part)

    def statistic(weights: Floats) -> Floats:
        of_part, of_whole = weights @ parts.T, weights @ wholes.T.astype(np.float64)
        some = of_whole > 0
        shares = np.divide(of_part, of_whole, out=np.zeros_like(of_part), where=some)
        with np.errstate(invalid="ignore"):
            return np.asarray(shares.sum(axis=-1) / (some * subsamples).sum(axis=-1))

    return statistic


def _intervals(statistics: Mapping[str, Statistic], n_units: int, *, unit: str) -> dict[str, Interval]:
    """Return the interval of each number; from the Wilson score if resampling it shows no variation."""
    from scoring.statistics import weighted_intervals

    def stacked(weights: Floats) -> Floats:
        return np.stack([statistic(weights) for statistic in statistics.values()])

    intervals = weighted_intervals(
        stacked, n_units, level=LEVEL, n_resamples=RESAMPLES, random_seed=RANDOM_SEED, unit=unit
    )
    return {
        name: _rounded(_not_constant(interval, n_units, LOWEST[name]))
        for name, interval in zip(statistics, intervals, strict=True)
    }


def _not_constant(interval: Interval, n_units: int, lowest: float) -> Interval:
    from scoring.statistics import constant_interval

    if interval.low != interval.high:
        return interval
    return constant_interval(interval.low, n_units, lowest=lowest, level=LEVEL, unit=interval.unit)


def _rounded(interval: Interval) -> Interval:
    low, high = (round(end, DIGITS) + 0.0 for end in (interval.low, interval.high))  # -0.0 becomes 0.0
    return replace(interval, low=low, high=high)
