"""Describe a model to score, found by name or given as a loaded pipeline."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import IncompleteError, InputError, raise_first
from merge_snli.base.files import sha256_of_json
from merge_snli.models.classifier import Classifier, output_names
from merge_snli.models.finding import CARD, find_device, find_model
from merge_snli.models.labels import PROMPT, ModelLabels, Predictor, find_model_labels
from merge_snli.models.loading import load_causal_lm, load_classifier, read_output_names
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import paper_model
from merge_snli.models.prompts import FilledPrompt

if TYPE_CHECKING:
    from transformers import TextClassificationPipeline

logger = logging.getLogger(__name__)

# Libraries whose versions may change a classifier's predictions.
LIBRARIES = ("torch", "transformers", "tokenizers")

# Part of the digest of a prompted model, to be raised if prompts become other tokens.
PROMPT_VERSION = 2

# Part of the cache key, to be raised if pairs are padded to other lengths, which changes the last bits of logits.
PADDING_VERSION = 2


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
        return sha256_of_json([self.digest, self.dtype, self.device, self.versions, PADDING_VERSION])


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
    known = paper_model(resolved.name)
    if prompt is None:
        outputs = read_output_names(resolved, trust_remote_code=options.trust_remote_code)
        labels = find_model_labels(
            outputs, given=options.model_labels, model=name, known=None if known is None else known.labels
        )
    else:
        labels = ModelLabels(prompt.labels, PROMPT)
    load = load_classifier if prompt is None else load_causal_lm
    device = find_device(options.device) if predicted_on is None else predicted_on
    return ScoredModel(
        name=display_name or resolved.name,
        revision=resolved.revision,
        digest=resolved.digest if prompt is None else sha256_of_json([resolved.digest, prompt.digest, PROMPT_VERSION]),
        labels=labels,
        dtype=options.dtype,
        device=device.partition(":")[0],
        versions=_versions() if resolved.base is None else _versions("peft"),
        load=lambda: _not_predicted(name) if predicted_on else load(resolved, device, options),
        training_data=read_training_data(resolved.path) or (None if known is None else known.trained_on),
        prompt=prompt,
    )


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
        load=lambda: Classifier(pipeline),
    )


def pipeline_of(model: Any, tokenizer: Any) -> TextClassificationPipeline:  # noqa: ANN401 - any user's objects
    """Combine a loaded sequence classifier and its tokenizer in a pipeline; the model is put into evaluation mode."""
    from transformers import PreTrainedTokenizerBase, pipeline

    raise_first(
        (
            not any("ForSequenceClassification" in base.__name__ for base in type(model).__mro__),
            f"cannot score a {type(model).__name__}; give (model, tokenizer) of a sequence classifier",
        ),
        (
            not isinstance(tokenizer, PreTrainedTokenizerBase),
            f"a {type(tokenizer).__name__} is not a tokenizer; give (model, tokenizer)",
        ),
    )
    classifier: Any = pipeline  # its overloads cover only some types of tokenizers
    return classifier(  # type: ignore[no-any-return]
        "text-classification", model=model.eval(), tokenizer=tokenizer, device=model.device
    )


def pipeline_digest(pipeline: TextClassificationPipeline) -> str:
    """Return the sha256 over the config, tokenizer and weights of a loaded pipeline."""
    model, tokenizer = pipeline.model, pipeline.tokenizer
    assert tokenizer is not None
    config = {key: value for key, value in model.config.to_dict().items() if not key.startswith(("_", "transformers"))}
    backend = getattr(tokenizer, "backend_tokenizer", None)
    vocabulary = backend.to_str() if backend is not None else str(sorted(tokenizer.get_vocab().items()))
    digest = hashlib.sha256(f"{json.dumps(config, sort_keys=True, default=str)}\n{vocabulary}\n".encode())
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(_bytes_of(value))
    return digest.hexdigest()


def _bytes_of(value: Any) -> bytes:  # noqa: ANN401 - a tensor, or the packed weights of a quantized layer
    import torch

    if isinstance(value, tuple):
        return b"".join(map(_bytes_of, value))
    if not isinstance(value, torch.Tensor):
        return repr(value).encode()
    plain = value.dequantize() if value.is_quantized else value
    content = plain.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return f"{value.dtype} {tuple(value.shape)}\n".encode() + content


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
    named = list(dict.fromkeys(map(_split, arguments)))
    folders = list(dict.fromkeys(Path(model).resolve() for name, model in named if not name and Path(model).is_dir()))
    models: dict[str, str] = {}
    for given, model in named:
        path = Path(model)
        name = given or (_shortest_end(path.resolve(), folders) if path.is_dir() else model)
        other = models.setdefault(name, model)
        if other != model and not (path.is_dir() and path.resolve() == Path(other).resolve()):
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


def _shortest_end(path: Path, folders: Sequence[Path]) -> str:
    others = [other.parts for other in folders if other != path]
    ends = (path.parts[-length:] for length in count(1))
    return "/".join(next(end for end in ends if not any(other[-len(end) :] == end for other in others)))


def read_training_data(folder: Path) -> tuple[str, ...] | None:
    """Return the `datasets` field of a model card's metadata, or None if there is no card or no such field.

    Args:
        folder: The model's folder.
    """
    field = card_field(folder, "datasets")
    names = [field] if isinstance(field, str) else field
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
