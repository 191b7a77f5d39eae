"""Find what drives errors (research question 3): a logistic regression of right answers, with seeds as clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Floats, Ints
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.schema import WORD_CLASSES
from merge_snli.statistics import Interval
from merge_snli.statistics.logistic import (
    NotConverged,
    Outcome,
    fit_logistic,
    independent_columns,
    within_outcomes,
)
from merge_snli.statistics.values import LEVEL


@dataclass(frozen=True, kw_only=True)
class RegressionPredictor:
    """A predictor.

    Attributes:
        name: `log_odds`; `masked_lms`: number of masked LMs that validated the variant in the premise or the
            hypothesis; `sentence_length`: number of words of the seed's premise and hypothesis, separated by spaces;
            `log_count`: log(1 + count of the replacement in the corpus); `word_class: NAME`; or `label: NAME`.
        reference: The level that an indicator is compared with; None for a number. A number is standardized: its
            coefficient is the change per standard deviation.
        mean: Mean over the variants; of an indicator, the share of the variants.
        deviation: Standard deviation over the variants.
    """

    name: str
    reference: str | None
    mean: float
    deviation: float


@dataclass(frozen=True)
class Design:
    """The predictors of the variants of a data set.

    Attributes:
        predictors: Describe the columns, [p].
        columns: Standardized numbers and indicators, [n_variants, p]; 0 if a number does not vary.
        factors: By name of the factor that indicators stand for, its levels that occur, the reference first, and the
            index of the level of each variant, [n_variants].
    """

    predictors: tuple[RegressionPredictor, ...]
    columns: Floats
    factors: dict[str, tuple[tuple[str, ...], Ints]]


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
    models = [_regression(scored, design, [model]) for model in scored.models]
    pooled = _pooled(scored, design) if len(models) > 1 else None
    regressions = models if pooled is None else [*models, pooled]
    if all(regression.not_computed for regression in regressions):
        raise NotComputable(f"no regression of right answers can be computed: {models[0].not_computed}")
    name = None if corpus is None else corpus.corpus
    return ErrorDrivers(predictors=design.predictors, corpus=name, models=tuple(models), pooled=pooled)


def _pooled(scored: ScoredDataset, design: Design) -> Regression:
    """Return the regression over all models but those that are always or never right, whose intercept is infinite."""
    varying = []
    left_out = []
    for model in scored.models:
        if _outcome(model).is_constant:
            left_out.append({"name": model.name, "reason": _constant_reason(model)})
        else:
            varying.append(model)
    found = _regression(scored, design, varying or list(scored.models))
    return replace(found, left_out=(*left_out, *found.left_out))


def _regression(scored: ScoredDataset, design: Design, models: Sequence[ModelAnswers]) -> Regression:
    outcomes = [_outcome(model) for model in models]
    answers = sum(int(outcome.included.sum()) for outcome in outcomes)
    right = sum(int(outcome.success.sum()) for outcome in outcomes)
    answered = np.any([outcome.included for outcome in outcomes], axis=0)
    seeds = len(np.unique(scored.groups[answered]))
    kept = independent_columns(within_outcomes(design.columns, outcomes), answers)
    names = []
    dropped = []
    for column, predictor in enumerate(design.predictors):
        if column in kept:
            names.append(predictor.name)
        else:
            reason = "constant, or a linear combination of the other predictors"
            dropped.append({"name": predictor.name, "reason": reason})
    of_models = [model.name for model in models]
    not_computed = _separation(design, models)
    numbers = len(names) + len(models)
    if not_computed is None and seeds <= numbers:
        not_computed = f"{seeds} seeds are too few for {numbers} coefficients"
    coefficients = []
    if not_computed is None:
        try:
            fit = fit_logistic(design.columns[:, kept], outcomes, scored.groups)
            coefficients = _coefficients(fit, names + of_models)
        except NotConverged:
            not_computed = (
                "the regression does not converge, since the predictors together determine some of the answers"
            )
    return Regression(
        models=tuple(of_models),
        answers=answers,
        seeds=seeds,
        right=right / answers,
        coefficients=tuple(coefficients[: len(names)]),
        intercepts=tuple(coefficients[len(names) :]),
        left_out=tuple(dropped),
        not_computed=not_computed,
    )


def _outcome(model: ModelAnswers) -> Outcome:
    return Outcome(model.answers.correct, model.answers.is_predicted)


def _constant_reason(model: ModelAnswers) -> str:
    return _always(model.answers.correct.any(), "variant")


def _always(right: object, which: str) -> str:
    return f"{'every' if right else 'no'} {which} is answered right"


def _separation(design: Design, models: Sequence[ModelAnswers]) -> str | None:
    """Return why the answers have an infinite coefficient: all are the same, or all with one level of a factor."""
    if all(_outcome(model).is_constant for model in models):
        return _constant_reason(models[0])
    for name, (levels, codes) in design.factors.items():
        right = np.zeros(len(levels))
        answers = np.zeros(len(levels))
        for model in models:
            right += np.bincount(codes, model.answers.correct, minlength=len(right))
            answers += np.bincount(codes, model.answers.is_predicted, minlength=len(right))
        for level, n_right, n in zip(levels, right, answers, strict=True):
            if n and n_right in {0, n}:
                return _always(n_right, f"variant with {name} {level}")
    return None


def _coefficients(fit: tuple[Floats, Floats], names: Sequence[str]) -> list[Coefficient]:
    from scipy import stats

    estimates, covariance = fit
    quantile = float(stats.norm.ppf((1 + LEVEL) / 2))
    errors = np.sqrt(np.diag(covariance))
    coefficients = []
    for name, estimate, error in zip(names, estimates.tolist(), errors.tolist(), strict=True):
        low, high = estimate - quantile * error, estimate + quantile * error
        interval = Interval(low=low, high=high, level=LEVEL, method="cluster-robust Wald", unit="seed")
        p_value = float(2 * stats.norm.sf(abs(estimate) / error)) if error else float("nan")
        coefficients.append(
            Coefficient(name=name, estimate=estimate, standard_error=error, interval=interval, p_value=p_value)
        )
    return coefficients


def design_of(scored: ScoredDataset, corpus: CorpusCounts | None) -> Design:
    """Compute the predictors of every variant.

    Args:
        scored: The data set.
        corpus: Counts of the words in training data; None to leave out `log_count`.
    """
    validated = list(scored.variants_by("masked_lm").values())
    lengths = [len(f"{premise} {hypothesis}".split()) for premise, hypothesis, _ in scored.seeds]
    numbers: dict[str, Floats] = {
        "log_odds": scored.log_odds.astype(np.float64),
        "masked_lms": np.sum(validated, axis=0, dtype=np.float64),
        "sentence_length": np.array(lengths, dtype=np.float64)[scored.groups],
    }
    if corpus is not None:
        numbers["log_count"] = np.log1p(corpus.of(scored.words["replacement"]))
    classes = scored.words["word_class"]
    of_variants = np.array(classes.dictionary.to_pylist())[classes.indices.to_numpy()]
    labels = np.array(scored.data.label_names)[scored.data.row_labels]
    factors = {"word_class": _levels(WORD_CLASSES, of_variants), "label": _levels(scored.record.labels, labels)}
    predictors = []
    columns = []
    for name, values in numbers.items():
        predictor = _predictor(name, values)
        predictors.append(predictor)
        columns.append((values - predictor.mean) / (predictor.deviation or 1.0))
    for factor, (levels, codes) in factors.items():
        for code, level in enumerate(levels[1:], start=1):
            column = (codes == code).astype(np.float64)
            predictors.append(_predictor(f"{factor}: {level}", column, reference=levels[0]))
            columns.append(column)
    return Design(tuple(predictors), np.column_stack(columns), factors)


def _levels(order: Sequence[str], values: NDArray[np.str_]) -> tuple[tuple[str, ...], Ints]:
    levels = tuple(level for level in order if (values == level).any())
    return levels, (values[:, np.newaxis] == np.array(levels)).argmax(axis=1)


def _predictor(name: str, column: Floats, reference: str | None = None) -> RegressionPredictor:
    return RegressionPredictor(name=name, reference=reference, mean=float(column.mean()), deviation=float(column.std()))
