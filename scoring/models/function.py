"""A function from pairs to labels as a model: a rule, an API, anything that is not on the Hub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.schema import NLI_LABELS
from scoring.models.labels import NOT_ENTAILMENT, ModelLabels
from scoring.models.predictor import ModelFacts, Pair
from scoring.models.scored_model import ScoredModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

FUNCTION_LABELS = (*NLI_LABELS, NOT_ENTAILMENT)
"""What a function may answer, beside the data set's own label names and their numbers."""

LabelFunction = Callable[[list[Pair]], Sequence[str | int]]
"""Takes pairs of premise and hypothesis, gives a label for each: a name, or its number in the data set."""


def function_model(
    function: LabelFunction, data_labels: Sequence[str], *, name: str | None = None, version: str | None = None
) -> ScoredModel:
    """Take a function from pairs to labels.

    Args:
        function: The function; it is asked for up to 512 pairs at a time.
        data_labels: The data set's labels in the order of their numbers.
        name: What to call it; its own name by default.
        version: What tells it from other versions of itself; given one, its answers are kept.
    """
    called = name or str(getattr(function, "__name__", type(function).__name__))
    return ScoredModel(
        name=called,
        revision=None,
        digest=None if version is None else sha256_of_json({"function": called, "version": version}),
        labels=ModelLabels(FUNCTION_LABELS, "function"),
        dtype=None,
        device=None,
        versions={},
        load=lambda: FunctionPredictor(function, data_labels, called),
    )


class FunctionPredictor:
    """Asks a function, and gives its answers the form of logits: 1 for the label that it names."""

    facts = ModelFacts(architecture=None, parameters=None, limit=None)
    n_outputs = len(FUNCTION_LABELS)
    batch_tokens = 512

    def __init__(self, function: LabelFunction, data_labels: Sequence[str], name: str) -> None:
        """Wrap a function whose numbers mean `data_labels`."""
        self._function = function
        self._data_labels = tuple(data_labels)
        self._name = name

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Count nothing: a function takes pairs of any length."""
        return [0] * len(pairs)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the function's answers, [n, 4].

        Raises:
            InputError: Where it gives another number of answers than it was given pairs, or no label.
        """
        given: object = self._function(list(pairs))
        if not isinstance(given, Iterable):
            raise InputError(f"{self._name} gave {given!r} for {len(pairs)} pairs: it must give a list of labels")
        answers = list(given)
        if len(answers) != len(pairs):
            raise InputError(f"{self._name} gave {len(answers)} labels for {len(pairs)} pairs: it must give one each")
        labels = [self._label(answer, pair) for answer, pair in zip(answers, pairs, strict=True)]
        return np.eye(self.n_outputs, dtype=np.float32)[[FUNCTION_LABELS.index(label) for label in labels]]

    def _label(self, answer: object, pair: Pair) -> str:
        if isinstance(answer, str) and answer.lower() in FUNCTION_LABELS:
            return answer.lower()
        number = int(answer) if isinstance(answer, int | np.integer) and not isinstance(answer, bool) else -1
        if 0 <= number < len(self._data_labels):
            return self._data_labels[number]
        raise InputError(
            f"{self._name} answered {answer!r} to {' / '.join(map(repr, pair))}: it must answer "
            f"{', '.join(FUNCTION_LABELS)} or a number from 0 to {len(self._data_labels) - 1}"
        )
