"""Results in the Hub's form: `.eval_results/merge_snli.yaml`, which a model's repository shows on its page.

The Hub joins a data set's `eval.yaml` and a model's results by data set and task, one value a task; `eval_tasks` are
the tasks that both name.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.files import is_path, write_text
from merge_snli.schema import TEST
from scoring.results.files import safe_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from huggingface_hub import EvalResultEntry

    from scoring.results.result import Result

PATTERN_ACCURACY, SAMPLE_ACCURACY = "pattern_accuracy", "sample_accuracy"
FOLDER = "eval_results"
PATH_IN_REPO = ".eval_results/merge_snli.yaml"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class EvalTask:
    """A task of a data set's `eval.yaml`: one number that models are ranked by.

    Attributes:
        id: Its name, such as `all_pattern_accuracy`.
        config: Config of the data set.
        split: Split of the config.
    """

    id: str
    config: str
    split: str


def eval_tasks(configs: Iterable[str]) -> tuple[EvalTask, ...]:
    """Return the tasks of some configs: PA at the quality threshold and SA on variants, in per cent.

    Args:
        configs: `all` and word classes.
    """
    return tuple(
        EvalTask(_task(config, metric), config, TEST)
        for config in configs
        for metric in (PATTERN_ACCURACY, SAMPLE_ACCURACY)
    )


def write_eval_results(results: Sequence[Result], out: Path, *, dataset_id: str) -> list[Path]:
    """Write a file for each model of the Hub, under `out/eval_results/MODEL/` at its path in the model's repository.

    Models that are no repository of the Hub, and results in another type of numbers than float32, are left out with a
    warning.

    Args:
        results: Results on configs of one data set.
        out: The folder of results.
        dataset_id: Hub id of that data set.

    Returns:
        The files, one a model, in the order of the models.

    Raises:
        InputError: Where `dataset_id` is no Hub id, or the disk is full.
    """
    check_dataset_id(dataset_id)
    by_model: dict[str, list[Result]] = {}
    for result in results:
        if result.model.revision is None:
            logger.warning("%s is no repository of the Hub: no eval results are written for it", result.model.name)
        elif result.run.dtype not in (None, "float32"):
            logger.warning("%s is left out of the eval results: a page has one number a task, float32's", result.title)
        else:
            by_model.setdefault(result.model.name, []).append(result)
    return [_write(model, of_model, out, dataset_id) for model, of_model in by_model.items()]


def check_dataset_id(dataset_id: str) -> None:
    """Refuse what is no Hub id of a data set.

    Raises:
        InputError: Where it is none.
    """
    if dataset_id.count("/") != 1 or is_path(dataset_id):
        raise InputError(
            f"{dataset_id!r} is no Hub id of a data set, and the Hub shows results by it: give the one that the data "
            "set is published under, such as --eval-results ORG/merge_snli"
        )


def eval_results_file(model: str, out: Path) -> Path:
    """Return where `write_eval_results` writes a model's file.

    Args:
        model: Hub id of the model.
        out: The folder of results.
    """
    return out / FOLDER / safe_name(model) / PATH_IN_REPO


def _write(model: str, results: Sequence[Result], out: Path, dataset_id: str) -> Path:
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    entries = [entry for result in results for entry in _entries(result, dataset_id)]
    path = eval_results_file(model, out)
    write_text(path, yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True))
    return path


def _entries(result: Result, dataset_id: str) -> list[EvalResultEntry]:
    from huggingface_hub import EvalResultEntry

    on_variants = result.scores.on_variants
    values = {PATTERN_ACCURACY: on_variants.pattern_accuracy.mean, SAMPLE_ACCURACY: on_variants.sample_accuracy.mean}
    return [
        EvalResultEntry(
            dataset_id=dataset_id,
            task_id=_task(result.dataset.config, metric),
            dataset_revision=result.dataset.revision,
            value=round(100 * value, 2),
            notes=_notes(result),
        )
        for metric, value in values.items()
        if value is not None
    ]


def _notes(result: Result) -> str:
    """Say what the numbers were taken with, and what must be known of them."""
    made = (
        f"merge-snli {result.run.versions['merge_snli']}, model commit {result.model.revision}, {result.run.dtype}, "
        f"data sha256 {result.dataset.digest[:12]}, PA at {result.quality_threshold:.0%}, per cent"
    )
    return "; ".join([made, *result.notes])


def _task(config: str, metric: str) -> str:
    return f"{config}_{metric}"
