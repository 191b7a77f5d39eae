"""Check a model when it is loaded: whether a fast path gives the same values, and every batch the same bits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from merge_snli.base.arrays import Floats32, Ints
from merge_snli.models.labels import Pair
from merge_snli.models.runner.encoded import IDS, Encoded, Model
from merge_snli.models.runner.runner import Step, run_once
from merge_snli.models.runner.shapes import Shapes, batch_tokens

logger = logging.getLogger(__name__)

# The pair on which models are tested when they are loaded.
EXAMPLE_PAIR: Pair = ("A man sleeps on a bench.", "A man rests.")

# Tolerance relative to the largest value, by dtype.
NOISE = {"float32": 1e-4, "bfloat16": 5e-2, "float16": 5e-3}

# Numbers of rows, besides that of a full batch, with which a model is tested for batch invariance.
TESTED_ROWS = (2, 3, 7)


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
        logger.info("a fast path does not suit the model: %s", error)
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
        for some in (every[:size], np.roll(every, size)[:size]):
            if run(some).tobytes() != whole[some].tobytes():
                return False
    return True


def shuffled(encoded: Encoded, number: int) -> Encoded:
    """Return inputs with the tokens of an encoded input, all but the first with its inner tokens in another order."""
    tokens = {name: np.tile(values, (number, 1)) for name, values in encoded.tokens.items()}
    inner = tokens[IDS][1:, 1:-1]
    inner[:] = np.random.default_rng(0).permuted(inner, axis=1)
    return replace(
        encoded,
        tokens={name: values.reshape(-1) for name, values in tokens.items()},
        starts=np.arange(number) * encoded.lengths,
        lengths=np.repeat(encoded.lengths, number),
        columns={name: np.repeat(values, number, axis=0) for name, values in encoded.columns.items()},
    )


def noise_of(model: Model) -> float:
    """Return the tolerance for values that a model computes in another way."""
    return NOISE[str(model.dtype).removeprefix("torch.")]


def find_shapes(
    step: Step,
    example: Encoded,
    device: torch.device,
    weights: int,
    *,
    packed: int,
    paddings: Sequence[int] = (0,),
    max_length: int | None = None,
    cached: int = 0,
) -> Shapes:
    """Return the shapes of the batches of a model.

    Args:
        step: Computes a batch.
        example: An input, to test it for batch invariance.
        device: Its device.
        weights: As for `batch_tokens`.
        packed: The result of `pack`.
        paddings: Numbers of padding tokens to test it with; only 0 if inputs are not padded.
        max_length: Maximum number of tokens per input, or None if there is no limit.
        cached: Number of tokens of each input that are computed once for all.
    """
    pads, length = len(paddings) > 1, int(example.lengths[0])
    tokens = partial(batch_tokens, device.type, weights, pads=pads)
    sizes = (*TESTED_ROWS, tokens(batch_invariant=True) // (length - cached + max(paddings)))
    inputs = shuffled(example, sizes[-1])
    invariant = packed > 0
    for padding in paddings:
        run = partial(run_once, step, inputs, device=device, padding=padding)
        invariant = invariant and is_batch_invariant(run, sizes)
    most = tokens(batch_invariant=invariant) * length // (length - cached)
    return Shapes(most, pads=pads, batch_invariant=invariant, fills=packed > 1, max_length=max_length)
