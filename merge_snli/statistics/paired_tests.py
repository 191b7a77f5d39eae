"""Test models on the same seeds: McNemar's test for booleans, exact permutation tests for numbers and for curves."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.statistics.exact import random_signs_p
from merge_snli.statistics.multiple import holm
from merge_snli.statistics.t_tests import paired_result
from merge_snli.statistics.values import (
    LEVEL,
    Interval,
    TestResult,
    paired,
)


def mcnemar_test(first: ArrayLike, second: ArrayLike, *, unit: str = "seed") -> TestResult:
    """Test whether two models are correct on different shares of the same seeds, with McNemar's test.

    Args:
        first: (n,) bool: whether the first model is correct on each seed (or passes it at a threshold).
        second: (n,) bool: the same for the second model.
        unit: Unit of the values.

    Returns:
        The exact test: the binomial test of the discordant seeds. The statistic is the smaller number of them. The
        effect size is their odds ratio, infinite if only the first model has such seeds. The 95% interval
        of the difference is Agresti and Min's.

    Raises:
        ValueError: If the lengths differ, or the values are not booleans.

    Examples:
        >>> result = mcnemar_test([True] * 8 + [False] * 2, [True] * 2 + [False] * 8)
        >>> result.p_value, result.difference, result.effect_size
        (0.03125, 0.6, inf)
    """
    a = np.asarray(first)
    b = np.asarray(second)
    if a.shape != b.shape or a.ndim != 1 or not a.size or not a.dtype == b.dtype == np.bool_:
        raise ValueError(
            f"first has the shape {a.shape} and dtype {a.dtype}, second {b.shape} and {b.dtype}: pass one boolean per "
            "unit in each"
        )
    only_first = int((a & ~b).sum())
    only_second = int((b & ~a).sum())
    signs = random_signs_p(a.astype(np.float64) - b)
    return TestResult(
        test="McNemar's test (exact)",
        statistic=float(min(only_first, only_second)),
        p_value=signs.value,
        n=len(a),
        unit=unit,
        difference=(only_first - only_second) / len(a),
        interval=_agresti_min(only_first, only_second, len(a), unit),
        effect_size=odds_ratio(only_first, only_second),
        effect="odds ratio of the discordant seeds",
    )


def odds_ratio(only_first: int, only_second: int) -> float:
    """Return the odds that a discordant seed is the first model's; 1 if there is none."""
    if only_second:
        return only_first / only_second
    return math.inf if only_first else 1.0


def _agresti_min(only_first: int, only_second: int, n: int, unit: str) -> Interval:
    """Compute Wald's interval after adding half a seed to each of the four cells."""
    from scipy import stats

    b = only_first + 0.5
    c = only_second + 0.5
    total = n + 2
    difference = (b - c) / total
    half = float(stats.norm.ppf((1 + LEVEL) / 2)) * math.sqrt((b + c) - (b - c) ** 2 / total) / total
    low = max(-1.0, difference - half)
    high = min(1.0, difference + half)
    return Interval(low=low, high=high, method="Agresti-Min", unit=unit)


def permutation_test(first: ArrayLike, second: ArrayLike, *, unit: str = "seed") -> TestResult:
    """Test whether two models' values differ on the same seeds, by swapping the models within seeds.

    Args:
        first: (n,) value of the first model on each seed, such as the share of subsamples in which it passes.
        second: (n,) values of the second model, in the same order.
        unit: Unit of the values.

    Returns:
        The test over all permutations. The statistic is the mean difference, and its 95% interval
        Student's t over seeds. The p-value is exact if the differences
        have a common unit, as shares of ten subsamples have; else it is an upper bound. p-values below 1e-12 are
        1e-12.

    Raises:
        ValueError: If the lengths differ or are below 2, or a value is not finite.

    Examples:
        >>> result = permutation_test([1, 1, 1, 0.5, 1, 1], [0, 0, 0.5, 0, 0.5, 0])
        >>> result.test, result.p_value
        ('paired permutation test (exact)', 0.03125)
    """
    a, b = paired(first, second)
    differences = a - b
    p = random_signs_p(differences)
    name = f"paired permutation test ({'exact' if p.is_exact else 'upper bound'})"
    return paired_result(name, float(differences.mean()), p.value, differences, unit)


@dataclass(frozen=True)
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
    passes: Mapping[str, ArrayLike], *, alpha: float = 0.05, copies: Mapping[str, str] | None = None
) -> tuple[PairAtThresholds, ...]:
    """Test every pair of models at every threshold, with the permutation test and Holm's adjustment over all tests.

    Thresholds at which a pair has the same differences on all seeds are one test, since few thresholds change which
    seeds pass.

    Args:
        passes: For each model (n, t) whether it passes each of n seeds at each of t thresholds, or the share of the
            subsamples in which it does. The seeds are in the same order for all models.
        alpha: Significance level over all pairs and thresholds.
        copies: As for `compare_models`.

    Returns:
        Every pair once, in the order of the models.

    Examples:
        >>> passing = {"a": [[1, 1]] * 20, "b": [[1, 0]] * 20}
        >>> [pair] = compare_at_thresholds(passing)
        >>> pair.differs, round(pair.adjusted_p[1], 9)
        ((False, True), 3.815e-06)
    """
    tables = {model: np.asarray(table, dtype=np.float64) for model, table in passes.items()}
    original = {model: (copies or {}).get(model, model) for model in tables}
    p_of = {}
    tested = []
    for first, second in combinations(tables, 2):
        differences = tables[first] - tables[second]
        keys = []
        for column in differences.T:
            key = original[first], original[second], column.tobytes()
            if key not in p_of and original[first] != original[second]:
                p_of[key] = random_signs_p(column).value
            keys.append(key)
        tested.append((first, second, tuple(differences.mean(axis=0).tolist()), keys))
    adjusted = dict(zip(p_of, holm(list(p_of.values())), strict=True))
    pairs = []
    for first, second, means, keys in tested:
        p_values = tuple(adjusted.get(key, 1.0) for key in keys)
        differs = tuple(p < alpha for p in p_values)
        pairs.append(PairAtThresholds(first, second, means, p_values, differs))
    return tuple(pairs)
