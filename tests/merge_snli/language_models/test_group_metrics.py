"""Pattern accuracy of tasks that are not NLI: Inspect and lm-evaluation-harness against the `evaluate` metric."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import stdev
from typing import Any, NamedTuple

import evaluate
import pytest
import yaml

from merge_snli.base.errors import InputError
from merge_snli.language_models.group_metrics import pattern_accuracy, pattern_accuracy_with_error
from tests.merge_snli.language_models.conftest import lm_eval_logs_of, run_task

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
    passing = [1, 1, 1, 0]
    share, error = pattern_accuracy_with_error(
        [row.fact for row in ASKED], [row.reply == row.answer for row in ASKED], 0.5
    )
    assert share == expected(0.5) == 0.75
    assert error == pytest.approx(stdev(passing) / math.sqrt(4))


@pytest.mark.slow
def test_a_task_of_inspect(tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import accuracy, includes

    from merge_snli.language_models.inspect_metric import pattern_accuracy as metric

    samples = [Sample(input=row.question, target=row.answer, metadata={"fact": row.fact}) for row in ASKED]
    metrics: list[Any] = [accuracy(), metric("fact"), metric("fact", threshold=0.5)]
    log = run_task(Task(samples, scorer=includes(), metrics=metrics), [row.reply for row in ASKED], tmp_path)
    assert log.results is not None
    (score,) = log.results.scores
    values = [
        (each.params.get("threshold", 0.9), each.value)
        for each in score.metrics.values()
        if each.name == "pattern_accuracy" and each.params
    ]
    assert values == [(0.9, expected(0.9)), (0.5, expected(0.5))] == [(0.9, 0.25), (0.5, 0.75)]
    assert score.metrics["accuracy"].value == 10 / 16


def test_a_sample_without_the_group_is_named() -> None:
    from inspect_ai.scorer import SampleScore, Score

    from merge_snli.language_models.inspect_metric import pattern_accuracy as metric

    scores = [SampleScore(score=Score(value="C"), sample_id="q7", sample_metadata={"fact": "France"})]
    compute: Any = metric("country")
    with pytest.raises(InputError, match="q7 has no 'country'"):
        compute(scores)


def test_partly_right_samples_are_wrong() -> None:
    from inspect_ai.scorer import SampleScore, Score

    from merge_snli.language_models.inspect_metric import pattern_accuracy as metric

    compute: Any = metric("fact", threshold=1)
    for value, share in (("C", 1), (1.0, 1), (True, 1), ("P", 0), (0.5, 0), ("N", 0), ("I", 0)):
        scores = [SampleScore(score=Score(value=value), sample_metadata={"fact": number}) for number in range(2)]
        assert compute(scores)["pattern_accuracy"] == share
    assert pattern_accuracy([("a", 0.5), ("b", 1.0)]) == 0.5


@pytest.mark.slow
def test_a_task_of_lm_evaluation_harness(tmp_path: Path) -> None:
    from lm_eval.api.model import LM

    class Scripted(LM):  # type: ignore[misc]
        """Gives the replies."""

        def generate_until(self, requests: list[Any]) -> list[str]:
            replies = {row.question: row.reply for row in ASKED}
            return [replies[request.args[0]] for request in requests]

        loglikelihood = loglikelihood_rolling = generate_until

    folder = tmp_path / "tasks"
    folder.mkdir()
    rows = [row._asdict() for row in ASKED]
    (folder / "utils.py").write_text(f"ROWS = {rows!r}\n{UTILS}", encoding="utf-8")
    task = yaml.safe_dump(
        {
            "task": "capitals",
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "question",
            "doc_to_target": "answer",
        }
    )
    functions = """
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
    (folder / "capitals.yaml").write_text(task + functions, encoding="utf-8")
    (log,) = lm_eval_logs_of(Scripted(), ["capitals"], tmp_path)
    (results,) = log.parent.glob("results_*.json")
    scores = json.loads(results.read_text(encoding="utf-8"))["results"]["capitals"]
    assert scores["acc,none"] == 10 / 16
    assert scores["pattern_accuracy,none"] == expected(0.9)
    assert scores["pattern_accuracy_50,none"] == expected(0.5)
