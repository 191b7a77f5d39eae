"""Describe a model to score, found by name or given as a loaded pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import IncompleteError
from merge_snli.base.files import sha256_of_json
from merge_snli.models.cards import read_training_data
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.finding import find_device, find_model, kind_of
from merge_snli.models.labels import PROMPT, find_model_labels, labels_on
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import paper_model
from merge_snli.models.runner import RUNNER_VERSION
from merge_snli.models.runner.encoded import Predictor
from merge_snli.models.runner.loading import output_names, read_output_names
from merge_snli.results.records import ModelRecord, RunRecord

if TYPE_CHECKING:
    from transformers import TextClassificationPipeline

# Libraries whose versions may change a classifier's predictions.
LIBRARIES = ("torch", "transformers", "tokenizers")

# Part of the digest of a prompted model, to be raised if prompts become other tokens.
PROMPT_VERSION = 2


@dataclass(frozen=True)
class ScoredModel:
    """A model to score, not yet loaded.

    Attributes:
        record: What results record about it; without its architecture and its number of parameters.
        run: What results record about how it is run, before that.
        load: Loads the model.
        prompt: The prompt of a causal LM; None for other models.
    """

    record: ModelRecord
    run: RunRecord
    load: Callable[[], Predictor]
    prompt: FilledPrompt | None = None

    @property
    def key(self) -> str:
        """The cache key of its predictions."""
        run = self.run
        return sha256_of_json([self.record.digest, run.dtype, run.device, run.versions, RUNNER_VERSION])

    def on(self, data_labels: Sequence[str]) -> ScoredModel:
        """Return the model with its labels as a data set spells them.

        Raises:
            InputError: If they are not the labels of the data set.
        """
        record = self.record
        labels = labels_on(
            record.labels,
            data_labels,
            origin=record.label_origin,
            config_names=record.config_labels,
            model=record.name,
        )
        return replace(self, record=replace(record, labels=labels))


def model_from_name(
    name: str, options: ModelOptions, *, display_name: str | None = None, predicted_on: str | None = None
) -> ScoredModel:
    """Resolve a model by name (see `find_model`) and read its config; its weights are loaded later.

    Args:
        name: Hub id, folder or `demo:NAME`.
        options: How to load the model, and the labels of its outputs.
        display_name: The name to report; by default the name of the folder or Hub repository.
        predicted_on: The type of the device on which other machines have predicted all pairs; None to predict here.
    """
    prompt = options.prompt
    trusted = options.trust_remote_code
    resolved = find_model(name, allow_pickle=options.allow_pickle, trust_remote_code=trusted, adapters=True)
    known = paper_model(resolved.name)
    digest = resolved.digest
    outputs: tuple[str, ...] = ()
    if prompt is None:
        outputs = read_output_names(resolved, trust_remote_code=trusted)
        known_labels = getattr(known, "labels", None)
        labels, origin = find_model_labels(outputs, given=options.model_labels, model=name, known=known_labels)
    else:
        labels = prompt.labels
        origin = PROMPT
        digest = sha256_of_json([digest, prompt.digest, PROMPT_VERSION])
    record = ModelRecord(
        name=display_name or resolved.name,
        revision=resolved.revision,
        digest=digest,
        training_data=read_training_data(resolved.path) or getattr(known, "trained_on", None),
        labels=labels,
        label_origin=origin,
        config_labels=outputs,
    )
    device = find_device(options.device) if predicted_on is None else predicted_on
    versions = _versions() if resolved.base is None else _versions("peft")

    def load() -> Predictor:
        from merge_snli.models.runner.predictors import load_predictor

        if predicted_on is not None:
            raise IncompleteError(f"some pairs have no prediction of {name}: run the same command again")
        return load_predictor(resolved, device, options)

    return ScoredModel(record, RunRecord(versions, options.dtype, kind_of(device)), load, prompt)


def model_from_pipeline(
    pipeline: TextClassificationPipeline, *, model_labels: Sequence[str] | str | None, name: str | None = None
) -> ScoredModel:
    """Wrap a loaded text-classification pipeline, with its own dtype and device."""
    from merge_snli.models.runner.predictors import pipeline_digest, predictor_of

    model = pipeline.model
    name = name or Path(str(model.config.name_or_path)).name or type(model).__name__
    outputs = output_names(model.config)
    labels, origin = find_model_labels(outputs, given=model_labels, model=name)
    record = ModelRecord(
        name=name,
        revision=getattr(model.config, "_commit_hash", None),
        digest=pipeline_digest(pipeline),
        labels=labels,
        label_origin=origin,
        config_labels=outputs,
    )
    run = RunRecord(_versions(), str(model.dtype).removeprefix("torch."), pipeline.device.type)
    return ScoredModel(record, run, lambda: predictor_of(pipeline))


def _versions(*more: str) -> dict[str, str]:
    return {name: version(name) for name in (*LIBRARIES, *more)}
