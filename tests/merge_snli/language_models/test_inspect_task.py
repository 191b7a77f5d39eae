"""The Inspect task on a scripted model: its metrics equal those computed from the script."""

from __future__ import annotations

import math
import random
import tomllib
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import pytest

from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN, Run

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

ROOT = Path(__file__).parents[3]


def nli(**arguments: Any) -> Task:  # noqa: ANN401 - the task's own arguments
    from merge_snli.language_models.inspect_task import nli as task

    return task(OWN, **arguments)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (score,) = log.results.scores
    return {name: float(metric.value) for name, metric in score.metrics.items()}


def script(task: Task) -> list[str]:
    """Answer seven of ten right, some unreadably, some in other words."""
    chosen, answers = random.Random(1), []
    for sample in task.dataset:
        target = str(sample.target)
        wrong = NLI_LABELS[(NLI_LABELS.index(target) + 1) % 3]
        answers.append(
            chosen.choice(
                [target] * 5 + [f"Answer: **{target.title()}**.", f'{{"label": "{target}"}}', wrong, wrong, "?"]
            )
        )
    return answers


def test_the_metrics_equal_those_of_the_script(run: Run) -> None:
    task = nli(config="all", subsample="all", limit_seeds=12)
    answers = script(task)
    values = metrics(run(task, answers))
    seeds: dict[str, list[bool]] = {}
    by_draw: dict[int, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for sample, answer in zip(task.dataset, answers, strict=True):
        metadata = dict(sample.metadata or {})
        for use in [metadata, *metadata.get("also", [])]:
            right = use["label"] in answer.lower()
            if "variant_id" in use:
                for number in use["subsamples"]:
                    by_draw[number][use["seed_id"]].append(right)
            else:
                seeds[use["seed_id"]] = [right]
    assert values["seed_sample_accuracy"] == fmean(right for (right,) in seeds.values())
    accuracy = fmean(fmean(right for rows in groups.values() for right in rows) for groups in by_draw.values())
    assert values["sample_accuracy"] == pytest.approx(accuracy, abs=1e-12)
    shares = [
        fmean(sum(rows) >= math.ceil(round(0.9 * len(rows), 9)) for rows in groups.values())
        for groups in by_draw.values()
    ]
    assert values["pattern_accuracy"] == pytest.approx(fmean(shares), abs=1e-12)
    assert values["no_answer"] == answers.count("?") > 0
    errors = [right for (right,) in seeds.values()]
    assert values["seed_sample_accuracy_stderr"] == pytest.approx(stdev(errors) / math.sqrt(len(errors)))


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
    from inspect_ai import eval as inspect_eval

    task = nli(config="noun", limit_seeds=1)
    assert run(task, ["neutral"] * len(task.dataset)).status == "success"
    (log,) = inspect_eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none", limit=1)
    assert log.error is not None
    assert "would be downloaded" in log.error.message


def test_the_log_says_what_was_asked_and_how(run: Run) -> None:
    task = nli(config="noun", limit_seeds=2, prompt="few_shot", shots=2)
    log = run(task, ["neutral"] * len(task.dataset))
    assert log.eval.task == "merge_snli/nli"
    record = (log.eval.metadata or {})["merge_snli"]
    assert (record["config"], record["subsample"], record["shots"], record["prompt"]) == ("noun", 0, 2, "few_shot")
    assert log.samples is not None
    variant = log.samples[-1]
    assert variant.metadata.keys() >= {"seed_id", "variant_id", "original", "replacement", "word_class"}
    assert variant.id == variant.metadata["variant_id"]
    assert [message.role for message in variant.input if not isinstance(message, str)] == ["system", "user"]
    assert str(variant.input).count("Premise: ") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"config": "adverb"}, "adverb"),
        ({"subsample": 99}, "subsample is 99"),
        ({"subsample": "first"}, "subsample is 'first'"),
        ({"seeds": "none"}, "seeds is 'none'"),
        ({"prompt": "five_shot"}, "no prompt 'five_shot'"),
        ({"prompt": "reasons", "shots": 2}, "which the 2 shots do not have"),
        ({"prompt": "few_shot", "shots": -1}, "shots is -1"),
        ({"prompt": "few_shot", "shots_from": "no/such/file.jsonl"}, "no/such/file.jsonl"),
        ({"limit_seeds": 0}, "limit_seeds is 0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError) as raised:
        nli(**arguments)
    assert message in str(raised.value.message)


def test_the_entry_point_is_the_module_of_the_task() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, module),) = project["entry-points"]["inspect_ai"].items()
    assert name == module.partition(".")[0] == "merge_snli"
    assert callable(import_module(module).nli)


def test_a_task_without_a_data_set_asks_for_it() -> None:
    from inspect_ai._util.error import PrerequisiteError

    from merge_snli.language_models.inspect_task import nli as task

    with pytest.raises(PrerequisiteError) as raised:
        task()
    assert "-T dataset=" in str(raised.value.message)


def test_the_prompt_decides_where_an_answer_ends() -> None:
    word, reasons = nli(config="noun", limit_seeds=1), nli(config="noun", limit_seeds=1, prompt="reasons")
    assert word.config.stop_seqs is reasons.config.stop_seqs is None
    assert word.config.max_tokens is not None
    assert reasons.config.max_tokens is not None
    assert 500 < word.config.max_tokens < reasons.config.max_tokens


def test_several_prompts_are_one_run_with_one_log_each(tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in ("neutral", "B") * 2]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=50, output_tokens=2, total_tokens=52)
    logs = inspect_eval(
        "merge_snli/nli",
        model=get_model("mockllm/model", memoize=False, custom_outputs=outputs),
        task_args={"dataset": OWN, "config": "noun", "limit_seeds": 2, "seeds": "only", "prompt": ["word", "letter"]},
        log_dir=str(tmp_path),
        display="none",
    )
    assert [(log.eval.metadata or {})["merge_snli"]["prompt"] for log in logs] == ["word", "letter"]
    assert {log.status for log in logs} == {"success"}
    assert len({log.eval.run_id for log in logs}) == 1
    assert {log.eval.task for log in logs} == {"merge_snli/nli"}


@pytest.mark.parametrize(("prompt", "message"), [("wrod", "no prompt 'wrod'"), (["all", "word"], "two prompts")])
def test_wrong_lists_of_prompts(prompt: str | list[str], message: str) -> None:
    from inspect_ai._util.error import PrerequisiteError

    from merge_snli.language_models.inspect_task import nli_by_prompt

    with pytest.raises(PrerequisiteError) as raised:
        nli_by_prompt(dataset=OWN, prompt=prompt)
    assert message in str(raised.value.message)
