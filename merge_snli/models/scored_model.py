"""Describe a model to score, found by name or given as a loaded pipeline."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import REASON, IncompleteError, InputError, explained
from merge_snli.base.files import sha256_of_json
from merge_snli.models.finding import (
    CARD,
    ResolvedModel,
    check_weights,
    find_device,
    find_model,
    warn_about_slow_bfloat16,
)
from merge_snli.models.labels import PROMPT, ModelLabels, find_model_labels
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import paper_model
from merge_snli.models.prompts import FilledPrompt
from merge_snli.models.runner import RUNNER_VERSION
from merge_snli.models.runner.encoded import Predictor
from merge_snli.models.runner.loading import (
    CAUSAL_LM,
    CLASSIFIER,
    load_model,
    load_tokenizer,
    output_names,
    read_output_names,
)

if TYPE_CHECKING:
    from transformers import TextClassificationPipeline

logger = logging.getLogger(__name__)

# Libraries whose versions may change a classifier's predictions.
LIBRARIES = ("torch", "transformers", "tokenizers")

# Options of a loaded pipeline that are ignored: pairs are never truncated.
TRUNCATION_OPTIONS = ("truncation", "padding", "max_length")

# Part of the digest of a prompted model, to be raised if prompts become other tokens.
PROMPT_VERSION = 2


@dataclass(frozen=True)
class ScoredModel:
    """A model to score, not yet loaded.

    Attributes:
        name: Its name in results and tables.
        revision: The commit on the Hub, or None.
        digest: sha256 of what identifies the model.
        labels: The labels of its outputs.
        dtype: Its dtype, such as `float32`.
        device: The type of its device.
        versions: Versions of the libraries that its predictions depend on.
        load: Loads the model.
        training_data: Its training data sets, or None if unknown.
        prompt: The prompt of a causal LM; None for other models.
    """

    name: str
    revision: str | None
    digest: str
    labels: ModelLabels
    dtype: str
    device: str
    versions: dict[str, str]
    load: Callable[[], Predictor]
    training_data: tuple[str, ...] | None = None
    prompt: FilledPrompt | None = None

    @property
    def key(self) -> str:
        """The cache key of its predictions."""
        return sha256_of_json([self.digest, self.dtype, self.device, self.versions, RUNNER_VERSION])


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
    resolved = find_model(
        name, allow_pickle=options.allow_pickle, trust_remote_code=options.trust_remote_code, adapters=True
    )
    known, digest = paper_model(resolved.name), resolved.digest
    if prompt is None:
        outputs = read_output_names(resolved, trust_remote_code=options.trust_remote_code)
        known_labels = getattr(known, "labels", None)
        labels = find_model_labels(outputs, given=options.model_labels, model=name, known=known_labels)
    else:
        labels = ModelLabels(prompt.labels, PROMPT)
        digest = sha256_of_json([digest, prompt.digest, PROMPT_VERSION])
    device = find_device(options.device) if predicted_on is None else predicted_on
    return ScoredModel(
        name=display_name or resolved.name,
        revision=resolved.revision,
        digest=digest,
        labels=labels,
        dtype=options.dtype,
        device=device.partition(":")[0],
        versions=_versions() if resolved.base is None else _versions("peft"),
        load=lambda: _not_predicted(name) if predicted_on else load_predictor(resolved, device, options),
        training_data=read_training_data(resolved.path) or getattr(known, "trained_on", None),
        prompt=prompt,
    )


def load_predictor(resolved: ResolvedModel, device: str, options: ModelOptions) -> Predictor:
    """Load a sequence classifier or, with a prompt, a causal LM.

    Args:
        resolved: The model; an adapter if it has a `base`.
        device: A torch device such as `cpu` or `cuda`.
        options: How to load it.

    Raises:
        InputError: If it cannot be loaded or is another kind of model.
    """
    from merge_snli.models.runner.causal_lm import CausalLM
    from merge_snli.models.runner.classifier import Classifier

    check_weights(resolved, allow_pickle=options.allow_pickle)
    warn_about_slow_bfloat16(options.dtype, device)
    kind = CLASSIFIER if options.prompt is None else CAUSAL_LM
    tokenizer = load_tokenizer(kind, resolved, trust_remote_code=options.trust_remote_code)
    trusted = options.trust_remote_code
    model = load_model(kind, resolved, device, dtype=options.dtype, trust_remote_code=trusted)
    with explained(Exception, f"{kind} {resolved.name} fails on the output of its own tokenizer: {REASON}"):
        if options.prompt is None:
            return Classifier(model, tokenizer, may_pack=True)
        return CausalLM(model, tokenizer, options.prompt)


def _not_predicted(name: str) -> Predictor:
    raise IncompleteError(f"some pairs have no prediction of {name}: run the same command again")


def model_from_pipeline(
    pipeline: TextClassificationPipeline, *, model_labels: Sequence[str] | str | None, name: str | None = None
) -> ScoredModel:
    """Wrap a loaded text-classification pipeline, with its own dtype and device."""
    model = pipeline.model
    name = name or str(model.config.name_or_path).rstrip("/").rpartition("/")[2] or type(model).__name__
    return ScoredModel(
        name=name,
        revision=getattr(model.config, "_commit_hash", None),
        digest=pipeline_digest(pipeline),
        labels=find_model_labels(output_names(model.config), given=model_labels, model=name),
        dtype=str(model.dtype).removeprefix("torch."),
        device=pipeline.device.type,
        versions=_versions(),
        load=lambda: _classifier_of(pipeline),
    )


def _classifier_of(pipeline: TextClassificationPipeline) -> Predictor:
    """Wrap the model of a loaded pipeline, with the options of the pipeline; the pipeline is not changed."""
    from merge_snli.models.runner.classifier import Classifier

    options = {name: value for name, value in pipeline._preprocess_params.items() if name not in TRUNCATION_OPTIONS}
    tokenizer = copy.deepcopy(pipeline.tokenizer)
    return Classifier(pipeline.model, tokenizer, may_pack=False, options=options)


def pipeline_of(model: Any, tokenizer: Any) -> TextClassificationPipeline:  # noqa: ANN401 - any user's objects
    """Combine a loaded sequence classifier and its tokenizer in a pipeline; the model is put into evaluation mode."""
    from transformers import PreTrainedTokenizerBase, pipeline

    if not any("ForSequenceClassification" in base.__name__ for base in type(model).__mro__):
        raise InputError(f"cannot score a {type(model).__name__}; give (model, tokenizer) of a sequence classifier")
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise InputError(f"a {type(tokenizer).__name__} is not a tokenizer; give (model, tokenizer)")
    classifier: Any = pipeline  # its overloads cover only some types of tokenizers
    return classifier(  # type: ignore[no-any-return]
        "text-classification", model=model.eval(), tokenizer=tokenizer, device=model.device
    )


def pipeline_digest(pipeline: TextClassificationPipeline) -> str:
    """Return the sha256 over the config, tokenizer and weights of a loaded pipeline."""
    import torch

    model, tokenizer = pipeline.model, pipeline.tokenizer
    assert tokenizer is not None
    config = {key: value for key, value in model.config.to_dict().items() if not key.startswith(("_", "transformers"))}
    backend = getattr(tokenizer, "backend_tokenizer", None)
    vocabulary = backend.to_str() if backend is not None else str(sorted(tokenizer.get_vocab().items()))
    digest = hashlib.sha256(f"{json.dumps(config, sort_keys=True, default=str)}\n{vocabulary}\n".encode())
    for name, value in sorted(model.state_dict().items()):
        if not isinstance(value, torch.Tensor) or value.is_quantized:
            raise InputError(
                f"{name} of {type(model).__name__} is quantized, so its outputs depend on the other pairs of a batch: "
                "pass the model without quantization"
            )
        digest.update(f"{name}{value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _versions(*more: str) -> dict[str, str]:
    return {name: version(name) for name in (*LIBRARIES, *more)}


def name_models(arguments: Iterable[str]) -> dict[str, str]:
    """Return the display name of each model.

    A folder is shown by its own name. Folders with equal names are shown by the shortest end of their paths that no
    other has.

    Args:
        arguments: Hub ids, `demo:NAME`, folders or `NAME=FOLDER`; duplicates are dropped.

    Returns:
        The models without `NAME=`, by display name, in order.
    """
    named = dict.fromkeys(map(_split, arguments))
    folders = {Path(model).resolve() for name, model in named if not name and Path(model).is_dir()}
    models: dict[str, str] = {}
    for given, model in named:
        name, path = given or model, Path(model).resolve()
        if not given and path.is_dir():
            name = _shortest_end(path, folders - {path})
        other = models.setdefault(name, model)
        if other != model and path != Path(other).resolve():
            raise InputError(f"two models are named {name} ({other} and {model}); name a folder with NAME=FOLDER")
    return models


def _split(argument: str) -> tuple[str, str]:
    """Split `NAME=FOLDER`; the name is empty if none is given. Paths such as `runs/lr=0.1` may contain `=` too."""
    if not argument:
        raise InputError("the name of a model is empty: give a Hub id, a folder or demo:NAME")
    name, equals, folder = argument.partition("=")
    if not equals or "/" in name or Path(argument).is_dir():
        return "", argument
    if not name or not Path(folder).is_dir():
        raise InputError(f"invalid model {argument!r}: use NAME=FOLDER with the folder of a model")
    return name, folder


def _shortest_end(path: Path, others: Iterable[Path]) -> str:
    start = len(path.parts) - 1
    while any(other.parts[start - len(path.parts) :] == path.parts[start:] for other in others):
        start -= 1
    return "/".join(path.parts[start:])


def read_training_data(folder: Path) -> tuple[str, ...] | None:
    """Return the `datasets` field of a model card's metadata, or None if there is no card or no such field.

    Args:
        folder: The model's folder.
    """
    names = card_field(folder, "datasets")
    if isinstance(names, str):
        return (names,)
    return tuple(map(str, names)) if isinstance(names, list) and names else None


def card_field(folder: Path, name: str) -> object:
    """Return a field of the metadata of the card of a model or data set; None if there is no card or no such field.

    Args:
        folder: The folder of the card.
        name: The field.
    """
    import yaml
    from huggingface_hub import metadata_load

    card = folder / CARD
    if not card.is_file():
        return None
    try:
        return (metadata_load(card) or {}).get(name)
    except (yaml.YAMLError, OSError, ValueError, AttributeError) as error:
        logger.warning("cannot read the metadata of %s (%s): its %s are unknown", card, error, name)
        return None
