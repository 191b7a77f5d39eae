"""Tests of `analyze`: the command, data sets unlike the paper's, and matching results to data sets."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, analyze, score
from merge_snli.base.files import read_json
from merge_snli.comparison.scored_dataset import ScoredDataset
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.models.labels import Pair
from merge_snli.paper.hard_seeds import hard_seeds
from merge_snli.paper.report.analyze import match_results, read_seed_ids
from merge_snli.paper.report.table_artifacts import hard_seeds_artifact
from merge_snli.results.store import to_json, write_result
from tests.commands import Command
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.paper.report.conftest import SHIPPED
from tests.oracles import always, guess, refused, write_results, written
from tests.records import copy_bundled


def test_a_report_is_written_and_printed(results_folder: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "report"
    options = ["--fine-tuned-from", "by 3=demo:mlm-bpe", "--corpus", "demo:problems", "--format", "json"]
    printed = command("analyze", results_folder, "--dataset", SHIPPED, "--out", out, *options).json
    assert printed == read_json(out / "report.json")
    analyses = printed["data_sets"][0]["analyses"]
    assert analyses["fine_tuned"]["masked_lms"] == {"by 3": "demo:mlm-bpe"}
    assert analyses["word_frequency"]["corpus"] == "demo:problems"
    assert [*(out / "figures").glob("*figure-7*.svg")]


def test_the_csv_of_hard_seeds_names_the_seeds_to_leave_out(scored: ScoredDataset, tmp_path: Path) -> None:
    first = scored.models[0]
    wrong = replace(first.answers, predicted=(first.answers.gold + 1) % 3)
    never = replace(scored, models=(replace(first, answers=wrong),))
    [table] = hard_seeds_artifact(hard_seeds(never)).tables
    assert {*read_seed_ids(written(tmp_path / "hard-seeds.csv", table.csv()))} == {*scored.ids}


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ("a, b\n\nc\na, b\n", "seeds.txt", "a, b|c"),
        ('\ufeffgold,seed_id\ne,"a, b"\nn,c\n', "seeds.csv", "a, b|c"),
        ("seed_id\na, b\nc", "s", "a|c"),
    ],
)
def test_seed_ids_are_read_from_text_and_csv(content: str, name: str, expected: str, tmp_path: Path) -> None:
    assert "|".join(read_seed_ids(written(tmp_path / name, content))) == expected


Refusal = Callable[..., str]


@pytest.fixture
def refusal(results_folder: Path, command: Command) -> Refusal:
    """Return a function that returns the message of `analyze`, which writes no file."""

    def refusal_of(*arguments: object) -> str:
        folder = results_folder.parent
        before = {*folder.rglob("*")}
        out = folder / "report"
        error = command("analyze", "--out", out, results_folder, *arguments, "--dataset", SHIPPED, code=2).err
        [message] = [line for line in error.splitlines() if not line.startswith("merge-snli: skipped")]
        assert {*folder.rglob("*")} == before
        return message

    return refusal_of


FILES: dict[str, str | bytes] = {
    "result/a.json": "{}",
    "empty.txt": "",
    "blank.txt": " \n\n",
    "latin.txt": b"a\xff",
    "unknown.txt": "demo-008\nx\ny\n",
    "columns.csv": "id,gold\ndemo-008,e\n",
    "empty.csv": "",
    "c.docx": "a",
    "c.jsonl": '{"text": "a"}\n',
}


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("AT/none", r"none.*merge-snli score"),
        ("AT/empty", r"no results in.*merge-snli score"),
        ("AT/result", r"no results in.*merge-snli score"),
        ("AT/result/a.json", r"a\.json.*merge-snli score"),
        ("--dataset=AT/none", r"none.*does not exist"),
        ("--dataset=AT/empty.txt", r"empty\.txt"),
        ("--fine-tuned-from=by 3", r"--fine-tuned-from by 3.*MODEL=MLM"),
        ("--fine-tuned-from==demo:mlm-bpe", r"--fine-tuned-from =demo:mlm-bpe"),
        ("--fine-tuned-from=gpt=demo:mlm-bpe", r"gpt.*by 3"),
        ("--fine-tuned-from=by 3=bert", r"bert.*demo:mlm-bpe"),
        ("--without-seeds=AT/none.txt", r"none\.txt"),
        ("--without-seeds=AT", r"--without-seeds"),
        ("--without-seeds=AT/blank.txt", r"blank\.txt.*no seed id"),
        ("--without-seeds=AT/latin.txt", r"latin\.txt.*UTF-8"),
        ("--without-seeds=AT/unknown.txt", r"has x, y, which"),
        ("--without-seeds=AT/columns.csv", r"columns\.csv.*no column seed_id"),
        ("--without-seeds=AT/empty.csv", r"empty\.csv.*no column seed_id"),
        ("--corpus=AT/none.txt", r"none\.txt"),
        ("--corpus=AT/none.jsonl", r"none\.jsonl"),
        ("--corpus=AT/c.docx", r"c\.docx.*\.txt"),
        ("--corpus=AT/blank.txt", r"blank\.txt.*no text"),
        ("--corpus=AT/c.jsonl", r"c\.jsonl"),
        (f"--out={SHIPPED}", r"is a data set"),
        ("--out=AT", r"blank\.txt"),
        ("--out=AT/empty.txt", r"empty\.txt is a file"),
        ("--out=AT/empty.txt/report", r"empty\.txt is a file"),
    ],
)
def test_wrong_arguments_and_files(argument: str, expected: str, tmp_path: Path, refusal: Refusal) -> None:
    at = tmp_path / "input"
    (at / "empty").mkdir(parents=True)
    for name, content in FILES.items():
        written(at / name, content)
    message = refusal(argument.replace("AT", str(at)))
    assert re.search(expected, message)


def test_two_masked_lms_of_one_model(refusal: Refusal) -> None:
    options = ["--fine-tuned-from=by 3=demo:mlm-bpe", "--fine-tuned-from=by 3=demo:mlm-wordpiece"]
    message = refusal(*options)
    assert re.search("by 3.*demo:mlm-bpe.*demo:mlm-wordpiece", message)


@pytest.fixture(scope="module")
def other(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("other") / "other")


@pytest.mark.parametrize("content", [None, "{}"])
def test_data_sets_without_a_valid_record(content: str | None, tmp_path: Path, refusal: Refusal) -> None:
    folder = copy_bundled(tmp_path / "copy", "data/all/test.parquet", "README.md")
    if content is not None:
        written(folder / "run.json", content)
    assert "run.json" in refusal("--dataset", folder)


def test_wrong_results(results: list[Result], other: Path, tmp_path: Path, refusal: Refusal) -> None:
    first = results[0]
    old = written(tmp_path / "old" / "result.json", json.dumps(to_json(first) | {"schema_version": 1})).parent
    assert "version 1" in refusal(old)
    again = write_results(tmp_path / "more", [replace(first, notes=("scored again",))])
    assert "2 results of by 3" in refusal(again)
    answers = replace(first.answers, group_ids=("nobody", *first.group_ids[1:]))
    lost = replace(first, model=replace(first.model, name="lost"), stored=answers)
    message = refusal(write_results(tmp_path / "lost", [lost]))
    assert "lost" in message
    assert "nobody" in message
    message = refusal("--dataset", other)
    assert "other" in message
    assert "merge-snli score" in message
    seeds = written(tmp_path / "seeds.txt", "\n".join(first.group_ids))
    assert "no seed of by 3 remains" in refusal("--without-seeds", seeds)


TWO_LABELS = ("entailment", "not_entailment")


def entails(pairs: list[Pair]) -> list[str]:
    return ["entailment" if "not" not in hypothesis else "not_entailment" for _, hypothesis in pairs]


@pytest.mark.slow
def test_two_labels(make_dataset: MakeDataset, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "two", seeds=30, label_names=TWO_LABELS)
    results = [score(entails, folder, name="negation"), score(guess, folder, name="length")]
    [part] = analyze(results, folder, out=tmp_path / "report").as_dict()["data_sets"]
    analyses = part["analyses"]
    for name in ("table_3", "model_curves", "classes", "class_pairs", "majority", "hard_seeds"):
        assert "not_computed" not in analyses[name]
    assert analyses["majority"]["labels"] == [*TWO_LABELS]
    names = [predictor["name"] for predictor in analyses["error_drivers"]["predictors"]]
    assert [name for name in names if name.startswith("label")] == ["label: not_entailment"]
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "predictions of neutral and contradiction count as not_entailment" in page


@pytest.mark.slow
def test_a_config_of_one_word_class(make_dataset: MakeDataset, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "data", seeds=12)
    verbs = score(guess, folder, config="verb", name="length")
    [part] = analyze(verbs, folder).as_dict()["data_sets"]
    analyses = part["analyses"]
    assert part["config"] == "verb"
    for name in ("classes", "class_pairs", "fine_tuned"):
        assert "not_computed" in analyses[name]
    assert "two word classes" in analyses["classes"]["not_computed"]
    assert len(analyses["table_3"]["rows"]) == 1


def in_upper_case(_: dict[str, Any], variants: list[dict[str, Any]]) -> None:
    for variant in variants:
        variant["premise"] = variant["premise"].upper()


@pytest.mark.slow
def test_data_sets_on_the_same_seeds_are_compared(make_dataset: MakeDataset, tmp_path: Path) -> None:
    first = make_dataset(tmp_path / "first")
    second = make_dataset(tmp_path / "second", change=in_upper_case)
    results = [score(guess, folder, name="length") for folder in (first, second)]
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
    return score(always(0), other_dataset, name="elsewhere")


def test_data_sets_keep_their_order_and_all_comes_first(
    results: list[Result], shipped: MergeDataset, other_dataset: MergeDataset, elsewhere: Result
) -> None:
    nouns = score(always(0), shipped, config="noun", name="zero")
    matched = match_results([nouns, *results, elsewhere], [other_dataset, shipped])
    stored = [each.data.stored for each in matched]
    assert stored == [other_dataset, shipped, shipped]
    configs = [each.record.config for each in matched]
    assert configs == ["all", "all", "noun"]
    models = [len(each.models) for each in matched]
    assert models == [1, 2, 1]


def test_results_and_data_sets_without_each_other_or_twice_are_refused(
    results: list[Result], shipped: MergeDataset, other_dataset: MergeDataset, elsewhere: Result
) -> None:
    digest = other_dataset.digest[:12]
    name = other_dataset.name
    again = replace(shipped, name="copy", folder=Path("copy"))
    refused(f"elsewhere.*{digest}.*dataset", match_results, [*results, elsewhere], [shipped])
    refused("by 3", match_results, results, [other_dataset])
    refused(f"{name}.*{digest}", match_results, results, [shipped, other_dataset])
    refused("copy", match_results, results, [shipped, again])
    refused("2 results of by 3", match_results, [*results, results[0]], [shipped])


def test_a_partial_result_is_refused_by_its_file(results: list[Result], shipped: MergeDataset, tmp_path: Path) -> None:
    partial = score(always(0), shipped, name="part of it", limit_seeds=3)
    name = re.escape(write_result(partial, tmp_path).name)
    message = f"part of it.*on a part of config all.*remove {name}$"
    refused(message, match_results, [*results, partial], [shipped])
