"""Compute how many tokens a model accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

UNLIMITED = 10**9
"""Tokenizers without a `model_max_length` report a number above this one."""


def max_length(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """Return the maximum number of tokens per input, special tokens included, or None if there is no limit.

    The limit is the smaller of the tokenizer's `model_max_length` and the number of usable position embeddings.
    RoBERTa-like models number positions from `padding_idx + 1`, so only 512 of their 514 embeddings are usable.

    Args:
        model: A loaded model.
        tokenizer: Its tokenizer.
    """
    limits = [tokenizer.model_max_length]
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    if positions > 0:
        limits.append(positions - _unused_positions(model))
    limit = min(limits)
    return int(limit) if limit < UNLIMITED else None


def _unused_positions(model: PreTrainedModel) -> int:
    embeddings = [module for name, module in model.named_modules() if name.endswith("position_embeddings")]
    padding = [index for module in embeddings if (index := getattr(module, "padding_idx", None)) is not None]
    return max(padding, default=-1) + 1
