"""Shared words, and the reasons to leave some out."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

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
    text = ""
    tokens = []
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


def test_every_token_of_a_word_is_an_occurrence_and_classes_are_in_their_order() -> None:
    girl, small = words("A/DT small/JJ girl/NN carries/VBZ a/DT girl/NN", "There/EX is/VBZ a/DT small/JJ girl/NN")
    assert girl == SharedWord("girl", "noun", (8, 23), (17,))
    assert small == SharedWord("small", "adj", (2,), (11,))


def test_proper_nouns_pronouns_and_comparatives_are_not_open_class_words() -> None:
    text = "Ann/NNP sees/VBZ her/PRP taller/JJR"
    assert words(text, text) == [SharedWord("sees", "verb", (4,), (4,))]


def test_ignoring_case_all_spellings_are_one_word() -> None:
    texts = "Dogs/NNS chase/VBP dogs/NNS and/CC a/DT Cat/NN", "DOGS/NNS chase/VBP a/DT Cat/NN İx/NN"
    dogs, *others = words(*texts, ignore_case=True)
    assert dogs == SharedWord("dogs", "noun", (0, 11), (0,))
    assert others == words(*texts)
    assert others[0] == SharedWord("Cat", "noun", (22,), (13,))


def test_ignoring_case_a_proper_noun_of_the_same_letters_leaves_a_word_out() -> None:
    [apple] = words("An/DT apple/NN", "Apple/NNP sells/VBZ no/DT apple/NN", ignore_case=True)
    assert apple == SharedWord("apple", "noun", (3,), (0, 15), OTHER_CLASS)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "reasons"),
    [
        ("Dogs/NNS chase/VBP dogs/NNS", "The/DT dogs/NNS", {"dogs": OTHER_CASE}),
        ("A/DT watch/NN we/PRP watch/VBP", "A/DT watch/NN", {"watch": OTHER_CLASS}),
        ("They/PRP did/VBD +n't/RB", "They/PRP did/VBD", {"did": NEGATION}),
        ("He/PRP +'s/VBZ there/EX", "She/PRP 's/VBZ there/EX", {"'s": PART_OF_WORD}),
        # A word of two classes is left out of both.
        ("A/DT watch/NN we/PRP watch/VBP", None, {"watch": OTHER_CLASS}),
        (
            "Nobody/NN is/VBZ absent/JJ n’t/RB",
            None,
            {"Nobody": NEGATION, "is": None, "absent": NEGATION, "n’t": NEGATION},
        ),
        ("gon/VBG +na/TO run/VB", None, {"gon": PART_OF_WORD, "run": None}),
        ("5/CD +km/NNS x/XX +_/XX +y/NN", None, {"km": PART_OF_WORD, "y": PART_OF_WORD}),
        # Words beside apostrophes and hyphens are whole.
        ("red/JJ +-/HYPH +haired/JJ girl/NN +'s/POS", None, {"girl": None, "red": None, "haired": None}),
    ],
)
def test_words_that_cannot_be_replaced_everywhere_are_left_out(
    premise: str, hypothesis: str | None, reasons: dict[str, str | None]
) -> None:
    """If no hypothesis is given, it is the premise."""
    assert {word.text: word.left_out for word in words(premise, hypothesis or premise)} == reasons


@pytest.mark.parametrize("negation", ["+n't", "n't", "+n’t", "n’t", "+nt", "N'T", "+not"])
def test_a_verb_with_a_contracted_negation_is_left_out(negation: str) -> None:
    text = f"He/PRP is/VBZ {negation}/RB there/EX"
    assert words(text, text)[0].left_out == NEGATION


@pytest.mark.parametrize("following", ["not", "nth", "note", "+-not"])
def test_a_verb_before_another_word_is_not_left_out(following: str) -> None:
    text = f"He/PRP is/VBZ {following}/XX there/EX"
    [verb] = words(text, text)
    assert verb.left_out is None


@pytest.mark.slow
def test_counts_of_snli_test(corpus: Callable[[str], Path], tagger: Tagger) -> None:
    """The paper's Table 4, with the corpus's own parses, has 7,363, 3,780, 1,067 and 76."""
    problems = read_problems(ProblemOptions(problems=str(corpus("snli/test.jsonl"))))
    tagged = [(problem, shared_words(problem)) for problem in tag(problems.problems, tagger)]
    counts = count_words(tagged, problems.label_names)
    assert [of.problems for of in counts.values()] == [7410, 3806, 996, 140]
    assert [of.problems_after for of in counts.values()] == [7399, 3803, 995, 138]
    nouns = counts["noun"].labels
    shares = {name: round(100 * nouns[name] / 7410, 1) for name in nouns}
    assert shares == {"entailment": 37.9, "neutral": 33.4, "contradiction": 28.7}
    counted = Counter(word.left_out for _, of_problem in tagged for word in of_problem)
    assert counted == {None: 17_629, OTHER_CASE: 21, OTHER_CLASS: 11, NEGATION: 5, PART_OF_WORD: 2}


@pytest.mark.parametrize("text", ["dog", "Dog", "café", "T-shirt", "o'clock", "ХЛЕБ"])
def test_whole_words(text: str) -> None:
    assert is_whole_word(text)


@pytest.mark.parametrize("text", ["a", "", "##s", "3d", ".", "-dog", "dog-", "dog--cat", "two words", "Un", "x_y"])
def test_other_pieces(text: str) -> None:
    assert not is_whole_word(text)
    assert not is_negation(text)


@pytest.mark.parametrize("text", ["not", "NEVER", "absent", "without", "don't", "don’t"])
def test_negations(text: str) -> None:
    assert not is_whole_word(text)
    assert is_negation(text)


def test_the_word_lists_are_lower_case_and_disjoint() -> None:
    for language in languages().values():
        assert not language.affixes & language.negations
        for word in language.affixes | language.negations:
            assert word == word.casefold()


@pytest.mark.parametrize(
    ("original", "word", "written"),
    [
        ("dog", "McCat", "mccat"),
        ("Dog", "McCat", "Mccat"),
        ("DOG", "McCat", "MCCAT"),
        ("O'Dog", "McCat", "McCat"),
        ("I", "McCat", "Mccat"),
        ("3D", "red", "Red"),
        ("2", "Red", "red"),
    ],
)
def test_case_patterns(original: str, word: str, written: str) -> None:
    assert match_case(original, word) == written
