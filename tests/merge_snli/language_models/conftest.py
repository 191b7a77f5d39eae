"""Fixtures: the bundled data set, and a language model that answers from a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import merge_snli
from merge_snli.dataset.stored import MergeDataset, find_dataset

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from lm_eval.api.model import LM

OWN = str(Path(merge_snli.__file__).parent)

Run = Callable[["Task", Sequence[str]], "EvalLog"]


@pytest.fixture(scope="session")
def bundled() -> MergeDataset:
    return find_dataset(OWN)


@pytest.fixture(autouse=True)
def no_token_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if Inspect counts tokens: it does so with a file that it downloads, unless a model states its usage."""
    import tiktoken

    def refuse(name: str) -> None:
        raise ConnectionError(f"the file of {name} would be downloaded")

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a task on a model that gives the answers in order."""
    return lambda task, answers: run_task(task, answers, tmp_path / "logs")


def run_task(task: Task, answers: Sequence[str], folder: Path) -> EvalLog:
    """Run a task on a model that gives the answers in order, with the log in a folder."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=50, output_tokens=2, total_tokens=52)
    model = get_model("mockllm/model", memoize=False, custom_outputs=outputs)
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none", max_samples=1)
    assert log.status == "success", log.error
    return log


def lm_eval_logs_of(model: str | LM, tasks: Sequence[str], folder: Path, **options: Any) -> list[Path]:  # noqa: ANN401
    """Evaluate a model on tasks in the subfolder `tasks` of a folder, and return the files of samples."""
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    tracker = EvaluationTracker(output_path=str(folder / "logs"))
    results = simple_evaluate(
        model,
        tasks=[*tasks],
        task_manager=TaskManager(include_path=str(folder / "tasks"), include_defaults=False),
        bootstrap_iters=0,
        log_samples=True,
        evaluation_tracker=tracker,
        **options,
    )
    if not isinstance(model, str):
        results["config"] |= {"model": "dummy"}
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task, rows in samples.items():
        tracker.save_results_samples(task_name=task, samples=rows)
    return [*(folder / "logs").rglob("samples_*")]
