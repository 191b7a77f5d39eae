"""Measure the speed of a masked LM's matrix products alone, an upper bound for its throughput."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import torch

from merge_snli.models.runner.packed_linear import pack_layer
from merge_snli.models.runner.shapes import batch_tokens


def flop_of_forms(lengths: Sequence[int], shape: dict[str, Any]) -> float:
    """Return the floating-point operations of a BERT for forms of these lengths, with the head on the mask only."""
    hidden, layers, vocabulary = (int(shape[name]) for name in ("hidden_size", "num_hidden_layers", "vocab_size"))
    weights = sum(inputs * outputs for inputs, outputs in layer_products(shape))
    per_form = [
        layers * length * (weights + 2 * length * hidden) + hidden * (hidden + vocabulary) for length in lengths
    ]
    return 2.0 * sum(per_form)


def layer_products(shape: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the weight shapes of one layer: query, key, value, output, and the two of the feed-forward block."""
    hidden, intermediate = shape["hidden_size"], shape["intermediate_size"]
    return [(hidden, hidden)] * 4 + [(hidden, intermediate), (intermediate, hidden)]


class MatmulBound:
    """The matrix products of all layers, with separate weights per layer, in one dtype."""

    def __init__(self, shape: dict[str, Any], dtype: torch.dtype, device: str = "cpu") -> None:
        """Create weights, and inputs of as many rows as a full batch on the device has tokens."""
        sizes = layer_products(shape) * shape["num_hidden_layers"]
        weights = sum(width * outputs for width, outputs in sizes)
        rows = batch_tokens(device, weights, pads=False, batch_invariant=True)
        options: Any = {"dtype": dtype, "device": device}
        inputs = {width: torch.randn(rows, width, **options) for width in {width for width, _ in sizes}}
        plain = [torch.nn.Linear(width, outputs, **options) for width, outputs in sizes]
        kinds = [plain]
        if device == "cpu":
            kinds.append(deepcopy(plain))
            for layer in kinds[-1]:
                pack_layer(layer)
        self._variants = [
            [(layer, inputs[width]) for layer, (width, _) in zip(layers, sizes, strict=True)] for layers in kinds
        ]
        self._wait: Callable[[], None] = torch.get_device_module(device).synchronize
        self._flop: float = 2.0 * rows * weights

    def flop_per_second(self, times: int) -> float:
        """Run all products `times` times and return the rate of the faster of plain and packed layers."""
        return max(self._rate(products, times) for products in self._variants)

    def _rate(self, products: Sequence[tuple[torch.nn.Module, torch.Tensor]], times: int) -> float:
        with torch.inference_mode():
            self._wait()
            start = time.perf_counter()
            for _ in range(times):
                for layer, rows in products:
                    layer(rows)
            self._wait()
            return times * self._flop / (time.perf_counter() - start)
