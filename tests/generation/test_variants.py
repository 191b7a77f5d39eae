"""Variants replace every occurrence and change nothing else; rows are made again only if an option of them changes."""

import random
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation import Options, variant_shards
from generation.answers.store import MaskedLMAnswers
from generation.pipeline import run_pipeline
from generation.replacements.combine import Replacement
from generation.run_inputs import RunInputs, read_inputs
from generation.sentences.forms import replace_occurrences
from generation.sentences.tagged_shards import ProblemWords
from generation.sentences.words import SharedWord
from generation.variant_shards import make_rows
from generation.variants import Variant, inflated, subsample
from merge_snli.base.option import described
from merge_snli.base.progress import Progress
from merge_snli.problems.problem import Problem
from merge_snli.schema import columns
from tests.records import first_problems


def test_the_example_of_the_slides() -> None:
    seed = Problem("slides", "A small girl carries a girl.", "There is a small girl.", 0)
    variant = Variant(seed, SharedWord("girl", "noun", (8, 23), (17,)), Replacement("boy", ("m1",), ("m2",), 1.0))
    assert variant.in_text("premise")[0] == "A small boy carries a boy."
    assert (variant.in_text("hypothesis")[0], variant.id) == ("There is a small boy.", "slides:noun:girl:boy")


@given(st.lists(st.text(alphabet=" .\n\u00a0é'\"-", max_size=5), min_size=2, max_size=6), st.text("xyz", min_size=1))
def test_only_the_occurrences_change(between: list[str], word: str) -> None:
    sentence = "dog".join(between)
    starts = [sum(map(len, between[:nth])) + 3 * (nth - 1) for nth in range(1, len(between))]
    assert replace_occurrences(sentence, starts, "dog", word)[0] == word.join(between)


SEED = Problem("s1", "A dog and a cat.", "A dog or a cat.", 0)
WORDS = {"dog": SharedWord("dog", "noun", (2,), (2,)), "cat": SharedWord("cat", "noun", (12,), (11,))}


def variants(count: int, word: str = "dog", seed: Problem = SEED) -> list[Variant]:
    return [Variant(seed, WORDS[word], Replacement(f"w{index}", ("m",), ("m",), 1.0)) for index in range(count)]


def test_the_words_of_a_class_are_pooled() -> None:
    other = Problem("s2", SEED.premise, SEED.hypothesis, 1)
    groups = inflated([*variants(3), *variants(2, "cat"), *variants(4, seed=other)], inflation=5)
    assert [(len(group), group[0].seed.id) for group in groups] == [(5, "s1")]


def test_every_subsample_has_d_distinct_variants() -> None:
    group = variants(30) + variants(7, "cat")
    numbers = subsample(group, inflation=20, subsamples=10, random_seed=0)
    assert set(numbers) == {variant.id for variant in group}
    assert [nth for nth in range(10) if sum(nth in of_variant for of_variant in numbers.values()) != 20] == []


def test_subsamples_depend_on_the_random_seed_and_not_on_the_order() -> None:
    group = variants(40)
    shuffled = random.Random(1).sample(group, len(group))
    first = subsample(group, inflation=20, subsamples=3, random_seed=0)
    assert subsample(shuffled, inflation=20, subsamples=3, random_seed=0) == first
    assert subsample(group, inflation=20, subsamples=3, random_seed=1) != first
    assert subsample(group, inflation=20, subsamples=2, random_seed=0) == {
        name: tuple(number for number in of_variant if number < 2) for name, of_variant in first.items()
    }


def test_subsamples_are_uniform() -> None:
    """Each of 40 variants is in half of 2,000 subsamples, within five standard deviations."""
    numbers = subsample(variants(40), inflation=20, subsamples=2_000, random_seed=0)
    assert all(abs(len(of_variant) - 1_000) < 5 * (2_000 * 0.25) ** 0.5 for of_variant in numbers.values())


@pytest.fixture
def options(tmp_path: Path) -> Options:
    problems = first_problems(tmp_path, 4)
    return Options(problems=problems, mlm=("demo:mlm-bpe",), id_column="id", inflation=2, subsamples=2, top_k=60)


@pytest.mark.slow
def test_a_new_title_reuses_the_rows(options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_pipeline(options, tmp_path / "one", work=tmp_path / "work", quiet=True)
    monkeypatch.setattr(variant_shards, "make_rows", lambda *_: pytest.fail("the filters were applied again"))
    titled = replace(options, title="Another", license="mit")
    assert run_pipeline(titled, tmp_path / "two", work=tmp_path / "work", quiet=True).record.title == "Another"


@pytest.mark.slow
def test_a_filter_makes_the_rows_again(options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Options] = []

    def noted(problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], inputs: RunInputs) -> Any:  # noqa: ANN401
        made.append(inputs.options)
        return make_rows(problems, answers, inputs)

    monkeypatch.setattr(variant_shards, "make_rows", noted)
    for number, changed in enumerate((options, replace(options, articles=True))):
        run_pipeline(changed, tmp_path / str(number), work=tmp_path / "work", quiet=True)
    assert [made_with.articles for made_with in made] == [False, True]


@pytest.mark.slow
def test_the_key_of_rows_has_every_option_that_making_them_reads(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()

    class Noting(Options):
        """Options that note which of them are read."""

        def __getattribute__(self, name: str) -> Any:  # noqa: ANN401 - a value of any option
            read.add(name)
            return super().__getattribute__(name)

    def noted(problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], inputs: RunInputs) -> Any:  # noqa: ANN401
        noting = object.__new__(Noting)
        vars(noting).update(vars(inputs.options))
        with monkeypatch.context() as patch:
            patch.setitem(vars(inputs), "options", noting)
            return make_rows(problems, answers, inputs)

    monkeypatch.setattr(variant_shards, "make_rows", noted)
    run_pipeline(replace(options, scramble=True), tmp_path / "out", quiet=True)
    in_key = {name for name, option in described(Options) if option.changes_rows}
    read &= {field.name for field in fields(Options)}
    assert {"filters", "sides", "inflation", "random_seed", "keep_column"} <= read
    assert read <= in_key


def test_other_columns_give_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(problems="demo:problems", mlm=("demo:mlm-bpe",))
    inputs = read_inputs(options, Progress(quiet=True))
    before = variant_shards._changes_rows(inputs)
    assert variant_shards._changes_rows(inputs) == before
    monkeypatch.setattr(variant_shards, "columns", lambda *of: columns(*of)[:-1])
    assert variant_shards._changes_rows(inputs) != before
