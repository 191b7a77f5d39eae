"""Define the results of tests and intervals, check the values they take, and compute intervals of proportions."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.base.arrays import Floats

OVERLAP_WARNING = (
    "Subsamples share variants of the same seeds and are not independent, so t-tests over them report too many "
    "differences; use the permutation test instead, whose unit is the seed."
)

# Nominal coverage of intervals.
LEVEL = 0.95
# What is below the lower end of an interval, and below the upper one.
TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        level: Nominal coverage, such as 0.95.
        method: Method, such as "BCa bootstrap".
        unit: Unit that was resampled or assumed independent, such as "seed".
    """

    low: float
    high: float
    level: float = LEVEL
    method: str
    unit: str = "seed"

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end."""
        return self.low, self.high


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """The result of a test of no difference between two paired or independent samples.

    Attributes:
        test: Name of the test.
        statistic: Test statistic.
        p_value: Two-sided p-value; NaN, like the statistic, if the test is not defined.
        n: Number of units; of both samples together if they are independent.
        unit: Unit of the values: "model", "subsample" or "seed".
        difference: Difference of the means, first minus second.
        interval: Interval of the difference.
        effect_size: Effect size.
        effect: Name of the effect size.
        warning: Why the p-value is unreliable; None if it is not.
    """

    __test__ = False  # tell pytest that this is not a test class

    test: str
    statistic: float
    p_value: float
    n: int
    unit: str
    difference: float
    interval: Interval
    effect_size: float
    effect: str
    warning: str | None = None

    @property
    def is_defined(self) -> bool:
        """Whether the test is defined, and its p-value a number."""
        return not math.isnan(self.p_value)


def ratios(numerators: ArrayLike, denominators: ArrayLike) -> Floats:
    """Divide two arrays of the same shape; NaN where the denominator is not positive."""
    below = np.asarray(denominators)
    return np.asarray(np.divide(numerators, below, out=np.full(below.shape, np.nan), where=below > 0))


def mean_of_known(values: ArrayLike, axis: int) -> Floats:
    """Return the mean over an axis of the values that are not NaN; NaN if all are."""
    known = ~np.isnan(values)
    return ratios(np.where(known, values, 0).sum(axis=axis), known.sum(axis=axis))


def paired(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Convert two lists of finite numbers, one of each for each unit, to arrays.

    Raises:
        ValueError: If they differ in length, or as `numbers`.
    """
    a = numbers("first", first)
    b = numbers("second", second)
    if len(a) != len(b):
        raise ValueError(f"first has {len(a)} values, second has {len(b)}: a paired test needs both for each unit")
    return a, b


def numbers(name: str, values: ArrayLike) -> Floats:
    """Convert a list of finite numbers to an array.

    Raises:
        ValueError: If it has fewer than two values, is nested, or has a value that is not a finite number.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}: pass one value per unit")
    if array.size < 2:
        raise ValueError(f"{name} has {array.size} value(s): at least 2 are needed")
    finite = np.isfinite(array)
    if not finite.all():
        at = int(finite.argmin())
        raise ValueError(f"{name}[{at}] is {array[at]}, not a finite number")
    return array


def proportion_interval(successes: int, trials: int, *, unit: str = "problem") -> Interval:
    """Compute the 95% Wilson score interval of a proportion.

    Args:
        successes: Number of units that count.
        trials: Number of units, at least 1.
        unit: Unit of the counts; units must be independent.

    Raises:
        ValueError: If `successes` is not from 0 to `trials`, or `trials` is below 1.

    Examples:
        >>> interval = proportion_interval(9, 10)
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.5958, 0.9821)
    """
    from scipy import stats

    ends = stats.binomtest(successes, trials).proportion_ci(LEVEL, method="wilson")
    return Interval(low=float(ends.low), high=float(ends.high), method="Wilson score", unit=unit)


def constant_interval(value: float, n: int, *, lowest: float = 0.0) -> Interval:
    """Compute the 95% interval of the mean of units that all have the same value, about which a bootstrap says nothing.

    None of n units differs from the value. The share of units that do, in the population, is at most the upper end of
    the Wilson score interval of 0 of n, and each of these has at worst the lowest or highest possible value.

    Args:
        value: The value of every unit.
        n: Number of units, at least 1, which must be independent.
        lowest: Lowest possible value of a unit; the highest is 1.

    Returns:
        The interval. For shares of 0 and 1, it is the Wilson score interval of 0 of n and n of n.

    Raises:
        ValueError: If `n` is below 1.

    Examples:
        >>> interval = constant_interval(1.0, 99)
        >>> round(interval.low, 4), interval.high
        (0.9626, 1.0)
    """
    differing = proportion_interval(0, n).high
    return Interval(
        low=value - differing * (value - lowest),
        high=value + differing * (1 - value),
        method="Wilson score",
    )
