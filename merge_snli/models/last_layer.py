"""Run most of an encoder's last layer on one token per sentence, when the model reads no other token of its output."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import torch
    from numpy.typing import NDArray
    from transformers import PreTrainedModel

    Numbers = TypeVar("Numbers", torch.Tensor, NDArray[np.float32])

# One token per sentence, as an index into (batch, tokens): row and position, each of shape (batch,).
TokenIndex = tuple["torch.Tensor", "torch.Tensor"]

# Errors of the libraries if a model's files are damaged or inconsistent, or a fast path does not suit the model.
FAILURES = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    ImportError,
    RuntimeError,
    ArithmeticError,
    AssertionError,
)

# Tolerance for float32, relative to the largest value; bfloat16 deviates by about 1e-2.
FLOAT32_NOISE = 1e-4


def last_attention(model: PreTrainedModel) -> torch.nn.Module | None:
    """Return the attention module of the last layer, or None if the layers are not built as in BERT or RoBERTa."""
    from torch.nn import ModuleList

    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    return getattr(layers[-1], "attention", None) if isinstance(layers, ModuleList) and len(layers) else None


@contextmanager
def select_after_attention(attention: torch.nn.Module | None, tokens: TokenIndex) -> Iterator[None]:
    """Pass only one token per sentence on from the attention of the last layer, inside the block.

    The encoder then returns hidden states of shape (batch, 1, width). Not every model supports this: compare its
    outputs first.

    Args:
        attention: The result of `last_attention`; if None, nothing changes.
        tokens: The tokens to keep.
    """
    if attention is None:
        yield
        return

    def select(_module: torch.nn.Module, _inputs: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
        hidden_states, *others = outputs
        return hidden_states[tokens][:, None], *others

    handle = attention.register_forward_hook(select)
    try:
        yield
    finally:
        handle.remove()


def outputs_match(actual: Numbers, expected: Numbers, noise: float = FLOAT32_NOISE) -> bool:
    """Return whether values are equal up to rounding.

    Args:
        actual: Values of any shape.
        expected: Values of the same shape.
        noise: Tolerance, relative to the largest expected value.
    """
    return bool(abs(actual - expected).max() <= noise * abs(expected).max())
