"""Predict the most probable pieces at the mask of a form; the last modules run on the masked tokens only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from generation.masked_lms.encoded_forms import EncodedForm, encode_forms
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.models.inference import Batches, last_attention, outputs_match, select_after_attention

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from generation.masked_lms.vocabulary import Vocabulary
    from generation.sentences.forms import Form
    from merge_snli.models.finding import ResolvedModel


@dataclass(frozen=True)
class FastPath:
    """The modules of a masked LM that run on the masked tokens only.

    Attributes:
        heads: All modules after the encoder, in order; in float32.
        attention: The attention of the encoder's last layer, after which that layer runs on these tokens only; None
            if the whole layer runs on every token.
    """

    heads: tuple[torch.nn.Module, ...]
    attention: torch.nn.Module | None


def masked_logits(
    model: PreTrainedModel, fast_path: FastPath | None, ids: torch.Tensor, masks: torch.Tensor
) -> torch.Tensor:
    """Return the logits at the masked positions.

    Args:
        model: A masked LM.
        fast_path: What to run on the masked tokens only; None for the plain forward pass.
        ids: Token ids, of shape (batch, tokens).
        masks: Position of the mask in each row, of shape (batch,).

    Returns:
        Logits of shape (batch, vocabulary).
    """
    import torch

    tokens = torch.arange(len(ids), device=ids.device), masks
    if fast_path is None:
        logits: torch.Tensor = model(input_ids=ids).logits
        return logits[tokens]
    with select_after_attention(fast_path.attention, tokens):
        states = model.base_model(input_ids=ids).last_hidden_state  # of every token, or of the masked ones
    values: torch.Tensor = (states[tokens] if fast_path.attention is None else states[:, 0]).float()
    for head in fast_path.heads:
        values = head(values)
    bias = getattr(model, "final_logits_bias", None)
    return values if bias is None else values + bias


def check_finite(log_probs: torch.Tensor, name: str) -> None:
    """Check the log-probabilities of a batch.

    Args:
        log_probs: Log-probabilities of shape (batch, vocabulary).
        name: The masked LM's name, for the message.
    """
    if not log_probs.min().isfinite():  # the minimum of values with a NaN is NaN, and none is above 0
        raise InputError(f"masked LM {name} returns log-probabilities that are not finite; check its weights")


def find_fast_path(model: PreTrainedModel, sentence: Sequence[int]) -> FastPath | None:
    """Find the modules that can run on the masked tokens only, by comparing logits with the plain forward pass.

    Args:
        model: A masked LM in float32.
        sentence: Token ids of any sentence.

    Returns:
        The fastest path whose logits match up to float32 rounding, or None if only the plain forward pass works.
    """
    import torch

    ids, masks = repeat_sentence(sentence, model.device, 2)
    heads = tuple(module for module in model.children() if module is not model.base_model)
    with torch.inference_mode():
        logits = partial(masked_logits, model, ids=ids, masks=masks)
        expected = logits(None)
        for attention in (last_attention(model), None):
            fast_path = FastPath(heads, attention)
            if outputs_match(partial(logits, fast_path), lambda: expected):
                return fast_path
    return None


def repeat_sentence(ids: Sequence[int], device: torch.device, times: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a batch that repeats one sentence, and a mask position for each row that differs between rows."""
    import torch

    return torch.tensor([ids] * times, device=device), torch.arange(times, device=device) % len(ids)


@dataclass(frozen=True, slots=True)
class Fillers:
    """The most probable pieces of one form under one masked LM.

    Attributes:
        piece_ids: Token ids by decreasing probability, of shape (k,).
        log_probs: Their natural log-probabilities, of shape (k,).
        original_id: Token id of the original word, or of its first piece if it has several.
        original_log_prob: Log-probability of the original word, or the mean of its pieces' if it has several.
        in_window: Whether the text was too long, so that the masked LM saw a window of it.
    """

    piece_ids: npt.NDArray[np.int32]
    log_probs: npt.NDArray[np.float32]
    original_id: int
    original_log_prob: float
    in_window: bool = False


@dataclass(frozen=True)
class MaskedLM:
    """A loaded masked LM.

    Attributes:
        resolved: Its name, folder and digest.
        tokenizer: Its fast tokenizer.
        model: The model, in evaluation mode.
        vocabulary: Its vocabulary.
        max_length: Maximum number of tokens per form, special tokens included; None if there is no limit.
        fast_path: What to run on the masked tokens only; None for the plain forward pass.
        batches: Runs forms in batches.
    """

    resolved: ResolvedModel
    tokenizer: PreTrainedTokenizerFast
    model: PreTrainedModel
    vocabulary: Vocabulary
    max_length: int | None
    fast_path: FastPath | None
    batches: Batches

    @property
    def name(self) -> str:
        """The name that variants record."""
        return self.resolved.name

    @property
    def device(self) -> str:
        """The type of the device that it runs on: `cpu`, `cuda` …."""
        return str(self.model.device.type)

    def encode_all(self, forms: Sequence[Form], *, split_words: bool) -> list[EncodedForm | str]:
        """Encode forms; see `encode_forms`."""
        return encode_forms(forms, self.tokenizer, self.vocabulary, self.max_length, split_words=split_words)

    def answers(
        self, forms: Mapping[str, Form], top_k: int, *, split_words: bool = False
    ) -> Iterator[dict[str, Fillers | str]]:
        """Predict the fillers of forms; more forms per call give fuller batches.

        Args:
            forms: The forms by any key.
            top_k: Number of fillers per form.
            split_words: Whether to include words of several tokens.

        Yields:
            Answers by key: first the forms that cannot be encoded, with the reason, then the others by length.
        """
        encoded = dict(zip(forms, self.encode_all([*forms.values()], split_words=split_words), strict=True))
        refused = {key: form for key, form in encoded.items() if isinstance(form, str)}
        if refused:
            yield {**refused}
        by_length = grouped(
            ((len(form.ids), len(form.pieces)), (key, form))
            for key, form in encoded.items()
            if isinstance(form, EncodedForm)
        )
        for (length, _), same_length in sorted(by_length.items()):
            size = self.batches.size(length)
            for start in range(0, len(same_length), size):
                keys, batch = zip(*same_length[start : start + size], strict=True)
                yield dict(zip(keys, self.fill(batch, top_k), strict=True))

    def fill(self, forms: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        """Predict the `top_k` most probable pieces of each form.

        Args:
            forms: One or more forms that all have the same number of tokens.
            top_k: Number of pieces per form.

        Returns:
            The fillers of each form, in the same order; they do not depend on the other forms.
        """
        fillers = self.batches.run(lambda batch: self._fill(batch, top_k), forms, len(forms[0].ids))
        word_log_probs = self._word_log_probs([form.pieces for form in forms])
        return [
            replace(of_form, original_log_prob=word_log_probs.get(index, of_form.original_log_prob))
            for index, of_form in enumerate(fillers)
        ]

    def _word_log_probs(self, words: Sequence[tuple[EncodedForm, ...]]) -> dict[int, float]:
        """Return the log-probabilities of words of several pieces, by index: the mean over their pieces.

        With a sum, nearly every filler, which is a single piece, would be more probable than the word.
        """
        by_length = grouped((len(piece.ids), (index, piece)) for index, pieces in enumerate(words) for piece in pieces)
        log_probs: dict[int, float] = defaultdict(float)
        for same_length in by_length.values():
            indices, pieces = zip(*same_length, strict=True)
            for index, fillers in zip(indices, self.fill(pieces, 1), strict=True):
                log_probs[index] += fillers.original_log_prob / len(words[index])
        return log_probs

    def _fill(self, batch: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        import torch

        columns = zip(*((form.ids, form.mask_index, form.original_id) for form in batch), strict=True)
        ids, masks, originals = (torch.tensor(column, device=self.model.device) for column in columns)
        with torch.inference_mode():
            log_probs = masked_logits(self.model, self.fast_path, ids, masks).float().log_softmax(dim=-1)
            check_finite(log_probs, self.name)
            top = log_probs.topk(min(top_k, log_probs.shape[-1]), dim=-1)
            original_log_probs = log_probs.gather(1, originals[:, None])[:, 0].tolist()
        piece_ids = top.indices.to(torch.int32).cpu().numpy()
        values = top.values.cpu().numpy()
        return [
            Fillers(piece_ids[row], values[row], form.original_id, original_log_probs[row], form.in_window)
            for row, form in enumerate(batch)
        ]
