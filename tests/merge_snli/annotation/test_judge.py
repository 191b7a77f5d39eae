"""The Inspect task `merge_snli/judge` on scripted models, and its log among the annotators of a study."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from merge_snli.annotation.judge import question_texts, questions, read_scores
from merge_snli.annotation.sample import read_sample
from merge_snli.base.errors import InputError
from merge_snli.dataset.judgments import judgments_in
from merge_snli.dataset.stored import find_dataset
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate
from tests.merge_snli.annotation.filled import fill_csv, random_scores
from tests.merge_snli.language_models.conftest import run_task

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

Reply = Callable[[int, dict[str, str]], str]
"""The reply to a question, from its number and its variants by replacement."""


def judge(**arguments: Any) -> Task:  # noqa: ANN401 - the task's own arguments
    from merge_snli.annotation.judge_task import judge as task

    return task(**arguments)


def script(variant_id: str) -> tuple[int, int]:
    """F and R of a variant, different ones for the variants of a question."""
    number = sum(variant_id.encode())
    return 3 + number % 3, 5 if number % 7 else 2


def scores(_: int, variants: dict[str, str]) -> str:
    rows = [{"word": word, **dict(zip("FR", script(key), strict=True))} for word, key in variants.items()]
    return json.dumps({"scores": rows})


def run(task: Task, folder: Path, reply: Reply = scores) -> Path:
    """Run the task on a model that replies so, and return its log."""
    variants = [(sample.metadata or {})["variants"] for sample in task.dataset]
    log = run_task(task, [reply(number, of_question) for number, of_question in enumerate(variants)], folder)
    return Path(log.location.removeprefix("file://"))


@pytest.mark.parametrize("per_question", [1, 4, 10])
def test_every_variant_is_in_one_question_with_others_of_its_word(per_question: int) -> None:
    task = judge(dataset=str(SHIPPED), per_question=per_question)
    asked = [(sample.metadata or {})["variants"] for sample in task.dataset]
    ids = pq.read_table(SHIPPED / "data/all/test.parquet")["variant_id"].to_pylist()
    assert sorted(key for of_question in asked for key in of_question.values()) == sorted(ids)
    words = [{key.rpartition(":")[0] for key in of_question.values()} for of_question in asked]
    assert all(len(of_question) == 1 for of_question in words)
    sizes = Counter(key.rpartition(":")[0] for key in ids)
    number = sum(-(-size // per_question) for size in sizes.values())
    assert len(asked) == number
    assert max(map(len, asked)) <= per_question


def test_a_question_shows_the_seed_and_each_variant_with_marked_words(sheets: Path) -> None:
    sample = read_sample(sheets / "sample.json")
    task = judge(sample=str(sheets / "sample.json"))
    by_id = {row["variant_id"]: row for row in sample.rows}
    assert len(task.dataset) == len(questions(sample))
    for question in task.dataset:
        system, user = question.input
        assert '{"scores": [{"word":' in str(getattr(system, "content", ""))
        assert "row" not in str(getattr(system, "content", "")).lower().split("## how to answer")[1]
        for word, key in (question.metadata or {})["variants"].items():
            shown = question_texts([by_id[key]], sample.texts)
            assert all(paragraph in str(getattr(user, "content", "")) for paragraph in shown)
            assert f"*{word}*" in shown[1]


def test_the_schema_is_that_of_the_reply_that_is_read() -> None:
    from jsonschema import validate

    task = judge(dataset=str(SHIPPED))
    assert task.config.response_schema is not None
    schema = task.config.response_schema.json_schema.model_dump(exclude_none=True)
    validate(json.loads(scores(0, {"pony": "1:noun:horse:pony"})), schema)
    assert judge(dataset=str(SHIPPED), schema=False).config.response_schema is None


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ('{"scores": [{"word": "pony", "F": 5, "R": 4}, {"word": "cow", "F": 1, "R": 2}]}', "pony cow"),
        ('Here:\n```json\n{"scores": [{"word": "pony", "F": 5, "R": 4}]}\n```', "pony"),
        ('<think>{"scores": []}</think>{"scores": [{"word": "pony", "F": 5, "R": 4}]}', "pony"),
        ('{"scores": [{"word": "pony", "F": 5, "R": 4}]} {"scores": [{"word": "cow", "F": 5, "R": 4}]}', ""),
        ('{"scores": [{"word": "pony", "F": 5, "R": 4}, {"word": "pony", "F": 1, "R": 4}]}', ""),
        ('{"scores": [{"word": "pony", "F": 6, "R": 4}, {"word": "cow", "F": 2, "R": 4}]}', "cow"),
        ('{"scores": [{"word": "pony", "F": true, "R": 4}, {"word": "cow", "F": "5", "R": 4}]}', ""),
        ('{"scores": [{"word": ["pony"], "F": 5, "R": 4}, "cow", {"word": "horse", "F": 5, "R": 4}]}', ""),
        ("pony: F 5, R 4", ""),
        ('{"scores": {"pony": {"F": 5, "R": 4}}}', ""),
        ("", ""),
    ],
)
def test_scores_are_read_or_unread(reply: str, words: str) -> None:
    variants = {word: f"1:noun:horse:{word}" for word in ("pony", "cow")}
    assert [key.rpartition(":")[2] for key in read_scores(reply, variants)] == words.split()


def test_a_log_has_the_scores_that_can_be_read(tmp_path: Path) -> None:
    """Of three questions with unusual replies, one has a word less, one is prose, and one is cut."""
    task = judge(dataset=str(SHIPPED), annotator="model 1")
    unread: list[str] = []

    def reply(number: int, variants: dict[str, str]) -> str:
        whole = scores(number, variants)
        if number == 0:
            unread.append(next(iter(variants.values())))
            return scores(number, dict([*variants.items()][1:]))
        if number in (1, 2):
            unread.extend(variants.values())
            return "All of them are fine." if number == 1 else whole[:-2]
        return whole

    path = run(task, tmp_path, reply)
    read = judgments_in([path])
    rows = {row["variant_id"]: (row["F"], row["R"]) for row in read.table.to_pylist()}
    ids = pq.read_table(SHIPPED / "data/all/test.parquet")["variant_id"].to_pylist()
    assert rows == {key: script(key) for key in ids if key not in unread}
    (record,) = read.judges
    assert (record.annotator, record.model, record.per_question) == ("model 1", "mockllm/model", 10)
    assert record.datasets == (find_dataset(str(SHIPPED)).digest,)
    assert record.settings["temperature"] == "0.0"
    log = _read(path)
    assert log.results is not None
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    good = sum(sum(pair) >= 9 for pair in rows.values())
    assert metrics == {"variants": len(ids), "unread": len(unread), "good": pytest.approx(good / len(rows))}


def _read(path: Path) -> EvalLog:
    from inspect_ai.log import read_eval_log

    return read_eval_log(path)


def test_a_run_that_stopped_is_resumed(tmp_path: Path, sheets: Path) -> None:
    """The first log has a part of the scores, the second has all, and what was answered is not asked again."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai import eval_retry
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    task = judge(sample=str(sheets / "sample.json"), annotator="model 1")
    variants = [(sample.metadata or {})["variants"] for sample in task.dataset]
    asked: list[str] = []

    def answer(messages: list[Any], *_: object) -> ModelOutput:
        of_question = next(of for of in variants if f"Variant: {next(iter(of))}\n" in f"{messages[-1].text}\n")
        asked.append(messages[-1].text)
        if len(asked) == 5:
            raise ConnectionError("the connection was lost")
        output = ModelOutput.from_content("mockllm/model", scores(0, of_question))
        output.usage = ModelUsage(input_tokens=9, output_tokens=2, total_tokens=11)
        return output

    model = get_model("mockllm/model", memoize=False, custom_outputs=answer)
    (stopped,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    assert stopped.status == "error"
    first = judgments_in([stopped.location.removeprefix("file://")])
    assert 0 < first.table.num_rows < sum(map(len, variants))
    stopped.eval.model_args = {}
    (log,) = eval_retry(stopped, log_dir=str(tmp_path), display="none", max_samples=1)
    del log


def test_logs_of_other_tasks_and_broken_ones_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.eval"
    broken.write_bytes(b"PK no log")
    with pytest.raises(InputError, match=r"broken\.eval"):
        judgments_in([broken])


def test_the_log_is_an_annotator_beside_sheets(sheets: Path, tmp_path: Path, annotate: Annotate) -> None:
    sample = read_sample(sheets / "sample.json")
    ids = list(sample.variant_ids)
    given = random_scores(ids, 1)
    fill_csv(sheets / "a1.csv", given)
    task = judge(sample=str(sheets / "sample.json"), annotator="model 1")
    log = run(task, tmp_path / "logs")
    out = tmp_path / "report"
    code, printed = annotate(
        "score", sheets / "a1.csv", log, "--sample", sheets / "sample.json", "--dataset", SHIPPED, "--out", out
    )
    assert code == 0, printed
    numbers = json.loads((out / "annotation.json").read_text())
    assert numbers["annotators"] == ["a1", "model 1"]
    by_annotator = numbers["pool"]["by_annotator"]
    assert by_annotator["model 1"]["good"] == sum(sum(script(key)) >= 9 for key in ids)
    both = sum((sum(script(key)) + sum(given[key])) >= 18 for key in ids)
    assert numbers["pool"]["good"]["good"] == both
    assert [judge_["model"] for judge_ in numbers["judges"]] == ["mockllm/model"]
    assert {of["score"]: of["equal"] for of in numbers["agreement"]} == {
        name: sum(script(key)[at] == given[key][at] for key in ids) for at, name in enumerate("FR")
    }
    assert "mockllm/model" in printed
