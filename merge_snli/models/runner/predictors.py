"""Load a model that computes logits for pairs, or use that of a loaded pipeline."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import TYPE_CHECKING, Any

import torch

from merge_snli.base.errors import InputError, explained
from merge_snli.models.finding import ResolvedModel, check_weights, warn_about_slow_bfloat16
from merge_snli.models.options import ModelOptions
from merge_snli.models.runner.causal_lm import CausalLM
from merge_snli.models.runner.classifier import Classifier
from merge_snli.models.runner.encoded import Model, Predictor
from merge_snli.models.runner.loading import CAUSAL_LM, CLASSIFIER, load_model, load_tokenizer

if TYPE_CHECKING:
    from transformers import TextClassificationPipeline

# Options of a loaded pipeline that are ignored: pairs are never truncated.
TRUNCATION_OPTIONS = ("truncation", "padding", "max_length")


def load_predictor(resolved: ResolvedModel, device: str, options: ModelOptions) -> Predictor:
    """Load a sequence classifier or, with a prompt, a causal LM.

    Args:
        resolved: The model; an adapter if it has a `base`.
        device: A torch device such as `cpu` or `cuda`.
        options: How to load it.

    Raises:
        InputError: If it cannot be loaded or is another kind of model.
    """
    check_weights(resolved, allow_pickle=options.allow_pickle)
    warn_about_slow_bfloat16(options.dtype, device)
    kind = CLASSIFIER if options.prompt is None else CAUSAL_LM
    trusted = options.trust_remote_code
    tokenizer = load_tokenizer(kind, resolved, trust_remote_code=trusted)
    model = load_model(kind, resolved, device, dtype=options.dtype, trust_remote_code=trusted)
    with explained(Exception, f"{kind} {resolved.name} fails on the output of its own tokenizer: ⟦reason⟧"):
        if options.prompt is None:
            return Classifier(model, tokenizer, may_pack=True)
        return CausalLM(model, tokenizer, options.prompt)


def predictor_of(pipeline: TextClassificationPipeline) -> Predictor:
    """Wrap the model of a loaded pipeline, which is put into evaluation mode, with the options of the pipeline."""
    model: Model = pipeline.model
    tokenizer = copy.deepcopy(pipeline.tokenizer)
    return Classifier(model.eval(), tokenizer, may_pack=False, **_options_of(pipeline))


def _options_of(pipeline: TextClassificationPipeline) -> dict[str, Any]:
    """Return the options of the call of a pipeline's tokenizer."""
    return {name: value for name, value in pipeline._preprocess_params.items() if name not in TRUNCATION_OPTIONS}


def pipeline_of(model: Any, tokenizer: Any) -> TextClassificationPipeline:  # noqa: ANN401 - any user's objects
    """Combine a loaded sequence classifier and its tokenizer in a pipeline; the model is put into evaluation mode."""
    from transformers import PreTrainedTokenizerBase, TextClassificationPipeline

    if not any("ForSequenceClassification" in base.__name__ for base in type(model).__mro__):
        raise InputError(f"cannot score a {type(model).__name__}; give (model, tokenizer) of a sequence classifier")
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise InputError(f"a {type(tokenizer).__name__} is not a tokenizer; give (model, tokenizer)")
    of_model = {"model": model.eval(), "tokenizer": tokenizer, "device": model.device}
    return TextClassificationPipeline(**of_model)  # type: ignore[no-untyped-call]


def pipeline_digest(pipeline: TextClassificationPipeline) -> str:
    """Return the sha256 over all of a loaded pipeline that its logits depend on."""
    model = pipeline.model
    tokenizer = pipeline.tokenizer
    assert tokenizer is not None
    config = {key: value for key, value in model.config.to_dict().items() if not key.startswith(("_", "transformers"))}
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        vocabulary = str(sorted(tokenizer.get_vocab().items()))
    else:
        # Without what each call of a tokenizer may change.
        vocabulary = json.dumps(json.loads(backend.to_str()) | {"truncation": None, "padding": None})
    adapters = {}
    for name, module in model.named_modules():
        if hasattr(module, "_active_adapter"):
            adapters[name] = (module._active_adapter, module._disable_adapters, getattr(module, "scaling", None))
    described = [
        type(model).__name__,
        config,
        adapters,
        tokenizer.model_input_names,
        tokenizer.model_max_length,
        _options_of(pipeline),
        vocabulary,
    ]
    digest = hashlib.sha256(json.dumps(described, sort_keys=True, default=str).encode())
    for name, value in sorted(model.state_dict().items()):
        if not isinstance(value, torch.Tensor) or value.is_quantized or value.is_meta:
            raise InputError(
                f"{name} of {type(model).__name__} is quantized, so that outputs depend on the other pairs of a batch, "
                "or not in memory: pass the whole model without quantization"
            )
        digest.update(f"{name}{value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
