"""Linear layers that keep their weights in the order that oneDNN reads, where that gives the same products faster."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from merge_snli.inference.same_outputs import FAILURES, FLOAT32_NOISE, outputs_match

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

NOISE = {torch.float32: FLOAT32_NOISE, torch.bfloat16: 2e-2}
"""How far a packed product may be from the plain one, in the types that are packed."""

SOME_ROWS = 4
ROWS_TRIED = (2, 3, 5, 8, 15, 32, 60, 128, 250, 512)
"""In so many rows the products of a shape are tried. A single row is not: it may be added up in another order."""

PRODUCTS_TRIED = 2**24
"""Of a head with a large vocabulary fewer rows are tried, so that not more products than these are made."""

MATRIX = 2

Place = tuple[nn.Module, str]


class PackedLinear(nn.Module):
    """A linear layer for inference on the processor.

    At every product a plain layer's weights are put into the order that the processor's units read; here that is done
    once, which makes the short products of single sentences up to a third faster. Products of float32 stay float32.
    """

    def __init__(self, plain: nn.Linear) -> None:
        """Pack the weights of a layer, which itself stays as it is.

        Raises:
            AttributeError: Where this build of torch has no oneDNN.
            RuntimeError: Where oneDNN does not take the layer's type of numbers on this processor.
        """
        super().__init__()
        self._product: Any = torch.ops.mkldnn._linear_pointwise
        self._packed: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(plain.weight.detach(), None)
        self._bias = None if plain.bias is None else plain.bias.detach()

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the products of rows, of shape (…, inputs), with the weights: of shape (…, outputs)."""
        products: torch.Tensor = self._product(rows, self._packed, self._bias, "none", [], "")
        return products

    def unpacked(self) -> nn.Linear:
        """Return the plain layer again."""
        weights = self._packed.to_dense()
        plain = nn.Linear(weights.shape[1], weights.shape[0], bias=self._bias is not None, device="meta")
        plain.weight = nn.Parameter(weights, requires_grad=False)
        if self._bias is not None:
            plain.bias = nn.Parameter(self._bias, requires_grad=False)
        return plain.eval()


def pack(model: nn.Module, run: Callable[[], object], name: str) -> bool:
    """Pack, in place, the linear layers of a model whose packed products are the plain ones but for rounding.

    Args:
        model: A model in evaluation mode, which is not trained any more; nothing is packed where it is not on the
            processor.
        run: Asks the model once. Where that fails with its layers packed, as it does where a model reads a layer's
            weights by itself, they are all unpacked.
        name: What the model is called in the log.

    Returns:
        Whether all matrices that the model multiplies by were packed here, and no row of their products depends on how
        many rows are beside it, two at least. Of plain products it does, and of products in int8.
    """
    places = [
        (parent, name)
        for parent in model.modules()
        for name, child in parent.named_children()
        if type(child) is nn.Linear
    ]
    batch_invariant: dict[torch.Size, bool] = {}
    for place in places:
        _pack_at(place, batch_invariant)
    try:
        run()
    except FAILURES as error:
        logger.info("%s takes no packed layers: %s", name, error)
        _unpack(places)
        return False
    return bool(batch_invariant) and _multiplies_only_packed(model) and all(batch_invariant.values())


def _multiplies_only_packed(model: nn.Module) -> bool:
    """Tell whether no matrix is left that plain products could be made with."""
    others = [module for module in model.modules() if not isinstance(module, nn.Embedding)]
    return all(weights.ndim < MATRIX for module in others for weights in module.parameters(recurse=False))


def _pack_at(place: Place, batch_invariant: dict[torch.Size, bool]) -> None:
    """Pack one layer where that gives the same products, and note whether those of its shape are batch_invariant."""
    parent, name = place
    plain: nn.Linear = getattr(parent, name)
    weights = plain.weight
    if weights.device.type != "cpu" or weights.dtype not in NOISE:
        return
    with torch.inference_mode():
        try:
            packed = PackedLinear(plain)
            rows = _rows_for(weights, SOME_ROWS)
            if not outputs_match(packed(rows), plain(rows), NOISE[weights.dtype]):
                return
            if weights.shape not in batch_invariant:
                most = min(ROWS_TRIED[-1], max(SOME_ROWS, PRODUCTS_TRIED // len(weights)))
                batch_invariant[weights.shape] = _is_batch_invariant(packed, _rows_for(weights, most))
        except (AttributeError, RuntimeError) as error:
            logger.debug("a layer cannot be packed: %s", error)
            return
    setattr(parent, name, packed)


def _rows_for(weights: torch.Tensor, count: int) -> torch.Tensor:
    return torch.randn(count, weights.shape[1], generator=torch.Generator().manual_seed(0)).to(weights.dtype)


def _is_batch_invariant(layer: PackedLinear, rows: torch.Tensor) -> bool:
    products = layer(rows)
    return all(torch.equal(layer(rows[:count]), products[:count]) for count in ROWS_TRIED)


def _unpack(places: Sequence[Place]) -> None:
    for parent, name in places:
        if isinstance(layer := getattr(parent, name), PackedLinear):
            setattr(parent, name, layer.unpacked())
