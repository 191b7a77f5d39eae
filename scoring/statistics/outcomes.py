"""What the tests and intervals return: frozen values that say what was compared, in which unit, and how sure it is."""

from dataclasses import dataclass

OVERLAP_WARNING = (
    "The subsamples are drawn from the same variants of the same seeds and so are not independent: t-tests over them "
    "find differences too easily, and the permutation test, whose unit is the seed, is the one to trust."
)


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: its lower end.
        high: its upper end.
        level: the share of repetitions in which such an interval holds the true value, such as 0.95.
        method: how it was made, such as "BCa bootstrap".
        unit: what was resampled or taken as independent, such as "seed".
    """

    low: float
    high: float
    level: float
    method: str
    unit: str


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """The outcome of one test of no difference between two paired or independent lists of values.

    Attributes:
        test: its name.
        statistic: the test's statistic.
        p_value: two-sided.
        n: how many units went in (of both lists together where they are independent).
        unit: what one value belongs to: "model", "subsample", "seed".
        difference: first minus second, of the means.
        interval: of the difference.
        effect_size: the size of the effect in the terms of `effect`.
        effect: which effect size it is.
        warning: one sentence where the p-value must not be taken at its word, else None.
    """

    __test__ = False  # not a test class of pytest

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
    """The warning that goes with a unit; only subsamples need one."""
    return OVERLAP_WARNING if unit == "subsample" else None
