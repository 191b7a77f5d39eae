"""Scrambled replacements (section 5.4, Scr): the letters of each replacement in another order."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from generation.sentences.replacing import match_case
from generation.sentences.whole_words import NEGATIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from generation.replacements.combine import Replacement

ATTEMPTS = 64
"""How many orders of a word's letters are tried before it counts as having no other: two letters have two."""


def scramble_all(
    replacements: Iterable[Replacement], taken: Collection[str], random_seed: int
) -> tuple[tuple[Replacement, ...], tuple[Replacement, ...]]:
    """Scramble the replacements of one shared word, so that no two become the same.

    Args:
        replacements: What the sets left, in alphabetic order: where two have the same letters, the earlier chooses.
        taken: The words of the problem in folded case: no scrambled word is one of them, nor a negation.
        random_seed: Changes the orders.

    Returns:
        The replacements in the alphabetic order of what they have become, and those that are left out because their
        letters have no order that may stand there.
    """
    scrambled: dict[str, Replacement] = {}
    left_out: list[Replacement] = []
    for each in replacements:
        forbidden = {*taken, *NEGATIONS, *(word.casefold() for word in scrambled)}
        word = scramble(each.word, random_seed, forbidden)
        if word is None:
            left_out.append(each)
        else:
            scrambled[word] = replace(each, word=word)
    return tuple(scrambled[word] for word in sorted(scrambled)), tuple(left_out)


def scramble(word: str, random_seed: int, forbidden: Collection[str] = frozenset()) -> str | None:
    """Put the letters of a word in another order, the same on every machine.

    The n-th order ranks the letters by the sha256 of the JSON list [random seed, word, n, place]; the first that gives
    another word than this one, whatever the case, and none of `forbidden` is taken. Hyphens and apostrophes stay where
    they are, and the word keeps its case pattern.

    Args:
        word: The word.
        random_seed: Changes the orders.
        forbidden: Words in folded case that may not come out.

    Returns:
        The scrambled word; the word itself where all its letters are the same; None where no order is allowed.
    """
    places = [index for index, character in enumerate(word) if character.isalpha()]
    one_letter = len({word[place].casefold() for place in places}) == 1
    for attempt in range(ATTEMPTS):
        scrambled = match_case(word, _in_order(word, places, random_seed, attempt))
        if scrambled.casefold() not in forbidden and (one_letter or scrambled.casefold() != word.casefold()):
            return scrambled
    return None


def _in_order(word: str, places: list[int], random_seed: int, attempt: int) -> str:
    """Put the characters at `places` in the order of that attempt."""
    characters = list(word)
    ranked = sorted(places, key=lambda place: _rank(random_seed, word, attempt, place))
    for place, source in zip(places, ranked, strict=True):
        characters[place] = word[source]
    return "".join(characters)


def _rank(random_seed: int, word: str, attempt: int, place: int) -> str:
    key = json.dumps([random_seed, word, attempt, place], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(key.encode()).hexdigest()
