"""Test all pairs of models: from counts to values by seed to p-values adjusted over the family."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.base.arrays import Bools, Floats
from merge_snli.statistics.exact import SMALLEST_P
from merge_snli.statistics.letters import compact_letters
from merge_snli.statistics.multiple import holm
from merge_snli.statistics.paired_tests import mcnemar_test, permutation_test
from merge_snli.statistics.t_tests import paired_t_test
from merge_snli.statistics.values import TestResult, ratios
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy, required_correct

PairedTest = Callable[..., TestResult]

# The test over subsamples, which pairs in groups do not have.
SUBSAMPLE_TEST = "t-test"

# The tests of two models by name.
PAIRED_TESTS: dict[str, PairedTest] = {
    "permutation": permutation_test,
    "mcnemar": mcnemar_test,
    SUBSAMPLE_TEST: paired_t_test,
}


def smallest_p(test: str, n: int) -> float:
    """Return the smallest p-value that a test gives on n units: that of differences in one direction on all of them."""
    return 0.0 if test == SUBSAMPLE_TEST else max(SMALLEST_P, 2.0 ** (1 - n))


def passes_by_seed(correct: ArrayLike, sizes: ArrayLike, threshold: float = QUALITY_THRESHOLD) -> Floats:
    """Return the share of the subsamples in which each seed passes a threshold.

    Its mean is PA if every subsample has every seed.

    Args:
        correct: (s, g) int: number of correct variants of each seed in each subsample.
        sizes: (s, g) int: number of variants of each seed in each subsample; a subsample without variants of a seed is
            ignored for this seed.
        threshold: Threshold from 0 to 1.

    Returns:
        (g,) float64, from 0 to 1; NaN for a seed without a variant in any subsample.

    Raises:
        ValueError: If the shapes differ.

    Examples:
        >>> passes_by_seed([[18, 17], [20, 18]], [[20, 20], [20, 20]])
        array([1. , 0.5])
    """
    n_correct = np.asarray(correct, dtype=np.int64)
    n = np.asarray(sizes, dtype=np.int64)
    if n_correct.shape != n.shape or n_correct.ndim != 2:
        raise ValueError(f"correct has the shape {n_correct.shape}, sizes {n.shape}: pass counts by subsample and seed")
    passing = (n > 0) & (n_correct >= required_correct(threshold, n))
    return ratios(np.count_nonzero(passing, axis=0), np.count_nonzero(n, axis=0))


def values_for(test: str, correct: ArrayLike, sizes: ArrayLike, threshold: float = QUALITY_THRESHOLD) -> Floats | Bools:
    """Convert one model's counts to the values that `compare_models` takes for a test.

    Args:
        test: `"permutation"`: the share of the subsamples in which each seed passes; `"mcnemar"`: whether it passes in
            more than half of them; `"t-test"`: PA of each subsample.
        correct: (s, g) int, as for `passes_by_seed`, of seeds with a variant in some subsample.
        sizes: (s, g) int, as for `passes_by_seed`.
        threshold: Threshold from 0 to 1.

    Returns:
        (g,) float64, (g,) bool or (s,) float64.

    Raises:
        ValueError: If the shapes differ, or a seed has no variant in any subsample.

    Examples:
        >>> counts = [[18, 17], [20, 18], [20, 0]], [[20, 20]] * 3
        >>> values_for("mcnemar", *counts), values_for("t-test", *counts)
        (array([ True, False]), array([0.5, 1. , 0.5]))
    """
    if test == SUBSAMPLE_TEST:
        return pattern_accuracy(correct, sizes, threshold)[:, 0]
    passes = passes_by_seed(correct, sizes, threshold)
    if np.isnan(passes).any():
        raise ValueError(f"seed {np.isnan(passes).argmax()} has no variant in any subsample: leave it out")
    return passes > 1 / 2 if test == "mcnemar" else passes


@dataclass(frozen=True, kw_only=True)
class NamedTest:
    """The test of one pair, such as two word classes or two columns of Table 3."""

    first: str
    second: str
    result: TestResult


@dataclass(frozen=True, kw_only=True)
class PairResult(NamedTest):
    """The test of one pair with its p-value adjusted over the family.

    Attributes:
        adjusted_p: The adjusted p-value; NaN if the test is not defined, because all differences are equal and not 0.
        differs: Whether the p-value is below the level. A pair whose test is not defined differs, too.
    """

    adjusted_p: float
    differs: bool


@dataclass(frozen=True, kw_only=True)
class Family:
    """The tests of all pairs of some models.

    Attributes:
        test: Name of the test.
        models: Models, best first.
        means: Mean value of each model.
        pairs: Every pair once, in the order of the models.
        alpha: Family-wise significance level: pairs with a smaller adjusted p-value differ.
        letters: Compact letter display: models that share a letter do not differ. Empty if the test cannot decide.
        warning: Why the p-values are unreliable; None if they are not.
        copies: Each model whose answers are exactly those of another, with the other.
        tests: Number of tests over which Holm's method adjusts. Models with the same answers are tested once.
        smallest_p: Smallest p-value that the test can give on so many units.
    """

    test: str
    models: tuple[str, ...]
    means: dict[str, float]
    pairs: tuple[PairResult, ...]
    alpha: float
    letters: dict[str, str]
    warning: str | None
    copies: dict[str, str]
    tests: int
    smallest_p: float

    @property
    def can_decide(self) -> bool:
        """Whether the smallest p-value that the test can give is below the level after Holm's adjustment."""
        return self.tests * self.smallest_p < self.alpha

    @property
    def untested(self) -> list[PairResult]:
        """The pairs that differ by the same amount in every unit, whose test is not defined."""
        return [pair for pair in self.pairs if math.isnan(pair.adjusted_p)]


def compare_models(
    values: Mapping[str, ArrayLike],
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    unit: str | None = None,
    copies: Mapping[str, str] | None = None,
) -> Family:
    """Test every pair of models, with Holm's adjustment over all pairs.

    Args:
        values: One value per unit for each model, with the units in the same order: whether the model passes each seed
            at 0.9 (`"mcnemar"`, booleans), the share of subsamples in which it does (`"permutation"`), or PA of each
            subsample (`"t-test"`).
        test: `"permutation"`, `"mcnemar"` or `"t-test"`.
        alpha: Family-wise significance level.
        unit: Unit of the values; by default "seed", or "subsample" for the t-test.
        copies: For each model whose answers are exactly those of another, the other; both are tested once, so that a
            copy of a result does not change p-values.

    Returns:
        The tests, with models sorted by their mean, best first.

    Raises:
        ValueError: If there are fewer than two models, the test is unknown, or the values do not fit the test.

    Examples:
        >>> family = compare_models({"a": [1.0] * 9 + [0.5], "b": [0.9] * 9 + [0.6], "c": [0.2] * 10})
        >>> family.letters
        {'a': 'a', 'b': 'b', 'c': 'c'}
    """
    if test not in PAIRED_TESTS:
        raise ValueError(f"test is {test!r}: choose one of {', '.join(map(repr, PAIRED_TESTS))}")
    if len(values) < 2:
        raise ValueError(f"values has {len(values)} model(s): at least two are needed")
    unit = unit or ("subsample" if test == SUBSAMPLE_TEST else "seed")
    means = {}
    original = {}
    for model, column in values.items():
        means[model] = float(np.asarray(column, dtype=np.float64).mean())
        original[model] = (copies or {}).get(model, model)
    # A copy follows its original directly, so that both are on the same side of every pair.
    models = tuple(sorted(values, key=lambda model: (-means[model], original[model], model != original[model], model)))
    results = {}
    p_of = {}
    for first, second in combinations(models, 2):
        try:
            result = PAIRED_TESTS[test](values[first], values[second], unit=unit)
        except ValueError as error:
            raise ValueError(f"{first} against {second}: {error}") from error
        results[first, second] = result
        if original[first] != original[second]:
            p_of[original[first], original[second]] = result.p_value
    if not p_of:
        p_of[models[0], models[1]] = 1.0
    adjusted = dict(zip(p_of, holm(list(p_of.values())), strict=True))
    pairs = []
    for (first, second), result in results.items():
        p = adjusted.get((original[first], original[second]), 1.0)
        pairs.append(_pair(first, second, result, p, alpha))
    tests = sum(not math.isnan(p) for p in adjusted.values())
    smallest = smallest_p(test, pairs[0].result.n)
    differing = [(pair.first, pair.second) for pair in pairs if pair.differs]
    letters = dict.fromkeys(models, "")
    if tests * smallest < alpha:
        letters = compact_letters(models, differing)
    return Family(
        test=pairs[0].result.test.partition(" (")[0],
        models=models,
        means={model: means[model] for model in models},
        pairs=tuple(pairs),
        alpha=alpha,
        letters=letters,
        warning=pairs[0].result.warning,
        copies={model: other for model, other in original.items() if model != other},
        tests=tests,
        smallest_p=smallest,
    )


def adjusted_pairs(tests: Sequence[tuple[str, str, TestResult]]) -> tuple[PairResult, ...]:
    """Adjust the p-values of the tests of some pairs by Holm's method, at the level 5%.

    Args:
        tests: Names of the first and the second of a pair, and the result of its test.
    """
    adjusted = holm([result.p_value for _, _, result in tests])
    return tuple(_pair(*test, p, 0.05) for test, p in zip(tests, adjusted, strict=True))


def _pair(first: str, second: str, result: TestResult, p: float, alpha: float) -> PairResult:
    differs = p < alpha or math.isnan(p)
    return PairResult(first=first, second=second, result=result, adjusted_p=p, differs=differs)


def p_matrix(family: Family) -> list[list[float | None]]:
    """Return the adjusted p-values as a square matrix in the order of the models, None on the diagonal."""
    by_pair = {frozenset((pair.first, pair.second)): pair.adjusted_p for pair in family.pairs}
    return [[by_pair.get(frozenset((row, column))) for column in family.models] for row in family.models]
