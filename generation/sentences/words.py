"""Shared words: the open-class words with the same form and word class in premise and hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from generation.sentences.tagging import TaggedProblem, Token

OTHER_CLASS = "other class"
OTHER_CASE = "other case"
NEGATED = "negated"
LEFT_OUT = (OTHER_CLASS, OTHER_CASE, NEGATED)
"""Reasons to leave a shared word out: replacing only some of its occurrences would change the inference."""

CONTRACTED_NEGATION = frozenset({"n't", "n’t", "nt"})


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
        (token, following)
        for sentence in (tagged.premise, tagged.hypothesis)
        for token, following in zip(sentence.tokens, (*sentence.tokens[1:], None), strict=True)
        if token.text.casefold() == text.casefold()
    ]
    if any(form(token.text) != text for token, _ in same_letters):
        return OTHER_CASE
    if any(token.word_class != word_class for token, _ in same_letters):
        return OTHER_CLASS
    if word_class == "verb" and any(_is_negation_of(token, following) for token, following in same_letters):
        return NEGATED
    return None


def _is_negation_of(verb: Token, following: Token | None) -> bool:
    """Return whether a verb is contracted with its negation: "did" + "n't" or "can" + "not", but not "did not"."""
    if following is None or following.start != verb.end:
        return False
    return following.text.casefold() in CONTRACTED_NEGATION | {"not"}
