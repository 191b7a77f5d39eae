"""Compute bootstrap intervals that resample seeds, because the variants of a seed are not independent."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .outcomes import Interval
from .values import FloatArray, numbers

Method: TypeAlias = Literal["BCa", "percentile"]

N_RESAMPLES = 9_999
_MAX_VALUES_PER_BATCH = 2**22  # 32 MiB


def bootstrap_interval(
    statistic: Callable[..., Any],
    *columns: ArrayLike,
    method: Method = "BCa",
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_seed: int = 0,
    unit: str = "seed",
) -> Interval:
    """Compute the interval of a statistic over seeds.

    Args:
        statistic: Function of resampled columns, each (…, n), and `axis` that returns (…).
        columns: (n,) each: values of each seed, in the same order.
        method: "BCa" (bias-corrected and accelerated) or "percentile".
        level: Nominal coverage.
        n_resamples: Number of resamples.
        random_seed: Seed of the resampling.
        unit: Unit of the values.

    Returns:
        The interval. If BCa is undefined (no single seed changes the statistic), the percentile interval.

    Raises:
        ValueError: If the columns differ in length, have fewer than 2 values, or have values that are not numbers.

    Examples:
        >>> interval = bootstrap_interval(np.mean, [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], method="percentile")
        >>> interval.low, interval.high, interval.method
        (0.375, 1.0, 'percentile bootstrap')
    """
    (interval,) = bootstrap_intervals(
        [statistic],
        *columns,
        method=method,
        level=level,
        n_resamples=n_resamples,
        random_seed=random_seed,
        unit=unit,
    )
    return interval


def bootstrap_intervals(
    statistics: Sequence[Callable[..., Any]],
    *columns: ArrayLike,
    method: Method = "BCa",
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_seed: int = 0,
    unit: str = "seed",
) -> tuple[Interval, ...]:
    """Compute the intervals of several statistics over seeds from the same resamples.

    Args:
        statistics: Functions as for `bootstrap_interval`, like the other arguments.
        columns: (n,) each: values of each seed, in the same order.
        method: "BCa" or "percentile".
        level: Nominal coverage.
        n_resamples: Number of resamples.
        random_seed: Seed of the resampling.
        unit: Unit of the values.

    Returns:
        The interval that `bootstrap_interval` returns for each statistic, in less time.

    Raises:
        ValueError: As for `bootstrap_interval`.
    """
    arrays = [numbers(f"columns[{i}]", column) for i, column in enumerate(columns)]
    if len({len(array) for array in arrays}) != 1:
        raise ValueError(f"columns have {[len(array) for array in arrays]} values: pass one value per seed in each")
    ends = _ends(
        statistics, arrays, paired=True, method=method, level=level, n_resamples=n_resamples, random_seed=random_seed
    )
    return tuple(
        Interval(low=low, high=high, level=level, method=f"{used} bootstrap", unit=unit) for low, high, used in ends
    )


def stratified_interval(
    strata: Sequence[ArrayLike],
    weights: Sequence[float],
    *,
    method: Method = "BCa",
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_seed: int = 0,
    unit: str = "seed",
) -> Interval:
    """Compute the interval of a weighted mean of the means of strata, each of which is resampled by itself.

    Args:
        strata: (n,) each: the values of each stratum, at least 2.
        weights: The weight of each stratum.
        method: "BCa" or "percentile".
        level: Nominal coverage.
        n_resamples: Number of resamples.
        random_seed: Seed of the resampling.
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
        means = [weight * each.mean(axis=axis) for weight, each in zip(weights, values, strict=True)]
        return np.asarray(sum(means))

    ((low, high, method),) = _ends(
        [weighted_mean],
        arrays,
        paired=False,
        method=method,
        level=level,
        n_resamples=n_resamples,
        random_seed=random_seed,
    )
    return Interval(low=low, high=high, level=level, method=f"stratified {method} bootstrap", unit=unit)


def _ends(
    statistics: Sequence[Callable[..., Any]],
    arrays: Sequence[FloatArray],
    *,
    paired: bool,
    method: Method,
    level: float,
    n_resamples: int,
    random_seed: int,
) -> list[tuple[float, float, Method]]:
    """Return the ends of the interval of each statistic and the method that gave them."""
    from scipy import stats

    def stacked(*values: FloatArray, axis: int = -1) -> FloatArray:
        return np.stack([statistic(*values, axis=axis) for statistic in statistics])

    def run(method: Method) -> Any:  # noqa: ANN401  (scipy has no types)
        return stats.bootstrap(
            arrays,
            stacked,
            paired=paired,
            vectorized=True,
            method=method,
            confidence_level=level,
            n_resamples=n_resamples,
            batch=max(1, _MAX_VALUES_PER_BATCH // max(map(len, arrays))),
            rng=np.random.default_rng(random_seed),
        ).confidence_interval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BCa warns if it is undefined, which is handled below
        ends = run(method)
        defined: NDArray[np.bool_] = np.isfinite(ends.low) & np.isfinite(ends.high)
        otherwise = ends if defined.all() else run("percentile")
    return [
        (float(ends.low[at]), float(ends.high[at]), method)
        if defined[at]
        else (float(otherwise.low[at]), float(otherwise.high[at]), "percentile")
        for at in range(len(statistics))
    ]


def share_correct(correct: FloatArray, sizes: FloatArray, axis: int = -1) -> NDArray[np.float64]:
    """Return SA from the counts of correct and of all variants by seed, a statistic for `bootstrap_interval`."""
    return np.asarray(correct.sum(axis=axis) / sizes.sum(axis=axis))


def mean_interval(values: ArrayLike, *, method: Method = "BCa", **options: Any) -> Interval:  # noqa: ANN401
    """Compute the interval of a mean over seeds.

    PA is the mean of whether each seed passes, or of the share of subsamples in which it does. QT and the difference
    between two models' PA are means over seeds, too.

    Args:
        values: (n,) one value per seed.
        method: "BCa" or "percentile".
        options: As for `bootstrap_interval`.

    Returns:
        The interval of the mean.
    """
    return bootstrap_interval(np.mean, values, method=method, **options)
