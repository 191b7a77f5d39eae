"""Logs of tasks of others become results: the scores of their samples count, whatever the task asks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import write_eval_log

from merge_snli import Result, compare, import_files
from merge_snli.language_models.inspect_task import nli
from tests.commands import Command
from tests.merge_snli.language_models.conftest import (
    CAPITAL_REPLIES,
    CAPITALS,
    OWN,
    Edit,
    Json,
    capitals,
    edited,
    prompt_of,
    put,
    run_task,
)
from tests.oracles import refused, written

Rows = list[dict[str, Json]]
Changed = Callable[..., Path]


@pytest.fixture(scope="module")
def whole_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of Inspect in JSON, and beside it the same as `.eval`."""
    folder = tmp_path_factory.mktemp("capitals")
    log = run_task(capitals(), CAPITAL_REPLIES, folder / "logs")
    for name in ("log.json", "log.eval"):
        write_eval_log(log, str(folder / name))
    return folder / "log.json"


@pytest.fixture
def changed(whole_log: Path, tmp_path: Path) -> Changed:
    """Return a function that edits a copy of the log, which has the name of its model."""

    def change(*edits: Edit, model: str = "model") -> Path:
        copy = written(tmp_path / "copy.json", whole_log.read_text(encoding="utf-8"))
        return edited(copy, *edits, put("eval", "model", value=f"mockllm/{model}"), name=f"{model}.json")

    return change


def first(*path: str, value: Json) -> Edit:
    """Return an edit of the first sample by id, on which the model is right; on the fifth it is wrong."""
    return put("samples", 0, *path, value=value)


def scored(value: Json) -> Edit:
    """Return an edit of the score of the first sample."""
    return first("scores", "includes", "value", value=value)


def asked_less(content: Json) -> None:
    """Ask all but one sample."""
    removed = content["samples"].pop()
    content["eval"]["dataset"]["sample_ids"].remove(removed["id"])


def imported(path: Path, **options: Any) -> Result:  # noqa: ANN401 - of `import_files`
    (result,) = import_files([path], **options)
    return result


@pytest.mark.parametrize("ending", [".json", ".eval"])
def test_scores_are_counted_by_group(whole_log: Path, ending: str) -> None:
    result = imported(whole_log.with_suffix(ending), group="country")
    assert result.sample_accuracy == 10 / 16
    (curve,) = result.row.curve.each
    shares = {25: 1, 26: 0.75, 50: 0.75, 75: 0.5, 76: 0.25, 100: 0.25}
    for at, share in shares.items():
        assert curve[at] == share, at
    assert set(result.group_ids) == {"France", "Spain", "Norway", "Japan"}
    assert result.compared_labels == ("incorrect", "correct")
    dataset = result.dataset
    assert dataset.name == "capitals"
    assert dataset.group_column == "country"
    assert dataset == imported(whole_log, group="country").dataset
    assert result.title == "model (generate)"
    assert prompt_of(result).calls == 16
    assert result.notes == ()


def test_without_a_group_each_sample_is_one(whole_log: Path) -> None:
    result = imported(whole_log)
    assert result.pattern_accuracy == result.sample_accuracy == 10 / 16
    assert result.group_ids == tuple(sorted(name for name, _, _ in CAPITALS))
    assert result.dataset.digest != imported(whole_log, group="country").dataset.digest


TOKENS = {"type": "token", "limit": 5}
ERROR = {"message": "m", "traceback": "", "traceback_ansi": ""}


@pytest.mark.parametrize(
    ("value", "at_least", "right", "unread"),
    [("I", None, 9, {}), ("N", None, 9, {"no stated answer": 1}), ("P", 0.5, 10, {}), (0.4, 0.5, 9, {})],
)
def test_what_counts_of_a_sample(
    changed: Changed, value: Json, at_least: float | None, right: int, unread: dict[str, int]
) -> None:
    result = imported(changed(scored(value)), at_least=at_least)
    assert result.sample_accuracy == right / 16
    assert result.run.unread == unread


def test_a_limit_is_a_reason_if_the_answer_is_wrong(changed: Changed) -> None:
    right = imported(changed(first("limit", value=TOKENS)))
    assert right.run.unread == {}
    wrong = imported(changed(put("samples", 4, "limit", value=TOKENS)))
    assert wrong.run.unread == {"token limit": 1}


def test_one_of_several_scores_is_chosen(changed: Changed) -> None:
    path = changed(first("scores", "other", value={"value": 1}))
    assert imported(path, score="includes").sample_accuracy == 10 / 16
    refused("has the scores includes, other: .*score", imported, path)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"style": 0, "facts": 1}, "includes.style, includes.facts"),
        (0.5, "score 0.5.*at_least"),
        ([1, 0], "has no score that is a number"),
        (float("nan"), "no answers to 1 of the 16 samples"),
    ],
)
def test_scores_that_cannot_be_counted(changed: Changed, value: Json, message: str) -> None:
    refused(message, imported, changed(scored(value)), score="includes")


def test_samples_that_cannot_be_counted(changed: Changed) -> None:
    nowhere = changed(first("metadata", value={"city": "Paris"}))
    refused("France-0 has no 'country'.* city", imported, nowhere, group="country")
    refused("to 1 of the 16 sam", imported, changed(first("error", value=ERROR)))
    less = changed(put("samples", value=lambda samples: samples[1:]))
    refused("lacks 1 sample, such as France-0", imported, less)


def test_failed_samples_are_left_out_and_counted(changed: Changed) -> None:
    result = imported(changed(first("error", value=ERROR)), group="country", partial=True)
    assert result.left_out.groups == 1
    assert result.left_out.rows == 4
    assert set(result.group_ids) == {"Spain", "Norway", "Japan"}


def test_the_most_frequent_of_several_epochs_counts(tmp_path: Path) -> None:
    wrong_ones = ["no" if reply == "yes" else "yes" for reply in CAPITAL_REPLIES]
    log = run_task(capitals(epochs=3), [*CAPITAL_REPLIES, *wrong_ones, *CAPITAL_REPLIES], tmp_path)
    result = imported(Path(log.location))
    assert result.sample_accuracy == 10 / 16
    assert result.run.samples == 3
    assert result.run.agreement == pytest.approx(2 / 3)


def test_logs_on_other_samples_are_compared_on_those_of_both(
    changed: Changed, whole_log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    less = changed(asked_less, model="less")
    assert imported(less).dataset.digest != imported(whole_log).dataset.digest
    (whole,) = import_files([whole_log, less])
    assert whole.title == "model (generate)"
    assert "no answers to 1 of the 16 samples" in caplog.text
    results = import_files([whole_log, less], partial=True)
    (comparison,) = compare(results, common_seeds=True)
    assert comparison.seeds == 15
    whole, partial = import_files([whole_log, less], group="country", partial=True)
    assert whole.left_out.groups == 0
    assert partial.left_out.groups == 1


def test_samples_that_are_not_the_same_under_an_id_are_refused(changed: Changed, whole_log: Path) -> None:
    other = changed(first("target", value="no"), model="other")
    refused("sample France-0 has another group or target", import_files, [whole_log, other])


def test_a_gate_on_any_task(changed: Changed, whole_log: Path, tmp_path: Path, command: Command) -> None:
    def all_wrong(content: Json) -> None:
        for sample in content["samples"]:
            sample["scores"]["includes"]["value"] = "I"

    baseline = tmp_path / "baseline"
    worse = tmp_path / "worse"
    shown = command("import", whole_log, "--out", baseline).out
    assert "capitals, includes: 16 samples in 16 groups" in shown
    assert "pairs" not in shown
    command("import", changed(all_wrong, model="wrong"), "--out", worse)
    command("compare", baseline, "--baseline", baseline, "--fail-if-worse")
    assert "62.5 points below" in command("compare", worse, "--baseline", baseline, "--fail-if-worse", code=3).err
    command("leaderboard", baseline, worse, "--out", tmp_path / "site")
    assert "capitals" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_unread_answers_are_those_to_samples(changed: Changed, tmp_path: Path, command: Command) -> None:
    shown = command("import", changed(scored("N")), "--out", tmp_path / "results").out
    assert "Sample" in shown.split("Answers that cannot be read")[1]
    assert "Pair" not in shown


def test_what_does_not_go_together_is_refused(whole_log: Path, tmp_path: Path) -> None:
    own = nli(OWN, config="verb", limit_seeds=1)
    log = run_task(own, ["neutral"] * len(own.dataset), tmp_path / "own")
    refused("name its data set with dataset", import_files, [log.location])
    refused("group is for logs of other tasks", import_files, [log.location], OWN, group="seed_id")
    refused("is a log of the task capitals.*remove dataset", import_files, [whole_log], OWN)
    refused("needs the data set", import_files, [written(tmp_path / "a.csv", "id,label\na,1\n")], model="m")
    refused("again=True needs the data set", import_files, [whole_log], again=True)


def lm_eval_log(folder: Path, rows: Rows, task: str = "sums") -> Path:
    """Write what lm-evaluation-harness writes about a task with two filters."""
    run = {
        "model_name": "org/model",
        "model_source": "hf",
        "config": {"model_args": "pretrained=org/model"},
        "lm_eval_version": "0.4.13",
        "n-shot": {"sums": 2},
        "configs": {"sums": {"output_type": "generate_until", "doc_to_text": "{{question}}", "metadata": {"v": 1}}},
    }
    written(folder / "results_2026-01-02T03-04-05.6.json", json.dumps(run))
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    return written(folder / f"samples_{task}_2026-01-02T03-04-05.6.jsonl", lines)


def rows_of(name: str, **found: float) -> Rows:
    """Return the row of each filter on a sum, whose name is that of its story and a number."""
    common = {"doc_id": int(name[1:]), "doc": {"story": name[0]}, "target": "4", "arguments": [["2+2", {}]]}
    common |= {"resps": [["It is 4"]], "metrics": ["exact", "pair"], "pair": ["a", 1]}
    rows = []
    for chosen, right in found.items():
        reply = "4" if right else "[invalid]"
        rows.append(common | {"filter": chosen, "filtered_resps": [reply], "exact": right})
    return rows


def test_a_log_of_lm_evaluation_harness(tmp_path: Path) -> None:
    rows = rows_of("a0", strict=1.0, loose=1.0)
    rows += rows_of("a1", strict=0.0, loose=1.0)
    rows += rows_of("b2", strict=1.0, loose=1.0)
    rows += rows_of("b3", strict=1.0, loose=0.0)
    path = lm_eval_log(tmp_path, rows)
    refused("has the filters strict, loose: choose one with filter", imported, path)
    refused("has the filters strict, loose", imported, path, filter="lose")
    refused("has the scores exact: choose one with score", imported, path, filter="strict", score="acc")
    strict = imported(path, filter="strict", group="story")
    loose = imported(path, filter="loose", group="story")
    assert strict.answers.counts().correct.tolist() == [[1, 2]]
    assert loose.answers.counts().correct.tolist() == [[2, 1]]
    assert strict.group_ids == ("a", "b")
    assert strict.pattern_accuracy == 0.5
    assert strict.sample_accuracy == 0.75
    assert strict.title == "org/model (generate_until, 2 shots)"
    assert strict.dataset.title == "sums, exact, strict"
    assert strict.run.unread == {"no stated answer": 1}
    assert prompt_of(strict).temperature == 0
    assert strict.dataset.key != loose.dataset.key


@pytest.mark.parametrize(
    ("model", "generation", "temperature"),
    [
        ("hf", {"do_sample": False, "temperature": 0.7}, 0.0),
        ("hf", {"temperature": 0.7}, 0.7),
        ("hf", {"do_sample": True}, 1.0),
        ("openai-chat-completions", {"do_sample": False, "temperature": 0.7}, 0.7),
        ("openai-chat-completions", {"do_sample": True}, 0.0),
        ("neuronx", {"temperature": 0.7}, 0.0),
    ],
)
def test_the_temperature_of_lm_evaluation_harness(
    model: str, generation: Json, temperature: float, tmp_path: Path
) -> None:
    def changed(run: Json) -> None:
        run["model_source"] = model
        run["configs"]["sums"]["generation_kwargs"] = generation

    path = lm_eval_log(tmp_path, rows_of("a0", none=1.0))
    edited(tmp_path / "results_2026-01-02T03-04-05.6.json", changed)
    assert prompt_of(imported(path, group="story")).temperature == temperature


def test_subtasks_of_a_group_of_lm_evaluation_harness_are_one_data_set(tmp_path: Path) -> None:
    def grouped(run: Json) -> None:
        run["group_subtasks"] = {"maths": ["algebra"], "algebra": ["sums", "terms"], "sums": [], "terms": []}
        run["n-shot"]["terms"] = 2
        run["configs"]["terms"] = {**run["configs"]["sums"], "description": "On terms."}

    terms = rows_of("b0", none=1.0) + rows_of("b1", none=0.0) + rows_of("b2", none=1.0)
    sums = rows_of("a0", none=1.0) + rows_of("a1", none=1.0)
    paths = [lm_eval_log(tmp_path, terms, "terms"), lm_eval_log(tmp_path, sums)]
    edited(tmp_path / "results_2026-01-02T03-04-05.6.json", grouped)
    (result,) = import_files(paths, group="task")
    assert result.group_ids == ("sums", "terms")
    assert result.dataset.name == "maths"
    assert result.answers.counts().correct.tolist() == [[2, 2]]
    assert result.answers.row_ids.to_pylist() == ["sums/0", "sums/1", "terms/0", "terms/1", "terms/2"]
    alone = import_files(paths, group="story")
    assert {each.dataset.name for each in alone} == {"sums", "terms"}
    refused("sample 0 has no 'task'", imported, lm_eval_log(tmp_path, rows_of("a0", none=1.0)), group="task")


def test_wrong_samples_of_lm_evaluation_harness(tmp_path: Path) -> None:
    for row in ({"filter": "none"}, {"doc_id": 1}):
        refused("is not a sample of lm-evaluation-harness", imported, lm_eval_log(tmp_path, [row]))
    refused("has no samples", imported, lm_eval_log(tmp_path, [{"doc": {}}]))
