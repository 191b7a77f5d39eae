"""Deterministic batches of items of similar length."""

from __future__ import annotations

import numpy as np


def epoch_batches(lengths: list[int], shares: list[float], size: int, *, seed: int, epoch: int) -> list[list[int]]:
    """Return the batches of one epoch as lists of item indices. Items of a batch have similar lengths.

    The result depends on the arguments only, so that training can resume at any step.

    Args:
        lengths: The length of each item.
        shares: The probability of each item to be in an epoch.
        size: The batch size; the last batch may be smaller.
        seed: The random seed of the training run.
        epoch: The number of the epoch.
    """
    rng = np.random.default_rng([seed, epoch])
    items = np.flatnonzero(rng.random(len(lengths)) < np.asarray(shares))
    order = items[np.argsort(np.asarray(lengths)[items] + rng.random(len(items)) * 2, kind="stable")]
    batches = [order[start : start + size].tolist() for start in range(0, len(order), size)]
    rng.shuffle(batches)
    return batches


class BatchPlan:
    """Maps training steps to batches; epochs are created when they are needed."""

    def __init__(self, lengths: list[int], shares: list[float], size: int, seed: int) -> None:
        """Set up batches of `size` items; see `epoch_batches`."""
        self._arguments = (lengths, shares, size, seed)
        self._batches: list[list[int]] = []
        self._epoch = 0

    def __getitem__(self, step: int) -> list[int]:
        """Return the item indices of a step's batch."""
        lengths, shares, size, seed = self._arguments
        while step >= len(self._batches):
            self._batches += epoch_batches(lengths, shares, size, seed=seed, epoch=self._epoch)
            self._epoch += 1
        return self._batches[step]
