"""Models that give labels: a function from sentence pairs to labels, or answers that were given elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT
from merge_snli.models.labels import ANSWERS, FUNCTION, Missing, ModelFacts, ModelLabels, Pair
from merge_snli.models.scored_model import ScoredModel
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

FUNCTION_LABELS = (*NLI_LABELS, NOT_ENTAILMENT)
"""Labels that a function may return; it may also return a label's number in the data set."""

LabelFunction = Callable[[list[Pair]], Sequence[str | int | None]]
"""Returns one label per (premise, hypothesis) pair: a name, its number in the data set, or None for no answer."""


def model_from_function(
    function: LabelFunction, data_labels: Sequence[str], *, name: str | None = None, version: str | None = None
) -> ScoredModel:
    """Wrap a function from pairs to labels.

    Args:
        function: The function; it is called with up to 512 pairs at a time.
        data_labels: The data set's labels in the order of their numbers.
        name: The name to report; the function's own name by default.
        version: A version of the function. If given, its predictions are cached under name and version.
    """
    name = name or function_name(function)
    return ScoredModel(
        name=name,
        revision=None,
        digest=None if version is None else sha256_of_json({"function": name, "version": version}),
        labels=ModelLabels(FUNCTION_LABELS, FUNCTION),
        dtype=None,
        device=None,
        versions={},
        load=lambda: FunctionPredictor(function, data_labels, name),
    )


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


def function_name(function: object) -> str:
    """Return the name to report for a function, or an object that can be called."""
    return str(getattr(function, "__name__", type(function).__name__))


class LabelPredictor:
    """Base of the predictors that give labels, not logits, for pairs of any length."""

    facts = ModelFacts(architecture=None, parameters=None, max_length=None)
    n_outputs = len(FUNCTION_LABELS)
    batch_tokens = 512

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return zeros: tokens are not counted."""
        return [0] * len(pairs)

    def padded_length(self, tokens: int) -> int:
        """Return the same number: nothing is padded."""
        return tokens


class FunctionPredictor(LabelPredictor):
    """Asks a function for labels."""

    def __init__(self, function: LabelFunction, data_labels: Sequence[str], name: str) -> None:
        """Wrap a function that numbers labels as in `data_labels`."""
        self._function = function
        self._data_labels = tuple(data_labels)
        self._name = name

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.int64]:
        """Return the number of each label in `FUNCTION_LABELS`, or `NO_ANSWER`, [n].

        Raises:
            InputError: If the function does not return one valid label per pair.
        """
        returned: object = self._function(list(pairs))
        if not isinstance(returned, Iterable):
            raise InputError(
                f"{self._name} returned {returned!r} for {len(pairs)} pairs; it must return a list of labels"
            )
        values = list(returned)
        if len(values) != len(pairs):
            raise InputError(
                f"{self._name} returned {len(values)} labels for {len(pairs)} pairs; it must return one per pair"
            )
        read = label_reader(self._data_labels, self._name)
        return np.array([_number(read(value, pair)) for value, pair in zip(values, pairs, strict=True)], dtype=np.int64)


class AnswerPredictor(LabelPredictor):
    """Looks up answers that were given elsewhere."""

    def __init__(self, answers: Mapping[Pair, str | None]) -> None:
        """Keep a label for each pair, or None for an answer that cannot be read."""
        self._answers = answers

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.int64]:
        """Return the number of each answer in `FUNCTION_LABELS`, `NO_ANSWER`, or `NOT_ASKED` if there is none, [n]."""
        answers = self._answers
        numbers = [_number(answers[pair]) if pair in answers else Missing.NOT_ASKED for pair in pairs]
        return np.array(numbers, dtype=np.int64)


def _number(label: str | None) -> int:
    return Missing.NO_ANSWER if label is None else FUNCTION_LABELS.index(label)


def label_reader(data_labels: Sequence[str], name: str) -> Callable[[object, Pair], str | None]:
    """Return a function that checks what a model function returned for a pair, and returns the label or None.

    It raises `InputError` for anything else than a label, its number or None.

    Args:
        data_labels: The data set's labels in the order of their numbers.
        name: Name of the model function, for messages.
    """

    def read(value: object, pair: Pair) -> str | None:
        if value is None:
            return None
        if isinstance(value, str) and value.lower() in FUNCTION_LABELS:
            return value.lower()
        number = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else -1
        if 0 <= number < len(data_labels):
            return data_labels[number]
        raise InputError(
            f"{name} returned {value!r} for {' / '.join(map(repr, pair))}; it must return one of "
            f"{', '.join(FUNCTION_LABELS)} or a number from 0 to {len(data_labels) - 1}"
        )

    return read
