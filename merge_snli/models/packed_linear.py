"""Pack the weights of linear layers into the memory layout of oneDNN, which is faster on a CPU."""

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from merge_snli.models.inference import FAILURES, FLOAT32_NOISE, is_batch_invariant, outputs_match

logger = logging.getLogger(__name__)

# Tolerance between packed and plain outputs, for each supported dtype.
NOISE = {torch.float32: FLOAT32_NOISE, torch.bfloat16: 2e-2}

# Number of rows on which packed and plain outputs are compared.
COMPARED_ROWS = 4

# Numbers of rows at which each weight shape is tested for batch invariance. One row may be summed in another order.
TESTED_ROWS = (2, 3, 5, 8, 15, 32, 60, 128, 250, 512)

# Fewer rows are tested for a head with a large vocabulary, to compute at most this many outputs.
MAX_TESTED_OUTPUTS = 2**24


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

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the outputs, of shape (…, outputs), for rows of shape (…, inputs)."""
        outputs: torch.Tensor = self._linear(rows, self._packed, self._bias, "none", [], "")
        return outputs

    def unpacked(self) -> nn.Linear:
        """Return an equal plain layer."""
        weights = self._packed.to_dense()
        plain = nn.Linear(weights.shape[1], weights.shape[0], bias=self._bias is not None, device="meta")
        plain.weight = nn.Parameter(weights, requires_grad=False)
        if self._bias is not None:
            plain.bias = nn.Parameter(self._bias, requires_grad=False)
        return plain.eval()


def pack(model: nn.Module, run: Callable[[], object], name: str) -> bool:
    """Pack, in place, the linear layers of a model whose packed outputs match the plain ones.

    Args:
        model: A model in evaluation mode that is no longer trained. On a GPU, no layer is packed.
        run: Runs the model once. If this fails with packed layers, for example because the model reads a layer's
            weights directly, all layers are unpacked.
        name: The model's name for the log.

    Returns:
        Whether the model is batch-invariant: all its matrices are packed, and no output row depends on the number of
        rows in the batch, from two on. Plain float32 layers are not batch-invariant.
    """
    locations = [
        (parent, child_name)
        for parent in model.modules()
        for child_name, child in parent.named_children()
        if type(child) is nn.Linear
    ]
    invariant_shapes: dict[torch.Size, bool] = {}
    for parent, child_name in locations:
        _pack_at(parent, child_name, invariant_shapes)
    try:
        run()
    except FAILURES as error:
        logger.info("%s does not run with packed layers: %s", name, error)
        for parent, child_name in locations:
            if isinstance(layer := getattr(parent, child_name), PackedLinear):
                setattr(parent, child_name, layer.unpacked())
        return False
    others = [module for module in model.modules() if not isinstance(module, nn.Embedding)]
    has_only_packed_matrices = all(weights.ndim <= 1 for other in others for weights in other.parameters(recurse=False))
    return bool(invariant_shapes) and has_only_packed_matrices and all(invariant_shapes.values())


def _pack_at(parent: nn.Module, name: str, invariant_shapes: dict[torch.Size, bool]) -> None:
    """Pack one layer if its outputs match, and record whether its weight shape is batch-invariant."""
    plain: nn.Linear = getattr(parent, name)
    weights = plain.weight
    if weights.device.type != "cpu" or weights.dtype not in NOISE:
        return
    with torch.inference_mode():
        try:
            packed = PackedLinear(plain)
            rows = _random_rows(weights, COMPARED_ROWS)
            if not outputs_match(lambda: packed(rows), lambda: plain(rows), NOISE[weights.dtype]):
                return
            if weights.shape not in invariant_shapes:
                count = min(TESTED_ROWS[-1], max(COMPARED_ROWS, MAX_TESTED_OUTPUTS // len(weights)))
                tested = _random_rows(weights, count)
                invariant_shapes[weights.shape] = is_batch_invariant(
                    lambda size: packed(tested[:size]).float().numpy(), TESTED_ROWS
                )
        except (AttributeError, RuntimeError) as error:
            logger.debug("a layer cannot be packed: %s", error)
            return
    setattr(parent, name, packed)


def _random_rows(weights: torch.Tensor, count: int) -> torch.Tensor:
    return torch.randn(count, weights.shape[1], generator=torch.Generator().manual_seed(0)).to(weights.dtype)
