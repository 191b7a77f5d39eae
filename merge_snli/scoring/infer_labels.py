"""Infer or check the order of a model's labels by its accuracy on the seeds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.models.labels import INFERRED, ModelLabels, compared_labels, positions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.statistics import mcnemar_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MAX_P_VALUE = 0.001
"""The best order is accepted if McNemar's test against the second best, on the seeds, gives a smaller p-value."""


@dataclass(frozen=True)
class _Order:
    names: tuple[str, ...]
    correct: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean()) if len(self.correct) else 0.0


def infer_labels(
    best: NDArray[np.int64],
    gold: NDArray[np.int64],
    data_labels: Sequence[str],
    *,
    config_names: Sequence[str],
    model: str,
) -> ModelLabels:
    """Infer the order of labels with the highest accuracy on the seeds.

    Args:
        best: Index of the largest logit for each seed, [n]; -1 if the seed is too long for the model.
        gold: Number of each seed's gold label, [n].
        data_labels: The data set's labels in the order of their numbers.
        config_names: The names of the model's outputs in its config; two or three.
        model: The model's name, for messages.

    Raises:
        InputError: If the model does not have two or three outputs, or no order is significantly better than the
            others.
    """
    names = {len(labels): labels for labels in (NLI_LABELS, TWO_WAY)}.get(len(config_names))
    if names is None:
        raise InputError(f"{model} has {len(config_names)} outputs; labels can be inferred only for two or three")
    first, second, *_ = _orders(best, gold, names, data_labels)
    if not len(first.correct) or mcnemar_test(first.correct, second.correct).p_value >= MAX_P_VALUE:
        accuracies = " and ".join(f"{order.accuracy:.1%} with {','.join(order.names)}" for order in (first, second))
        raise InputError(
            f"cannot infer the labels of {model}: its accuracy on {len(first.correct)} seeds is {accuracies}, which is "
            f"not a significant difference; give the label of each output, e.g. {param('model_labels', tuple(names))}"
        )
    return ModelLabels(first.names, INFERRED, tuple(config_names))


def check_labels(
    labels: ModelLabels, best: NDArray[np.int64], gold: NDArray[np.int64], data_labels: Sequence[str], *, model: str
) -> None:
    """Check that no other order of a model's labels has a higher accuracy on the seeds.

    Args:
        labels: The labels to check.
        best: Index of the largest logit for each seed, [n]; -1 if the seed is too long for the model.
        gold: Number of each seed's gold label, [n].
        data_labels: The data set's labels in the order of their numbers.
        model: The model's name, for the message.

    Raises:
        InputError: If another order has a higher accuracy.
    """
    predicted = best >= 0
    declared = _Order(labels.names, _correct(best[predicted], gold[predicted], labels.names, data_labels))
    first = _orders(best, gold, labels.names, data_labels)[0]
    if first.accuracy > declared.accuracy:
        raise InputError(
            f"the known labels of {model}, {','.join(declared.names)}, do not fit its predictions: its accuracy on "
            f"{len(first.correct)} seeds is {declared.accuracy:.1%}, but {first.accuracy:.1%} with "
            f"{','.join(first.names)}; give the label of each output with {param('model_labels')}, or use "
            f"{param('model_labels', 'infer')}"
        )


def _orders(
    best: NDArray[np.int64], gold: NDArray[np.int64], names: Sequence[str], data_labels: Sequence[str]
) -> list[_Order]:
    """Return the distinct orders of the labels, the most accurate first; seeds that are too long do not count."""
    predicted = best >= 0
    # On two-way data, orders that differ only in neutral and contradiction are the same order.
    distinct = {positions(order, compared_labels(order, data_labels)): order for order in permutations(names)}
    orders = [
        _Order(order, _correct(best[predicted], gold[predicted], order, data_labels)) for order in distinct.values()
    ]
    return sorted(orders, key=lambda order: -order.accuracy)


def _correct(
    best: NDArray[np.int64], gold: NDArray[np.int64], order: Sequence[str], data_labels: Sequence[str]
) -> NDArray[np.bool_]:
    compared = compared_labels(order, data_labels)
    correct: NDArray[np.bool_] = (
        np.array(positions(order, compared))[best] == np.array(positions(data_labels, compared))[gold]
    )
    return correct
