"""Find the fastest way to run a masked LM that gives the logits of its plain forward pass."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from generation.masked_lms.masked_logits import FastPath, masked_logits
from merge_snli.inference.last_layer import last_attention
from merge_snli.inference.same_outputs import FAILURES, outputs_match

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from transformers import PreTrainedModel

logger = logging.getLogger(__name__)


def find_fast_path(model: PreTrainedModel, sentence: Sequence[int]) -> FastPath | None:
    """Find the modules that can run on the masked tokens only, by comparing logits with the plain forward pass.

    Args:
        model: A masked LM in float32.
        sentence: Token ids of any sentence.

    Returns:
        The fastest path whose logits match up to float32 rounding, or None if only the plain forward pass works.
    """
    import torch

    ids, masks = repeat_sentence(sentence, model.device, 2)
    heads = tuple(module for module in model.children() if module is not model.base_model)
    with torch.inference_mode():
        plain = masked_logits(model, None, ids, masks)
        for attention in (last_attention(model), None):
            fast_path = FastPath(heads, attention)
            if _matches(plain, model, fast_path, ids, masks):
                return fast_path
    return None


def repeat_sentence(ids: Sequence[int], device: torch.device, times: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a batch that repeats one sentence, and a mask position for each row that differs between rows."""
    import torch

    return torch.tensor([ids] * times, device=device), torch.arange(times, device=device) % len(ids)


def _matches(
    plain: torch.Tensor, model: PreTrainedModel, fast_path: FastPath, ids: torch.Tensor, masks: torch.Tensor
) -> bool:
    try:
        return outputs_match(masked_logits(model, fast_path, ids, masks), plain)
    except FAILURES as error:
        logger.info("%s does not run on a fast path: %s", type(model).__name__, error)
        return False
