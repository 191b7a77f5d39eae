"""Run the rest of the last layer on one token per input, after its attention."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn

from merge_snli.models.runner.encoded import Model


def last_attention(model: Model) -> nn.Module | None:
    """Return the attention module of the last layer, or None if the layers are not built as in BERT or RoBERTa."""
    try:
        attention: nn.Module = model.base_model.encoder.layer[-1].attention
    except (AttributeError, IndexError, TypeError):
        return None
    return attention


def select_after_attention(
    attention: nn.Module | None, select: Callable[[torch.Tensor], torch.Tensor]
) -> AbstractContextManager[object]:
    """Pass only one token per input on from the attention of the last layer, inside the block.

    The encoder then returns hidden states of shape (batch, 1, width). Not every model supports this: compare its
    outputs first.

    Args:
        attention: The result of `last_attention`; if None, nothing changes.
        select: Returns the hidden states of these tokens, of shape (batch, 1, width), from those of all tokens.
    """
    if attention is None:
        return nullcontext()

    def selected(_module: nn.Module, _inputs: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
        hidden_states, *others = outputs
        return select(hidden_states), *others

    return attention.register_forward_hook(selected)
