"""Predict the most probable pieces at the mask of a form; the last modules run on the masked tokens only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from generation.masked_lms.encoded_forms import ORIGINAL, POSITION, EncodedForms, FormEncoder
from merge_snli.base.arrays import Floats, Floats32, Ints32
from merge_snli.models.runner.encoded import IDS, Encoded, Shard

if TYPE_CHECKING:
    from torch import Tensor, nn

    from merge_snli.models.runner.runner import Batch, Runner

# The columns of a table of answers: `form` is the key; a form has either fillers, as in `Fillers`, or a reason why it
# is `refused`.
ANSWER_SCHEMA = pa.schema(
    {
        "form": pa.string(),
        "refused": pa.string(),
        "original_id": pa.int32(),
        "original_log_prob": pa.float32(),
        "piece_ids": pa.list_(pa.int32()),
        "log_probs": pa.list_(pa.float32()),
        "in_window": pa.bool_(),
    }
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

    piece_ids: Ints32
    log_probs: Floats32
    original_id: int
    original_log_prob: float
    in_window: bool = False


@dataclass(frozen=True)
class Network:
    """A masked LM whose last modules run on the masked tokens only.

    Attributes:
        encoder: The model without the modules after its encoder, in evaluation mode; the whole model for the plain
            forward pass.
        heads: All modules after the encoder, in order, in float32; none for the plain forward pass.
        attention: The attention of the encoder's last layer, after which that layer runs on the masked tokens only;
            None if the whole layer runs on every token.
        bias: What is added to the logits; None if the model has no such buffer.
    """

    encoder: Any  # a class per architecture
    heads: list[nn.Module]
    attention: nn.Module | None
    bias: Tensor | None

    def log_probs(self, batch: Batch) -> list[Tensor]:
        """Return the log-probabilities of all pieces at the mask of each form, of shape (batch, vocabulary)."""
        from merge_snli.models.runner.last_layer import select_after_attention

        def at_masks(states: Tensor) -> Tensor:
            return states.take_along_dim(batch[POSITION][:, None, None], dim=1)

        with select_after_attention(self.attention, at_masks):
            states = self.encoder(input_ids=batch[IDS])[0]
        if self.attention is None:
            states = at_masks(states)
        values = states[:, 0].float()
        for head in self.heads:
            values = head(values)
        if self.bias is not None:
            values = values + self.bias
        return [values.log_softmax(dim=-1)]

    def fillers(self, top_k: int, batch: Batch) -> tuple[Tensor, ...]:
        """Return the most probable pieces, their log-probabilities, and those of the originals, of shape (batch, …)."""
        [log_probs] = self.log_probs(batch)
        values, indices = log_probs.topk(min(top_k, log_probs.shape[1]))
        return indices.int(), values, log_probs.gather(1, batch[ORIGINAL][:, None])


@dataclass(frozen=True)
class MaskedLM(FormEncoder):
    """A loaded masked LM, which encodes forms and predicts their fillers.

    Attributes:
        network: The model.
        runner: Runs forms in batches.
    """

    network: Network
    runner: Runner

    def fill(self, inputs: Encoded, top_k: int) -> Iterator[Shard]:
        """Predict the `top_k` most probable pieces of forms, which do not depend on the other forms.

        Args:
            inputs: Encoded forms.
            top_k: Number of pieces per form.

        Yields:
            The indices of some forms, and their outputs as `Network.fillers` returns them.
        """
        rows = np.arange(len(inputs.lengths))
        return self.runner.run(partial(self.network.fillers, top_k), inputs, rows)

    def answers(self, forms: EncodedForms, top_k: int) -> Iterator[pa.Table]:
        """Predict the fillers of forms; more forms per call give fuller batches.

        Args:
            forms: The forms.
            top_k: Number of fillers per form.

        Yields:
            Tables of answers with `ANSWER_SCHEMA`, first of the forms that cannot be encoded.
        """
        refused = [{"form": key, "refused": reason} for key, reason in forms.refused.items()]
        if refused:
            yield pa.Table.from_pylist(refused, ANSWER_SCHEMA)
        means = self._means_of_pieces(forms)
        for rows, (*fillers, originals) in self.fill(forms.inputs, top_k):
            keys = [forms.keys[row] for row in rows]
            nulls = [None] * len(keys)
            mean = means[rows]
            original = np.where(np.isnan(mean), originals[:, 0], mean)
            lists = [pa.FixedSizeListArray.from_arrays(values.reshape(-1), values.shape[1]) for values in fillers]
            original_ids = forms.inputs.columns[ORIGINAL][rows]
            columns = [keys, nulls, original_ids, original, *lists, forms.in_window[rows]]
            yield pa.Table.from_arrays(columns, schema=ANSWER_SCHEMA)

    def _means_of_pieces(self, forms: EncodedForms) -> Floats:
        """Return the mean log-probability of the pieces of the word of each form; NaN if it is a single piece.

        With a sum, nearly every filler, which is a single piece, would be more probable than a word of several.
        """
        numbers = np.bincount(forms.words)
        means = np.full(len(forms.keys), np.nan)
        means[forms.words] = 0
        for rows, (_, _, log_probs) in self.fill(forms.pieces, 1):
            words = forms.words[rows]
            np.add.at(means, words, log_probs[:, 0] / numbers[words])
        return means
