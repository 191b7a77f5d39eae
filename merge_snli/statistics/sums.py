"""Compute bootstrap intervals of statistics that depend on sums over seeds, such as PA, a ratio of two sums.

The sums of a resample are a product of how often each seed is drawn and of the seeds' values, and those without one
seed are the total less its values. So the draws for a number of seeds, which take most of the time, serve all
statistics: they are the same for each, since the random seed is.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Floats
from merge_snli.statistics.bootstrap import (
    MAX_VALUES_PER_BATCH,
    N_RESAMPLES,
    RANDOM_SEED,
    defined_intervals,
    rounding_of,
)
from merge_snli.statistics.values import TAILS, Interval

Draws = NDArray[np.uint8]

_MAX_KEPT = 2**27  # draws of one byte that are kept


def intervals_of_sums(statistics: Callable[[Floats], Floats], values: Floats) -> tuple[Interval, ...]:
    """Compute the 95% BCa intervals of statistics of sums over seeds.

    Args:
        statistics: Function of the sums of r resamples, (r, k), that returns (s, r): s statistics of each.
        values: (n, k): values of each seed, of which the sums are.

    Returns:
        The interval of each of the s statistics, from the same resamples as `bootstrap_intervals`. If BCa is
        undefined, the percentile interval; both of its ends are NaN if a statistic is undefined in a resample.

    Raises:
        ValueError: If there are fewer than 2 seeds.

    Examples:
        >>> correct_of_rows = np.array([[18.0, 20.0], [3.0, 4.0], [20.0, 20.0], [9.0, 10.0]])
        >>> (interval,) = intervals_of_sums(lambda sums: (sums[:, 0] / sums[:, 1])[np.newaxis], correct_of_rows)
        >>> round(interval.low, 3), round(interval.high, 3)
        (0.868, 0.986)
    """
    n = len(values)
    if n < 2:
        raise ValueError(f"there are {n} seeds: at least 2 are needed")
    total = values.sum(axis=0)
    observed = statistics(total[np.newaxis])
    rounded = rounding_of(observed[:, 0])
    draws = _kept_draws if n * N_RESAMPLES <= _MAX_KEPT else _draws
    resamples = []
    for batch in draws(n):
        resamples.append(statistics(batch.astype(np.float64) @ values))
    resampled = rounded(np.concatenate(resamples, axis=1))
    left_out = rounded(statistics(total - values))
    ends = _bca(rounded(observed), resampled, left_out)
    return defined_intervals(ends, resampled, method="BCa")


def _draws(n: int) -> Iterator[Draws]:
    """Yield how often each of n seeds is drawn, (b, n) for b resamples at a time."""
    rng = np.random.default_rng(RANDOM_SEED)
    batch = max(1, MAX_VALUES_PER_BATCH // n)
    for first in range(0, N_RESAMPLES, batch):
        rows = min(batch, N_RESAMPLES - first)
        cells = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, np.newaxis]
        counts = np.bincount(cells.ravel(), minlength=rows * n)
        yield counts.reshape(rows, n).astype(np.uint8)


@lru_cache(maxsize=2)
def _kept_draws(n: int) -> tuple[Draws, ...]:
    return tuple(_draws(n))


def _bca(observed: Floats, resampled: Floats, left_out: Floats) -> Floats:
    """Return the ends of the bias-corrected and accelerated intervals (Efron and Tibshirani 1993, section 14.3).

    Args:
        observed: (s, 1) the statistics.
        resampled: (s, r) their values in the resamples.
        left_out: (s, n) their values without each seed.

    Returns:
        (s, 2); NaN where they are undefined, because no single seed changes the statistic.
    """
    from scipy.special import ndtr, ndtri

    below = (resampled < observed).mean(axis=1, keepdims=True) + (resampled <= observed).mean(axis=1, keepdims=True)
    bias = ndtri(below / 2)
    influences = left_out.mean(axis=1, keepdims=True) - left_out
    cubes = (influences**3).sum(axis=1, keepdims=True)
    squares = (influences**2).sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        acceleration = cubes / squares**1.5 / 6
        shifted = bias + ndtri(TAILS)
        levels = ndtr(bias + shifted / (1 - acceleration * shifted))
    ends = np.full(levels.shape, np.nan)
    for at in np.flatnonzero(np.isfinite(levels).all(axis=1)):
        ends[at] = np.quantile(resampled[at], levels[at])
    return ends
