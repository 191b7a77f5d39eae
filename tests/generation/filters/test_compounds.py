"""Words in compounds: by the characters and the tokens beside them."""

from __future__ import annotations

import pytest

from generation.filters.compounds import is_in_compound
from generation.filters.filter import Place
from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token
from generation.sentences.words import SharedWord
from merge_snli.problems.reading import Problem


def place_of(text: str, tags: str, word: str) -> Place:
    """Return the place of a word in a sentence whose tokens are separated by spaces or are one character."""
    tokens, at = [], 0
    for piece, tag in zip(text.replace("-", " - ").replace("/", " / ").split(), tags.split(), strict=True):
        at = text.index(piece, at)
        tokens.append(Token(piece, at, tag))
        at += len(piece)
    sentence = TaggedSentence(text, tuple(tokens))
    tagged = TaggedProblem(Problem("p", text, text, 0), sentence, sentence)
    start = text.index(word)
    shared = SharedWord(word, "noun", (start,), (start,))
    return Place(tagged, shared, frozenset(), "premise", start, start + len(word))


@pytest.mark.parametrize(
    ("text", "tags", "word", "expected"),
    [
        ("Some ice cream melts", "DT NN NN VBZ", "ice", True),
        ("Some ice cream melts", "DT NN NN VBZ", "cream", True),
        ("A blue-green car", "DT JJ HYPH JJ NN", "blue", True),
        ("A blue-green car", "DT JJ HYPH JJ NN", "green", True),
        ("cats/dogs", "NNS SYM NNS", "dogs", True),
        ("The blue car", "DT JJ NN", "blue", False),
        ("The blue car", "DT JJ NN", "car", False),
        ("Dogs chase cats", "NNS VBP NNS", "cats", False),
        ("ice", "NN", "ice", False),
    ],
)
def test_a_word_in_a_compound(text: str, tags: str, word: str, *, expected: bool) -> None:
    assert is_in_compound(place_of(text, tags, word)) is expected
