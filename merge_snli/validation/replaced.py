"""Compare a variant's sentence with its seed's by their texts, without a tagger."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from generation.sentences.forms import match_occurrence_case
from merge_snli.dataset.variants import replaced_words

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_replaced(
    seed: str, sentence: str, starts: Sequence[int], original: str, replacement: str, *, ignore_case: bool = False
) -> bool:
    """Return whether `sentence` is `seed` with every word `original` replaced.

    Without the tagger of the run, only text between spaces, punctuation and the sentence's ends is known to be a word.
    Such an occurrence must be replaced; one within a longer word may be.

    Args:
        seed: The seed's sentence.
        sentence: The variant's sentence.
        starts: The offsets at which the replacement starts in `sentence`.
        original: The word to replace.
        replacement: The word that replaces it.
        ignore_case: Whether the run compared shared words ignoring case.
    """
    if not original:
        return False
    found = replaced_words(seed, sentence, starts, original, replacement)
    occurrences = re.finditer(re.escape(original), seed, re.IGNORECASE if ignore_case else 0)
    words = {occurrence.start() for occurrence in occurrences if _is_word(seed, occurrence)}
    return (
        bool(found)
        and words <= {each.seed[0] for each in found}
        and all(
            (ignore_case or seed[slice(*each.seed)] == original)
            and sentence[slice(*each.variant)] == match_occurrence_case(seed[slice(*each.seed)], original, replacement)
            for each in found
        )
    )


def _is_word(seed: str, occurrence: re.Match[str]) -> bool:
    """Return whether an occurrence is certainly not part of a longer word."""
    around = seed[occurrence.start() - 1 : occurrence.start()] + seed[occurrence.end() : occurrence.end() + 1]
    return not any(character.isalnum() or character in "-'’_/" for character in around)
