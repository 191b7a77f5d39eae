"""Tests of two models on the same seeds: McNemar's for right and wrong, permutation for any value a seed."""

import math

import numpy as np
from numpy.typing import ArrayLike

from .outcomes import Interval, TestResult, warning_for
from .t_tests import cohens_dz, mean_t_interval
from .values import FloatArray, booleans, paired

EXACT_BELOW = 25  # discordant seeds; above, the chi-squared approximation is close and less conservative
MAX_EXACT_FLIPS = 13  # 2**13 sign patterns are fewer than the random ones
N_RESAMPLES = 9_999

_BATCH = 2**22  # numbers held at one time
_TOLERANCE = 1e-8  # sums of the same differences in another order differ in their last bits


def mcnemar_test(first: ArrayLike, second: ArrayLike, *, unit: str = "seed", level: float = 0.95) -> TestResult:
    """Test whether two models get different shares of the same seeds right.

    Args:
        first: (n,) bool: whether the first model is right on each seed (or passes it at a threshold).
        second: (n,) bool: the same of the second model.
        unit: what one value belongs to.
        level: of the interval of the difference.

    Returns:
        McNemar's test: exact where fewer than 25 seeds are discordant, else chi-squared without continuity correction.
        The effect size is the odds ratio of the discordant seeds (infinite if only the first has such seeds); the
        interval of the difference is Agresti and Min's.

    Raises:
        ValueError: if the lengths differ, or the values are not booleans.

    Examples:
        >>> result = mcnemar_test([True] * 8 + [False] * 2, [True] * 2 + [False] * 8)
        >>> result.p_value, result.difference, result.effect_size
        (0.03125, 0.6, inf)
    """
    from statsmodels.stats.contingency_tables import mcnemar

    a, b = booleans("first", first), booleans("second", second)
    if len(a) != len(b):
        raise ValueError(f"first has {len(a)} values, second has {len(b)}: a paired test needs one of each a {unit}")
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    exact = only_first + only_second < EXACT_BELOW
    table = [[int((a & b).sum()), only_first], [only_second, int((~a & ~b).sum())]]
    outcome = mcnemar(table, exact=exact, correction=False)
    return TestResult(
        test=f"McNemar's test ({'exact' if exact else 'chi-squared'})",
        statistic=float(outcome.statistic),
        p_value=float(outcome.pvalue),
        n=len(a),
        unit=unit,
        difference=(only_first - only_second) / len(a),
        interval=_agresti_min(only_first, only_second, len(a), level, unit),
        effect_size=odds_ratio(only_first, only_second),
        effect="odds ratio of the discordant seeds",
        warning=warning_for(unit),
    )


def odds_ratio(only_first: int, only_second: int) -> float:
    """Odds that a discordant seed is the first model's; 1 where there is none."""
    if only_second == 0:
        return math.inf if only_first else 1.0
    return only_first / only_second


def _agresti_min(only_first: int, only_second: int, n: int, level: float, unit: str) -> Interval:
    """Wald's interval after adding half a seed to each of the four cells."""
    from scipy import stats

    b, c, total = only_first + 0.5, only_second + 0.5, n + 2
    difference = (b - c) / total
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt((b + c) - (b - c) ** 2 / total) / total
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return Interval(low=low, high=high, level=level, method="Agresti-Min", unit=unit)


def permutation_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    unit: str = "seed",
    n_resamples: int = N_RESAMPLES,
    random_seed: int = 0,
    level: float = 0.95,
) -> TestResult:
    """Test whether two models' values differ on the same seeds, by exchanging the models' names within seeds.

    Args:
        first: (n,) the first model's value on each seed: the share of subsamples that it passes, or its share right.
        second: (n,) the second model's, in the same order.
        unit: what one value belongs to.
        n_resamples: how many exchanges are drawn where there are too many to try them all.
        random_seed: of the draws.
        level: of the interval of the mean difference, Student's t over seeds.

    Returns:
        The test, exact where the models differ on at most 13 seeds; its statistic is the mean difference.

    Raises:
        ValueError: if the lengths differ or are below 2, or a value is not finite.

    Examples:
        >>> result = permutation_test([1, 1, 1, 0.5, 1, 1], [0, 0, 0.5, 0, 0.5, 0])
        >>> result.test, result.p_value
        ('paired permutation test (exact)', 0.03125)
    """
    a, b = paired(first, second)
    differences = a - b
    changing = differences[differences != 0]  # a seed without a difference is the same whatever the names
    exact = len(changing) <= MAX_EXACT_FLIPS
    p_value = _exact_p(changing) if exact else _sampled_p(changing, n_resamples, random_seed)
    mean = float(differences.mean())
    return TestResult(
        test=f"paired permutation test ({'exact' if exact else f'{n_resamples:,} resamples'})",
        statistic=mean,
        p_value=p_value,
        n=len(a),
        unit=unit,
        difference=mean,
        interval=mean_t_interval(differences, level=level, unit=unit),
        effect_size=cohens_dz(differences),
        effect="Cohen's d_z",
        warning=warning_for(unit),
    )


def _exact_p(differences: FloatArray) -> float:
    """Share of all patterns of signs whose sum lies as far from 0 as the one seen."""
    flips = np.arange(2 ** len(differences))[:, None] >> np.arange(len(differences)) & 1
    sums = np.abs((1 - 2 * flips) @ differences)
    return float(np.mean(sums >= abs(differences.sum()) - _TOLERANCE))


def _sampled_p(differences: FloatArray, n_resamples: int, random_seed: int) -> float:
    """The same among random patterns, the one seen added to them so that p is never 0.

    Of m seeds with the same absolute difference only the number of signs matters, which is binomial: with passes of ten
    subsamples a seed there are ten absolute differences, not thousands of signs to draw.
    """
    values, times = np.unique(np.abs(differences).round(12), return_counts=True)
    rng = np.random.default_rng(random_seed)
    batch = max(1, _BATCH // len(values))
    extreme = 0
    for start in range(0, n_resamples, batch):
        positive = rng.binomial(times, 0.5, size=(min(batch, n_resamples - start), len(values)))
        sums = np.abs((2 * positive - times) @ values)
        extreme += int(np.count_nonzero(sums >= abs(differences.sum()) - _TOLERANCE))
    return (extreme + 1) / (n_resamples + 1)
