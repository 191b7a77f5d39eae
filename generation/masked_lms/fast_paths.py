"""The fastest way of asking a masked LM that gives its plain forward's logits: tried on one sentence, never assumed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.masked_lms.masked_logits import RowsAlone, masked_logits
from merge_snli.inference.last_layer import last_attention
from merge_snli.inference.same_outputs import FAILURES, outputs_match

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from transformers import PreTrainedModel

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FastPath:
    """How a masked LM is asked.

    Attributes:
        logits: How many logits it gives for a token.
        rows_alone: What of it is run on the masked rows alone; None for the plain forward.
    """

    logits: int
    rows_alone: RowsAlone | None


def find_fast_path(model: PreTrainedModel, sentence: Sequence[int]) -> FastPath:
    """Find what may be run on the masked rows alone, by comparing logits with those of the plain forward.

    Args:
        model: A masked LM in float32.
        sentence: Token ids of any sentence.

    Returns:
        The fastest way whose logits were the same but for the noise of float32.
    """
    import torch

    ids, masks = same_sentence(sentence, model.device, 2)
    heads = tuple(module for module in model.children() if module is not model.base_model)
    with torch.inference_mode():
        plain = masked_logits(model, None, ids, masks)
        for attention in (last_attention(model), None):
            rows_alone = RowsAlone(heads, attention)
            if _gives(plain, model, rows_alone, ids, masks):
                return FastPath(plain.shape[-1], rows_alone)
    return FastPath(plain.shape[-1], None)


def same_sentence(ids: Sequence[int], device: torch.device, times: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a batch that holds one sentence so many times, and a place for the mask in each, not the same in all."""
    import torch

    return torch.tensor([ids] * times, device=device), torch.arange(times, device=device) % len(ids)


def _gives(
    plain: torch.Tensor, model: PreTrainedModel, rows_alone: RowsAlone, ids: torch.Tensor, masks: torch.Tensor
) -> bool:
    try:
        return outputs_match(masked_logits(model, rows_alone, ids, masks), plain)
    except FAILURES as error:
        logger.info("a fast way cannot be used with %s: %s", type(model).__name__, error)
        return False
