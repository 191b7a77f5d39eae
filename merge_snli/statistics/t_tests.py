"""Run the paper's t-tests: seeds against variants, models against each other, and word classes."""

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.base.arrays import Floats
from merge_snli.statistics.values import LEVEL, OVERLAP_WARNING, Interval, TestResult, numbers, paired

_TOLERANCE = 1e-12  # equal scores may give differences that differ in their last bits


def paired_t_test(first: ArrayLike, second: ArrayLike, *, unit: str = "model") -> TestResult:
    """Test whether the means of two scores of the same units differ.

    With models as units: SA on seeds against SA on variants (section 5.1). With subsamples as units: PA(0.9) of two
    models; the result then has a warning, because subsamples overlap.

    Args:
        first: (n,) one score per unit.
        second: (n,) the other score of each unit, in the same order.
        unit: Unit of the values.

    Returns:
        Student's t-test of the differences, with the 95% interval of their mean. The effect size is Cohen's d_z: mean
        over standard deviation. If all differences are equal and not 0, the test is not defined: statistic and p-value
        are NaN.

    Raises:
        ValueError: If the lengths differ or are below 2, or a value is not finite.

    Examples:
        >>> result = paired_t_test([0.90, 0.92, 0.88, 0.91], [0.88, 0.91, 0.87, 0.88])
        >>> round(result.statistic, 3), round(result.p_value, 3), result.unit
        (3.656, 0.035, 'model')
    """
    from scipy.special import stdtr

    a, b = paired(first, second)
    differences = a - b
    n = len(differences)
    mean = float(differences.mean())
    if _deviation(differences) == 0:
        statistic, p_value = _without_deviation(mean)
    else:
        statistic = mean / math.sqrt(differences.var(ddof=1) / n)
        p_value = float(2 * stdtr(n - 1, -abs(statistic)))
    return paired_result("paired t-test", statistic, p_value, differences, unit)


def paired_result(test: str, statistic: float, p_value: float, differences: Floats, unit: str) -> TestResult:
    """Return the result of a test of paired differences, with Student's 95% t interval and Cohen's d_z.

    Cohen's d_z is the mean over the standard deviation; 0 or infinite if the differences are equal.
    """
    from scipy.special import stdtrit

    n = len(differences)
    mean = float(differences.mean())
    deviation = _deviation(differences)
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * (deviation / math.sqrt(n))
    return TestResult(
        test=test,
        statistic=statistic,
        p_value=p_value,
        n=n,
        unit=unit,
        difference=mean,
        interval=Interval(low=mean - half, high=mean + half, method="Student's t", unit=unit),
        effect_size=_ratio(mean, deviation),
        effect="Cohen's d_z",
        warning=OVERLAP_WARNING if unit == "subsample" else None,
    )


def independent_t_test(first: ArrayLike, second: ArrayLike, *, unit: str = "model") -> TestResult:
    """Test whether the means of two independent samples differ, such as two word classes (section 5.2).

    This is Welch's test, which allows unequal variances.

    Args:
        first: (n,) scores.
        second: (m,) scores.
        unit: Unit of the values.

    Returns:
        The test, with the 95% interval of the difference. The effect size is Cohen's d: the difference over the pooled
        standard deviation. If that is 0 and the means differ, the test is not defined: statistic and p-value are NaN.

    Raises:
        ValueError: If a sample has fewer than 2 values, or a value is not finite.

    Examples:
        >>> result = independent_t_test([0.83, 0.84, 0.86], [0.87, 0.88, 0.90])
        >>> round(result.statistic, 3), round(result.p_value, 3), result.n
        (-3.207, 0.033, 6)
    """
    from scipy import stats

    a = numbers("first", first)
    b = numbers("second", second)
    difference = float(a.mean() - b.mean())
    squares = (len(a) - 1) * _deviation(a) ** 2 + (len(b) - 1) * _deviation(b) ** 2
    pooled = math.sqrt(squares / (len(a) + len(b) - 2))
    if pooled == 0:
        statistic, p_value = _without_deviation(difference)
        low = high = difference
    else:
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            outcome = stats.ttest_ind(a, b, equal_var=False)
        statistic = float(outcome.statistic)
        p_value = float(outcome.pvalue)
        low, high = map(float, outcome.confidence_interval(LEVEL))
    return TestResult(
        test="independent t-test (Welch)",
        statistic=statistic,
        p_value=p_value,
        n=len(a) + len(b),
        unit=unit,
        difference=difference,
        interval=Interval(low=low, high=high, method="Welch's t", unit=unit),
        effect_size=_ratio(difference, pooled),
        effect="Cohen's d",
    )


def _deviation(values: Floats) -> float:
    """Return the standard deviation, exactly 0 for equal values."""
    return 0.0 if np.ptp(values) <= _TOLERANCE else float(values.std(ddof=1))


def _without_deviation(difference: float) -> tuple[float, float]:
    """Return statistic and p-value if the values do not vary: 0 and 1 if the means are equal, else NaN."""
    return (0.0, 1.0) if abs(difference) <= _TOLERANCE else (math.nan, math.nan)


def _ratio(difference: float, deviation: float) -> float:
    """Return the difference over its standard deviation; 0 or infinite if that is 0."""
    if deviation:
        return difference / deviation
    return 0.0 if abs(difference) <= _TOLERANCE else math.copysign(math.inf, difference)
