"""Batches of like length, the same ones for the same seed, epoch by epoch."""

from __future__ import annotations

import numpy as np


def epoch_batches(lengths: list[int], shares: list[float], size: int, *, seed: int, epoch: int) -> list[list[int]]:
    """Return one epoch as batches of the indices of items of like length, in random order.

    Args:
        lengths: The length of each item.
        shares: How likely each item is in an epoch: 1 always, 0.5 in every second one.
        size: How many items a batch has (the last one may have fewer).
        seed: The training's seed.
        epoch: Which epoch; the result depends on nothing else, so a training can be resumed anywhere.
    """
    rng = np.random.default_rng([seed, epoch])
    kept = np.flatnonzero(rng.random(len(lengths)) < np.asarray(shares))
    order = kept[np.argsort(np.asarray(lengths)[kept] + rng.random(len(kept)) * 2, kind="stable")]
    batches = [order[start : start + size].tolist() for start in range(0, len(order), size)]
    rng.shuffle(batches)
    return batches


class BatchPlan:
    """Gives the batch of any step, making epochs as they are needed."""

    def __init__(self, lengths: list[int], shares: list[float], size: int, seed: int) -> None:
        """Plan batches of `size` items; see `epoch_batches`."""
        self._make = (lengths, shares, size, seed)
        self._batches: list[list[int]] = []
        self._epoch = 0

    def __getitem__(self, step: int) -> list[int]:
        """Return the indices of the items in the batch of a step."""
        lengths, shares, size, seed = self._make
        while step >= len(self._batches):
            self._batches += epoch_batches(lengths, shares, size, seed=seed, epoch=self._epoch)
            self._epoch += 1
        return self._batches[step]
