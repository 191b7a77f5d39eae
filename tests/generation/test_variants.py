"""Variants replace every occurrence and change nothing else; rows are made again only if an option of them changes."""

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
from generation.variants import Variant, subsample_all
from merge_snli.base.option import described
from merge_snli.base.progress import Progress
from merge_snli.problems.problem import Problem
from merge_snli.schema import columns
from tests.records import first_problems


@given(st.lists(st.text(alphabet=" .\n\u00a0é'\"-", max_size=5), min_size=2, max_size=6), st.text("xyz", min_size=1))
def test_only_the_occurrences_change(between: list[str], word: str) -> None:
    sentence = between[0]
    starts = []
    for text in between[1:]:
        starts.append(len(sentence))
        sentence += f"dog{text}"
    assert replace_occurrences(sentence, starts, "dog", word)[0] == word.join(between)


def test_the_words_of_a_class_together_need_as_many_variants_as_the_degree_of_inflation() -> None:
    enough, few = (Problem(name, "A dog and a cat.", "A dog or a cat.", 0) for name in ("enough", "few"))
    dog, cat = (SharedWord(word, "noun", (2,), (2,)) for word in ("dog", "cat"))
    boy = Replacement("boy", (), (), 1.0)
    of_both = [Variant(enough, word, boy) for word in (dog, cat)]
    options = Options(problems="demo:problems", mlm=("demo:mlm-bpe",), inflation=2, subsamples=1)
    selected = subsample_all([*of_both, Variant(few, dog, boy)], options)
    assert {variant.id for variant in selected} == {variant.id for variant in of_both}


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
def test_the_key_of_rows_has_every_option_that_making_them_reads(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = set()

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
