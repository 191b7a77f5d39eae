"""The Inspect task on a scripted model, Inspect's page of a log, and pattern accuracy of tasks that are not NLI."""

import math
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import SampleScore, Score, accuracy
from lm_eval.api.model import LM

from merge_snli import Result, score
from merge_snli.base.files import read_json
from merge_snli.language_models import inspect_metric, inspect_task
from merge_snli.language_models.group_metrics import pattern_accuracy, pattern_accuracy_with_error
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from tests.merge_snli.language_models.conftest import (
    CAPITAL_REPLIES,
    CAPITALS,
    OWN,
    Run,
    capitals,
    lm_eval_logs_of,
    prompt_of,
    run_task,
    run_tasks,
    scripted_answers,
    scripted_model,
)
from tests.oracles import guess, known, refused, written

nli = partial(inspect_task.nli, OWN)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (score,) = log.results.scores
    return {name: float(metric.value) for name, metric in score.metrics.items()}


def result_of(log: EvalLog) -> Result:
    (result,) = import_files([log.location], OWN)
    return result


def record_of(log: EvalLog) -> dict[str, Any]:
    """Return what a log says of the task."""
    return dict(known(log.eval.metadata)["merge_snli"])


def test_the_metrics_and_the_imported_result_equal_those_of_a_function(run: Run) -> None:
    task = nli(subsample="all", limit_seeds=4)
    scope = Scope(subsample="all", limit_seeds=4)
    questions = read_questions(OWN, scope).questions
    answers = []
    for question, form in zip(questions, cycle(["{}", "Answer: **{}**.", '{{"label": "{}"}}']), strict=False):
        (answer,) = guess([(question.premise, question.hypothesis)])
        answers.append(form.format(answer))
    log = run(task, answers)
    values = metrics(log)
    expected = score(guess, OWN, limit_seeds=4)
    share = known(expected.scores.seed_accuracy)
    assert values["seed_sample_accuracy"] == pytest.approx(share)
    assert values["seed_sample_accuracy_stderr"] == pytest.approx(math.sqrt(share * (1 - share) / 3))
    assert values["sample_accuracy"] == pytest.approx(expected.sample_accuracy, abs=1e-12)
    assert values["pattern_accuracy"] == pytest.approx(expected.pattern_accuracy, abs=1e-12)
    assert values["no_answer"] == 0
    assert result_of(log).scores == expected.scores


@pytest.mark.parametrize(("seeds", "absent"), [("without", "seed_sample_accuracy"), ("only", "sample_accuracy")])
def test_what_was_not_asked_has_no_metric(run: Run, seeds: str, absent: str) -> None:
    task = nli(config="noun", limit_seeds=2, seeds=seeds)
    values = metrics(run(task, scripted_answers(task, "{0}")))
    assert absent not in values
    for value in values.values():
        assert value in (0, 1)


def test_the_log_says_what_was_asked_and_how(run: Run) -> None:
    task = nli(config="noun", limit_seeds=2, prompt="few_shot", shots=2)
    log = run(task, ["neutral"] * len(task.dataset))
    assert log.eval.task == "merge_snli/nli"
    record = record_of(log)
    assert record["config"] == "noun"
    assert record["subsample"] == 0
    assert record["shots"] == 2
    assert record["prompt"] == "few_shot"
    variant = known(log.samples)[-1]
    assert variant.metadata.keys() >= {"seed_id", "variant_id", "original", "replacement", "word_class"}
    assert variant.id == variant.metadata["variant_id"]
    roles = [message.role for message in variant.input if not isinstance(message, str)]
    assert roles == ["system", "user"]
    assert str(variant.input).count("Premise: ") == 3


def refuse_task(message: str, make: Callable[..., object] = nli, **arguments: Any) -> None:  # noqa: ANN401 - of tasks
    with pytest.raises(PrerequisiteError) as raised:
        make(**arguments)
    assert message in str(raised.value.message)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("seeds", "none", "seeds is 'none'"),
        ("cost_limit", 0, "cost_limit is 0"),
        ("cost_limit", "five", "cost_limit is 'five'"),
        ("ask_again", "twice", "ask_again is 'twice'"),
        ("prices", "none.yaml", "none.yaml is not a file of prices"),
        ("prices", __file__, "test_inspect_task.py is not a file of prices"),
    ],
)
def test_wrong_arguments(name: str, value: Any, message: str) -> None:  # noqa: ANN401 - of an argument
    refuse_task(message, **{name: value})


def test_arguments_that_do_not_go_together() -> None:
    refuse_task("price of mockllm/unpriced: add it to prices", cost_limit=1, reader="mockllm/unpriced")
    refuse_task("-T dataset=", inspect_task.nli)
    refuse_task("no prompt 'wrod'", inspect_task.nli_by_prompt, dataset=OWN, prompt="wrod")
    refuse_task("two prompts", inspect_task.nli_by_prompt, dataset=OWN, prompt=["all", "word"])


def test_the_prompt_decides_where_an_answer_ends() -> None:
    word = nli(limit_seeds=1, prompt="word").config
    reasons = nli(limit_seeds=1, prompt="reasons").config
    assert word.stop_seqs is None
    assert reasons.stop_seqs is None
    assert 500 < known(word.max_tokens) < known(reasons.max_tokens)


def test_several_prompts_are_one_run_with_one_log_each(tmp_path: Path) -> None:
    asked = {"dataset": OWN, "config": "noun", "limit_seeds": 2, "seeds": "only", "prompt": ["word", "letter"]}
    word, letter = run_tasks("merge_snli/nli", ("neutral", "B") * 2, tmp_path, task_args=asked)
    assert record_of(word)["prompt"] == "word"
    assert record_of(letter)["prompt"] == "letter"
    assert word.eval.run_id == letter.eval.run_id
    assert word.eval.task == letter.eval.task == "merge_snli/nli"


PRICES = "mockllm/model: {input: 1, output: 10, input_cache_write: 1, input_cache_read: 0.1}"
CALL = (50 * 1 + 2 * 10) / 1e6
"""The price of a call of the scripted model, in dollars."""


@pytest.mark.slow
def test_prompts_share_a_limit_of_cost_and_a_retry_finishes_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = str(written(tmp_path / "prices.yaml", PRICES))
    asked = {"dataset": OWN, "config": "verb", "limit_seeds": 1, "prompt": ["word", "letter"], "prices": prices}
    asked["cost_limit"] = 14.5 * CALL
    replies = cycle(["neutral"])
    whole, stopped = run_tasks("merge_snli/nli", replies, tmp_path, task_args=asked)
    assert len(known(whole.samples)) == 11
    assert len(known(stopped.samples)) == 4
    refused("has no answers to 7 of the 11", import_files, [stopped.location], OWN)
    monkeypatch.setattr(MockLLM, "generate", scripted_model(replies).api.generate)
    (retried,) = eval_retry(stopped, display="none", log_dir=str(tmp_path))
    results = import_files([whole.location, stopped.location, retried.location], OWN)
    assert len(results) == 2
    for result in results:
        prompt = prompt_of(result)
        assert prompt.calls == 11
        assert prompt.reasoning_tokens == 11
        assert prompt.cost == pytest.approx(11 * CALL)


def test_a_limit_of_cost_needs_the_price_of_the_model(tmp_path: Path) -> None:
    free = nli(config="verb", limit_seeds=1)
    limited = nli(config="verb", limit_seeds=1, cost_limit=1)
    model = scripted_model(["neutral"] * 11, name="mockllm/unpriced")
    (log,) = inspect_eval(free, model=model, log_dir=str(tmp_path), display="none")
    assert prompt_of(result_of(log)).cost is None
    refuse_task("mockllm/unpriced", inspect_eval, tasks=limited, model=model, log_dir=str(tmp_path), display="none")


metric: Any = inspect_metric.pattern_accuracy
UTILS = """
from merge_snli.language_models.group_metrics import pattern_accuracy

def questions(**_):
    import datasets
    return {"test": datasets.Dataset.from_list(ROWS)}

def process_results(doc, results):
    right = results[0] == "yes"
    return {"acc": right, "pattern_accuracy": (doc["country"], right), "pattern_accuracy_50": (doc["country"], right)}

def half(items):
    return pattern_accuracy(items, threshold=0.5)
"""


def test_the_standard_error_is_that_of_the_mean_over_groups() -> None:
    _, countries, right = zip(*CAPITALS, strict=True)
    share, error = pattern_accuracy_with_error(countries, [*map(bool, right)], 0.5)
    assert share == 0.75
    assert error == pytest.approx(stdev([1, 1, 1, 0]) / math.sqrt(4))


@pytest.mark.slow
def test_pattern_accuracy_is_a_metric_of_any_task_of_inspect(tmp_path: Path) -> None:
    task = capitals(metrics=[accuracy(), metric("country"), metric("country", threshold=0.5)])
    values = metrics(run_task(task, CAPITAL_REPLIES, tmp_path))
    assert values["pattern_accuracy"] == 0.25
    assert values["pattern_accuracy_0.5"] == 0.75
    assert values["accuracy"] == 10 / 16


def test_a_sample_without_the_group_is_named() -> None:
    scores = [SampleScore(score=Score(value="C"), sample_id="q7", sample_metadata={"fact": "France"})]
    refused("q7 has no 'country'", metric("country"), scores)


def test_partly_right_samples_are_wrong() -> None:
    shares: dict[Any, int] = {"C": 1, 1.0: 1, "P": 0, 0.5: 0, "N": 0, "I": 0}
    for value, share in shares.items():
        scores = [SampleScore(score=Score(value=value), sample_metadata={"fact": 1})]
        found = metric("fact", threshold=1)(scores)
        assert found["pattern_accuracy_1"] == share, value


def test_partly_right_items_are_wrong() -> None:
    assert pattern_accuracy([("a", 0.5), ("b", 1.0)]) == 0.5


@pytest.mark.slow
def test_a_task_of_lm_evaluation_harness(tmp_path: Path) -> None:
    class Scripted(LM):  # type: ignore[misc]
        """Gives the replies."""

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [replies[request.args[0]] for request in requests]

        loglikelihood = loglikelihood_rolling = generate_until

    replies = {name: reply for (name, _, _), reply in zip(CAPITALS, CAPITAL_REPLIES, strict=True)}
    rows = [{"name": name, "country": country} for name, country, _ in CAPITALS]
    folder = written(tmp_path / "tasks" / "utils.py", f"ROWS = {rows!r}\n{UTILS}").parent
    task = """
task: capitals
test_split: test
output_type: generate_until
doc_to_text: name
doc_to_target: name
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
    (folder / "capitals.yaml").write_text(task, "utf-8")
    (log,) = lm_eval_logs_of(Scripted(), ["capitals"], tmp_path)
    (results,) = log.parent.glob("results_*.json")
    scores = read_json(results)["results"]["capitals"]
    assert scores["acc,none"] == 10 / 16
    assert scores["pattern_accuracy,none"] == 0.25
    assert scores["pattern_accuracy_50,none"] == 0.75
    (result,) = import_files([log], group="country")
    assert result.pattern_accuracy == 0.25
    assert result.row.curve.at(0.5) == 0.75
