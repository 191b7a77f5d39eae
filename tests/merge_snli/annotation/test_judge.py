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
from merge_snli.validation import validate
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate
from tests.merge_snli.annotation.filled import fill_csv, random_scores
from tests.merge_snli.annotation.test_apply import copy_of_shipped
from tests.merge_snli.language_models.conftest import run_task

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
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
    return _path(run_task(task, [reply(number, of_question) for number, of_question in enumerate(variants)], folder))


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
        system, user = messages_of(question)
        assert '{"scores": [{"word":' in str(getattr(system, "content", ""))
        assert "row" not in str(getattr(system, "content", "")).lower().split("## how to answer")[1]
        for word, key in (question.metadata or {})["variants"].items():
            shown = question_texts([by_id[key]], sample.texts)
            assert all(paragraph in str(getattr(user, "content", "")) for paragraph in shown)
            assert f"*{word}*" in shown[1]


def test_the_schema_is_that_of_the_reply_that_is_read() -> None:
    import jsonschema

    task = judge(dataset=str(SHIPPED))
    assert task.config.response_schema is not None
    schema = task.config.response_schema.json_schema.model_dump(exclude_none=True)
    jsonschema.validate(json.loads(scores(0, {"pony": "1:noun:horse:pony"})), schema)
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
    from inspect_ai.log import read_eval_log

    log = read_eval_log(path)
    assert log.results is not None
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    good = sum(sum(pair) >= 9 for pair in rows.values())
    assert metrics == {"variants": len(ids), "unread": len(unread), "good": pytest.approx(good / len(rows))}


def test_a_run_that_stopped_is_resumed(tmp_path: Path, sheets: Path) -> None:
    """The first log has a part of the scores, the second has all, and what was answered is not asked again."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai import eval_retry
    from inspect_ai.model import ChatMessage, ModelAPI, ModelOutput, ModelUsage, modelapi

    task = judge(sample=str(sheets / "sample.json"), annotator="model 1")
    variants = {messages_of(sample)[-1].text: (sample.metadata or {})["variants"] for sample in task.dataset}
    asked: list[str] = []

    class Scripted(ModelAPI):
        """Replies to all questions but the fifth, at which it has no connection."""

        async def generate(self, input: list[ChatMessage], *_: Any, **__: Any) -> ModelOutput:  # noqa: ANN401
            asked.append(input[-1].text)
            if len(asked) == 5:
                raise OSError("no connection")
            output = ModelOutput.from_content(self.model_name, scores(0, variants[asked[-1]]))
            output.usage = ModelUsage(input_tokens=9, output_tokens=2, total_tokens=11)
            return output

    modelapi(name="scripted_judge")(Scripted)
    (stopped,) = inspect_eval(task, model="scripted_judge/m", log_dir=str(tmp_path), display="none", max_samples=1)
    assert stopped.error is not None
    assert "no connection" in stopped.error.message
    assert judgments_in([_path(stopped)]).table.num_rows < len(read_sample(sheets / "sample.json").rows)
    (log,) = eval_retry(stopped, log_dir=str(tmp_path), display="none", max_samples=1)
    assert {row["variant_id"]: (row["F"], row["R"]) for row in judgments_in([_path(log)]).table.to_pylist()} == {
        key: script(key) for of_question in variants.values() for key in of_question.values()
    }
    assert sorted(asked) == sorted([*variants, asked[4]])


def messages_of(sample: Sample) -> list[Any]:
    assert not isinstance(sample.input, str)
    return sample.input


def _path(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


def test_logs_of_other_tasks_and_broken_ones_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.eval"
    broken.write_bytes(b"PK no log")
    with pytest.raises(InputError, match=r"broken\.eval"):
        judgments_in([broken])


@pytest.fixture(scope="module")
def log(sheets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a judge of the sample, of two variants of which no scores can be read."""
    task = judge(sample=str(sheets / "sample.json"), annotator="model 1")
    return run(task, tmp_path_factory.mktemp("logs"), lambda number, of: "" if number in (3, 4) else scores(number, of))


def judged_in(log: Path) -> set[str]:
    return set(judgments_in([log]).table["variant_id"].to_pylist())


def test_the_log_is_an_annotator_beside_sheets(sheets: Path, log: Path, tmp_path: Path, annotate: Annotate) -> None:
    file, out, ids = sheets / "sample.json", tmp_path / "report", judged_in(log)
    every = read_sample(file).variant_ids
    given = random_scores([*every], 1)
    fill_csv(sheets / "a1.csv", given)
    code, printed = annotate("score", sheets / "a1.csv", log, "--dataset", SHIPPED, "--out", out)
    assert code == 0, printed
    numbers = json.loads((out / "annotation.json").read_text())
    assert numbers["annotators"] == ["a1", "model 1"]
    assert numbers["unread"] == len(every) - len(ids) > 0
    by_annotator = numbers["pool"]["by_annotator"]
    assert by_annotator["model 1"]["good"] == sum(sum(script(key)) >= 9 for key in ids)
    assert by_annotator["a1"]["variants"] == len(ids)
    assert numbers["pool"]["good"]["good"] == sum(sum(script(key)) + sum(given[key]) >= 18 for key in ids)
    assert [judge_["model"] for judge_ in numbers["judges"]] == ["mockllm/model"]
    assert {of["score"]: of["equal"] for of in numbers["agreement"]} == {
        name: sum(script(key)[at] == given[key][at] for key in ids) for at, name in enumerate("FR")
    }
    assert sum(of["good"]["variants"] for of in numbers["datasets"][0]["classes"].values()) == len(ids)
    assert numbers["datasets"][0]["masked_lms"]
    assert "mockllm/model" in printed


def test_the_log_and_a_table_of_it_are_stored_in_the_data_set(
    sheets: Path, log: Path, tmp_path: Path, annotate: Annotate
) -> None:
    folder = copy_of_shipped(tmp_path / "set")
    code, printed = annotate("apply", folder, log, "--sample", sheets / "sample.json")
    assert code == 0, printed
    stored = pq.read_table(folder / "data/annotation/test.parquet")
    assert stored.equals(judgments_in([log]).table)
    annotation = find_dataset(str(folder)).record.annotation
    assert annotation is not None
    assert annotation.judges == judgments_in([log]).judges
    assert validate(folder).findings == ()
    table = tmp_path / "table.csv"
    table.write_text(stored.drop_columns("comment").to_pandas().to_csv(index=False), encoding="utf-8")
    assert annotate("apply", folder, table, "--sample", sheets / "sample.json")[0] == 0
    assert pq.read_table(folder / "data/annotation/test.parquet").equals(stored)


def test_a_log_of_other_variants_is_refused(log: Path, annotate: Annotate) -> None:
    """It judged a sample, which `apply` does not know without its file: the sample is all of the data set then."""
    code, printed = annotate("score", log, "--out", log.parent / "out")
    assert code == 2
    assert "sample" in printed


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("variant_id,annotator,F,R\n1:noun:a:b,model 1,6,5\n", "F is 6"),
        ("variant_id,annotator,F,R\n1:noun:a:b,model 1,4.5,5\n", "F is 4.5"),
        ("variant_id,annotator,F,R\n1:noun:a:b,model 1,,5\n", "F is None"),
        ("variant_id,annotator,F,R\n1:noun:a:b,,4,5\n", "annotator is ''"),
        ("variant_id,annotator,F,R\n1:noun:a:b,m,4,5\n1:noun:a:b,m,4,5\n", "row 2: m"),
        ("variant_id,F,R\n1:noun:a:b,4,5\n", "annotator is None"),
    ],
)
def test_a_table_with_bad_scores_is_refused(rows: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(InputError) as error:
        judgments_in([path])
    assert named in str(error.value)
    assert str(path) in str(error.value)


def test_the_estimate_has_the_calls_of_the_task(sheets: Path, annotate: Annotate) -> None:
    prices = ("--input-price", "2", "--output-price", "10", "--reasoning-tokens", "100")
    code, printed = annotate(
        "estimate", "--sample", sheets / "sample.json", "--per-question", "2", *prices, "--format", "json"
    )
    assert code == 0, printed
    estimated, task = json.loads(printed), judge(sample=str(sheets / "sample.json"), per_question=2)
    assert estimated["calls"] == len(task.dataset)
    characters = sum(len(message.text) for sample in task.dataset for message in messages_of(sample))
    assert characters / 4 <= estimated["input_tokens"] <= characters / 4 + 2 * len(task.dataset)
    assert estimated["reasoning_tokens"] == 100 * len(task.dataset)
    tokens = 2 * estimated["input_tokens"] + 10 * (estimated["output_tokens"] + estimated["reasoning_tokens"])
    assert estimated["cost"] == pytest.approx(tokens / 1_000_000)
