"""Compare a variant's sentence with its seed's by their texts, without a tagger."""

from __future__ import annotations

import re

from generation.sentences.replacing import match_occurrence_case


def is_replaced(seed: str, sentence: str, original: str, replacement: str, *, ignore_case: bool = False) -> bool:
    """Return whether `sentence` is `seed` with every word `original` replaced.

    Without the tagger of the run, only text between spaces, punctuation and the sentence's ends is known to be a word.
    Such an occurrence must be replaced; one within a longer word may be.

    Args:
        seed: The seed's sentence.
        sentence: The variant's sentence.
        original: The word to replace.
        replacement: The word that replaces it.
        ignore_case: Whether the run compared shared words ignoring case.
    """
    if not original:
        return False
    occurrences = list(re.finditer(re.escape(original), seed, re.IGNORECASE if ignore_case else 0))
    reached = {(0, False)}
    """Offsets in `sentence` up to which it agrees with `seed`, and whether an occurrence was replaced before."""
    end = 0
    for occurrence in occurrences:
        before, end = seed[end : occurrence.start()], occurrence.end()
        fillers = {(match_occurrence_case(occurrence[0], original, replacement), True)}
        if not _is_word(seed, occurrence):
            fillers.add((occurrence[0], False))
        reached = {
            (offset + len(before + filler), was_replaced or is_replacement)
            for offset, was_replaced in reached
            for filler, is_replacement in fillers
            if sentence.startswith(before + filler, offset)
        }
    return any(was_replaced and sentence[offset:] == seed[end:] for offset, was_replaced in reached)


def _is_word(seed: str, occurrence: re.Match[str]) -> bool:
    """Return whether an occurrence is certainly not part of a longer word."""
    around = seed[occurrence.start() - 1 : occurrence.start()] + seed[occurrence.end() : occurrence.end() + 1]
    return not any(character.isalnum() or character in "-'’_/" for character in around)
