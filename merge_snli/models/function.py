"""Models that give labels: a function from sentence pairs to labels, or answers that were given elsewhere."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.errors import REASON, InputError, explained
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, are_nli
from merge_snli.models.labels import ANSWERS, FUNCTION, Missing, ModelFacts, ModelLabels, Pair
from merge_snli.models.scored_model import ScoredModel
from merge_snli.schema import NLI_LABELS

# Labels of NLI that a function may return.
FUNCTION_LABELS = (*NLI_LABELS, NOT_ENTAILMENT)

# Returns one label per (premise, hypothesis) pair: a name, its number in the data set, or None for no answer.
LabelFunction = Callable[[list[Pair]], Sequence[str | int | None]]


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
    name, labels = name or function_name(function), labels_of_answers(data_labels)
    _require_one_argument(function, name)
    key = {"function": name, "version": version} | ({} if labels == FUNCTION_LABELS else {"labels": labels})
    return ScoredModel(
        name=name,
        revision=None,
        digest=None if version is None else sha256_of_json(key),
        labels=ModelLabels(labels, FUNCTION),
        dtype=None,
        device=None,
        versions={},
        load=lambda: LabelPredictor(partial(_predicted, function, data_labels, name), "int64", len(labels)),
    )


def _require_one_argument(function: LabelFunction, name: str) -> None:
    must = f"{name} must take one argument, a list of (premise, hypothesis) pairs: {REASON}"
    with explained(TypeError, must), suppress(ValueError):  # of built-in functions without a signature
        inspect.signature(function).bind([])


def labels_of_answers(data_labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that answers to data may have: for NLI four, for another task those of the data."""
    return FUNCTION_LABELS if are_nli(data_labels) else tuple(data_labels)


def model_from_answers(
    answers: Mapping[Pair, str | None],
    data_labels: Sequence[str],
    *,
    name: str,
    digest: str | None,
    versions: Mapping[str, str],
    ranked: Mapping[Pair, Sequence[float]] | None = None,
) -> ScoredModel:
    """Describe the model that gave some answers.

    Args:
        answers: A label for each pair, or None for an answer that cannot be read.
        data_labels: The data set's labels in the order of their numbers.
        name: The name to report.
        digest: What identifies the model and its prompt; None if only its name does.
        versions: Versions of the libraries that called it.
        ranked: For each pair the log-likelihood of the answer for each label of the data, if the model ranked them.
    """
    possible, likelihoods = labels_of_answers(data_labels), {} if ranked is None else ranked

    def numbers(pairs: Sequence[Pair]) -> list[Any]:
        if ranked is None:
            return [_number(answers[pair], possible) if pair in answers else Missing.NOT_PREDICTED for pair in pairs]
        return [likelihoods.get(pair, [np.nan] * len(data_labels)) for pair in pairs]

    labels = possible if ranked is None else tuple(data_labels)
    return ScoredModel(
        name=name,
        revision=None,
        digest=digest,
        labels=ModelLabels(labels, ANSWERS),
        dtype=None,
        device=None,
        versions=dict(versions),
        load=lambda: LabelPredictor(numbers, "int64" if ranked is None else "float32", len(labels)),
    )


def function_name(function: object) -> str:
    """Return the name to report for a function, or an object that can be called.

    That of a `functools.partial` has a digest of its arguments, which may be long or secret.
    """
    if isinstance(function, partial):
        return f"{function_name(function.func)}-{sha256_of_json(partial_arguments(function))[:8]}"
    return str(getattr(function, "__name__", type(function).__name__))


def partial_arguments(function: object) -> str | None:
    """Return the arguments of a `functools.partial` as text, the same in every process; None for another function."""
    if not isinstance(function, partial):
        return None
    return re.sub(" at 0x[0-9a-fA-F]+", "", repr((function.args, sorted(function.keywords.items()))))


class LabelPredictor:
    """Gives labels, or scores that were computed elsewhere, for pairs of any length."""

    facts = ModelFacts(architecture=None, parameters=None, max_length=None)
    batch_tokens = 512

    def __init__(
        self, numbers: Callable[[Sequence[Pair]], list[Any]], dtype: Literal["int64", "float32"], n_outputs: int
    ) -> None:
        """Wrap a function from pairs to the number of each label in `labels_of_answers`, or a code of `Missing`.

        With dtype float32, it returns a list of scores for each pair.
        """
        self._numbers = numbers
        self._dtype = dtype
        self.n_outputs = n_outputs

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return zeros: tokens are not counted."""
        return [0] * len(pairs)

    def padded_length(self, tokens: int) -> int:
        """Return the same number: nothing is padded."""
        return tokens

    def predict(self, pairs: Sequence[Pair]) -> NDArray[Any]:
        """Return the number of each label or a code of `Missing`, [n]; or scores, [n, n_labels]."""
        return np.array(self._numbers(pairs), dtype=self._dtype)


def _predicted(function: LabelFunction, data_labels: Sequence[str], name: str, pairs: Sequence[Pair]) -> list[int]:
    """Return the number of each label that a function returns, or `NO_ANSWER`."""
    returned: object = function(list(pairs))
    if not isinstance(returned, Iterable):
        raise InputError(f"{name} returned {returned!r} for {len(pairs)} pairs; it must return a list of labels")
    values = list(returned)
    if len(values) != len(pairs):
        raise InputError(f"{name} returned {len(values)} labels for {len(pairs)} pairs; it must return one per pair")
    read, labels = label_reader(data_labels, name), labels_of_answers(data_labels)
    return [_number(read(value, pair), labels) for value, pair in zip(values, pairs, strict=True)]


def _number(label: str | None, labels: Sequence[str]) -> int:
    return Missing.NO_ANSWER if label is None else labels.index(label)


def label_reader(data_labels: Sequence[str], name: str) -> Callable[[object, Pair], str | None]:
    """Return a function that checks what a model function returned for a pair, and returns the label or None.

    It raises `InputError` for anything else than a label, its number or None.

    Args:
        data_labels: The data set's labels in the order of their numbers.
        name: Name of the model function, for messages.
    """
    labels = labels_of_answers(data_labels)
    spelled = {label.lower(): label for label in labels}

    def read(value: object, pair: Pair) -> str | None:
        if value is None:
            return None
        if isinstance(value, str) and value.lower() in spelled:
            return spelled[value.lower()]
        number = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else -1
        if 0 <= number < len(data_labels):
            return data_labels[number]
        raise InputError(
            f"{name} returned {value!r} for {' / '.join(map(repr, pair))}; it must return one of "
            f"{', '.join(labels)} or a number from 0 to {len(data_labels) - 1}"
        )

    return read
