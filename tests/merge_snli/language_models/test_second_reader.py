"""A second model reads what is unread; what is read stays, and its readings are marked and counted apart."""

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from merge_snli.answers.replies import replies_in
from merge_snli.cli import main
from merge_snli.language_models import second_reader
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from merge_snli.results.prompts import group_prompts
from merge_snli.results.store import read_result, read_results
from tests.cases import first_fast
from tests.commands import Command
from tests.merge_snli.language_models.conftest import (
    OWN,
    USAGE,
    prompt_of,
    run_task,
    scripted_model,
)
from tests.oracles import answers_of_groups, missing_from, refused

READER = "mockllm/reader"
SAID = ("entailment", "The man may well be outside.", "No label fits.", "neutral")
# What the second reader says of each reply that is unread.
READ = {SAID[1]: "neutral", SAID[2]: "no stated answer"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The replies that the second reader was asked about."""
    texts = []

    def answer(messages: list[Any], *_: object) -> ModelOutput:
        reply = messages[-1].text.partition("<reply>\n")[2].partition("\n</reply>")[0]
        texts.append(reply)
        output = ModelOutput.from_content(READER, json.dumps({"answer": READ[reply]}))
        usage = ModelUsage(**USAGE)
        return output.model_copy(update={"usage": usage})

    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(second_reader, "get_model", reading(answer))
    return texts


def reading(answer: Callable[..., ModelOutput]) -> Callable[..., Model]:
    """Return what takes the place of `get_model` for a reader that answers so."""

    def model(*, role: str, default: str) -> Model:
        return get_model(role=role, default=get_model(default, memoize=False, custom_outputs=answer))

    return model


def log_of(folder: Path, reader: str | None = None, **options: Any) -> Path:  # noqa: ANN401 - options of the task
    task = nli(OWN, config="verb", limit_seeds=3, reader=reader, **options)
    return Path(run_task(task, cycle(SAID), folder / "logs").location)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of the task without a reader."""
    return log_of(tmp_path_factory.mktemp("plain"))


def test_import_asks_about_unread_replies_only(asked: list[str], log: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    (before,) = import_files([log], OWN)
    assert main(["import", str(log), "--reader", READER, "--dataset", OWN, "--out", str(out)]) == 0
    first = [*asked]
    (after,) = import_files([log], OWN, reader=READER)
    assert {*first} == {*SAID[1:3]}
    assert asked == first  # cached
    assert (before.run.no_answers, before.run.read_by_model) == (16, {})
    assert (after.run.no_answers, after.run.read_by_model) == (8, {READER: 8})
    (path,) = out.glob("*.json")
    kept = {}
    for replies in replies_in(read_result(path).table).values():
        for reply in replies:
            kept[reply.text] = (reply.label, reply.reader)
    assert kept == {
        "entailment": ("entailment", None),
        "neutral": ("neutral", None),
        SAID[1]: ("neutral", READER),
        SAID[2]: (None, None),
    }
    (again,) = import_files([path], OWN, again=True)
    assert (answers_of_groups(again), again.run.read_by_model) == (answers_of_groups(after), after.run.read_by_model)
    assert any(READER in note for note in after.notes)


@pytest.mark.slow
def test_results_with_and_without_a_reader_stand_side_by_side(asked: list[str], log: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    import_files([log], OWN, out=out)
    import_files([log], OWN, out=out, reader=READER)
    import_files([log_of(tmp_path, READER)], OWN, out=out)
    expected = {"model (word)": 16, f"model (word, reader {READER})": 8}
    assert {result.title: result.run.no_answers for result in read_results(out)} == expected
    paths = [path for path in out.glob("*.json") if read_result(path).run.read_by_model]
    import_files(paths, OWN, again=True, out=out, reader=READER)
    assert {result.title for result in read_results(out)} == expected.keys()
    assert {*asked} == {*SAID[1:3]}


@pytest.mark.parametrize("reader", first_fast([READER, "mockllm/model"]))
def test_inspect_marks_what_the_reader_read(reader: str, asked: list[str], tmp_path: Path) -> None:
    path = log_of(tmp_path, reader)
    (scores,) = results.scores if (results := read_eval_log(str(path)).results) else []
    assert scores.metrics["no_answer"].value == 8
    assert scores.metrics["read_by_model"].value == 8
    assert {*asked} == {*SAID[1:3]}
    (result,) = import_files([path], OWN)
    assert (result.run.no_answers, result.run.read_by_model) == (8, {reader: 8})
    taken = prompt_of(result)
    assert (taken.calls, taken.input_tokens, taken.output_tokens) == (33, 33 * 50, 33 * 2)


def test_a_reader_that_inspect_cannot_ask(log: Path) -> None:
    refused("'no such model'", import_files, [log], OWN, reader="no such model")


@pytest.mark.slow
def test_a_reader_whose_provider_fails(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    def fail(*_: object) -> ModelOutput:
        raise ConnectionError("error 401: the key is unknown\nask for another")

    monkeypatch.setattr(second_reader, "get_model", reading(fail))
    options = ["--dataset", OWN, "--out", str(tmp_path / "results"), "--reader", READER]
    (line,) = command("import", log, *options, code=2).err.splitlines()
    assert not missing_from(line, READER, "error 401")
    task = nli(OWN, config="verb", limit_seeds=3, reader=READER)
    (failed,) = inspect_eval(task, model=scripted_model(cycle(SAID)), log_dir=str(tmp_path / "failed"), display="none")
    (line,) = failed.error.message.splitlines() if failed.error else []
    assert "error 401" in line


@pytest.mark.slow
def test_the_schema_of_the_json_prompt(tmp_path: Path) -> None:
    schema: Any = nli(OWN, config="verb", prompt="json", schema=True).config.response_schema
    assert schema.json_schema.properties["answer"].enum == ["entailment", "neutral", "contradiction"]
    assert nli(OWN, config="verb", prompt="json").config.response_schema is None
    results = import_files([log_of(tmp_path, prompt="json", schema=schema) for schema in (False, True)], OWN)
    assert [result.title for result in results] == ["model (json)", "model (json, schema)"]
    assert (len({result.model.digest for result in results}), len(group_prompts(results))) == (2, 2)
    refused("not for word", nli, OWN, config="verb", schema=True, error=PrerequisiteError)
