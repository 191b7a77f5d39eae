"""The shape of the batch of an input: a padded length, which follows from its own length, and a number of rows."""

from __future__ import annotations

import numpy as np

from merge_snli.base.arrays import Ints

# The fewest rows with which a batch-invariant model gives the same bits; one row may be summed in another order.
MIN_INVARIANT_ROWS = 2

# On a CPU, tokens per batch of models with at most so many weights in linear layers: enough to keep the cores busy, and
# few enough for their caches.
CPU_TOKENS = {2_000_000: 4_096, 30_000_000: 2_048, 100_000_000: 1_024}
MIN_TOKENS = 512
# Models that are not batch-invariant have the last batch of each length filled up, which costs less if it is small.
FILLED_SHARE = 4

# On a GPU, every last batch is filled up, and inputs that are not padded have many lengths.
GPU_TOKENS, UNPADDED_GPU_TOKENS = 16_384, 4_096

# Padded lengths from one power of two to the next: 16 add 3% to the tokens on average. 4 add 12%, which costs less if
# batches are large or filled up.
MANY_LENGTHS, FEW_LENGTHS, LARGE_BATCH = 16, 4, 4_096


def batch_tokens(device: str, weights: int, *, pads: bool, batch_invariant: bool) -> int:
    """Return the maximum number of tokens per batch.

    Args:
        device: The type of the device: `cpu`, `cuda` ….
        weights: The number of weights in the linear layers of the model, without the head of a language model.
        pads: Whether inputs are padded.
        batch_invariant: Whether the model gives the same bits at every number of rows from `MIN_INVARIANT_ROWS` on.
    """
    if device != "cpu":
        return GPU_TOKENS if pads else UNPADDED_GPU_TOKENS
    tokens = next((tokens for most, tokens in CPU_TOKENS.items() if weights <= most), MIN_TOKENS)
    return tokens if batch_invariant else max(MIN_TOKENS, tokens // FILLED_SHARE)


class Shapes:
    """The shapes of the batches of a model.

    An input's shape depends on its own length only, since padding and, unless a model is batch-invariant, the number of
    rows change the last bits of what it computes. This holds until memory runs out: `halve` changes the rows of all
    lengths.
    """

    def __init__(
        self, tokens: int, *, pads: bool, batch_invariant: bool, fills: bool = False, max_length: int | None = None
    ) -> None:
        """Start with full batches.

        Args:
            tokens: Maximum number of tokens per batch; a longer input is a batch of its own.
            pads: As for `batch_tokens`.
            batch_invariant: As for `batch_tokens`.
            fills: Whether layers fill up small batches.
            max_length: Maximum number of tokens per input, or None if there is no limit.
        """
        self.batch_invariant = batch_invariant
        self._fitting = tokens
        self._longest_padded = min(tokens // 2, max_length or tokens) if pads else 0
        few = fills or not batch_invariant or tokens >= LARGE_BATCH
        self._lengths_per_doubling = FEW_LENGTHS if few else MANY_LENGTHS

    def padded(self, lengths: Ints) -> Ints:
        """Return the padded lengths of inputs of these lengths: more tokens, or the same if they are not padded.

        Models skip the mask of a batch without padding, so an input gets at least one padding token or none is padded.
        """
        _, exponents = np.frexp(np.maximum(lengths, 1))
        steps = 2 ** (exponents - 1) // self._lengths_per_doubling
        padded = (lengths // np.maximum(steps, 1) + 1) * steps
        return np.where((steps > 1) & (padded <= self._longest_padded), padded, lengths)

    def rows(self, length: int) -> int:
        """Return the number of rows of a batch of inputs of this padded length."""
        return max(1, self._fitting // max(1, length))

    def computed(self, inputs: int, length: int) -> int:
        """Return the number of rows in the batches of some inputs of this padded length, with those that fill them."""
        full = self.rows(length)
        least = min(full, MIN_INVARIANT_ROWS) if self.batch_invariant else full
        return inputs + max(0, least - inputs % full) if inputs % full else inputs

    def halve(self, length: int) -> int:
        """Halve the number of rows of this length, and so of all, and return it; 0 if there is only one."""
        fewer = self.rows(length) // 2
        self._fitting = fewer * length
        return fewer
