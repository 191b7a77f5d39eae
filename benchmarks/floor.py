"""The machine's floor: how fast it does the matrix products of a masked LM and nothing else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from merge_snli.inference.packed_linear import PackedLinear

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS = 512
"""Rows of a product: the tokens of a batch on two cores."""


def flop_of_forms(lengths: Sequence[int], shape: dict[str, Any]) -> float:
    """Return how many floating-point operations a BERT needs for forms of these numbers of tokens, head on the mask."""
    hidden, layers, vocabulary = (int(shape[name]) for name in ("hidden_size", "num_hidden_layers", "vocab_size"))
    weights = sum(inputs * outputs for inputs, outputs in layer_products(shape))
    a_form = [layers * length * (weights + 2 * length * hidden) + hidden * (hidden + vocabulary) for length in lengths]
    return 2.0 * sum(a_form)


def layer_products(shape: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the sizes of the weights of one layer: query, key, value and output, then the two of the wide part."""
    hidden, wide = shape["hidden_size"], shape["intermediate_size"]
    return [(hidden, hidden)] * 4 + [(hidden, wide), (wide, hidden)]


class Floor:
    """The products of every layer, each with weights of its own as in the model, in one precision."""

    def __init__(self, shape: dict[str, Any], dtype: torch.dtype) -> None:
        """Make weights and inputs."""
        sizes = layer_products(shape) * shape["num_hidden_layers"]
        inputs = {width: torch.randn(ROWS, width, dtype=dtype) for width in {width for width, _ in sizes}}
        plain = [torch.nn.Linear(width, outputs, dtype=dtype) for width, outputs in sizes]
        packed = [PackedLinear(layer) for layer in plain]
        self._ways = [
            [(layer, inputs[width]) for layer, (width, _) in zip(layers, sizes, strict=True)]
            for layers in (plain, packed)
        ]
        self._flop: float = 2.0 * ROWS * sum(width * outputs for width, outputs in sizes)

    def flop_per_second(self, times: int) -> float:
        """Do all the products so many times and return the rate: the better of torch's plain ones and packed ones."""
        return max(self._rate(way, times) for way in self._ways)

    def _rate(self, way: Sequence[tuple[torch.nn.Module, torch.Tensor]], times: int) -> float:
        with torch.inference_mode():
            start = time.perf_counter()
            for _ in range(times):
                for layer, rows in way:
                    layer(rows)
            return times * self._flop / (time.perf_counter() - start)
