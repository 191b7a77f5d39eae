"""What counts as a whole word: the closed lists of the method, and the version that changes with them."""

import re

METHOD_VERSION = "1"
"""Raised with every change that alters which variants a run gives."""

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
"""Letters, with single hyphens and apostrophes inside."""

NEGATIONS = frozenset(
    """
    no not never none nobody nothing nowhere neither nor cannot without hardly barely scarcely
    n't don't doesn't didn't isn't aren't wasn't weren't ain't won't can't couldn't wouldn't shouldn't mustn't
    haven't hasn't hadn't dont doesnt didnt isnt arent wasnt werent aint cant couldnt wouldnt
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words that deny: one in place of another word would turn the reasoning round."""

AFFIXES = frozenset(
    """
    un re de dis mis pre non anti semi inter multi bi tri ex co en em im il ir fi
    ing ed er est ly ness ment tion sion ies ish ful less ible ous ism ist ity ive al ic th nd rd st ll ve
    """.split()  # noqa: SIM905
)
"""Bare affixes, which vocabularies hold as pieces of their own and taggers take for words."""


def is_whole_word(text: str) -> bool:
    """Tell whether a piece's text may stand as a word of a variant.

    Args:
        text: The text of a vocabulary piece, without the tokenizer's mark.

    Returns:
        True for at least two letters, letters only but for an inner hyphen or apostrophe, no bare affix, no negation.
    """
    folded = text.casefold().replace("’", "'")
    if WORD.fullmatch(text) is None or folded in NEGATIONS or folded in AFFIXES:
        return False
    return sum(letter.isalpha() for letter in text) >= 2
