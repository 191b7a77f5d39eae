"""Select the seeds with enough variants, and draw the subsamples."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generation.variants.variant import Variant


def inflated(variants: Iterable[Variant], inflation: int) -> list[tuple[Variant, ...]]:
    """Group variants by seed and word class, and return the groups of at least `inflation` variants.

    Args:
        variants: Variants of any number of seeds and classes. The words of a class are pooled.
        inflation: The degree of inflation d.

    Returns:
        One tuple per seed and class, in the order in which they first occur.
    """
    groups: dict[tuple[str, str], list[Variant]] = defaultdict(list)
    for variant in variants:
        groups[variant.seed.id, variant.word.word_class].append(variant)
    return [tuple(group) for group in groups.values() if len(group) >= inflation]


def draw(group: Sequence[Variant], *, inflation: int, subsamples: int, random_seed: int) -> dict[str, tuple[int, ...]]:
    """Draw W^{d=m} from the variants of one seed and class, `subsamples` times.

    A draw selects the variants with the smallest digests, so it depends only on the content of the group.

    Args:
        group: The variants of one seed and class, at least `inflation` of them.
        inflation: Number of variants per draw.
        subsamples: Number of draws.
        random_seed: Changes the draws.

    Returns:
        By variant id, the numbers of the draws that selected it.
    """
    draws: dict[str, tuple[int, ...]] = {variant.id: () for variant in group}
    for subsample in range(subsamples):
        ranked = sorted(group, key=lambda variant: _rank(variant, subsample, random_seed))
        for variant in ranked[:inflation]:
            draws[variant.id] += (subsample,)
    return draws


def _rank(variant: Variant, subsample: int, random_seed: int) -> str:
    """Return the sha256 of the JSON list [random seed, subsample, seed id, class, original, replacement]."""
    key = [
        random_seed,
        subsample,
        variant.seed.id,
        variant.word.word_class,
        variant.word.text,
        variant.replacement.word,
    ]
    return hashlib.sha256(json.dumps(key, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
