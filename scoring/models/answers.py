"""A model that is known by its answers to sentence pairs, which were read from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.models.function import FUNCTION_LABELS, OneHotPredictor, one_hot
from scoring.models.labels import ANSWERS, ModelLabels
from scoring.models.predictor import Pair
from scoring.models.scored_model import ScoredModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


def model_from_answers(
    answers: Mapping[Pair, str | None], *, name: str, digest: str | None, versions: Mapping[str, str]
) -> ScoredModel:
    """Describe the model that gave some answers.

    Args:
        answers: A label for each pair, or None for an answer that cannot be read.
        name: The name to report.
        digest: What identifies the model and how it was asked; None if only its name does.
        versions: Versions of the libraries that asked it.
    """
    return ScoredModel(
        name=name,
        revision=None,
        digest=digest,
        labels=ModelLabels(FUNCTION_LABELS, ANSWERS),
        dtype=None,
        device=None,
        versions=dict(versions),
        load=lambda: AnswerPredictor(answers),
    )


class AnswerPredictor(OneHotPredictor):
    """Looks up answers as one-hot logits."""

    def __init__(self, answers: Mapping[Pair, str | None]) -> None:
        """Keep a label for each pair, or None for an answer that cannot be read."""
        self._answers = answers

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the answers as one-hot logits, [n, 4].

        A row is -inf if the answer cannot be read, and NaN if there is none.
        """
        logits = one_hot([self._answers.get(pair) for pair in pairs])
        logits[[pair not in self._answers for pair in pairs]] = np.nan
        return logits
