"""Predict the most probable pieces at the mask of a form; the last modules run on the masked tokens only."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from generation.masked_lms.encoded_forms import ORIGINAL, POSITION, EncodedForms, FormEncoder
from merge_snli.dataset.answered_forms import TOO_LONG
from merge_snli.models.runner.encoded import IDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import torch
    from numpy.typing import NDArray
    from torch import nn

    from generation.masked_lms.vocabulary import Vocabulary
    from generation.sentences.forms import Form
    from merge_snli.base.arrays import Ints
    from merge_snli.models.finding import ResolvedModel
    from merge_snli.models.runner.encoded import Encoded, Shard
    from merge_snli.models.runner.runner import Batch, Runner

# The columns of a table of answers: `form` is the key; a form has either fillers, as in `Fillers`, or a reason why it
# is `refused`.
ANSWER_SCHEMA = pa.schema(
    [
        ("form", pa.string()),
        ("refused", pa.string()),
        ("original_id", pa.int32()),
        ("original_log_prob", pa.float32()),
        ("piece_ids", pa.list_(pa.int32())),
        ("log_probs", pa.list_(pa.float32())),
        ("in_window", pa.bool_()),
    ]
)


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

    piece_ids: NDArray[np.int32]
    log_probs: NDArray[np.float32]
    original_id: int
    original_log_prob: float
    in_window: bool = False


@dataclass(frozen=True)
class Network:
    """A masked LM whose last modules run on the masked tokens only.

    Attributes:
        model: The model, in evaluation mode.
        heads: All modules after the encoder, in order, in float32; None for the plain forward pass.
        attention: The attention of the encoder's last layer, after which that layer runs on the masked tokens only;
            None if the whole layer runs on every token.
    """

    model: Any  # a class per architecture
    heads: nn.ModuleList | None
    attention: nn.Module | None

    def log_probs(self, batch: Batch) -> list[torch.Tensor]:
        """Return the log-probabilities of all pieces at the mask of each form, of shape (batch, vocabulary)."""
        import torch

        from merge_snli.models.runner.last_layer import select_after_attention

        rows = torch.arange(len(batch[IDS]), device=batch[IDS].device)

        def at_masks(states: torch.Tensor) -> torch.Tensor:
            return states[rows, batch[POSITION]][:, None]

        if self.heads is None:
            values = at_masks(self.model(input_ids=batch[IDS]).logits)[:, 0]
        else:
            with select_after_attention(self.attention, at_masks):
                states = self.model.base_model(input_ids=batch[IDS]).last_hidden_state
            values = (at_masks(states) if self.attention is None else states)[:, 0].float()
            for head in self.heads:
                values = head(values)
            bias = getattr(self.model, "final_logits_bias", None)
            values = values if bias is None else values + bias
        return [values.float().log_softmax(dim=-1)]

    def fillers(self, top_k: int, batch: Batch) -> tuple[torch.Tensor, ...]:
        """Return the most probable pieces, their log-probabilities, and those of the originals, of shape (batch, …)."""
        [log_probs] = self.log_probs(batch)
        values, indices = log_probs.topk(min(top_k, log_probs.shape[-1]), dim=-1)
        return indices.int(), values, log_probs.gather(1, batch[ORIGINAL][:, None])


@dataclass(frozen=True)
class MaskedLM:
    """A loaded masked LM.

    Attributes:
        resolved: Its name, folder and digest.
        tokenizer: Its fast tokenizer.
        network: The model.
        vocabulary: Its vocabulary.
        max_length: Maximum number of tokens per form, special tokens included; None if there is no limit.
        runner: Runs forms in batches.
    """

    resolved: ResolvedModel
    tokenizer: Any
    network: Network
    vocabulary: Vocabulary
    max_length: int | None
    runner: Runner

    @property
    def name(self) -> str:
        """The name that variants record."""
        return self.resolved.name

    def encode(self, forms: Mapping[str, Form], *, split_words: bool = False) -> EncodedForms:
        """Encode forms, given by any key.

        Args:
            forms: The forms.
            split_words: Whether to include words of several tokens.
        """
        limit = self.max_length or sys.maxsize
        return FormEncoder(self.tokenizer, self.vocabulary, limit, split_words).encode(forms)

    def fill(self, inputs: Encoded, rows: Ints, top_k: int) -> Iterator[Shard]:
        """Predict the `top_k` most probable pieces of forms, which do not depend on the other forms.

        Args:
            inputs: Encoded forms.
            rows: Those to predict.
            top_k: Number of pieces per form.

        Yields:
            Some of the rows, and their outputs as `Network.fillers` returns them.
        """
        return self.runner.run(partial(self.network.fillers, top_k), inputs, rows)

    def answers(self, forms: EncodedForms, top_k: int) -> Iterator[pa.Table]:
        """Predict the fillers of forms; more forms per call give fuller batches.

        Args:
            forms: The forms.
            top_k: Number of fillers per form.

        Yields:
            Tables of answers with `ANSWER_SCHEMA`, first of the forms that cannot be encoded.
        """
        refused = forms.refused.items()
        if refused:
            without = [{"form": key, "refused": reason, "in_window": reason == TOO_LONG} for key, reason in refused]
            yield pa.Table.from_pylist(without, ANSWER_SCHEMA)
        pieces, means = self._means_of_pieces(forms)
        for rows, (piece_ids, log_probs, originals) in self.fill(forms.inputs, np.arange(len(forms.keys)), top_k):
            keys = [forms.keys[row] for row in rows]
            original = np.where(pieces[rows] > 0, means[rows], originals[:, 0]).astype(np.float32)
            offsets = pa.array(np.arange(len(keys) + 1, dtype=np.int32) * piece_ids.shape[1])
            lists = [pa.ListArray.from_arrays(offsets, values.reshape(-1)) for values in (piece_ids, log_probs)]
            original_ids = pa.array(forms.inputs.columns[ORIGINAL][rows], pa.int32())
            in_window = pa.array([key in forms.in_window for key in keys])
            nulls = pa.nulls(len(keys), pa.string())
            columns = [pa.array(keys), nulls, original_ids, pa.array(original), *lists, in_window]
            yield pa.Table.from_arrays(columns, schema=ANSWER_SCHEMA)

    def _means_of_pieces(self, forms: EncodedForms) -> tuple[Ints, NDArray[np.float64]]:
        """Return the number of pieces of the word of each form, 0 if it is one, and their mean log-probability.

        With a sum, nearly every filler, which is a single piece, would be more probable than a word of several.
        """
        number = len(forms.keys)
        pieces, means = np.bincount(forms.words, minlength=number), np.zeros(number)
        for rows, (_, _, log_probs) in self.fill(forms.inputs, number + np.arange(len(forms.words)), 1):
            words = forms.words[rows - number]
            np.add.at(means, words, log_probs[:, 0] / pieces[words])
        return pieces, means
