"""Score models on a data set, and write result files."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard, cast

from merge_snli.base.errors import InputError
from merge_snli.models.function import (
    CONCURRENCY,
    call_all,
    function_name,
    is_async,
    journal_name,
    label_reader,
    model_from_function,
)
from merge_snli.models.loading import ModelOptions
from merge_snli.models.scored_model import model_from_name, model_from_pipeline, pipeline_of
from merge_snli.scoring.data import part_of_data
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.score_models import score_model
from merge_snli.scoring.source import read_source
from merge_snli.scoring.store import check_results_folder, work_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase, TextClassificationPipeline

    from merge_snli.models.function import AsyncLabelFunction, LabelFunction
    from merge_snli.models.labels import Pair
    from merge_snli.models.prompts import FilledPrompt
    from merge_snli.problems.options import ProblemOptions
    from merge_snli.scoring.data import ScoredData
    from merge_snli.scoring.result import Result
    from merge_snli.scoring.source import ScoredSource

    Loaded = TextClassificationPipeline | tuple[PreTrainedModel, PreTrainedTokenizerBase]
    Model = str | Path | Loaded | LabelFunction | AsyncLabelFunction


def score(
    model: Model,
    dataset: object,
    *,
    config: str | None = None,
    group_column: str | None = None,
    by: Sequence[str] = (),
    limit_seeds: int | None = None,
    subsample: int | None = None,
    drawn: bool = False,
    min_agreement: float | None = None,
    source: str | Path | ProblemOptions | None = None,
    model_labels: Sequence[str] | str | None = None,
    dtype: str = "float32",
    device: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    prompt: FilledPrompt | None = None,
    out: str | Path | None = None,
    name: str | None = None,
    version: str | None = None,
    concurrency: int | None = None,
) -> Result:
    """Score one model on one config of a MERGE data set (sections 4 and 5 of the paper), or on any pairs in groups.

    Args:
        model: Hub id, folder or `demo:NAME` of a sequence classifier; or a loaded text-classification pipeline; or a
            tuple of a loaded sequence classifier and its tokenizer; or a function from a list of (premise, hypothesis)
            pairs to a label for each, by name or by its number in the data set, or None for no answer; or an async
            function from one such pair to its label.
        dataset: Folder or Hub id of a MERGE data set, or the folder of a data set made from templates. With
            `group_column`: a file, folder or Hub id of labeled pairs, problems in memory, or
            `merge_snli.problems.options.ProblemOptions`, which says how to read them.
        config: `all` (default) or a word class of a MERGE data set; a config of another data set.
        group_column: The column of the groups of pairs, such as a premise, template or pattern. Not for a MERGE data
            set, whose groups are its seeds, nor for a data set made from templates, which names its own.
        by: Columns of pairs in groups; the scores are also computed for the pairs with each value. `A+B` joins two
            columns. By default, the templates of a data set made from templates.
        limit_seeds: Number of seeds or groups to score, for a quick trial. The result is marked as partial and never
            compared with one on the whole data set.
        subsample: The subsample whose variants are scored, likewise.
        drawn: Score only the variants that a subsample drew, and the seeds. Scores over the subsamples are the same as
            without it, and `all_rows_accuracy` is None.
        min_agreement: Smallest share of annotators who gave the gold label; other seeds are left out, and the result
            is marked as partial.
        source: The problems that the data set was generated from, to score the model on all of them as well: `recorded`
            for those that its record names, a file, a Hub id, or `merge_snli.problems.options.ProblemOptions`.
        model_labels: The label of each output, in order; `infer` to infer the order from the seeds. Required if the
            model's config has no meaningful names; overrides the config. Not for a function.
        dtype: `float32`, `bfloat16`, `float16` or `int8`. This and the next four are only for a model given by name.
        device: A torch device such as `cpu` or `cuda:0`; a GPU if available by default.
        allow_pickle: Accept pickle weights, which can execute arbitrary code.
        trust_remote_code: Run Python code from the model's repository.
        prompt: How to ask a causal LM given by name, whose answers are ranked: the result of
            `merge_snli.language_models.shots.fill_prompt`. None for a sequence classifier.
        out: Folder for the result file; predictions are cached in `OUT.work`. If None, nothing is written.
        name: The name to report for a folder, a pipeline or a function.
        version: A version of a function. If given, its predictions are cached. Without it, the answers of an async
            function are kept in `OUT.work` until the result is written, so that a run that stops loses none.
        concurrency: Number of calls of an async function at the same time, by default 16.

    Returns:
        The scores; a notebook shows them as a table.

    Raises:
        InputError: If the model, the data set, its source, an option or the folder cannot be used.
    """
    options = ModelOptions(
        model_labels=model_labels if model_labels is None or isinstance(model_labels, str) else tuple(model_labels),
        dtype=dtype,
        device=device,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
        prompt=prompt,
    )
    if isinstance(model, tuple) and len(model) == 2:
        model = pipeline_of(*model)
    _check_options(model, options, name=name, version=version, concurrency=concurrency)
    whole = open_config(dataset, config, group_column=group_column, by=by)
    data = part_of_data(whole, limit_seeds=limit_seeds, subsample=subsample, drawn=drawn, min_agreement=min_agreement)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_results_folder(folder)
    problems = None if source is None else read_source(source, data)
    if isinstance(model, str | Path):
        scored = model_from_name(str(model), options, display_name=name)
    elif _is_pipeline(model):
        scored = model_from_pipeline(model, model_labels=model_labels, name=name)
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
    data: ScoredData,
    source: ScoredSource | None,
    out: Path | None,
    name: str | None,
    version: str | None,
    concurrency: int,
) -> Result:
    """Ask an async function about all pairs, then score its answers; `pairs` are those of the data and the source."""
    name = name or function_name(function)
    journal = None if out is None else work_folder(out) / "answers" / journal_name(function, name, version)
    read = label_reader(data.label_names, name)
    answers = call_all(function, pairs, read=read, name=name, concurrency=concurrency, journal=journal)
    scored = model_from_function(
        lambda asked: [answers[pair] for pair in asked], data.label_names, name=name, version=version
    )
    result = score_model(scored, data, source=source, out=out)
    if journal is not None and version is None:
        journal.unlink(missing_ok=True)
    return result


def _check_options(
    model: object, options: ModelOptions, *, name: str | None, version: str | None, concurrency: int | None
) -> None:
    """Check that the model can be scored and that every option applies to it.

    Raises:
        InputError: If not; names the option.
    """
    defaults = ModelOptions(model_labels=options.model_labels)
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
        unused = [*(["model_labels"] if options.model_labels is not None else []), *loading]
        unused += [] if is_async(model) else async_only
    else:
        raise InputError(
            f"cannot score a {type(model).__name__}; give the name of a model, a text-classification pipeline, "
            "(model, tokenizer), or a function from pairs to labels"
        )
    if unused:
        raise InputError(f"{unused[0]} has no effect on {kind}; remove it")


def _is_pipeline(model: object) -> TypeGuard[TextClassificationPipeline]:
    transformers = sys.modules.get("transformers")
    return transformers is not None and isinstance(model, transformers.TextClassificationPipeline)


def _is_module(model: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)
