"""Check a model when it is loaded: whether a fast path gives the same values, and every batch the same bits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import nn

from merge_snli.base.arrays import Floats32, Ints
from merge_snli.base.errors import reason
from merge_snli.models.labels import Pair
from merge_snli.models.runner.encoded import Encoded, Model
from merge_snli.models.runner.runner import Runner, Step, run_once
from merge_snli.models.runner.shapes import Shapes, batch_tokens

logger = logging.getLogger(__name__)

# The pair on which models are tested when they are loaded.
EXAMPLE_PAIR: Pair = ("A man sleeps on a bench.", "A man rests.")

# Tolerance relative to the largest value, by dtype.
NOISE = {torch.float64: 1e-4, torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 5e-3}

# Numbers of rows, besides that of a full batch, with which a model is tested for batch invariance; and the fewest of a
# full batch, if inputs are long.
TESTED_ROWS, MIN_FULL = (2, 3, 7), 8


def outputs_match(fast: Callable[[], Floats32], expected: Floats32, noise: float) -> bool:
    """Return whether a fast path computes the same values as the plain one, up to rounding; False if it fails.

    Args:
        fast: Computes values of any shape on the fast path.
        expected: The values on the plain path, of the same shape.
        noise: Tolerance, relative to the largest expected value.
    """
    try:
        return bool(abs(fast() - expected).max() <= noise * abs(expected).max())
    except Exception as error:  # libraries raise anything if a path does not suit a model
        logger.info("a fast path does not suit the model: %s", reason(error))
        return False


def is_batch_invariant(run: Callable[[Ints], Floats32], sizes: Sequence[int]) -> bool:
    """Return whether a model gives the same bits for an input in every batch and at every position.

    Args:
        run: Runs the model on a batch of inputs with these numbers, and returns one row each.
        sizes: Numbers of rows; the last is the largest, and the number of inputs.
    """
    every = np.arange(sizes[-1])
    whole = run(every)
    for size in sizes[:-1]:
        for some in (every[:size], np.roll(every, 1)[:size]):
            if run(some).tobytes() != whole[some].tobytes():
                return False
    return True


def rotated(example: Encoded, number: int) -> Encoded:
    """Return inputs with the tokens of an example, each from another of its tokens on; the first is the example."""
    numbers = np.arange(number)
    length = example.lengths[0]
    columns = {name: np.repeat(values[:1], number, axis=0) for name, values in example.columns.items()}
    return replace(example, starts=numbers % length, lengths=np.full(number, length), columns=columns)


def find_runner(
    model: Model,
    step: Step,
    example: Encoded,
    *,
    name: str,
    packed: int,
    padding: int = 0,
    max_length: int | None = None,
    cached: int = 0,
) -> Runner:
    """Return what runs a model, with batches of the shapes that suit it.

    Args:
        model: The model.
        step: Computes a batch.
        example: Twice the same input, to test it for batch invariance.
        name: As in `Runner`.
        packed: The result of `pack`.
        padding: Number of padding tokens to test it with as well; 0 if inputs are not padded.
        max_length: Maximum number of tokens per input, or None if there is no limit.
        cached: Number of tokens of each input that are computed once for all.
    """
    pads = padding > 0
    length = int(example.lengths[0])
    layers = [module for module in model.base_model.modules() if isinstance(module, nn.Linear)]
    tokens = partial(batch_tokens, model.device.type, sum(layer.weight.numel() for layer in layers), pads=pads)
    sizes = (*TESTED_ROWS, max(MIN_FULL, tokens(batch_invariant=True) // (length - cached + padding)))
    inputs = rotated(example, sizes[-1])
    # Inputs that are not padded have odd lengths, too, after which rows begin at other places in memory.
    others = (0, padding) if pads else (0, -1)
    runs = [partial(run_once, step, inputs, model.device, padding=added) for added in others]
    invariant = packed > 0 and all(is_batch_invariant(run, sizes) for run in runs)
    most = tokens(batch_invariant=invariant) * length // (length - cached)
    rows = min(max(1, most // length), sizes[-1])
    if not invariant and not all(is_batch_invariant(run, (rows, rows)) for run in runs):
        most = 1  # the position matters, too: each input is a batch of its own
    shapes = Shapes(most, pads=pads, batch_invariant=invariant, fills=packed > 1, max_length=max_length)
    return Runner(name, model.device, shapes)
