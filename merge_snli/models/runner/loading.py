"""Load models of `transformers` for sequence classification, causal and masked LMs, and read what they are."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence

from merge_snli.base.errors import InputError, Message, brief, explained
from merge_snli.base.extras import install_command
from merge_snli.dataset.label_spellings import canonical_names
from merge_snli.models.finding import SAFETENSORS, ResolvedModel, disable_progress_bar, has_safetensors
from merge_snli.models.runner.encoded import Config, Model, Tokenizer

logger = logging.getLogger(__name__)

# The kinds of models, as messages name them.
CLASSIFIER, CAUSAL_LM, MASKED_LM = "classifier", "causal LM", "masked LM"

AUTO_CLASSES = {
    CLASSIFIER: "AutoModelForSequenceClassification",
    CAUSAL_LM: "AutoModelForCausalLM",
    MASKED_LM: "AutoModelForMaskedLM",
}

# What to use instead of a model without a trained head of a kind.
INSTEAD = {
    CLASSIFIER: "that was fine-tuned on NLI",
    CAUSAL_LM: "that generates text, or remove ⟦prompt⟧",
    MASKED_LM: "such as FacebookAI/roberta-base",
}

# Tokenizers without a `model_max_length` report a number above this one.
UNLIMITED = 10**9

# The task of an adapter of a sequence classifier, in its config.
CLASSIFIER_TASK = "SEQ_CLS"

# Ends of the names of the last weight matrix of a classification head, which has one row per output.
HEAD_WEIGHTS = (
    "classifier.weight",
    "classifier.out_proj.weight",
    "classification_head.out_proj.weight",
    "score.weight",
    "logits_proj.weight",
)

# Ends of the class names of models without a classification head, of which every config gives two labels.
OTHER_HEADS = ("ForMaskedLM", "ForCausalLM", "LMHeadModel", "ForPreTraining", "ForConditionalGeneration")


def output_names(config: Config) -> tuple[str, ...]:
    """Return the names of a model's outputs, in order."""
    return tuple(str(config.id2label[index]) for index in range(config.num_labels))


def read_output_names(resolved: ResolvedModel, *, trust_remote_code: bool = False) -> tuple[str, ...]:
    """Return the names of a model's outputs in its config, in order, without loading `transformers`.

    Raises:
        InputError: If the config cannot be read, or is that of a language model or of a model with code of its own.
    """
    if resolved.base is not None:
        return tuple(f"LABEL_{index}" for index in range(count_adapter_outputs(resolved)))
    errors = (OSError, ValueError, LookupError, TypeError, AttributeError)
    with explained(errors, f"the config of model {resolved.name} cannot be read: ⟦reason⟧"):
        config = json.loads((resolved.path / "config.json").read_text(encoding="utf-8"))
        names = config.get("id2label") or {n: f"LABEL_{n}" for n in range(config.get("num_labels", 2))}
        outputs = tuple(str(names[key]) for key in sorted(names, key=int))
        _warn_of_other_numbers(resolved, outputs, config.get("label2id") or {})
        others = [name for name in config.get("architectures") or () if name.endswith(OTHER_HEADS)]
    if "auto_map" in config and not trust_remote_code:
        from transformers import CONFIG_MAPPING

        if config.get("model_type") not in CONFIG_MAPPING:
            raise InputError(
                f"model {resolved.name} needs Python code from its repository ({resolved.path}); if you have read it "
                "and trust it, add ⟦trust_remote_code=True⟧"
            )
    if others and canonical_names(outputs) is None:
        raise InputError(
            f"{resolved.name} is not a sequence classifier ({others[0]}); use a model that was fine-tuned for the "
            "task, or ask a causal LM with ⟦prompt⟧ word"
        )
    return outputs


def _warn_of_other_numbers(resolved: ResolvedModel, outputs: Sequence[str], numbers: Mapping[str, object]) -> None:
    """Warn if a config numbers the names of its outputs in two ways, of which only the first is read."""
    if any(numbers.get(name, index) != index for index, name in enumerate(outputs)):
        message = Message(
            "%s: id2label (%s) and label2id (%s) in config.json contradict each other, and id2label is read: if it is "
            "wrong, set ⟦model_labels⟧"
        )
        logger.warning(message, resolved.name, brief(dict(enumerate(outputs))), brief(numbers))


def count_adapter_outputs(resolved: ResolvedModel) -> int:
    """Return the number of outputs of an adapter's classification head, from its weights."""
    from safetensors import SafetensorError, safe_open

    for path in sorted(resolved.path.glob(SAFETENSORS)):
        damaged = f"{path} cannot be read: ⟦reason⟧; download the adapter again"
        with explained(SafetensorError, damaged), safe_open(path, framework="np") as weights:
            for name in weights.keys():  # noqa: SIM118 - not a mapping
                if name.endswith(HEAD_WEIGHTS):
                    return int(weights.get_slice(name).get_shape()[0])
    raise InputError(
        f"adapter {resolved.name} has no classification head in its safetensors; use an adapter that was saved with "
        "its head, or a full model"
    )


def load_tokenizer(kind: str, resolved: ResolvedModel, *, trust_remote_code: bool = False) -> Tokenizer:
    """Load the tokenizer of a model."""
    from transformers import AutoTokenizer

    # Libraries raise anything for damaged files.
    with explained(Exception, f"the tokenizer of {kind} {resolved.name} cannot be loaded: ⟦reason⟧"):
        return AutoTokenizer.from_pretrained(resolved.tokenizer_path, trust_remote_code=trust_remote_code)


def load_model(kind: str, resolved: ResolvedModel, device: str, **options: object) -> Model:
    """Load a model on a device, in evaluation mode, with an adapter merged into its weights.

    Args:
        kind: The kind of the model.
        resolved: The model; an adapter if it has a `base`.
        device: The torch device.
        **options: Arguments of `from_pretrained`.

    Raises:
        InputError: If it has no weights for the head of this kind, or cannot be loaded.
    """
    disable_progress_bar()
    # Libraries raise anything for damaged model files or too little memory.
    with explained(Exception, f"{kind} {resolved.name} cannot be loaded: ⟦reason⟧"):
        load = _from_pretrained if resolved.base is None else _load_adapter
        return load(kind, resolved, options).to(device).eval()


def _from_pretrained(
    kind: str, resolved: ResolvedModel, options: Mapping[str, object], *, any_head: bool = False
) -> Model:
    """Load a model that has all weights of its head, or with any head."""
    import transformers

    safe = has_safetensors(resolved.path)
    auto_class = getattr(transformers, AUTO_CLASSES[kind])
    model, report = auto_class.from_pretrained(resolved.path, use_safetensors=safe, output_loading_info=True, **options)
    missing = sorted(report["missing_keys"])
    if missing and not any_head:
        raise InputError(
            f"{resolved.name} is not a trained {kind}: weights are missing for {', '.join(missing[:3])} "
            f"({len(missing)} in all); use a model {INSTEAD[kind]}"
        )
    return model


def _load_adapter(kind: str, resolved: ResolvedModel, options: Mapping[str, object]) -> Model:
    """Load an adapter on its base model, and merge it into the base weights."""
    with explained(ImportError, f"{resolved.name} is an adapter, which needs peft: {install_command('adapters')}"):
        from peft import PeftModel
    assert resolved.base is not None
    # The head of a base model that classifies may have another size; the adapter replaces it.
    head: dict[str, object] = {}
    if kind == CLASSIFIER:
        head = {"num_labels": count_adapter_outputs(resolved), "ignore_mismatched_sizes": True}
    model = _from_pretrained(kind, resolved.base, {**options, **head}, any_head=kind == CLASSIFIER)
    adapter: Model = PeftModel.from_pretrained(model, resolved.path, use_safetensors=has_safetensors(resolved.path))
    if kind != CLASSIFIER and adapter.active_peft_config.task_type == CLASSIFIER_TASK:
        raise InputError(f"{resolved.name} is an adapter for a sequence classifier: remove ⟦prompt⟧")
    if not hasattr(adapter, "merge_and_unload"):
        raise InputError(f"adapter {resolved.name} cannot be merged into its model: use one of LoRA, or a full model")
    return adapter.merge_and_unload()


def longest_unscaled(config: Config) -> int:
    """Return the number of tokens beyond which a model encodes the positions of all in another way (LongRoPE)."""
    rope = getattr(config, "rope_parameters", None) or {}
    return int(rope["original_max_position_embeddings"]) if rope.get("rope_type") == "longrope" else UNLIMITED


def max_length(model: Model, tokenizer: Tokenizer) -> int | None:
    """Return the maximum number of tokens per input, special tokens included, or None if there is no limit.

    The limit is the smaller of the tokenizer's `model_max_length` and the number of usable position embeddings.
    RoBERTa-like models number positions from `padding_idx + 1`, so only 512 of their 514 embeddings are usable.

    Args:
        model: A loaded model.
        tokenizer: Its tokenizer.
    """
    limit = int(tokenizer.model_max_length)
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    if positions > 0:
        unused = 0
        for name, module in model.named_modules():
            padding = getattr(module, "padding_idx", None)
            if name.endswith("position_embeddings") and padding is not None:
                unused = max(unused, padding + 1)
        limit = min(limit, positions - unused)
    return limit if limit < UNLIMITED else None
