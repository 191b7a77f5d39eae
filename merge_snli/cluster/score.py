"""`score` on a cluster."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from merge_snli import __version__
from merge_snli.cluster.options import PREDICT
from merge_snli.cluster.run import Planned, device_of, read_installed, run_folder
from merge_snli.cluster.stages import scoring_stages
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.problems.file_names import absolute_names
from merge_snli.problems.options import ProblemOptions
from merge_snli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.models.options import ModelOptions
    from scoring.predictions.grouped import GroupedPairs
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.source import ScoredSource
    from scoring.results.grouped_result import GroupedResult
    from scoring.results.result import Result
    from scoring.tasks import DataOptions

Data = TypeVar("Data", str | ProblemOptions, str | ProblemOptions | None)


def score_on_cluster(
    names: Sequence[str],
    opening: DataOptions,
    data: ScoredConfig | GroupedPairs,
    cluster_file: Path,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
) -> tuple[list[Result | GroupedResult], dict[str, str]]:
    """Score models on a cluster; the other arguments and the result are those of `scoring.api.score_models`.

    Args:
        names: The models.
        opening: How tasks read the data and its source.
        data: The config or the pairs to score them on.
        cluster_file: The cluster file.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files, which all machines must see.
        source: The source of the data set, to score the models on it as well.

    Raises:
        InputError: If an input or the cluster file cannot be used, or a task fails.
    """
    from scoring.api import score_models
    from scoring.models.names import name_models
    from scoring.models.scored_model import model_from_name
    from scoring.tasks import ScoringPlan, digest_of_data

    cluster = read_installed(cluster_file)
    device = device_of(cluster, PREDICT, options.device)
    device_type = device.partition(":")[0]
    models, failed = {}, {}
    for name, model in name_models(names).items():
        try:
            models[name] = model_from_name(model, options, predicted_on=device_type)
        except InputError as error:
            failed[name] = str(error)
    if not models:
        raise InputError("; ".join(failed.values()))
    plan = ScoringPlan(
        names=tuple(_absolute(given) for given in names if set(name_models([given])) <= models.keys()),
        data=replace(opening, dataset=_absolute_data(opening.dataset), source=_absolute_data(opening.source)),
        digest=digest_of_data(data),
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
        plan.names, data, options=options, out=plan.out, source=source, predicted_on=device_type
    )
    return results, failed | more


def _absolute(name: str) -> str:
    """Return the name of a model with the absolute path of its folder, since tasks run elsewhere."""
    given, equals, folder = name.partition("=")
    if Path(name).is_dir():
        return str(Path(name).absolute())
    return f"{given}={Path(folder).absolute()}" if equals and Path(folder).is_dir() else name


def _absolute_data(data: Data) -> Data:
    """Return what names data with the absolute path of its file or folder."""
    if isinstance(data, ProblemOptions):
        return replace(data, problems=absolute_names(data.problems))
    return str(Path(data).absolute()) if data is not None and Path(data).exists() else data
