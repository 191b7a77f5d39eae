"""Tests of the exact permutation test against integer convolution, and of families of many models."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from merge_snli.base.arrays import Floats
from merge_snli.statistics import (
    SMALLEST_P,
    compact_letters,
    compare_at_thresholds,
    compare_models,
    mcnemar_test,
    observed_gaps,
    permutation_test,
)
from merge_snli.statistics.exact import random_signs_p
from tests.many_models import holm_adjusted, many_models, signs_p


@pytest.mark.parametrize(("n", "unit"), [(2, 10), (30, 7), (78, 20), (60, 130), (300, 10)])
@pytest.mark.parametrize("changed", [0.1, 1.0])
def test_the_p_value_is_that_of_integer_convolution(n: int, unit: int, changed: float) -> None:
    rng = np.random.default_rng(n + unit)
    for better in (0.5, 0.6, 0.8):
        signs = np.where(rng.random(n) < better, 1, -1)
        steps = signs * rng.integers(1, unit + 1, n) * (rng.random(n) < changed)
        found = random_signs_p(steps / unit)
        assert found.is_exact
        assert found.value == pytest.approx(max(SMALLEST_P, signs_p(steps.tolist())), rel=1e-6, abs=1e-14)


@given(st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_booleans_give_the_binomial_test(only_first: int, only_second: int) -> None:
    n = only_first + only_second + 5
    first, second = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    first[:only_first] = second[only_first:-5] = True
    discordant = only_first + only_second
    expected = stats.binomtest(only_first, discordant).pvalue if discordant else 1.0
    found = permutation_test(first, second).p_value
    assert found == pytest.approx(max(SMALLEST_P, expected), rel=1e-6, abs=1e-14)
    assert mcnemar_test(first, second).p_value == found


def test_values_without_a_unit_give_a_close_upper_bound() -> None:
    rng = np.random.default_rng(3)
    for n in (4, 9, 12):
        differences = rng.normal(0.2, 0.5, n)
        sums = [abs(float(np.dot(signs, differences))) for signs in product((1, -1), repeat=n)]
        exact = float(np.mean(np.array(sums) >= abs(differences.sum()) - 1e-12))
        found = random_signs_p(differences)
        assert not found.is_exact
        assert exact <= found.value <= 1.01 * exact


def test_shares_of_many_denominators_are_rounded_without_a_smaller_p_value() -> None:
    rng = np.random.default_rng(4)
    sizes = rng.integers(20, 91, 1_554)
    chances = rng.beta(3, 0.5, 1_554)
    first, second = rng.binomial(sizes, chances, (2, 1_554)) / sizes
    differences = first - second + 0.004
    found = random_signs_p(differences)
    positive = rng.integers(0, 2, size=(20_000, 1_554), dtype=np.int8)
    sums = 2 * (positive @ differences) - differences.sum()
    estimate = float(np.mean(np.abs(sums) >= abs(differences.sum())))
    error = math.sqrt(estimate * (1 - estimate) / 20_000)
    assert not found.is_exact
    assert estimate - 4 * error <= found.value <= 1.1 * estimate + 4 * error


def test_a_smaller_p_value_than_can_be_computed_is_a_bound() -> None:
    result = permutation_test(np.ones(500), np.zeros(500))
    assert (result.test, result.p_value) == ("paired permutation test (exact)", SMALLEST_P)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["permutation", "mcnemar"])
def test_forty_models_differ_as_exact_tests_and_holm_say(test: str) -> None:
    shares = many_models(40, 78)
    values = {name: column > 1 / 2 for name, column in shares.items()} if test == "mcnemar" else shares
    family = compare_models(values, test=test)
    expected = []
    for pair in family.pairs:
        steps = 10 * (values[pair.first].astype(np.float64) - values[pair.second])
        expected.append(signs_p(np.rint(steps).astype(int).tolist()))
    differs = [p < 0.05 for p in holm_adjusted(expected)]
    assert [pair.differs for pair in family.pairs] == differs
    assert (family.tests, sum(differs) > 300) == (780, True)


def test_a_copy_of_a_model_changes_no_p_value() -> None:
    shares = many_models(4, 40)
    alone = compare_models(shares)
    first, second, *_ = alone.models
    family = compare_models({"copy": shares[second], **shares}, copies={"copy": second})
    adjusted = {(pair.first, pair.second): pair.adjusted_p for pair in family.pairs}
    for pair in alone.pairs:
        assert adjusted[pair.first, pair.second] == pair.adjusted_p
    assert adjusted[second, "copy"] == 1.0
    assert adjusted[first, "copy"] == adjusted[first, second]
    assert family.tests == alone.tests == 6
    assert family.copies == {"copy": second}
    assert family.letters["copy"] == family.letters[second]


def test_too_few_seeds_cannot_decide() -> None:
    few = compare_models({"a": [1.0] * 5, "b": [0.0] * 5})
    assert not few.can_decide
    assert (few.letters, few.smallest_p) == ({"a": "", "b": ""}, 2 / 2**5)
    enough = compare_models({"a": [1.0] * 6, "b": [0.0] * 6})
    assert enough.can_decide
    assert enough.letters == {"a": "a", "b": "b"}


def passing(seed: int, *, seeds: int, levels: int, accuracy: float) -> Floats:
    """Return whether a model passes each seed at each of several thresholds, [n_seeds, n_levels]."""
    rng = np.random.default_rng(seed)
    reached = np.floor(levels * rng.random(seeds) ** (1 - accuracy))
    return (np.arange(levels) <= reached[:, np.newaxis]).astype(np.float64)


def test_thresholds_are_tested_once_per_difference() -> None:
    tables = {str(number): passing(number, seeds=40, levels=6, accuracy=number / 4) for number in range(1, 4)}
    p_of = {}
    for first, second in combinations(tables, 2):
        for steps in (tables[first] - tables[second]).T.astype(int).tolist():
            p_of[first, second, *steps] = signs_p(steps)
    adjusted = dict(zip(p_of, holm_adjusted(list(p_of.values())), strict=True))
    repeated = {name: np.repeat(table, 3, axis=1) for name, table in tables.items()}
    for pair in compare_at_thresholds(repeated):
        differences = repeated[pair.first] - repeated[pair.second]
        expected = [adjusted[pair.first, pair.second, *steps] for steps in differences.T.astype(int).tolist()]
        assert pair.adjusted_p == pytest.approx(expected)
        assert pair.differences == pytest.approx(differences.mean(axis=0).tolist())
        assert pair.differs == tuple(p < 0.05 for p in pair.adjusted_p)


def test_copies_are_not_tested_at_thresholds() -> None:
    first = passing(1, seeds=40, levels=5, accuracy=0.9)
    second = passing(2, seeds=40, levels=5, accuracy=0.2)
    [alone] = compare_at_thresholds({"a": first, "b": second})
    among = compare_at_thresholds({"a": first, "c": first, "b": second}, copies={"c": "a"})
    assert [(pair.first, pair.second) for pair in among] == [("a", "c"), ("a", "b"), ("c", "b")]
    assert [pair.adjusted_p for pair in among] == [(1.0,) * 5, alone.adjusted_p, alone.adjusted_p]


@pytest.mark.slow
def test_equal_models_rarely_differ_at_any_threshold() -> None:
    found = 0
    for run in range(200):
        tables = {str(name): passing(1_000 * run + name, seeds=60, levels=21, accuracy=0.8) for name in range(3)}
        found += any(any(pair.differs) for pair in compare_at_thresholds(tables))
    assert found <= 18  # 5% of 200 is 10; a binomial count above 18 has probability 0.006


def test_letters_of_many_models_are_the_largest_sets_that_do_not_differ() -> None:
    rng = np.random.default_rng(0)
    models = "abcdefghi"
    for _ in range(20):
        differing = [pair for pair in combinations(models, 2) if rng.random() < 0.5]
        letters = compact_letters(models, differing)
        found = []
        for letter in {*"".join(letters.values())}:
            found.append("".join(model for model in models if letter in letters[model]))
        assert sorted(found) == largest_alike(models, differing)


def largest_alike(models: str, differing: Sequence[tuple[str, str]]) -> list[str]:
    """Return the sets of models of which no two differ and to which no other can be added, by trying all sets."""
    sets: list[str] = []
    for size in range(len(models), 0, -1):
        for chosen in combinations(models, size):
            if {*combinations(chosen, 2)} & {*differing}:
                continue
            if not any({*chosen} < {*larger} for larger in sets):
                sets.append("".join(chosen))
    return sorted(sets)


def test_gaps_are_those_of_all_pairs() -> None:
    columns = many_models(7, 30)
    gaps = observed_gaps(columns)
    counts = Counter[int]()
    for first, second in combinations(columns.values(), 2):
        counts.update(np.rint(10 * np.abs(first - second)).astype(int).tolist())
    assert gaps.values == pytest.approx(np.array(sorted(counts)) / 10)
    assert gaps.shares == pytest.approx([counts[gap] / counts.total() for gap in sorted(counts)])
