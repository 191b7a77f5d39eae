"""Tests of the significance tests, intervals and regressions against scipy, statsmodels and plain computations."""

import importlib
import math
from collections.abc import Callable
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


def test_paired_t_test_equals_scipy_and_statsmodels() -> None:
    first, second = random_pair(0)
    result, expected = paired_t_test(first, second), stats.ttest_rel(first, second)
    assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    described = DescrStatsW(first - second)
    assert (result.interval.low, result.interval.high) == pytest.approx(described.tconfint_mean())
    assert result.effect_size == pytest.approx(described.mean / np.std(first - second, ddof=1))


def test_independent_t_test_equals_scipy_and_statsmodels() -> None:
    (first, _), (second, _) = random_pair(1), random_pair(2, 18)
    result = independent_t_test(first, second)
    expected = stats.ttest_ind(first, second, equal_var=False)
    assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    interval = CompareMeans(DescrStatsW(first), DescrStatsW(second)).tconfint_diff(usevar="unequal")
    assert (result.interval.low, result.interval.high) == pytest.approx(interval)
    assert (result.n, result.interval.method) == (48, "Welch's t")
    pooled = (29 * first.var(ddof=1) + 17 * second.var(ddof=1)) / 46
    assert result.effect_size == pytest.approx((first.mean() - second.mean()) / math.sqrt(pooled))


def test_t_tests_without_variance_or_with_differences_that_are_equal_but_for_rounding() -> None:
    same = paired_t_test([0.1 + 0.2, 0.6], [0.3, 0.6])
    assert (same.statistic, same.p_value, same.effect_size) == (0, 1, 0)
    assert ends(same.interval) == pytest.approx(0, abs=1e-15)
    shifted = paired_t_test([0.8, 0.9, 0.7], [0.75, 0.85, 0.65])
    apart = independent_t_test([0.25, 0.25], [0.5, 0.5])
    assert np.isnan([shifted.statistic, shifted.p_value, apart.statistic, apart.p_value]).all()
    assert (shifted.effect_size, apart.effect_size) == (math.inf, -math.inf)


def test_pairs_without_a_defined_test_and_t_tests_over_subsamples() -> None:
    values = {"a": [0.75, 0.5, 0.75], "b": [0.5, 0.25, 0.5], "c": [0.1, 0.1, 0.15]}
    family = compare_models(values, test="t-test")
    [undefined] = family.untested
    assert (undefined.first, undefined.second) == ("a", "b")
    assert math.isnan(undefined.adjusted_p)
    adjusted = [pair.adjusted_p for pair in family.pairs if pair.second == "c"]
    assert adjusted == pytest.approx(holm([paired_t_test(values[name], values["c"]).p_value for name in "ab"]))
    assert family.letters == {"a": "a", "b": "b", "c": "b"}
    assert family.warning == OVERLAP_WARNING
    assert paired_t_test(values["a"], values["b"]).warning is None


BOTH = [True, False]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
@settings(max_examples=50)
def test_mcnemar_equals_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    first, second = np.array(pairs).T
    expected = statsmodels_mcnemar(pd.crosstab(first, second).reindex(index=BOTH, columns=BOTH, fill_value=0))
    result = mcnemar_test(first, second)
    assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.interval.low <= result.difference <= result.interval.high
    assert result.interval.level == 0.95
    assert result.difference == pytest.approx(first.mean() - second.mean())


def test_odds_ratio_of_the_discordant_seeds() -> None:
    correct = np.arange(8) < 6
    other = np.array([True] * 2 + [False] * 4 + [True] * 2)
    assert mcnemar_test(correct, other).effect_size == 2
    assert mcnemar_test(correct, correct).effect_size == 1
    assert mcnemar_test(correct, np.zeros(8, dtype=bool)).effect_size == math.inf


def bootstrap_interval(statistic: Callable[..., Any], *columns: Any, **options: Any) -> Interval:  # noqa: ANN401
    (interval,) = bootstrap_intervals([statistic], *columns, **options)
    return interval


def mean_interval(values: Any, **options: Any) -> Interval:  # noqa: ANN401
    return bootstrap_interval(np.mean, values, **options)


def share_correct(correct: Floats, sizes: Floats, axis: int = -1) -> Floats:
    """Return SA from the counts of correct and of all variants by seed."""
    return np.asarray(correct.sum(axis=axis) / sizes.sum(axis=axis))


@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_bootstrap_of_a_mean_is_close_to_its_normal_interval(method: Any) -> None:  # noqa: ANN401
    values = np.random.default_rng(3).random(400)
    interval = mean_interval(values, method=method)
    half = 1.96 * values.std() / 20
    assert (interval.low, interval.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.004)
    assert (interval.level, interval.method, interval.unit) == (0.95, f"{method} bootstrap", "seed")


def constant(values: Floats, axis: int) -> Floats:
    return np.full(values.shape[:axis], 2.0)


def test_several_statistics_have_the_intervals_of_each_alone() -> None:
    values = np.random.default_rng(0).exponential(size=30)
    each_alone: list[Callable[..., Any]] = [np.mean, constant, np.median]
    together = bootstrap_intervals(each_alone, values)
    assert list(together) == [bootstrap_interval(statistic, values) for statistic in each_alone]
    mean, same, _ = together
    assert mean.method == "BCa bootstrap"
    assert (same.low, same.high, same.method) == (2.0, 2.0, "percentile bootstrap")


def ends(interval: Interval) -> Any:  # noqa: ANN401 - an array
    return np.array([interval.low, interval.high])


def test_bootstrap_of_constant_values_has_zero_width_and_strata_are_resampled_by_themselves() -> None:
    interval = stratified_interval([[1, 1, 1], [0, 0]], [0.6, 0.4])
    assert (interval.low, interval.high, interval.method) == (0.6, 0.6, "stratified percentile bootstrap")
    draw = np.random.default_rng(3)
    strata, weights = [draw.normal(0, 1, 400), draw.normal(9, 2, 200)], [0.75, 0.25]
    interval = stratified_interval(strata, weights)
    mean, variance = 0.0, 0.0
    for weight, values in zip(weights, strata, strict=True):
        mean += weight * values.mean()
        variance += weight**2 * values.var(ddof=1) / len(values)
    half = 1.96 * math.sqrt(variance)
    assert interval.method == "stratified BCa bootstrap"
    assert ends(interval) == pytest.approx([mean - half, mean + half], abs=0.02)


@pytest.mark.parametrize(("seed", "n", "factor"), [(0, 12, 0.1), (1, 12, 0.1), (1, 9, 1e9 / 3)])
def test_float_means_have_the_interval_of_exact_integers(seed: int, n: int, factor: float) -> None:
    """Resamples with the same sum in another order differ in their last bits, but equal the observed mean."""
    tenths = np.random.default_rng(seed).integers(0, 11, n)
    exact = bootstrap_interval(lambda values, axis: values.sum(axis=axis), tenths)
    assert ends(mean_interval(tenths * factor)) == pytest.approx(ends(exact) * factor / n, rel=1e-11, abs=1e-12)
    strata = np.random.default_rng(2).integers(0, 11, (2, 10))
    of_strata, of_floats = stratified_interval([*strata], [1, 1]), stratified_interval([*(strata / 10)], [0.1, 0.1])
    assert ends(of_floats) == pytest.approx(ends(of_strata) / 100, abs=1e-12)


def test_bootstrap_resamples_seeds_and_not_rows() -> None:
    """Four identical rows per seed give the same interval as one; weights of seeds that of resampled columns."""
    right = np.random.default_rng(5).integers(0, 2, 100)
    once = bootstrap_interval(share_correct, right, np.ones(100))
    four_times = bootstrap_interval(share_correct, right * 4, np.full(100, 4))
    assert ends(once) == pytest.approx(ends(four_times))
    rng = np.random.default_rng(6)
    sizes = rng.integers(1, 20, 40)
    correct = rng.binomial(sizes, 0.8)
    columns = np.stack([correct, sizes], axis=1).astype(float)
    (interval,) = intervals_of_sums(lambda sums: (sums[:, 0] / sums[:, 1])[np.newaxis], columns)
    assert ends(interval) == pytest.approx(ends(bootstrap_interval(share_correct, correct, sizes)), abs=1e-12)


def test_bootstrap_is_deterministic_per_seed() -> None:
    values = np.random.default_rng(0).random(30)
    assert mean_interval(values) == mean_interval(values, random_seed=0) != mean_interval(values, random_seed=8)
    refused("shorter|longer", stratified_interval, [[1.0, 0.0]], [0.5, 0.5], error=ValueError)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=200)
def test_holm_equals_a_plain_computation(p_values: list[float]) -> None:
    with patch("gc.collect"):  # statsmodels collects garbage each time, which takes long beside torch
        assert holm(p_values) == pytest.approx(holm_adjusted(p_values))


def test_letters_of_overlapping_groups() -> None:
    assert compact_letters("abcd", []) == dict.fromkeys("abcd", "a")
    assert compact_letters("abcd", [("a", "c"), ("a", "d"), ("b", "d")]) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_families_of_three_models(test: str) -> None:
    rng = np.random.default_rng(0)
    chances = rng.beta(3, 0.5, 300)
    values: dict[str, Any] = {}
    for name, lower in (("weak", 0.3), ("good", 0), ("same", 0)):
        values[name] = (rng.random(300) < chances - lower).astype(bool if test == "mcnemar" else float)
    family = compare_models(values, test=test)
    assert family.test == PAIRED_TESTS[test](values["weak"], values["good"]).test.partition(" (")[0]
    first, second, last = family.models
    assert last == "weak"
    assert [(pair.first, pair.second) for pair in family.pairs] == [(first, second), (first, last), (second, last)]
    assert [pair.differs for pair in family.pairs] == [False, True, True]
    assert family.letters == {first: "a", second: "a", last: "b"}
    assert (family.warning is not None) == (test == "t-test")
    matrix = p_matrix(family)
    assert matrix[0][0] is matrix[1][1] is None
    assert matrix[0][2] == matrix[2][0] == family.pairs[1].adjusted_p


def test_counts_become_values_of_each_test() -> None:
    rng = np.random.default_rng(1)
    sizes = np.full((10, 50), 20)
    correct = rng.binomial(20, 0.9, sizes.shape)
    assert passes_by_seed(correct, sizes).mean() == pytest.approx(values_for("t-test", correct, sizes).mean())
    assert values_for("permutation", correct, sizes).tolist() == passes_by_seed(correct, sizes).tolist()
    in_subsamples = (correct >= 18).sum(axis=0)
    assert values_for("mcnemar", correct, sizes).tolist() == (in_subsamples > 5).tolist()
    assert passes_by_seed([[20, 0], [0, 20]], [[20, 0], [20, 20]]).tolist() == [0.5, 1.0], "without variants: ignored"
    assert np.isnan(passes_by_seed([[1, 0]], [[1, 0]])).tolist() == [False, True]


BAD: list[tuple[Any, str]] = [
    (lambda: paired_t_test([1], [1]), r"first has 1 value\(s\)"),
    (lambda: paired_t_test([1, math.nan], [1, 2]), r"first\[1\] is nan"),
    (lambda: independent_t_test([[1, 2]], [1, 2]), r"first has the shape \(1, 2\)"),
    (lambda: mcnemar_test([1, 0], [True, False]), r"first has the shape \(2,\) .*int64"),
    (lambda: mcnemar_test([True], [True, False]), r"shape \(1,\) .*\(2,\)"),
    (lambda: permutation_test([1, 2], [1, math.inf]), r"second\[1\] is inf"),
    (lambda: passes_by_seed([1], [1]), r"correct has the shape \(1,\), sizes \(1,\)"),
    (lambda: passes_by_seed([[1]], [[1], [1]]), r"correct has the shape \(1, 1\), sizes \(2, 1\)"),
    (lambda: compare_models({"a": [1, 2]}), "values has 1 model"),
    (lambda: compare_models({"a": [1], "b": [1]}, test="z"), "test is 'z': .*'permutation', 'mcnemar', 't-test'"),
    (lambda: compare_models({"a": [1, 2], "b": [1, 1, 1]}), "a against b: first has 2 values, second has 3"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_invalid_values_are_refused(call: Any, message: str) -> None:  # noqa: ANN401
    refused(message, call, error=ValueError)


SIMULATION = importlib.import_module("benchmarks.statistics_simulation")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "name"),
    [
        *((SIMULATION.false_positives, name) for name in SIMULATION.FALSE_POSITIVES),
        *((SIMULATION.coverage, name) for name in SIMULATION.COVERAGES),
    ],
)
def test_rates_of_false_positives_and_of_coverage_are_nominal(rate: Callable[..., Any], name: str) -> None:
    assert rate(name, 2000).within


@pytest.mark.slow
def test_families_have_few_false_alarms_and_the_promised_power() -> None:
    assert SIMULATION.family_false_alarms(2, 1_000).within
    assert SIMULATION.family_false_alarms(40, 60).within
    assert SIMULATION.power_of_family(40, 1_000).within


@pytest.mark.slow
def test_t_test_over_subsamples_has_too_many_false_positives() -> None:
    (name,) = SIMULATION.WARNED
    assert SIMULATION.false_positives(name, 300).rate > 0.15


N, CLUSTERS = 400, 40


def predictors_of(rng: np.random.Generator) -> Floats:
    return np.column_stack([rng.normal(size=N), rng.normal(size=N) ** 2, rng.random(N) < 0.3]).astype(float)


def outcomes_of(rng: np.random.Generator, predictors: Floats, clusters: Ints, number: int) -> list[Outcome]:
    effects = rng.normal(size=CLUSTERS)[clusters]
    outcomes = []
    for _ in range(number):
        odds = np.exp(predictors @ [0.8, -0.4, 0.5] + effects + rng.normal())
        outcomes.append(Outcome(rng.random(N) < odds / (1 + odds), rng.random(N) < 0.9))
    return outcomes


def by_statsmodels(predictors: Floats, outcomes: list[Outcome], clusters: Ints) -> sm.Logit:
    """Fit the stacked observations of all outcomes, with one indicator per outcome."""
    stacked, success, groups = [], [], []
    for outcome, indicator in zip(outcomes, np.eye(len(outcomes)), strict=True):
        rows = outcome.included
        stacked.append(np.column_stack([predictors[rows], np.tile(indicator, (rows.sum(), 1))]))
        success.append(outcome.success[rows])
        groups.append(clusters[rows])
    return sm.Logit(np.concatenate(success).astype(float), np.concatenate(stacked)).fit(
        disp=False, tol=1e-12, maxiter=100, cov_type="cluster", cov_kwds={"groups": np.concatenate(groups)}
    )


@pytest.mark.parametrize("number", [1, 3])
def test_estimates_and_cluster_robust_errors_are_those_of_statsmodels(number: int) -> None:
    rng = np.random.default_rng(number)
    predictors, clusters = predictors_of(rng), rng.integers(CLUSTERS, size=N)
    outcomes = outcomes_of(rng, predictors, clusters, number)
    coefficients, covariance = fit_logistic(predictors, outcomes, clusters)
    expected = by_statsmodels(predictors, outcomes, clusters)
    assert coefficients == pytest.approx(expected.params, abs=1e-8)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(expected.bse, rel=1e-8)
    assert covariance == pytest.approx(expected.cov_params(), abs=1e-8)


def test_clusters_count_if_they_have_an_observation_of_some_outcome() -> None:
    rng = np.random.default_rng(0)
    predictors, clusters = predictors_of(rng), rng.integers(CLUSTERS, size=N)
    first, second = outcomes_of(rng, predictors, clusters, 2)
    # Clusters 5 to 9 have observations of one outcome only, and those below 5 of none.
    outcomes = [Outcome(first.success, clusters >= 5), Outcome(second.success, clusters >= 10)]
    _, covariance = fit_logistic(predictors, outcomes, clusters)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(by_statsmodels(predictors, outcomes, clusters).bse, rel=1e-8)


@pytest.mark.parametrize("case", ["separated", "quasi-separated", "collinear"])
@pytest.mark.filterwarnings("error")
def test_infinite_coefficients_are_reported(case: str) -> None:
    rng = np.random.default_rng(0)
    predictors = predictors_of(rng)
    success = predictors[:, 0] > 0.1 if case == "separated" else rng.random(N) < 0.5
    if case == "quasi-separated":
        success |= predictors[:, 2] > 0
    if case == "collinear":
        predictors = np.column_stack([predictors, np.zeros(N)])
    refused("", fit_logistic, predictors, [Outcome(success, np.ones(N, dtype=bool))], np.arange(N), error=NotConverged)


def test_rare_outcomes_converge() -> None:
    rng = np.random.default_rng(0)
    predictors = predictors_of(rng)
    rare = Outcome(np.isin(np.arange(N), rng.choice(N, 5, replace=False)), np.ones(N, dtype=bool))
    coefficients, _ = fit_logistic(predictors[:, :2], [rare], np.arange(N))
    assert coefficients[-1] < -3


def test_dependent_columns_are_found() -> None:
    rng = np.random.default_rng(0)
    first, second, third = rng.normal(size=(3, N))
    included = rng.random(N) < 0.9
    only_where_excluded = np.where(included, 1.0, third)
    columns = np.column_stack([first, np.ones(N), second, 2 * first - second + 3, only_where_excluded, second**2])
    products = within_outcomes(columns, [Outcome(included, included)] * 2)
    assert independent_columns(products, 2 * int(included.sum())) == [0, 2, 5]


@pytest.mark.parametrize(("success", "is_constant"), [([1, 1, 0], True), ([0, 0, 1], True), ([1, 0, 0], False)])
def test_an_outcome_that_is_constant(success: list[int], is_constant: bool) -> None:
    outcome = Outcome(np.array(success, dtype=bool), np.array([True, True, False]))
    assert outcome.is_constant == is_constant
