"""Tests of `merge-snli score`: options, output, exit codes, tables, bad input, and killed runs."""

import argparse
import doctest
import errno
import importlib
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from merge_snli import Result, read_result, read_results, score, score_table
from merge_snli.base.errors import flag
from merge_snli.base.files import read_json
from merge_snli.base.option import Option, described, option_types
from merge_snli.cli import score as score_command
from merge_snli.cli.option_arguments import given
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.labels import Pair
from merge_snli.results.eval_results import eval_results_file, eval_tasks
from merge_snli.results.rows import ends_text
from merge_snli.scoring.options import IN_PYTHON, ScoreOptions
from tests.commands import Command
from tests.hub.server import Hub
from tests.merge_snli.conftest import MakeModel
from tests.oracles import by_length, known, missing_from, refused
from tests.systems import unix_only
from tests.text_tables import rows_of


def unwrapped(text: str) -> str:
    """Return a text on one line, because notes of tables are wrapped."""
    return " ".join(text.split())


def test_table_on_stdout_and_one_file_per_model(
    bert: Path, roberta: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """Without spaCy, which scoring does not need."""
    monkeypatch.setitem(sys.modules, "spacy", None)
    out = tmp_path / "results"
    printed = command("score", bert, roberta, bert, "--dataset", dataset, "--out", out)
    lines = printed.out.splitlines()
    assert lines[1].startswith("tiny-bert has the highest PA(0.9), ")
    header = next(at for at, line in enumerate(lines) if line.startswith("Model         Seeds  Variants"))
    assert [line.split()[0] for line in lines[header + 2 : header + 4]] == ["tiny-bert", "tiny-roberta"]
    assert printed.err == ""
    results = read_results(out)
    assert [result.model.name for result in results] == ["tiny-bert", "tiny-roberta"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results", "results.work"]
    assert all(f"{(result.scores.seed_accuracy or 0) * 100:.1f}" in printed.out for result in results)


def test_json_is_one_document(bert: Path, dataset: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "results"
    options = ["--dataset", dataset, "--config", "verb", "--format", "json", "--out", out]
    document = command("score", f"small={bert}", "nowhere/at-all", *options, code=2).json
    [path] = out.glob("*.json")
    assert document["results"] == [read_json(path)]
    assert document["results"][0]["model"]["name"] == "small"
    assert list(document["failed"]) == ["nowhere/at-all"]


def test_failing_models_do_not_stop_the_others(
    bert: Path,
    roberta: Path,
    make_model: MakeModel,
    dataset: Path,
    tmp_path: Path,
    command: Command,
    caplog: pytest.LogCaptureFixture,
) -> None:
    numbered = make_model(tmp_path / "numbered", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    config, weights = (Path(shutil.copytree(bert, tmp_path / name)) for name in ("config", "weights"))
    (config / "config.json").write_text('{"model_type": "abacus"}', encoding="utf-8")
    (weights / "model.safetensors").write_bytes(b"cut")
    models = [bert, numbered, "./gone", config, weights, roberta]
    text = unwrapped(command("score", *models, "--dataset", dataset, "--out", tmp_path / "results", code=2).out)
    assert [result.model.name for result in read_results(tmp_path / "results")] == [bert.name, roberta.name]
    assert "--model-labels='label of output 0,label of output 1,label of output 2'" in text
    names = ["numbered", "./gone", "config", "weights"]
    assert not missing_from(text, *(f"{name}: not scored: " for name in names))
    assert f"not scored: {', '.join(names)}" in caplog.messages


def test_bundled_models_that_do_not_classify_or_exist_are_refused(
    dataset: Path, tmp_path: Path, command: Command
) -> None:
    options = ["--dataset", dataset, "--out", tmp_path / "results"]
    masked_lm = command("score", "demo:mlm-bpe", *options, code=2)
    unknown = command("score", "demo:nli-c", *options, code=2)
    assert re.search(r"demo:mlm-bpe is not a sequence classifier \(\w+ForMaskedLM\)", masked_lm.err)
    assert "--model-labels" not in masked_lm.err
    assert not missing_from(unknown.err, "merge-snli: unknown bundled name 'demo:nli-c'", "demo:nli-a", "demo:nli-b")
    assert (masked_lm.out, unknown.out, list(tmp_path.glob("results/*"))) == ("", "", [])


def test_unavailable_hub_models_do_not_stop_the_others(
    hub: Hub, bert: Path, dataset: Path, tmp_path: Path, command: Command
) -> None:
    files = {path.name: path.read_bytes() for path in bert.iterdir()}
    repos = {name: hub.storage.create("model", f"org/{name}") for name in ("gated", "private", "open", "torn")}
    for name, repo in repos.items():
        hub.storage.put(repo, files if name != "torn" else {"README.md": b"weights to come"})
    repos["gated"].gated = True
    repos["private"].private = True
    out = tmp_path / "results"
    names = [f"org/{name}" for name in (*repos, "none")]
    text = unwrapped(command("score", *names, "--dataset", dataset, "--out", out, code=2).out)
    [result] = read_results(out)
    assert (result.model.name, result.model.revision) == ("org/open", repos["open"].branches["main"])
    reasons = {"org/gated": "gated", "org/private": "private", "org/none": "private", "org/torn": "config.json"}
    for name, reason in reasons.items():
        assert re.search(rf"{name}: not scored: ((?!: not scored:).)* {re.escape(reason)}\b", text), name


def test_eval_results_of_all_configs(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """The model is resolved as a Hub model with a commit; the data set needs a Hub id, whose revision is left out."""
    out = tmp_path / "results"
    source = ResolvedModel("org/tiny", bert, "c0ffee", "0" * 64)
    monkeypatch.setattr("merge_snli.scoring.scored_model.find_model", lambda name, **_: source)
    given = ("score", "org/tiny", "--dataset", dataset, "--out", out, "--eval-results", "me/merge_snli@v1")
    command(*given, "--config", "noun")
    command(*given)
    path = eval_results_file("org/tiny", out)
    assert path == out / "eval_results" / "org-tiny" / ".eval_results" / "merge_snli.yaml"
    entries = parse_eval_result_entries(yaml.safe_load(path.read_text(encoding="utf-8")))
    assert {entry.dataset_id for entry in entries} == {"me/merge_snli"}
    assert "model commit c0ffee, float32" in (entries[0].notes or "")
    by_task = {entry.task_id: entry.value for entry in entries}
    assert list(by_task) == [*eval_tasks(("all", "noun"))]
    for result in read_results(out):
        accuracy = 100 * known(result.scores.all_rows_accuracy)
        assert by_task[f"{result.dataset.config}_sample_accuracy"] == pytest.approx(accuracy, abs=0.005)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_disk_error_names_the_folder(
    bert: Path,
    dataset: Path,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    write = Path.write_bytes

    def refuse_shards(path: Path, content: bytes) -> int:
        if ".parquet" in path.name:
            raise OSError(number, "no")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", refuse_shards)
    error = command("score", bert, "--dataset", dataset, "--out", tmp_path / "results", code=2).err
    assert str(tmp_path / "results.work") in error
    assert not list(tmp_path.rglob("*.json.*"))


KILLED = """
import os, signal, sys, torch
from merge_snli.cli import main
from merge_snli.models.runner import runner
from merge_snli.scoring import predict
torch.set_num_threads(1)
runner.INPUTS_PER_SHARD = 16
write = predict.write_checked

def write_and_die(store, shard):
    write(store, shard)
    os.kill(os.getpid(), signal.SIGKILL)

predict.write_checked = write_and_die
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@unix_only
def test_a_killed_and_resumed_run_gives_the_same_bytes(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    arguments = ["score", str(bert), "--dataset", str(dataset), "--out", str(tmp_path / "killed")]
    assert subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False).returncode == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert not (tmp_path / "killed").exists()

    monkeypatch.setattr("merge_snli.models.runner.runner.INPUTS_PER_SHARD", 16)
    for out in ("killed", "whole"):
        command("score", bert, "--dataset", dataset, "--out", tmp_path / out)
    shards = {path: path.stat().st_mtime_ns for path in (tmp_path / "killed.work").rglob("*.parquet")}
    assert 0 < len(kept) < len(shards)
    assert kept.items() <= shards.items()
    [resumed], [whole] = (list((tmp_path / name).glob("*.json")) for name in ("killed", "whole"))
    assert resumed.with_suffix(".parquet").read_bytes() == whole.with_suffix(".parquet").read_bytes()
    assert without_seconds(resumed) == without_seconds(whole)


OF_THIS_RUN = ('    "seconds"', '  "digest"')


def without_seconds(path: Path) -> list[str]:
    assert read_result(path).run.seconds > 0
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(OF_THIS_RUN)]


PARSED = {name: option for name, option in described(ScoreOptions) if option.group not in (IN_PYTHON, "")}


# Arguments for options for which not every text or number will do.
VALUES = {"min_agreement": "4/5", "model_labels": "neutral,entailment"}


def read(*arguments: str) -> ScoreOptions:
    parser = argparse.ArgumentParser()
    score_command.add_arguments(parser)
    parsed = parser.parse_args(["model", "--dataset", "data", "--out", "results", *arguments])
    return ScoreOptions(**given(parsed, ScoreOptions))


def arguments_of(name: str, option: Option) -> Sequence[str]:
    """Return an argument that sets an option to another value than its default."""
    of_type = option_types(ScoreOptions)[name]
    other = option.choices[-1] if option.choices else "2" if of_type is int else "xx"
    return [flag(name)] if of_type is bool else [flag(name), VALUES.get(name, other)]


def test_every_option_has_an_argument_of_the_same_name() -> None:
    options = read(*(text for name, option in PARSED.items() for text in arguments_of(name, option)))
    assert [name for name in PARSED if getattr(options, name) == getattr(ScoreOptions(), name)] == []
    assert (options.min_agreement, options.model_labels) == (4 / 5, ("neutral", "entailment"))
    assert read() == ScoreOptions()


def test_every_option_is_a_keyword_of_score() -> None:
    found = signature(score).parameters
    assert list(found)[3:] == [field.name for field in fields(ScoreOptions)]
    assert all(found[name].default == option.default for name, option in described(ScoreOptions))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"limit_seeds": 0}, "limit_seeds is 0"),
        ({"subsample": -1}, "subsample is -1"),
        ({"min_agreement": 1.5}, "min_agreement is 1.5"),
        ({"dtype": "float8"}, "^dtype is 'float8'"),
        ({"model_labels": "neutral"}, "neutral"),
        ({"by": 3}, "by is 3"),
        ({"prompt": "word"}, "prompt is 'word'.*fill_prompt"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_before_anything_is_read(options: dict[str, Any], named: str) -> None:
    refused(named, score, "missing", Path("missing"), **options)


def never(pairs: list[Pair]) -> list[None]:
    raise AssertionError(pairs)


@pytest.mark.parametrize(
    ("model", "options", "named"),
    [
        (never, {"dtype": "bfloat16"}, "dtype has no effect on a function"),
        (never, {"device": "cpu"}, "device has no effect on a function"),
        (never, {"model_labels": "infer"}, "model_labels has no effect on a function"),
        (never, {"allow_pickle": True}, "allow_pickle has no effect on a function"),
        (never, {"trust_remote_code": True}, "trust_remote_code has no effect on a function"),
        ("ORG/NAME", {"name": "mine"}, "name has no effect on a model given by name"),
        ("ORG/NAME", {"version": "1"}, "version has no effect on a model given by name"),
    ],
)
def test_an_option_of_another_kind_of_model_is_refused(model: Any, options: dict[str, Any], named: str) -> None:  # noqa: ANN401
    refused(named, score, model, "demo:dataset", **options)


@pytest.mark.parametrize(
    "name",
    (
        "merge_snli.models.labels",
        "merge_snli.results.records",
        "merge_snli.paper.report.artifact",
        "merge_snli.paper.report.report",
        "merge_snli.annotation.shown",
        "merge_snli.dataset.variants",
        "merge_snli.statistics.bootstrap",
        "merge_snli.statistics.families",
        "merge_snli.statistics.logistic",
        "merge_snli.statistics.paired_tests",
        "merge_snli.statistics.t_tests",
        "merge_snli.statistics.values",
    ),
)
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


@pytest.fixture(scope="module")
def table_result(dataset: Path) -> Result:
    result = score(by_length, dataset, name="by length")
    found = result.scores
    mean = [*found.curve.mean]
    mean[90] = 0.8477
    scores = replace(
        found,
        seed_accuracy=0.8964,
        qt=-0.0487,
        mt=0.59,
        sample_accuracy=replace(found.sample_accuracy, mean=0.8885),
        pattern_accuracy=replace(found.pattern_accuracy, mean=0.8477),
        curve=replace(found.curve, mean=tuple(mean)),
        intervals=replace(known(found.intervals), pattern_accuracy=(0.8102, 0.9)),
    )
    return replace(result, scores=scores, notes=("a note",))


def test_table_3(table_result: Result) -> None:
    text = score_table([table_result]).text()
    title, *_, last = text.splitlines()
    assert title == "merge_small, config all: 12 seeds, 446 variants"
    assert "mean over 10 subsamples" in text
    assert last == "by length: a note"
    (row,) = rows_of(text)
    assert (row["Model"], row["Seeds"], row["Variants"]) == ("by length", "89.6", "88.8")
    assert (row["PA(0.9)"], row["95% interval"], row["QT"], row["MT"]) == ("84.8", "81.0 to 90.0", "-4.9", "59")


def test_scores_without_interval_and_a_tiny_drop(table_result: Result) -> None:
    without = replace(table_result.scores, intervals=None, seed_accuracy=0.8478, qt=-0.0001)
    (row,) = rows_of(score_table([replace(table_result, scores=without)]).text())
    assert (row["PA(0.9)"], row["95% interval"]) == ("84.8", "–")
    assert row["QT"] == "+0.0", "without a minus"
    assert ends_text((-0.0004, 0.1)) == "0.0 to 10.0"
    assert ends_text((-0.0004, 0.1), sign="+") == "+0.0 to +10.0"


def test_failed_models_are_rows_without_numbers(table_result: Result) -> None:
    text = score_table([table_result], {"org/gone": "not found"}).text()
    gone = rows_of(text)[-1]
    assert gone.pop("Model") == "org/gone"
    assert {*gone.values()} == {"–"}
    assert text.endswith("org/gone: not scored: not found\n")
    assert score_table([], {"org/gone": "not found"}).text().endswith("\n\norg/gone: not scored: not found\n")


def test_names_with_control_characters_or_markup(table_result: Result) -> None:
    model = replace(table_result.model, name="<script>\nb\x1b[2J")
    table = score_table([replace(table_result, model=model)], {"c\rd": "it is\u2028gone"})
    text = table.text()
    html = table.html()
    assert [row["Model"] for row in rows_of(text)] == ["<script> b [2J", "c d"]
    assert text.endswith("c d: not scored: it is gone\n")
    assert "<script>" not in html
    assert not missing_from(html, "&lt;script&gt;", ">84.8<br><small>81.0 to 90.0</small></td>", ">-4.9</td>")
