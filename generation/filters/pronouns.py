"""Suggestions that do not fit the pronouns of the problem: "woman" beside "his", "man" beside "she"."""

from collections.abc import Callable

from generation.filters.filter import Place
from generation.sentences.words import fold

MEN = frozenset(
    """
    man men boy boys guy guys gentleman gentlemen male males lad lads father fathers dad dads daddy brother brothers
    son sons grandson grandsons grandfather grandfathers grandpa husband husbands uncle uncles nephew nephews groom
    king kings prince princes actor actors waiter waiters policeman policemen fireman firemen businessman businessmen
    cowboy cowboys monk monks priest priests
    """.split()  # noqa: SIM905 - a word list is more readable as text
)
WOMEN = frozenset(
    """
    woman women girl girls lady ladies female females mother mothers mom moms mommy sister sisters daughter daughters
    granddaughter granddaughters grandmother grandmothers grandma wife wives aunt aunts niece nieces bride brides queen
    queens princess princesses actress actresses waitress waitresses policewoman policewomen businesswoman
    businesswomen nun nuns widow widows
    """.split()  # noqa: SIM905
)
# Words of one gender, with the pronouns of the other.
OTHER_PRONOUNS = (
    (MEN, frozenset({"she", "her", "hers", "herself"})),
    (WOMEN, frozenset({"he", "him", "his", "himself"})),
)


def does_not_fit_pronoun(place: Place) -> Callable[[str], bool]:
    """Return the condition on suggestions that they are of one gender, and the problem has a pronoun of the other.

    Args:
        place: The occurrence that a suggestion replaces. If the original is of the same gender as the suggestion, the
            pronoun means somebody else, so the suggestion is kept.
    """
    original = fold(place.word.text)
    dropped = frozenset[str]().union(
        *(
            words
            for words, pronouns in OTHER_PRONOUNS
            if original not in words and not pronouns.isdisjoint(place.problem_words)
        )
    )
    return lambda word: fold(word) in dropped
