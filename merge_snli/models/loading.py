"""Load a sequence classifier or causal LM of `transformers`, a full model or an adapter, with a user's options."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from merge_snli.base.errors import REASON, InputError, Message, explained, listed, param, reason
from merge_snli.base.extras import install_command
from merge_snli.dataset.label_spellings import canonical_names
from merge_snli.models.causal_lm import CausalLM
from merge_snli.models.classifier import EXAMPLE_PAIR, Classifier, output_names, texts_of
from merge_snli.models.finding import (
    SAFETENSORS,
    ResolvedModel,
    check_weights,
    disable_progress_bar,
    has_safetensors,
    warn_about_slow_bfloat16,
)
from merge_snli.models.options import ModelOptions

logger = logging.getLogger(__name__)

# The task of an adapter of a sequence classifier, in its config.
CLASSIFIER_TASK = "SEQ_CLS"

# Names of the last weight matrix of a classification head, which has one row per output.
HEAD_WEIGHTS = (
    "classifier.weight",
    "classifier.out_proj.weight",
    "classification_head.out_proj.weight",
    "score.weight",
    "logits_proj.weight",
)

# Ends of the class names of models without a classification head, of which every config gives two labels.
OTHER_HEADS = ("ForMaskedLM", "ForCausalLM", "LMHeadModel", "ForPreTraining", "ForConditionalGeneration")

# The outputs that a model's config names, in order, and the names of its classes.
Names = tuple[tuple[str, ...], tuple[str, ...]]


def load_classifier(resolved: ResolvedModel, device: str, options: ModelOptions) -> Classifier:
    """Load a model and its tokenizer as a text-classification pipeline.

    Args:
        resolved: The model; an adapter if it has a `base`.
        device: A torch device such as `cpu` or `cuda`.
        options: `dtype`, `allow_pickle` and `trust_remote_code` are used.

    Raises:
        InputError: If it cannot be loaded or has no trained classification head.
    """
    from transformers import pipeline

    with _loading(resolved, device, options) as (tokenizer, model):
        from merge_snli.models.packed_linear import pack

        parameters = model.num_parameters()  # before packing, which hides those of linear layers
        classifier = pipeline("text-classification", model=model, tokenizer=tokenizer, device=device)
        example = {name: texts[0] for name, texts in texts_of([EXAMPLE_PAIR]).items()}
        packed = pack(model, lambda: classifier(example), resolved.name)
        return Classifier(classifier, parameters=parameters, packed=packed)


def load_causal_lm(resolved: ResolvedModel, device: str, options: ModelOptions) -> CausalLM:
    """Load a causal LM and its tokenizer, to rank the answers of the prompt of the options.

    Args:
        resolved: The model; an adapter if it has a `base`.
        device: A torch device such as `cpu` or `cuda`.
        options: `prompt`, `dtype`, `allow_pickle` and `trust_remote_code` are used.

    Raises:
        InputError: If it cannot be loaded or is not a causal LM.
    """
    with _loading(resolved, device, options) as (tokenizer, model):
        import torch

        from merge_snli.models.packed_linear import pack

        assert options.prompt is not None
        model = model.to(device)
        example = tokenizer(options.prompt.text(*EXAMPLE_PAIR), return_tensors="pt")["input_ids"].to(device)
        with torch.inference_mode():
            packed = pack(model, lambda: model(input_ids=example), resolved.name)
        return CausalLM(model, tokenizer, options.prompt, packed=packed)


@contextmanager
def _loading(resolved: ResolvedModel, device: str, options: ModelOptions) -> Iterator[tuple[Any, Any]]:
    """Check the weights, yield tokenizer and model, and turn what the libraries raise into one sentence."""
    from transformers import AutoTokenizer

    disable_progress_bar()
    check_weights(resolved, allow_pickle=options.allow_pickle)
    warn_about_slow_bfloat16(options.dtype, device)
    # Libraries raise anything for damaged model files or too little memory.
    with explained(Exception, f"the tokenizer of model {resolved.name} cannot be loaded: {REASON}"):
        path, trusted = resolved.tokenizer_path, options.trust_remote_code
        tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=trusted)
    with explained(Exception, f"model {resolved.name} cannot be loaded: {REASON}"):
        yield tokenizer, _load_adapter(resolved, options) if resolved.base else _load_model(resolved, options)


def read_output_names(resolved: ResolvedModel, *, trust_remote_code: bool = False) -> tuple[str, ...]:
    """Return the names of a model's outputs in its config, in order, without loading its weights.

    Raises:
        InputError: If the config cannot be read, or is that of a language model.
    """
    if resolved.base is not None:
        return tuple(f"LABEL_{index}" for index in range(_adapter_outputs(resolved)))
    outputs, architectures = _read_names(resolved.path) or _read_config(resolved, trust_remote_code=trust_remote_code)
    other = next((name for name in architectures if name.endswith(OTHER_HEADS)), None)
    if other is not None and canonical_names(outputs) is None:
        raise InputError(
            f"{resolved.name} is not a sequence classifier ({other}); use a model that was fine-tuned for the task, or "
            f"ask a causal LM with {param('prompt')} word"
        )
    return outputs


def _read_names(folder: Path) -> Names | None:
    """Read a config that names every output, without loading `transformers`; None for another config."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not config.keys().isdisjoint(("auto_map", "num_labels")):
            return None
        names = {int(index): str(name) for index, name in config["id2label"].items()}
        _warn_of_other_numbers(folder, names, config.get("label2id") or {})
        return tuple(names[index] for index in range(len(names))), tuple(map(str, config.get("architectures") or ()))
    except (OSError, ValueError, LookupError, AttributeError, TypeError):
        return None


def _warn_of_other_numbers(folder: Path, names: Mapping[int, str], numbers: Mapping[str, object]) -> None:
    """Warn if a config numbers the names of its outputs in two ways, of which only the first is read."""
    if any(numbers.get(name, index) != index for index, name in names.items()):
        logger.warning(
            Message(
                "%s: id2label (%s) and label2id (%s) in config.json contradict each other, and id2label is read: if it "
                f"is wrong, set {param('model_labels')}"
            ),
            folder,
            listed([f"{index}: {name}" for index, name in names.items()]),
            listed([f"{name}: {number}" for name, number in numbers.items()]),
        )


def _read_config(resolved: ResolvedModel, *, trust_remote_code: bool) -> Names:
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(resolved.path, trust_remote_code=trust_remote_code)
    except Exception as error:  # libraries raise anything for a damaged config
        if "custom code" in str(error):
            raise InputError(
                f"model {resolved.name} needs Python code from its repository ({resolved.path}); if you have read it "
                f"and trust it, add {param('trust_remote_code', True)}"
            ) from error
        raise InputError(f"the config of model {resolved.name} cannot be read: {reason(error)}") from error
    return output_names(config), tuple(map(str, config.architectures or ()))


def _load_model(resolved: ResolvedModel, options: ModelOptions) -> Any:  # noqa: ANN401 - a class per architecture
    model, report = _from_pretrained(resolved, options)
    if report["missing_keys"]:
        missing = f"{', '.join(sorted(report['missing_keys'])[:3])} ({len(report['missing_keys'])} in all)"
        kind, other = (
            ("classifier", "that was fine-tuned on NLI")
            if options.prompt is None
            else ("causal LM", f"that generates text, or remove {param('prompt')}")
        )
        raise InputError(
            f"{resolved.name} is not a trained {kind}: weights are missing for {missing}; use a model {other}"
        )
    return model


def _from_pretrained(resolved: ResolvedModel, options: ModelOptions, **config: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401
    import torch
    import transformers

    name = "AutoModelForSequenceClassification" if options.prompt is None else "AutoModelForCausalLM"
    model, report = getattr(transformers, name).from_pretrained(
        resolved.path,
        dtype=getattr(torch, options.dtype),
        use_safetensors=has_safetensors(resolved.path),
        trust_remote_code=options.trust_remote_code,
        output_loading_info=True,
        **config,
    )
    return model, report


def _load_adapter(resolved: ResolvedModel, options: ModelOptions) -> Any:  # noqa: ANN401 - a class per architecture
    """Load an adapter on its base model, and merge it into the base weights."""
    needs_peft = f"model {resolved.name} is an adapter, which needs peft: {install_command('adapters')}"
    with explained(ImportError, needs_peft):
        from peft import PeftModel
    assert resolved.base is not None
    if options.prompt is None:
        # The head of the base model may have another size; the adapter replaces it.
        outputs = _adapter_outputs(resolved)
        base, _ = _from_pretrained(resolved.base, options, num_labels=outputs, ignore_mismatched_sizes=True)
    else:
        base = _load_model(resolved.base, options)
    adapter: Any = PeftModel.from_pretrained(base, str(resolved.path), use_safetensors=has_safetensors(resolved.path))
    if options.prompt is not None and adapter.active_peft_config.task_type == CLASSIFIER_TASK:
        raise InputError(f"{resolved.name} is an adapter for a sequence classifier: remove {param('prompt')}")
    return adapter.merge_and_unload()


def _adapter_outputs(resolved: ResolvedModel) -> int:
    """Return the number of outputs of an adapter's classification head, from its weights."""
    from safetensors import SafetensorError, safe_open

    for path in sorted(resolved.path.glob(SAFETENSORS)):
        damaged = f"{path} cannot be read: {REASON}; download the adapter again"
        with explained(SafetensorError, damaged), safe_open(path, framework="np") as weights:
            for name in weights.keys():  # noqa: SIM118 - not a mapping
                if name.endswith(HEAD_WEIGHTS):
                    return int(weights.get_slice(name).get_shape()[0])
    raise InputError(
        f"adapter {resolved.name} has no classification head in its safetensors; use an adapter that was saved with "
        "its head, or a full model"
    )
