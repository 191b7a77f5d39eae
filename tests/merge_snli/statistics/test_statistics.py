"""Tests of the significance tests, intervals and regressions against scipy, statsmodels and plain computations."""

import importlib
import math
from collections.abc import Callable
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from merge_snli.base.arrays import Floats, Ints
from merge_snli.statistics import (
    OVERLAP_WARNING,
    Interval,
    TestResult,
    bootstrap_intervals,
    compact_letters,
    compare_models,
    holm,
    independent_t_test,
    intervals_of_sums,
    mcnemar_test,
    p_matrix,
    paired_t_test,
    passes_by_seed,
    permutation_test,
    stratified_interval,
    values_for,
)
from merge_snli.statistics.families import PAIRED_TESTS
from merge_snli.statistics.logistic import (
    NotConverged,
    Outcome,
    fit_logistic,
    independent_columns,
    within_outcomes,
)
from tests.many_models import holm_adjusted
from tests.oracles import refused


def random_pair(seed: int, n: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    first = rng.normal(0.9, 0.05, n)
    return first, first + rng.normal(0.01, 0.03, n)


def ends(interval: Interval) -> Any:  # noqa: ANN401 - an array
    return np.array([interval.low, interval.high])


def check_test(result: TestResult, expected: Any) -> None:  # noqa: ANN401 - of scipy or statsmodels
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue)


def test_paired_t_test_equals_scipy_and_statsmodels() -> None:
    first, second = random_pair(0)
    result = paired_t_test(first, second)
    check_test(result, stats.ttest_rel(first, second))
    described = DescrStatsW(first - second)
    assert ends(result.interval) == pytest.approx(described.tconfint_mean())
    assert result.effect_size == pytest.approx(described.mean / np.std(first - second, ddof=1))


def test_independent_t_test_equals_scipy_and_statsmodels() -> None:
    first, _ = random_pair(1)
    second, _ = random_pair(2, 18)
    result = independent_t_test(first, second)
    check_test(result, stats.ttest_ind(first, second, equal_var=False))
    means = CompareMeans(DescrStatsW(first), DescrStatsW(second))
    assert ends(result.interval) == pytest.approx(means.tconfint_diff(usevar="unequal"))
    assert result.interval.method == "Welch's t"
    assert result.n == 48
    pooled = (29 * first.var(ddof=1) + 17 * second.var(ddof=1)) / 46
    assert result.effect_size == pytest.approx((first.mean() - second.mean()) / math.sqrt(pooled))


def test_t_tests_without_variance_or_with_differences_that_are_equal_but_for_rounding() -> None:
    same = paired_t_test([0.1 + 0.2, 0.6], [0.3, 0.6])
    assert same.statistic == 0
    assert same.p_value == 1
    assert same.effect_size == 0
    assert ends(same.interval) == pytest.approx(0, abs=1e-15)
    shifted = paired_t_test([0.8, 0.9, 0.7], [0.75, 0.85, 0.65])
    assert math.isnan(shifted.statistic)
    assert math.isnan(shifted.p_value)
    assert shifted.effect_size == math.inf
    apart = independent_t_test([0.25, 0.25], [0.5, 0.5])
    assert math.isnan(apart.statistic)
    assert math.isnan(apart.p_value)
    assert apart.effect_size == -math.inf


def test_pairs_without_a_defined_test_and_t_tests_over_subsamples() -> None:
    values = {"a": [0.75, 0.5, 0.75], "b": [0.5, 0.25, 0.5], "c": [0.1, 0.1, 0.15]}
    family = compare_models(values, test="t-test")
    [undefined] = family.untested
    assert undefined.first == "a"
    assert undefined.second == "b"
    assert math.isnan(undefined.adjusted_p)
    p_values = [paired_t_test(values[name], values["c"]).p_value for name in "ab"]
    adjusted = [pair.adjusted_p for pair in family.pairs if pair.second == "c"]
    assert adjusted == pytest.approx(holm(p_values))
    assert family.letters == {"a": "a", "b": "b", "c": "b"}
    assert family.warning == OVERLAP_WARNING
    assert paired_t_test(values["a"], values["b"]).warning is None


BOTH = [True, False]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
@settings(max_examples=50)
def test_mcnemar_equals_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    first, second = np.array(pairs).T
    result = mcnemar_test(first, second)
    table = pd.crosstab(first, second).reindex(index=BOTH, columns=BOTH, fill_value=0)
    check_test(result, statsmodels_mcnemar(table))
    interval = result.interval
    assert interval.low <= result.difference <= interval.high
    assert interval.level == 0.95
    assert result.difference == pytest.approx(first.mean() - second.mean())


def test_odds_ratio_of_the_discordant_seeds() -> None:
    correct = np.arange(8) < 6
    other = np.array([True] * 2 + [False] * 4 + [True] * 2)
    result = mcnemar_test(correct, other)
    assert result.effect_size == 2
    half = 1.96 * math.sqrt(7 - 0.4) / 10  # half a seed more of each of four kinds
    assert ends(result.interval) == pytest.approx([0.2 - half, 0.2 + half], abs=1e-5)
    assert mcnemar_test(correct, correct).effect_size == 1
    assert mcnemar_test(correct, np.zeros(8, dtype=bool)).effect_size == math.inf


def bootstrap_interval(statistic: Callable[..., Any], *columns: Any, **options: Any) -> Interval:  # noqa: ANN401
    (interval,) = bootstrap_intervals([statistic], *columns, **options)
    return interval


def share_correct(correct: Floats, sizes: Floats, axis: int = -1) -> Floats:
    """Return SA from the counts of correct and of all variants by seed."""
    return np.asarray(correct.sum(axis=axis) / sizes.sum(axis=axis))


@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_bootstrap_of_a_mean_is_close_to_its_normal_interval(method: Any) -> None:  # noqa: ANN401
    values = np.random.default_rng(3).random(400)
    mean = values.mean()
    half = 1.96 * values.std() / 20
    interval = bootstrap_interval(np.mean, values, method=method)
    assert ends(interval) == pytest.approx([mean - half, mean + half], abs=0.004)
    assert interval.level == 0.95
    assert interval.method == f"{method} bootstrap"
    assert interval.unit == "seed"


def constant(values: Floats, axis: int) -> Floats:
    return np.full(values.shape[:axis], 2.0)


def test_several_statistics_have_the_intervals_of_each_alone() -> None:
    values = np.random.default_rng(0).exponential(size=30)
    each_alone: list[Callable[..., Any]] = [np.mean, constant, np.median]
    together = bootstrap_intervals(each_alone, values)
    assert list(together) == [bootstrap_interval(statistic, values) for statistic in each_alone]
    mean, same, _ = together
    assert mean.method == "BCa bootstrap"
    assert same.low == 2
    assert same.high == 2
    assert same.method == "percentile bootstrap"


def test_bootstrap_of_constant_values_has_zero_width_and_strata_are_resampled_by_themselves() -> None:
    interval = stratified_interval([[1, 1, 1], [0, 0]], [0.6, 0.4])
    assert interval.low == 0.6
    assert interval.high == 0.6
    assert interval.method == "stratified percentile bootstrap"
    draw = np.random.default_rng(3)
    strata = [draw.normal(0, 1, 400), draw.normal(9, 2, 200)]
    weights = [0.75, 0.25]
    interval = stratified_interval(strata, weights)
    assert interval.method == "stratified BCa bootstrap"
    mean = 0.0
    variance = 0.0
    for weight, values in zip(weights, strata, strict=True):
        mean += weight * values.mean()
        variance += weight**2 * values.var(ddof=1) / len(values)
    half = 1.96 * math.sqrt(variance)
    assert ends(interval) == pytest.approx([mean - half, mean + half], abs=0.02)


@pytest.mark.parametrize(("seed", "n", "factor"), [(0, 12, 0.1), (1, 12, 0.1), (1, 9, 1e9 / 3)])
def test_float_means_have_the_interval_of_exact_integers(seed: int, n: int, factor: float) -> None:
    """Resamples with the same sum in another order differ in their last bits, but equal the observed mean."""
    tenths = np.random.default_rng(seed).integers(0, 11, n)
    of_integers = ends(bootstrap_interval(np.sum, tenths))
    of_floats = ends(bootstrap_interval(np.mean, tenths * factor))
    assert of_floats == pytest.approx(of_integers * factor / n, rel=1e-11, abs=1e-12)


def test_float_strata_have_the_interval_of_exact_integers() -> None:
    first, second = np.random.default_rng(2).integers(0, 11, (2, 10))
    of_integers = stratified_interval([first, second], [1, 1])
    of_floats = stratified_interval([first / 10, second / 10], [0.1, 0.1])
    assert ends(of_floats) == pytest.approx(ends(of_integers) / 100, abs=1e-12)


def test_bootstrap_resamples_seeds_and_not_rows() -> None:
    """Four identical rows per seed give the same interval as one."""
    right = np.random.default_rng(5).integers(0, 2, 100)
    once = bootstrap_interval(share_correct, right, np.ones(100))
    four_times = bootstrap_interval(share_correct, right * 4, np.full(100, 4))
    assert ends(once) == pytest.approx(ends(four_times))


def share_of_sums(sums: Floats) -> Floats:
    correct, sizes = sums.T
    return np.asarray([correct / sizes])


def test_weights_of_seeds_give_the_interval_of_resampled_columns() -> None:
    rng = np.random.default_rng(6)
    sizes = rng.integers(1, 20, 40)
    correct = rng.binomial(sizes, 0.8)
    (of_sums,) = intervals_of_sums(share_of_sums, np.column_stack([correct, sizes]).astype(float))
    of_columns = bootstrap_interval(share_correct, correct, sizes)
    assert ends(of_sums) == pytest.approx(ends(of_columns), abs=1e-12)


def test_bootstrap_is_deterministic_per_seed() -> None:
    values = np.random.default_rng(0).random(30)
    interval = bootstrap_interval(np.mean, values)
    assert bootstrap_interval(np.mean, values, random_seed=0) == interval
    assert bootstrap_interval(np.mean, values, random_seed=8) != interval


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=200)
def test_holm_equals_a_plain_computation(p_values: list[float]) -> None:
    with patch("gc.collect"):  # statsmodels collects garbage each time, which takes long beside torch
        assert holm(p_values) == pytest.approx(holm_adjusted(p_values))


def test_letters_of_overlapping_groups() -> None:
    assert compact_letters("abcd", []) == dict.fromkeys("abcd", "a")
    assert compact_letters("abcd", [("a", "c"), ("a", "d"), ("b", "d")]) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    many = [f"m{number}" for number in range(28)]
    letters = compact_letters(many, list(combinations(many, 2)))
    assert [letters[name] for name in many[24:]] == ["y", "z", "a1", "b1"]


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_families_of_three_models(test: str) -> None:
    rng = np.random.default_rng(0)
    chances = rng.beta(3, 0.5, 300)
    dtype = bool if test == "mcnemar" else float
    values = {}
    for name, lower in (("weak", 0.3), ("good", 0), ("same", 0)):
        passes = rng.random(300) < chances - lower
        values[name] = passes.astype(dtype)
    family = compare_models(values, test=test)
    of_two = PAIRED_TESTS[test](values["weak"], values["good"])
    assert family.test == of_two.test.partition(" (")[0]
    first, second, last = family.models
    assert last == "weak"
    for pair, names in zip(family.pairs, combinations(family.models, 2), strict=True):
        assert (pair.first, pair.second) == names
        assert pair.differs == (pair.second == "weak")
    assert family.letters == {first: "a", second: "a", last: "b"}
    assert (family.warning is not None) == (test == "t-test")
    matrix = p_matrix(family)
    assert matrix[0][0] is None
    assert matrix[1][1] is None
    adjusted = family.pairs[1].adjusted_p
    assert matrix[0][2] == adjusted
    assert matrix[2][0] == adjusted


def test_counts_become_values_of_each_test() -> None:
    rng = np.random.default_rng(1)
    sizes = np.full((10, 50), 20)
    correct = rng.binomial(20, 0.9, sizes.shape)
    passes = passes_by_seed(correct, sizes)
    in_subsamples = (correct >= 18).sum(axis=0)
    assert values_for("t-test", correct, sizes).mean() == pytest.approx(passes.mean())
    assert np.array_equal(values_for("permutation", correct, sizes), passes)
    assert np.array_equal(values_for("mcnemar", correct, sizes), in_subsamples > 5)


def test_subsamples_without_variants_of_a_seed_are_ignored() -> None:
    passes = passes_by_seed([[20, 0], [0, 20]], [[20, 0], [20, 20]])
    assert passes.tolist() == [0.5, 1]
    defined, undefined = passes_by_seed([[1, 0]], [[1, 0]])
    assert defined == 1
    assert math.isnan(undefined)


def invalid(message: str, call: Callable[..., object], *values: object, **options: str) -> None:
    refused(message, call, *values, error=ValueError, **options)


def test_invalid_values_are_refused() -> None:
    invalid(r"first has 1 value\(s\)", paired_t_test, [1], [1])
    invalid(r"first\[1\] is nan", paired_t_test, [1, math.nan], [1, 2])
    invalid(r"first has the shape \(1, 2\)", independent_t_test, [[1, 2]], [1, 2])
    invalid(r"first has the shape \(2,\) .*int64", mcnemar_test, [1, 0], [True, False])
    invalid(r"shape \(1,\) .*\(2,\)", mcnemar_test, [True], [True, False])
    invalid("first has 3 values, second has 2", paired_t_test, [1, 1, 1], [1, 2])
    invalid(r"second\[1\] is inf", permutation_test, [1, 2], [1, math.inf])
    invalid(r"correct has the shape \(1,\), sizes \(1,\)", passes_by_seed, [1], [1])
    invalid(r"correct has the shape \(1, 1\), sizes \(2, 1\)", passes_by_seed, [[1]], [[1], [1]])
    invalid("shorter|longer", stratified_interval, [[1.0, 0.0]], [0.5, 0.5])


def test_invalid_families_are_refused() -> None:
    invalid("values has 1 model", compare_models, {"a": [1, 2]})
    invalid("test is 'z': .*'permutation', 'mcnemar', 't-test'", compare_models, {"a": [1], "b": [1]}, test="z")
    invalid("a against b: first has 2 values, second has 3", compare_models, {"a": [1, 2], "b": [1, 1, 1]})


SIMULATION = importlib.import_module("benchmarks.statistics_simulation")


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATION.FALSE_POSITIVES)
def test_rates_of_false_positives_and_of_coverage_are_nominal(name: str) -> None:
    assert SIMULATION.false_positives(name, 2000).within


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATION.COVERAGES)
def test_rates_of_coverage_are_nominal(name: str) -> None:
    assert SIMULATION.coverage(name, 2000).within


@pytest.mark.slow
def test_families_have_few_false_alarms_and_the_promised_power() -> None:
    assert SIMULATION.family_false_alarms(2, 1_000).within
    assert SIMULATION.family_false_alarms(40, 60).within
    assert SIMULATION.power_of_family(40, 1_000).within


@pytest.mark.slow
def test_t_test_over_subsamples_has_too_many_false_positives() -> None:
    (name,) = SIMULATION.WARNED
    assert SIMULATION.false_positives(name, 300).rate > 0.15


N = 400
CLUSTERS = 40


def predictors_of(rng: np.random.Generator) -> Floats:
    normal = rng.normal(size=N)
    squared = rng.normal(size=N) ** 2
    rare = rng.random(N) < 0.3
    return np.column_stack([normal, squared, rare])


def simulated(number: int) -> tuple[Floats, Ints, list[Outcome]]:
    """Return predictors, clusters and outcomes."""
    rng = np.random.default_rng(number)
    predictors = predictors_of(rng)
    clusters = rng.integers(CLUSTERS, size=N)
    effects = rng.normal(size=CLUSTERS)[clusters]
    outcomes = []
    for _ in range(number):
        odds = np.exp(predictors @ [0.8, -0.4, 0.5] + effects + rng.normal())
        success = rng.random(N) < odds / (1 + odds)
        included = rng.random(N) < 0.9
        outcomes.append(Outcome(success, included))
    return predictors, clusters, outcomes


def by_statsmodels(predictors: Floats, outcomes: list[Outcome], clusters: Ints) -> sm.Logit:
    """Fit the stacked observations of all outcomes, with one indicator per outcome."""
    number = len(outcomes)
    included = np.concatenate([outcome.included for outcome in outcomes])
    success = np.concatenate([outcome.success for outcome in outcomes])
    indicators = np.repeat(np.eye(number), N, axis=0)
    stacked = np.column_stack([np.tile(predictors, (number, 1)), indicators])
    model = sm.Logit(success[included].astype(float), stacked[included])
    by_group = {"groups": np.tile(clusters, number)[included]}
    return model.fit(disp=False, tol=1e-12, maxiter=100, cov_type="cluster", cov_kwds=by_group)


@pytest.mark.parametrize("number", [1, 3])
def test_estimates_and_cluster_robust_errors_are_those_of_statsmodels(number: int) -> None:
    predictors, clusters, outcomes = simulated(number)
    coefficients, covariance = fit_logistic(predictors, outcomes, clusters)
    expected = by_statsmodels(predictors, outcomes, clusters)
    assert coefficients == pytest.approx(expected.params, abs=1e-8)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(expected.bse, rel=1e-8)
    assert covariance == pytest.approx(expected.cov_params(), abs=1e-8)


def test_clusters_count_if_they_have_an_observation_of_some_outcome() -> None:
    predictors, clusters, (first, second) = simulated(2)
    # Clusters 5 to 9 have observations of one outcome only, and those below 5 of none.
    outcomes = [Outcome(first.success, clusters >= 5), Outcome(second.success, clusters >= 10)]
    _, covariance = fit_logistic(predictors, outcomes, clusters)
    expected = by_statsmodels(predictors, outcomes, clusters)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(expected.bse, rel=1e-8)


def check_not_converged(predictors: Floats, success: Any) -> None:  # noqa: ANN401 - an array
    outcome = Outcome(success, np.ones(N, dtype=bool))
    refused("", fit_logistic, predictors, [outcome], np.arange(N), error=NotConverged)


@pytest.mark.filterwarnings("error")
def test_infinite_coefficients_are_reported() -> None:
    rng = np.random.default_rng(0)
    predictors = predictors_of(rng)
    success = rng.random(N) < 0.5
    separated = predictors[:, 0] > 0.1
    check_not_converged(predictors, separated)
    quasi_separated = success | (predictors[:, 2] > 0)
    check_not_converged(predictors, quasi_separated)
    collinear = np.column_stack([predictors, np.zeros(N)])
    check_not_converged(collinear, success)


def test_rare_outcomes_converge() -> None:
    rng = np.random.default_rng(0)
    predictors = predictors_of(rng)
    chosen = rng.choice(N, 5, replace=False)
    rare = Outcome(np.isin(np.arange(N), chosen), np.ones(N, dtype=bool))
    coefficients, _ = fit_logistic(predictors[:, :2], [rare], np.arange(N))
    assert coefficients[-1] < -3


def test_dependent_columns_are_found() -> None:
    rng = np.random.default_rng(0)
    first, second, third = rng.normal(size=(3, N))
    included = rng.random(N) < 0.9
    sums = 2 * first - second + 3
    only_where_excluded = np.where(included, 1.0, third)
    columns = np.column_stack([first, np.ones(N), second, sums, only_where_excluded, second**2])
    outcome = Outcome(included, included)
    products = within_outcomes(columns, [outcome, outcome])
    assert independent_columns(products, 2 * int(included.sum())) == [0, 2, 5]


def test_an_outcome_that_is_constant() -> None:
    included = np.array([True, True, False])
    assert Outcome(np.array([True, True, False]), included).is_constant
    assert Outcome(np.array([False, False, True]), included).is_constant
    assert not Outcome(np.array([True, False, False]), included).is_constant
