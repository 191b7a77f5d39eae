"""Tests of `analyze`: the command, data sets unlike the paper's, and matching results to data sets."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, analyze, score
from merge_snli.comparison.scored_dataset import ScoredDataset
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.models.labels import Pair
from merge_snli.paper.hard_seeds import hard_seeds
from merge_snli.paper.report.analyze import match_results, read_seed_ids
from merge_snli.paper.report.report import Report
from merge_snli.paper.report.table_artifacts import hard_seeds_artifact
from merge_snli.results.store import to_json, write_result
from tests.commands import Command
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.paper.report.conftest import SHIPPED
from tests.oracles import missing_from, refused, write_results, written
from tests.records import copy_bundled


def test_a_report_is_written_and_printed(results_folder: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "report"
    options = ["--fine-tuned-from", "by 3=demo:mlm-bpe", "--corpus", "demo:problems", "--format", "json"]
    printed = command("analyze", results_folder, "--dataset", SHIPPED, "--out", out, *options).json
    assert printed == json.loads((out / "report.json").read_text(encoding="utf-8"))
    analyses = printed["data_sets"][0]["analyses"]
    assert analyses["fine_tuned"]["masked_lms"] == {"by 3": "demo:mlm-bpe"}
    assert analyses["word_frequency"]["corpus"] == "demo:problems"
    assert [*(out / "figures").glob("*figure-7*.svg")]


def test_the_csv_of_hard_seeds_names_the_seeds_to_leave_out(scored: ScoredDataset, tmp_path: Path) -> None:
    first = scored.models[0]
    wrong = replace(first.answers, predicted=(first.answers.gold + 1) % 3)
    never = replace(scored, models=(replace(first, answers=wrong),))
    [table] = hard_seeds_artifact(hard_seeds(never)).tables
    assert {*read_seed_ids(file_of(tmp_path, table.csv(), "hard-seeds.csv"))} == {*scored.ids}


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ("a, b\n\nc\na, b\n", "seeds.txt", ("a, b", "c")),
        ('\ufeffgold,seed_id\ne,"a, b"\nn,c\n', "seeds.csv", ("a, b", "c")),
        ("seed_id\na, b\nc", "s", ("a", "c")),
    ],
)
def test_seed_ids_are_read_from_text_and_csv(
    content: str, name: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    assert read_seed_ids(file_of(tmp_path, content, name)) == expected


@pytest.fixture(scope="module")
def other(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("other") / "other")


def file_of(folder: Path, content: str | bytes, name: str = "seeds.txt") -> Path:
    return written(folder / name, content)


def refused_by(command: Command, results_folder: Path, *arguments: object) -> str:
    """Return the message of `analyze`, which writes no file."""
    folder = results_folder.parent
    before = {*folder.rglob("*")}
    out = [] if "--out" in arguments else ["--out", folder / "report"]
    error = command("analyze", results_folder, *arguments, "--dataset", SHIPPED, *out, code=2).err
    [message] = [line for line in error.splitlines() if not line.startswith("merge-snli: skipped")]
    assert {*folder.rglob("*")} == before
    return message


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["AT/none"], r"none.*merge-snli score"),
        (["AT"], r"no results in.*merge-snli score"),
        (["--dataset", "AT/none"], r"none.*does not exist"),
        (["--dataset", str(SHIPPED)], r"same data"),
        (["--fine-tuned-from", "by 3"], r"--fine-tuned-from by 3.*MODEL=MLM"),
        (["--fine-tuned-from", "=demo:mlm-bpe"], r"--fine-tuned-from =demo:mlm-bpe"),
        (["--fine-tuned-from", "gpt=demo:mlm-bpe"], r"gpt.*by 3"),
        (["--fine-tuned-from", "by 3=bert"], r"bert.*demo:mlm-bpe"),
        (
            ["--fine-tuned-from", "by 3=demo:mlm-bpe", "--fine-tuned-from", "by 3=demo:mlm-wordpiece"],
            r"by 3.*demo:mlm-bpe.*demo:mlm-wordpiece",
        ),
        (["--without-seeds", "AT/none.txt"], r"none\.txt"),
        (["--without-seeds", "AT"], r"--without-seeds"),
        (["--corpus", "AT/none.txt"], r"none\.txt"),
        (["--corpus", "AT/none.jsonl"], r"none\.jsonl"),
        (["--out", str(SHIPPED)], r"is a data set"),
    ],
)
def test_wrong_arguments(arguments: list[str], expected: str, results_folder: Path, command: Command) -> None:
    at = results_folder.with_name("input")
    at.mkdir()
    message = refused_by(command, results_folder, *(argument.replace("AT", str(at)) for argument in arguments))
    assert re.search(expected, message)


@pytest.mark.parametrize(
    ("option", "name", "content", "expected"),
    [
        (None, "a.json", "{}", r"a\.json.*merge-snli score"),
        (None, "a.json/..", "{}", r"no results in.*merge-snli score"),
        ("--dataset", "seeds.txt", "", r"seeds\.txt"),
        ("--without-seeds", "seeds.txt", "\n\n", r"seeds\.txt.*no seed id"),
        ("--without-seeds", "seeds.txt", b"a\xff", r"seeds\.txt.*UTF-8"),
        ("--without-seeds", "seeds.txt", "demo-008\nx\ny\n", r"'x' and 1 more"),
        ("--without-seeds", "seeds.csv", "id,gold\ndemo-008,e\n", r"seeds\.csv.*seed_id.*id, gold"),
        ("--without-seeds", "s.csv", "", r"s\.csv.*none"),
        ("--corpus", "corpus.docx", "a", r"corpus\.docx.*\.txt"),
        ("--corpus", "c.txt", " \n", r"c\.txt.*no text"),
        ("--corpus", "c.jsonl", '{"text": "a"}\n', r"c\.jsonl"),
        ("--out", "seeds.txt", "", r"seeds\.txt is a file"),
        ("--out", "seeds.txt/report", "", r"seeds\.txt is a file"),
        ("--out", "seeds.txt/..", "", r"seeds\.txt"),
    ],
)
def test_wrong_files(
    option: str | None, name: str, content: str | bytes, expected: str, results_folder: Path, command: Command
) -> None:
    file, _, more = name.partition("/")
    path = file_of(results_folder.with_name("input"), content, file)
    if more == "..":
        path = path.parent
    elif more:
        path /= more
    arguments = [path] if option is None else [option, path]
    message = refused_by(command, results_folder, *arguments)
    assert re.search(expected, message)


@pytest.mark.parametrize("content", [None, "{}"])
def test_data_sets_without_a_valid_record(content: str | None, results_folder: Path, command: Command) -> None:
    folder = copy_bundled(results_folder.with_name("copy"), "data/all/test.parquet", "README.md")
    if content is not None:
        written(folder / "run.json", content)
    assert "run.json" in refused_by(command, results_folder, "--dataset", folder)


def test_wrong_results(results: list[Result], other: Path, results_folder: Path, command: Command) -> None:
    at = results_folder.parent
    first = results[0]
    old = written(at / "old" / "result.json", json.dumps(to_json(first) | {"schema_version": 1})).parent
    assert "version 1" in refused_by(command, results_folder, old)
    again = write_results(at / "more", [replace(first, notes=("scored again",))])
    assert "2 results of by 3" in refused_by(command, results_folder, again)
    answers = replace(first.answers, group_ids=("nobody", *first.group_ids[1:]))
    lost = replace(first, model=replace(first.model, name="lost"), stored=answers)
    message = refused_by(command, results_folder, write_results(at / "lost", [lost]))
    assert not missing_from(message, "lost", "nobody")
    message = refused_by(command, results_folder, "--dataset", other)
    assert not missing_from(message, "other", "merge-snli score")
    seeds = file_of(at, "\n".join(first.group_ids))
    assert "no seed of by 3 remains" in refused_by(command, results_folder, "--without-seeds", seeds)


TWO_LABELS = ("entailment", "not_entailment")


def entails(pairs: list[Pair]) -> list[str]:
    return ["entailment" if "not" not in hypothesis else "not_entailment" for _, hypothesis in pairs]


def three_way(pairs: list[Pair]) -> list[str]:
    return [("entailment", "neutral", "contradiction")[len(premise) % 3] for premise, _ in pairs]


def numbers_of(report: Report) -> dict[str, Any]:
    [part] = report.as_dict()["data_sets"]
    return {name: value for name, value in part["analyses"].items() if "not_computed" not in value}


@pytest.fixture(scope="module")
def two_labels(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Result]]:
    folder = make_dataset(tmp_path_factory.mktemp("two") / "two", seeds=30, label_names=TWO_LABELS)
    return folder, [score(entails, folder, name="negation"), score(three_way, folder, name="length")]


@pytest.mark.slow
def test_two_labels(two_labels: tuple[Path, list[Result]], tmp_path: Path) -> None:
    folder, results = two_labels
    numbers = numbers_of(analyze(results, [folder], out=tmp_path / "report"))
    assert {"table_3", "model_curves", "classes", "class_pairs", "majority", "hard_seeds"} <= numbers.keys()
    assert numbers["majority"]["labels"] == [*TWO_LABELS]
    labels = [each["name"] for each in numbers["error_drivers"]["predictors"] if each["name"].startswith("label")]
    assert labels == ["label: not_entailment"]
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "predictions of neutral and contradiction count as not_entailment" in page


@pytest.mark.slow
def test_a_config_of_one_word_class(make_dataset: MakeDataset, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "data", seeds=12)
    report = analyze([score(three_way, folder, config="verb", name="length")], [folder])
    [part] = report.as_dict()["data_sets"]
    assert part["config"] == "verb"
    assert {"classes", "class_pairs", "fine_tuned"} <= part["analyses"].keys() - numbers_of(report).keys()
    assert "two word classes" in part["analyses"]["classes"]["not_computed"]
    assert len(part["analyses"]["table_3"]["rows"]) == 1


@pytest.mark.slow
def test_data_sets_on_the_same_seeds_are_compared(make_dataset: MakeDataset, tmp_path: Path) -> None:
    def upper_case(seed: dict[str, Any], variants: list[dict[str, Any]]) -> None:
        for variant in variants:
            variant["premise"] = variant["premise"].upper()

    first, second = make_dataset(tmp_path / "first"), make_dataset(tmp_path / "second", change=upper_case)
    results = [score(three_way, folder, name="length") for folder in (first, second)]
    report = analyze(results, [first, second], out=tmp_path / "report")
    across = report.as_dict()["across_data_sets"]["filter_sets"]
    assert len(across["sets"]) == 2
    assert across["family"]["pairs"][0]["result"]["unit"] == "seed"
    assert (tmp_path / "report" / "figures" / "across-data-sets-figure-8-filters.svg").is_file()
    assert len({chapter.key for chapter in report.chapters}) == 3


@pytest.fixture(scope="module")
def shipped() -> MergeDataset:
    return find_dataset(str(SHIPPED))


@pytest.fixture(scope="module")
def other_dataset(other: Path) -> MergeDataset:
    return find_dataset(str(other))


@pytest.fixture(scope="module")
def elsewhere(other_dataset: MergeDataset) -> Result:
    return score(lambda pairs: [0] * len(pairs), other_dataset, name="elsewhere")


def test_data_sets_keep_their_order_and_all_comes_first(
    results: list[Result], shipped: MergeDataset, other_dataset: MergeDataset, elsewhere: Result
) -> None:
    nouns = score(lambda pairs: [0] * len(pairs), shipped, config="noun", name="zero")
    matched = match_results([nouns, *results, elsewhere], [other_dataset, shipped])
    assert [each.data.stored for each in matched] == [other_dataset, shipped, shipped]
    assert [each.record.config for each in matched] == ["all", "all", "noun"]
    assert [len(each.models) for each in matched] == [1, 2, 1]


def test_results_and_data_sets_without_each_other_or_twice_are_refused(
    results: list[Result], shipped: MergeDataset, other_dataset: MergeDataset, elsewhere: Result
) -> None:
    again = replace(shipped, name="copy", folder=Path("copy"))
    digest = other_dataset.digest[:12]
    for given, datasets, message in (
        ([*results, elsewhere], [shipped], rf"elsewhere.*{digest}.*dataset"),
        (results, [other_dataset], "by 3"),
        (results, [shipped, other_dataset], rf"{other_dataset.name}.*{digest}"),
        (results, [shipped, again], rf"{shipped.name}.*copy"),
        ([*results, results[0]], [shipped], "2 results of by 3"),
    ):
        refused(message, match_results, given, datasets)


@pytest.mark.parametrize("part", [{"subsample": 0}, {"limit_seeds": 3}])
def test_a_partial_result_is_refused_by_its_file(
    results: list[Result], shipped: MergeDataset, tmp_path: Path, part: dict[str, Any]
) -> None:
    partial = score(lambda pairs: [0] * len(pairs), shipped, name="part of it", **part)
    path = write_result(partial, tmp_path)
    refused(
        rf"part of it.*on a part of config all.*remove {re.escape(path.name)}$",
        match_results,
        [*results, partial],
        [shipped],
    )
