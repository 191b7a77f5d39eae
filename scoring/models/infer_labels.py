"""The order of a model's labels, found on the seeds: only where one order fits clearly better than every other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from merge_snli.schema import NLI_LABELS
from scoring.models.labels import TWO_WAY, ModelLabels, compared_labels, positions
from scoring.statistics import mcnemar_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SURE = 0.001
"""The best order is taken where McNemar's test of it against the second on the seeds has a smaller p-value."""


@dataclass(frozen=True)
class _Order:
    names: tuple[str, ...]
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        return float(self.right.mean()) if len(self.right) else 0.0


def infer_labels(
    best: NDArray[np.int64], gold: NDArray[np.int64], data_labels: Sequence[str], *, own: Sequence[str], model: str
) -> ModelLabels:
    """Find the order of labels in which the model is right on the most seeds.

    Args:
        best: The output with the largest logit for each seed, [n]; -1 where the model could not take it.
        gold: Number of each seed's gold label, [n].
        data_labels: The data set's labels in the order of their numbers.
        own: What the model's config calls its outputs: two or three.
        model: The model's name, for the message.

    Raises:
        InputError: Where the model has another number of outputs, or no order fits clearly better than the others.
    """
    names = {len(labels): labels for labels in (NLI_LABELS, TWO_WAY)}.get(len(own))
    if names is None:
        raise InputError(f"{model} has {len(own)} outputs: labels can be inferred for three or two")
    taken = best >= 0
    # On two-way data neutral and contradiction are one label, and orders that differ in them alone are one order.
    distinct = {positions(order, compared_labels(order, data_labels)): order for order in permutations(names)}
    orders = [_Order(order, _right(best[taken], gold[taken], order, data_labels)) for order in distinct.values()]
    first, second, *_ = sorted(orders, key=lambda order: -order.accuracy)
    if not len(first.right) or mcnemar_test(first.right, second.right).p_value >= SURE:
        fits = " and ".join(f"{','.join(order.names)} is right on {order.accuracy:.1%}" for order in (first, second))
        raise InputError(
            f"the labels of {model} cannot be inferred: of {len(first.right)} seeds {fits}, which is no clear "
            f"difference; say what its outputs mean, such as --labels {','.join(names)}"
        )
    return ModelLabels(first.names, "inferred", tuple(own))


def _right(
    best: NDArray[np.int64], gold: NDArray[np.int64], order: tuple[str, ...], data_labels: Sequence[str]
) -> NDArray[np.bool_]:
    compared = compared_labels(order, data_labels)
    right: NDArray[np.bool_] = (
        np.array(positions(order, compared))[best] == np.array(positions(data_labels, compared))[gold]
    )
    return right
