"""Score models on data: the stages in their order, and what each does, wherever its tasks run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.answers.opening import open_config
from merge_snli.answers.sentences import SentencePairs
from merge_snli.answers.source import ScoredSource
from merge_snli.base.errors import IncompleteError, InputError, Message
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.stages import EVALUATE, PREDICT, Executor, RunStage, TaskShare
from merge_snli.models.finding import kind_of
from merge_snli.problems.options import ProblemOptions
from merge_snli.results.result import Result
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.predict import predict_pairs
from merge_snli.scoring.score_models import data_and_source, prediction_folder, score_models
from merge_snli.scoring.scored_model import model_from_name

Scored = tuple[list[Result], dict[str, Message]]

Name = TypeVar("Name", str, str | ProblemOptions, Any)


@dataclass(frozen=True, kw_only=True)
class ScoringRun:
    """What all stages of a run share. It is pickled for tasks in other processes, which open the data themselves.

    Attributes:
        models: Hub ids, folders or `demo:NAME`, by display name.
        dataset: Folder or Hub id, or how to read pairs in groups, as `open_data` takes it.
        options: The options, with one config.
        out: Folder for the result files.
        expected: The digest of the data when the run was submitted; None for a run in this process.
    """

    models: Mapping[str, str]
    dataset: str | ProblemOptions
    options: ScoreOptions
    out: Path
    expected: str | None = None

    def read(self) -> tuple[ScoredData, ScoredSource | None]:
        """Open the data and its source.

        Raises:
            InputError: If they cannot be read, or the data has changed since the submission.
        """
        options = self.options
        whole = open_config(self.dataset, options.config, group_column=options.group_column, by=options.by)
        if whole.digest != self.expected:
            raise InputError(f"{self.dataset} has changed since the run was submitted: run the same command again")
        return data_and_source(whole, options)


def score_run(
    run: ScoringRun, data: ScoredData, source: ScoredSource | None = None, executor: Executor | None = None
) -> Scored:
    """Score the models of a run; a model that fails does not stop the others.

    Args:
        run: The run.
        data: Its data.
        source: Its source.
        executor: Predicts as tasks in other processes; None to predict in this process. The results are the same.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.

    Raises:
        InputError: If no model can be used, or a task of the executor fails.
    """
    if executor is None:
        return score_models(run.models, data, options=run.options, out=run.out, source=source)
    run, keys, failed = _submitted(run, data, executor)
    executor.run(stages(run, len(data.pairs)), executor.folder(run.out, keys), Progress())
    results, more = _evaluated(run, data, source)
    return results, failed | more


def stages(run: ScoringRun, pairs: int) -> tuple[RunStage, ...]:
    """Return the stages that score models on a number of pairs, in order."""
    predictions = (
        RunStage(name=name, kind=PREDICT, unit="pairs", work=partial(predict, run, name), shards=pairs, step=0)
        for name in run.models
    )
    return (
        *predictions,
        RunStage(
            name="evaluate", kind=EVALUATE, unit="models", work=partial(evaluate, run), step=1, after_failures=True
        ),
    )


def predict(run: ScoringRun, name: str, share: TaskShare, stage: Stage) -> None:
    """Predict a share of the pairs of the data set and its source with one model, and cache the predictions.

    Args:
        run: The run.
        name: The display name of the model.
        share: The task's share of the pairs.
        stage: Progress, in pairs.

    Raises:
        InputError: If the model cannot be loaded or fails, or the work folder is not writable.
    """
    data, source = run.read()
    scored = model_from_name(run.models[name], run.options)
    store = prediction_folder(scored.key, run.out)
    load = cache(scored.load)
    every = (data.pairs, () if source is None else source.new_pairs)
    shares = [SentencePairs.of(pairs).take(np.arange(share.task, len(pairs), share.tasks)) for pairs in every]
    stage.total = sum(map(len, shares))
    for own in filter(None, shares):
        predict_pairs(load, own, store, name=name, advance=stage.advance)


def evaluate(run: ScoringRun, _: TaskShare, stage: Stage) -> None:
    """Compute and write the results of all models that have every prediction.

    Args:
        run: The run.
        _: The whole run.
        stage: Progress, in models.

    Raises:
        IncompleteError: If the predictions of a model are missing; the results of the others are written.
    """
    results, failed = _evaluated(run, *run.read())
    stage.advance(len(results))
    if failed:
        raise IncompleteError("; ".join(f"{name} is not scored: {why.marked}" for name, why in failed.items()))


def _evaluated(run: ScoringRun, data: ScoredData, source: ScoredSource | None) -> Scored:
    """Compute and write the results of all models after their predictions, whose device need not be here."""
    device = _device_type(run)
    return score_models(run.models, data, options=run.options, out=run.out, source=source, predicted_on=device)


def _submitted(
    run: ScoringRun, data: ScoredData, executor: Executor
) -> tuple[ScoringRun, list[Any], dict[str, Message]]:
    """Return a run for tasks in other processes, what its predictions depend on, and the models that cannot be used."""
    device = executor.device(PREDICT, run.options.device)
    run = replace(
        run,
        dataset=_absolute(run.dataset),
        options=replace(run.options, device=device, source=_absolute(run.options.source)),
        out=run.out.absolute(),
        expected=data.digest,
    )
    keys: dict[str, Any] = {}
    failed: dict[str, Message] = {}
    for name, model in run.models.items():
        try:
            scored = model_from_name(model, run.options, predicted_on=_device_type(run))
            keys[name] = [scored.key, scored.on(data.label_names).record.labels]
        except InputError as error:
            failed[name] = error.message
    if not keys:
        raise InputError("; ".join(message.marked for message in failed.values()))
    run = replace(run, models={name: _absolute(run.models[name]) for name in keys})
    return run, [keys, run.expected, repr(run.dataset), repr(run.options)], failed


def _device_type(run: ScoringRun) -> str | None:
    return None if run.options.device is None else kind_of(run.options.device)


def _absolute(name: Name) -> Name:
    """Return what names a model or data with the absolute path of its file or folder, since tasks run elsewhere."""
    if isinstance(name, ProblemOptions):
        return replace(name, problems=name.problems.absolute())
    return str(Path(name).absolute()) if name is not None and Path(name).exists() else name
