"""Shared words: the open-class words with the same form and word class in premise and hypothesis."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.sentences.whole_words import is_negation
from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from generation.sentences.tagging import TaggedProblem, Token

OTHER_CLASS = "other class"
OTHER_CASE = "other case"
NEGATION = "negation"
PART_OF_WORD = "part of a word"
LEFT_OUT = (OTHER_CLASS, OTHER_CASE, NEGATION, PART_OF_WORD)
"""Reasons to leave a shared word out: replacing it, or only some of its occurrences, would change the inference."""

CONTRACTED_NEGATION = re.compile(r"\s*n['’]?t\b|not\b", re.IGNORECASE)
"""The rest of a sentence after a negated verb: "did" + "n't" or " n't", "can" + "not"."""

WORD_CHARACTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word w of both sentences of a problem.

    Attributes:
        text: The word as it is written; in lower case if case is ignored and its occurrences differ in case.
        word_class: Its word class; the same at every occurrence unless the word is left out.
        premise: Offset of the first character of each occurrence in the premise.
        hypothesis: Offset of the first character of each occurrence in the hypothesis.
        left_out: The reason of `LEFT_OUT` not to replace the word in this problem, else None.
    """

    text: str
    word_class: str
    premise: tuple[int, ...]
    hypothesis: tuple[int, ...]
    left_out: str | None = None


def shared_words(
    tagged: TaggedProblem, classes: Sequence[str] = WORD_CLASSES, *, ignore_case: bool = False
) -> tuple[SharedWord, ...]:
    """Find the words that premise and hypothesis share, including those that are left out.

    Args:
        tagged: A tagged problem.
        classes: The word classes to find.
        ignore_case: Treat "Dogs" and "dogs" as the same word.

    Returns:
        The words, ordered by class and by their first occurrence in the premise.
    """
    form = _lower if ignore_case else str
    in_hypothesis = {(form(token.text), token.word_class) for token in tagged.hypothesis.tokens}
    found = dict.fromkeys(
        (form(token.text), token.word_class)
        for token in tagged.premise.tokens
        if token.word_class in classes and (form(token.text), token.word_class) in in_hypothesis
    )
    words = [_shared_word(text, word_class, tagged, form) for text, word_class in found if word_class is not None]
    return tuple(sorted(words, key=lambda word: (WORD_CLASSES.index(word.word_class), word.premise)))


def _lower(text: str) -> str:
    """Return the text in lower case, or unchanged if that has another length, since offsets must stay valid."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _shared_word(text: str, word_class: str, tagged: TaggedProblem, form: Callable[[str], str]) -> SharedWord:
    premise, hypothesis = (
        [token for token in sentence.tokens if form(token.text) == text]
        for sentence in (tagged.premise, tagged.hypothesis)
    )
    written = {token.text for token in (*premise, *hypothesis)}
    return SharedWord(
        written.pop() if len(written) == 1 else text,
        word_class,
        tuple(token.start for token in premise),
        tuple(token.start for token in hypothesis),
        _left_out(text, word_class, tagged, form),
    )


def _left_out(text: str, word_class: str, tagged: TaggedProblem, form: Callable[[str], str]) -> str | None:
    same_letters = [
        (sentence.text, token)
        for sentence in (tagged.premise, tagged.hypothesis)
        for token in sentence.tokens
        if token.text.casefold() == text.casefold()
    ]
    if any(form(token.text) != text for _, token in same_letters):
        return OTHER_CASE
    if any(token.word_class != word_class for _, token in same_letters):
        return OTHER_CLASS
    if is_negation(text):
        return NEGATION
    if word_class == "verb" and any(CONTRACTED_NEGATION.match(whole, token.end) for whole, token in same_letters):
        return NEGATION
    if any(_is_part_of_word(whole, token) for whole, token in same_letters):
        return PART_OF_WORD
    return None


def _is_part_of_word(sentence: str, token: Token) -> bool:
    """Return whether a word character touches the token, as in "he" + "'s", "gon" + "na" or "5" + "km"."""
    neighbors = sentence[: token.start][-1:] + sentence[token.end : token.end + 1]
    return WORD_CHARACTER.search(neighbors) is not None
