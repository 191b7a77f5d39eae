"""The Inspect task on a scripted model, Inspect's page of a log, and pattern accuracy of tasks that are not NLI."""

import json
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
from itertools import cycle
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

import evaluate
import pytest
from inspect_ai import Task, eval_retry
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import SampleScore, Score, accuracy, includes
from lm_eval.api.model import LM

from merge_snli.language_models import inspect_metric, inspect_task
from merge_snli.language_models.group_metrics import pattern_accuracy, pattern_accuracy_with_error
from merge_snli.language_models.import_files import import_files
from tests.browser import chromium
from tests.merge_snli.language_models.conftest import (
    OWN,
    Run,
    lm_eval_logs_of,
    prompt_of,
    right_answers,
    run_task,
    run_tasks,
    scripted_answers,
    scripted_model,
)
from tests.oracles import refused, written
from tests.processes import wait_until

ROOT = Path(__file__).parents[3]

nli = partial(inspect_task.nli, OWN)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (score,) = log.results.scores
    return {name: float(metric.value) for name, metric in score.metrics.items()}


def test_the_metrics_equal_those_of_the_script(run: Run) -> None:
    task = nli(config="all", subsample="all", limit_seeds=6)
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
def test_what_was_not_asked_has_no_metric(run: Run, arguments: dict[str, Any], absent: str) -> None:
    task = nli(config="noun", limit_seeds=2, **arguments)
    values = metrics(run(task, [str(sample.target) for sample in task.dataset]))
    assert absent not in values and set(values.values()) <= {0.0, 1.0}


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
        (nli, {"cost_limit": 0}, "cost_limit is 0"),
        (nli, {"cost_limit": "five"}, "cost_limit is 'five'"),
        (nli, {"cost_limit": 1, "reader": "mockllm/unpriced"}, "price of mockllm/unpriced: add it to prices"),
        (nli, {"ask_again": "twice"}, "ask_again is 'twice'"),
        (nli, {"prices": "none.yaml"}, "none.yaml is not a file of prices"),
        (nli, {"prices": __file__}, "test_inspect_task.py is not a file of prices"),
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
    assert (len({log.eval.run_id for log in logs}), {log.eval.task for log in logs}) == (1, {"merge_snli/nli"})


PRICES = "mockllm/model: {input: 1, output: 10, input_cache_write: 1, input_cache_read: 0.1}"
CALL = (50 * 1 + 2 * 10) / 1e6
"""The price of a call of the scripted model, in dollars."""


@pytest.mark.slow
def test_prompts_share_a_limit_of_cost_and_a_retry_finishes_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = str(written(tmp_path / "prices.yaml", PRICES))
    asked = {"dataset": OWN, "config": "verb", "limit_seeds": 1, "prompt": ["word", "letter"], "prices": prices}
    logs = run_tasks("merge_snli/nli", cycle(["neutral"]), tmp_path, task_args=asked | {"cost_limit": 14.5 * CALL})
    assert [len(log.samples or []) for log in logs] == [11, 4]
    refused("has no answers to 7 of the 11", import_files, [logs[1].location], OWN)
    monkeypatch.setattr(MockLLM, "generate", scripted_model(cycle(["neutral"])).api.generate)
    logs += eval_retry(logs[1], display="none", log_dir=str(tmp_path))
    prompts = [prompt_of(result) for result in import_files([log.location for log in logs], OWN)]
    assert [(prompt.calls, prompt.reasoning_tokens) for prompt in prompts] == [(11, 11)] * 2
    assert [prompt.cost for prompt in prompts] == pytest.approx([11 * CALL] * 2)


def test_a_limit_of_cost_needs_the_price_of_the_model(tmp_path: Path) -> None:
    free, limited = (nli(config="verb", limit_seeds=1, cost_limit=limit) for limit in (None, 1))
    model = scripted_model(["neutral"] * 11, name="mockllm/unpriced")
    logs = inspect_eval(free, model=model, log_dir=str(tmp_path), display="none")
    assert prompt_of(import_files([logs[0].location], OWN)[0]).cost is None
    with pytest.raises(PrerequisiteError) as raised:
        inspect_eval(limited, model=model, log_dir=str(tmp_path), display="none")
    assert "mockllm/unpriced" in str(raised.value.message)


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


metric: Any = inspect_metric.pattern_accuracy
METRIC = str(Path(__file__).parents[3] / "metrics" / "pattern_accuracy")
UTILS = """
from merge_snli.language_models.group_metrics import pattern_accuracy

def questions(**_):
    import datasets
    return {"test": datasets.Dataset.from_list(ROWS)}

def process_results(doc, results):
    right = results[0].strip() == doc["answer"]
    return {"acc": right, "pattern_accuracy": (doc["fact"], right), "pattern_accuracy_50": (doc["fact"], right)}

def half(items):
    return pattern_accuracy(items, threshold=0.5)
"""


class Asked(NamedTuple):
    """A paraphrase of a question about capitals, with a reply."""

    fact: str
    question: str
    answer: str
    reply: str


ASKED = [
    Asked(country, template.format(country), capital, capital if right else "Rome")
    for country, capital, replies in (
        ("France", "Paris", (True, True, True, True)),
        ("Spain", "Madrid", (True, True, True, False)),
        ("Norway", "Oslo", (True, True, False, False)),
        ("Japan", "Tokyo", (False, False, False, True)),
    )
    for template, right in zip(
        (
            "What is the capital of {}?",
            "Name the capital of {}.",
            "Which city is {}'s capital?",
            "{} is governed from which city?",
        ),
        replies,
        strict=True,
    )
]


def expected(threshold: float) -> float:
    scores = evaluate.load(METRIC).compute(
        predictions=[row.reply for row in ASKED],
        references=[row.answer for row in ASKED],
        groups=[row.fact for row in ASKED],
        thresholds=threshold,
    )
    return float(scores["pattern_accuracy"])


def test_the_standard_error_is_that_of_the_mean_over_groups() -> None:
    share, error = pattern_accuracy_with_error(
        [row.fact for row in ASKED], [row.reply == row.answer for row in ASKED], 0.5
    )
    assert share == expected(0.5) == 0.75
    assert error == pytest.approx(stdev([1, 1, 1, 0]) / math.sqrt(4))


@pytest.mark.slow
def test_a_task_of_inspect(tmp_path: Path) -> None:
    samples = [Sample(input=row.question, target=row.answer, metadata={"fact": row.fact}) for row in ASKED]
    metrics: list[Any] = [accuracy(), metric("fact"), metric("fact", threshold=0.5)]
    log = run_task(Task(samples, scorer=includes(), metrics=metrics), [row.reply for row in ASKED], tmp_path)
    (score,) = log.results.scores if log.results else []
    values = [
        (each.params.get("threshold", 0.9), each.value)
        for each in score.metrics.values()
        if each.name in ("pattern_accuracy", "pattern_accuracy_0.5") and each.params
    ]
    assert values == [(0.9, expected(0.9)), (0.5, expected(0.5))] == [(0.9, 0.25), (0.5, 0.75)]
    assert score.metrics["accuracy"].value == 10 / 16
    (result,) = import_files([log.location], group="fact")
    assert (result.pattern_accuracy, result.sample_accuracy) == (expected(0.9), 10 / 16)


def test_a_sample_without_the_group_is_named() -> None:
    scores = [SampleScore(score=Score(value="C"), sample_id="q7", sample_metadata={"fact": "France"})]
    refused("q7 has no 'country'", metric("country"), scores)


def test_partly_right_samples_are_wrong() -> None:
    for value, share in (("C", 1), (1.0, 1), (True, 1), ("P", 0), (0.5, 0), ("N", 0), ("I", 0)):
        scores = [SampleScore(score=Score(value=value), sample_metadata={"fact": number}) for number in range(2)]
        assert metric("fact", threshold=1)(scores)["pattern_accuracy_1"] == share
    assert pattern_accuracy([("a", 0.5), ("b", 1.0)]) == 0.5


@pytest.mark.slow
def test_a_task_of_lm_evaluation_harness(tmp_path: Path) -> None:
    class Scripted(LM):  # type: ignore[misc]
        """Gives the replies."""

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [row.reply for request in requests for row in ASKED if row.question == request.args[0]]

        loglikelihood = loglikelihood_rolling = generate_until

    rows = [row._asdict() for row in ASKED]
    folder = written(tmp_path / "tasks" / "utils.py", f"ROWS = {rows!r}\n{UTILS}").parent
    task = """
task: capitals
test_split: test
output_type: generate_until
doc_to_text: question
doc_to_target: answer
custom_dataset: !function utils.questions
process_results: !function utils.process_results
metric_list:
  - metric: acc
  - metric: pattern_accuracy
    aggregation: !function merge_snli.language_models.group_metrics.pattern_accuracy
    higher_is_better: true
  - metric: pattern_accuracy_50
    aggregation: !function utils.half
    higher_is_better: true
"""
    (folder / "capitals.yaml").write_text(task, encoding="utf-8")
    (log,) = lm_eval_logs_of(Scripted(), ["capitals"], tmp_path)
    (results,) = log.parent.glob("results_*.json")
    scores = json.loads(results.read_text(encoding="utf-8"))["results"]["capitals"]
    assert (scores["acc,none"], scores["pattern_accuracy,none"]) == (10 / 16, expected(0.9))
    assert scores["pattern_accuracy_50,none"] == expected(0.5)
    (result,) = import_files([log], group="fact")
    assert (result.pattern_accuracy, result.sample_accuracy) == (expected(0.9), 10 / 16)
    assert result.row.curve.at(0.5) == expected(0.5)
