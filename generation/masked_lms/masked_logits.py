"""Compute the logits at the mask, running the last modules of a masked LM on the masked tokens only."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.models.last_layer import FAILURES, last_attention, outputs_match, select_after_attention

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from transformers import PreTrainedModel

    from merge_snli.models.last_layer import TokenIndex

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FastPath:
    """The modules of a masked LM that run on the masked tokens only.

    Attributes:
        heads: All modules after the encoder, in order; in float32.
        attention: The attention of the encoder's last layer, after which that layer runs on these tokens only; None
            if the whole layer runs on every token.
    """

    heads: tuple[torch.nn.Module, ...]
    attention: torch.nn.Module | None


def masked_logits(
    model: PreTrainedModel, fast_path: FastPath | None, ids: torch.Tensor, masks: torch.Tensor
) -> torch.Tensor:
    """Return the logits at the masked positions.

    Args:
        model: A masked LM.
        fast_path: What to run on the masked tokens only; None for the plain forward pass.
        ids: Token ids, of shape (batch, tokens).
        masks: Position of the mask in each row, of shape (batch,).

    Returns:
        Logits of shape (batch, vocabulary).
    """
    import torch

    tokens = torch.arange(len(ids), device=ids.device), masks
    if fast_path is None:
        logits: torch.Tensor = model(input_ids=ids).logits
        return logits[tokens]
    values = _hidden_states(model, fast_path.attention, ids, tokens).float()
    for head in fast_path.heads:
        values = head(values)
    bias = getattr(model, "final_logits_bias", None)
    return values if bias is None else values + bias


def check_finite(log_probs: torch.Tensor, name: str) -> None:
    """Check the log-probabilities of a batch.

    Args:
        log_probs: Log-probabilities of shape (batch, vocabulary).
        name: The masked LM's name, for the message.

    Raises:
        InputError: If one of them is infinite or NaN.
    """
    if not log_probs.min().isfinite():  # the minimum of values with a NaN is NaN, and none is above 0
        raise InputError(f"masked LM {name} returns log-probabilities that are not finite; check its weights")


def _hidden_states(
    model: PreTrainedModel, attention: torch.nn.Module | None, ids: torch.Tensor, tokens: TokenIndex
) -> torch.Tensor:
    """Return the encoder's hidden states of the masked tokens, of shape (batch, width)."""
    with select_after_attention(attention, tokens):
        states: torch.Tensor = model.base_model(input_ids=ids).last_hidden_state
    return states[tokens] if attention is None else states[:, 0]


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
