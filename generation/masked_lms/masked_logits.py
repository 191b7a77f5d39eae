"""The logits in the place of the mask: a forward whose last steps, which no other token needs, see the mask alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.inference.last_layer import going_on_with

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

    from merge_snli.inference.last_layer import Rows


@dataclass(frozen=True)
class RowsAlone:
    """The modules that are run on the masked rows alone.

    Attributes:
        heads: All behind the encoder, in their order.
        attention: The attention of the encoder's last layer, behind which that layer goes on with these rows; None
            where the whole layer is run on every token.
    """

    heads: tuple[torch.nn.Module, ...]
    attention: torch.nn.Module | None


def masked_logits(
    model: PreTrainedModel, rows_alone: RowsAlone | None, ids: torch.Tensor, masks: torch.Tensor
) -> torch.Tensor:
    """Return the logits at the masked positions.

    Args:
        model: A masked LM.
        rows_alone: What is run on these rows alone; None for the whole forward on every token.
        ids: Token ids, of shape (batch, tokens).
        masks: Where the mask of each row stands, of shape (batch,).

    Returns:
        Of shape (batch, vocabulary).
    """
    import torch

    rows = torch.arange(len(ids), device=ids.device), masks
    if rows_alone is None:
        logits: torch.Tensor = model(input_ids=ids).logits
        return logits[rows]
    values = _encoded(model, rows_alone.attention, ids, rows).float()
    for head in rows_alone.heads:
        values = head(values)
    bias = getattr(model, "final_logits_bias", None)
    return values if bias is None else values + bias


def _encoded(model: PreTrainedModel, attention: torch.nn.Module | None, ids: torch.Tensor, rows: Rows) -> torch.Tensor:
    """Return what the encoder gives for the masked rows, of shape (batch, width)."""
    with going_on_with(attention, rows):
        encoded: torch.Tensor = model.base_model(input_ids=ids).last_hidden_state
    return encoded[rows] if attention is None else encoded[:, 0]
