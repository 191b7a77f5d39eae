"""Masked LMs: what they answer to a form, which is the most probable pieces in the place of the mask."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generation.masked_lms.encoded_forms import EncodedForm, encode_forms
from generation.masked_lms.masked_logits import masked_logits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from generation.masked_lms.masked_logits import RowsAlone
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.sentences.forms import Form
    from merge_snli.inference.batches import Batches
    from merge_snli.inference.models import ResolvedModel


@dataclass(frozen=True, slots=True)
class Fillers:
    """The most probable pieces of one masked form under one masked LM.

    Attributes:
        piece_ids: Token ids by falling probability, of shape (k,).
        log_probs: Their log-probabilities (natural logarithm), of shape (k,).
        original_id: Token id of the original word's piece, the first where it has several.
        original_log_prob: Log-probability of the original word there, the mean of its pieces' where it has several.
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
        model: The model, in evaluation mode.
        vocabulary: What its pieces stand for.
        max_length: How many tokens a form may have, special ones included.
        rows_alone: What of it is run on the masked rows alone, the heads in float32; None for nothing.
        batches: How many forms it is asked at once.
    """

    source: ResolvedModel
    tokenizer: PreTrainedTokenizerFast
    model: PreTrainedModel
    vocabulary: Vocabulary
    max_length: int
    rows_alone: RowsAlone | None
    batches: Batches

    @property
    def name(self) -> str:
        """The name under which variants record it."""
        return self.source.name

    @property
    def device(self) -> str:
        """The kind of device that it runs on: `cpu`, `cuda` …."""
        return str(self.model.device.type)

    def encode(self, form: Form, *, split_words: bool = False) -> EncodedForm | str:
        """Turn one form into token ids, as `encode_forms` does for many."""
        return self._encode([form], split_words)[0]

    def _encode(self, forms: Sequence[Form], split_words: bool) -> list[EncodedForm | str]:
        return encode_forms(forms, self.tokenizer, self.vocabulary, self.max_length, split_words=split_words)

    def answers(
        self, forms: Mapping[str, Form], top_k: int, *, split_words: bool = False
    ) -> Iterator[dict[str, Fillers | str]]:
        """Ask for the fillers of forms; the more are given at once, the fuller are the batches.

        Args:
            forms: The forms by any key.
            top_k: How many fillers.
            split_words: Whether a word of several tokens is asked for too.

        Yields:
            Answers by key, some at a time: first why the forms that cannot be asked cannot, then the others by length.
        """
        encoded = dict(zip(forms, self._encode(list(forms.values()), split_words), strict=True))
        refused = {key: each for key, each in encoded.items() if isinstance(each, str)}
        if refused:
            yield {**refused}
        by_length: dict[tuple[int, int], list[tuple[str, EncodedForm]]] = defaultdict(list)
        for key, each in encoded.items():
            if isinstance(each, EncodedForm):
                by_length[len(each.ids), len(each.pieces)].append((key, each))
        for (length, _), of_length in sorted(by_length.items()):
            first = 0
            while first < len(of_length):
                keys, batch = zip(*of_length[first : first + self.batches.size(length)], strict=True)
                yield dict(zip(keys, self.fill(batch, top_k), strict=True))
                first += len(batch)

    def fill(self, forms: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        """Ask for the `top_k` most probable pieces of each form.

        Args:
            forms: Forms of the same number of tokens, so that none is padded.
            top_k: How many pieces.

        Returns:
            One answer a form, in the same order; no answer depends on the other forms.

        Raises:
            InputError: Where memory does not suffice for one form.
        """
        if not forms:
            return []
        answers = self.batches.run(lambda batch: self._fill(batch, top_k), forms, len(forms[0].ids))
        if not any(form.pieces for form in forms):
            return answers
        of_words = self._log_probs_of_words([form.pieces for form in forms])
        return [
            Fillers(each.piece_ids, each.log_probs, each.original_id, of_words.get(place, each.original_log_prob))
            for place, each in enumerate(answers)
        ]

    def _log_probs_of_words(self, words: Sequence[tuple[EncodedForm, ...]]) -> dict[int, float]:
        """Return the log-probabilities of words of several pieces by their places: the mean of their pieces'.

        A sum would be the log-probability of more choices than the one that a candidate is, and nearly every filler
        would be more probable (docs/method.md has the figures).
        """
        by_length: dict[int, list[tuple[int, EncodedForm]]] = defaultdict(list)
        for place, pieces in enumerate(words):
            for piece in pieces:
                by_length[len(piece.ids)].append((place, piece))
        found: dict[int, float] = defaultdict(float)
        for of_length in by_length.values():
            places, pieces = zip(*of_length, strict=True)
            for place, answer in zip(places, self.fill(pieces, 1), strict=True):
                found[place] += answer.original_log_prob / len(words[place])
        return found

    def _fill(self, batch: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        import torch

        ids = torch.tensor([form.ids for form in batch], device=self.model.device)
        masks = torch.tensor([form.mask_index for form in batch], device=self.model.device)
        originals = torch.tensor([form.original_id for form in batch], device=self.model.device)
        with torch.inference_mode():
            log_probs = masked_logits(self.model, self.rows_alone, ids, masks).float().log_softmax(dim=-1)
            best = log_probs.topk(min(top_k, log_probs.shape[-1]), dim=-1)
            of_originals = log_probs.gather(1, originals[:, None])[:, 0].tolist()
        piece_ids = best.indices.to(torch.int32).cpu().numpy()
        values = best.values.cpu().numpy()
        return [
            Fillers(piece_ids[row], values[row], form.original_id, of_originals[row]) for row, form in enumerate(batch)
        ]
