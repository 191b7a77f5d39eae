"""Find what drives errors (research question 3): a logistic regression of right answers, with seeds as clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.paper.predictors import Design, RegressionPredictor, design_of
from merge_snli.scoring.statistics import Interval
from merge_snli.scoring.statistics.logistic import (
    LogisticFit,
    NotConverged,
    Outcome,
    fit_logistic,
    independent_columns,
    within_outcomes,
)

LEVEL = 0.95
UNIT = "seed"


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """A coefficient of a logistic regression: the change of the log-odds of a right answer.

    Attributes:
        name: Name of the predictor, or of the model for an intercept.
        estimate: Maximum likelihood estimate.
        standard_error: Cluster-robust standard error.
        interval: Wald's interval from the standard error.
        p_value: Two-sided p-value of Wald's test that the coefficient is 0; NaN if the standard error is 0.
    """

    name: str
    estimate: float
    standard_error: float
    interval: Interval
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Regression:
    """The regression for one model, or pooled over models with a fixed effect for each.

    Attributes:
        models: Names of the models.
        answers: Number of answers: variants, or variants times models.
        seeds: Number of seeds, which are the clusters.
        right: Share of right answers.
        coefficients: Coefficients of the predictors; empty if the regression was not computed.
        intercepts: Intercept of each model; empty if the regression was not computed.
        left_out: Predictors and models that were left out: `name`, and `reason`.
        not_computed: Why there are no coefficients; None if there are.
    """

    models: tuple[str, ...]
    answers: int
    seeds: int
    right: float
    coefficients: tuple[Coefficient, ...]
    intercepts: tuple[Coefficient, ...]
    left_out: tuple[dict[str, str], ...]
    not_computed: str | None


@dataclass(frozen=True, kw_only=True)
class ErrorDrivers:
    """Logistic regressions of whether a variant is answered right.

    Attributes:
        predictors: The predictors, with their units.
        corpus: Name of the corpus of `log_count`; None if no corpus was given.
        models: The regression of each model.
        pooled: The regression over all models; None if there is only one.
    """

    predictors: tuple[RegressionPredictor, ...]
    corpus: str | None
    models: tuple[Regression, ...]
    pooled: Regression | None


def error_drivers(scored: ScoredDataset, corpus: CorpusCounts | None = None) -> ErrorDrivers:
    """Regress whether a variant is answered right on its properties.

    The observations are the variants of split `test` on which the model has a prediction. Standard errors are robust
    to the dependence between answers to variants of the same seed.

    Args:
        scored: The data set.
        corpus: Counts of the words in training data; None to leave out the frequency of the replacement.

    Raises:
        NotComputable: If no regression can be computed.
    """
    design = design_of(scored, corpus)
    models = tuple(_regression(scored, design, [model]) for model in scored.models)
    pooled = _pooled(scored, design) if len(models) > 1 else None
    if all(each.not_computed for each in (*models, *([pooled] if pooled else []))):
        raise NotComputable(f"no regression of right answers can be computed: {models[0].not_computed}")
    corpus_name = None if corpus is None else corpus.corpus
    return ErrorDrivers(predictors=design.predictors, corpus=corpus_name, models=models, pooled=pooled)


def _pooled(scored: ScoredDataset, design: Design) -> Regression:
    """Return the regression over all models but those that are always or never right, whose intercept is infinite."""
    varying = [model for model in scored.models if not _outcome(model).is_constant]
    constant = tuple(
        {"name": model.name, "reason": _constant_reason([model])}
        for model in scored.models
        if _outcome(model).is_constant
    )
    return _regression(scored, design, varying or list(scored.models), left_out=constant)


def _regression(
    scored: ScoredDataset, design: Design, models: Sequence[ModelAnswers], left_out: tuple[dict[str, str], ...] = ()
) -> Regression:
    outcomes = [_outcome(model) for model in models]
    answers = sum(int(outcome.included.sum()) for outcome in outcomes)
    included = np.any([outcome.included for outcome in outcomes], axis=0)
    seeds = len(np.unique(scored.groups[included]))
    kept = independent_columns(within_outcomes(design.columns, outcomes), answers)
    fit: LogisticFit | None = None
    reason = _separation(design, models)
    if reason is None and seeds <= len(kept) + len(models):
        reason = f"{seeds} seeds are too few for {len(kept) + len(models)} coefficients"
    if reason is None:
        try:
            fit = fit_logistic(design.columns[:, kept], outcomes, scored.groups)
        except NotConverged:
            reason = "the regression does not converge, since the predictors together determine some of the answers"
    names = [design.predictors[column].name for column in kept]
    coefficients = () if fit is None else _coefficients(fit, [*names, *(model.name for model in models)])
    dropped = tuple(
        {"name": predictor.name, "reason": "constant, or a linear combination of the other predictors"}
        for column, predictor in enumerate(design.predictors)
        if column not in kept
    )
    return Regression(
        models=tuple(model.name for model in models),
        answers=answers,
        seeds=seeds,
        right=sum(int(model.answers.correct.sum()) for model in models) / answers,
        coefficients=coefficients[: len(kept)],
        intercepts=coefficients[len(kept) :],
        left_out=left_out + dropped,
        not_computed=reason,
    )


def _outcome(model: ModelAnswers) -> Outcome:
    return Outcome(model.answers.correct, model.answers.is_predicted)


def _constant_reason(models: Sequence[ModelAnswers]) -> str:
    return f"{'every' if models[0].answers.correct.any() else 'no'} variant is answered right"


def _separation(design: Design, models: Sequence[ModelAnswers]) -> str | None:
    """Return why the answers have an infinite coefficient: all are the same, or all with one level of a factor."""
    if all(_outcome(model).is_constant for model in models):
        return _constant_reason(models)
    for name, (levels, codes) in design.factors.items():
        right, answers = np.zeros(len(levels)), np.zeros(len(levels))
        for model in models:
            right += np.bincount(codes, model.answers.correct, minlength=len(right))
            answers += np.bincount(codes, model.answers.is_predicted, minlength=len(right))
        for level, n_right, n in zip(levels, right, answers, strict=True):
            if n and n_right in {0, n}:
                share = "every" if n_right else "no"
                return f"{share} variant with {name} {level} is answered right"
    return None


def _coefficients(fit: LogisticFit, names: Sequence[str]) -> tuple[Coefficient, ...]:
    from scipy import stats

    quantile = float(stats.norm.ppf((1 + LEVEL) / 2))
    rows = zip(names, fit.coefficients.tolist(), np.sqrt(np.diag(fit.covariance)).tolist(), strict=True)
    return tuple(
        Coefficient(
            name=name,
            estimate=estimate,
            standard_error=error,
            interval=Interval(
                low=estimate - quantile * error,
                high=estimate + quantile * error,
                level=LEVEL,
                method="cluster-robust Wald",
                unit=UNIT,
            ),
            p_value=float(2 * stats.norm.sf(abs(estimate) / error)) if error else float("nan"),
        )
        for name, estimate, error in rows
    )
