"""The bundled data set, language models that answer from a script, and their logs, as they are or edited."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import merge_snli
from merge_snli.base.files import read_json
from merge_snli.cli import main
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model
    from lm_eval.api.model import LM

    from merge_snli import Result
    from merge_snli.results.records import PromptRecord

OWN = str(Path(merge_snli.__file__).parent)
USAGE = {"input_tokens": 50, "output_tokens": 2, "total_tokens": 52, "reasoning_tokens": 1}

RIGHT = {"France": (1, 1, 1, 1), "Spain": (1, 1, 1, 0), "Norway": (1, 1, 0, 0), "Japan": (0, 0, 0, 1)}
"""Whether a model is right on each question of a task about capitals, by the country."""
CAPITALS = [(f"{country}-{number}", country, right) for country, of in RIGHT.items() for number, right in enumerate(of)]
CAPITAL_REPLIES = ["yes" if right else "no" for _, _, right in CAPITALS]

Json = Any
Edit = Callable[[Json], object]
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


def capitals(**options: Any) -> Task:  # noqa: ANN401 - of a task
    """Return a task of Inspect about capitals, whose samples have a country in their metadata."""
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import includes

    samples = [Sample(input=name, id=name, target="yes", metadata={"country": of}) for name, of, _ in CAPITALS]
    return Task(samples, scorer=includes(), name="capitals", **options)


def scripted_model(answers: Iterable[str], stops: Sequence[str] = ("stop",), name: str = "mockllm/model") -> Model:
    """Return a model that gives the answers in order, which end for these reasons in turn, with their usage."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = (
        ModelOutput.from_content("mockllm/model", answer, reason).model_copy(update={"usage": ModelUsage(**USAGE)})  # type: ignore[arg-type]
        for answer, reason in zip(answers, cycle(stops), strict=False)
    )
    return get_model(name, memoize=False, custom_outputs=outputs)


def run_tasks(
    task: Task | str,
    answers: Iterable[str],
    folder: Path,
    stops: Sequence[str] = ("stop",),
    **options: Any,  # noqa: ANN401 - those of Inspect
) -> list[EvalLog]:
    """Run the tasks on a model that gives the answers in order, with the logs in a folder."""
    from inspect_ai import eval as inspect_eval

    model = scripted_model(answers, stops)
    logs = inspect_eval(task, model=model, log_dir=str(folder), display="none", max_samples=1, max_tasks=1, **options)
    assert {log.status for log in logs} == {"success"}, [log.error for log in logs]
    return logs


def run_task(task: Task, answers: Iterable[str], folder: Path, **options: Any) -> EvalLog:  # noqa: ANN401
    """Run one task as `run_tasks`, and return its log."""
    (log,) = run_tasks(task, answers, folder, **options)
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


def write_tasks(folder: Path, *options: str, dataset: str = OWN) -> Path:
    """Write the task files of lm-evaluation-harness into the subfolder `tasks` of a folder."""
    assert main(["harness", dataset, *options, "--out", str(folder / "tasks")]) == 0
    return folder / "tasks"


def scripted_answers(task: Task, *forms: str) -> list[str]:
    """Answer each question in a form drawn at random: 0 is the right label, 1 its title, 2 a wrong label."""
    drawn = random.Random(3)
    wrong = dict(zip(NLI_LABELS, [*NLI_LABELS[1:], NLI_LABELS[0]], strict=True))
    targets = [str(sample.target) for sample in task.dataset]
    return [drawn.choice(forms).format(target, target.title(), wrong[target]) for target in targets]


def put(*path: str | int, value: Any) -> Edit:  # noqa: ANN401 - any JSON value, or a function of the value before
    """Return an edit that puts a value at a place."""

    def edit(content: Json) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value(content[path[-1]]) if callable(value) else value

    return edit


def edited(path: Path, *edits: Edit, name: str | None = None) -> Path:
    """Change the content of a JSON file, or of a copy with another name, and return its path."""
    content = read_json(path)
    for edit in edits:
        edit(content)
    path = path.with_name(name or path.name)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def prompt_of(result: Result) -> PromptRecord:
    assert result.run.prompt is not None
    return result.run.prompt
