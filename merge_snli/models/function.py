"""Functions that are scored like a model: their names, and what they return for sentence pairs."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Floats32, Ints
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.label_names import names_in_order
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, Labels, are_nli, find_label
from merge_snli.models.labels import Missing, Pair
from merge_snli.schema import NLI_LABELS

# Labels of NLI that a function or imported answers may have.
FUNCTION_LABELS = (*NLI_LABELS, NOT_ENTAILMENT)

# Returns one label per (premise, hypothesis) pair: a name, its number in the data set, or None for no answer. It
# may also return, for every pair, the probabilities of the labels in the order of their numbers.
LabelFunction = Callable[[list[Pair]], Sequence[str | int | None] | Sequence[Sequence[float]] | NDArray[Any]]

# How far the probabilities of a pair may be from adding up to 1, as with half precision.
SUM_TOLERANCE = 0.01


def labels_of_answers(data_labels: Sequence[str]) -> Labels:
    """Return the labels that answers to data may have: for NLI four, for another task those of the data."""
    return FUNCTION_LABELS if are_nli(data_labels) else tuple(data_labels)


def labels_in_use(labels: Labels, numbers: Ints) -> Labels:
    """Return the labels of answers, without not_entailment if no answer of NLI has it.

    Args:
        labels: The labels that the answers may have.
        numbers: The number of the label of each answer, or a code of `Missing`, [n].
    """
    if labels == FUNCTION_LABELS and labels.index(NOT_ENTAILMENT) not in numbers:
        return NLI_LABELS
    return labels


def function_name(function: object) -> str:
    """Return the name to report for a function, or an object that can be called.

    That of a `functools.partial` has a digest of its arguments, which may be long or secret.
    """
    if isinstance(function, partial):
        arguments = repr((function.args, sorted(function.keywords.items())))
        same_in_every_process = re.sub(" at 0x[0-9a-fA-F]+", "", arguments)
        return f"{function_name(function.func)}-{sha256_of_json(same_in_every_process)[:8]}"
    return str(getattr(function, "__name__", type(function).__name__))


def require_one_argument(function: LabelFunction, name: str) -> None:
    """Check that a function takes one argument.

    Raises:
        InputError: If it does not.
    """
    must = f"{name} must take one argument, a list of (premise, hypothesis) pairs: ⟦reason⟧"
    with explained(TypeError, must), suppress(ValueError):  # of built-in functions without a signature
        inspect.signature(function).bind([])


def call(function: LabelFunction, pairs: Sequence[Pair], data_labels: Sequence[str], name: str) -> Ints | Floats32:
    """Call a function with pairs.

    Args:
        function: The function.
        pairs: The pairs, [n].
        data_labels: The data set's labels in the order of their numbers.
        name: Name of the function, for messages.

    Returns:
        The number of the label of each pair among `labels_of_answers`, or `NO_ANSWER`, [n]; or, if the function returns
        probabilities, their logarithms, [n, n_labels].

    Raises:
        InputError: If it does not return a label or probabilities for each pair.
    """
    returned: object = function(list(pairs))
    if not isinstance(returned, Iterable):
        raise InputError(f"{name} returned {returned!r} for {len(pairs)} pairs; it must return a list of labels")
    values = [value.tolist() if hasattr(value, "tolist") else value for value in returned]  # arrays and tensors
    if len(values) != len(pairs):
        raise InputError(f"{name} returned {len(values)} labels for {len(pairs)} pairs; it must return one per pair")
    if any(isinstance(value, list | tuple) and len(value) > 1 for value in values):
        return _log_probabilities(values, data_labels, name, pairs)
    labels = labels_of_answers(data_labels)
    numbers = [_number(value, pair, labels, data_labels, name) for value, pair in zip(values, pairs, strict=True)]
    return np.array(numbers, dtype=np.int64)


def _log_probabilities(values: Sequence[Any], data_labels: Sequence[str], name: str, pairs: Sequence[Pair]) -> Floats32:
    """Return the logarithm of the probability of each label in `labels_of_answers`, [n, n_labels]."""
    labels = labels_of_answers(data_labels)
    columns = [labels.index(label) for label in data_labels]
    rows = np.zeros((len(values), len(labels)))
    for row, value, pair in zip(rows, values, pairs, strict=True):
        must = (
            f"{name} returned {value!r} for {_shown(pair)}; probabilities must be {len(data_labels)} "
            f"numbers from 0 that add up to 1, for {', '.join(data_labels)}"
        )
        with explained((TypeError, ValueError), must):
            shares = np.asarray(value, dtype=np.float64)
        if shares.shape != (len(data_labels),):
            raise InputError(must)
        if not (shares.min() >= 0 and abs(shares.sum() - 1) <= SUM_TOLERANCE):  # also if one is NaN
            raise InputError(f"{must}; if they are logits, apply softmax to them")
        row[columns] = shares
    with np.errstate(divide="ignore"):
        return np.log(rows).astype(np.float32)


def _number(value: object, pair: Pair, labels: Sequence[str], data_labels: Sequence[str], name: str) -> int:
    """Return the number among `labels` of the label that a function returned for a pair, or `NO_ANSWER` for None."""
    if isinstance(value, Mapping):  # as the pipelines of transformers return it
        value = value.get("label", value)
    if value is None:
        return Missing.NO_ANSWER
    label = find_label(value, labels) if isinstance(value, str) else None
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        label = names_in_order(data_labels).of_number(int(value))
    if label:
        return labels.index(label)
    raise InputError(
        f"{name} returned {value!r} for {_shown(pair)}; it must return one of "
        f"{', '.join(labels)} or a number from 0 to {len(data_labels) - 1}"
    )


def _shown(pair: Pair) -> str:
    premise, hypothesis = pair
    return f"{premise!r} / {hypothesis!r}"
