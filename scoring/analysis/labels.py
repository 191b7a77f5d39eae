"""Convert the labels of models to those in which all models of a data set can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from merge_snli.label_spellings import TWO_WAY
from scoring.analysis.scored_dataset import NO_PREDICTION
from scoring.models.labels import positions
from scoring.results.measure import NO_ANSWER_NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scoring.analysis.scored_dataset import ScoredDataset

    Ints = NDArray[np.int64]


def common_labels(scored: ScoredDataset) -> tuple[str, ...]:
    """Return the labels that all models share: entailment and not_entailment if any model is compared in these."""
    own = {model.labels for model in scored.models}
    return TWO_WAY if TWO_WAY in own else next(iter(own))


def to_labels(predicted: NDArray[np.integer], own: Sequence[str], common: Sequence[str]) -> Ints:
    """Convert predicted labels of a model to labels that it shares with others.

    Args:
        predicted: Index of each label in `own`, `NO_PREDICTION` or `NO_ANSWER_NUMBER`.
        own: Labels of the model.
        common: Labels from `common_labels`.

    Returns:
        Index of each label in `common`, `NO_PREDICTION` or `NO_ANSWER_NUMBER`.
    """
    converted: Ints = np.array([*positions(own, common), NO_ANSWER_NUMBER, NO_PREDICTION])[predicted]
    return converted
