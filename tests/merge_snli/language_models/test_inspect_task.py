"""The Inspect task on a scripted model: its metrics equal those computed from the script; Inspect's page of a log."""

import math
import socket
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, read_eval_log

from merge_snli.language_models import inspect_task
from tests.browser import chromium
from tests.merge_snli.language_models.conftest import OWN, Run, right_answers, run_tasks, scripted_answers
from tests.processes import wait_until

ROOT = Path(__file__).parents[3]

nli = partial(inspect_task.nli, OWN)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (score,) = log.results.scores
    return {name: float(metric.value) for name, metric in score.metrics.items()}


def test_the_metrics_equal_those_of_the_script(run: Run) -> None:
    task = nli(config="all", subsample="all", limit_seeds=12)
    answers = scripted_answers(task, *["{0}"] * 5, "Answer: **{1}**.", '{{"label": "{0}"}}', "{2}", "{2}", "?")
    values = metrics(run(task, answers))
    seeds, subsamples = right_answers(task, answers, lambda label, answer: label in answer.lower())
    assert values["seed_sample_accuracy"] == fmean(seeds)
    accuracy = fmean(fmean(right for rows in groups for right in rows) for groups in subsamples)
    assert values["sample_accuracy"] == pytest.approx(accuracy, abs=1e-12)
    passing = [fmean(sum(rows) >= math.ceil(round(0.9 * len(rows), 9)) for rows in groups) for groups in subsamples]
    assert values["pattern_accuracy"] == pytest.approx(fmean(passing), abs=1e-12)
    assert values["no_answer"] == answers.count("?") > 0
    assert values["seed_sample_accuracy_stderr"] == pytest.approx(stdev(seeds) / math.sqrt(len(seeds)))


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [({"seeds": "without"}, "seed_sample_accuracy"), ({"seeds": "only"}, "sample_accuracy")],
)
def test_what_was_not_asked_has_no_metric(run: Run, arguments: dict[str, str], absent: str) -> None:
    task = nli(config="noun", limit_seeds=2, **arguments)
    values = metrics(run(task, [str(sample.target) for sample in task.dataset]))
    assert absent not in values
    assert set(values.values()) <= {0.0, 1.0}


def test_tokens_are_not_counted_with_a_downloaded_file(run: Run, tmp_path: Path) -> None:
    """The tests of this folder run offline: only a model that does not state its usage needs the file."""
    task = nli(config="noun", limit_seeds=1)
    assert run(task, ["neutral"] * len(task.dataset)).status == "success"
    (log,) = inspect_eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none", limit=1)
    assert "would be downloaded" in str(log.error and log.error.message)


def test_the_log_says_what_was_asked_and_how(run: Run) -> None:
    task = nli(config="noun", limit_seeds=2, prompt="few_shot", shots=2)
    log = run(task, ["neutral"] * len(task.dataset))
    assert log.eval.task == "merge_snli/nli"
    record, variant = (log.eval.metadata or {})["merge_snli"], (log.samples or [])[-1]
    assert (record["config"], record["subsample"], record["shots"], record["prompt"]) == ("noun", 0, 2, "few_shot")
    assert variant.metadata.keys() >= {"seed_id", "variant_id", "original", "replacement", "word_class"}
    assert variant.id == variant.metadata["variant_id"]
    assert [message.role for message in variant.input if not isinstance(message, str)] == ["system", "user"]
    assert str(variant.input).count("Premise: ") == 3


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (nli, {"config": "adverb"}, "adverb"),
        (nli, {"subsample": 99}, "subsample is 99"),
        (nli, {"subsample": "first"}, "subsample is 'first'"),
        (nli, {"seeds": "none"}, "seeds is 'none'"),
        (nli, {"prompt": "five_shot"}, "no prompt 'five_shot'"),
        (nli, {"prompt": "reasons", "shots": 2}, "which the 2 shots do not have"),
        (nli, {"prompt": "few_shot", "shots": -1}, "shots is -1"),
        (nli, {"prompt": "few_shot", "shots_from": "no/such/file.jsonl"}, "no/such/file.jsonl"),
        (nli, {"limit_seeds": 0}, "limit_seeds is 0"),
        (inspect_task.nli, {}, "-T dataset="),
        (inspect_task.nli_by_prompt, {"dataset": OWN, "prompt": "wrod"}, "no prompt 'wrod'"),
        (inspect_task.nli_by_prompt, {"dataset": OWN, "prompt": ["all", "word"]}, "two prompts"),
    ],
)
def test_wrong_arguments(make: Callable[..., object], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PrerequisiteError) as raised:
        make(**arguments)
    assert message in str(raised.value.message)


def test_the_entry_point_is_the_module_of_the_task() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, module),) = project["entry-points"]["inspect_ai"].items()
    assert name == module.partition(".")[0] == "merge_snli"
    assert callable(import_module(module).nli)


def test_the_prompt_decides_where_an_answer_ends() -> None:
    word, reasons = (nli(config="noun", limit_seeds=1, prompt=prompt).config for prompt in ("word", "reasons"))
    assert word.stop_seqs is reasons.stop_seqs is None
    assert 500 < (word.max_tokens or 0) < (reasons.max_tokens or 0)


def test_several_prompts_are_one_run_with_one_log_each(tmp_path: Path) -> None:
    asked = {"dataset": OWN, "config": "noun", "limit_seeds": 2, "seeds": "only", "prompt": ["word", "letter"]}
    logs = run_tasks("merge_snli/nli", ("neutral", "B") * 2, tmp_path, task_args=asked)
    assert [(log.eval.metadata or {})["merge_snli"]["prompt"] for log in logs] == ["word", "letter"]
    assert len({log.eval.run_id for log in logs}) == 1
    assert {log.eval.task for log in logs} == {"merge_snli/nli"}


@pytest.fixture
def log(run: Run) -> Path:
    task = nli(config="verb", limit_seeds=1)
    return Path(run(task, ["neutral"] * len(task.dataset)).location)


@pytest.fixture
def address(log: Path) -> Iterator[str]:
    """The address of `inspect view` on the folder of the log."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "inspect_ai", "view", "start", "--log-dir", str(log.parent), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/"))
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.mark.slow
def test_the_page_of_a_log_shows_the_seed_the_variant_and_the_replaced_word(address: str, log: Path) -> None:
    sample = (read_eval_log(log).samples or [])[-1]
    shown = [f"{name}:\n{sample.metadata[name]}" for name in ("seed_id", "variant_id", "original", "replacement")]
    with chromium("--window-size=1400,1000") as browser:
        browser.get(f"{address}#/logs/{log.name}/samples/sample/{sample.id}/1/metadata")
        wait_until(lambda: all(text in browser.find_element("tag name", "body").text for text in shown))
