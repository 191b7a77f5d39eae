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
from merge_snli.dataset.judgments import judgments_in
from merge_snli.dataset.stored import find_dataset
from merge_snli.validation import validate
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate, Score
from tests.merge_snli.annotation.filled import fill_csv, random_scores
from tests.merge_snli.annotation.test_apply import FILE
from tests.merge_snli.language_models.conftest import run_task
from tests.oracles import missing_from, refused, written
from tests.records import copy_bundled

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
    found = []
    for word, key in variants.items():
        fluency, reasoning = script(key)
        found.append({"word": word, "F": fluency, "R": reasoning})
    return json.dumps({"scores": found})


def asked(task: Task) -> list[dict[str, str]]:
    """Return the variants of each question, by replacement."""
    return [(sample.metadata or {})["variants"] for sample in task.dataset]


def pairs_in(log: Path) -> dict[str, tuple[int, int]]:
    """Return F and R of each variant that a log judges."""
    return {row["variant_id"]: (row["F"], row["R"]) for row in judgments_in([log]).table.to_pylist()}


@pytest.fixture(scope="module")
def ids() -> list[str]:
    """The variants of the shipped data set."""
    return list(pq.read_table(SHIPPED / "data/all/test.parquet")["variant_id"].to_pylist())


def run(task: Task, folder: Path, reply: Reply = scores) -> Path:
    """Run the task on a model that replies so, and return its log."""
    return _path(run_task(task, [reply(number, variants) for number, variants in enumerate(asked(task))], folder))


@pytest.mark.parametrize("per_question", [1, 4, 10])
def test_every_variant_is_in_one_question_with_others_of_its_word(per_question: int, ids: list[str]) -> None:
    questions = Counter[str]()
    shown: list[str] = []
    for variants in asked(judge(dataset=str(SHIPPED), per_question=per_question)):
        assert len(variants) <= per_question
        [word] = {key.rpartition(":")[0] for key in variants.values()}
        questions[word] += 1
        shown += variants.values()
    assert sorted(shown) == sorted(ids)
    sizes = Counter(key.rpartition(":")[0] for key in ids)
    assert questions == {word: -(-size // per_question) for word, size in sizes.items()}


def test_a_question_shows_the_seed_and_each_variant_with_marked_words(sheets: Path) -> None:
    sample = read_sample(sheets / "sample.json")
    task = judge(sample=str(sheets / "sample.json"))
    by_id = {row["variant_id"]: row for row in sample.rows}
    assert len(task.dataset) == len(questions(sample))
    for question, variants in zip(task.dataset, asked(task), strict=True):
        system, user = (message.text for message in messages_of(question))
        assert '{"scores": [{"word":' in system
        assert "row" not in system.lower().split("## how to answer")[1]
        for word, key in variants.items():
            shown = question_texts([by_id[key]], sample.texts)
            assert not missing_from(user, *shown)
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


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_log_has_the_scores_that_can_be_read(whole: bool, sheets: Path, tmp_path: Path) -> None:
    """Of four questions with unusual replies, one has a word less, one is prose, one is cut, and one is empty."""
    from inspect_ai.log import read_eval_log

    given = {"dataset": str(SHIPPED)} if whole else {"sample": str(sheets / "sample.json")}
    task = judge(**given, annotator="model 1")
    first, second, third, fourth, *others = asked(task)
    read = [dict([*first.items()][1:]), *others]
    replies = [scores(0, read[0]), "All of them are fine.", scores(0, third)[:-2], ""]
    path = _path(run_task(task, [*replies, *(scores(0, variants) for variants in others)], tmp_path))
    expected = {key: script(key) for variants in read for key in variants.values()}
    assert pairs_in(path) == expected
    (record,) = judgments_in([path]).judges
    assert (record.annotator, record.model, record.per_question) == ("model 1", "mockllm/model", 10)
    assert record.datasets == (find_dataset(str(SHIPPED)).digest,)
    assert record.settings["temperature"] == "0.0"
    found = metrics_of(read_eval_log(path))
    assert found["variants"] == len(expected) + found["unread"]
    assert found["unread (no stated answer)"] == 1 + len(second) + len(third)
    assert found["unread (empty)"] == len(fourth)
    assert found["unread"] == 1 + len(second) + len(third) + len(fourth)
    assert found["good"] == pytest.approx(sum(sum(pair) >= 9 for pair in expected.values()) / len(expected))


def messages_of(sample: Sample) -> list[Any]:
    assert not isinstance(sample.input, str)
    return sample.input


def _path(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


@pytest.fixture(scope="module")
def log(sheets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a judge of the sample, of two variants of which no scores can be read."""
    task = judge(sample=str(sheets / "sample.json"), annotator="model 1")
    return run(task, tmp_path_factory.mktemp("logs"), lambda number, of: "" if number in (3, 4) else scores(number, of))


@pytest.mark.slow
def test_the_log_is_an_annotator_beside_sheets(sheets: Path, log: Path, score: Score) -> None:
    ids = set(pairs_in(log))
    every = read_sample(sheets / "sample.json").shown
    fill_csv(sheets / "a1.csv", random_scores([*every], 1))
    numbers, printed = score(sheets / "a1.csv", log, "--dataset", SHIPPED)
    assert numbers["annotators"] == ["a1", "model 1"]
    assert numbers["unread"] == len(every) - len(ids) > 0
    by_annotator = numbers["pool"]["by_annotator"]
    assert by_annotator["model 1"]["good"] == sum(sum(script(key)) >= 9 for key in ids)
    assert by_annotator["a1"]["variants"] == len(ids)
    assert numbers["judges"][0]["model"] == "mockllm/model"
    assert numbers["datasets"][0]["masked_lms"]
    assert "mockllm/model" in printed


@pytest.mark.slow
def test_the_log_and_a_table_of_it_are_stored_in_the_data_set(
    sheets: Path, log: Path, tmp_path: Path, annotate: Annotate
) -> None:
    folder = copy_bundled(tmp_path / "set")
    judgments = judgments_in([log])
    code, printed = annotate("apply", folder, log, "--sample", sheets / "sample.json")
    assert code == 0, printed
    stored = pq.read_table(folder / FILE)
    assert stored.equals(judgments.table)
    annotation = find_dataset(str(folder)).record.annotation
    assert annotation is not None and annotation.judges == judgments.judges
    assert validate(folder).findings == ()
    table = written(tmp_path / "table.csv", stored.drop_columns("comment").to_pandas().to_csv(index=False))
    assert annotate("apply", folder, table, "--sample", sheets / "sample.json")[0] == 0
    assert pq.read_table(folder / FILE).equals(stored)


def test_a_log_of_other_variants_is_refused(log: Path, annotate: Annotate) -> None:
    """It judged a sample, which `apply` does not know without its file: the sample is all of the data set then."""
    code, printed = annotate("score", log, "--out", log.parent / "out")
    assert (code, "sample" in printed) == (2, True)


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("table.csv", "variant_id,annotator,F,R\n1:noun:a:b,model 1,6,5\n", "F is 6"),
        ("table.csv", "variant_id,annotator,F,R\n1:noun:a:b,model 1,4.5,5\n", "F is 4.5"),
        ("table.csv", "variant_id,annotator,F,R\n1:noun:a:b,model 1,,5\n", "F is None"),
        ("table.csv", "variant_id,annotator,F,R\n1:noun:a:b,,4,5\n", "annotator is ''"),
        ("table.csv", "variant_id,annotator,F,R\n1:noun:a:b,m,4,5\n1:noun:a:b,m,4,5\n", "row 2: m"),
        ("table.csv", "variant_id,F,R\n1:noun:a:b,4,5\n", "annotator is None"),
        ("broken.eval", "PK no log", "broken.eval"),
    ],
)
def test_bad_logs_and_tables_are_refused(name: str, content: str, named: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, content)
    assert not missing_from(str(refused("", judgments_in, [path])), named, str(path))


def test_the_estimate_has_the_calls_of_the_task(sheets: Path, annotate: Annotate) -> None:
    given = ("estimate", "--sample", sheets / "sample.json", "--per-question", "2", "--format", "json")
    code, printed = annotate(*given, "--reasoning-tokens", "100")
    assert code == 0, printed
    estimated = json.loads(printed)
    task = judge(sample=str(sheets / "sample.json"), per_question=2)
    assert estimated["calls"] == len(task.dataset)
    assert estimated["reasoning_tokens"] == 100 * len(task.dataset)
    characters = sum(len(message.text) for sample in task.dataset for message in messages_of(sample))
    assert 0 <= estimated["input_tokens"] - characters / 4 <= 2 * len(task.dataset)


@pytest.mark.slow
def test_a_judge_has_a_limit_of_cost(tmp_path: Path) -> None:
    free = "input: 0, input_cache_write: 0, input_cache_read: 0"
    prices = written(tmp_path / "prices.yaml", f"mockllm/model: {{output: 500000, {free}}}")
    limited = judge(dataset=str(SHIPPED), prices=str(prices), cost_limit=2)
    log = run_task(limited, (scores(0, variants) for variants in asked(limited)), tmp_path / "limited")
    assert 1 < len(log.samples or []) < len(asked(limited))


def test_how_often_a_judge_asks_again_is_checked() -> None:
    from inspect_ai._util.error import PrerequisiteError

    error = refused("", judge, dataset=str(SHIPPED), ask_again=-1, error=PrerequisiteError)
    assert "ask_again is -1" in str(getattr(error, "message", ""))


@pytest.mark.slow
def test_a_question_is_asked_again(sheets: Path, tmp_path: Path) -> None:
    task = judge(sample=str(sheets / "sample.json"), ask_again=1)
    replies = [scores(0, variants) for variants in asked(task)]
    assert metrics_of(run_task(task, ["", *replies], tmp_path, max_connections=1))["unread"] == 0


def metrics_of(log: EvalLog) -> dict[str, float]:
    """Return the numbers of the only scorer of a log."""
    assert log.results is not None
    [scorer] = log.results.scores
    return {name: metric.value for name, metric in scorer.metrics.items()}
