"""Score a model on a data set from Python, and write result files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from merge_snli.base.errors import InputError
from merge_snli.base.option import described, with_keywords
from merge_snli.models.function import (
    CONCURRENCY,
    call_all,
    function_name,
    is_async,
    journal_name,
    label_reader,
    model_from_function,
)
from merge_snli.models.options import ModelOptions
from merge_snli.models.scored_model import model_from_name, model_from_pipeline, pipeline_of
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.score_models import score_model
from merge_snli.scoring.source import data_and_source
from merge_snli.scoring.store import check_results_folder, work_folder

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, TextClassificationPipeline

    from merge_snli.models.function import AsyncLabelFunction, LabelFunction
    from merge_snli.models.labels import Pair
    from merge_snli.scoring.data import ScoredData
    from merge_snli.scoring.result import Result
    from merge_snli.scoring.source import ScoredSource

    Loaded = TextClassificationPipeline | tuple[PreTrainedModel, PreTrainedTokenizerBase]
    Model = str | Path | Loaded | LabelFunction | AsyncLabelFunction

# The kinds of models, and the options that apply to each, of those that are not about the data.
NAMED, FOLDER, PIPELINE, FUNCTION, ASYNC_FUNCTION = (
    "a model given by name",
    "a model folder",
    "a loaded pipeline",
    "a function",
    "an async function",
)
LOADING = frozenset(name for name, _ in described(ModelOptions))
APPLY = {
    NAMED: LOADING,
    FOLDER: LOADING | {"name"},
    PIPELINE: {"model_labels", "name"},
    FUNCTION: {"name", "version"},
    ASYNC_FUNCTION: {"name", "version", "concurrency"},
}


def score(
    model: Model,
    dataset: object,
    *,
    out: str | Path | None = None,
    **options: Any,  # noqa: ANN401 - values of any option
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
        out: Folder for the result file; predictions are cached in `OUT.work`. If None, nothing is written.
        **options: Fields of `merge_snli.scoring.options.ScoreOptions`, such as `config`, `limit_seeds` or `dtype`.

    Returns:
        The scores; a notebook shows them as a table.

    Raises:
        InputError: If the model, the data set, its source, an option or the folder cannot be used.
    """
    chosen, folder = ScoreOptions(**options), None if out is None else Path(out)
    if isinstance(model, tuple) and len(model) == 2:
        model = pipeline_of(*model)
    kind = _kind_of(model)
    for name, option in described(ScoreOptions):
        if name in {*LOADING, *APPLY[ASYNC_FUNCTION]} - APPLY[kind] and not option.is_default(getattr(chosen, name)):
            raise InputError(f"{name} has no effect on {kind}; remove it")
    whole = open_config(dataset, chosen.config, group_column=chosen.group_column, by=chosen.by)
    if folder is not None:
        check_results_folder(folder)
    data, source = data_and_source(whole, chosen)
    if kind in (FUNCTION, ASYNC_FUNCTION):
        return _score_function(cast("LabelFunction | AsyncLabelFunction", model), data, source, folder, chosen)
    if kind == PIPELINE:
        pipeline = cast("TextClassificationPipeline", model)
        scored = model_from_pipeline(pipeline, model_labels=chosen.model_labels, name=chosen.name)
    else:
        scored = model_from_name(str(model), chosen, display_name=chosen.name)
    return score_model(scored, data, source=source, out=folder)


score.__signature__ = with_keywords(score, ScoreOptions)  # type: ignore[attr-defined]


def _score_function(
    function: LabelFunction | AsyncLabelFunction,
    data: ScoredData,
    source: ScoredSource | None,
    out: Path | None,
    options: ScoreOptions,
) -> Result:
    """Score the answers of a function; an async function is called on all pairs first."""
    name, version, journal = options.name or function_name(function), options.version, None
    if is_async(function):
        predict = cast("AsyncLabelFunction", function)
        journal = None if out is None else work_folder(out) / "answers" / journal_name(predict, name, version)
        answers = call_all(
            predict,
            (*data.pairs, *(() if source is None else source.new_pairs)),
            read=label_reader(data.label_names, name),
            name=name,
            concurrency=options.concurrency or CONCURRENCY,
            journal=journal,
        )

        def function(pairs: list[Pair]) -> list[str | None]:
            return [answers[pair] for pair in pairs]

    scored = model_from_function(cast("LabelFunction", function), data.label_names, name=name, version=version)
    result = score_model(scored, data, source=source, out=out)
    if journal is not None and version is None:
        journal.unlink(missing_ok=True)
    return result


def _kind_of(model: object) -> str:
    """Return the kind of a model.

    Raises:
        InputError: If it cannot be scored.
    """
    transformers, torch = sys.modules.get("transformers"), sys.modules.get("torch")
    if isinstance(model, str | Path):
        return FOLDER if Path(model).is_dir() else NAMED
    if transformers is not None and isinstance(model, transformers.TextClassificationPipeline):
        return PIPELINE
    if torch is not None and isinstance(model, torch.nn.Module):
        raise InputError(f"cannot score a {type(model).__name__} alone; give (model, tokenizer)")
    if callable(model) and not hasattr(model, "task"):
        return ASYNC_FUNCTION if is_async(model) else FUNCTION
    raise InputError(
        f"cannot score a {type(model).__name__}; give the name of a model, a text-classification pipeline, "
        "(model, tokenizer), or a function from pairs to labels"
    )
