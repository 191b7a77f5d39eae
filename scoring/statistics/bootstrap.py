"""Compute bootstrap intervals that resample seeds, because the variants of a seed are not independent."""

import warnings
from collections.abc import Callable
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
    from scipy import stats

    arrays = [numbers(f"columns[{i}]", column) for i, column in enumerate(columns)]
    if len({len(array) for array in arrays}) != 1:
        raise ValueError(f"columns have {[len(array) for array in arrays]} values: pass one value per seed in each")

    def run(method: Method) -> Any:  # noqa: ANN401  (scipy has no types)
        return stats.bootstrap(
            arrays,
            statistic,
            paired=True,
            vectorized=True,
            method=method,
            confidence_level=level,
            n_resamples=n_resamples,
            batch=max(1, _MAX_VALUES_PER_BATCH // len(arrays[0])),
            rng=np.random.default_rng(random_seed),
        ).confidence_interval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BCa warns if it is undefined, which is handled below
        ends = run(method)
        if not np.isfinite([ends.low, ends.high]).all():
            method = "percentile"
            ends = run(method)
    return Interval(low=float(ends.low), high=float(ends.high), level=level, method=f"{method} bootstrap", unit=unit)


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
