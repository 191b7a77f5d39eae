"""The rows of a shard are made again if, and only if, an option that they depend on changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from generation import Options, variant_shards
from generation.answers.store import MaskedLMAnswers
from generation.pipeline import run_pipeline
from generation.sentences.tagged_shards import ProblemWords
from generation.variant_shards import Method, make_rows
from merge_snli.base.option import described
from merge_snli.embedded import embedded_path
from merge_snli.schema import NLI_LABELS, columns


@pytest.fixture
def options(tmp_path: Path) -> Options:
    embedded = embedded_path("demo:problems")
    assert embedded is not None
    problems = tmp_path / "problems.jsonl"
    problems.write_text("\n".join(embedded.read_text(encoding="utf-8").splitlines()[:4]), encoding="utf-8")
    return Options(problems=problems, mlm=("demo:mlm-bpe",), id_column="id", inflation=2, subsamples=2, top_k=60)


def test_a_new_title_reuses_the_rows(options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_pipeline(options, tmp_path / "one", work=tmp_path / "work", quiet=True)
    monkeypatch.setattr(variant_shards, "make_rows", lambda *_: pytest.fail("the filters were applied again"))
    titled = replace(options, title="Another", license="mit")
    assert run_pipeline(titled, tmp_path / "two", work=tmp_path / "work", quiet=True).record.title == "Another"


def test_a_filter_makes_the_rows_again(options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Options] = []

    def noted(problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], method: Method) -> Any:  # noqa: ANN401
        made.append(method.options)
        return make_rows(problems, answers, method)

    monkeypatch.setattr(variant_shards, "make_rows", noted)
    for number, changed in enumerate((options, replace(options, articles=True))):
        run_pipeline(changed, tmp_path / str(number), work=tmp_path / "work", quiet=True)
    assert [made_with.articles for made_with in made] == [False, True]


def test_the_key_of_rows_has_every_option_that_making_them_reads(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()

    class Noting(Options):
        """Options that note which of them are read."""

        def __getattribute__(self, name: str) -> Any:  # noqa: ANN401 - a value of any option
            read.add(name)
            return super().__getattribute__(name)

    def noted(problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], method: Method) -> Any:  # noqa: ANN401
        noting = object.__new__(Noting)
        vars(noting).update(vars(method.options))
        return make_rows(problems, answers, replace(method, options=noting))

    monkeypatch.setattr(variant_shards, "make_rows", noted)
    run_pipeline(replace(options, scramble=True), tmp_path / "out", quiet=True)
    in_key = {name for name, option in described(Options) if option.changes_rows}
    read &= {field.name for field in fields(Options)}
    assert {"filters", "sides", "inflation", "random_seed", "keep_column"} <= read
    assert read <= in_key


def test_other_columns_give_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger: Any = None  # it is not part of the key
    method = Method(Options(problems="demo:problems", mlm=("demo:mlm-bpe",)), NLI_LABELS, {}, {}, tagger)
    before = variant_shards._changes_rows(method)
    assert variant_shards._changes_rows(method) == before
    monkeypatch.setattr(variant_shards, "columns", lambda *of: columns(*of)[:-1])
    assert variant_shards._changes_rows(method) != before
