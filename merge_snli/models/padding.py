"""Pad pairs to a few lengths, so that batches are full although the pairs have many lengths."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Padding:
    """The length to which a pair is padded.

    It depends on the pair's own length and on the model, never on other pairs, since padding changes the last bits of
    logits.

    Attributes:
        lengths_per_doubling: Number of padded lengths from one power of two to the next. Pairs of fewer than twice as
            many tokens are not padded.
        batch_tokens: Maximum number of tokens per batch. If two padded pairs do not fit, pairs are not padded.
        max_length: Maximum number of tokens per pair, or None if there is no limit.
    """

    lengths_per_doubling: int
    batch_tokens: int
    max_length: int | None

    def length(self, tokens: int) -> int:
        """Return the length to which a pair of `tokens` tokens is padded, or `tokens` if it is not padded."""
        step = (1 << max(tokens, 1).bit_length() - 1) // self.lengths_per_doubling
        if step <= 1:
            return tokens
        padded = (tokens // step + 1) * step
        fits = self.max_length is None or padded <= self.max_length
        return padded if fits and 2 * padded <= self.batch_tokens else tokens
