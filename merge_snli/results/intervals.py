"""Compute the confidence intervals of a result by resampling seeds: any report gets them from here."""

from dataclasses import replace

import numpy as np

from merge_snli.answers.answers import Counts
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.results.scores import INTERVALS, Intervals
from merge_snli.statistics import Interval, constant_interval, intervals_of_sums
from merge_snli.statistics.bootstrap import N_RESAMPLES, RANDOM_SEED
from merge_snli.statistics.values import LEVEL
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, required_correct

DIGITS = 5

# The numbers that have intervals, in the order in which `_intervals` computes them, with the lowest value that a seed
# can add to their mean.
LOWEST = {"sample_accuracy": 0.0, "pattern_accuracy": 0.0, "seed_accuracy": 0.0, "qt": -1.0}


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
    intervals = _intervals(counts, seeds, QUALITY_THRESHOLD)
    if not drawn.all():
        intervals |= _intervals(counts.take(drawn), None, QUALITY_THRESHOLD)
    ends = [interval.ends for interval in intervals.values()]
    if not np.isfinite(ends).all():
        return None
    return Intervals(
        level=LEVEL,
        methods={name: intervals[name].method for name in INTERVALS if name in intervals},
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
    return replace(_intervals(counts, None, threshold)["pattern_accuracy"], unit=unit)


def _intervals(counts: Counts, seeds: Bools | Floats | None, threshold: float) -> dict[str, Interval]:
    """Return the intervals of SA and PA, and with seeds of SA on them and QT; each depends on sums over the seeds."""
    drawn = counts.sizes > 0
    correct, of_sizes = _values(counts.correct, counts.sizes)
    passing, of_drawn = _values(drawn & (counts.correct >= required_correct(threshold, counts.sizes)), drawn)
    columns = [correct, passing]
    if seeds is not None:
        columns.append(np.stack([seeds, np.ones(len(seeds))], axis=1))
    ends = np.cumsum([column.shape[1] for column in columns])

    def of_sums(sums: Floats) -> Floats:
        on_correct, on_passing, *on_seeds = np.split(sums, ends[:-1], axis=1)
        numbers = [_mean_share(on_correct, of_sizes), _mean_share(on_passing, of_drawn)]
        if on_seeds:
            accuracy = on_seeds[0][:, 0] / on_seeds[0][:, 1]
            numbers += [accuracy, numbers[1] - accuracy]
        return np.stack(numbers)

    values = np.concatenate(columns, axis=1)
    found = {}
    names = [*LOWEST] if seeds is not None else [*LOWEST][:2]
    for name, interval in zip(names, intervals_of_sums(of_sums, values), strict=True):
        found[name] = _rounded(interval, len(values), lowest=LOWEST[name])
    return found


def _values(counted: Ints | Bools, whole: Ints | Bools) -> tuple[Floats, Ints]:
    """Return for each seed what is counted and the whole of which it is, and how many subsamples each is the sum of.

    Subsamples with the same wholes are added up, which is most of the time if all have as many variants of each seed.
    """
    wholes, subsample, subsamples = np.unique(whole, axis=0, return_inverse=True, return_counts=True)
    parts = np.zeros(wholes.shape)
    np.add.at(parts, subsample.ravel(), counted)
    return np.concatenate([parts, wholes]).T.astype(np.float64), subsamples


def _mean_share(sums: Floats, subsamples: Ints) -> Floats:
    """Return the mean share over the subsamples that have a seed, from the sums of `_values`."""
    of_part, of_whole = np.split(sums, 2, axis=1)
    some = of_whole > 0
    shares = np.divide(of_part, of_whole, out=np.zeros_like(of_part), where=some)
    with np.errstate(invalid="ignore"):
        return np.asarray(shares.sum(axis=1) / (some * subsamples).sum(axis=1))


def _rounded(interval: Interval, n_units: int, *, lowest: float) -> Interval:
    """Return an interval in few digits; from the Wilson score if resampling shows no variation."""
    if interval.low == interval.high:
        interval = constant_interval(interval.low, n_units, lowest=lowest)
    # -0.0 becomes 0.0
    return replace(interval, low=round(interval.low, DIGITS) + 0.0, high=round(interval.high, DIGITS) + 0.0)
