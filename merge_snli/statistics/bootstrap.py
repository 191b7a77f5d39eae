"""Compute bootstrap intervals that resample seeds, because the variants of a seed are not independent."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.base.arrays import Floats
from merge_snli.statistics.values import LEVEL, TAILS, Interval, numbers

Method: TypeAlias = Literal["BCa", "percentile"]

N_RESAMPLES = 9_999
RANDOM_SEED = 0
MAX_VALUES_PER_BATCH = 2**18  # 2 MiB, which fits into the cache of a processor core
_EXACT_DIGITS = 12


def bootstrap_intervals(
    statistics: Sequence[Callable[..., Any]],
    *columns: ArrayLike,
    method: Method = "BCa",
    n_resamples: int = N_RESAMPLES,
    random_seed: int = RANDOM_SEED,
) -> tuple[Interval, ...]:
    """Compute the 95% intervals of statistics over seeds, all from the same resamples.

    PA is the mean of whether each seed passes, or of the share of subsamples in which it does. QT and the difference
    between two models' PA are means over seeds, too.

    Args:
        statistics: Functions of resampled columns, each (…, n), and `axis` that return (…).
        columns: (n,) each: values of each seed, in the same order.
        method: "BCa" (bias-corrected and accelerated) or "percentile".
        n_resamples: Number of resamples.
        random_seed: Seed of the resampling.

    Returns:
        The interval of each statistic. If BCa is undefined (no single seed changes the statistic), the percentile
        interval.

    Raises:
        ValueError: If the columns differ in length, have fewer than 2 values, or have values that are not numbers.

    Examples:
        >>> (interval,) = bootstrap_intervals([np.mean], [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], method="percentile")
        >>> interval.low, interval.high, interval.method
        (0.375, 1.0, 'percentile bootstrap')
    """
    arrays = [numbers(f"columns[{i}]", column) for i, column in enumerate(columns)]

    def stacked(*values: Floats, axis: int = -1) -> Floats:
        return np.stack([statistic(*values, axis=axis) for statistic in statistics])

    return _intervals(stacked, arrays, method, n_resamples, random_seed)


def stratified_interval(strata: Sequence[ArrayLike], weights: Sequence[float], *, unit: str = "seed") -> Interval:
    """Compute the 95% interval of a weighted mean of the means of strata, each of which is resampled by itself.

    Args:
        strata: (n,) each: the values of each stratum, at least 2.
        weights: The weight of each stratum.
        unit: Unit of the values.

    Returns:
        The interval. If BCa is undefined (no single value changes the mean), the percentile interval.

    Raises:
        ValueError: If there are not as many weights as strata, or a stratum has fewer than 2 values.
    """
    arrays = [numbers(f"strata[{i}]", values) for i, values in enumerate(strata)]

    def weighted_mean(*values: Floats, axis: int = -1) -> Floats:
        means = [weight * stratum.mean(axis=axis) for weight, stratum in zip(weights, values, strict=True)]
        return np.asarray(sum(means))[np.newaxis]

    (interval,) = _intervals(weighted_mean, arrays, "BCa", N_RESAMPLES, RANDOM_SEED, paired=False)
    return replace(interval, method=f"stratified {interval.method}", unit=unit)


def _intervals(
    statistics: Callable[..., Floats],
    arrays: Sequence[Floats],
    method: Method,
    n_resamples: int,
    random_seed: int,
    *,
    paired: bool = True,
) -> tuple[Interval, ...]:
    """Return the interval of each statistic; by percentiles if BCa is undefined."""
    from scipy import stats

    rounding = rounding_of(statistics(*arrays, axis=-1))

    def rounded(*values: Floats, axis: int = -1) -> Floats:
        return rounding(statistics(*values, axis=axis))

    with warnings.catch_warnings(action="ignore"):  # BCa warns if it is undefined, which is handled below
        result = stats.bootstrap(
            arrays,
            rounded,
            paired=paired,
            vectorized=True,
            method=method,
            confidence_level=LEVEL,
            n_resamples=n_resamples,
            batch=max(1, MAX_VALUES_PER_BATCH // max(map(len, arrays))),
            rng=np.random.default_rng(random_seed),
        )
    ends = np.stack(result.confidence_interval, axis=-1)
    return defined_intervals(ends, result.bootstrap_distribution, method=method)


def rounding_of(observed: Floats) -> Callable[[Floats], Floats]:
    """Return a function that rounds statistics, (s, …), to the digits to which they are exact.

    The same number summed in another order differs in its last bits, and BCa counts the resamples that equal the
    observed value.

    Args:
        observed: (s,) the observed values. They are exact to 12 decimals, or to about 12 digits if they exceed 1.
    """
    larger = np.log10(np.fmax(np.abs(observed), 1))
    scale = 10.0 ** (_EXACT_DIGITS - np.floor(np.where(np.isfinite(larger), larger, 0)))

    def rounded(values: Floats) -> Floats:
        return np.asarray((np.rint(values.T * scale) / scale).T + 0.0)  # -0.0 becomes 0.0

    return rounded


def defined_intervals(ends: Floats, resampled: Floats, *, method: Method) -> tuple[Interval, ...]:
    """Return the interval of each statistic: by percentiles where the method is undefined.

    Args:
        ends: (s, 2) the ends by the method; not finite where it is undefined.
        resampled: (s, r) the values of the resamples.
        method: The method.
    """
    percentiles = np.quantile(resampled, TAILS, axis=-1).T
    intervals = []
    for own, by_percentile in zip(ends, percentiles, strict=True):
        used: str = method
        if not np.isfinite(own).all():
            own = by_percentile
            used = "percentile"
        low, high = own.tolist()
        intervals.append(Interval(low=low, high=high, method=f"{used} bootstrap"))
    return tuple(intervals)
