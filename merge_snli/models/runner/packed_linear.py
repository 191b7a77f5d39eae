"""Pack the weights of linear layers into the memory layout of oneDNN, which is faster on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from merge_snli.base.arrays import Floats32
from merge_snli.models.runner.checks import NOISE, is_batch_invariant, outputs_match

PACKED_DTYPES = (torch.float32, torch.bfloat16)

# Numbers of rows at which each weight shape is tested for batch invariance.
TESTED_ROWS = (2, 3, 5, 8, 15, 32, 60, 128, 250, 400, 512, 700, 1_024, 1_500, 2_048, 4_096)

# Fewer rows are tested for large layers, to compute at most this many outputs.
MAX_TESTED_OUTPUTS = 2**22

# Products of bfloat16 often depend on the number of rows only if it is small. Fewer rows than one of these numbers are
# then filled up.
FILLED_ROWS = (384, 512)

# What `find_least_rows` returns, by weight shape, dtype, whether there is no bias, and number of threads.
_TESTED: dict[tuple[object, ...], int] = {}


class PackedLinear(nn.Linear):
    """A linear layer for inference on a CPU, with a packed weight.

    A plain layer reorders its weights at every call; this one has done so once, which makes small products up to a
    third faster. float32 products stay float32.
    """

    least_rows = 1

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the outputs, of shape (…, outputs), for rows of shape (…, inputs)."""
        missing = self.least_rows - rows.shape[:-1].numel()
        if missing <= 0:
            return self._product(rows)
        flat = rows.flatten(end_dim=-2)
        filled = nn.functional.pad(flat, (0, 0, 0, missing))
        outputs = self._product(filled)[: len(flat)]
        return outputs.reshape(*rows.shape[:-1], -1)

    def _product(self, rows: torch.Tensor) -> torch.Tensor:
        linear: Any = torch.ops.mkldnn._linear_pointwise
        outputs: torch.Tensor = linear(rows, self.weight, self.bias, "none", [], "")
        return outputs

    def find_least_rows(self) -> int:
        """Find the fewest rows to compute so that no row depends on the others or on their number, which is at least 2.

        Layers that run the same kernel, in any model, are tested once in a process.

        Returns:
            1 for as many as there are, one of `FILLED_ROWS` if fewer must be filled up, or 0 if that does not help.
        """
        kernel = (self.weight.shape, self.weight.dtype, self.bias is None, torch.get_num_threads())
        if kernel not in _TESTED:
            _TESTED[kernel] = self._find_least_rows()
        return _TESTED[kernel]

    def _find_least_rows(self) -> int:
        sizes = [size for size in TESTED_ROWS if size * self.out_features <= MAX_TESTED_OUTPUTS]
        rows = torch.randn(sizes[-1], self.in_features, generator=torch.Generator().manual_seed(0))
        rows = rows.to(self.weight.dtype)
        with torch.inference_mode():
            for least_rows in (1, *FILLED_ROWS):
                if least_rows > sizes[-1]:
                    break
                self.least_rows = least_rows
                if is_batch_invariant(lambda some: self(rows[some]).float().numpy(), sizes):
                    return least_rows
        return 0


def pack_layer(layer: nn.Linear) -> None:
    """Make a plain layer a packed one.

    Raises:
        AttributeError: If this build of torch has no oneDNN.
        RuntimeError: If oneDNN does not support the layer's dtype on this CPU.
    """
    packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), None)
    layer.weight = nn.Parameter(packed, requires_grad=False)
    layer.__class__ = PackedLinear


def pack(model: nn.Module, run: Callable[[], Floats32]) -> int:
    """Pack the linear layers of a model in place, unless that changes its outputs by more than rounding.

    Args:
        model: A model in evaluation mode that is no longer trained. On a GPU, no layer is packed.
        run: Runs the model on an example. With packed layers, this fails if the model reads a layer's weights directly.

    Returns:
        The fewest rows that all matrices of the model need to be batch-invariant: 1 for any number, or more if fewer
        are filled up. 0 if they are not packed, or not batch-invariant, as plain float32 layers.
    """
    weights = next(model.parameters())
    if weights.device.type != "cpu" or weights.dtype not in PACKED_DTYPES:
        return 0
    expected = run()
    for layer in model.modules():
        if type(layer) is nn.Linear:
            with suppress(AttributeError, RuntimeError):
                pack_layer(layer)
    if outputs_match(run, expected, NOISE[weights.dtype]):
        return _fill_up(model)
    for layer in model.modules():
        if isinstance(layer, PackedLinear):
            layer.weight = nn.Parameter(layer.weight.to_dense(), requires_grad=False)
            layer.__class__ = nn.Linear  # type: ignore[assignment]
    return 0


def _fill_up(model: nn.Module) -> int:
    """Make the layers of a model batch-invariant, and return the result of `pack`."""
    layers = []
    for module in model.modules():
        if isinstance(module, PackedLinear):
            layers.append(module)
        elif not isinstance(module, nn.Embedding) and any(w.ndim > 1 for w in module.parameters(recurse=False)):
            return 0
    least = [layer.find_least_rows() for layer in layers]
    needed = max(least) if least and all(least) else 0
    for layer, rows in zip(layers, least, strict=True):
        layer.least_rows = rows if needed else 1
    return needed
