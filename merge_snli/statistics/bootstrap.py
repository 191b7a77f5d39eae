"""Compute bootstrap intervals that resample seeds, because the variants of a seed are not independent."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from merge_snli.statistics.values import FloatArray, Interval, numbers

Method: TypeAlias = Literal["BCa", "percentile"]
IntArray: TypeAlias = NDArray[np.int64]

N_RESAMPLES = 9_999
_MAX_VALUES_PER_BATCH = 2**18  # 2 MiB, which fits into the cache of a processor core
_EXACT_DIGITS = 12


def bootstrap_intervals(
    statistics: Sequence[Callable[..., Any]],
    *columns: ArrayLike,
    method: Method = "BCa",
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_seed: int = 0,
    unit: str = "seed",
) -> tuple[Interval, ...]:
    """Compute the intervals of statistics over seeds, all from the same resamples.

    PA is the mean of whether each seed passes, or of the share of subsamples in which it does. QT and the difference
    between two models' PA are means over seeds, too.

    Args:
        statistics: Functions of resampled columns, each (…, n), and `axis` that return (…).
        columns: (n,) each: values of each seed, in the same order.
        method: "BCa" (bias-corrected and accelerated) or "percentile".
        level: Nominal coverage.
        n_resamples: Number of resamples.
        random_seed: Seed of the resampling.
        unit: Unit of the values.

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
    if len({len(array) for array in arrays}) != 1:
        raise ValueError(f"columns have {[len(array) for array in arrays]} values: pass one value per seed in each")

    def stacked(*values: FloatArray, axis: int = -1) -> FloatArray:
        return np.stack([statistic(*values, axis=axis) for statistic in statistics])

    return _intervals(stacked, arrays, method, n_resamples, random_seed, level=level, unit=unit)


def weighted_intervals(
    statistics: Callable[[FloatArray], FloatArray],
    n_units: int,
    *,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_seed: int = 0,
    unit: str = "seed",
) -> tuple[Interval, ...]:
    """Compute the intervals of statistics that depend on how often each seed is drawn, such as ratios of sums.

    Args:
        statistics: Function of weights, (r, n), that returns (k, r): k statistics of r resamples. A weight is the
            number of times that a seed was drawn. Their sum is n, but n - 1 where BCa leaves out each seed in turn.
        n_units: Number of seeds n, at least 2.
        level: Nominal coverage.
        n_resamples: Number of resamples.
        random_seed: Seed of the resampling.
        unit: Unit of the weights.

    Returns:
        The interval of each of the k statistics, from the same resamples as `bootstrap_intervals`. If BCa is
        undefined, the percentile interval; both of its ends are NaN if a statistic is undefined in a resample.

    Raises:
        ValueError: If there are fewer than 2 seeds.

    Examples:
        >>> correct, sizes = np.array([18, 3, 20, 9]), np.array([20, 4, 20, 10])
        >>> (interval,) = weighted_intervals(lambda weights: (weights @ correct / (weights @ sizes))[np.newaxis], 4)
        >>> round(interval.low, 3), round(interval.high, 3)
        (0.868, 0.986)
    """
    if n_units < 2:
        raise ValueError(f"there are {n_units} seeds: at least 2 are needed")

    def of_units(drawn: IntArray, axis: int = -1) -> FloatArray:
        rows = np.moveaxis(drawn, axis, -1).reshape(-1, drawn.shape[axis])
        cells = rows + n_units * np.arange(len(rows))[:, np.newaxis]
        weights = np.bincount(cells.ravel(), minlength=len(rows) * n_units).reshape(-1, n_units)
        values = statistics(weights.astype(np.float64))
        return values.reshape(len(values), *np.delete(drawn.shape, axis))

    return _intervals(of_units, [np.arange(n_units)], "BCa", n_resamples, random_seed, level=level, unit=unit)


def stratified_interval(
    strata: Sequence[ArrayLike],
    weights: Sequence[float],
    *,
    method: Method = "BCa",
    level: float = 0.95,
    unit: str = "seed",
) -> Interval:
    """Compute the interval of a weighted mean of the means of strata, each of which is resampled by itself.

    Args:
        strata: (n,) each: the values of each stratum, at least 2.
        weights: The weight of each stratum.
        method: "BCa" or "percentile".
        level: Nominal coverage.
        unit: Unit of the values.

    Returns:
        The interval. If BCa is undefined (no single value changes the mean), the percentile interval.

    Raises:
        ValueError: If there are not as many weights as strata, or a stratum has fewer than 2 values.
    """
    arrays = [numbers(f"strata[{i}]", values) for i, values in enumerate(strata)]
    if len(arrays) != len(weights):
        raise ValueError(f"{len(arrays)} strata have {len(weights)} weights: pass one weight per stratum")

    def weighted_mean(*values: FloatArray, axis: int = -1) -> FloatArray:
        means = [weight * stratum.mean(axis=axis) for weight, stratum in zip(weights, values, strict=True)]
        return np.asarray(sum(means))[np.newaxis]

    (interval,) = _intervals(weighted_mean, arrays, method, N_RESAMPLES, 0, level=level, unit=unit, paired=False)
    return replace(interval, method=f"stratified {interval.method}")


def _intervals(
    statistics: Callable[..., FloatArray],
    arrays: Sequence[FloatArray | IntArray],
    method: Method,
    n_resamples: int,
    random_seed: int,
    *,
    level: float,
    unit: str,
    paired: bool = True,
) -> tuple[Interval, ...]:
    """Return the interval of each statistic; by percentiles if BCa is undefined.

    BCa counts the resamples below the observed value and those that equal it. The same number summed in another order
    differs in its last bits, so values are rounded before they are compared.
    """
    from scipy import stats

    decimals = [_decimals(float(value)) for value in statistics(*arrays, axis=-1)]

    def rounded(*values: FloatArray, axis: int = -1) -> FloatArray:
        rows = zip(statistics(*values, axis=axis), decimals, strict=True)
        return np.stack([np.round(row, digits) for row, digits in rows]) + 0.0  # -0.0 becomes 0.0

    with warnings.catch_warnings(action="ignore"):  # BCa warns if it is undefined, which is handled below
        result = stats.bootstrap(
            arrays,
            rounded,
            paired=paired,
            vectorized=True,
            method=method,
            confidence_level=level,
            n_resamples=n_resamples,
            batch=max(1, _MAX_VALUES_PER_BATCH // max(map(len, arrays))),
            rng=np.random.default_rng(random_seed),
        )
    ends = np.stack(result.confidence_interval, axis=-1)
    tails = (1 - level) / 2, (1 + level) / 2
    percentiles = np.quantile(result.bootstrap_distribution, tails, axis=-1).T
    defined = np.asarray(np.isfinite(ends).all(axis=1))
    rows = zip(np.where(defined[:, np.newaxis], ends, percentiles).tolist(), defined, strict=True)
    return tuple(
        Interval(low=low, high=high, level=level, method=f"{method if usable else 'percentile'} bootstrap", unit=unit)
        for (low, high), usable in rows
    )


def _decimals(observed: float) -> int:
    """Return to how many decimals a statistic is exact: 12 decimals, or about 12 digits if it exceeds 1."""
    magnitude = abs(observed)
    return _EXACT_DIGITS - (math.floor(math.log10(magnitude)) if 1 < magnitude < math.inf else 0)
