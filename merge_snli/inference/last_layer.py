"""The last layer of an encoder for one token a sentence: where no other is read of it, no other need go through it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from transformers import PreTrainedModel

Rows = tuple["torch.Tensor", "torch.Tensor"]
"""A sentence of the batch and a place in it for each token, each of shape (batch,): one token a sentence."""


def last_attention(model: PreTrainedModel) -> torch.nn.Module | None:
    """Return the attention of the last layer where layers are made as in BERT, RoBERTa and ELECTRA, else None."""
    from torch.nn import ModuleList

    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    return getattr(layers[-1], "attention", None) if isinstance(layers, ModuleList) and len(layers) else None


@contextmanager
def going_on_with(attention: torch.nn.Module | None, rows: Rows) -> Iterator[None]:
    """Let a layer go on behind its attention with one token a sentence, inside the block.

    What the encoder gives is then of shape (batch, 1, width). Whether a model takes that must be tried.

    Args:
        attention: What `last_attention` gave; nothing changes where it is None.
        rows: The tokens.
    """
    if attention is None:
        yield
        return

    def keep(_module: torch.nn.Module, _inputs: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
        values, *others = outputs
        return values[rows][:, None], *others

    handle = attention.register_forward_hook(keep)
    try:
        yield
    finally:
        handle.remove()
