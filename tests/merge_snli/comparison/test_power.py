"""Tests of the power of comparisons: from results, from assumptions, and the notes of `score` and `compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from merge_snli import InputError
from merge_snli.cli import main
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.power import assumed_power, power_of_results, too_few_notes
from merge_snli.comparison.statistics_tables import comparison_tables, too_few_note
from merge_snli.scoring.result import Result
from merge_snli.scoring.store import write_result
from tests.merge_snli.comparison.made import Row, rows_of, scored_dataset

SIZES = (50, 500)


@pytest.fixture(autouse=True)
def two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_snli.comparison.power.SIZES", SIZES)


def results_of(*answers: str) -> list[Result]:
    """Return one result per text: the answer to the ten variants of each seed is right (`+`) or wrong (`.`)."""
    by_seed = zip(*answers, strict=True)
    rows: list[Row] = []
    for number, letters in enumerate(by_seed):
        rows += rows_of(f"s{number}", ["".join("e" if letter == "+" else "n" for letter in letters)] * 10)
    return [model.result for model in scored_dataset(rows, models=[f"m{at}" for at in range(len(answers))]).models]


TWO = results_of("+++.+++++.+++++..++++" * 4, "++.++++++++.+++.+++++" * 4)


def test_more_seeds_find_less(tmp_path: Path) -> None:
    [found] = power_of_results(TWO)
    assert [row["seeds"] for row in found.rows] == sorted([*SIZES, 84])
    assert found.pairs == 1
    for name in ("interval", "paired", "unpaired"):
        values = [row[name] for row in found.rows]
        assert values == sorted(values, reverse=True)
    assert all((row["paired"] or 1) < (row["unpaired"] or 1) for row in found.rows)
    assert [path.suffix for path in found.draw(tmp_path / "power")] == [".png", ".svg"]
    assert (tmp_path / "power.png").stat().st_size > 10_000


def test_compare_and_score_say_if_there_are_too_few_seeds() -> None:
    [comparison] = compare_results(TWO)
    [row] = [row for row in power_of_results(TWO)[0].rows if row["seeds"] == 84]
    assert comparison.smallest_difference == row["paired"]
    assert row["paired"] is not None
    expected = f"84 seeds: differences of PA below {100 * row['paired']:.0f} points between two models"
    assert any(note.startswith(expected) for note in comparison_tables(comparison)[0].notes)
    [note] = too_few_notes(TWO)
    assert note.startswith(expected)
    assert too_few_notes(results_of("++")) == [too_few_note(2, "seed", None)]
    assert too_few_notes([]) == []
    assert too_few_note(2_222, "seed", 0.02) is None


def test_more_pairs_need_larger_differences() -> None:
    third = results_of("+++.+++++.+++++..++++" * 4, "++.++++++++.+++.+++++" * 4, "++.++++++++.+++.+++++" * 4)
    [of_three], [of_two] = power_of_results(third), power_of_results(TWO)
    assert of_three.pairs == 3
    assert of_three.rows[0]["unpaired"] is not None
    assert of_two.rows[0]["unpaired"] is not None
    assert of_three.rows[0]["unpaired"] > of_two.rows[0]["unpaired"]


def test_assumptions_are_checked() -> None:
    assert [row["seeds"] for row in assumed_power([0.6, 0.7]).rows] == [*SIZES]
    with pytest.raises(InputError, match="assume"):
        assumed_power([1.0])
    with pytest.raises(InputError, match="correlation"):
        assumed_power([0.5], correlation=1.0)


def test_the_command_prints_and_draws_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for result in TWO:
        write_result(result, tmp_path / "results")
    command = ["compare", str(tmp_path / "results"), "--power", "--out", str(tmp_path / "figures"), "--format", "json"]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    [found] = document["power"]
    assert [row["seeds"] for row in found["rows"]] == sorted([*SIZES, 84])
    assert all(Path(path).is_file() for path in document["figures"])
    assert main(["compare", "--power", "--assume", "0.6,0.7", "--correlation", "0.8"]) == 0
    assert "Assumed PA 0.6, 0.7, correlation 0.8" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "--assume"),
        (["--power"], "--assume"),
        (["results", "--assume", "0.7"], "--assume"),
        (["results", "--power", "--correlation", "0.5"], "--correlation"),
    ],
)
def test_commands_that_cannot_be_meant(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *arguments]) == 2
    assert named in capsys.readouterr().err
