"""Who is scored: a model by its name, or a pipeline that is loaded already."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from merge_snli.files import sha256_of_json
from merge_snli.inference.models import find_device, find_model
from scoring.models.classifier import Classifier, config_outputs
from scoring.models.labels import ModelLabels, find_model_labels
from scoring.models.loading import load_classifier, read_outputs
from scoring.models.paper_models import paper_model
from scoring.models.training_data import read_training_data

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from transformers import TextClassificationPipeline

    from scoring.models.options import ModelOptions
    from scoring.models.predictor import Predictor

LIBRARIES = ("torch", "transformers", "tokenizers")
"""The libraries whose versions a classifier's predictions depend on."""


@dataclass(frozen=True)
class ScoredModel:
    """A model before it is asked anything.

    Attributes:
        name: What it is called in tables.
        revision: The commit on the Hub, or None.
        digest: What its predictions are kept under, or None for a function without a version: nothing is kept then.
        labels: What its outputs mean.
        dtype: Type of its numbers, such as `float32`, or None for a function.
        device: Type of the device that it runs on, or None for a function.
        versions: Versions of the libraries that its predictions depend on.
        load: Loads it.
        training_data: The data sets that it was trained on, or None where its card does not say.
    """

    name: str
    revision: str | None
    digest: str | None
    labels: ModelLabels
    dtype: str | None
    device: str | None
    versions: dict[str, str]
    load: Callable[[], Predictor]
    training_data: tuple[str, ...] | None = None

    @property
    def key(self) -> str | None:
        """What its predictions are kept under: a digest of all that they depend on beside the pair."""
        if self.digest is None:
            return None
        return sha256_of_json([self.digest, self.dtype, self.device, self.versions])


def named_model(name: str, options: ModelOptions) -> ScoredModel:
    """Find a model by what `find_model` takes; its config is read, its weights are not loaded yet.

    Raises:
        InputError: Where it is not found, or nobody says what its outputs mean.
    """
    source = find_model(name, pickles=options.allow_pickle, code=options.trust_remote_code, adapters=True)
    known = paper_model(source.name)
    own = read_outputs(source, trust_remote_code=options.trust_remote_code)
    found = find_model_labels(own, given=options.labels, model=name, known=None if known is None else known.labels)
    where = find_device(options.device)
    return ScoredModel(
        name=source.name,
        revision=source.revision,
        digest=source.digest,
        labels=found,
        dtype=options.dtype,
        device=where.partition(":")[0],
        versions=_versions() if source.base is None else _versions("peft"),
        load=lambda: load_classifier(source, where, options),
        training_data=read_training_data(source.path) or (None if known is None else known.trained_on),
    )


def loaded_model(
    pipeline: TextClassificationPipeline, *, labels: Sequence[str] | str | None, name: str | None = None
) -> ScoredModel:
    """Take a text-classification pipeline as it is, with its own dtype and device.

    Raises:
        InputError: Where nobody says what its outputs mean.
    """
    model = pipeline.model
    called = name or str(model.config.name_or_path).rstrip("/").rpartition("/")[2] or type(model).__name__
    return ScoredModel(
        name=called,
        revision=getattr(model.config, "_commit_hash", None),
        digest=pipeline_digest(pipeline),
        labels=find_model_labels(config_outputs(model.config), given=labels, model=called),
        dtype=str(model.dtype).removeprefix("torch."),
        device=pipeline.device.type,
        versions=_versions(),
        load=lambda: Classifier(pipeline),
    )


def pipeline_digest(pipeline: TextClassificationPipeline) -> str:
    """Return the sha256 over a loaded model's config, tokenizer and weights, wherever it was loaded from."""
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


def _bytes_of(value: Any) -> bytes:  # noqa: ANN401 - a tensor, or what a quantized layer keeps instead
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
