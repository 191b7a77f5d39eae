"""What each stage of scoring on a cluster does. Who runs the tasks, and where, is not decided here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from merge_snli.errors import IncompleteError, InputError
from scoring.models.scored_model import model_from_name
from scoring.predictions.opening import open_data
from scoring.predictions.predict import predict_pairs
from scoring.predictions.source import read_source
from scoring.score_models import prediction_store, score_models

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.problems.options import ProblemOptions
    from merge_snli.progress import Stage
    from merge_snli.share import Share
    from scoring.models.options import ModelOptions
    from scoring.predictions.scored_data import ScoredData
    from scoring.predictions.source import ScoredSource


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What `scoring.predictions.opening.open_data` opens, and its source.

    Attributes:
        dataset: Folder or Hub id, or how to read pairs in groups.
        config: The config to score.
        group_column: The column of the groups, if it is given.
        by: Columns by whose values scores are computed as well.
        source: The source of the data set, as given; None for none.
    """

    dataset: str | ProblemOptions
    config: str | None
    group_column: str | None = None
    by: tuple[str, ...] = ()
    source: str | ProblemOptions | None = None


@dataclass(frozen=True, kw_only=True)
class ScoringPlan:
    """Everything that the tasks of one run share.

    Attributes:
        models: The models by display name, with absolute paths of folders.
        data: How to open the data.
        digest: The digest of the data at submission; tasks refuse other data.
        pairs: Number of distinct pairs.
        options: How to load each model, and what its outputs mean.
        device: The device of the models.
        out: Folder for the result files.
    """

    models: dict[str, str]
    data: DataOptions
    digest: str
    pairs: int
    options: ModelOptions
    device: str
    out: Path

    def read(self) -> tuple[ScoredData, ScoredSource | None]:
        """Read the data and its source.

        Raises:
            InputError: If they cannot be read, or the data has changed since the submission.
        """
        opened = self.data
        (data,) = open_data(opened.dataset, config=opened.config, group_column=opened.group_column, by=opened.by)
        if data.digest != self.digest:
            raise InputError(f"{opened.dataset} has changed since the run was submitted: run the same command again")
        return data, None if opened.source is None else read_source(opened.source, data)


def predict(plan: ScoringPlan, name: str, share: Share, stage: Stage) -> None:
    """Predict a share of the pairs of the data set and its source with one model.

    Args:
        plan: The run.
        name: The display name of the model.
        share: The task's share of the pairs.
        stage: Progress, in pairs.

    Raises:
        InputError: If the model cannot be loaded or fails, or the work folder is not writable.
    """
    data, source = plan.read()
    scored = model_from_name(plan.models[name], replace(plan.options, device=plan.device))
    store = prediction_store(scored, plan.out)
    load = cache(scored.load)
    every = (data.pairs, () if source is None else source.new_pairs)
    parts = [part for pairs in every if (part := pairs[share.task :: share.tasks])]
    stage.total = sum(map(len, parts))
    for part in parts:
        predict_pairs(load, part, store, name=name, advance=stage.advance)


def evaluate(plan: ScoringPlan, _: Share, stage: Stage) -> None:
    """Compute and write the results of all models that have every prediction.

    Args:
        plan: The run.
        _: The whole run.
        stage: Progress, in models.

    Raises:
        IncompleteError: If the predictions of a model are missing; the results of the others are written.
    """
    data, source = plan.read()
    device = plan.device.partition(":")[0]
    results, failed = score_models(
        plan.models, data, options=plan.options, out=plan.out, source=source, predicted_on=device
    )
    stage.advance(len(results))
    if failed:
        raise IncompleteError("; ".join(f"{name} is not scored: {why}" for name, why in failed.items()))
