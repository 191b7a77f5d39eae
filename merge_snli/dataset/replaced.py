"""Find the replaced word in the sentences of a variant and of its seed, from the offsets in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class ReplacedWord(NamedTuple):
    """An occurrence of the replaced word: start and end of the original and of its replacement."""

    seed: tuple[int, int]
    variant: tuple[int, int]


def replaced_words(
    seed: str, variant: str, starts: Sequence[int], original: str, replacement: str
) -> tuple[ReplacedWord, ...]:
    """Return every occurrence of the replaced word.

    Args:
        seed: A sentence of the seed.
        variant: The same sentence of the variant.
        starts: The offsets at which the replacement starts in `variant`, as the data has them.
        original: The word that was replaced. An occurrence may have another case.
        replacement: The word that replaces it, in the case pattern of `original`.

    Returns:
        The occurrences in their order; none if the variant's sentence is not the seed's with the word replaced there.

    Examples:
        >>> replaced_words("A cat and a cat.", "A bird and a bird.", [2, 13], "cat", "bird")
        (ReplacedWord(seed=(2, 5), variant=(2, 6)), ReplacedWord(seed=(12, 15), variant=(13, 17)))
    """
    found: list[ReplacedWord] = []
    seed_end = variant_end = 0
    for start in starts:
        at = seed_end + start - variant_end
        written = next((word for word in _in_any_case(replacement) if variant.startswith(word, start)), None)
        is_same_before = start >= variant_end and seed[seed_end:at] == variant[variant_end:start]
        if written is None or not is_same_before or seed[at : at + len(original)].lower() != original.lower():
            return ()
        seed_end, variant_end = at + len(original), start + len(written)
        found.append(ReplacedWord((at, seed_end), (start, variant_end)))
    return tuple(found) if seed[seed_end:] == variant[variant_end:] else ()


def _in_any_case(word: str) -> tuple[str, ...]:
    """Return the case patterns that a replacement can have."""
    return word, word.lower(), word.upper(), word[:1].upper() + word[1:].lower()
