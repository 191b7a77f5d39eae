"""Loading a masked LM, and the checks that it is one and that its answers can be had the fast way."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

from generation.masked_lms.fast_paths import find_fast_path, same_sentence
from generation.masked_lms.masked_lm import MaskedLM
from generation.masked_lms.masked_logits import RowsAlone, masked_logits
from generation.masked_lms.vocabulary import read_vocabulary
from merge_snli.errors import InputError, reason
from merge_snli.inference.batches import Batches, is_batch_invariant, is_out_of_memory, tokens_per_batch
from merge_snli.inference.models import (
    ResolvedModel,
    check_weights,
    find_device,
    find_model,
    has_safetensors,
    quiet_loading,
    warn_of_slow_bfloat16,
)
from merge_snli.inference.same_outputs import FAILURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from generation.masked_lms.vocabulary import Vocabulary

FLOAT32 = "float32"
FORMS_PER_TRIAL = 64

UNSET_LENGTH = 10**9
"""A model without a number of positions takes texts of any length; this stands for it."""


def find_masked_lms(names: Sequence[str], *, allow_pickle: bool = False) -> tuple[ResolvedModel, ...]:
    """Find the masked LMs of a run, each under a name of its own.

    Args:
        names: Hub ids, folders or `demo:NAME`.
        allow_pickle: Take weights that are pickles where there are no safetensors.

    Raises:
        InputError: Where one is not found or has only pickles, or two folders have the same name, the one that
            variants record.
    """
    sources = tuple(find_model(name, pickles=allow_pickle) for name in names)
    for source in sources:
        check_weights(source, allow_pickle=allow_pickle)
    called = [source.name for source in sources]
    twice = next((name for name in called if called.count(name) > 1), None)
    if twice is not None:
        places = " and ".join(str(source.path) for source in sources if source.name == twice)
        raise InputError(
            f"two masked LMs are called {twice} ({places}), the name that variants record: rename a folder"
        )
    return sources


def load_masked_lm(source: ResolvedModel, *, device: str | None = None, dtype: str = FLOAT32) -> MaskedLM:
    """Load a masked LM.

    Args:
        source: What `find_masked_lms` gave.
        device: Where to run it; None for a GPU where there is one.
        dtype: What it computes in, `float32` or `bfloat16`. The modules behind the encoder stay in float32 where they
            can be run by themselves, for logits of 8 bits make many pieces equally probable.

    Raises:
        InputError: Where it cannot be loaded, is no masked LM, or has no mask token or fast tokenizer.
    """
    import torch

    quiet_loading()
    _check_architecture(source)
    tokenizer = _load_tokenizer(source)
    where = find_device(device)
    warn_of_slow_bfloat16(dtype, where)
    model: Any = _moved(_load_model(source, where), where, source)
    probe = _probe_ids(tokenizer)
    try:
        way = find_fast_path(model, probe)
    except FAILURES as error:
        raise InputError(
            f"masked LM {source.name} cannot read a sentence of its own tokenizer: {reason(error)}"
        ) from error
    vocabulary = read_vocabulary(tokenizer, way.logits, source.name)
    rows_alone = way.rows_alone
    if dtype != FLOAT32:
        # Copied first, for their weights may be those of the embeddings, which do not stay in float32.
        rows_alone = None if rows_alone is None else replace(rows_alone, heads=deepcopy(rows_alone.heads))
        model = model.to(getattr(torch, dtype))
    rows_alone, packed = _pack(model, rows_alone, probe)
    invariant = packed and is_batch_invariant(lambda times: _log_probs(model, rows_alone, probe, times).numpy())

    def trial() -> int:
        _log_probs(model, rows_alone, probe, FORMS_PER_TRIAL)
        return len(probe) * FORMS_PER_TRIAL

    batches = Batches(f"masked LM {source.name}", "form", tokens_per_batch(where, trial), batch_invariant=invariant)
    return MaskedLM(source, tokenizer, model, vocabulary, _max_length(tokenizer, model), rows_alone, batches)


def check_masked_lm(source: ResolvedModel) -> None:
    """Check what can be told of a masked LM without its weights, before any work is spent.

    Raises:
        InputError: Where its configuration is not that of a masked LM, or it has no mask token or fast tokenizer.
    """
    _check_architecture(source)
    _load_tokenizer(source)


def load_vocabulary(source: ResolvedModel, size: int) -> Vocabulary:
    """Read what the pieces of a masked LM stand for without loading its weights.

    Args:
        source: What `find_masked_lms` gave.
        size: How many logits the model gives.

    Raises:
        InputError: Where its tokenizer cannot be used.
    """
    return read_vocabulary(_load_tokenizer(source), size, source.name)


def _check_architecture(source: ResolvedModel) -> None:
    """Refuse what is no masked LM by its configuration, before anything large is read."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    try:
        config = AutoConfig.from_pretrained(source.path)
    except FAILURES as error:
        raise InputError(f"masked LM {source.name}: its config.json cannot be used: {reason(error)}") from error
    if config.model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        raise InputError(
            f"{source.name} is no masked LM (its type is {config.model_type}): give one such as "
            "FacebookAI/roberta-base or demo:mlm-bpe"
        )
    wrong = [name for name in config.architectures or () if str(name).endswith(("ForCausalLM", "LMHeadModel"))]
    if wrong or getattr(config, "is_decoder", False):
        raise InputError(f"{source.name} is a causal LM, not a masked LM: it fills no masks")


def _load_tokenizer(source: ResolvedModel) -> PreTrainedTokenizerFast:
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(source.path)
    except FAILURES as error:
        raise InputError(f"masked LM {source.name}: its tokenizer cannot be loaded: {reason(error)}") from error
    if not tokenizer.is_fast:
        raise InputError(f"masked LM {source.name} has no fast tokenizer, so places in the text cannot be told")
    if tokenizer.mask_token_id is None:
        raise InputError(f"masked LM {source.name} has no mask token: it fills no masks")
    return tokenizer  # type: ignore[no-any-return]


def _load_model(source: ResolvedModel, device: str) -> PreTrainedModel:
    """Load in float32; on a processor, plain attention is faster than the fused one for sentences of usual length."""
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForMaskedLM

    attention = {"attn_implementation": "eager"} if device == "cpu" else {}
    try:
        model, report = AutoModelForMaskedLM.from_pretrained(
            source.path,
            dtype=torch.float32,
            use_safetensors=has_safetensors(source.path),
            output_loading_info=True,
            **attention,
        )
    except (*FAILURES, SafetensorError, UnpicklingError, EOFError) as error:
        raise InputError(f"masked LM {source.name} cannot be loaded: {reason(error)}") from error
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        raise InputError(f"{source.name} is no trained masked LM: weights are missing for {missing}")
    return model  # type: ignore[no-any-return]


def _moved(model: Any, device: str, source: ResolvedModel) -> Any:  # noqa: ANN401 - `to` is untyped
    try:
        return model.to(device).eval()
    except (RuntimeError, MemoryError) as error:
        if is_out_of_memory(error):
            raise InputError(
                f"masked LM {source.name} does not fit into the memory of {device}: try --device cpu"
            ) from error
        raise


def _pack(model: PreTrainedModel, rows_alone: RowsAlone | None, probe: Sequence[int]) -> tuple[RowsAlone | None, bool]:
    """Pack the linear layers of a masked LM.

    Returns:
        What is run on the masked rows alone, packed too; and whether no product depends on those beside it.
    """
    from torch.nn import ModuleList

    from merge_snli.inference.packed_linear import pack

    name = type(model).__name__
    if rows_alone is None:
        return None, pack(model, lambda: _log_probs(model, None, probe, 1), name)
    attention, parts = rows_alone.attention, ModuleList([model.base_model, *rows_alone.heads])

    def packed() -> RowsAlone:
        return RowsAlone(tuple(parts)[1:], attention)

    batch_invariant = pack(parts, lambda: _log_probs(model, packed(), probe, 1), name)
    return packed(), batch_invariant


def _log_probs(
    model: PreTrainedModel, rows_alone: RowsAlone | None, sentence: Sequence[int], times: int
) -> torch.Tensor:
    """Ask for one sentence so many times, as `MaskedLM` asks."""
    import torch

    with torch.inference_mode():
        logits = masked_logits(model, rows_alone, *same_sentence(sentence, model.device, times))
        return logits.float().log_softmax(dim=-1)


def _max_length(tokenizer: PreTrainedTokenizerFast, model: PreTrainedModel) -> int:
    """Return how many tokens fit; the positions of RoBERTa and its kin begin behind their padding id."""
    positions = getattr(model.config, "max_position_embeddings", None) or UNSET_LENGTH
    embeddings = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
    padding = getattr(embeddings, "padding_idx", None)
    return int(min(positions - (0 if padding is None else padding + 1), tokenizer.model_max_length))


def _probe_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    ids: list[int] = tokenizer(f"A small {tokenizer.mask_token} sleeps.")["input_ids"]
    return ids
