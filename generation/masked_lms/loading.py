"""Load masked LMs, and check that they are masked LMs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

from generation.masked_lms.encoded_forms import POSITION
from generation.masked_lms.masked_lm import MaskedLM, Network
from generation.masked_lms.vocabulary import Vocabulary, read_vocabulary
from merge_snli.base.arrays import Floats32
from merge_snli.base.errors import InputError, explained
from merge_snli.models.finding import (
    ResolvedModel,
    check_weights,
    find_device,
    find_model,
    warn_about_slow_bfloat16,
)
from merge_snli.models.runner.encoded import Encoder, Model, Tokenizer
from merge_snli.models.runner.loading import MASKED_LM, load_model, load_tokenizer, max_length

FLOAT32 = "float32"


def find_masked_lms(names: Sequence[str], *, allow_pickle: bool = False) -> tuple[ResolvedModel, ...]:
    """Resolve the masked LMs of a run, and check that their names are distinct.

    Args:
        names: Hub ids, folders or `demo:NAME`.
        allow_pickle: Accept pickle weights if a model has no safetensors weights.
    """
    models: dict[str, ResolvedModel] = {}
    for name in names:
        model = find_model(name, allow_pickle=allow_pickle)
        check_weights(model, allow_pickle=allow_pickle)
        first = models.setdefault(model.name, model)
        if first is not model:
            raise InputError(
                f"two masked LMs are named {model.name} ({first.path} and {model.path}), and variants record this "
                "name; rename one of the folders"
            )
    return tuple(models.values())


def load_masked_lm(resolved: ResolvedModel, *, device: str | None = None, dtype: str = FLOAT32) -> MaskedLM:
    """Load a masked LM.

    Args:
        resolved: The model, from `find_masked_lms`.
        device: The torch device; None for a GPU if available.
        dtype: `float32` or `bfloat16`. If the modules after the encoder can run separately, they stay in float32:
            bfloat16 logits give many pieces the same probability.
    """
    import torch

    from merge_snli.models.runner.checks import find_runner, rotated
    from merge_snli.models.runner.packed_linear import pack
    from merge_snli.models.runner.runner import run_once

    name = f"masked LM {resolved.name}"
    device = find_device(device)
    tokenizer = check_masked_lm(resolved)
    warn_about_slow_bfloat16(dtype, device)
    # On a CPU, eager attention is faster than the fused one for sentences of usual length.
    attention = {"attn_implementation": "eager"} if device == "cpu" else {}
    model = load_model(MASKED_LM, resolved, device, dtype=FLOAT32, **attention)
    _check_tokenizer_size(tokenizer, len(model.get_input_embeddings().weight), name)
    text = f"A small {tokenizer.mask_token} sleeps."
    example = replace(Encoder(tokenizer, text)([text] * 2), columns={POSITION: np.array([1, 1])})
    run = partial(run_once, encoded=rotated(example, 2), device=model.device)
    with explained(Exception, f"{name} fails on the output of its own tokenizer: ⟦reason⟧"):
        network = _find_network(model, run)
        if dtype != FLOAT32:
            # Copied first: the heads may share weights with the embeddings, which do not stay in float32.
            network = replace(network, heads=deepcopy(network.heads))
            model.to(getattr(torch, dtype))
        packed = pack(torch.nn.ModuleList([network.encoder, *network.heads]), partial(run, network.log_probs))
        log_probs = run(network.log_probs)
        if not np.isfinite(log_probs).all():
            raise InputError(f"{name} returns log-probabilities that are not finite; check its weights")
        return MaskedLM(
            tokenizer,
            read_vocabulary(tokenizer, log_probs.shape[1], resolved.name),
            max_length(model, tokenizer) or sys.maxsize,
            network,
            find_runner(model, network.log_probs, example, name=name, packed=packed),
        )


def _check_tokenizer_size(tokenizer: Tokenizer, size: int, name: str) -> None:
    token, largest = max(tokenizer.get_vocab().items(), key=itemgetter(1))
    if largest >= size:
        raise InputError(
            f"the tokenizer of {name} is larger than the model: token {token!r} has id {largest}, but there are {size} "
            "embeddings; use the tokenizer that the model was trained with"
        )


def _find_network(model: Model, run: partial[Floats32]) -> Network:
    """Find the modules that can run on the masked tokens only, by comparing with the plain forward pass.

    Args:
        model: A masked LM in float32.
        run: Runs it on two inputs.

    Returns:
        The fastest way to run it that computes the same log-probabilities up to float32 rounding.
    """
    from merge_snli.models.runner.checks import NOISE, outputs_match
    from merge_snli.models.runner.last_layer import last_attention

    plain = Network(model, [], None, None)
    expected = run(plain.log_probs)
    encoder = model.base_model
    heads = [module for module in model.children() if module is not encoder]
    for attention in (last_attention(model), None):
        network = Network(encoder, heads, attention, getattr(model, "final_logits_bias", None))
        if outputs_match(partial(run, network.log_probs), expected, NOISE[model.dtype]):
            return network
    return plain


def load_vocabulary(model: ResolvedModel, size: int, language: str | None = None) -> Vocabulary:
    """Read the vocabulary of a masked LM without loading its weights.

    Args:
        model: The model, from `find_masked_lms`.
        size: Number of logits per token.
        language: The code of the language of the problems; None for English.
    """
    return read_vocabulary(check_masked_lm(model), size, model.name, language)


def check_masked_lm(model: ResolvedModel) -> Tokenizer:
    """Check the configuration of a masked LM, and return its tokenizer, without loading its weights."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    with explained(Exception, f"cannot read config.json of masked LM {model.name}: ⟦reason⟧"):
        config = AutoConfig.from_pretrained(model.path)
    own = MODEL_FOR_MASKED_LM_MAPPING_NAMES.get(config.model_type)
    kind = ""
    for name in map(str, config.architectures or ()):
        if name == own:  # XLMWithLMHeadModel is a masked LM
            continue
        if name.endswith(("ForCausalLM", "LMHeadModel")):
            kind = "causal LM"
        elif name.endswith(("Classification", "QuestionAnswering", "MultipleChoice")):
            kind = name
    if getattr(config, "is_decoder", False) or getattr(config, "causal", False):
        kind = "causal LM"
    if own is None:
        kind = f"model of type {config.model_type}"
    if kind:
        raise InputError(
            f"{model.name} is a {kind}, not a masked LM: use a masked LM such as FacebookAI/roberta-base or "
            "demo:mlm-bpe, or the one that a classifier was trained from"
        )
    tokenizer = load_tokenizer(MASKED_LM, model)
    if not tokenizer.is_fast:
        raise InputError(f"masked LM {model.name} has no fast tokenizer, which is needed to map tokens to characters")
    if tokenizer.mask_token_id is None:
        raise InputError(f"masked LM {model.name} has no mask token")
    return tokenizer
