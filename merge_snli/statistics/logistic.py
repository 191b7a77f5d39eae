"""Fit logistic regressions whose observations are clustered, such as the variants of a seed.

The estimates and standard errors are those of `Logit(…).fit(cov_type="cluster")` in statsmodels. The predictors are
shared by several outcomes, each of which has an intercept of its own, so that the regression over 13 models and 380,000
variants each needs the memory of 380,000 observations and not that of 5 million.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.base.arrays import Bools, Floats, Ints

MAX_ITERATIONS = 30
# Newton's method stops when no coefficient changes by more than this.
TOLERANCE = 1e-9

# A predictor of which the others explain all but this share of its variance is a linear combination of them.
COLLINEAR = 1e-10


@dataclass(frozen=True)
class Outcome:
    """A yes-no outcome of some observations, such as whether one model is right on each variant.

    Attributes:
        success: Whether the outcome is yes, [n].
        included: Whether the observation has an outcome, [n].
    """

    success: Bools
    included: Bools

    @property
    def is_constant(self) -> bool:
        """Whether all outcomes are the same."""
        return int((self.success & self.included).sum()) in {0, int(self.included.sum())}


class NotConverged(ArithmeticError):  # noqa: N818 - the name says what happened
    """The maximum likelihood does not exist or was not found; usually the predictors determine some outcomes."""


def within_outcomes(predictors: Floats, outcomes: Sequence[Outcome]) -> Floats:
    """Return the products of the predictors' deviations from their means in each outcome, summed over the outcomes.

    Args:
        predictors: [n, p].
        outcomes: At least one.

    Returns:
        [p, p].
    """
    total = np.zeros((predictors.shape[1],) * 2)
    for outcome in outcomes:
        rows = predictors[outcome.included]
        centered = rows - rows.mean(axis=0)
        total += centered.T @ centered
    return total


def independent_columns(products: Floats, observations: int) -> list[int]:
    """Return the predictors that are neither constant nor a linear combination of earlier ones.

    Args:
        products: The result of `within_outcomes`, for predictors with deviations of the order of 1.
        observations: Number of observations over all outcomes.
    """
    kept: list[int] = []
    for column in range(len(products)):
        variance = products[column, column]
        if variance <= COLLINEAR * observations:
            continue
        with_kept = products[column, kept]
        explained = with_kept @ np.linalg.solve(products[np.ix_(kept, kept)], with_kept)
        if variance - explained > COLLINEAR * variance:
            kept.append(column)
    return kept


def fit_logistic(predictors: Floats, outcomes: Sequence[Outcome], clusters: Ints) -> tuple[Floats, Floats]:
    """Fit a logistic regression with one intercept per outcome, by Newton's method.

    Args:
        predictors: [n, p], without a constant.
        outcomes: At least one.
        clusters: Number of the cluster of each observation, from 0, [n].

    Returns:
        The coefficients of the p predictors, then the intercepts of the m outcomes, [p + m]; and their cluster-robust
        covariance, [p + m, p + m]: White's, summed by cluster over all outcomes, times G / (G - 1) · (N - 1) / (N - K)
        for G clusters, N observations and K coefficients.

    Raises:
        NotConverged: If the predictors separate the outcomes, so that a coefficient is infinite, or are collinear.
    """
    coefficients = np.zeros(predictors.shape[1] + len(outcomes))
    for _ in range(MAX_ITERATIONS):
        scores, information = _derivatives(predictors, outcomes, clusters, coefficients)
        try:
            step = np.linalg.solve(information, scores.sum(axis=0))
        except np.linalg.LinAlgError as error:
            raise NotConverged("the information matrix is singular") from error
        coefficients = coefficients + step
        if not np.isfinite(coefficients).all():
            break
        if np.abs(step).max() < TOLERANCE:
            return coefficients, _covariance(predictors, outcomes, clusters, coefficients)
    raise NotConverged(f"no convergence in {MAX_ITERATIONS} iterations")


def _derivatives(
    predictors: Floats, outcomes: Sequence[Outcome], clusters: Ints, coefficients: Floats
) -> tuple[Floats, Floats]:
    """Return the gradient of the log-likelihood by cluster, and the information: minus its second derivatives."""
    from scipy.special import expit

    n, p = predictors.shape
    design = np.column_stack([predictors, np.ones(n)])
    scores = np.zeros((int(clusters.max()) + 1, len(coefficients)))
    information = np.zeros((len(coefficients),) * 2)
    for intercept, outcome in enumerate(outcomes, start=p):
        own = [*range(p), intercept]
        rows = design[outcome.included]
        of_rows = clusters[outcome.included]
        fitted = expit(rows @ coefficients[own])
        residuals = outcome.success[outcome.included] - fitted
        for at, column in zip(own, rows.T, strict=True):
            scores[:, at] += np.bincount(of_rows, residuals * column, minlength=len(scores))
        information[np.ix_(own, own)] += (rows.T * (fitted * (1 - fitted))) @ rows
    return scores, information


def _covariance(predictors: Floats, outcomes: Sequence[Outcome], clusters: Ints, coefficients: Floats) -> Floats:
    scores, information = _derivatives(predictors, outcomes, clusters, coefficients)
    included = np.array([outcome.included for outcome in outcomes])
    n = int(included.sum())
    n_clusters = len(np.unique(clusters[included.any(axis=0)]))
    correction = n_clusters / (n_clusters - 1) * (n - 1) / (n - len(coefficients))
    inverse = np.linalg.inv(information)
    return np.asarray(correction * inverse @ (scores.T @ scores) @ inverse)


def clustered_error(correct: ArrayLike, sizes: ArrayLike) -> float:
    """Compute the standard error of the share of correct rows, clustered by seed.

    The variants of a seed are not independent, so the seeds are the units: the share is a ratio of two sums over
    seeds, and its variance that of the linearized ratio (Cochran 1977, Sampling Techniques, section 6.4).

    Args:
        correct: (n,) number of correct rows of each seed.
        sizes: (n,) number of rows of each seed.

    Returns:
        The standard error; NaN for fewer than two seeds with rows.

    Examples:
        >>> clustered_error([1, 0, 1, 1], [1, 1, 1, 1])
        0.25
        >>> clustered_error([2, 0, 2, 2], [2, 2, 2, 2])  # rows of a seed that agree add no information
        0.25
        >>> clustered_error([1, 0], [1, 3])
        0.375
    """
    right = np.asarray(correct, dtype=np.float64)
    n = np.asarray(sizes, dtype=np.float64)
    right = right[n > 0]
    n = n[n > 0]
    if len(n) < 2:
        return float("nan")
    residuals = right - n * (right.sum() / n.sum())
    variance = len(n) / (len(n) - 1) * np.square(residuals).sum()
    return float(np.sqrt(variance) / n.sum())
