"""Mark the replaced word in the sentences of a variant and of its seed."""

from __future__ import annotations

import re
from typing import NamedTuple

from merge_snli.errors import InputError

MARK = "*"
"""What stands before and after a marked word."""


class Marked(NamedTuple):
    """A seed's sentence and a variant's, with the original and the replacement marked."""

    seed: str
    variant: str


def mark(seed: str, variant: str, original: str, replacement: str) -> Marked:
    """Mark every occurrence of the word that was replaced.

    Args:
        seed: The seed's sentence.
        variant: The variant's sentence.
        original: The word that was replaced. An occurrence may have another case, or be part of a longer word and not
            be replaced.
        replacement: The word that replaces it, in the case pattern of `original`.

    Returns:
        Both sentences, with `MARK` around the words.

    Raises:
        InputError: If the variant's sentence is not the seed's with the word replaced.

    Examples:
        >>> mark("A cat and a cat.", "A dog and a dog.", "cat", "dog")
        Marked(seed='A *cat* and a *cat*.', variant='A *dog* and a *dog*.')
    """
    occurrences = list(re.finditer(re.escape(original), seed, re.IGNORECASE)) if original else []
    pattern, end = "", 0
    for occurrence in occurrences:
        pattern += (
            f"{re.escape(seed[end : occurrence.start()])}(?:({_any_case(replacement)})|{re.escape(occurrence[0])})"
        )
        end = occurrence.end()
    match = re.fullmatch(pattern + re.escape(seed[end:]), variant)
    if match is None or not any(match.groups()):
        raise InputError(
            f"{variant!r} is not {seed!r} with {original!r} replaced by {replacement!r}: check the data set with "
            "merge-snli validate"
        )
    replaced = [index for index, word in enumerate(match.groups()) if word is not None]
    return Marked(
        _mark(seed, [occurrences[index].span() for index in replaced]),
        _mark(variant, [match.span(index + 1) for index in replaced]),
    )


def _any_case(word: str) -> str:
    """Return a pattern for the case patterns that a replacement can have."""
    cases = dict.fromkeys((word, word.lower(), word.upper(), word[:1].upper() + word[1:].lower()))
    return "|".join(map(re.escape, cases))


def _mark(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}{MARK}{text[start:end]}{MARK}{text[end:]}"
    return text
