"""Words without accents and case, as the words of a problem are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generation.sentences.tagging import TaggedProblem

WORD_CHARACTERS = re.compile(r"\w+")


def words_of(problem: TaggedProblem) -> frozenset[str]:
    """Return the words of premise and hypothesis, folded: the tagger's tokens and all runs of word characters."""
    sentences = (problem.premise, problem.hypothesis)
    tokens = (fold(token.text) for sentence in sentences for token in sentence.tokens)
    return frozenset((*tokens, *word_runs(sentence.text for sentence in sentences)))


def word_runs(texts: Iterable[str]) -> Iterator[str]:
    """Yield the runs of word characters in folded texts."""
    for text in texts:
        yield from WORD_CHARACTERS.findall(fold(text))


def fold(text: str) -> str:
    """Return a text without accents and case: decomposed (NFKD), without combining marks, and case-folded."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character)).casefold()
