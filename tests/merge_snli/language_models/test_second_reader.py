"""A second model reads what is unread; what is read stays, and its readings are marked and counted apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.language_models import second_reader
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from merge_snli.scoring.replies import replies_in
from merge_snli.scoring.store import read_result
from tests.merge_snli.language_models.conftest import OWN
from tests.oracles import answers_of_groups

READER = "mockllm/reader"
SAID = ("entailment", "The man may well be outside.", "No label fits.", "neutral")
# What the second reader says of each reply that is unread.
READ = {SAID[1]: "neutral", SAID[2]: "no stated answer"}


def model_of(name: str, answers: Iterator[str]) -> Model:
    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content(name, next(answers))
        output.usage = ModelUsage(input_tokens=5, output_tokens=2, total_tokens=7)
        return output

    return get_model(name, memoize=False, custom_outputs=answer)


def cycle() -> Iterator[str]:
    while True:
        yield from SAID


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The replies that the second reader was asked about."""
    texts: list[str] = []

    def answer(messages: list[Any], *_: object) -> ModelOutput:
        reply = messages[-1].text.partition("<reply>\n")[2].partition("\n</reply>")[0]
        texts.append(reply)
        output = ModelOutput.from_content(READER, json.dumps({"answer": READ[reply]}))
        output.usage = ModelUsage(input_tokens=50, output_tokens=20, total_tokens=70)
        return output

    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    model = get_model(READER, memoize=False, custom_outputs=answer)
    monkeypatch.setattr(second_reader, "get_model", {READER: model}.__getitem__)
    return texts


def log_of(tmp_path: Path, reader: str | None = None) -> Path:
    task = nli(OWN, config="verb", limit_seeds=3, reader=reader)
    model = model_of("mockllm/model", cycle())
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", max_samples=1)
    assert log.status == "success", log.error
    return Path(log.location)


def test_import_asks_about_unread_replies_only(asked: list[str], tmp_path: Path) -> None:
    log, out = log_of(tmp_path), tmp_path / "results"
    (before,) = import_files([log], OWN)
    options = ["--dataset", OWN, "--out", str(out)]
    assert main(["import", str(log), "--reader", READER, *options]) == 0
    assert {*asked} == {*READ}
    first = len(asked)
    (after,) = import_files([log], OWN, reader=READER)
    assert len(asked) == first  # cached
    assert (before.run.no_answers, before.run.read_by_model) == (16, {})
    assert (after.run.no_answers, after.run.read_by_model) == (8, {READER: 8})
    (path,) = out.glob("*.json")
    kept = {
        reply.text: (reply.label, reply.reader)
        for each in replies_in(read_result(path).table).values()
        for reply in each
    }
    assert kept == {"entailment": ("entailment", None), "neutral": ("neutral", None)} | {
        SAID[1]: ("neutral", READER),
        SAID[2]: (None, None),
    }
    (again,) = import_files([path], OWN, again=True)
    assert (answers_of_groups(again), again.run.read_by_model) == (answers_of_groups(after), after.run.read_by_model)
    assert any("read by" in note or READER in note for note in after.notes)


def test_inspect_marks_what_the_reader_read(asked: list[str], tmp_path: Path) -> None:
    path = log_of(tmp_path, READER)
    log = read_eval_log(str(path))
    assert log.results is not None
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert (metrics["no_answer"], metrics["read_by_model"]) == (8, 8)
    assert {*asked} == {*READ}
    (result,) = import_files([path], OWN)
    assert (result.run.no_answers, result.run.read_by_model) == (8, {READER: 8})
    assert result.run.prompt is not None
    assert (result.run.prompt.calls, result.run.prompt.input_tokens) == (33, 33 * 5)


def test_a_reader_that_inspect_cannot_ask(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'no such model'"):
        import_files([log_of(tmp_path)], OWN, reader="no such model")


def test_the_schema_of_the_json_prompt() -> None:
    schema = nli(OWN, config="verb", prompt="json", schema=True).config.response_schema
    assert schema is not None
    assert schema.json_schema.properties is not None
    assert schema.json_schema.properties["answer"].enum == ["entailment", "neutral", "contradiction"]
    assert nli(OWN, config="verb", prompt="json").config.response_schema is None
    with pytest.raises(PrerequisiteError, match="not for word"):
        nli(OWN, config="verb", schema=True)
