"""Import logs and predictions as result files."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeAlias

from merge_snli.answers.data import ScoredData
from merge_snli.answers.opening import open_config
from merge_snli.answers.part import part_of_data
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError, param
from merge_snli.base.table import count
from merge_snli.language_models.logs import (
    LM_EVAL_PREFIX,
    Log,
    answers_of,
    check_digest,
    filled_prompt,
    read_result_log,
)
from merge_snli.language_models.questions import Scope, open_whole
from merge_snli.language_models.sample_scores import Scoring, scored_data
from merge_snli.language_models.unread import warn_of_unread
from merge_snli.results.naming import file_name
from merge_snli.results.result import Result
from merge_snli.results.store import check_results_folder, is_result, store_result
from merge_snli.scoring.imports import ImportedAnswers, read_predictions, score_answers

# The answers of a model, and the result.
_Run: TypeAlias = tuple[ImportedAnswers, Result]

# Endings of the logs of Inspect.
INSPECT_ENDINGS = (".eval", ".json")

logger = logging.getLogger(__name__)


def import_files(
    files: Sequence[str | Path],
    dataset: str | None = None,
    *,
    out: str | Path | None = None,
    model: str | None = None,
    config: str | None = None,
    limit_seeds: int | None = None,
    subsample: int | None = None,
    partial: bool = False,
    again: bool = False,
    reader: str | None = None,
    group: str | None = None,
    score: str | None = None,
    filter: str | None = None,
    at_least: float | None = None,
) -> list[Result]:
    """Compute results from logs of Inspect and lm-evaluation-harness, or from tables of predictions.

    Without a data set, the logs may be of any task: a sample is answered `correct` or `incorrect` by its score. Logs of
    the same task and score that are given together are on the samples that any of them has.

    Logs of one model with the same prompt and settings are joined. A log itself names the config, subsample and seeds
    of its questions; a result on a part is marked as partial, as by `merge-snli score --subsample`. A log that cannot
    be imported is skipped with a warning. What a model wrote is kept in the table of answers.

    Args:
        files: Logs (`.eval`, `.json`, `samples_*.jsonl`), or tables of the predictions of one model (`.csv`, `.tsv`,
            `.jsonl`, `.parquet`); with `again` also results.
        dataset: Folder or Hub id of the data set of the questions; None for logs of other tasks.
        out: Folder for the result files; None to write nothing.
        model: Name of the model. Required for tables; all logs must be of one model then.
        config: For tables: the config, by default `all` of a MERGE data set.
        limit_seeds: For tables: the number of seeds that the model predicted, as in `merge-snli score`.
        subsample: For tables: the subsample that the model predicted.
        partial: Leave out and count the groups without all their answers.
        again: Read the answers that are kept beside results again.
        reader: Language model, as Inspect names it, that reads the label in unread replies; None for none.
        group: For other tasks: field of the metadata, or of the document, that names the group of a sample; None if
            each sample is one.
        score: For other tasks: name of the score, if samples have several.
        filter: For other tasks: name of the filter of lm-evaluation-harness, if there are several.
        at_least: For other tasks: smallest score of a correct sample; None if all scores are 1 or 0.

    Returns:
        The results, one per model, way of asking and scope.

    Raises:
        InputError: If no file can be read, is on the data and has all answers, or an option does not apply. No file is
            written then.
    """
    paths = list(dict.fromkeys(map(Path, files)))
    if not paths:
        raise InputError("no files: give logs, or tables of predictions")
    if out is not None:
        check_results_folder(Path(out))
    _check_files(paths, again=again)
    logs = [path for path in paths if is_log(path)]
    tables = [path for path in paths if path not in logs]
    if logs and tables:
        raise InputError(f"{logs[0]} is a log and {tables[0]} a table of predictions: import them one after the other")
    scoring = Scoring(group=group, score=score, filter=filter, at_least=at_least)
    if dataset is None and (tables or again or reader):
        option = "again" if again else "reader"
        what = str(tables[0]) if tables else param(option, True)
        raise InputError(f"{what} needs the data set of the questions: name it with ⟦dataset⟧")
    if dataset is not None:
        _refuse(vars(scoring), "logs of other tasks, without ⟦dataset⟧")
    if logs:
        own_part = {"config": config, "limit_seeds": limit_seeds, "subsample": subsample}
        _refuse(own_part, "tables of predictions; a log names its own part of the data")
        runs = _runs(logs, dataset, scoring, model=model, partial=partial, reader=reader)
    else:
        _refuse({"reader": reader}, f"logs; {tables[0]} is a table of predictions")
        if not model:
            raise InputError(f"{tables[0]} does not name its model: give ⟦model⟧ NAME")
        data = open_config(dataset, config)
        answers = read_predictions(tables, data, model=model)
        part = part_of_data(data, limit_seeds=limit_seeds, subsample=subsample)
        runs = [(answers, score_answers(answers, part, partial=partial))]
    results = [result for _, result in runs]
    _check_names(results)
    for answers, result in runs:
        warn_of_unread(result, len(answers.replies))
    return results if out is None else [store_result(result, Path(out)) for result in results]


def _refuse(options: Mapping[str, object], other: str) -> None:
    """Refuse options that are given and are for other files."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"⟦{name}⟧ is for {other}: remove it")


def _check_files(paths: Sequence[Path], *, again: bool) -> None:
    for path in paths:
        if path.is_dir():
            raise InputError(f"{path} is a folder: give its files, such as {path}/*.eval")
        if again and not is_log(path):
            raise InputError(f"{path} is a table of predictions, and ⟦again⟧ is for logs and results: remove it")
        if not again and is_result(path):
            raise InputError(f"{path} is a result: add ⟦again=True⟧ to read its answers again")


def _runs(
    paths: Sequence[Path],
    dataset: str | None,
    scoring: Scoring,
    *,
    model: str | None,
    partial: bool,
    reader: str | None,
) -> list[_Run]:
    """Score the runs that logs and results hold; skip those that cannot be, unless that leaves none.

    Args:
        paths: The logs and results.
        dataset: The data set; None for other tasks.
        scoring: Which scores of other tasks count.
        model: Name of the model; None for that of the logs.
        partial: Whether to leave out the groups without all their answers.
        reader: Language model that reads unread replies.
    """
    errors: list[InputError] = []
    logs: list[Log] = []
    runs = []

    @cache
    def opened(name: str, config: str, group_column: str | None) -> ScoredData:
        if dataset is None:
            return scored_data([log for log in logs if log.dataset == name])
        return open_whole(dataset, Scope(config=config, group_column=group_column))

    for path in paths:
        with _collecting(errors):
            log = read_log(path, scoring if dataset is None else None)
            if dataset is not None:
                check_digest(log, opened(log.dataset, log.scope.config, log.scope.group_column))
            logs.append(log)
    models = list(dict.fromkeys(log.model for log in logs))
    if model and len(models) > 1:
        raise InputError(
            f"⟦model⟧ is {model!r}, but the logs are of {len(models)} models, {', '.join(models)}: remove it, "
            "or import the logs of each model alone"
        )
    # A run may be in several logs.
    of_runs = grouped(((log.model, log.digest, log.dataset, log.scope), log) for log in logs)
    for of_run in of_runs.values():
        first = of_run[0]
        data = opened(first.dataset, first.scope.config, first.scope.group_column)
        with _collecting(errors):
            runs.append(_score(of_run, data, model=model, partial=partial, reader=reader))
    if not runs and len(errors) == 1:
        raise errors[0]
    for error in errors:
        logger.warning("not imported: %s", error)
    if not runs:
        raise InputError(f"none of {count(len(paths), 'file')} could be imported")
    return runs


@contextmanager
def _collecting(errors: list[InputError]) -> Iterator[None]:
    """Add what is raised for bad input to a list."""
    try:
        yield
    except InputError as error:
        errors.append(error)


def _score(logs: Sequence[Log], data: ScoredData, *, model: str | None, partial: bool, reader: str | None) -> _Run:
    """Score the answers in the logs of one run."""
    scope = logs[0].scope
    answers = answers_of(logs, data, model=model)
    if reader:
        from merge_snli.language_models.second_reader import read_unread

        filled = filled_prompt(logs[0].prompt, data)
        labels, words = (filled.labels, filled.words) if filled else (data.label_names, data.label_names)
        answers = read_unread(answers, answers.prompt or logs[0].prompt, reader, labels, words)
    lenient = partial or any(is_result(log.path) for log in logs)
    try:
        return answers, score_answers(answers, scope.part_of(data), partial=lenient)
    except InputError as error:
        named = str(error).startswith(answers.source)
        raise (error if named else InputError(f"{answers.source}: {error.message.marked}")) from error


def _check_names(results: Sequence[Result]) -> None:
    """Check that no result would overwrite another."""
    names = Counter(map(file_name, results))
    for result in results:
        if names[file_name(result)] > 1:
            raise InputError(f"two runs are named {result.title}: import them one after the other with ⟦model⟧")


def read_log(path: Path, scoring: Scoring | None = None) -> Log:
    """Read a result with its answers, or a log: of Inspect if it ends in `.eval` or `.json`, otherwise of lm-eval.

    Args:
        path: The result or log.
        scoring: Which scores count, in a log of another task than those of this package.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist, or is a folder: give log files")
    if is_result(path):
        return read_result_log(path)
    if path.suffix in INSPECT_ENDINGS:
        from merge_snli.language_models.inspect_log import read_inspect_log

        return read_inspect_log(path, scoring)
    from merge_snli.language_models.lm_eval_log import read_lm_eval_log

    return read_lm_eval_log(path, scoring)


def is_log(path: Path) -> bool:
    """Return whether a file has the name of a log; other files are tables of predictions."""
    return path.suffix in INSPECT_ENDINGS or (path.suffix == ".jsonl" and path.name.startswith(LM_EVAL_PREFIX))
