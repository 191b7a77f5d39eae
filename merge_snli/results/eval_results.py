"""Write results in the Hub's format, `.eval_results/merge_snli.yaml` in a model repository.

The Hub matches a data set's `eval.yaml` and a model's results by data set and task, with one value per task. A task of
`eval.yaml` names a scorer of Inspect, none of which computes pattern accuracy, so sample accuracy is the only score. It
is that over all rows of split `test`, because a task cannot average over subsamples.
"""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from merge_snli.base.errors import InputError
from merge_snli.base.files import is_path, write_text
from merge_snli.results.grouping import is_two_way
from merge_snli.results.naming import safe_name
from merge_snli.results.result import Result

FOLDER = "eval_results"
PATH_IN_REPO = ".eval_results/merge_snli.yaml"

logger = logging.getLogger(__name__)


def eval_tasks(configs: Iterable[str]) -> dict[str, str]:
    """Return the config of each task of a data set's `eval.yaml`, a score that models are ranked by.

    The score is the share of all rows of split `test` that are correct, in percent; not the mean over the subsamples.

    Args:
        configs: `all` or word classes.
    """
    return {f"{config}_sample_accuracy": config for config in configs}


def write_eval_results(results: Sequence[Result], out: Path, *, dataset_id: str) -> list[Path]:
    """Write one file per Hub model, under `out/eval_results/MODEL/` at its path in the model repository.

    Results that are not scores of these tasks are skipped with a warning: of models that are not on the Hub, in another
    dtype than float32, without an answer to every row, or of two-way models.

    Args:
        results: Results on configs of one data set.
        out: Results folder.
        dataset_id: Hub id of the data set.

    Returns:
        The files, one per model, in the order of the models.

    Raises:
        InputError: If `dataset_id` is not a Hub id, or a file cannot be written.
    """
    check_dataset_id(dataset_id)
    by_model: dict[str, list[Result]] = {}
    for result in results:
        reason = _not_a_task(result)
        if reason is None:
            by_model.setdefault(result.model.name, []).append(result)
        else:
            logger.warning("no eval results for %s: %s", result.title, reason)
    return [_write(model, of_model, out, dataset_id) for model, of_model in by_model.items()]


def check_dataset_id(dataset_id: str) -> None:
    """Check that an id has the form of a Hub id.

    Raises:
        InputError: If it does not.
    """
    if dataset_id.count("/") != 1 or is_path(dataset_id):
        raise InputError(
            f"{dataset_id!r} is not a Hub id: pass the id under which the data set is published, such as "
            "⟦eval_results⟧ ORG/merge_snli"
        )


def eval_results_file(model: str, out: Path) -> Path:
    """Return the path of the file that `write_eval_results` writes for a model.

    Args:
        model: Hub id of the model.
        out: Results folder.
    """
    return out / FOLDER / safe_name(model) / PATH_IN_REPO


def _not_a_task(result: Result) -> str | None:
    """Return why a result is not the score of a task; None if it is."""
    if result.model.revision is None:
        return "it is not a Hub model"
    if result.run.dtype not in (None, "float32"):
        return "the Hub shows one value per task, from float32"
    if result.dataset.partial or result.left_out.rows or result.left_out.undrawn:
        return f"the task is over all variants of {result.dataset.config}, and the model did not predict some"
    return "the task needs the labels of the data set, and it has two others" if is_two_way(result) else None


def _write(model: str, results: Sequence[Result], out: Path, dataset_id: str) -> Path:
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entries = []
    for result in results:
        data = result.dataset
        version = result.run.versions["merge_snli"]
        provenance = (
            f"merge-snli {version}, model commit {result.model.revision}, {result.run.dtype}, "
            f"data sha256 {data.digest[:12]}, percent of all variants"
        )
        entries.append(
            EvalResultEntry(
                dataset_id=dataset_id,
                task_id=next(iter(eval_tasks([str(data.config)]))),
                dataset_revision=data.revision,
                value=round(100 * cast("float", result.scores.all_rows_accuracy), 2),
                notes="; ".join([provenance, *result.notes]),
            )
        )
    path = eval_results_file(model, out)
    write_text(path, yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True))
    return path
