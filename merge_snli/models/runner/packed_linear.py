"""Pack the weights of linear layers into the memory layout of oneDNN, which is faster on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from merge_snli.base.arrays import Floats32
from merge_snli.models.runner.checks import NOISE, is_batch_invariant, outputs_match

PACKED_DTYPES = ("float32", "bfloat16")

# Numbers of rows at which each weight shape is tested for batch invariance.
TESTED_ROWS = (2, 3, 5, 8, 15, 32, 60, 128, 250, 400, 512, 700, 1_024, 1_500, 2_048, 4_096)

# Fewer rows are tested for large layers, to compute at most this many outputs.
MAX_TESTED_OUTPUTS = 2**22

# Products of bfloat16 often depend on the number of rows only if it is small. Fewer rows than one of these numbers are
# then filled up.
FILLED_ROWS = (384, 512)


class PackedLinear(nn.Module):
    """A linear layer for inference on a CPU.

    A plain layer reorders its weights at every call; this one does so once, which makes small products up to a third
    faster. float32 products stay float32.
    """

    def __init__(self, plain: nn.Linear) -> None:
        """Pack the weights of a layer; the layer itself is not changed.

        Raises:
            AttributeError: If this build of torch has no oneDNN.
            RuntimeError: If oneDNN does not support the layer's dtype on this CPU.
        """
        super().__init__()
        self._linear: Any = torch.ops.mkldnn._linear_pointwise
        self._packed: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(plain.weight.detach(), None)
        self._bias = None if plain.bias is None else plain.bias.detach()
        self.shape = plain.weight.shape
        self.least_rows = 1

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
        outputs: torch.Tensor = self._linear(rows, self._packed, self._bias, "none", [], "")
        return outputs

    def unpacked(self) -> nn.Linear:
        """Return an equal plain layer."""
        outputs, inputs = self.shape
        plain = nn.Linear(inputs, outputs, bias=self._bias is not None, device="meta")
        plain.weight = nn.Parameter(self._packed.to_dense(), requires_grad=False)
        if self._bias is not None:
            plain.bias = nn.Parameter(self._bias, requires_grad=False)
        return plain.eval()

    def find_least_rows(self) -> int:
        """Find the fewest rows to compute so that no output row depends on the other rows or on their number, from two.

        Returns:
            1 for as many as there are, one of `FILLED_ROWS` if fewer must be filled up, or 0 if that does not help.
        """
        outputs, inputs = self.shape
        sizes = [size for size in TESTED_ROWS if size * outputs <= MAX_TESTED_OUTPUTS]
        rows = torch.randn(sizes[-1], inputs, generator=torch.Generator().manual_seed(0)).to(self._packed.dtype)
        for self.least_rows in (1, *FILLED_ROWS):
            if self.least_rows > sizes[-1]:
                break
            with torch.inference_mode():
                if is_batch_invariant(lambda some: self(rows[some]).float().numpy(), sizes):
                    return self.least_rows
        return 0


def linear_weights(model: nn.Module) -> int:
    """Return the number of weights in the linear layers of a model that is not packed."""
    return sum(layer.weight.numel() for layer in model.modules() if isinstance(layer, nn.Linear))


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
    dtype = str(weights.dtype).removeprefix("torch.")
    if weights.device.type != "cpu" or dtype not in PACKED_DTYPES:
        return 0
    expected = run()
    for parent in model.modules():
        for name, child in parent.named_children():
            if type(child) is nn.Linear:
                with suppress(AttributeError, RuntimeError):
                    setattr(parent, name, PackedLinear(child))
    if outputs_match(run, expected, NOISE[dtype]):
        return _fill_up(model)
    for parent in model.modules():
        for name, child in parent.named_children():
            if isinstance(child, PackedLinear):
                setattr(parent, name, child.unpacked())
    return 0


def _fill_up(model: nn.Module) -> int:
    """Make the layers of a model batch-invariant, and return the result of `pack`."""
    layers = []
    for module in model.modules():
        if isinstance(module, PackedLinear):
            layers.append(module)
        elif not isinstance(module, nn.Embedding) and any(w.ndim > 1 for w in module.parameters(recurse=False)):
            return 0
    least: dict[torch.Size, int] = {}
    for layer in layers:
        if layer.shape not in least:
            least[layer.shape] = layer.find_least_rows()
    needed = max(least.values()) if least and all(least.values()) else 0
    for layer in layers:
        layer.least_rows = least[layer.shape] if needed else 1
    return needed
