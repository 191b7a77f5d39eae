"""The degree of inflation and the subsamples: which seeds have enough variants, and which of these each draw takes."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generation.variants.variant import Variant


def inflated(variants: Iterable[Variant], inflation: int) -> list[tuple[Variant, ...]]:
    """Group variants by seed and word class, and keep the groups of at least `inflation` variants.

    Args:
        variants: Variants of any number of seeds and classes; the words of a class are pooled.
        inflation: The degree of inflation d.

    Returns:
        One tuple a seed and class, in the order in which they were first met.
    """
    groups: dict[tuple[str, str], list[Variant]] = defaultdict(list)
    for variant in variants:
        groups[variant.seed.id, variant.word.word_class].append(variant)
    return [tuple(group) for group in groups.values() if len(group) >= inflation]


def draw(group: Sequence[Variant], *, inflation: int, subsamples: int, random_seed: int) -> dict[str, tuple[int, ...]]:
    """Draw W^{d=m} from the variants of one seed and class, `subsamples` times.

    A draw takes the variants with the smallest digests, so it depends on the content of the group and on nothing else.

    Args:
        group: The variants of one seed and class, at least `inflation` of them.
        inflation: How many variants a draw takes.
        subsamples: How many draws.
        random_seed: Changes the draws.

    Returns:
        By variant id, the numbers of the draws that took it.
    """
    taken: dict[str, tuple[int, ...]] = {variant.id: () for variant in group}
    for subsample in range(subsamples):
        ranked = sorted(group, key=lambda variant: _rank(variant, subsample, random_seed))
        for variant in ranked[:inflation]:
            taken[variant.id] += (subsample,)
    return taken


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
