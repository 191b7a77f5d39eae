"""Compute the confidence intervals of a result by resampling seeds: any report gets them from here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from merge_snli.answers.answers import Counts
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.results.scores import Intervals
from merge_snli.statistics import Interval, constant_interval, intervals_of_sums
from merge_snli.statistics.bootstrap import N_RESAMPLES, RANDOM_SEED
from merge_snli.statistics.values import LEVEL
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, required_correct


class Statistic(NamedTuple):
    """A number that depends on sums over seeds.

    Attributes:
        values: The values of each seed, of which the sums are, [n_seeds, k].
        of_sums: Function of the sums of r resamples, [r, k], that returns the number of each, [r].
    """

    values: Floats
    of_sums: Callable[[Floats], Floats]


DIGITS = 5

# The numbers that have intervals, with the lowest value that a seed can add to their mean.
LOWEST = {"seed_accuracy": 0.0, "sample_accuracy": 0.0, "pattern_accuracy": 0.0, "qt": -1.0}


def intervals_of(counts: Counts, seeds: Bools | Floats | None) -> Intervals | None:
    """Compute the intervals of SA and PA(0.9) on rows; with seeds, also of SA on them and QT.

    SA and PA on rows are means over subsamples, so that groups without a row in any subsample do not affect them and
    are not resampled for them.

    Args:
        counts: The rows of each group in each subsample.
        seeds: Whether the seed of each group is predicted correctly, or the share of several predictions that is
            correct, [n_groups]; None without seeds.

    Returns:
        The intervals. None if fewer than two groups have a row in a subsample, or so few that a resample may have none.
    """
    drawn = counts.drawn
    if np.count_nonzero(drawn) < 2:
        return None
    statistics, needing_seeds = _statistics(counts, QUALITY_THRESHOLD), {}
    unit = "group"
    if seeds is not None:
        needing_seeds, unit = _seed_statistics(seeds, statistics["pattern_accuracy"]), "seed"
    if drawn.all():
        intervals = _intervals(needing_seeds | statistics, unit=unit)
    else:
        intervals = _intervals(_statistics(counts.take(drawn), QUALITY_THRESHOLD), unit=unit)
        if needing_seeds:
            intervals |= _intervals(needing_seeds, unit=unit)
    ends = [(interval.low, interval.high) for interval in intervals.values()]
    if not np.isfinite(ends).all():
        return None
    return Intervals(
        level=LEVEL,
        methods={name: intervals[name].method for name in LOWEST if name in intervals},
        resamples=N_RESAMPLES,
        random_seed=RANDOM_SEED,
        **dict(zip(intervals, ends, strict=True)),
    )


def pattern_accuracy_interval(counts: Counts, threshold: float, *, unit: str = "seed") -> Interval:
    """Compute the interval of PA at a threshold; at the quality threshold, it is that of `intervals_of`.

    Args:
        counts: The rows of each group in each subsample, at least one of each of at least two groups.
        threshold: Threshold from 0 to 1.
        unit: What a group is called.
    """
    statistic = {"pattern_accuracy": _statistics(counts, threshold)["pattern_accuracy"]}
    return _intervals(statistic, unit=unit)["pattern_accuracy"]


def _statistics(counts: Counts, threshold: float) -> dict[str, Statistic]:
    correct, sizes = counts.correct, counts.sizes
    drawn = sizes > 0
    return {
        "sample_accuracy": _mean_share(correct, sizes),
        "pattern_accuracy": _mean_share(drawn & (correct >= required_correct(threshold, sizes)), drawn),
    }


def _seed_statistics(seeds: Bools | Floats, pattern_accuracy: Statistic) -> dict[str, Statistic]:
    on_seeds = Statistic(np.stack([seeds, np.ones(len(seeds))], axis=1), lambda sums: sums[:, 0] / sums[:, 1])

    def difference(sums: Floats) -> Floats:
        of_rows, of_seeds = np.split(sums, [-2], axis=1)
        return np.asarray(pattern_accuracy.of_sums(of_rows) - on_seeds.of_sums(of_seeds))

    both = np.concatenate([pattern_accuracy.values, on_seeds.values], axis=1)
    return {"seed_accuracy": on_seeds, "qt": Statistic(both, difference)}


def _mean_share(counted: Ints | Bools, whole: Ints | Bools) -> Statistic:
    """Return the mean share of seeds over the subsamples that have any of them.

    Subsamples with the same wholes are added up first, which is most of the time if all have as many variants of each
    seed.
    """
    wholes, subsample, subsamples = np.unique(whole, axis=0, return_inverse=True, return_counts=True)
    parts = np.zeros(wholes.shape)
    np.add.at(parts, subsample.ravel(), counted)

    def of_sums(sums: Floats) -> Floats:
        of_part, of_whole = np.split(sums, 2, axis=1)
        some = of_whole > 0
        shares = np.divide(of_part, of_whole, out=np.zeros_like(of_part), where=some)
        with np.errstate(invalid="ignore"):
            return np.asarray(shares.sum(axis=1) / (some * subsamples).sum(axis=1))

    return Statistic(np.concatenate([parts, wholes]).T.astype(np.float64), of_sums)


def _intervals(statistics: Mapping[str, Statistic], *, unit: str) -> dict[str, Interval]:
    """Return the interval of each number; from the Wilson score if resampling it shows no variation."""
    columns = [statistic.values for statistic in statistics.values()]
    values = np.concatenate(columns, axis=1)
    ends = np.cumsum([column.shape[1] for column in columns])

    def stacked(sums: Floats) -> Floats:
        own = np.split(sums, ends[:-1], axis=1)
        return np.stack([each.of_sums(of_each) for each, of_each in zip(statistics.values(), own, strict=True)])

    found = {}
    intervals = intervals_of_sums(stacked, values, unit=unit)
    for name, interval in zip(statistics, intervals, strict=True):
        found[name] = _rounded(interval, len(values), lowest=LOWEST[name])
    return found


def _rounded(interval: Interval, n_units: int, *, lowest: float) -> Interval:
    if interval.low == interval.high:
        interval = constant_interval(interval.low, n_units, lowest=lowest, unit=interval.unit)
    # -0.0 becomes 0.0
    return replace(interval, low=round(interval.low, DIGITS) + 0.0, high=round(interval.high, DIGITS) + 0.0)
