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


def constant_interval(
    value: float, n: int, *, lowest: float = 0.0, level: float = 0.95, unit: str = "seed"
) -> Interval:
    """Compute the interval of the mean of units that all have the same value, about which a bootstrap says nothing.

    None of n units differs from the value. The share of units that do, in the population, is at most the upper end of
    the Wilson score interval of 0 of n, and each of these has at worst the lowest or highest possible value.

    Args:
        value: The value of every unit.
        n: Number of units, at least 1.
        lowest: Lowest possible value of a unit; the highest is 1.
        level: Nominal coverage.
        unit: Unit of the values; units must be independent.

    Returns:
        The interval. For shares of 0 and 1, it is the Wilson score interval of 0 of n and n of n.

    Raises:
        ValueError: If `n` is below 1.

    Examples:
        >>> interval = constant_interval(1.0, 99)
        >>> round(interval.low, 4), interval.high
        (0.9626, 1.0)
    """
    differing = proportion_interval(0, n, level=level).high
    return Interval(
        low=value - differing * (value - lowest),
        high=value + differing * (1 - value),
        level=level,
        method="Wilson score",
        unit=unit,
    )
