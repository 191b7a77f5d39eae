"""Answers that cannot be read are told apart from wrong ones: in Python, tables, boards and the gate."""

from pathlib import Path

import pytest

from merge_snli import Result
from merge_snli.cli import GATE_FAILED, INPUT_ERROR
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.statistics_tables import comparison_tables
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.tables import comma_separated
from merge_snli.results.score_table import score_table
from tests.commands import Command
from tests.merge_snli.comparison.made import answered, rows_of, scored_dataset
from tests.oracles import known, missing_from, write_results

# The answers of a model that is always read, and of one that is right on what can be read (`?` cannot), by seed.
ANSWERS = {"whole": ["ee"] * 20, "few unread": ["e?"] * 2 + ["ee"] * 18, "most unread": ["e?"] * 11 + ["ee"] * 9}
WRONG = {"wrong": ["en"] * 3 + ["ee"] * 17}


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    rows = []
    for seed, answers in (ANSWERS | WRONG).items():
        rows += rows_of(seed, answers)
    return {model.name: model.result for model in scored_dataset(rows, models=("read", "prose")).models}


def test_pattern_accuracy_over_the_answers_that_are_read(results: dict[str, Result]) -> None:
    assert results["read"].answered is None
    read = known(results["prose"].answered)
    # `most unread` is left out, and 17 of the 20 variants of `wrong` are right.
    assert (read.groups, read.pattern_accuracy) == (3, 2 / 3)
    assert read.unread == pytest.approx(13 / 80)
    assert results["prose"].pattern_accuracy == 2 / 4
    everywhere = scored_dataset(answered("s ? ?", "t ? ?")).models[0].result
    nothing = known(everywhere.answered)
    assert (nothing.unread, nothing.pattern_accuracy, nothing.groups) == (1, None, 0)


def test_tables_and_boards_name_both(results: dict[str, Result]) -> None:
    [comparison] = compare_results(results.values(), thresholds=(0.8,))
    assert comparison.answered["prose"].pattern_accuracy == 1
    assert "read" not in comparison.answered
    [board] = make_boards(results.values())
    assert "answered_pattern_accuracy,answered_groups" in comma_separated([board])
    tables = comparison_tables(comparison)[0], score_table(list(results.values())), board.table()
    for table in tables:
        assert not missing_from(table.markdown(), "prose: 16.2% of the variants", "3 seeds")
    [data] = page_data([board], {})["boards"]
    notes = {model["name"]: " ".join(model["notes"]) for model in data["models"]}
    assert "66.7" in notes["prose"] and "unread" not in notes["read"]


def test_a_gate_does_not_judge_a_model_that_answers_in_another_form(results: dict[str, Result]) -> None:
    [row] = compare_with_baseline(results["prose"], results["read"])
    assert row.unread == pytest.approx(13 / 80)
    assert row.baseline_unread == 0
    [failure] = row.failures(fail_if_worse=True)
    assert not missing_from(failure, "prose", "cannot be judged", "16.2%", "0.0%", "allow_unread")
    assert row.failures() == []
    [low] = row.failures(min_pa=0.9, allow_unread=13 / 80)
    assert not missing_from(low, "50.0", "16.2%", "min_pa")
    [improved] = compare_with_baseline(results["read"], results["prose"])
    assert improved.failures(min_pa=0.1) == []
    [alone] = compare_with_baseline(results["prose"])
    assert alone.failures(min_pa=0.4) == []


def test_the_command_names_unread_answers_and_takes_a_share(
    results: dict[str, Result], tmp_path: Path, command: Command
) -> None:
    before, after = (write_results(tmp_path / name, [results[name]]) for name in ("read", "prose"))
    arguments = ["compare", after, "--baseline", before]
    gate = [*arguments, "--fail-if-worse"]
    assert "Unread" in command(*gate, code=GATE_FAILED).out
    printed = command(*gate, "--format", "json", code=GATE_FAILED).json
    assert printed["models"][0]["unread"] == pytest.approx(13 / 80)
    [failure] = printed["failures"]
    assert not missing_from(failure, "cannot be judged", "--allow-unread")
    allowed = command(*arguments, "--min-pa", "0.9", "--allow-unread", "0.9", code=GATE_FAILED)
    assert "cannot be judged" not in allowed.err
    command("compare", after, "--allow-unread", "0.5", code=INPUT_ERROR)
