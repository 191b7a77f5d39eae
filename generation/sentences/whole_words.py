"""The definition of a whole word: the method's closed word lists."""

import re

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
"""Letters, with single hyphens and apostrophes between them."""

NEGATIONS = frozenset(
    """
    no not never none nobody nothing nowhere nowise neither nor cannot hardly barely scarcely without
    lacking absent minus
    n't don't doesn't didn't isn't aren't wasn't weren't ain't won't can't couldn't wouldn't shouldn't mustn't
    haven't hasn't hadn't dont doesnt didnt isnt arent wasnt werent aint cant couldnt wouldnt
    """.split()  # noqa: SIM905 - a word list is more readable as text
)
"""Negations, and words that reverse an inference as "without" does. They are neither replaced nor replacements."""

AFFIXES = frozenset(
    """
    un re de dis mis pre non anti semi inter multi bi tri ex co en em im il ir fi
    ing ed er est ly ness ment tion sion ies ish ful less ible ous ism ist ity ive al ic th nd rd st ll ve
    """.split()  # noqa: SIM905
)
"""Bare affixes, which are vocabulary pieces and which taggers tag like words."""


def is_whole_word(text: str) -> bool:
    """Return whether the text of a vocabulary piece can be a word of a variant.

    Args:
        text: The piece's text, without the tokenizer's marker.

    Returns:
        True if it has at least two letters, has only letters and single inner hyphens or apostrophes, and is neither a
        bare affix nor a negation.
    """
    if WORD.fullmatch(text) is None or is_negation(text) or text.casefold() in AFFIXES:
        return False
    return sum(letter.isalpha() for letter in text) >= 2


def is_negation(text: str) -> bool:
    """Return whether a word is one of `NEGATIONS`, in any case and with either apostrophe."""
    return text.casefold().replace("’", "'") in NEGATIONS
