"""Tagged shards: what is read is what was tagged, and a shard is tagged once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generation.sentences import tagged_shards
from generation.sentences.tagged_shards import forms_of_shard, read_tagged, read_words, tag_shard
from generation.sentences.tagging import tag
from generation.sentences.words import NEGATION, forms_of_word, shared_words
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem

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
