"""Words by their base forms: other forms of the original in the problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.sentences.words import fold
from merge_snli.models.base_forms import base_forms

if TYPE_CHECKING:
    from generation.filters.filter import Place

INFLECTED_CLASSES = ("noun", "verb")


def has_other_form(place: Place) -> bool:
    """Return whether the problem has the original in another form as well, as a noun or a verb.

    Args:
        place: An occurrence of the original.
    """
    original = fold(place.word.text)
    others = place.problem_words - {original}
    return any(
        not base_forms(original, one).isdisjoint(base_forms(word, other))
        for word in others
        for one in INFLECTED_CLASSES
        for other in INFLECTED_CLASSES
    )
