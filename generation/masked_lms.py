"""Masked LMs: a form as token ids with the mask in place, and the most probable pieces there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from generation.forms import Form
    from generation.vocabulary import Vocabulary
    from merge_snli.models import ModelSource

SPLIT = "split"
TOO_LONG = "too long"
TOKENS_A_BATCH = 512
"""Batches of this many tokens keep two cores busy and their caches warm."""


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

    @property
    def device(self) -> str:
        """The kind of device that it runs on: `cpu`, `cuda` …."""
        return str(self.model.device.type)

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
            return plain_logits(self.model, ids, masks)
        return head_logits(self.model, self.heads, ids, masks)


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
        if found is not None or (start, end) != (form.start, form.end):
            return None
        found = index
    return found


def head_logits(
    model: PreTrainedModel, heads: Sequence[torch.nn.Module], ids: torch.Tensor, masks: torch.Tensor
) -> torch.Tensor:
    """Return the logits at the masked positions by running `heads` on these rows of the encoder's output alone."""
    import torch

    rows: torch.Tensor = model.base_model(input_ids=ids).last_hidden_state
    rows = rows[torch.arange(len(ids), device=ids.device), masks]
    for head in heads:
        rows = head(rows)
    bias = getattr(model, "final_logits_bias", None)
    return rows if bias is None else rows + bias


def plain_logits(model: PreTrainedModel, ids: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the logits at the masked positions out of those of the whole forward."""
    import torch

    logits: torch.Tensor = model(input_ids=ids).logits
    return logits[torch.arange(len(ids), device=ids.device), masks]
