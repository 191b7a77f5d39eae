"""Tests of `analyze`: the command, data sets unlike the paper's, and matching results to data sets."""

import json
import re
from collections.abc import Callable
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
from tests.oracles import refused, written
from tests.records import copy_bundled


def test_a_report_is_written_and_printed(results_folder: Path, tmp_path: Path, command: Command) -> None:
    arguments = ["analyze", str(results_folder), "--dataset", str(SHIPPED), "--out", str(tmp_path / "report")]
    options = ["--fine-tuned-from", "by 3=demo:mlm-bpe", "--corpus", "demo:problems", "--format", "json"]
    printed = command(*arguments, *options).json
    assert printed == json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert printed["data_sets"][0]["analyses"]["fine_tuned"]["masked_lms"] == {"by 3": "demo:mlm-bpe"}
    assert printed["data_sets"][0]["analyses"]["word_frequency"]["corpus"] == "demo:problems"
    assert "figure-7" in "".join(path.name for path in (tmp_path / "report" / "figures").iterdir())


def test_the_csv_of_hard_seeds_names_the_seeds_to_leave_out(scored: ScoredDataset, tmp_path: Path) -> None:
    never = [
        replace(model, answers=replace(model.answers, predicted=(model.answers.gold + 1) % 3))
        for model in scored.models
    ]
    artifact = hard_seeds_artifact(hard_seeds(replace(scored, models=tuple(never))))
    assert set(read_seed_ids(file_of(tmp_path, artifact.tables[0].csv(), "hard-seeds.csv"))) == set(scored.ids)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("a, b\n\nc\na, b\n", "seeds.txt"),
        ('\ufeffgold,seed_id\ne,"a, b"\nn,c\n', "seeds.csv"),
        ("seed_id\na, b\nc", "s"),
    ],
)
def test_seed_ids_are_read_from_text_and_csv(content: str, name: str, tmp_path: Path) -> None:
    expected = ("a", "c") if content.startswith("seed_id") else ("a, b", "c")
    assert read_seed_ids(file_of(tmp_path, content, name)) == expected


@pytest.fixture(scope="module")
def other(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("other") / "other")


def damaged_copy(folder: Path, name: str, content: str | None) -> Path:
    """Copy the bundled data set, and change or delete one of its files."""
    copy_bundled(folder, "data/all/test.parquet", "run.json", "README.md")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(content)
    return folder


def file_of(folder: Path, content: str | bytes, name: str = "seeds.txt") -> Path:
    return written(folder / name, content)


def duplicate(folder: Path, results: list[Result]) -> Path:
    write_result(replace(results[0], notes=("scored again",)), folder / "more")
    return folder / "more"


def of_unknown_seed(folder: Path, results: list[Result]) -> Path:
    answers = replace(results[0].answers, group_ids=("nobody", *results[0].group_ids[1:]))
    write_result(replace(results[0], model=replace(results[0].model, name="lost"), stored=answers), folder / "lost")
    return folder / "lost"


# Returns more arguments from a folder, the results, and another data set.
Case = Callable[[Path, list[Result], Path], list[str]]


CASES: dict[str, tuple[Case, str]] = {
    "results do not exist": (lambda at, *_: [str(at / "none")], r"none.*merge-snli score"),
    "no results": (lambda at, *_: [str(at)], r"no results in.*merge-snli score"),
    "results are a file": (lambda at, *_: [str(file_of(at, "{}", "a.json"))], r"a\.json.*merge-snli score"),
    "only other JSON files": (
        lambda at, *_: [str(file_of(at, "{}", "a.json").parent)],
        r"no results in.*merge-snli score",
    ),
    "result of another version": (
        lambda at, results, _: [
            str(written(at / "old" / "result.json", json.dumps(to_json(results[0]) | {"schema_version": 1})).parent)
        ],
        r"version 1",
    ),
    "two results of a model": (lambda at, results, _: [str(duplicate(at, results))], r"2 results of by 3"),
    "result with an unknown seed": (lambda at, results, _: [str(of_unknown_seed(at, results))], r"lost.*nobody"),
    "data set does not exist": (lambda at, *_: ["--dataset", str(at / "none")], r"none.*does not exist"),
    "data set is a file": (lambda at, *_: ["--dataset", str(file_of(at, ""))], r"seeds\.txt"),
    "data set without a record": (
        lambda at, *_: ["--dataset", str(damaged_copy(at / "copy", "run.json", None))],
        r"run\.json",
    ),
    "data set with a damaged record": (
        lambda at, *_: ["--dataset", str(damaged_copy(at / "copy", "run.json", "{}"))],
        r"run\.json",
    ),
    "the same data set twice": (lambda *_: ["--dataset", str(SHIPPED)], r"same data"),
    "data set without results": (lambda at, results, other: ["--dataset", str(other)], r"other.*merge-snli score"),
    "a pair without a masked LM": (lambda *_: ["--fine-tuned-from", "by 3"], r"--fine-tuned-from by 3.*MODEL=MLM"),
    "a pair without a model": (lambda *_: ["--fine-tuned-from", "=demo:mlm-bpe"], r"--fine-tuned-from =demo:mlm-bpe"),
    "a pair of an unknown model": (lambda *_: ["--fine-tuned-from", "gpt=demo:mlm-bpe"], r"gpt.*by 3"),
    "a pair of an unknown masked LM": (lambda *_: ["--fine-tuned-from", "by 3=bert"], r"bert.*demo:mlm-bpe"),
    "a pair with two masked LMs": (
        lambda *_: ["--fine-tuned-from", "by 3=demo:mlm-bpe", "--fine-tuned-from", "by 3=demo:mlm-wordpiece"],
        r"by 3.*demo:mlm-bpe.*demo:mlm-wordpiece",
    ),
    "no file of seeds": (lambda at, *_: ["--without-seeds", str(at / "none.txt")], r"none\.txt"),
    "seeds are a folder": (lambda at, *_: ["--without-seeds", str(at)], r"--without-seeds"),
    "no seeds": (lambda at, *_: ["--without-seeds", str(file_of(at, "\n\n"))], r"seeds\.txt.*no seed id"),
    "seeds are not text": (lambda at, *_: ["--without-seeds", str(file_of(at, b"a\xff"))], r"seeds\.txt.*UTF-8"),
    "unknown seeds": (
        lambda at, *_: ["--without-seeds", str(file_of(at, "demo-008\nx\ny\n"))],
        r"'x' and 1 more",
    ),
    "seeds without the column": (
        lambda at, *_: ["--without-seeds", str(file_of(at, "id,gold\ndemo-008,e\n", "seeds.csv"))],
        r"seeds\.csv.*seed_id.*id, gold",
    ),
    "an empty CSV file of seeds": (lambda at, *_: ["--without-seeds", str(file_of(at, "", "s.csv"))], r"s\.csv.*none"),
    "no seed remains": (
        lambda at, results, _: ["--without-seeds", str(file_of(at, "\n".join(results[0].group_ids)))],
        r"no seed of by 3 remains",
    ),
    "no corpus": (lambda at, *_: ["--corpus", str(at / "none.txt")], r"none\.txt"),
    "no corpus of problems": (lambda at, *_: ["--corpus", str(at / "none.jsonl")], r"none\.jsonl"),
    "corpus of an unknown type": (
        lambda at, *_: ["--corpus", str(file_of(at, "a", "corpus.docx"))],
        r"corpus\.docx.*\.txt",
    ),
    "an empty corpus": (lambda at, *_: ["--corpus", str(file_of(at, " \n", "c.txt"))], r"c\.txt.*no text"),
    "corpus without problems": (
        lambda at, *_: ["--corpus", str(file_of(at, '{"text": "a"}\n', "c.jsonl"))],
        r"c\.jsonl",
    ),
    "out is a file": (lambda at, *_: ["--out", str(file_of(at, ""))], r"seeds\.txt is a file"),
    "out is in a file": (lambda at, *_: ["--out", str(file_of(at, "") / "report")], r"seeds\.txt is a file"),
    "out has other files": (lambda at, *_: ["--out", str(file_of(at, "").parent)], r"seeds\.txt"),
    "out is the data set": (lambda *_: ["--out", str(SHIPPED)], r"is a data set"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(
    case: str,
    results: list[Result],
    other: Path,
    results_folder: Path,
    tmp_path: Path,
    command: Command,
) -> None:
    make, expected = CASES[case]
    at = tmp_path / "input"
    at.mkdir()
    more = make(at, results, other)
    folders = [more.pop(0)] if more[0][:1] != "-" else []
    before = sorted(tmp_path.rglob("*"))
    arguments = ["analyze", str(results_folder), *folders, "--dataset", str(SHIPPED)]
    error = command(*arguments, "--out", tmp_path / "report", *more, code=2).err
    [message] = [line for line in error.splitlines() if not line.startswith("merge-snli: skipped")]
    assert re.search(expected, message), message
    assert sorted(tmp_path.rglob("*")) == before


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
    assert len(across["sets"]) == 2 and across["family"]["pairs"][0]["result"]["unit"] == "seed"
    figures = {path.name for path in (tmp_path / "report" / "figures").iterdir()}
    assert "across-data-sets-figure-8-filters.svg" in figures
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
    assert [(each.data.stored.name, each.record.config, len(each.models)) for each in matched] == [
        (other_dataset.name, "all", 1),
        (shipped.name, "all", 2),
        (shipped.name, "noun", 1),
    ]


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
