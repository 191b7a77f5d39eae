"""Tests of the power of comparisons, and of the gate: models against a baseline and against a limit of PA."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli import Result
from merge_snli.cli import GATE_FAILED, INPUT_ERROR
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.power import assumed_power, power_of_results, too_few_notes
from merge_snli.comparison.statistics_tables import comparison_tables, too_few_note
from merge_snli.scoring.store import write_result
from tests.commands import Command
from tests.merge_snli.comparison.made import Row, rows_of, scored_dataset
from tests.oracles import known, refused

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
    assert known(of_three.rows[0]["unpaired"]) > known(of_two.rows[0]["unpaired"])


def test_assumptions_are_checked() -> None:
    assert [row["seeds"] for row in assumed_power([0.6, 0.7]).rows] == [*SIZES]
    refused("assume", assumed_power, [1.0])
    refused("correlation", assumed_power, [0.5], correlation=1.0)


def test_the_command_prints_and_draws_it(tmp_path: Path, command: Command) -> None:
    for result in TWO:
        write_result(result, tmp_path / "results")
    arguments = [
        "compare",
        str(tmp_path / "results"),
        "--power",
        "--out",
        str(tmp_path / "figures"),
        "--format",
        "json",
    ]
    document = command(*arguments).json
    [found] = document["power"]
    assert [row["seeds"] for row in found["rows"]] == sorted([*SIZES, 84])
    assert all(Path(path).is_file() for path in document["figures"])
    assert (
        "Assumed PA 0.6, 0.7, correlation 0.8"
        in command("compare", "--power", "--assume", "0.6,0.7", "--correlation", "0.8").out
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "--assume"),
        (["--power"], "--assume"),
        (["results", "--assume", "0.7"], "--assume"),
        (["results", "--power", "--correlation", "0.5"], "--correlation"),
    ],
)
def test_commands_that_cannot_be_meant(arguments: list[str], named: str, command: Command) -> None:
    assert named in command("compare", *arguments, code=2).err


N_SEEDS = 8


# `good` passes every seed, `bad` none, and `alike` all but one.
MODELS = ("good", "bad", "alike")


@pytest.fixture(scope="module")
def by_name() -> dict[str, Result]:
    rows = [row for seed in range(N_SEEDS) for row in rows_of(f"s{seed}", [f"en{'n' if seed == 3 else 'e'}"] * 10)]
    return {model.name: model.result for model in scored_dataset(rows, models=MODELS).models}


def folder_of(by_name: Sequence[Result], folder: Path) -> str:
    for result in by_name:
        write_result(result, folder)
    return str(folder)


def test_the_permutation_test_is_that_over_all_signs(by_name: dict[str, Result]) -> None:
    (row,) = compare_with_baseline(by_name["bad"], by_name["good"])
    assert (row.model, row.baseline, row.seeds, row.threshold) == ("bad", "good", N_SEEDS, 0.9)
    assert (row.pattern_accuracy, row.baseline_pattern_accuracy) == (0, 1)
    assert (known(row.test).difference, row.adjusted_p) == (-1, 2 / 2**N_SEEDS)
    assert row.worse


@pytest.mark.parametrize(("model", "baseline"), [("good", "bad"), ("alike", "good"), ("good", "good")])
def test_better_models_and_those_that_hardly_differ_are_not_worse(
    by_name: dict[str, Result], model: str, baseline: str
) -> None:
    (row,) = compare_with_baseline(by_name[model], by_name[baseline])
    assert not row.worse
    assert row.failures(fail_if_worse=True) == []


def test_p_values_are_adjusted_over_models_and_thresholds(by_name: dict[str, Result]) -> None:
    rows = compare_with_baseline([by_name["bad"], by_name["alike"]], by_name["good"], thresholds=(0.8, 0.9))
    p = 2 / 2**N_SEEDS
    assert [row.adjusted_p for row in rows] == [4 * p, 4 * p, 1, 1]
    assert [row.worse for row in rows] == [True, True, False, False]
    strict = compare_with_baseline([by_name["bad"], by_name["alike"]], by_name["good"], alpha=2 * p)
    assert [row.worse for row in strict] == [False, False]


@pytest.mark.parametrize(("limit", "fails"), [(0.875, False), (0.876, True)])
def test_a_limit_needs_no_baseline(by_name: dict[str, Result], limit: float, *, fails: bool) -> None:
    (row,) = compare_with_baseline(by_name["alike"])
    assert (row.pattern_accuracy, row.baseline, row.test, row.worse) == (7 / N_SEEDS, None, None, False)
    assert bool(row.failures(min_pa=limit)) == fails


def test_seeds_that_one_of_both_lacks_are_left_out() -> None:
    rows = [row for seed in range(6) for row in rows_of(f"s{seed}", ["-n" if seed < 2 else "en"] * 10)]
    on_seeds = {f"s{seed}": "-e" for seed in range(2)}
    good, bad = (model.result for model in scored_dataset(rows, models=("good", "bad"), on_seeds=on_seeds).models)
    (row,) = compare_with_baseline(bad, good)
    assert (row.seeds, row.adjusted_p) == (4, 2 / 2**4)


def test_a_model_has_one_baseline(by_name: dict[str, Result]) -> None:
    (row,) = compare_with_baseline(by_name["bad"], by_name.values())
    assert row.baseline == "bad"
    refused(
        r"(?s)baseline has 2 models.* of bad",
        compare_with_baseline,
        by_name["bad"],
        [by_name["good"], by_name["alike"]],
    )
    other = replace(by_name["good"], dataset=replace(by_name["good"].dataset, digest="e" * 64))
    refused(r"(?s)baseline has 0 models.* of bad", compare_with_baseline, by_name["bad"], other)


def test_the_command_fails_with_an_exit_code_of_its_own(
    by_name: dict[str, Result], tmp_path: Path, command: Command
) -> None:
    bad, good = (folder_of([by_name[name]], tmp_path / name) for name in ("bad", "good"))
    gate = ["compare", bad, "--baseline", good, "--format", "json"]
    assert json.loads(command(*gate).out)["failures"] == []
    printed = command(*gate, "--fail-if-worse", "--min-pa", "0.8", code=3)
    document = json.loads(printed.out)
    assert document["models"][0]["test"]["difference"] == -1
    assert len(document["failures"]) == 2
    assert printed.err == f"merge-snli: {'; '.join(document['failures'])}\n"
    assert all(text in printed.err for text in ("100.0 points below good", "8 seeds", "p 0.008", "--min-pa 80%"))


def test_the_command_prints_one_row_per_model(by_name: dict[str, Result], tmp_path: Path, command: Command) -> None:
    folder = folder_of([by_name["bad"], by_name["alike"]], tmp_path / "models")
    lines = command("compare", folder, "--min-pa", "0.5", "--format", "csv", code=GATE_FAILED).out.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["Model", "alike", "bad"]
    assert "Baseline" not in lines[0]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--fail-if-worse"], "--baseline"),
        (["--min-pa", "0.8", "--all-thresholds"], "--all-thresholds"),
        (["--min-pa", "0.8", "--dataset", "demo:dataset"], "--dataset"),
        (["--min-pa", "80"], "80"),
    ],
)
def test_options_that_do_not_apply_are_refused(
    by_name: dict[str, Result],
    tmp_path: Path,
    command: Command,
    options: list[str],
    named: str,
) -> None:
    folder = folder_of([by_name["good"]], tmp_path / "good")
    assert named in command("compare", folder, *options, code=INPUT_ERROR).err
