"""Whether a sentence is a seed's sentence with one word replaced, told from the texts alone."""

from __future__ import annotations

import re

from generation.sentences.replacing import match_occurrence_case


def is_replaced(seed: str, sentence: str, original: str, replacement: str, *, ignore_case: bool = False) -> bool:
    """Tell whether `sentence` is `seed` with `replacement` for `original` wherever that stands as a word.

    For where the tagger of the run is not at hand: which places are words of their own is then known only of those
    between spaces, punctuation or the sentence's ends. These must be replaced; others, within a longer word, may be.

    Args:
        seed: The seed's sentence.
        sentence: The variant's sentence.
        original: The word of the seed.
        replacement: The word that stands in its place.
        ignore_case: Whether the run took words as shared whatever their case.
    """
    if not original:
        return False
    places = list(re.finditer(re.escape(original), seed, re.IGNORECASE if ignore_case else 0))
    reached = {(0, False)}
    """Offsets in `sentence` up to which it agrees, and whether a place was replaced on the way."""
    end = 0
    for place in places:
        before, end = seed[end : place.start()], place.end()
        fillers = {(match_occurrence_case(place[0], original, replacement), True)}
        if not _stands_alone(seed, place):
            fillers.add((place[0], False))
        reached = {
            (offset + len(before + filler), replaced or is_replacement)
            for offset, replaced in reached
            for filler, is_replacement in fillers
            if sentence.startswith(before + filler, offset)
        }
    return any(replaced and sentence[offset:] == seed[end:] for offset, replaced in reached)


def _stands_alone(seed: str, place: re.Match[str]) -> bool:
    around = seed[place.start() - 1 : place.start()] + seed[place.end() : place.end() + 1]
    return not any(character.isalnum() or character in "-'’_/" for character in around)
