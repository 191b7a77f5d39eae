"""Bootstrap intervals that resample seeds, never rows: the variants of one seed stand and fall together."""

import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .outcomes import Interval
from .values import FloatArray, numbers

Method: TypeAlias = Literal["BCa", "percentile"]

N_RESAMPLES = 9_999
_BATCH = 2**22  # values held at one time, 32 MiB


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
        statistic: takes resampled columns, each (…, n), and `axis`, and returns (…).
        columns: (n,) each: what is known of each seed, in the same order.
        method: "BCa" (bias-corrected and accelerated) or "percentile".
        level: the nominal coverage.
        n_resamples: how often n seeds are drawn with replacement.
        random_seed: of the draws.
        unit: what one value of a column belongs to.

    Returns:
        The interval; where BCa does not exist (a statistic that no single seed changes), the percentile interval.

    Raises:
        ValueError: if the columns differ in length, have fewer than 2 values, or hold something else than numbers.

    Examples:
        >>> interval = bootstrap_interval(np.mean, [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], method="percentile")
        >>> interval.low, interval.high, interval.method
        (0.375, 1.0, 'percentile bootstrap')
    """
    from scipy import stats

    arrays = [numbers(f"columns[{i}]", column) for i, column in enumerate(columns)]
    if len({len(array) for array in arrays}) != 1:
        raise ValueError(f"columns have {[len(array) for array in arrays]} values: give one of each a seed")

    def run(method: Method) -> Any:  # noqa: ANN401  (scipy has no types)
        return stats.bootstrap(
            arrays,
            statistic,
            paired=True,
            vectorized=True,
            method=method,
            confidence_level=level,
            n_resamples=n_resamples,
            batch=max(1, _BATCH // len(arrays[0])),
            rng=np.random.default_rng(random_seed),
        ).confidence_interval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of data that BCa cannot work on: answered below
        ends = run(method)
        if not np.isfinite([ends.low, ends.high]).all():
            method = "percentile"
            ends = run(method)
    return Interval(low=float(ends.low), high=float(ends.high), level=level, method=f"{method} bootstrap", unit=unit)


def share_right(correct: FloatArray, sizes: FloatArray, axis: int = -1) -> NDArray[np.float64]:
    """SA from counts by seed, for seeds of unequal numbers of variants."""
    return np.asarray(correct.sum(axis=axis) / sizes.sum(axis=axis))


def sample_accuracy_interval(
    correct: ArrayLike,
    sizes: ArrayLike,
    *,
    method: Method = "BCa",
    **options: Any,  # noqa: ANN401  (of bootstrap_interval)
) -> Interval:
    """Interval of SA on variants.

    Args:
        correct: (n,) variants right, by seed.
        sizes: (n,) variants, by seed.
        method: "BCa" or "percentile".
        options: as for `bootstrap_interval`.

    Returns:
        The interval of the share of variants that are right.
    """
    return bootstrap_interval(share_right, correct, sizes, method=method, **options)


def mean_interval(values: ArrayLike, *, method: Method = "BCa", **options: Any) -> Interval:  # noqa: ANN401
    """Interval of a mean over seeds.

    PA is such a mean: of whether each seed passes, or of the share of subsamples in which it does. So are QT (whether
    it passes minus whether the seed itself is right) and the difference of two models' PA.

    Args:
        values: (n,) one value a seed.
        method: "BCa" or "percentile".
        options: as for `bootstrap_interval`.

    Returns:
        The interval of the mean.
    """
    return bootstrap_interval(np.mean, values, method=method, **options)
