"""Test models on the same seeds: McNemar's test for booleans, permutation tests for numbers and for curves."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from merge_snli.scoring.statistics.bootstrap import N_RESAMPLES
from merge_snli.scoring.statistics.t_tests import paired_result
from merge_snli.scoring.statistics.values import (
    FloatArray,
    Interval,
    TestResult,
    booleans,
    numbers,
    paired,
    warning_for,
)

EXACT_BELOW = 25  # discordant seeds; with more, the chi-squared approximation is close and less conservative
MAX_EXACT_FLIPS = 13  # 2**13 sign patterns are fewer than N_RESAMPLES

_MAX_VALUES_PER_BATCH = 2**22
_RESAMPLES_PER_BATCH = 500
_TOLERANCE = 1e-8  # floating-point sums depend on the order of their terms
_FLOAT32_TOLERANCE = 1e-4


def mcnemar_test(first: ArrayLike, second: ArrayLike, *, unit: str = "seed", level: float = 0.95) -> TestResult:
    """Test whether two models are correct on different shares of the same seeds, with McNemar's test.

    Args:
        first: (n,) bool: whether the first model is correct on each seed (or passes it at a threshold).
        second: (n,) bool: the same for the second model.
        unit: Unit of the values.
        level: Nominal coverage of the interval of the difference.

    Returns:
        The test: exact if fewer than 25 seeds are discordant, else chi-squared without continuity correction. The
        effect size is the odds ratio of the discordant seeds, infinite if only the first model has such seeds. The
        interval of the difference is Agresti and Min's.

    Raises:
        ValueError: If the lengths differ, or the values are not booleans.

    Examples:
        >>> result = mcnemar_test([True] * 8 + [False] * 2, [True] * 2 + [False] * 8)
        >>> result.p_value, result.difference, result.effect_size
        (0.03125, 0.6, inf)
    """
    from statsmodels.stats.contingency_tables import mcnemar

    a, b = paired(first, second, booleans)
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
    """Return the odds that a discordant seed is the first model's; 1 if there is none."""
    return only_first / only_second if only_second else math.inf if only_first else 1.0


def _agresti_min(only_first: int, only_second: int, n: int, level: float, unit: str) -> Interval:
    """Compute Wald's interval after adding half a seed to each of the four cells."""
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
    """Test whether two models' values differ on the same seeds, by swapping the models within seeds.

    Args:
        first: (n,) value of the first model on each seed, such as the share of subsamples in which it passes.
        second: (n,) values of the second model, in the same order.
        unit: Unit of the values.
        n_resamples: Number of random permutations, if there are too many for an exact test.
        random_seed: Seed of the random permutations.
        level: Nominal coverage of the interval of the mean difference, Student's t over seeds.

    Returns:
        The test, exact if the models differ on at most 13 seeds. The statistic is the mean difference.

    Raises:
        ValueError: If the lengths differ or are below 2, or a value is not finite.

    Examples:
        >>> result = permutation_test([1, 1, 1, 0.5, 1, 1], [0, 0, 0.5, 0, 0.5, 0])
        >>> result.test, result.p_value
        ('paired permutation test (exact)', 0.03125)
    """
    a, b = paired(first, second, numbers)
    differences = a - b
    changing = differences[differences != 0]  # swapping has no effect on seeds without a difference
    exact = len(changing) <= MAX_EXACT_FLIPS
    p_value = _exact_p(changing) if exact else _sampled_p(changing, n_resamples, random_seed)
    name = f"paired permutation test ({'exact' if exact else f'{n_resamples:,} resamples'})"
    return paired_result(name, float(differences.mean()), p_value, differences, level=level, unit=unit)


def _exact_p(differences: FloatArray) -> float:
    """Return the share of all sign patterns whose sum is at least as far from 0 as the observed one."""
    flips = np.arange(2 ** len(differences))[:, None] >> np.arange(len(differences)) & 1
    sums = np.abs((1 - 2 * flips) @ differences)
    return float(np.mean(sums >= abs(differences.sum()) - _TOLERANCE))


def _sampled_p(differences: FloatArray, n_resamples: int, random_seed: int) -> float:
    """Return the same share among random sign patterns and the observed one, so that p is never 0.

    Among seeds with the same absolute difference only the number of positive signs matters, which is binomial. Shares
    of ten subsamples have ten absolute differences, so this draws ten numbers instead of thousands of signs.
    """
    values, counts = np.unique(np.abs(differences).round(12), return_counts=True)
    rng = np.random.default_rng(random_seed)
    batch = max(1, _MAX_VALUES_PER_BATCH // len(values))
    extreme = 0
    for start in range(0, n_resamples, batch):
        positive = rng.binomial(counts, 0.5, size=(min(batch, n_resamples - start), len(values)))
        sums = np.abs((2 * positive - counts) @ values)
        extreme += int(np.count_nonzero(sums >= abs(differences.sum()) - _TOLERANCE))
    return (extreme + 1) / (n_resamples + 1)


@dataclass(frozen=True, kw_only=True)
class PairAtThresholds:
    """The test of one pair of models at every threshold.

    Attributes:
        first: First model.
        second: Second model.
        differences: PA of the first minus PA of the second at each threshold.
        adjusted_p: p-value at each threshold, adjusted over all thresholds and all pairs.
        differs: Whether the pair differs at each threshold.
    """

    first: str
    second: str
    differences: tuple[float, ...]
    adjusted_p: tuple[float, ...]
    differs: tuple[bool, ...]


def compare_at_thresholds(
    passes: Mapping[str, ArrayLike], *, alpha: float = 0.05, random_seed: int = 0
) -> tuple[PairAtThresholds, ...]:
    """Test every pair of models at every threshold, by swapping the models within seeds.

    A permutation swaps the models on a seed at all thresholds at once. The p-value at a threshold is the share of the
    permutations whose largest standardized difference at any threshold is at least as large as the observed one at
    this threshold (Westfall and Young's single-step adjustment). It is multiplied by the number of pairs (Bonferroni).

    Args:
        passes: For each model (n, t) whether it passes each of n seeds at each of t thresholds, or the share of the
            subsamples in which it does. The seeds are in the same order for all models.
        alpha: Significance level over all pairs and thresholds.
        random_seed: Seed of the 9,999 random permutations.

    Returns:
        Every pair once, in the order of the models.

    Raises:
        ValueError: If there are fewer than two models, or the arrays differ in shape.

    Examples:
        >>> passing = {"a": [[1, 1]] * 20, "b": [[1, 0]] * 20}
        >>> [pair] = compare_at_thresholds(passing)
        >>> pair.differs, pair.adjusted_p
        ((False, True), (1.0, 0.0001))
    """
    tables = {model: np.asarray(table, dtype=np.float64) for model, table in passes.items()}
    shapes = {table.shape for table in tables.values()}
    if len(tables) < 2 or len(shapes) != 1:
        raise ValueError(f"passes has {len(tables)} model(s) of the shapes {sorted(shapes)}: pass two of the same")
    pairs = list(combinations(tables, 2))
    tests = []
    for first, second in pairs:
        differences = tables[first] - tables[second]
        p_values = np.minimum(1, len(pairs) * _largest_differences(differences, random_seed))
        tests.append(
            PairAtThresholds(
                first=first,
                second=second,
                differences=tuple(differences.mean(axis=0).tolist()),
                adjusted_p=tuple(p_values.tolist()),
                differs=tuple((p_values < alpha).tolist()),
            )
        )
    return tuple(tests)


def _largest_differences(differences: FloatArray, random_seed: int) -> FloatArray:
    """Return the p-value of each threshold from the distribution of the largest standardized sum, [t]."""
    changing = differences[differences.any(axis=1)]
    norms = np.sqrt(np.square(changing).sum(axis=0))
    standardized = np.divide(changing, norms, out=np.zeros_like(changing), where=norms > 0).astype(np.float32)
    observed = np.abs(standardized.sum(axis=0))
    rng = np.random.default_rng(random_seed)
    extreme: NDArray[np.int64] = np.zeros(len(observed), dtype=np.int64)
    for start in range(0, N_RESAMPLES, _RESAMPLES_PER_BATCH):
        shape = min(_RESAMPLES_PER_BATCH, N_RESAMPLES - start), len(changing)
        signs = 2 * rng.integers(2, size=shape, dtype=np.int8).astype(np.float32) - 1
        largest = np.abs(signs @ standardized).max(axis=1)
        extreme += np.count_nonzero(largest[:, np.newaxis] >= observed - _FLOAT32_TOLERANCE, axis=0)
    return np.asarray((extreme + 1) / (N_RESAMPLES + 1))
