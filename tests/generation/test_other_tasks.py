"""Paraphrases, and questions with a sentence: generated, validated, scored with a classifier, and on a page."""

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.files import read_json
from merge_snli.cli import main
from tests.commands import Command
from tests.merge_snli.leaderboard.test_page import Parsed
from tests.oracles import missing_from, read_jsonl, rows_of
from tests.tiny_classifiers import save_classifier

pytestmark = pytest.mark.slow

GENERATE = ["--mlm", "demo:mlm-wordpiece,demo:mlm-bpe", "--inflation", "3", "--subsamples", "2", "--quiet"]


@dataclass(frozen=True)
class Task:
    """Problems of a task in a file next to this one, all written for these tests."""

    name: str
    texts: tuple[str, str]
    labels: tuple[str, str]
    arguments: tuple[str, ...] = ()

    @property
    def problems(self) -> Path:
        return Path(__file__).with_name(f"{self.name}.jsonl")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The problems, with labels by name."""
        rows = read_jsonl(self.problems)
        return [{**row, "label": dict(enumerate(self.labels)).get(row["label"], row["label"])} for row in rows]


@dataclass(frozen=True)
class TaskRun:
    """The data set of a task, a result, and the leaderboard."""

    task: Task
    data: Path
    result: dict[str, Any]
    page: Path


@pytest.fixture(
    scope="module",
    params=(
        Task(
            "paraphrases",
            ("sentence1", "sentence2"),
            ("different", "paraphrase"),
            ("--data-labels", "different,paraphrase"),
        ),
        Task("questions", ("question", "sentence"), ("answerable", "not_answerable")),
    ),
    ids=lambda task: task.name,
)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TaskRun:
    task = request.param
    folder = tmp_path_factory.mktemp(task.name)
    data = folder / "data"
    page = folder / "page"
    assert main(["generate", str(task.problems), *task.arguments, *GENERATE, "--out", str(data)]) == 0
    model = save_classifier("bert", folder / "model", labels=task.labels[::-1])
    assert main(["score", str(model), "--dataset", str(data), "--out", str(folder / "results")]) == 0
    (path,) = (folder / "results").glob("*.json")
    assert main(["leaderboard", str(path.parent), "--dataset", str(data), "--out", str(page), "--with-text"]) == 0
    document = read_json(path)
    return TaskRun(task, data, document, page / "index.html")


def test_variants_are_valid_and_keep_texts_and_labels(run: TaskRun, command: Command) -> None:
    command("validate", run.data)
    problems = {(row[run.task.texts[0]], row[run.task.texts[1]]): row["label"] for row in run.task.rows}
    rows = rows_of(run.data)
    assert len({row["seed_id"] for row in rows}) > 50
    for row in rows:
        assert run.task.labels[row["label"]] == problems[row["seed_premise"], row["seed_hypothesis"]]
        for side in ("premise", "hypothesis"):
            assert re.search(rf"\b{row['original']}\b", row[f"seed_{side}"])
            assert re.search(rf"\b{row['replacement']}\b", row[side])
    printed = command("tables", run.data).out
    assert not missing_from(printed, *(f"{label} %" for label in run.task.labels))
    assert "entailment" not in printed


def test_explain_the_card_and_table_6_name_the_texts_as_the_data_does(run: TaskRun, command: Command) -> None:
    first, second = run.task.texts
    row = rows_of(run.data)[0]
    printed = command("explain", run.data, "--seed-id", row["seed_id"]).out
    assert re.search(rf"^{first} +{re.escape(row['seed_premise'])}$", printed, re.MULTILINE)
    assert not missing_from(printed, f" in the {first}, ", f"{first} at ", f"validated in {first} and {second}: ")
    assert not re.search("premise|hypothesis|entailment", printed)
    card = (run.data / "README.md").read_text(encoding="utf-8")
    assert not missing_from(card, f"that {first} and {second} share", f"`hypothesis` the text {second}.")
    assert f"| `premise` | `string` | {first} of the variant |" in card
    tables = command("tables", run.data, "--format", "json").out
    assert f"class {first} %" in tables
    assert "class P %" not in tables


def test_sheets_are_scored_with_the_names_of_the_texts(
    run: TaskRun, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = run.task.texts
    sheets = tmp_path / "sheets"
    assert main(["annotate", "sample", str(run.data), "--annotators", "a", "--size", "2", "--out", str(sheets)]) == 0
    labels = ", ".join(run.task.labels)
    assert f"guidelines.md does not say what the labels {labels} mean" in caplog.text
    guidelines = (sheets / "guidelines.md").read_text(encoding="utf-8")
    assert not missing_from(guidelines, f"called {first} and\n{second}", labels)
    assert f'value="Seed {first}: $seed_premise"' in (sheets / "label_config.xml").read_text(encoding="utf-8")
    with (sheets / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[1:5] == [f"seed_{first}", f"seed_{second}", first, second]
    with (sheets / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *([*row[:6], "5", "4", ""] for row in rows)])
    (sheets / "a.xlsx").unlink()
    assert main(["annotate", "score", str(sheets), "--out", str(tmp_path / "scores")]) == 0


def test_the_classifier_is_scored_by_the_labels_of_its_config(run: TaskRun) -> None:
    result = run.result
    scores = run.result["scores"]
    labels = [*run.task.labels]
    assert result["model"]["label_origin"] == "config"
    assert result["model"]["labels"] == labels[::-1]
    assert result["compared_labels"] == labels
    assert [*scores["predicted"]] == labels
    for name in ("seed_accuracy", "all_rows_accuracy", "qt", "mt"):
        assert scores[name] is not None
    assert {*result["parts"]["word_class"]} == {"noun", "verb", "adj"}


def test_the_pages_show_the_model_and_its_hard_seeds(run: TaskRun) -> None:
    [board] = json.loads(Parsed(run.page.read_text(encoding="utf-8")).scripts[0])["boards"]
    assert board["texts"]["names"] == [*run.task.texts]
    texts = {(row[run.task.texts[0]], row[run.task.texts[1]]) for row in run.task.rows}
    for first, second, _ in board["texts"]["seeds"].values():
        assert (first, second) in texts
    [model] = board["models"]
    assert model["hardest"][0]["gold"] in run.task.labels
