"""What works on a MERGE data set works on Simple Pair, whose groups have no seeds and no subsamples."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import Result, analyze, score
from merge_snli.cli import main
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, accuracies, read_questions
from merge_snli.leaderboard.space import check_results
from merge_snli.leaderboard.write import leaderboard_text
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.store import file_name
from tests.oracles import answers_of_groups

Pair = tuple[str, str]


def guess(pairs: list[Pair]) -> list[str]:
    return [NLI_LABELS[len(premise + hypothesis) % 2] for premise, hypothesis in pairs]


def other_guess(pairs: list[Pair]) -> list[str]:
    return [NLI_LABELS[len(premise) % 3] for premise, _ in pairs]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    folder = tmp_path_factory.mktemp("data") / "simple_pair"
    make_simple_pair(folder, SimplePairOptions(premises=20))
    return find_dataset(str(folder))


@pytest.fixture(scope="module")
def results(data: MergeDataset, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Result]]:
    out = tmp_path_factory.mktemp("results")
    functions = {"guess": guess, "other": other_guess}
    return out, [score(each, data, config="simple", name=name, out=out) for name, each in functions.items()]


def test_imported_answers_give_the_result_of_the_function(
    data: MergeDataset, results: tuple[Path, list[Result]], tmp_path: Path
) -> None:
    rows = pq.read_table(data.folder / "data" / "simple" / "test.parquet").to_pylist()
    with (tmp_path / "answers.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label"])
        writer.writerows([row["pair_id"], *guess([(row["premise"], row["hypothesis"])])] for row in rows)
    [imported] = import_files([tmp_path / "answers.csv"], str(data.folder), model="guess", config="simple")
    assert imported.scores == results[1][0].scores
    assert imported.parts == results[1][0].parts
    assert answers_of_groups(imported) == answers_of_groups(results[1][0])


def test_a_language_model_is_asked_every_pair_once(data: MergeDataset, results: tuple[Path, list[Result]]) -> None:
    asked = read_questions(data, Scope(config="simple"))
    assert {(question.premise, question.hypothesis) for question in asked.questions} == {*asked.data.pairs}
    assert asked.record["subsample"] == "all"
    answers = [
        (use, guess([(question.premise, question.hypothesis)])[0])
        for question in asked.questions
        for use in question.uses
    ]
    numbers, scores = accuracies(answers), results[1][0].scores
    assert numbers["sample_accuracy"] == scores.sample_accuracy.mean
    assert numbers["pattern_accuracy"] == scores.pattern_accuracy.mean


def test_task_files_are_written(data: MergeDataset, tmp_path: Path) -> None:
    assert main(["harness", str(data.folder), "--config", "simple", "--out", str(tmp_path)]) == 0
    assert main(["harness", str(data.folder), "--config", "simple", "--seeds", "only", "--estimate"]) == 2


def test_a_submission_is_computed_again(data: MergeDataset, results: tuple[Path, list[Result]]) -> None:
    result = results[1][0]
    name, better = file_name(result), replace(result.scores.sample_accuracy, mean=1.0)
    forged = replace(result, scores=replace(result.scores, sample_accuracy=better))
    assert check_results({name: result}, {}, [data]) == {name: []}
    [problems] = check_results({name: forged}, {}, [data]).values()
    assert any("sample_accuracy" in problem for problem in problems)


def test_analyses_that_need_no_seeds_are_computed(data: MergeDataset, results: tuple[Path, list[Result]]) -> None:
    report = analyze([results[0]], [data]).as_dict()
    [part] = report["data_sets"]
    rows = {row["model"]: row for row in part["analyses"]["table_3"]["rows"]}
    for result in results[1]:
        assert rows[result.model.name]["pattern_accuracy"] == pytest.approx(result.pattern_accuracy)
        assert rows[result.model.name]["on_seeds"] is rows[result.model.name]["qt"] is None
    assert len(part["analyses"]["model_curves"]["curves"]) == 2
    assert "Simple Pair" in part["analyses"]["seeds_against_variants"]["not_computed"]


def test_reports_read_only_the_configs_of_results_and_each_once(
    data: MergeDataset, results: tuple[Path, list[Result]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(dataset: MergeDataset, config: str) -> pa.Table:
        read.append(config)
        return read_split(dataset, config)

    monkeypatch.setattr("merge_snli.scoring.reading.read_split", counted)
    result = results[1][0]
    analyze([results[0]], [data])
    leaderboard_text(results[1], "html", [data])
    assert check_results({file_name(result): result}, {}, [data]) == {file_name(result): []}
    assert read == ["simple"] * 3


def test_the_report_and_the_figures_are_written(
    data: MergeDataset, results: tuple[Path, list[Result]], tmp_path: Path
) -> None:
    arguments = [str(results[0]), "--dataset", str(data.folder)]
    assert main(["analyze", *arguments, "--out", str(tmp_path / "report")]) == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "groups" in page
    assert main(["compare", str(results[0]), "--out", str(tmp_path / "figures")]) == 0
    assert any("by-template" in path.name for path in (tmp_path / "figures").iterdir())
