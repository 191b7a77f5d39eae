"""Import logs and predictions as result files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.dataset import find_dataset
from merge_snli.errors import InputError
from merge_snli.language_models.logs import answers_of, check_dataset, is_log, join_logs, read_log
from merge_snli.schema import ALL
from scoring.imports.answers import score_answers
from scoring.imports.predictions_file import read_predictions
from scoring.predictions.pairs import read_config
from scoring.predictions.partial import part_of_config
from scoring.results.files import file_name, write_result
from scoring.results.folder import check_results_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.dataset import MergeDataset
    from scoring.results.result import Result


def import_files(
    files: Sequence[str | Path],
    dataset: str,
    *,
    out: str | Path | None = None,
    model: str | None = None,
    config: str | None = None,
    limit_seeds: int | None = None,
    subsample: int | None = None,
    partial: bool = False,
) -> list[Result]:
    """Compute results from logs of Inspect and lm-evaluation-harness, or from tables of predictions.

    Logs of one model that were asked in the same way are joined. Logs say themselves which config, subsample and seeds
    were asked; a result on a part is marked as partial, as by `merge-snli score --subsample`.

    Args:
        files: Logs (`.eval`, `.json`, `samples_*.jsonl`), or tables of the predictions of one model (`.csv`, `.tsv`,
            `.jsonl`, `.parquet`).
        dataset: Folder or Hub id of the MERGE data set.
        out: Folder for the result files; None to write nothing.
        model: Name of the model. Required for tables.
        config: For tables: the config, by default `all`.
        limit_seeds: For tables: the number of seeds that the model predicted, as in `merge-snli score`.
        subsample: For tables: the subsample that the model predicted.
        partial: Leave out and count the seeds without answers to themselves and all their variants.

    Returns:
        The results, one per model, way of asking and part of the data set.

    Raises:
        InputError: If a file cannot be read, is on other data or lacks answers, or an option does not apply to it. No
            file is written then.
    """
    paths = list(dict.fromkeys(map(Path, files)))
    if out is not None:
        check_results_folder(Path(out))
    logs = [path for path in paths if is_log(path)]
    if logs and len(logs) < len(paths):
        tables = [path for path in paths if path not in logs]
        raise InputError(f"{logs[0]} is a log and {tables[0]} a table of predictions: import them one after the other")
    opened = find_dataset(dataset)
    if logs:
        options = {"--config": config, "--limit-seeds": limit_seeds, "--subsample": subsample}
        given = next((name for name, value in options.items() if value is not None), None)
        if given is not None:
            raise InputError(f"{given} is for tables of predictions; a log says what was asked: remove it")
        results = _import_logs(logs, opened, model=model, partial=partial)
    else:
        if not model:
            raise InputError(f"{paths[0]} does not name its model: give --model NAME")
        data = read_config(opened, config or ALL)
        answers = read_predictions(paths, data, model=model)
        part = part_of_config(data, limit_seeds=limit_seeds, subsample=subsample)
        results = [score_answers(answers, part, partial=partial)]
    _check_names(results)
    if out is not None:
        for result in results:
            write_result(result, Path(out))
    return results


def _import_logs(paths: Sequence[Path], dataset: MergeDataset, *, model: str | None, partial: bool) -> list[Result]:
    logs = [read_log(path) for path in paths]
    for log in logs:
        check_dataset(log, dataset)
    results = []
    for run in join_logs(logs):
        asked = run[0].part
        data = read_config(dataset, asked.config)
        part = part_of_config(data, limit_seeds=asked.limit_seeds, subsample=asked.subsample)
        results.append(score_answers(answers_of(run, data, model=model), part, partial=partial))
    return results


def _check_names(results: Sequence[Result]) -> None:
    """Check that no result would overwrite another."""
    names = [file_name(result) for result in results]
    for result, name in zip(results, names, strict=True):
        if names.count(name) > 1:
            raise InputError(f"two runs are named {result.title}: import them one after the other with --model")
