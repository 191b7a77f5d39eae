"""Score a model on a data set from Python, and write result files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from merge_snli.answers.opening import open_config
from merge_snli.base.errors import InputError
from merge_snli.base.option import described, with_keywords
from merge_snli.models.options import ModelOptions
from merge_snli.results.store import check_results_folder
from merge_snli.scoring.functions import score_function
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.score_models import data_and_source, score_model
from merge_snli.scoring.scored_model import model_from_name, model_from_pipeline

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, TextClassificationPipeline

    from merge_snli.models.function import LabelFunction
    from merge_snli.results.result import Result

    Loaded = TextClassificationPipeline | tuple[PreTrainedModel, PreTrainedTokenizerBase]
    Model = str | Path | Loaded | LabelFunction

# The kinds of models, and the options that apply to each, of those that are not about the data.
NAMED, FOLDER, PIPELINE, FUNCTION = ("a model given by name", "a model folder", "a loaded pipeline", "a function")
LOADING = frozenset(name for name, _ in described(ModelOptions))
APPLY = {
    NAMED: LOADING,
    FOLDER: LOADING | {"name"},
    PIPELINE: {"model_labels", "name"},
    FUNCTION: {"name", "version"},
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
            pairs to a label for each, by name or by its number in the data set, or None for no answer; or to the
            probabilities of the labels.
        dataset: Folder or Hub id of a MERGE data set, or the folder of a data set made from templates, or what
            `load_dataset` returned for a config of one: a `DatasetDict`, a split, or a part of one. With
            `group_column`: a file, folder or Hub id of labeled pairs, problems in memory, or
            `merge_snli.problems.options.ProblemOptions`, which says how to read them.
        out: Folder for the result file; predictions are cached in `OUT.work`. If None, nothing is written.
        **options: Fields of `merge_snli.scoring.options.ScoreOptions`, such as `config`, `limit_seeds` or `dtype`.

    Returns:
        The scores; a notebook shows them as a table.

    Raises:
        InputError: If the model, the data set, its source, an option or the folder cannot be used.
    """
    chosen = ScoreOptions(**options)
    folder = None if out is None else Path(out)
    if isinstance(model, tuple) and len(model) == 2:
        from merge_snli.models.runner.predictors import pipeline_of

        model = pipeline_of(*model)
    kind = _kind_of(model)
    for name, option in described(ScoreOptions):
        if name in {*LOADING, *APPLY[FUNCTION]} - APPLY[kind] and not option.is_default(getattr(chosen, name)):
            raise InputError(f"{name} has no effect on {kind}; remove it")
    whole = open_config(dataset, chosen.config, group_column=chosen.group_column, by=chosen.by)
    if folder is not None:
        check_results_folder(folder)
    data, source = data_and_source(whole, chosen)
    if kind == FUNCTION:
        function = cast("LabelFunction", model)
        return score_function(function, data, source=source, out=folder, name=chosen.name, version=chosen.version)
    if kind == PIPELINE:
        pipeline = cast("TextClassificationPipeline", model)
        scored = model_from_pipeline(pipeline, model_labels=chosen.model_labels, name=chosen.name)
    else:
        scored = model_from_name(str(model), chosen, display_name=chosen.name)
    return score_model(scored, data, source=source, out=folder)


score.__signature__ = with_keywords(score, ScoreOptions)  # type: ignore[attr-defined]


def _kind_of(model: object) -> str:
    """Return the kind of a model.

    Raises:
        InputError: If it cannot be scored.
    """
    transformers = sys.modules.get("transformers")
    torch = sys.modules.get("torch")
    if isinstance(model, str | Path):
        return FOLDER if Path(model).is_dir() else NAMED
    if transformers is not None and isinstance(model, transformers.TextClassificationPipeline):
        return PIPELINE
    if torch is not None and isinstance(model, torch.nn.Module):
        raise InputError(f"cannot score a {type(model).__name__} alone; give (model, tokenizer)")
    if callable(model) and not hasattr(model, "task"):
        return FUNCTION
    raise InputError(
        f"cannot score a {type(model).__name__}; give the name of a model, a text-classification pipeline, "
        "(model, tokenizer), or a function from pairs to labels"
    )
