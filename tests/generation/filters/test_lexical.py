"""Which article a word takes, and before which occurrences that matters."""

from __future__ import annotations

import gc
import io
import re
from pathlib import Path

import pytest

from generation.filters.lexical import (
    FOLDER_VARIABLE,
    WordNet,
    article_of,
    disagrees_with_article,
    load_wordnet,
    other_words,
)
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.base.errors import InputError
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem
from tests.tiny_wordnet import save_wordnet


@pytest.mark.parametrize("word", ["apple", "hour", "honest", "heir", "MRI", "x-ray", "old-fashioned", "Hour"])
def test_words_that_take_an(word: str) -> None:
    assert article_of(word) == "an"


@pytest.mark.parametrize("word", ["dog", "unicorn", "European", "user", "one-legged", "UFO", "once", "hotel", "NASA"])
def test_words_that_take_a(word: str) -> None:
    assert article_of(word) == "a"


@pytest.mark.parametrize(
    ("before", "applies"),
    [
        ("A ", True),
        ("There is a ", True),
        ("with  a\t", True),
        ("he says a “", True),
        ('a ("', True),
        ("A big ", False),
        ("vitamin-a ", False),
        ("mama ", False),
        ("the ", False),
        ("plan a-", False),
        ("", False),
    ],
)
def test_only_an_article_directly_before_the_occurrence_counts(before: str, applies: bool) -> None:
    disagrees = disagrees_with_article(f"{before}boy runs", len(before), len(before) + 3, "boy")
    assert (disagrees("girl"), disagrees("hour")) == (False, applies)


def test_the_word_is_written_as_at_the_occurrence() -> None:
    disagrees = disagrees_with_article("An MP here", 3, 5, "mp")
    assert not disagrees("mri")
    assert disagrees("ufo")


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return WordNet(save_wordnet(tmp_path_factory.mktemp("wordnet") / "dict"))


def related(wordnet: WordNet, word: str, other: str, word_class: str) -> bool:
    """Return whether two words of a class are related."""
    return wordnet.relation_to([(other, word_class)], word_class)(word)


@pytest.mark.parametrize(
    ("word", "other", "expected"),
    [
        ("dog", "hound", True),  # synonyms
        ("animals", "dogs", True),  # hypernym, three steps above
        ("dogs", "animals", True),  # hyponym
        ("beast", "Dog", True),
        ("wolves", "dog", True),  # co-hyponyms: both directly below "canine"
        ("cat", "dog", False),  # a common hypernym two steps above
        ("canine", "feline", True),
        ("guitar", "dog", False),
        ("guitar", "guitars", True),  # one word
        ("blurb", "dog", False),  # not in WordNet
    ],
)
def test_nouns(wordnet: WordNet, word: str, other: str, expected: bool) -> None:
    assert related(wordnet, word, other, "noun") is expected
    assert related(wordnet, other, word, "noun") is expected


def test_adjectives_and_verbs(wordnet: WordNet) -> None:
    assert related(wordnet, "big", "small", "adj")
    assert related(wordnet, "bigger", "large", "adj")
    assert related(wordnet, "large", "little", "adj"), "the antonym of a synonym"
    assert related(wordnet, "ran", "moving", "verb")
    assert not wordnet.relation_to([("run", "verb")], "noun")("run")
    assert not related(wordnet, "standing", "is", "verb"), "an auxiliary has no relations"


def test_related_to_another_word_of_the_problem(wordnet: WordNet, tagger: Tagger) -> None:
    (tagged,) = tag([Problem("x", "Two dogs and three boys swim.", "The boys swim slowly.", 0)], tagger)
    others = other_words(tagged, next(word for word in shared_words(tagged) if word.text == "boys"))
    assert others == (("dogs", "noun"), ("swim", "verb"), ("slowly", "adv"))
    is_related = wordnet.relation_to(others, "noun")
    assert [word for word in ("animals", "wolves", "cats", "children") if is_related(word)] == ["animals", "wolves"]


def test_version_and_digest(wordnet: WordNet, tmp_path: Path) -> None:
    assert wordnet.version == "3.0"
    other = save_wordnet(tmp_path / "dict")
    assert WordNet(other).digest == wordnet.digest
    (other / "noun.exc").write_text("")
    assert WordNet(other).digest != wordnet.digest


def test_missing_or_damaged_files_are_input_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(InputError, match=rf"{FOLDER_VARIABLE}.*data\.noun.*wordnet-base"):
        load_wordnet()
    folder = save_wordnet(tmp_path / "dict")
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    assert load_wordnet().folder == folder
    (folder / "index.noun").write_text("dog n many 0\n")
    with pytest.raises(InputError, match=re.escape(str(folder))):
        load_wordnet()
    (folder / "index.noun").unlink()
    with pytest.raises(InputError, match=re.escape(str(folder))):
        load_wordnet()


def test_no_file_stays_open(tmp_path: Path) -> None:
    def open_files() -> int:
        gc.collect()
        return sum(isinstance(thing, io.FileIO) and not thing.closed for thing in gc.get_objects())

    folder, before = save_wordnet(tmp_path / "dict"), open_files()
    assert related(WordNet(folder), "dog", "animal", "noun")
    assert open_files() == before
