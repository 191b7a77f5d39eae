"""`score` on a cluster."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from merge_snli import __version__
from merge_snli.cluster.options import PREDICT
from merge_snli.cluster.run import Planned, device_of, read_installed
from merge_snli.cluster.run_folder import run_folder
from merge_snli.cluster.stages import scoring_stages
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.problems.file_names import absolute_names
from merge_snli.problems.options import ProblemOptions
from merge_snli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.models.options import ModelOptions
    from scoring.predictions.scored_data import ScoredData
    from scoring.predictions.source import ScoredSource
    from scoring.results.result import Result
    from scoring.tasks import DataOptions

Name = TypeVar("Name", str, str | ProblemOptions, str | ProblemOptions | None)


def score_on_cluster(
    named: Mapping[str, str],
    opening: DataOptions,
    data: ScoredData,
    cluster_file: Path,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
) -> tuple[list[Result], dict[str, str]]:
    """Score models on a cluster; the other arguments and the result are those of `scoring.score_models.score_models`.

    Args:
        named: The models by display name.
        opening: How tasks read the data and its source.
        data: The config or the pairs to score them on.
        cluster_file: The cluster file.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files, which all machines must see.
        source: The source of the data set, to score the models on it as well.

    Raises:
        InputError: If an input or the cluster file cannot be used, or a task fails.
    """
    from scoring.models.scored_model import model_from_name
    from scoring.score_models import score_models
    from scoring.tasks import ScoringPlan

    cluster = read_installed(cluster_file)
    device = device_of(cluster, PREDICT, options.device)
    device_type = device.partition(":")[0]
    models, failed = {}, {}
    for name, model in named.items():
        try:
            models[name] = model_from_name(model, options, predicted_on=device_type)
        except InputError as error:
            failed[name] = str(error)
    if not models:
        raise InputError("; ".join(failed.values()))
    plan = ScoringPlan(
        models={name: _absolute(named[name]) for name in models},
        data=replace(opening, dataset=_absolute(opening.dataset), source=_absolute(opening.source)),
        digest=data.digest,
        pairs=len(data.pairs),
        options=options,
        device=device,
        out=out.absolute(),
    )
    keys = {name: [model.key, model.labels.names] for name, model in models.items()}
    key = sha256_of_json([keys, plan.digest, str(plan.data), asdict(options), __version__])[:16]
    folder = run_folder(out)
    stages = scoring_stages(plan, list(models))
    Planned(options=cluster, stages=stages, folder=folder, plan_folder=folder / key).run(Progress())
    results, more = score_models(
        plan.models, data, options=options, out=plan.out, source=source, predicted_on=device_type
    )
    return results, failed | more


def _absolute(name: Name) -> Name:
    """Return what names a model or data with the absolute path of its file or folder, since tasks run elsewhere."""
    if isinstance(name, ProblemOptions):
        return replace(name, problems=absolute_names(name.problems))
    return str(Path(name).absolute()) if name is not None and Path(name).exists() else name
