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

SCORE = ("scores", "includes", "value")
"""The path to the score of a sample."""


@pytest.fixture(scope="module")
def whole_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of Inspect in JSON, and beside it the same as `.eval`."""
    folder = tmp_path_factory.mktemp("capitals")
    log = run_task(capitals(), CAPITAL_REPLIES, folder / "logs")
    for name in ("log.json", "log.eval"):
        write_eval_log(log, str(folder / name))
    return folder / "log.json"


@pytest.fixture
def changed(whole_log: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that edits a copy of the log, which has the name of its model."""

    def change(*edits: Edit, model: str = "model") -> Path:
        copy = written(tmp_path / "copy.json", whole_log.read_text(encoding="utf-8"))
        return edited(copy, *edits, put("eval", "model", value=f"mockllm/{model}"), name=f"{model}.json")

    return change


def first(*path: str, value: Json) -> Edit:
    """Return an edit of the first sample by id, on which the model is right; on the fifth it is wrong."""
    return put("samples", 0, *path, value=value)


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
    for at, shown in ((0, 1), (25, 1), (26, 0.75), (50, 0.75), (75, 0.5), (76, 0.25), (100, 0.25)):
        assert curve[at] == shown, at
    assert set(result.group_ids) == {"France", "Spain", "Norway", "Japan"}
    assert result.compared_labels == ("incorrect", "correct")
    assert (result.dataset.name, result.dataset.group_column) == ("capitals", "country")
    assert (result.title, prompt_of(result).calls, result.notes) == ("model (generate)", 16, ())
    assert result.dataset == imported(whole_log, group="country").dataset


def test_without_a_group_each_sample_is_one(whole_log: Path) -> None:
    result = imported(whole_log)
    assert result.pattern_accuracy == result.sample_accuracy == 10 / 16
    assert result.group_ids == tuple(sorted(name for name, _, _ in CAPITALS))
    assert result.dataset.digest != imported(whole_log, group="country").dataset.digest


TOKENS = {"type": "token", "limit": 5}
ERROR = {"message": "m", "traceback": "", "traceback_ansi": ""}


@pytest.mark.parametrize(
    ("value", "options", "right", "unread"),
    [
        ("I", {}, 9, {}),
        ("N", {}, 9, {"no stated answer": 1}),
        ("P", {"at_least": 0.5}, 10, {}),
        (0.4, {"at_least": 0.5}, 9, {}),
    ],
)
def test_what_counts_of_a_sample(
    changed: Callable[..., Path], value: Json, options: dict[str, Any], right: int, unread: dict[str, int]
) -> None:
    result = imported(changed(first(*SCORE, value=value)), **options)
    assert result.sample_accuracy == right / 16
    assert result.run.unread == unread


def test_a_limit_is_a_reason_if_the_answer_is_wrong(changed: Callable[..., Path]) -> None:
    assert imported(changed(first("limit", value=TOKENS))).run.unread == {}
    assert imported(changed(put("samples", 4, "limit", value=TOKENS))).run.unread == {"token limit": 1}


def test_one_of_several_scores_is_chosen(changed: Callable[..., Path]) -> None:
    path = changed(first("scores", "other", value={"value": 1}))
    assert imported(path, score="includes").sample_accuracy == 10 / 16
    refused("has the scores includes, other: .*score", imported, path)


@pytest.mark.parametrize(
    ("edit", "options", "message"),
    [
        (first(*SCORE, value={"style": 0, "facts": 1}), {"score": "includes"}, "includes.style, includes.facts"),
        (first(*SCORE, value=0.5), {}, "score 0.5.*at_least"),
        (first(*SCORE, value=[1, 0]), {}, "has no score that is a number"),
        (first(*SCORE, value=float("nan")), {}, "no answers to 1 of the 16 samples"),
        (first("metadata", value={"city": "Paris"}), {"group": "country"}, "France-0 has no 'country'.* city"),
        (first("error", value=ERROR), {}, "to 1 of the 16 sam"),
        (put("samples", value=lambda samples: samples[1:]), {}, "lacks 1 sample, such as France-0"),
    ],
)
def test_samples_that_cannot_be_counted(
    changed: Callable[..., Path], edit: Edit, options: dict[str, Any], message: str
) -> None:
    refused(message, imported, changed(edit), **options)


def test_failed_samples_are_left_out_and_counted(changed: Callable[..., Path]) -> None:
    result = imported(changed(first("error", value=ERROR)), group="country", partial=True)
    assert (result.left_out.groups, result.left_out.rows) == (1, 4)
    assert set(result.group_ids) == {"Spain", "Norway", "Japan"}


def test_the_most_frequent_of_several_epochs_counts(tmp_path: Path) -> None:
    wrong_ones = ["no" if reply == "yes" else "yes" for reply in CAPITAL_REPLIES]
    log = run_task(capitals(epochs=3), [*CAPITAL_REPLIES, *wrong_ones, *CAPITAL_REPLIES], tmp_path)
    result = imported(Path(log.location))
    assert (result.sample_accuracy, result.run.samples) == (10 / 16, 3)
    assert result.run.agreement == pytest.approx(2 / 3)


def test_logs_on_other_samples_are_compared_on_those_of_both(
    changed: Callable[..., Path], whole_log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    less = changed(asked_less, model="less")
    assert imported(less).dataset.digest != imported(whole_log).dataset.digest
    assert [result.title for result in import_files([whole_log, less])] == ["model (generate)"]
    assert "no answers to 1 of the 16 samples" in caplog.text
    results = import_files([whole_log, less], partial=True)
    assert [len(result.group_ids) for result in results] == [16, 15]
    (comparison,) = compare(results, common_seeds=True)
    assert comparison.seeds == 15
    by_country = import_files([whole_log, less], group="country", partial=True)
    assert [result.left_out.groups for result in by_country] == [0, 1]


def test_samples_that_are_not_the_same_under_an_id_are_refused(changed: Callable[..., Path], whole_log: Path) -> None:
    other = changed(first("target", value="no"), model="other")
    refused("sample France-0 has another group or target", import_files, [whole_log, other])


def test_a_gate_on_any_task(changed: Callable[..., Path], whole_log: Path, tmp_path: Path, command: Command) -> None:
    def all_wrong(content: Json) -> None:
        for sample in content["samples"]:
            sample["scores"]["includes"]["value"] = "I"

    baseline, worse = tmp_path / "baseline", tmp_path / "worse"
    shown = command("import", whole_log, "--out", baseline).out
    assert "capitals, includes: 16 samples in 16 groups" in shown
    assert "pairs" not in shown
    command("import", changed(all_wrong, model="wrong"), "--out", worse)
    command("compare", baseline, "--baseline", baseline, "--fail-if-worse")
    assert "62.5 points below" in command("compare", worse, "--baseline", baseline, "--fail-if-worse", code=3).err
    command("leaderboard", baseline, worse, "--out", tmp_path / "site")
    assert "capitals" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_unread_answers_are_those_to_samples(changed: Callable[..., Path], tmp_path: Path, command: Command) -> None:
    shown = command("import", changed(first(*SCORE, value="N")), "--out", tmp_path / "results").out
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


def lm_eval_log(folder: Path, rows: list[dict[str, Json]]) -> Path:
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
    return written(folder / "samples_sums_2026-01-02T03-04-05.6.jsonl", lines)


def rows_of(name: str, found: dict[str, float]) -> list[dict[str, Json]]:
    """Return the row of each filter on a sum, whose name is that of its story and a number."""
    common = {"doc_id": int(name[1:]), "doc": {"story": name[0]}, "target": "4", "arguments": [["2+2", {}]]}
    common |= {"resps": [["It is 4"]], "metrics": ["exact", "pair"], "pair": ["a", 1]}
    return [
        {**common, "filter": name, "filtered_resps": ["4" if right else "[invalid]"], "exact": right}
        for name, right in found.items()
    ]


def test_a_log_of_lm_evaluation_harness(tmp_path: Path) -> None:
    found = {"a0": (1.0, 1.0), "a1": (0.0, 1.0), "b2": (1.0, 1.0), "b3": (1.0, 0.0)}
    rows = [row for name, (strict, loose) in found.items() for row in rows_of(name, {"strict": strict, "loose": loose})]
    path = lm_eval_log(tmp_path, rows)
    refused("has the filters strict, loose: choose one with filter", imported, path)
    refused("has the filters strict, loose", imported, path, filter="lose")
    refused("has the scores exact: choose one with score", imported, path, filter="strict", score="acc")
    strict, loose = (imported(path, filter=name, group="story") for name in ("strict", "loose"))
    assert [strict.answers.counts().correct.tolist(), loose.answers.counts().correct.tolist()] == [[[1, 2]], [[2, 1]]]
    assert (strict.group_ids, strict.pattern_accuracy, strict.sample_accuracy) == (("a", "b"), 0.5, 0.75)
    assert (strict.title, strict.dataset.title) == ("org/model (generate_until, 2 shots)", "sums, exact, strict")
    assert (strict.run.unread, prompt_of(strict).temperature) == ({"no stated answer": 1}, 0)
    assert strict.dataset.key != loose.dataset.key


def test_subtasks_of_a_group_of_lm_evaluation_harness_are_one_data_set(tmp_path: Path) -> None:
    def grouped(run: Json) -> None:
        run["group_subtasks"] = {"maths": ["algebra"], "algebra": ["sums", "terms"], "sums": [], "terms": []}
        run["n-shot"]["terms"] = 2
        run["configs"]["terms"] = {**run["configs"]["sums"], "description": "On terms."}

    rows = {"terms": {"b0": 1.0, "b1": 0.0, "b2": 1.0}, "sums": {"a0": 1.0, "a1": 1.0}}
    paths = []
    for name, found in rows.items():
        samples = []
        for row_id, right in found.items():
            samples += rows_of(row_id, {"none": right})
        path = lm_eval_log(tmp_path, samples)
        paths.append(path.rename(path.with_name(path.name.replace("sums", name))))
    edited(tmp_path / "results_2026-01-02T03-04-05.6.json", grouped)
    (result,) = import_files(paths, group="task")
    assert (result.group_ids, result.dataset.name) == (("sums", "terms"), "maths")
    assert result.answers.counts().correct.tolist() == [[2, 2]]
    assert result.answers.row_ids.to_pylist() == ["sums/0", "sums/1", "terms/0", "terms/1", "terms/2"]
    alone = import_files(paths, group="story")
    assert {each.dataset.name for each in alone} == {"sums", "terms"}
    refused("sample 0 has no 'task'", imported, lm_eval_log(tmp_path, rows_of("a0", {"none": 1.0})), group="task")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"filter": "none"}, "is not a sample of lm-evaluation-harness"),
        ({"doc_id": 1}, "is not a sample of lm-evaluation-harness"),
        ({"doc": {}}, "has no samples"),
    ],
)
def test_wrong_samples_of_lm_evaluation_harness(tmp_path: Path, row: dict[str, Json], message: str) -> None:
    refused(message, imported, lm_eval_log(tmp_path, [row]))
