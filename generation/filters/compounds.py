"""Words in compounds, such as "ice" in "ice cream" and "blue" in "blue-green"."""

from itertools import pairwise

from generation.filters.filter import Place

# Hyphens, the en dash and the slash.
JOINERS = frozenset("-\u2010\u2011\u2013/")

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN"})


def is_in_compound(place: Place) -> bool:
    """Return whether an occurrence is part of a compound, by the characters and the tokens beside it.

    That is next to a hyphen, en dash or slash, with no space between, or a noun whose neighbor token is a noun, too.

    Args:
        place: The occurrence.
    """
    sentence = place.sentence
    if not JOINERS.isdisjoint(sentence[: place.start][-1:] + sentence[place.end :][:1]):
        return True
    tokens = getattr(place.tagged, place.side).tokens
    return any(
        {each.tag.partition("|")[0] for each in (first, second)} <= NOUN_TAGS
        and place.start in {first.start, second.start}
        for first, second in pairwise(tokens)
    )
