"""Masked LMs: loading one, asking it for the fillers of forms, and the checks that make its answers trustworthy."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from generation.vocabulary import Vocabulary, read_vocabulary
from merge_snli.errors import InputError
from merge_snli.models import ModelSource, find_model, quiet_loading

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from generation.forms import Form

logger = logging.getLogger(__name__)

SPLIT = "split"
TOO_LONG = "too long"
TOKENS_A_BATCH = 512
"""Batches of this many tokens keep two cores busy and their caches warm."""

UNSET_LENGTH = 10**9
"""A tokenizer whose `model_max_length` is larger than this has none."""


@dataclass(frozen=True, slots=True)
class EncodedForm:
    """A form as token ids, with the place of the mask and the id of the original word's piece."""

    ids: tuple[int, ...]
    mask_index: int
    original_id: int


@dataclass(frozen=True, slots=True)
class Fillers:
    """The most probable pieces of one masked form under one masked LM.

    Attributes:
        piece_ids: Token ids by falling probability, of shape (k,).
        log_probs: Their log-probabilities (natural logarithm), of shape (k,).
        original_id: Token id of the original word's piece.
        original_log_prob: Log-probability of the original word there.
    """

    piece_ids: npt.NDArray[np.int32]
    log_probs: npt.NDArray[np.float32]
    original_id: int
    original_log_prob: float


@dataclass(frozen=True)
class MaskedLM:
    """A masked LM that is loaded.

    Attributes:
        source: Where it was found, with its digest.
        tokenizer: Its fast tokenizer.
        model: The model, in float32, in evaluation mode.
        vocabulary: What its pieces stand for.
        max_length: How many tokens a form may have, special ones included.
        heads: The modules behind the encoder where they may be run on the masked rows alone, else None.
    """

    source: ModelSource
    tokenizer: PreTrainedTokenizerFast
    model: PreTrainedModel
    vocabulary: Vocabulary
    max_length: int
    heads: tuple[torch.nn.Module, ...] | None

    @property
    def name(self) -> str:
        """The name under which variants record it."""
        return self.source.name

    def encode(self, form: Form) -> EncodedForm | str:
        """Turn a form into token ids.

        Returns:
            The ids with the mask in place, or why the masked LM cannot be asked: `split` where the word is not one
            token at its place in the sentence, `too long` where the sentence is longer than the model takes.
        """
        encoding = self.tokenizer(form.text, return_offsets_mapping=True)
        ids: list[int] = encoding["input_ids"]
        if len(ids) > self.max_length:
            return TOO_LONG
        places = _tokens_of(form, encoding["offset_mapping"])
        if places is None:
            return SPLIT
        original = ids[places]
        if original == self.tokenizer.unk_token_id or self.vocabulary.pieces[original] is None:
            return SPLIT
        return EncodedForm((*ids[:places], self.tokenizer.mask_token_id, *ids[places + 1 :]), places, original)

    def fill(self, forms: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        """Ask for the `top_k` most probable pieces of each form.

        Args:
            forms: Forms of the same number of tokens, so that none is padded.
            top_k: How many pieces.

        Returns:
            One answer a form, in the same order; no answer depends on the other forms.
        """
        size = forms_a_batch(len(forms[0].ids))
        batches = (forms[first : first + size] for first in range(0, len(forms), size))
        return [answer for batch in batches for answer in self._fill(batch, size, top_k)]

    def _fill(self, batch: Sequence[EncodedForm], size: int, top_k: int) -> list[Fillers]:
        """Run one batch, made up to `size` forms: a matrix product of another height may round otherwise."""
        import torch

        made_up = [*batch, *[batch[0]] * (size - len(batch))]
        ids = torch.tensor([form.ids for form in made_up], device=self.model.device)
        masks = torch.tensor([form.mask_index for form in made_up], device=self.model.device)
        originals = torch.tensor([form.original_id for form in made_up], device=self.model.device)
        with torch.inference_mode():
            log_probs = self._masked_logits(ids, masks).float().log_softmax(dim=-1)
            best = log_probs.topk(min(top_k, log_probs.shape[-1]), dim=-1)
            of_original = log_probs.gather(1, originals[:, None])[:, 0].cpu().numpy()
        piece_ids = best.indices.to(torch.int32).cpu().numpy()
        values = best.values.cpu().numpy()
        return [
            Fillers(piece_ids[row], values[row], form.original_id, float(of_original[row]))
            for row, form in enumerate(batch)
        ]

    def _masked_logits(self, ids: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return the logits at the masked positions, of shape (batch, vocabulary)."""
        if self.heads is None:
            return _plain_logits(self.model, ids, masks)
        return _head_logits(self.model, self.heads, ids, masks)


def forms_a_batch(length: int) -> int:
    """Return how many forms of `length` tokens make a batch."""
    return max(1, TOKENS_A_BATCH // length)


def _tokens_of(form: Form, offsets: Sequence[tuple[int, int]]) -> int | None:
    """Return the index of the one token that covers the masked word and nothing else, or None."""
    found = None
    for index, (start, end) in enumerate(offsets):
        start += len(form.text[start:end]) - len(form.text[start:end].lstrip())
        if start >= end or end <= form.start or start >= form.end:
            continue
        if (start, end) != (form.start, form.end):
            return None
        found = index
    return found


def load_masked_lm(name: str, *, device: str | None = None) -> MaskedLM:
    """Load a masked LM in float32.

    Args:
        name: Hub id, folder or `demo:NAME`.
        device: Where to run it; None for a GPU where there is one.

    Raises:
        InputError: Where it cannot be found or loaded, is no masked LM, or has no mask token or fast tokenizer.
    """
    import torch

    quiet_loading()
    source = find_model(name)
    _check_architecture(source)
    tokenizer = _load_tokenizer(source)
    model: Any = _load_model(source).to(_device(device)).eval()  # type: ignore[arg-type]
    vocabulary = read_vocabulary(tokenizer, int(model.get_output_embeddings().weight.shape[0]), source.name)
    heads = _verified_heads(model, torch.tensor([_probe_ids(tokenizer)], device=model.device))
    return MaskedLM(source, tokenizer, model, vocabulary, _max_length(tokenizer, model), heads)


def _device(name: str | None) -> str:
    import torch

    return name or ("cuda" if torch.cuda.is_available() else "cpu")


def _check_architecture(source: ModelSource) -> None:
    """Refuse what is no masked LM by its configuration, before anything large is read."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    try:
        config = AutoConfig.from_pretrained(source.path)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"masked LM {source.name}: its config.json cannot be used: {_first_line(error)}") from error
    if config.model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        raise InputError(
            f"{source.name} is no masked LM (its type is {config.model_type}): give one such as "
            "FacebookAI/roberta-base or demo:mlm-bpe"
        )
    wrong = [name for name in config.architectures or () if name.endswith(("ForCausalLM", "LMHeadModel"))]
    if wrong or getattr(config, "is_decoder", False):
        raise InputError(f"{source.name} is a causal LM ({', '.join(wrong)}), not a masked LM: it fills no masks")


def _load_tokenizer(source: ModelSource) -> PreTrainedTokenizerFast:
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(source.path)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(f"masked LM {source.name}: its tokenizer cannot be loaded: {_first_line(error)}") from error
    if not tokenizer.is_fast:
        raise InputError(f"masked LM {source.name} has no fast tokenizer, so places in the text cannot be told")
    if tokenizer.mask_token_id is None:
        raise InputError(f"masked LM {source.name} has no mask token: it fills no masks")
    return tokenizer  # type: ignore[no-any-return]


def _load_model(source: ModelSource) -> PreTrainedModel:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForMaskedLM

    try:
        model, report = AutoModelForMaskedLM.from_pretrained(
            source.path, dtype=torch.float32, use_safetensors=True, output_loading_info=True
        )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"masked LM {source.name} cannot be loaded: {_first_line(error)}") from error
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        raise InputError(f"{source.name} is no trained masked LM: weights are missing for {missing}")
    return model  # type: ignore[no-any-return]


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _max_length(tokenizer: PreTrainedTokenizerFast, model: PreTrainedModel) -> int:
    """Return how many tokens fit; RoBERTa's positions begin behind its padding id."""
    positions = getattr(model.config, "max_position_embeddings", None) or UNSET_LENGTH
    if model.config.model_type in {"roberta", "xlm-roberta", "camembert"}:
        positions -= model.config.pad_token_id + 1
    return int(min(positions, tokenizer.model_max_length))


def _probe_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    ids: list[int] = tokenizer(f"A small {tokenizer.mask_token} sleeps.")["input_ids"]
    return ids


def _verified_heads(model: PreTrainedModel, ids: torch.Tensor) -> tuple[torch.nn.Module, ...] | None:
    """Return the modules behind the encoder if they give the plain forward's logits on the masked row alone."""
    import torch

    heads = tuple(module for module in model.children() if module is not model.base_model)
    masks = torch.tensor([ids.shape[1] // 2], device=ids.device)
    try:
        with torch.inference_mode():
            same = torch.allclose(
                _head_logits(model, heads, ids, masks), _plain_logits(model, ids, masks), rtol=1e-4, atol=1e-4
            )
    except (RuntimeError, TypeError, AttributeError, ValueError) as error:
        logger.info("the LM head of %s runs on every token: %s", type(model).__name__, error)
        return None
    return heads if same else None


def _head_logits(
    model: PreTrainedModel, heads: Sequence[torch.nn.Module], ids: torch.Tensor, masks: torch.Tensor
) -> torch.Tensor:
    import torch

    rows: torch.Tensor = model.base_model(input_ids=ids).last_hidden_state
    rows = rows[torch.arange(len(ids), device=ids.device), masks]
    for head in heads:
        rows = head(rows)
    bias = getattr(model, "final_logits_bias", None)
    return rows if bias is None else rows + bias


def _plain_logits(model: PreTrainedModel, ids: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    import torch

    logits: torch.Tensor = model(input_ids=ids).logits
    return logits[torch.arange(len(ids), device=ids.device), masks]
