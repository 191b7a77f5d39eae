"""The predictors of the regression of right answers: one column per number, and per level of a factor but the first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Floats, Ints
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import ScoredDataset
from merge_snli.schema import WORD_CLASSES

LOG_ODDS, MASKED_LMS, SENTENCE_LENGTH, LOG_COUNT = "log_odds", "masked_lms", "sentence_length", "log_count"
WORD_CLASS, LABEL = "word_class", "label"


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


def design_of(scored: ScoredDataset, corpus: CorpusCounts | None) -> Design:
    """Compute the predictors of every variant.

    Args:
        scored: The data set.
        corpus: Counts of the words in training data; None to leave out `log_count`.
    """
    variants = scored.variants
    lengths = [len(f"{premise} {hypothesis}".split()) for premise, hypothesis, _ in scored.seeds]
    numbers: dict[str, Floats] = {
        LOG_ODDS: variants.log_odds.astype(np.float64),
        MASKED_LMS: np.sum(list(scored.variants_by("masked_lm").values()), axis=0, dtype=np.float64),
        SENTENCE_LENGTH: np.array(lengths, dtype=np.float64)[scored.groups],
    }
    if corpus is not None:
        numbers[LOG_COUNT] = np.log1p(corpus.of(variants.replacement))
    labels, classes = np.array(scored.data.label_names), variants.word_class
    factors = {
        WORD_CLASS: _levels(WORD_CLASSES, np.array(classes.dictionary.to_pylist())[classes.indices.to_numpy()]),
        LABEL: _levels(scored.record.labels, labels[scored.data.row_labels]),
    }
    described = [_standardized(name, values) for name, values in numbers.items()]
    described += [each for name, factor in factors.items() for each in _indicators(name, *factor)]
    return Design(
        tuple(predictor for predictor, _ in described),
        np.column_stack([column for _, column in described]),
        factors,
    )


def _levels(order: Sequence[str], values: NDArray[np.str_]) -> tuple[tuple[str, ...], Ints]:
    found = set(np.unique(values).tolist())
    levels = tuple(level for level in order if level in found)
    codes = np.zeros(len(values), dtype=np.int64)
    for code, level in enumerate(levels):
        codes[values == level] = code
    return levels, codes


def _standardized(name: str, values: Floats) -> tuple[RegressionPredictor, Floats]:
    predictor = _predictor(name, values)
    return predictor, (values - predictor.mean) / (predictor.deviation or 1.0)


def _indicators(factor: str, levels: Sequence[str], codes: Ints) -> Iterator[tuple[RegressionPredictor, Floats]]:
    for code, level in enumerate(levels[1:], start=1):
        column = (codes == code).astype(np.float64)
        yield _predictor(f"{factor}: {level}", column, reference=levels[0]), column


def _predictor(name: str, column: Floats, reference: str | None = None) -> RegressionPredictor:
    return RegressionPredictor(name=name, reference=reference, mean=float(column.mean()), deviation=float(column.std()))
