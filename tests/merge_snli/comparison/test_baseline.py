"""Tests of the gate: models against a baseline on the same seeds, and against a limit of PA."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.cli import GATE_FAILED, INPUT_ERROR, main
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.scoring.result import Result
from merge_snli.scoring.store import write_result
from tests.merge_snli.comparison.made import rows_of, scored_dataset

SEEDS = 8
MODELS = ("good", "bad", "alike")
"""`good` passes every seed, `bad` none, and `alike` all but one."""


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    rows = [row for seed in range(SEEDS) for row in rows_of(f"s{seed}", [f"en{'n' if seed == 3 else 'e'}"] * 10)]
    return {model.name: model.result for model in scored_dataset(rows, models=MODELS).models}


def folder_of(results: Sequence[Result], folder: Path) -> str:
    for result in results:
        write_result(result, folder)
    return str(folder)


def test_the_permutation_test_is_that_over_all_signs(results: dict[str, Result]) -> None:
    (row,) = compare_with_baseline(results["bad"], results["good"])
    assert (row.model, row.baseline, row.seeds, row.threshold) == ("bad", "good", SEEDS, 0.9)
    assert (row.pattern_accuracy, row.baseline_pattern_accuracy) == (0, 1)
    assert row.test is not None
    assert (row.test.difference, row.adjusted_p) == (-1, 2 / 2**SEEDS)
    assert row.worse


@pytest.mark.parametrize(("model", "baseline"), [("good", "bad"), ("alike", "good"), ("good", "good")])
def test_better_models_and_those_that_hardly_differ_are_not_worse(
    results: dict[str, Result], model: str, baseline: str
) -> None:
    (row,) = compare_with_baseline(results[model], results[baseline])
    assert not row.worse
    assert row.failures(fail_if_worse=True) == []


def test_p_values_are_adjusted_over_models_and_thresholds(results: dict[str, Result]) -> None:
    rows = compare_with_baseline([results["bad"], results["alike"]], results["good"], thresholds=(0.8, 0.9))
    p = 2 / 2**SEEDS
    assert [row.adjusted_p for row in rows] == [4 * p, 4 * p, 1, 1]
    assert [row.worse for row in rows] == [True, True, False, False]
    strict = compare_with_baseline([results["bad"], results["alike"]], results["good"], alpha=2 * p)
    assert [row.worse for row in strict] == [False, False]


@pytest.mark.parametrize(("limit", "fails"), [(0.875, False), (0.876, True)])
def test_a_limit_needs_no_baseline(results: dict[str, Result], limit: float, *, fails: bool) -> None:
    (row,) = compare_with_baseline(results["alike"])
    assert (row.pattern_accuracy, row.baseline, row.test, row.worse) == (7 / SEEDS, None, None, False)
    assert bool(row.failures(min_pa=limit)) == fails


def test_seeds_that_one_of_both_lacks_are_left_out() -> None:
    rows = [row for seed in range(6) for row in rows_of(f"s{seed}", ["-n" if seed < 2 else "en"] * 10)]
    on_seeds = {f"s{seed}": "-e" for seed in range(2)}
    good, bad = (model.result for model in scored_dataset(rows, models=("good", "bad"), on_seeds=on_seeds).models)
    (row,) = compare_with_baseline(bad, good)
    assert (row.seeds, row.adjusted_p) == (4, 2 / 2**4)


def test_a_model_has_one_baseline(results: dict[str, Result]) -> None:
    (row,) = compare_with_baseline(results["bad"], results.values())
    assert row.baseline == "bad"
    with pytest.raises(InputError, match=r"(?s)baseline has 2 models.* of bad"):
        compare_with_baseline(results["bad"], [results["good"], results["alike"]])
    other = replace(results["good"], dataset=replace(results["good"].dataset, digest="e" * 64))
    with pytest.raises(InputError, match=r"(?s)baseline has 0 models.* of bad"):
        compare_with_baseline(results["bad"], other)


def test_the_command_fails_with_an_exit_code_of_its_own(
    results: dict[str, Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = (folder_of([results[name]], tmp_path / name) for name in ("bad", "good"))
    gate = ["compare", bad, "--baseline", good, "--format", "json"]
    assert main(gate) == 0
    assert json.loads(capsys.readouterr().out)["failures"] == []
    assert main([*gate, "--fail-if-worse", "--min-pa", "0.8"]) == GATE_FAILED == 3
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["models"][0]["test"]["difference"] == -1
    assert len(document["failures"]) == 2
    assert printed.err == f"merge-snli: {'; '.join(document['failures'])}\n"
    assert all(text in printed.err for text in ("100.0 points below good", "8 seeds", "p 0.008", "--min-pa 80%"))


def test_the_command_prints_one_row_per_model(
    results: dict[str, Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of([results["bad"], results["alike"]], tmp_path / "models")
    assert main(["compare", folder, "--min-pa", "0.5", "--format", "csv"]) == GATE_FAILED
    lines = capsys.readouterr().out.splitlines()
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
    results: dict[str, Result],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    named: str,
) -> None:
    folder = folder_of([results["good"]], tmp_path / "good")
    try:
        code = main(["compare", folder, *options])
    except SystemExit as exit_of_parser:
        code = int(str(exit_of_parser.code))
    assert code == INPUT_ERROR
    assert named in capsys.readouterr().err
