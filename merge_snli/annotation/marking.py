"""Mark the replaced word in the sentences of a variant and of its seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from merge_snli.base.errors import InputError
from merge_snli.dataset.variants import replaced_words

if TYPE_CHECKING:
    from collections.abc import Sequence

MARK = "*"
"""What stands before and after a marked word."""


class Marked(NamedTuple):
    """A seed's sentence and a variant's, with the original and the replacement marked."""

    seed: str
    variant: str


def mark(seed: str, variant: str, starts: Sequence[int], original: str, replacement: str) -> Marked:
    """Mark every occurrence of the word that was replaced.

    Args:
        seed: The seed's sentence.
        variant: The variant's sentence.
        starts: The offsets at which the replacement starts in `variant`.
        original: The word that was replaced. An occurrence may have another case.
        replacement: The word that replaces it, in the case pattern of `original`.

    Returns:
        Both sentences, with `MARK` around the words.

    Raises:
        InputError: If the variant's sentence is not the seed's with the word replaced.

    Examples:
        >>> mark("A cat and a cat.", "A dog and a dog.", [2, 12], "cat", "dog")
        Marked(seed='A *cat* and a *cat*.', variant='A *dog* and a *dog*.')
    """
    found = replaced_words(seed, variant, starts, original, replacement)
    if not found:
        raise InputError(
            f"{variant!r} is not {seed!r} with {original!r} replaced by {replacement!r}: check the data set with "
            "merge-snli validate"
        )
    return Marked(_mark(seed, [each.seed for each in found]), _mark(variant, [each.variant for each in found]))


def _mark(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}{MARK}{text[start:end]}{MARK}{text[end:]}"
    return text
