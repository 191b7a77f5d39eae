"""Load masked LMs, and check that they are masked LMs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

from generation.masked_lms.masked_lm import (
    FastPath,
    MaskedLM,
    check_finite,
    find_fast_path,
    masked_logits,
    repeat_sentence,
)
from generation.masked_lms.vocabulary import Vocabulary, read_vocabulary
from merge_snli.base.errors import REASON, InputError, explained, param, raise_first
from merge_snli.models.finding import (
    ResolvedModel,
    check_weights,
    disable_progress_bar,
    find_device,
    find_model,
    has_safetensors,
    warn_about_slow_bfloat16,
)
from merge_snli.models.inference import (
    FAILURES,
    Batches,
    is_batch_invariant,
    is_out_of_memory,
    max_length,
    tokens_per_batch,
)

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

FLOAT32 = "float32"
FORMS_PER_TRIAL = 64


def find_masked_lms(names: Sequence[str], *, allow_pickle: bool = False) -> tuple[ResolvedModel, ...]:
    """Resolve the masked LMs of a run, and check that their names are distinct.

    Args:
        names: Hub ids, folders or `demo:NAME`.
        allow_pickle: Accept pickle weights if a model has no safetensors weights.
    """
    models = tuple(find_model(name, allow_pickle=allow_pickle) for name in names)
    for model in models:
        check_weights(model, allow_pickle=allow_pickle)
    duplicate = next((name for name, count in Counter(model.name for model in models).items() if count > 1), None)
    if duplicate is not None:
        paths = " and ".join(str(model.path) for model in models if model.name == duplicate)
        raise InputError(
            f"two masked LMs are named {duplicate} ({paths}), and variants record this name; rename one of the folders"
        )
    return models


def load_masked_lm(resolved: ResolvedModel, *, device: str | None = None, dtype: str = FLOAT32) -> MaskedLM:
    """Load a masked LM.

    Args:
        resolved: The model, from `find_masked_lms`.
        device: The torch device; None for a GPU if available.
        dtype: `float32` or `bfloat16`. If the modules after the encoder can run separately, they stay in float32:
            bfloat16 logits give many pieces the same probability.
    """
    import torch

    disable_progress_bar()
    _check_architecture(resolved)
    tokenizer = _load_tokenizer(resolved)
    device = find_device(device)
    warn_about_slow_bfloat16(dtype, device)
    model: Any = _move(_load_model(resolved, device), device, resolved)
    _check_tokenizer_size(tokenizer, model.get_input_embeddings().weight.shape[0], resolved.name)
    sentence = tokenizer(f"A small {tokenizer.mask_token} sleeps.")["input_ids"]
    with explained(FAILURES, f"masked LM {resolved.name} fails on the output of its own tokenizer: {REASON}"):
        fast_path = find_fast_path(model, sentence)
    if dtype != FLOAT32:
        # Copied first: the heads may share weights with the embeddings, which do not stay in float32.
        fast_path = None if fast_path is None else replace(fast_path, heads=deepcopy(fast_path.heads))
        model = model.to(getattr(torch, dtype))
    fast_path, packed = _pack(model, fast_path, sentence)
    invariant = packed and is_batch_invariant(lambda times: _log_probs(model, fast_path, sentence, times).numpy())
    log_probs = _log_probs(model, fast_path, sentence, 1)
    check_finite(log_probs, resolved.name)
    vocabulary = read_vocabulary(tokenizer, log_probs.shape[-1], resolved.name)
    tokens = tokens_per_batch(
        device, lambda: _log_probs(model, fast_path, sentence, FORMS_PER_TRIAL), len(sentence) * FORMS_PER_TRIAL
    )
    batches = Batches(f"masked LM {resolved.name}", "form", tokens, batch_invariant=invariant)
    return MaskedLM(resolved, tokenizer, model, vocabulary, max_length(model, tokenizer), fast_path, batches)


def check_masked_lm(model: ResolvedModel) -> None:
    """Check the configuration and tokenizer of a masked LM, without loading its weights."""
    _check_architecture(model)
    _load_tokenizer(model)


def load_vocabulary(model: ResolvedModel, size: int, language: str | None = None) -> Vocabulary:
    """Read the vocabulary of a masked LM without loading its weights.

    Args:
        model: The model, from `find_masked_lms`.
        size: Number of logits per token.
        language: The code of the language of the problems; None for English.
    """
    return read_vocabulary(_load_tokenizer(model), size, model.name, language)


def _check_architecture(model: ResolvedModel) -> None:
    """Check by the configuration that a model is a masked LM, before its weights are read."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    with explained(FAILURES, f"cannot read config.json of masked LM {model.name}: {REASON}"):
        config = AutoConfig.from_pretrained(model.path)
    masked_lm = MODEL_FOR_MASKED_LM_MAPPING_NAMES.get(config.model_type)
    if masked_lm is None:
        raise InputError(
            f"{model.name} is not a masked LM (model type {config.model_type}); use a masked LM such as "
            "FacebookAI/roberta-base or demo:mlm-bpe"
        )
    others = {str(name) for name in config.architectures or ()} - {masked_lm}  # XLMWithLMHeadModel is a masked LM
    causal = any(name.endswith(("ForCausalLM", "LMHeadModel")) for name in others)
    raise_first(
        (
            causal or getattr(config, "is_decoder", False) or getattr(config, "causal", False),
            f"{model.name} is a causal LM, not a masked LM",
        ),
        (
            any(name.endswith(("Classification", "QuestionAnswering", "MultipleChoice")) for name in others),
            f"{model.name} is a {min(others, default=None)}, not a masked LM: use the model that it was trained from",
        ),
    )


def _load_tokenizer(model: ResolvedModel) -> PreTrainedTokenizerFast:
    from transformers import AutoTokenizer

    with explained(FAILURES, f"cannot load the tokenizer of masked LM {model.name}: {REASON}"):
        tokenizer: Any = AutoTokenizer.from_pretrained(model.path)
    raise_first(
        (
            not tokenizer.is_fast,
            f"masked LM {model.name} has no fast tokenizer, which is needed to map tokens to characters",
        ),
        (tokenizer.mask_token_id is None, f"masked LM {model.name} has no mask token"),
    )
    return tokenizer  # type: ignore[no-any-return]


def _check_tokenizer_size(tokenizer: PreTrainedTokenizerFast, size: int, name: str) -> None:
    token, largest = max(tokenizer.get_vocab().items(), key=lambda item: item[1])
    if largest >= size:
        raise InputError(
            f"the tokenizer of masked LM {name} is larger than the model: token {token!r} has id {largest}, but there "
            f"are {size} embeddings; use the tokenizer that the model was trained with"
        )


def _load_model(resolved: ResolvedModel, device: str) -> PreTrainedModel:
    """Load a model in float32; on a CPU, eager attention is faster than the fused one for sentences of usual length."""
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForMaskedLM

    attention = {"attn_implementation": "eager"} if device == "cpu" else {}
    errors = (*FAILURES, SafetensorError, UnpicklingError, EOFError)
    with explained(errors, f"masked LM {resolved.name} cannot be loaded: {REASON}"):
        model, report = AutoModelForMaskedLM.from_pretrained(
            resolved.path,
            dtype=torch.float32,
            use_safetensors=has_safetensors(resolved.path),
            output_loading_info=True,
            **attention,
        )
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        raise InputError(f"{resolved.name} is not a trained masked LM: weights are missing for {missing}")
    return model  # type: ignore[no-any-return]


def _move(model: Any, device: str, resolved: ResolvedModel) -> Any:  # noqa: ANN401 - `to` is untyped
    try:
        return model.to(device).eval()
    except (RuntimeError, MemoryError) as error:
        if is_out_of_memory(error):
            raise InputError(
                f"out of memory on {device} while loading masked LM {resolved.name}; try {param('device', 'cpu')}"
            ) from error
        raise


def _pack(model: PreTrainedModel, fast_path: FastPath | None, sentence: Sequence[int]) -> tuple[FastPath | None, bool]:
    """Pack the linear layers of a masked LM.

    Returns:
        The fast path with packed modules, and whether the model is batch-invariant, as `pack` returns it.
    """
    from torch.nn import ModuleList

    from merge_snli.models.packed_linear import pack

    name = type(model).__name__
    if fast_path is None:
        return None, pack(model, lambda: _log_probs(model, None, sentence, 1), name)
    attention, modules = fast_path.attention, ModuleList([model.base_model, *fast_path.heads])

    def packed_path() -> FastPath:
        return FastPath(tuple(modules)[1:], attention)

    batch_invariant = pack(modules, lambda: _log_probs(model, packed_path(), sentence, 1), name)
    return packed_path(), batch_invariant


def _log_probs(model: PreTrainedModel, fast_path: FastPath | None, sentence: Sequence[int], times: int) -> torch.Tensor:
    """Return log-probabilities for a batch that repeats one sentence, computed as in `MaskedLM`."""
    import torch

    with torch.inference_mode():
        logits = masked_logits(model, fast_path, *repeat_sentence(sentence, model.device, times))
        return logits.float().log_softmax(dim=-1)
