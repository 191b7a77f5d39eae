"""Shared words, and the reasons to leave some out."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generation.sentences.forms import match_case
from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token, tag
from generation.sentences.word_counts import count_words
from generation.sentences.words import (
    NEGATION,
    OTHER_CASE,
    OTHER_CLASS,
    PART_OF_WORD,
    SharedWord,
    is_negation,
    is_whole_word,
    shared_words,
)
from merge_snli.languages.language import languages
from merge_snli.models.tagger import Tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems


def sentence(*tagged: str) -> TaggedSentence:
    """Return a sentence from tokens spelled `word/TAG`; a leading `+` joins a token to the previous one."""
    text, tokens = "", []
    for token in tagged:
        joined = token.startswith("+")
        word, tag_ = token.removeprefix("+").rsplit("/", 1)
        text += word if joined or not text else f" {word}"
        tokens.append(Token(word, len(text) - len(word), tag_))
    return TaggedSentence(text, tuple(tokens))


def words(premise: str, hypothesis: str, *, ignore_case: bool = False) -> list[SharedWord]:
    """Return the words that two sentences share, whose tokens are separated by spaces."""
    first, second = (sentence(*text.split()) for text in (premise, hypothesis))
    problem = Problem("x", first.text, second.text, 0)
    return list(shared_words(TaggedProblem(problem, first, second), ignore_case=ignore_case))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "ignore_case", "expected"),
    [
        # Every token of the word is an occurrence, and classes are in their order.
        (
            "A/DT small/JJ girl/NN carries/VBZ a/DT girl/NN",
            "There/EX is/VBZ a/DT small/JJ girl/NN",
            False,
            [SharedWord("girl", "noun", (8, 23), (17,)), SharedWord("small", "adj", (2,), (11,))],
        ),
        # Proper nouns, pronouns and comparatives are not open-class words.
        (
            "Ann/NNP sees/VBZ her/PRP taller/JJR",
            "Ann/NNP sees/VBZ her/PRP taller/JJR",
            False,
            [SharedWord("sees", "verb", (4,), (4,))],
        ),
        # Ignoring case, all spellings are one word.
        (
            "Dogs/NNS chase/VBP dogs/NNS and/CC a/DT Cat/NN",
            "DOGS/NNS chase/VBP a/DT Cat/NN İx/NN",
            True,
            [
                SharedWord("dogs", "noun", (0, 11), (0,)),
                SharedWord("Cat", "noun", (22,), (13,)),
                SharedWord("chase", "verb", (5,), (5,)),
            ],
        ),
        (
            "Dogs/NNS chase/VBP dogs/NNS and/CC a/DT Cat/NN",
            "DOGS/NNS chase/VBP a/DT Cat/NN İx/NN",
            False,
            [SharedWord("Cat", "noun", (22,), (13,)), SharedWord("chase", "verb", (5,), (5,))],
        ),
        # Ignoring case, a proper noun of the same letters leaves a word out.
        (
            "An/DT apple/NN",
            "Apple/NNP sells/VBZ no/DT apple/NN",
            True,
            [SharedWord("apple", "noun", (3,), (0, 15), OTHER_CLASS)],
        ),
    ],
    ids=["occurrences", "closed classes", "spellings", "spellings apart", "a proper noun"],
)
def test_shared_words(premise: str, hypothesis: str, ignore_case: bool, expected: list[SharedWord]) -> None:
    assert words(premise, hypothesis, ignore_case=ignore_case) == expected


@pytest.mark.parametrize(
    ("premise", "hypothesis", "reasons"),
    [
        ("Dogs/NNS chase/VBP dogs/NNS", "The/DT dogs/NNS", [("dogs", OTHER_CASE)]),
        ("A/DT watch/NN we/PRP watch/VBP", "A/DT watch/NN", [("watch", OTHER_CLASS)]),
        ("They/PRP did/VBD +n't/RB", "They/PRP did/VBD", [("did", NEGATION)]),
        ("He/PRP +'s/VBZ there/EX", "She/PRP 's/VBZ there/EX", [("'s", PART_OF_WORD)]),
        # A word of two classes is left out of both.
        ("A/DT watch/NN we/PRP watch/VBP", None, [("watch", OTHER_CLASS), ("watch", OTHER_CLASS)]),
        (
            "Nobody/NN is/VBZ lacking/VBG absent/JJ not/RB n’t/RB here/RB",
            None,
            [
                ("Nobody", NEGATION),
                ("is", None),
                ("lacking", NEGATION),
                ("absent", NEGATION),
                ("not", NEGATION),
                ("n’t", NEGATION),
                ("here", None),
            ],
        ),
        (
            "He/PRP +'s/VBZ gon/VBG +na/TO run/VB 5/CD +km/NNS x/XX +_/XX +y/NN",
            None,
            [("km", PART_OF_WORD), ("y", PART_OF_WORD), ("'s", PART_OF_WORD), ("gon", PART_OF_WORD), ("run", None)],
        ),
        # Words beside apostrophes and hyphens are whole.
        (
            "The/DT red/JJ +-/HYPH +haired/JJ girl/NN +'s/POS (/-LRB- +dog/NN +)/-RRB-",
            None,
            [("girl", None), ("dog", None), ("red", None), ("haired", None)],
        ),
        # The first of these words is a verb with a contracted negation.
        *(
            (f"He/PRP is/VBZ {negation}/RB there/EX", None, [("is", NEGATION), ...])
            for negation in ("+n't", "n't", "+n’t", "n’t", "+nt", "N'T", "+not")
        ),
        *(
            (f"He/PRP is/VBZ {following}/XX there/EX", None, [("is", None)])
            for following in ("not", "nth", "note", "+-not")
        ),
    ],
)
def test_words_that_cannot_be_replaced_everywhere_are_left_out(
    premise: str, hypothesis: str | None, reasons: list[Any]
) -> None:
    """If no hypothesis is given, it is the premise."""
    found = [(word.text, word.left_out) for word in words(premise, hypothesis or premise)]
    assert found[: reasons.index(...) if ... in reasons else None] == [reason for reason in reasons if reason != ...]


@pytest.mark.slow
def test_counts_of_snli_test(corpus: Callable[[str], Path], tagger: Tagger) -> None:
    """The paper's Table 4, with the corpus's own parses, has 7,363, 3,780, 1,067 and 76."""
    problems = read_problems(ProblemOptions(problems=str(corpus("snli/test.jsonl"))))
    tagged = [(problem, shared_words(problem)) for problem in tag(problems.problems, tagger)]
    counts = count_words(tagged, problems.label_names)
    assert {name: of.problems for name, of in counts.items()} == {
        "noun": 7410,
        "verb": 3806,
        "adj": 996,
        "adv": 140,
    }
    assert {name: of.problems_after for name, of in counts.items()} == {
        "noun": 7399,
        "verb": 3803,
        "adj": 995,
        "adv": 138,
    }
    nouns = counts["noun"].labels
    assert {name: round(100 * nouns[name] / 7410, 1) for name in nouns} == {
        "entailment": 37.9,
        "neutral": 33.4,
        "contradiction": 28.7,
    }
    counted = Counter(word.left_out for _, of_problem in tagged for word in of_problem)
    assert counted == {None: 17_629, OTHER_CASE: 21, OTHER_CLASS: 11, NEGATION: 5, PART_OF_WORD: 2}


@pytest.mark.parametrize(
    ("texts", "whole", "negation"),
    [
        (("dog", "Dog", "café", "T-shirt", "o'clock", "well-known", "ox", "ХЛЕБ"), True, False),
        (("a", "", "##s", "3d", "4", ".", "-dog", "dog-", "dog--cat", "two words", "ing", "Un", "x_y"), False, False),
        (("not", "NEVER", "absent", "Lacking", "minus", "nowise", "without", "don't", "don’t"), False, True),
    ],
    ids=["whole words", "other pieces", "negations"],
)
def test_whole_words_and_negations(texts: tuple[str, ...], whole: bool, negation: bool) -> None:
    assert {text: (is_whole_word(text), is_negation(text)) for text in texts} == dict.fromkeys(texts, (whole, negation))


def test_the_word_lists_are_lower_case_and_disjoint() -> None:
    for language in languages().values():
        assert all(word == word.casefold() for word in language.affixes | language.negations)
        assert not language.affixes & language.negations


@pytest.mark.parametrize(
    ("original", "word", "written"),
    [
        *(("dog", "Cat", "cat"), ("Dog", "cat", "Cat"), ("DOG", "cat", "CAT"), ("Dog", "NASA", "Nasa")),
        *(("iPod", "Cat", "Cat"), ("T-shirt", "blouse", "Blouse"), ("3D", "red", "Red"), ("2", "Red", "red")),
        *(("dog", "McCat", "mccat"), ("Dog", "McCat", "Mccat"), ("DOG", "McCat", "MCCAT")),
        *(("I", "McCat", "Mccat"), ("O'Dog", "McCat", "McCat"), ("3-D", "McCat", "Mccat")),
    ],
)
def test_case_patterns(original: str, word: str, written: str) -> None:
    assert match_case(original, word) == written
