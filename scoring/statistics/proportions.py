"""Compute intervals of proportions of independent units."""

from .outcomes import Interval


def proportion_interval(successes: int, trials: int, *, level: float = 0.95, unit: str = "problem") -> Interval:
    """Compute the Wilson score interval of a proportion.

    Args:
        successes: Number of units that count.
        trials: Number of units, at least 1.
        level: Nominal coverage.
        unit: Unit of the counts; units must be independent.

    Raises:
        ValueError: If `successes` is not from 0 to `trials`, or `trials` is below 1.

    Examples:
        >>> interval = proportion_interval(9, 10)
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.5958, 0.9821)
    """
    from scipy import stats

    ends = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    return Interval(low=float(ends.low), high=float(ends.high), level=level, method="Wilson score", unit=unit)
