"""Agreement of "a" and "an" with the word after them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from generation.sentences.replacing import match_occurrence_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from inflect import engine

ARTICLES_LIBRARY = "inflect"
"""The library that chooses the article; its version is recorded if the option `articles` is set."""

ARTICLE = re.compile(r"(?<![\w'’-])(an?)\s+[\"'“‘(]*$", re.IGNORECASE)
"""An indefinite article at the end of a text; only opening quotes or brackets may separate it from the next word."""


def disagrees_with_article(sentence: str, start: int, end: int, original: str) -> Callable[[str], bool]:
    """Return the condition on suggestions for one occurrence of a shared word: the article before it does not fit.

    Args:
        sentence: The sentence with the shared word.
        start: Offset of the occurrence's first character.
        end: Offset after its last character.
        original: The text of the shared word, whose case pattern suggestions have.

    Returns:
        A function of a suggestion. It is always false if no article precedes the occurrence.
    """
    found = ARTICLE.search(sentence, 0, start)
    if found is None:
        return lambda word: False
    return lambda word: article_of(match_occurrence_case(sentence[start:end], original, word)) != found[1].lower()


@cache
def article_of(word: str) -> str:
    """Return "a" or "an", by the pronunciation of a word: "an hour", "a unicorn", "an MRI".

    Args:
        word: The word; its case matters for abbreviations.
    """
    return str(_engine().a(word)).partition(" ")[0]


@cache
def _engine() -> engine:
    import inflect

    return inflect.engine()
