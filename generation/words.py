"""Shared words: the open-class words that stand in premise and hypothesis with the same form and the same class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from generation.tagging import TaggedProblem, TaggedSentence, Token

OTHER_CLASS = "other class"
OTHER_CASE = "other case"
NEGATED = "negated"
LEFT_OUT = (OTHER_CLASS, OTHER_CASE, NEGATED)
"""Why a shared word is left out of a problem: replacing some of its places and not all would change the reasoning."""

CONTRACTED_NEGATION = frozenset({"n't", "n’t", "nt"})


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word w of both sentences of a problem.

    Attributes:
        text: The word as it is written.
        word_class: Its word class, the same at every occurrence unless it is left out.
        premise: Offset of the first character of each of its occurrences in the premise.
        hypothesis: The same in the hypothesis.
        left_out: One of `LEFT_OUT` where the word is not replaced in this problem, else None.
    """

    text: str
    word_class: str
    premise: tuple[int, ...]
    hypothesis: tuple[int, ...]
    left_out: str | None = None


def shared_words(tagged: TaggedProblem, classes: Sequence[str] = WORD_CLASSES) -> tuple[SharedWord, ...]:
    """Find the words that premise and hypothesis share, those that are left out included.

    Args:
        tagged: A tagged problem.
        classes: The word classes to look for.

    Returns:
        The words ordered by class and by their first place in the premise.
    """
    in_hypothesis = {(token.text, token.word_class) for token in tagged.hypothesis.tokens}
    found = dict.fromkeys(
        (token.text, token.word_class)
        for token in tagged.premise.tokens
        if token.word_class in classes and (token.text, token.word_class) in in_hypothesis
    )
    words = [_shared_word(text, word_class, tagged) for text, word_class in found if word_class is not None]
    return tuple(sorted(words, key=lambda word: (WORD_CLASSES.index(word.word_class), word.premise)))


def _shared_word(text: str, word_class: str, tagged: TaggedProblem) -> SharedWord:
    return SharedWord(
        text,
        word_class,
        _occurrences(text, tagged.premise),
        _occurrences(text, tagged.hypothesis),
        _left_out(text, word_class, tagged),
    )


def _occurrences(text: str, sentence: TaggedSentence) -> tuple[int, ...]:
    return tuple(token.start for token in sentence.tokens if token.text == text)


def _left_out(text: str, word_class: str, tagged: TaggedProblem) -> str | None:
    same_letters = [
        (token, following)
        for sentence in (tagged.premise, tagged.hypothesis)
        for token, following in zip(sentence.tokens, (*sentence.tokens[1:], None), strict=True)
        if token.text.casefold() == text.casefold()
    ]
    if any(token.text != text for token, _ in same_letters):
        return OTHER_CASE
    if any(token.word_class != word_class for token, _ in same_letters):
        return OTHER_CLASS
    if word_class == "verb" and any(_is_negation_of(token, following) for token, following in same_letters):
        return NEGATED
    return None


def _is_negation_of(verb: Token, following: Token | None) -> bool:
    """Tell "did" + "n't" and "can" + "not" written as one word; "did not" can be replaced."""
    if following is None or following.start != verb.end:
        return False
    return following.text.casefold() in CONTRACTED_NEGATION | {"not"}
