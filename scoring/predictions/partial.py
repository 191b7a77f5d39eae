"""Take a part of a config for a quick trial: some of its seeds, or one subsample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError, param

if TYPE_CHECKING:
    from scoring.predictions.pairs import ScoredConfig


@dataclass(frozen=True)
class PartOfConfig:
    """What part of a config is scored.

    Attributes:
        limit_seeds: Number of seeds; None for all.
        subsample: The subsample whose variants are scored; None for all variants.
    """

    limit_seeds: int | None
    subsample: int | None

    def __str__(self) -> str:
        """Return the part in words, such as `partial: 100 seeds, subsample 3`."""
        seeds = [] if self.limit_seeds is None else [f"{self.limit_seeds:,} seeds"]
        return f"partial: {', '.join([*seeds, *([] if self.subsample is None else [f'subsample {self.subsample}'])])}"


def part_of_config(data: ScoredConfig, *, limit_seeds: int | None = None, subsample: int | None = None) -> ScoredConfig:
    """Return some seeds of a config with their variants, or the variants of one subsample.

    The seeds are those with the smallest sha256 of their ids: a reproducible sample, in the order of the data set.

    Args:
        data: The config.
        limit_seeds: Number of seeds; all if the config has no more.
        subsample: Number of the subsample.

    Raises:
        InputError: If the number of seeds is below 1, or the config has no such subsample.
    """
    n_subsamples = len(data.in_subsample)
    if limit_seeds is not None and limit_seeds < 1:
        raise InputError(f"{param('limit_seeds')} is {limit_seeds}: it must be at least 1")
    if subsample is not None and not 0 <= subsample < n_subsamples:
        raise InputError(f"{param('subsample')} is {subsample}: choose 0 to {n_subsamples - 1}")
    if limit_seeds is not None and limit_seeds >= len(data.seed_ids):
        limit_seeds = None
    if limit_seeds is None and subsample is None:
        return data
    by_hash = sorted(range(len(data.seed_ids)), key=lambda seed: sha256(data.seed_ids[seed].encode()).digest())
    seeds = np.sort(np.array(by_hash[:limit_seeds]))
    kept = np.isin(data.variant_seeds, seeds)
    if subsample is not None:
        kept &= data.in_subsample[subsample]
        seeds = seeds[np.isin(seeds, data.variant_seeds[kept])]
    drawn = data.in_subsample[:, kept]
    pairs, places = np.unique(np.concatenate([data.seed_pairs[seeds], data.variant_pairs[kept]]), return_inverse=True)
    return replace(
        data,
        part=PartOfConfig(limit_seeds, subsample),
        pairs=tuple(data.pairs[pair] for pair in pairs),
        seed_ids=tuple(data.seed_ids[seed] for seed in seeds),
        seed_pairs=places[: len(seeds)],
        seed_labels=data.seed_labels[seeds],
        variant_pairs=places[len(seeds) :],
        variant_seeds=np.searchsorted(seeds, data.variant_seeds[kept]),
        variant_classes=data.variant_classes[kept],
        in_subsample=drawn if subsample is None else drawn[[subsample]],
        validated_by={name: mask[kept] for name, mask in data.validated_by.items()},
    )
