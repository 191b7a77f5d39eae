"""Score models on a data set, and write result files."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeGuard, Unpack, cast, overload

from merge_snli.errors import InputError
from scoring.models.async_function import CONCURRENCY, ask_all, is_async, journal_name
from scoring.models.function import function_name, label_reader, model_from_function
from scoring.models.infer_labels import check_labels, infer_labels
from scoring.models.labels import INFERRED, TABLE
from scoring.models.options import ModelOptions
from scoring.models.scored_model import model_from_name, model_from_pipeline, pipeline_of
from scoring.predictions.grouped import GroupedPairs
from scoring.predictions.opening import open_data
from scoring.predictions.partial import part_of_config
from scoring.predictions.predict import predict_pairs
from scoring.predictions.source import read_source
from scoring.predictions.store import PredictionStore, join
from scoring.results.describe import best_outputs
from scoring.results.evaluate import evaluate
from scoring.results.files import work_folder, write_result
from scoring.results.folder import check_results_folder
from scoring.results.group_scores import evaluate_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase, TextClassificationPipeline

    from merge_snli.dataset import MergeDataset
    from merge_snli.problems.options import ProblemOptions
    from scoring.models.async_function import AsyncLabelFunction
    from scoring.models.function import LabelFunction
    from scoring.models.labels import ModelLabels
    from scoring.models.predictor import Pair, Predictor
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.source import ScoredSource
    from scoring.predictions.store import Predictions
    from scoring.results.grouped_result import GroupedResult
    from scoring.results.result import Result

    Loaded = TextClassificationPipeline | tuple[PreTrainedModel, PreTrainedTokenizerBase]
    Model = str | Path | Loaded | LabelFunction | AsyncLabelFunction


class ScoreOptions(TypedDict, total=False):
    """The options of `score` that do not change the type of its result."""

    config: str | None
    by: Sequence[str]
    limit_seeds: int | None
    subsample: int | None
    source: str | Path | ProblemOptions | None
    labels: Sequence[str] | str | None
    dtype: str
    device: str | None
    allow_pickle: bool
    trust_remote_code: bool
    out: str | Path | None
    name: str | None
    version: str | None
    concurrency: int | None


@overload
def score(
    model: Model, dataset: str | Path | MergeDataset, *, group_column: None = None, **options: Unpack[ScoreOptions]
) -> Result: ...


@overload
def score(model: Model, dataset: object, *, group_column: str, **options: Unpack[ScoreOptions]) -> GroupedResult: ...


def score(
    model: Model,
    dataset: object,
    *,
    config: str | None = None,
    group_column: str | None = None,
    by: Sequence[str] = (),
    limit_seeds: int | None = None,
    subsample: int | None = None,
    source: str | Path | ProblemOptions | None = None,
    labels: Sequence[str] | str | None = None,
    dtype: str = "float32",
    device: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    out: str | Path | None = None,
    name: str | None = None,
    version: str | None = None,
    concurrency: int | None = None,
) -> Result | GroupedResult:
    """Score one model on one config of a MERGE data set (sections 4 and 5 of the paper), or on any pairs in groups.

    Args:
        model: Hub id, folder or `demo:NAME` of a sequence classifier; or a loaded text-classification pipeline; or a
            tuple of a loaded sequence classifier and its tokenizer; or a function from a list of (premise, hypothesis)
            pairs to a label for each, by name or by its number in the data set, or None for no answer; or an async
            function from one such pair to its label.
        dataset: Folder or Hub id of a MERGE data set, or the folder of a data set made from templates. With
            `group_column`: a file, folder or Hub id of labelled pairs, problems in memory, or
            `merge_snli.problems.options.ProblemOptions`, which says how to read them.
        config: `all` (default) or a word class of a MERGE data set; a config of another data set.
        group_column: The column of the groups of pairs, such as a premise, template or pattern. Not for a MERGE data
            set, whose groups are its seeds, nor for a data set made from templates, which names its own.
        by: Columns of pairs in groups; the scores are also computed for the pairs with each value. `A+B` joins two
            columns. By default, the templates of a data set made from templates.
        limit_seeds: Number of seeds to score, for a quick trial. The result is marked as partial and never compared
            with one on the whole data set.
        subsample: The subsample whose variants are scored, likewise.
        source: The problems that the data set was generated from, to score the model on all of them as well: `recorded`
            for those that its record names, a file, a Hub id, or `merge_snli.problems.options.ProblemOptions`.
        labels: The label of each output, in order; `infer` to infer the order from the seeds. Required if the model's
            config has no meaningful names; overrides the config. Not for a function.
        dtype: `float32`, `bfloat16`, `float16` or `int8`. This and the next three are only for a model given by name.
        device: A torch device such as `cpu` or `cuda:0`; a GPU if available by default.
        allow_pickle: Accept pickle weights, which can execute arbitrary code.
        trust_remote_code: Run Python code from the model's repository.
        out: Folder for the result file; predictions are cached in `OUT.work`. If None, nothing is written.
        name: The name to report for a folder, a pipeline or a function.
        version: A version of a function. If given, its predictions are cached. Without it, the answers of an async
            function are kept in `OUT.work` until the result is written, so that a run that stops loses none.
        concurrency: Number of calls of an async function at the same time, by default 16.

    Returns:
        The scores; a notebook shows them as a table. A `GroupedResult` for pairs in groups, also for a data set made
        from templates, otherwise a `Result`.

    Raises:
        InputError: If the model, the data set, its source, an option or the folder cannot be used.
    """
    options = ModelOptions(
        labels=labels if labels is None or isinstance(labels, str) else tuple(labels),
        dtype=dtype,
        device=device,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    if isinstance(model, tuple) and len(model) == 2:
        model = pipeline_of(*model)
    _check_options(model, options, name=name, version=version, concurrency=concurrency)
    data, *others = open_data(dataset, config=config, group_column=group_column, by=by)
    if others:
        names = ", ".join(str(each.config) for each in (data, *others))
        raise InputError(f"{dataset} has several configs: choose one of {names} with config=…")
    data = take_part(data, limit_seeds=limit_seeds, subsample=subsample)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_results_folder(folder)
    problems = None
    if source is not None:
        problems = read_source(source, require_seeds(data, "--source"))
    if isinstance(model, str | Path):
        scored = model_from_name(str(model), options, display_name=name)
    elif _is_pipeline(model):
        scored = model_from_pipeline(model, labels=labels, name=name)
    elif is_async(model):
        pairs = (*data.pairs, *(() if problems is None else problems.new_pairs))
        return _score_async(
            cast("AsyncLabelFunction", model), pairs, data, problems, folder, name, version, concurrency or CONCURRENCY
        )
    else:
        scored = model_from_function(cast("LabelFunction", model), data.label_names, name=name, version=version)
    return score_model(scored, data, source=problems, out=folder)


def _score_async(
    function: AsyncLabelFunction,
    pairs: Sequence[Pair],
    data: ScoredConfig | GroupedPairs,
    source: ScoredSource | None,
    out: Path | None,
    name: str | None,
    version: str | None,
    concurrency: int,
) -> Result | GroupedResult:
    """Ask an async function about all pairs, then score its answers; `pairs` are those of the data and the source."""
    name = name or function_name(function)
    journal = None if out is None else work_folder(out) / "answers" / journal_name(function, name, version)
    read = label_reader(data.label_names, name)
    answers = ask_all(function, pairs, read=read, name=name, concurrency=concurrency, journal=journal)
    scored = model_from_function(
        lambda asked: [answers[pair] for pair in asked], data.label_names, name=name, version=version
    )
    result = score_model(scored, data, source=source, out=out)
    if journal is not None and version is None:
        journal.unlink(missing_ok=True)
    return result


def take_part(
    data: ScoredConfig | GroupedPairs, *, limit_seeds: int | None = None, subsample: int | None = None
) -> ScoredConfig | GroupedPairs:
    """Return the part of a config that `--limit-seeds` and `--subsample` name; without them, the data as it is.

    Raises:
        InputError: If the data is pairs in groups, or does not have that part.
    """
    if limit_seeds is None and subsample is None:
        return data
    option = "--subsample" if limit_seeds is None else "--limit-seeds"
    return part_of_config(require_seeds(data, option), limit_seeds=limit_seeds, subsample=subsample)


def require_seeds(data: ScoredConfig | GroupedPairs, option: str) -> ScoredConfig:
    """Return data that has seeds.

    Args:
        data: The data to score.
        option: The option that needs seeds, for the message.

    Raises:
        InputError: If the data is pairs in groups.
    """
    if isinstance(data, GroupedPairs):
        raise InputError(f"{option} is for MERGE data sets, and {data.name} has pairs in groups; remove it")
    return data


def _check_options(
    model: object, options: ModelOptions, *, name: str | None, version: str | None, concurrency: int | None
) -> None:
    """Check that the model can be scored and that every option applies to it.

    Raises:
        InputError: If not; names the option.
    """
    defaults = ModelOptions(labels=options.labels)
    loading = [key for key, value in asdict(options).items() if value != getattr(defaults, key)]
    if concurrency is not None and concurrency < 1:
        raise InputError(f"concurrency is {concurrency}: it must be at least 1")
    async_only = ["concurrency"] if concurrency is not None else []
    function_only = [*(["version"] if version is not None else []), *async_only]
    if isinstance(model, str | Path):
        rename = name is not None and not Path(model).is_dir()
        kind, unused = "a model given by name", [*(["name"] if rename else []), *function_only]
    elif _is_pipeline(model):
        kind, unused = "a loaded pipeline", [*loading, *function_only]
    elif _is_module(model):
        raise InputError(f"cannot score a {type(model).__name__} alone; give (model, tokenizer)")
    elif callable(model) and not hasattr(model, "task"):
        kind = "an async function" if is_async(model) else "a function"
        unused = [*(["labels"] if options.labels is not None else []), *loading]
        unused += [] if is_async(model) else async_only
    else:
        raise InputError(
            f"cannot score a {type(model).__name__}; give the name of a model, a text-classification pipeline, "
            "(model, tokenizer), or a function from pairs to labels"
        )
    if unused:
        raise InputError(f"{unused[0]} has no effect on {kind}; remove it")


@overload
def score_model(
    scored: ScoredModel, data: ScoredConfig, *, source: ScoredSource | None = None, out: Path | None = None
) -> Result: ...


@overload
def score_model(
    scored: ScoredModel,
    data: ScoredConfig | GroupedPairs,
    *,
    source: ScoredSource | None = None,
    out: Path | None = None,
) -> Result | GroupedResult: ...


def score_model(
    scored: ScoredModel,
    data: ScoredConfig | GroupedPairs,
    *,
    source: ScoredSource | None = None,
    out: Path | None = None,
) -> Result | GroupedResult:
    """Score a model on a config or on pairs in groups; `score` does the same from names.

    The pairs of the config are predicted before those of the source, so that a source changes neither their batches nor
    their predictions.

    Args:
        scored: The model.
        data: The config, or the pairs.
        source: The source of the data set, to score the model on it as well.
        out: Folder for the result file and, in `OUT.work`, the cached predictions; None to write nothing.

    Raises:
        InputError: If the model cannot be loaded, fails or every seed is too long for it, its labels are to be inferred
            from pairs in groups, or `out` is not writable.
    """
    store = None
    if out is not None and scored.key is not None:
        store = PredictionStore(work_folder(out) / "predictions" / scored.key[:16])
    load = cache(scored.load)
    if isinstance(data, GroupedPairs):
        _require_labels(scored, data)
        predictions, facts = predict_pairs(load, data.pairs, store, name=scored.name)
        result: Result | GroupedResult = evaluate_groups(scored, facts, predictions, data)
    else:
        result = _score_config(scored, load, data, source, store)
    if out is not None:
        write_result(result, out)
    return result


def _score_config(
    scored: ScoredModel,
    load: Callable[[], Predictor],
    data: ScoredConfig,
    source: ScoredSource | None,
    store: PredictionStore | None,
) -> Result:
    predictions, facts = predict_pairs(load, data.pairs, store, name=scored.name)
    if scored.labels.origin in {INFERRED, TABLE}:
        scored = replace(scored, labels=_labels_on_seeds(scored, predictions, data))
    if source is not None and source.new_pairs:
        on_source, _ = predict_pairs(load, source.new_pairs, store, name=f"{scored.name} on {source.name}")
        predictions = join(predictions, on_source)
    return evaluate(scored, facts, predictions, data, source)


def _require_labels(scored: ScoredModel, data: GroupedPairs) -> None:
    """Refuse to infer labels from pairs on which a model with the right labels may be wrong most of the time."""
    if scored.labels.origin == INFERRED:
        raise InputError(
            f"the labels of {scored.name} cannot be inferred from {data.name}, on which a model may be wrong most of "
            "the time: give them with --labels, or infer them on a MERGE data set first"
        )


@overload
def score_models(
    models: Mapping[str, str],
    data: ScoredConfig,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result], dict[str, str]]: ...


@overload
def score_models(
    models: Mapping[str, str],
    data: ScoredConfig | GroupedPairs,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result | GroupedResult], dict[str, str]]: ...


def score_models(
    models: Mapping[str, str],
    data: ScoredConfig | GroupedPairs,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result], dict[str, str]] | tuple[list[Result | GroupedResult], dict[str, str]]:
    """Score models, one after another; a model that fails does not stop the others.

    Args:
        models: Hub ids, folders or `demo:NAME`, by display name (see `name_models`).
        data: The config or the pairs to score them on.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files.
        source: The source of the data set, to score the models on it as well.
        predicted_on: See `model_from_name`.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.
    """
    results: list[Result | GroupedResult] = []
    failed: dict[str, str] = {}
    for name, model in models.items():
        display_name = name if Path(model).is_dir() else None  # without its revision, a Hub id names the repository
        try:
            scored = model_from_name(model, options, display_name=display_name, predicted_on=predicted_on)
            results.append(score_model(scored, data, source=source, out=out))
        except InputError as error:
            failed[name] = str(error)
    return results, failed


def _labels_on_seeds(scored: ScoredModel, predictions: Predictions, data: ScoredConfig) -> ModelLabels:
    """Infer the labels of a model from the seeds, or check those of the table."""
    best, labels = best_outputs(predictions)[data.seed_pairs], scored.labels
    if labels.origin == INFERRED:
        return infer_labels(
            best, data.seed_labels, data.label_names, config_names=labels.config_names, model=scored.name
        )
    check_labels(labels, best, data.seed_labels, data.label_names, model=scored.name)
    return labels


def _is_pipeline(model: object) -> TypeGuard[TextClassificationPipeline]:
    transformers = sys.modules.get("transformers")
    return transformers is not None and isinstance(model, transformers.TextClassificationPipeline)


def _is_module(model: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)
