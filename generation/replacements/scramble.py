"""Scramble the letters of replacements (section 5.4, Scr)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from generation.sentences.folding import fold
from generation.sentences.replacing import match_case
from generation.sentences.whole_words import is_negation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from generation.replacements.combine import Replacement

ATTEMPTS = 64
"""Number of orders of the letters that are tried before a word is left out."""


def scramble_all(
    replacements: Iterable[Replacement], problem_words: Collection[str], random_seed: int
) -> tuple[tuple[Replacement, ...], tuple[Replacement, ...]]:
    """Scramble the replacements of one shared word, so that no two become the same word.

    Args:
        replacements: The replacements in alphabetical order. Of two with the same letters, the first chooses first.
        problem_words: The words of the problem, folded. No scrambled word is one of them or a negation.
        random_seed: Changes the orders.

    Returns:
        The scrambled replacements in alphabetical order, and the replacements that are left out because no other
        order of their letters is allowed.
    """
    scrambled: dict[str, Replacement] = {}
    left_out: list[Replacement] = []
    for each in replacements:
        forbidden = {*problem_words, *map(fold, scrambled)}
        word = scramble(each.word, random_seed, forbidden)
        if word is None:
            left_out.append(each)
        else:
            scrambled[word] = replace(each, word=word)
    return tuple(scrambled[word] for word in sorted(scrambled)), tuple(left_out)


def scramble(word: str, random_seed: int, forbidden: Collection[str] = frozenset()) -> str | None:
    """Put the letters of a word in another order, the same on every machine.

    The n-th order ranks the letters by the sha256 of the JSON list [random seed, word, n, index]. The result is the
    first order whose word differs from this one, ignoring case, and is neither a negation nor in `forbidden`. Hyphens
    and apostrophes keep their position, and the word keeps its case pattern.

    Args:
        word: The word.
        random_seed: Changes the orders.
        forbidden: Folded words that are not allowed.

    Returns:
        The scrambled word; the word itself if all its letters are the same; None if no order is allowed.
    """
    letters = [index for index, character in enumerate(word) if character.isalpha()]
    one_letter = len({word[index].casefold() for index in letters}) == 1
    for attempt in range(ATTEMPTS):
        scrambled = match_case(word, _reorder(word, letters, random_seed, attempt))
        differs = one_letter or scrambled.casefold() != word.casefold()
        if differs and fold(scrambled) not in forbidden and not is_negation(scrambled):
            return scrambled
    return None


def _reorder(word: str, letters: list[int], random_seed: int, attempt: int) -> str:
    """Put the characters at the indices `letters` in the order of that attempt."""
    characters = list(word)
    ranked = sorted(letters, key=lambda index: _rank(random_seed, word, attempt, index))
    for target, index in zip(letters, ranked, strict=True):
        characters[target] = word[index]
    return "".join(characters)


def _rank(random_seed: int, word: str, attempt: int, index: int) -> str:
    key = json.dumps([random_seed, word, attempt, index], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(key.encode()).hexdigest()
