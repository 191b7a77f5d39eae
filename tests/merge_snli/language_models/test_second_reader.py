"""A second model reads what is unread; what is read stays, and its readings are marked and counted apart."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from lm_eval.models.dummy import DummyLM

from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.language_models import second_reader
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from merge_snli.scoring.prompts import group_prompts
from merge_snli.scoring.replies import replies_in
from merge_snli.scoring.store import read_result, read_results
from tests.merge_snli.language_models.conftest import OWN, lm_eval_logs_of
from tests.oracles import answers_of_groups

READER = "mockllm/reader"
SAID = ("entailment", "The man may well be outside.", "No label fits.", "neutral")
# What the second reader says of each reply that is unread; the dummy model of lm-evaluation-harness says the last.
READ = {SAID[1]: "neutral", SAID[2]: "no stated answer", "lol": "contradiction"}


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
    monkeypatch.setattr(second_reader, "get_model", reading(answer))
    return texts


def reading(answer: Callable[..., ModelOutput]) -> Callable[..., Model]:
    """Return what takes the place of `get_model` for a reader that answers so."""

    def model(*, role: str, default: str) -> Model:
        return get_model(role=role, default=get_model(default, memoize=False, custom_outputs=answer))

    return model


def log_of(tmp_path: Path, reader: str | None = None, **options: Any) -> Path:  # noqa: ANN401 - options of the task
    task = nli(OWN, config="verb", limit_seeds=3, reader=reader, **options)
    model = model_of("mockllm/model", cycle())
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", max_samples=1)
    assert log.status == "success", log.error
    return Path(log.location)


def test_import_asks_about_unread_replies_only(asked: list[str], tmp_path: Path) -> None:
    log, out = log_of(tmp_path), tmp_path / "results"
    (before,) = import_files([log], OWN)
    options = ["--dataset", OWN, "--out", str(out)]
    assert main(["import", str(log), "--reader", READER, *options]) == 0
    assert {*asked} == {*SAID[1:3]}
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
    assert any(READER in note for note in after.notes)


def test_results_with_and_without_a_reader_stand_side_by_side(asked: list[str], tmp_path: Path) -> None:
    log, out = log_of(tmp_path), tmp_path / "results"
    import_files([log], OWN, out=out)
    import_files([log], OWN, out=out, reader=READER)
    results = {result.title: result for result in read_results(out)}
    assert {*results} == {"model (word)", f"model (word, reader {READER})"}
    assert [result.run.no_answers for _, result in sorted(results.items())] == [16, 8]
    paths = [path for path in out.glob("*.json") if read_result(path).run.read_by_model]
    import_files(paths, OWN, again=True, out=out, reader=READER)
    assert len(read_results(out)) == 2
    import_files([log_of(tmp_path, READER)], OWN, out=out)
    assert {result.title for result in read_results(out)} == {*results}
    assert {*asked} == {*SAID[1:3]}


def test_a_log_of_lm_eval(asked: list[str], tmp_path: Path) -> None:
    where = ["--config", "verb", "--limit-seeds", "2", "--prompt", "word", "--out", str(tmp_path / "tasks")]
    assert main(["harness", OWN, *where]) == 0
    logs = lm_eval_logs_of(DummyLM(), ["merge_snli_verb_word_generate"], tmp_path)
    (result,) = import_files(logs, OWN, reader=READER)
    assert asked == ["lol"]
    assert {*(answers_of_groups(result).seeds or ())} == {"contradiction"}
    assert result.run.prompt is not None
    assert (result.run.no_answers, result.run.read_by_model) == (0, {READER: result.run.prompt.calls})


@pytest.mark.parametrize("reader", [READER, "mockllm/model"])
def test_inspect_marks_what_the_reader_read(reader: str, asked: list[str], tmp_path: Path) -> None:
    path = log_of(tmp_path, reader)
    log = read_eval_log(str(path))
    assert log.results is not None
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert (metrics["no_answer"], metrics["read_by_model"]) == (8, 8)
    assert {*asked} == {*SAID[1:3]}
    (result,) = import_files([path], OWN)
    assert (result.run.no_answers, result.run.read_by_model) == (8, {reader: 8})
    assert result.run.prompt is not None
    taken = result.run.prompt
    assert (taken.calls, taken.input_tokens, taken.output_tokens) == (33, 33 * 5, 33 * 2)


def test_a_reader_that_inspect_cannot_ask(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'no such model'"):
        import_files([log_of(tmp_path)], OWN, reader="no such model")


def test_a_reader_whose_provider_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> ModelOutput:
        raise ConnectionError("error 401: the key is unknown\nask for another")

    log = log_of(tmp_path)
    monkeypatch.setattr(second_reader, "get_model", reading(fail))
    options = ["--dataset", OWN, "--out", str(tmp_path / "results"), "--reader", READER]
    assert main(["import", str(log), *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert READER in line
    assert "error 401" in line
    task = nli(OWN, config="verb", limit_seeds=3, reader=READER)
    (failed,) = inspect_eval(
        task, model=model_of("mockllm/model", cycle()), log_dir=str(tmp_path / "failed"), display="none"
    )
    assert failed.error is not None
    assert failed.error.message.splitlines() == [failed.error.message]
    assert "error 401" in failed.error.message


def test_the_schema_of_the_json_prompt(tmp_path: Path) -> None:
    schema = nli(OWN, config="verb", prompt="json", schema=True).config.response_schema
    assert schema is not None
    assert schema.json_schema.properties is not None
    assert schema.json_schema.properties["answer"].enum == ["entailment", "neutral", "contradiction"]
    assert nli(OWN, config="verb", prompt="json").config.response_schema is None
    results = import_files([log_of(tmp_path, prompt="json", schema=schema) for schema in (False, True)], OWN)
    assert [result.title for result in results] == ["model (json)", "model (json, schema)"]
    assert len({result.model.digest for result in results}) == 2
    assert len(group_prompts(results)) == 2
    with pytest.raises(PrerequisiteError, match="not for word"):
        nli(OWN, config="verb", schema=True)
