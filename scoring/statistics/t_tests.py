"""The paper's t-tests: seeds against variants over models, models against each other over subsamples, word classes."""

import math

import numpy as np
from numpy.typing import ArrayLike

from .outcomes import Interval, TestResult, warning_for
from .values import FloatArray, numbers, paired


def paired_t_test(first: ArrayLike, second: ArrayLike, *, unit: str = "model", level: float = 0.95) -> TestResult:
    """Test whether two scores of the same units differ in their mean.

    With models as units: SA on seeds against SA on variants (section 5.1). With subsamples as units: PA at QT of two
    models; the result then carries a warning, for subsamples overlap.

    Args:
        first: (n,) one score a unit.
        second: (n,) the other score of the same units, in the same order.
        unit: what one value belongs to.
        level: of the interval of the mean difference.

    Returns:
        Student's t of the differences; the effect size is Cohen's d_z, their mean over their standard deviation.

    Raises:
        ValueError: if the lengths differ or are below 2, or a value is not finite.

    Examples:
        >>> result = paired_t_test([0.90, 0.92, 0.88, 0.91], [0.88, 0.91, 0.87, 0.88])
        >>> round(result.statistic, 3), round(result.p_value, 3), result.unit
        (3.656, 0.035, 'model')
    """
    from scipy import stats

    a, b = paired(first, second)
    differences = a - b
    if _deviation(differences) == 0:  # scipy divides by it
        statistic, p_value = _without_deviation(float(differences.mean()))
    else:
        outcome = stats.ttest_rel(a, b)
        statistic, p_value = float(outcome.statistic), float(outcome.pvalue)
    return TestResult(
        test="paired t-test",
        statistic=statistic,
        p_value=p_value,
        n=len(a),
        unit=unit,
        difference=float(differences.mean()),
        interval=mean_t_interval(differences, level=level, unit=unit),
        effect_size=cohens_dz(differences),
        effect="Cohen's d_z",
        warning=warning_for(unit),
    )


def mean_t_interval(values: FloatArray, *, level: float, unit: str) -> Interval:
    """Student's interval of a mean."""
    from scipy import stats

    mean, error = float(values.mean()), _deviation(values) / math.sqrt(len(values))
    half = float(stats.t.ppf((1 + level) / 2, len(values) - 1)) * error
    return Interval(low=mean - half, high=mean + half, level=level, method="Student's t", unit=unit)


def cohens_dz(differences: FloatArray) -> float:
    """Mean of paired differences over their standard deviation; 0 or infinite where that is 0."""
    mean, deviation = float(differences.mean()), _deviation(differences)
    return mean / deviation if deviation else _without_deviation(mean)[0]


def independent_t_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    unit: str = "model",
    equal_variances: bool = False,
    level: float = 0.95,
) -> TestResult:
    """Test whether the means of two lists of scores differ whose units are not the same: word classes (section 5.2).

    Args:
        first: (n,) scores.
        second: (m,) scores.
        unit: what one value belongs to.
        equal_variances: Student's test, as the paper may have used; otherwise Welch's, which needs no such assumption.
        level: of the interval of the difference of the means.

    Returns:
        The t statistic; the effect size is Cohen's d, the difference over the pooled standard deviation.

    Raises:
        ValueError: if one is shorter than 2, or a value is not finite.

    Examples:
        >>> result = independent_t_test([0.83, 0.84, 0.86], [0.87, 0.88, 0.90])
        >>> round(result.statistic, 3), round(result.p_value, 3), result.n
        (-3.207, 0.033, 6)
    """
    from scipy import stats

    a, b = numbers("first", first), numbers("second", second)
    difference = float(a.mean() - b.mean())
    pooled = math.sqrt(((len(a) - 1) * _deviation(a) ** 2 + (len(b) - 1) * _deviation(b) ** 2) / (len(a) + len(b) - 2))
    if pooled == 0:
        statistic, p_value = _without_deviation(difference)
        low = high = difference
    else:
        outcome = stats.ttest_ind(a, b, equal_var=equal_variances)
        statistic, p_value = float(outcome.statistic), float(outcome.pvalue)
        low, high = (float(end) for end in outcome.confidence_interval(level))
    method = "Student's t" if equal_variances else "Welch's t"
    return TestResult(
        test=f"independent t-test ({'Student' if equal_variances else 'Welch'})",
        statistic=statistic,
        p_value=p_value,
        n=len(a) + len(b),
        unit=unit,
        difference=difference,
        interval=Interval(low=low, high=high, level=level, method=method, unit=unit),
        effect_size=difference / pooled if pooled else statistic,
        effect="Cohen's d",
        warning=warning_for(unit),
    )


def _deviation(values: FloatArray) -> float:
    """Standard deviation, 0 for equal values although their mean was rounded."""
    return 0.0 if np.all(values == values[0]) else float(values.std(ddof=1))


def _without_deviation(difference: float) -> tuple[float, float]:
    """Statistic and p where all differences are the same: no evidence if it is none, else infinitely much."""
    return (0.0, 1.0) if difference == 0 else (math.copysign(math.inf, difference), 0.0)
