"""Tests of `merge-snli score`: output, exit codes, bad input, and killed runs."""

import errno
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from merge_snli import read_result, read_results
from merge_snli.cli import main
from merge_snli.models.finding import ResolvedModel
from merge_snli.scoring.eval_results import eval_results_file, eval_tasks
from tests.hub.server import Hub
from tests.systems import unix_only

MakeModel = Callable[..., Path]


def run(*arguments: object) -> int:
    return main(["score", *map(str, arguments)])


def unwrapped(text: str) -> str:
    """Return a text on one line, because notes of tables are wrapped."""
    return " ".join(text.split())


def test_table_on_stdout_and_one_file_per_model(
    bert: Path, roberta: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results"
    assert run(bert, roberta, bert, "--dataset", dataset, "--out", out) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[1].startswith("tiny-bert has the highest PA(0.9), ")
    header = next(at for at, line in enumerate(lines) if line.startswith("Model         Seeds  Variants"))
    assert [line.split()[0] for line in lines[header + 2 : header + 4]] == ["tiny-bert", "tiny-roberta"]
    assert printed.err == ""
    results = read_results(out)
    assert [result.model.name for result in results] == ["tiny-bert", "tiny-roberta"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results", "results.work"]
    for result in results:
        assert f"{(result.scores.seed_accuracy or 0) * 100:.1f}" in printed.out


def test_scoring_works_without_spacy(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    assert run(bert, "--dataset", dataset, "--config", "adj", "--out", tmp_path / "results") == 0
    assert "tiny-bert" in capsys.readouterr().out


def test_json_is_one_document(bert: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results"
    assert run(bert, "nowhere/at-all", "--dataset", dataset, "--out", out, "--config", "verb", "--format", "json") == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    [path] = out.glob("*.json")
    assert document["results"] == [json.loads(path.read_text(encoding="utf-8"))]
    assert list(document["failed"]) == ["nowhere/at-all"]


def test_failing_model_does_not_stop_the_others(
    bert: Path,
    roberta: Path,
    make_model: MakeModel,
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    numbered = make_model(tmp_path / "numbered", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    out = tmp_path / "results"
    assert run(bert, numbered, "./gone", roberta, "--dataset", dataset, "--out", out) == 2
    printed = capsys.readouterr()
    assert len(read_results(out)) == 2
    text = unwrapped(printed.out)
    assert "numbered: not scored:" in text
    assert "--model-labels=entailment,neutral,contradiction" in text
    assert "./gone: not scored: model folder ./gone" in text
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == ["not scored: numbered, ./gone"]


def test_masked_lm_is_refused_without_advice_on_labels(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo:mlm-bpe", "--dataset", dataset, "--out", tmp_path / "results") == 2
    printed = capsys.readouterr()
    assert re.search(r"demo:mlm-bpe is not a sequence classifier \(\w+ForMaskedLM\)", printed.err)
    assert "--model-labels" not in printed.err
    assert printed.out == ""


def test_unknown_bundled_model_names_those_of_its_kind(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo:nli-c", "--dataset", dataset, "--out", tmp_path / "results") == 2
    printed = capsys.readouterr()
    assert (printed.out, list(tmp_path.iterdir())) == ("", [])
    assert printed.err == "merge-snli: unknown bundled name 'demo:nli-c': choose from demo:nli-a, demo:nli-b\n"


def test_checkpoints_of_the_same_name_are_told_apart(
    make_model: MakeModel, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = make_model(tmp_path / "one" / "checkpoint-500")
    second = make_model(tmp_path / "two" / "checkpoint-500", seed=1)
    out = tmp_path / "results"
    assert run(first, second, f"small={first}", "--dataset", dataset, "--out", out) == 0
    names = ["one/checkpoint-500", "small", "two/checkpoint-500"]
    assert sorted(result.model.name for result in read_results(out)) == names
    printed = capsys.readouterr().out
    assert all(f"\n{name} " in printed for name in names)
    for name in ("small", "checkpoint-500"):
        assert run(f"{name}={first}", f"{name}={second}", "--dataset", dataset, "--out", out) == 2
        assert f"two models are named {name} " in capsys.readouterr().err


def break_model(folder: Path, kind: str) -> None:
    if kind == "config":
        (folder / "config.json").write_text("{", encoding="utf-8")
    elif kind == "architecture":
        (folder / "config.json").write_text('{"model_type": "abacus"}', encoding="utf-8")
    elif kind == "tokenizer":
        for path in folder.glob("tokenizer*"):
            path.unlink()
    else:
        (folder / "model.safetensors").write_bytes(b"cut")


@pytest.mark.parametrize("kind", ["config", "architecture", "tokenizer", "weights"])
def test_a_broken_model_does_not_stop_the_others(
    bert: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    broken = Path(shutil.copytree(bert, tmp_path / "broken"))
    break_model(broken, kind)
    assert run(broken, bert, "--dataset", dataset, "--out", tmp_path / "results") == 2
    assert [result.model.name for result in read_results(tmp_path / "results")] == [bert.name]
    assert "broken: not scored: " in unwrapped(capsys.readouterr().out)


def test_unavailable_hub_models_do_not_stop_the_others(
    hub: Hub, bert: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {path.name: path.read_bytes() for path in bert.iterdir()}
    repos = {name: hub.storage.create("model", f"org/{name}") for name in ("gated", "private", "open", "torn")}
    for name, repo in repos.items():
        hub.storage.put(repo, files if name != "torn" else {"README.md": b"weights to come"})
    repos["gated"].gated, repos["private"].private = True, True
    out = tmp_path / "results"
    names = [f"org/{name}" for name in (*repos, "none")]
    assert run(*names, "--dataset", dataset, "--out", out) == 2
    [result] = read_results(out)
    assert (result.model.name, result.model.revision) == ("org/open", repos["open"].branches["main"])
    text = unwrapped(capsys.readouterr().out)
    reasons = {"org/gated": "gated", "org/private": "private", "org/none": "private", "org/torn": "config.json"}
    for name, reason in reasons.items():
        assert re.search(rf"{name}: not scored: ((?!: not scored:).)* {re.escape(reason)}\b", text), name


def test_eval_results_of_all_configs(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is resolved as a Hub model with a commit."""
    source = ResolvedModel("org/tiny", bert, "c0ffee", "0" * 64)
    monkeypatch.setattr("merge_snli.models.scored_model.find_model", lambda name, **_: source)
    out = tmp_path / "results"
    for config in ("noun", "all"):
        arguments = ("--dataset", dataset, "--config", config, "--out", out, "--eval-results", "me/merge_snli")
        assert run("org/tiny", *arguments) == 0
    path = eval_results_file("org/tiny", out)
    assert path == out / "eval_results" / "org-tiny" / ".eval_results" / "merge_snli.yaml"
    entries = parse_eval_result_entries(yaml.safe_load(path.read_text(encoding="utf-8")))
    assert {entry.dataset_id for entry in entries} == {"me/merge_snli"}
    by_task = {entry.task_id: entry.value for entry in entries}
    assert list(by_task) == [*eval_tasks(("all", "noun"))]
    results = {result.dataset.config: result for result in read_results(out)}
    for name, result in results.items():
        accuracy = result.scores.all_rows_accuracy
        assert accuracy is not None
        assert by_task[f"{name}_sample_accuracy"] == pytest.approx(100 * accuracy, abs=0.005)
    assert "model commit c0ffee, float32" in (entries[0].notes or "")


def test_eval_results_need_a_hub_id_without_revision(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(dataset.parent.parent)
    relative = dataset.relative_to(dataset.parent.parent)
    arguments = ("--dataset", relative, "--config", "noun", "--out", tmp_path / "results", "--eval-results")
    assert str(relative).count("/") == 1
    assert run(bert, *arguments) == 2
    assert "is not a Hub id" in capsys.readouterr().err
    source = ResolvedModel("org/tiny", bert, "c0ffee", "0" * 64)
    monkeypatch.setattr("merge_snli.models.scored_model.find_model", lambda name, **_: source)
    assert run("org/tiny", *arguments, "me/merge_snli@v1") == 0
    entries = yaml.safe_load(eval_results_file("org/tiny", tmp_path / "results").read_text(encoding="utf-8"))
    assert {entry.dataset_id for entry in parse_eval_result_entries(entries)} == {"me/merge_snli"}


def test_labels_on_the_command_line(make_model: MakeModel, dataset: Path, tmp_path: Path) -> None:
    numbered = make_model(tmp_path / "numbered", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    labels = "contradiction,entailment,neutral"
    assert run(numbered, "--model-labels", labels, "--dataset", dataset, "--out", tmp_path / "results") == 0
    [result] = read_results(tmp_path / "results")
    assert result.model.labels == ("contradiction", "entailment", "neutral")
    assert result.model.config_labels == ("LABEL_0", "LABEL_1", "LABEL_2")
    assert "labels given as contradiction,entailment,neutral" in result.notes


BAD = {
    "no data set": (["--dataset", "./nowhere"], "./nowhere"),
    "folder without run": (["--dataset", "{empty}"], "run.json"),
    "unknown config": (["--config", "nouns"], "all, noun"),
    "config of seeds": (["--config", "seed"], "all, noun, verb, adj"),
    "bad labels": (["--model-labels", "a,b,c"], "--model-labels 'a,b,c'"),
    "out is a file": (["--out", "{file}"], "{file}"),
    "out is below a file": (["--out", "{file}/results"], "{file}"),
    "out has other files": (["--out", "{full}"], "letter.txt"),
    "eval results of a folder": (["--eval-results"], "{dataset}"),
    "no such device": (["--device", "abacus"], "--device abacus"),
}
"""Arguments, and what the error must name."""


@pytest.mark.parametrize(("arguments", "named"), BAD.values(), ids=BAD)
def test_bad_input_is_named_and_exits_with_code_2(
    bert: Path,
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    named: str,
) -> None:
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    for name in ("file", "full/letter.txt"):
        (tmp_path / name).write_text("text", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    paths = {"dataset": dataset} | {name: tmp_path / name for name in ("empty", "full", "file")}
    bad = [argument.format_map(paths) for argument in arguments]
    assert run(bert, "--dataset", dataset, "--out", tmp_path / "results", *bad) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("merge-snli: ")
    assert named.format_map(paths) in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_parquet_file_is_named(
    bert: Path, make_dataset: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_dataset(tmp_path / "data", seeds=3)
    (folder / "data/all/test.parquet").write_bytes(b"PAR1")
    assert run(bert, "--dataset", folder, "--out", tmp_path / "results") == 2
    assert "data/all/test.parquet" in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_disk_error_names_the_folder(
    bert: Path,
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    write = Path.write_bytes

    def refuse_shards(path: Path, content: bytes) -> int:
        if ".parquet" in path.name:
            raise OSError(number, "no")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", refuse_shards)
    assert run(bert, "--dataset", dataset, "--out", tmp_path / "results") == 2
    assert str(tmp_path / "results.work") in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.json.*"))


def test_an_interrupted_run_keeps_its_shards(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from merge_snli.scoring.predict import PredictionStore

    add = PredictionStore.add

    def add_and_interrupt(store: PredictionStore, shard: object) -> None:
        add(store, shard)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr("merge_snli.scoring.predict.PAIRS_PER_SHARD", 32)
    monkeypatch.setattr(PredictionStore, "add", add_and_interrupt)
    assert run(bert, "--dataset", dataset, "--out", tmp_path / "results") == 130
    assert len(list(tmp_path.rglob("*.parquet"))) == 1
    assert not list(tmp_path.rglob("results/*"))


KILLED = """
import os, signal, sys, torch
from merge_snli.cli import main
from merge_snli.scoring import predict
torch.set_num_threads(1)
predict.PAIRS_PER_SHARD = 16
add = predict.PredictionStore.add

def add_and_die(store, shard):
    add(store, shard)
    os.kill(os.getpid(), signal.SIGKILL)

predict.PredictionStore.add = add_and_die
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@unix_only
def test_a_killed_and_resumed_run_gives_the_same_bytes(
    bert: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["score", str(bert), "--dataset", str(dataset), "--out", str(tmp_path / "killed")]
    assert subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False).returncode == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert not (tmp_path / "killed").exists()

    monkeypatch.setattr("merge_snli.scoring.predict.PAIRS_PER_SHARD", 16)
    for out in ("killed", "whole"):
        assert run(bert, "--dataset", dataset, "--out", tmp_path / out) == 0
    shards = {path: path.stat().st_mtime_ns for path in (tmp_path / "killed.work").rglob("*.parquet")}
    assert 0 < len(kept) < len(shards)
    assert kept.items() <= shards.items()
    [resumed], [whole] = (list((tmp_path / name).glob("*.json")) for name in ("killed", "whole"))
    assert resumed.with_suffix(".parquet").read_bytes() == whole.with_suffix(".parquet").read_bytes()
    assert without_seconds(resumed) == without_seconds(whole)


def without_seconds(path: Path) -> list[str]:
    assert read_result(path).run.seconds > 0
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith('    "seconds"')]
