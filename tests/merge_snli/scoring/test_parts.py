"""A model on the whole data is shown on a part of it as if it had been scored there."""

from __future__ import annotations

import dataclasses
import logging
import re
from pathlib import Path

import pytest

from merge_snli import Result, score, score_table
from merge_snli.cli import main
from merge_snli.dataset.stored import find_dataset
from merge_snli.scoring.check import with_parts
from merge_snli.scoring.grouping import on_same_data
from merge_snli.scoring.store import write_result
from tests.text_tables import rows_of

Pair = tuple[str, str]


def by_length(pairs: list[Pair]) -> list[int | None]:
    lengths = [len(premise) + len(hypothesis) for premise, hypothesis in pairs]
    return [None if length % 7 == 0 else length % 3 for length in lengths]


def other(pairs: list[Pair]) -> list[int | None]:
    return [len(premise) % 3 for premise, _ in pairs]


def plain(result: Result) -> Result:
    """Return a result without what answers do not determine."""
    run = dataclasses.replace(result.run, seconds=0.0)
    return dataclasses.replace(result, run=run, notes=())


@pytest.mark.parametrize(("subsample", "limit_seeds"), [(3, None), (0, 5), (None, 4)])
def test_a_part_of_a_result_is_the_result_on_the_part(
    dataset: Path, subsample: int | None, limit_seeds: int | None
) -> None:
    whole = score(by_length, dataset)
    of_other, expected = (
        score(model, dataset, subsample=subsample, limit_seeds=limit_seeds) for model in (other, by_length)
    )
    found = with_parts([whole, of_other], [find_dataset(str(dataset))])
    assert found[:2] == [whole, of_other]
    (added,) = found[2:]
    assert plain(added) == plain(expected)
    assert added.notes == (*expected.notes, f"from the answers to all {whole.scores.rows} variants")
    assert on_same_data(found) == [[whole], [of_other, added]]
    assert [row["Model"] for row in rows_of(score_table([of_other, added]).text())] == ["other", "by_length"]
    assert with_parts(found, [find_dataset(str(dataset))]) == found


def test_parts_of_an_unknown_data_set_are_left_alone(dataset: Path, caplog: pytest.LogCaptureFixture) -> None:
    results = [score(by_length, dataset, config="verb"), score(other, dataset, config="verb", subsample=0)]
    with caplog.at_level(logging.WARNING):
        assert with_parts(results[:1], []) == results[:1]
        assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
        assert with_parts(results, []) == results
    assert "1 model" in caplog.text


def test_the_leaderboard_shows_both(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for result in (score(by_length, dataset, config="verb"), score(other, dataset, config="verb", subsample=0)):
        write_result(result, tmp_path / "results")
    assert main(["leaderboard", str(tmp_path / "results"), "--format", "md", "--dataset", str(dataset)]) == 0
    of_part = capsys.readouterr().out.partition("subsample 0")[2]
    assert "| by\\_length |" in of_part
    assert "from the answers to all" in of_part


def test_compare_shows_one_model_of_the_whole_data_on_a_part(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for result in (score(by_length, dataset, config="verb"), score(other, dataset, config="verb", subsample=0)):
        write_result(result, tmp_path / "results")
    assert main(["compare", str(tmp_path / "results"), "--dataset", str(dataset)]) == 0
    printed = capsys.readouterr().out
    assert "subsample 0" in printed
    for name in ("by_length", "other"):
        assert re.search(rf"^[12]  {name} ", printed, re.MULTILINE)
    assert "over 1 pair)" in " ".join(printed.split())
