"""Define what every model that is scored provides: facts about it, token counts and logits for sentence pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[str, str]
"""A premise and a hypothesis."""


@dataclass(frozen=True)
class ModelFacts:
    """What is known about a loaded model.

    Attributes:
        architecture: Class name of the model, or None for a function.
        parameters: Number of parameters, or None for a function.
        max_length: Maximum number of tokens per pair, special tokens included, or None if there is no limit.
    """

    architecture: str | None
    parameters: int | None
    max_length: int | None


class Predictor(Protocol):
    """A loaded model: a sequence classifier or a function."""

    facts: ModelFacts
    n_outputs: int
    batch_tokens: int

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the number of tokens of each pair, or 0 if the model does not count tokens."""

    def padded_length(self, tokens: int) -> int:
        """Return the length to which a pair of `tokens` tokens is padded; the same number if it is not padded."""

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32] | NDArray[np.int64]:
        """Return the logits, [n, n_outputs], of pairs of the same padded length that are all padded or none.

        A model without logits returns the number of the output of each pair, or a code of
        `merge_snli.models.labels.Missing`, int64, [n].
        """
