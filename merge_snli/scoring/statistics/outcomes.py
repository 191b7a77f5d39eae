"""Define the results of tests and intervals."""

from dataclasses import dataclass

OVERLAP_WARNING = (
    "Subsamples share variants of the same seeds and are not independent, so t-tests over them report too many "
    "differences; use the permutation test instead, whose unit is the seed."
)


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
    level: float
    method: str
    unit: str


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


def warning_for(unit: str) -> str | None:
    """Return the warning for a unit; only subsamples have one."""
    return OVERLAP_WARNING if unit == "subsample" else None
