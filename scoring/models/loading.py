"""Loading a sequence classifier of `transformers`: a whole model or an adapter, in the type that is asked for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from merge_snli.errors import InputError, reason
from merge_snli.inference.models import SAFETENSORS, check_weights, has_safetensors, warn_of_slow_bfloat16
from scoring.models.classifier import ANY_PAIR, Classifier, config_outputs

if TYPE_CHECKING:
    from merge_snli.inference.models import ResolvedModel
    from scoring.models.options import ModelOptions

HEAD_WEIGHTS = (
    "classifier.weight",
    "classifier.out_proj.weight",
    "classification_head.out_proj.weight",
    "score.weight",
    "logits_proj.weight",
)
"""How the last layer of a classification head is called: its rows are the model's outputs."""


def load_classifier(source: ResolvedModel, device: str, options: ModelOptions) -> Classifier:
    """Load a model and its tokenizer from its folder as a text-classification pipeline.

    Args:
        source: The model; with `base`, an adapter to it.
        device: A device of torch, such as `cpu` or `cuda`.
        options: `dtype`, `allow_pickle` and `trust_remote_code` are read.

    Raises:
        InputError: Where it cannot be loaded or has no trained classification head; with the library's reason.
    """
    from transformers import AutoTokenizer, pipeline

    from merge_snli.inference.packed_linear import pack

    if options.dtype == "int8" and not device.startswith("cpu"):
        raise InputError(f"--dtype int8 runs on a CPU, not on {device}: add --device cpu, or give another --dtype")
    check_weights(source, allow_pickle=options.allow_pickle)
    warn_of_slow_bfloat16(options.dtype, device)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source.tokenizer_path, trust_remote_code=options.trust_remote_code)
        model = _load_plain(source, options) if source.base is None else _load_adapted(source, source.base, options)
        parameters = model.num_parameters()  # before quantization, which packs those of linear layers away
        model = _quantized(model) if options.dtype == "int8" else model
        loaded = pipeline("text-classification", model=model, tokenizer=tokenizer, device=device)
        packed = pack(model, lambda: loaded({"text": ANY_PAIR[0], "text_pair": ANY_PAIR[1]}), source.name)
        return Classifier(loaded, parameters=parameters, packed=packed)
    except InputError:
        raise
    except Exception as error:  # whatever a library makes of a broken model folder, or of too little memory
        raise InputError(f"model {source.name} cannot be loaded: {reason(error)}") from error


def read_outputs(source: ResolvedModel, *, trust_remote_code: bool = False) -> tuple[str, ...]:
    """Return the names that a model's config gives its outputs, in their order, without loading its weights.

    Raises:
        InputError: Where the config cannot be read.
    """
    from transformers import AutoConfig

    if source.base is not None:
        return tuple(f"LABEL_{index}" for index in range(_adapter_outputs(source)))
    try:
        config = AutoConfig.from_pretrained(source.path, trust_remote_code=trust_remote_code)
    except Exception as error:  # whatever a library makes of a broken config
        if "custom code" in str(error):
            raise InputError(
                f"model {source.name} needs Python code of its own ({source.path}), which could do anything: "
                "if you have read and trust it, add --trust-remote-code"
            ) from error
        raise InputError(f"the config of model {source.name} cannot be read: {reason(error)}") from error
    return config_outputs(config)


def _load_plain(source: ResolvedModel, options: ModelOptions) -> Any:  # noqa: ANN401 - a class for each architecture
    model, loading = _from_pretrained(source, options)
    if loading["missing_keys"]:
        missing = ", ".join(sorted(loading["missing_keys"]))
        raise InputError(
            f"model {source.name} is no trained classifier, for its files lack {missing}: "
            "give a model that was fine-tuned on NLI"
        )
    return model


def _from_pretrained(source: ResolvedModel, options: ModelOptions, **config: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401
    import torch
    from transformers import AutoModelForSequenceClassification

    model, loading = AutoModelForSequenceClassification.from_pretrained(
        source.path,
        dtype=torch.float32 if options.dtype == "int8" else getattr(torch, options.dtype),
        use_safetensors=has_safetensors(source.path),
        trust_remote_code=options.trust_remote_code,
        output_loading_info=True,
        **config,
    )
    return model, loading


def _load_adapted(source: ResolvedModel, base: ResolvedModel, options: ModelOptions) -> Any:  # noqa: ANN401
    """Load the base model, put the adapter on it and fold it into the weights, so that it runs like any other."""
    try:
        from peft import PeftModel
    except ImportError as error:
        raise InputError(
            f"model {source.name} is an adapter, which needs peft: pip install 'merge-snli[adapters]'"
        ) from error
    # The base may have a head of its own, of another size: the adapter brings the one that counts.
    plain, _ = _from_pretrained(base, options, num_labels=_adapter_outputs(source), ignore_mismatched_sizes=True)
    adapted: Any = PeftModel.from_pretrained(plain, str(source.path), use_safetensors=has_safetensors(source.path))
    return adapted.merge_and_unload()


def _adapter_outputs(source: ResolvedModel) -> int:
    """Return how many outputs an adapter's classification head has, from the weights that it saved."""
    from safetensors import SafetensorError, safe_open

    for path in sorted(source.path.glob(SAFETENSORS)):
        try:
            with safe_open(path, framework="np") as weights:
                for name in weights.keys():  # noqa: SIM118 - no mapping
                    if name.endswith(HEAD_WEIGHTS):
                        return int(weights.get_slice(name).get_shape()[0])
        except SafetensorError as error:
            raise InputError(f"{path} cannot be read: {reason(error)}; fetch the adapter again") from error
    raise InputError(
        f"adapter {source.name} has no classification head among its safetensors: give an adapter that was saved with "
        "its head, or a whole model"
    )


def _quantized(model: Any) -> Any:  # noqa: ANN401 - a class for each architecture
    """Return the model with its linear layers in int8, quantized as they run."""
    import torch

    quantization = getattr(torch.ao, "quantization", None)
    if quantization is None:
        raise InputError(
            "--dtype int8 needs torch.ao.quantization, which this torch no longer has: use --dtype bfloat16"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated in favour of torchao, whose kernels want a compiler
        return quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
