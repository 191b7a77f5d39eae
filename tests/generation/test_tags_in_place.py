"""The class of a suggestion in its place: the receptive field gives spaCy's own tags, or is not trusted."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest

from generation.in_place import InPlace
from generation.options import ProblemOptions
from generation.problems import Problem, read_problems
from generation.receptive_field import ReceptiveFieldTagger
from generation.tagging import tag
from generation.tags_in_place import InPlaceTagger, plain_tags
from generation.words import shared_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from generation.tagging import Tagger

WORDS = (
    "dog running blue quickly ate houses beautiful well-known o'clock Dr vs can't gonna U.S café ran watch".split()  # noqa: SIM905
)
SENTENCES = [
    ("A farmer sees a goat", "goat"),
    ("goat cheese is cheap.", "goat"),
    ('He said "goat", twice!', "goat"),
    ("The goat's  owner\tleft; goat-like, he was.", "goat"),
    ("(goat)", "goat"),
    ("One\u00a0goat\u00a0sleeps\n\non hay .", "goat"),
]


def places() -> list[InPlace]:
    return [
        InPlace(sentence, start, start + len(original), word)
        for (sentence, original), word in product(SENTENCES, WORDS)
        for start in [sentence.index(original)]
    ]


def test_odd_places_get_spacys_own_tags(tagger: Tagger) -> None:
    assert ReceptiveFieldTagger(tagger).tags(places()) == plain_tags(places(), tagger)


def test_real_sentences_get_spacys_own_tags(tagger: Tagger, corpus: Callable[[str], Path]) -> None:
    for name in ("snli/dev.jsonl", "mnli/dev_matched.jsonl"):
        problems = read_problems(ProblemOptions(problems=str(corpus(name)), limit=100)).problems
        real = places_of(problems, tagger)
        assert len(real) > 1_000
        assert ReceptiveFieldTagger(tagger).tags(real) == plain_tags(real, tagger)


def places_of(problems: tuple[Problem, ...], tagger: Tagger) -> list[InPlace]:
    return [
        InPlace(sentence.text, start, start + len(shared.text), word)
        for tagged in tag(problems, tagger)
        for shared in shared_words(tagged)
        for sentence, starts in ((tagged.premise, shared.premise), (tagged.hypothesis, shared.hypothesis))
        for start in starts
        for word in WORDS[:8]
    ]


def test_a_suggestion_that_is_split_or_joined_has_no_class(tagger: Tagger) -> None:
    in_place = InPlaceTagger(tagger)
    sentence = "He eats a dog."
    classes = in_place.word_classes([InPlace(sentence, 10, 13, word) for word in ("cat", "can't", "gonna", "Dr")])
    assert classes == ["noun", None, None, None]


def test_the_class_is_that_of_the_place(tagger: Tagger) -> None:
    in_place = InPlaceTagger(tagger)
    sentence = "They play a game."
    assert in_place.word_classes([InPlace(sentence, 5, 9, "watch"), InPlace(sentence, 12, 16, "watch")]) == [
        "verb",
        "noun",
    ]


def test_a_fast_way_that_gives_other_tags_is_not_used(
    tagger: Tagger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ReceptiveFieldTagger, "tags", lambda _, places: ["NN"] * len(places))
    in_place = InPlaceTagger(tagger)
    assert in_place.word_classes([InPlace("They play a game.", 5, 9, "watch")]) == ["verb"]
    assert "its receptive field gave other tags" in caplog.text


def test_a_tagger_of_another_make_tags_whole_sentences(tagger: Tagger) -> None:
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "watch"}]], {"TAG": "VB"})  # type: ignore[attr-defined]
    other = replace(tagger, nlp=nlp, name="rules")
    assert InPlaceTagger(other).word_classes([InPlace("They play.", 5, 9, "watch")]) == ["verb"]
