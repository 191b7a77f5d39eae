"""The clustered logistic regression, against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from merge_snli.base.arrays import Ints
from merge_snli.scoring.statistics.logistic import (
    NotConverged,
    Outcome,
    fit_logistic,
    independent_columns,
    within_outcomes,
)
from merge_snli.scoring.statistics.values import FloatArray

N, CLUSTERS = 400, 40


def predictors_of(rng: np.random.Generator) -> FloatArray:
    return np.column_stack([rng.normal(size=N), rng.normal(size=N) ** 2, rng.random(N) < 0.3]).astype(float)


def outcomes_of(rng: np.random.Generator, predictors: FloatArray, clusters: Ints, number: int) -> list[Outcome]:
    effects = rng.normal(size=CLUSTERS)[clusters]
    outcomes = []
    for _ in range(number):
        odds = np.exp(predictors @ [0.8, -0.4, 0.5] + effects + rng.normal())
        outcomes.append(Outcome(rng.random(N) < odds / (1 + odds), rng.random(N) < 0.9))
    return outcomes


def by_statsmodels(predictors: FloatArray, outcomes: list[Outcome], clusters: Ints) -> sm.Logit:
    """Fit the stacked observations of all outcomes, with one indicator per outcome."""
    stacked, success, groups = [], [], []
    for at, outcome in enumerate(outcomes):
        rows = outcome.included
        indicators = np.zeros((rows.sum(), len(outcomes)))
        indicators[:, at] = 1
        stacked.append(np.column_stack([predictors[rows], indicators]))
        success.append(outcome.success[rows])
        groups.append(clusters[rows])
    model = sm.Logit(np.concatenate(success).astype(float), np.concatenate(stacked))
    return model.fit(
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


def test_clusters_without_an_observation_do_not_count() -> None:
    rng = np.random.default_rng(0)
    predictors, clusters = predictors_of(rng), rng.integers(CLUSTERS, size=N)
    (outcome,) = outcomes_of(rng, predictors, clusters, 1)
    included = clusters >= 5
    _, covariance = fit_logistic(predictors, [Outcome(outcome.success, included)], clusters)
    kept = Outcome(outcome.success[included], included[included])
    _, expected = fit_logistic(predictors[included], [kept], clusters[included])
    assert covariance == pytest.approx(expected, rel=1e-8)


def test_clusters_with_an_observation_of_one_outcome_count() -> None:
    rng = np.random.default_rng(0)
    predictors, clusters = predictors_of(rng), rng.integers(CLUSTERS, size=N)
    first, second = outcomes_of(rng, predictors, clusters, 2)
    outcomes = [Outcome(first.success, clusters >= 5), Outcome(second.success, clusters < CLUSTERS - 5)]
    _, covariance = fit_logistic(predictors, outcomes, clusters)
    expected = by_statsmodels(predictors, outcomes, clusters)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(expected.bse, rel=1e-8)


def separated(rng: np.random.Generator) -> tuple[FloatArray, Outcome]:
    predictors = predictors_of(rng)
    return predictors, Outcome(predictors[:, 0] > 0.1, np.ones(N, dtype=bool))


def quasi_separated(rng: np.random.Generator) -> tuple[FloatArray, Outcome]:
    predictors = predictors_of(rng)
    return predictors, Outcome((rng.random(N) < 0.5) | (predictors[:, 2] > 0), np.ones(N, dtype=bool))


def collinear(rng: np.random.Generator) -> tuple[FloatArray, Outcome]:
    predictors = predictors_of(rng)
    return np.column_stack([predictors, np.zeros(N)]), Outcome(rng.random(N) < 0.5, np.ones(N, dtype=bool))


@pytest.mark.parametrize("case", [separated, quasi_separated, collinear])
@pytest.mark.filterwarnings("error")
def test_infinite_coefficients_are_reported(case: object) -> None:
    assert callable(case)
    predictors, outcome = case(np.random.default_rng(0))
    with pytest.raises(NotConverged):
        fit_logistic(predictors, [outcome], np.arange(N))


def test_rare_outcomes_converge() -> None:
    rng = np.random.default_rng(0)
    predictors = predictors_of(rng)
    success = np.zeros(N, dtype=bool)
    success[rng.choice(N, 5, replace=False)] = True
    coefficients, _ = fit_logistic(predictors[:, :2], [Outcome(success, np.ones(N, dtype=bool))], np.arange(N))
    assert coefficients[-1] < -3


def test_constant_and_dependent_columns_are_found() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=N), rng.normal(size=N)
    included = rng.random(N) < 0.9
    only_where_excluded = np.where(included, 1.0, rng.normal(size=N))
    columns = np.column_stack([first, np.ones(N), second, 2 * first - second + 3, only_where_excluded, second**2])
    products = within_outcomes(columns, [Outcome(included, included)] * 2)
    assert independent_columns(products, 2 * int(included.sum())) == [0, 2, 5]


def test_an_outcome_that_is_constant() -> None:
    included = np.array([True, True, False])
    assert Outcome(np.array([True, True, False]), included).is_constant
    assert Outcome(np.array([False, False, False]), included).is_constant
    assert not Outcome(np.array([True, False, False]), included).is_constant
