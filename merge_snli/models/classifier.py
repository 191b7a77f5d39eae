"""Compute the logits of a `transformers` sequence classifier for sentence pairs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from merge_snli.base.errors import REASON, InputError, explained
from merge_snli.base.table import count
from merge_snli.models.inference import (
    FLOAT32_NOISE,
    TOKENS_PER_BATCH,
    TOKENS_PER_GPU_BATCH,
    UNLIMITED,
    Batches,
    is_batch_invariant,
    last_attention,
    max_length,
    outputs_match,
    padded_length,
    select_after_attention,
)
from merge_snli.models.labels import ModelFacts, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import torch
    from numpy.typing import NDArray
    from transformers import TextClassificationPipeline

# On a CPU, for models that are not batch-invariant. Their last batch of each length is filled up by repeating a pair,
# which costs less if batches are small.
FILLED_TOKENS_PER_BATCH = 256

# Padded lengths of batch-invariant models: padding adds 3% of the tokens on average.
LENGTHS_PER_DOUBLING = 16

# Padded lengths of other models, fewer because each length has a batch to fill up.
FILLED_LENGTHS_PER_DOUBLING = 8

# Tolerance between the logits of a padded and an unpadded pair, by dtype.
PADDING_NOISE = {"float32": FLOAT32_NOISE, "bfloat16": 5e-2, "float16": 5e-3}

EXAMPLE_PAIR: Pair = ("A man sleeps on a bench.", "A man rests.")
# Number of padding tokens with which a model is tested.
EXAMPLE_PADDING = 8

# Options of a loaded pipeline that are ignored: pairs are never truncated.
TRUNCATION_OPTIONS = ("truncation", "padding", "max_length")


class Classifier:
    """Runs a text-classification pipeline on pairs of one padded length at a time.

    The logits of a pair depend on the pair alone. Libraries choose the order of summation by the shape of a batch, so
    the padded length of a pair depends on its own number of tokens (see `padded_length`), and all batches of one length
    have the same size unless the model is batch-invariant. The batch size is halved only if memory runs out.

    A model whose logits change with padding gets pairs of exactly one length at a time.
    """

    def __init__(
        self, pipeline: TextClassificationPipeline, *, parameters: int | None = None, packed: bool = False
    ) -> None:
        """Wrap a loaded pipeline.

        Args:
            pipeline: The pipeline.
            parameters: Number of parameters, if the loaded model does not tell.
            packed: Whether `pack` found the model to be batch-invariant.
        """
        options = pipeline._preprocess_params
        self._pipeline: Any = pipeline  # transformers annotates too little of it
        self._options: dict[str, Any] = {name: options[name] for name in options if name not in TRUNCATION_OPTIONS}
        self._dtype = str(pipeline.model.dtype).removeprefix("torch.")
        self.n_outputs = len(output_names(pipeline.model.config))
        self.facts = ModelFacts(
            architecture=type(pipeline.model).__name__,
            parameters=pipeline.model.num_parameters() if parameters is None else parameters,
            max_length=max_length(pipeline.model, cast("Any", pipeline.tokenizer)),
        )
        attention = last_attention(pipeline.model)
        # Whether the model reads only the first token of each output row of its last layer.
        reads_first_tokens = attention is not None and outputs_match(
            lambda: self._example_logits(2, attention), lambda: self._example_logits(2)
        )
        self._attention = attention if reads_first_tokens else None
        pads = self._ignores_padding()
        invariant = packed and self._is_batch_invariant(pads=pads)
        on_cpu = TOKENS_PER_BATCH if invariant else FILLED_TOKENS_PER_BATCH
        # Not derived from free memory: another batch size would change the last bits of logits.
        self.batch_tokens = on_cpu if pipeline.device.type == "cpu" else TOKENS_PER_GPU_BATCH
        per_doubling = LENGTHS_PER_DOUBLING if invariant else FILLED_LENGTHS_PER_DOUBLING
        self._lengths_per_doubling = per_doubling if pads else UNLIMITED
        self._batches = Batches(
            f"model {self.facts.architecture}", "pair", self.batch_tokens, batch_invariant=invariant
        )

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the number of tokens of each pair, special tokens included."""
        encoded = self._pipeline.tokenizer(**texts_of(pairs), **self._options, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def padded_length(self, tokens: int) -> int:
        """Return the length to which a pair of `tokens` tokens is padded; the same number if it is not padded."""
        return padded_length(
            tokens,
            lengths_per_doubling=self._lengths_per_doubling,
            batch_tokens=self.batch_tokens,
            max_length=self.facts.max_length,
        )

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the logits, [n, n_outputs], of pairs that have the same padded length, and are all padded or none."""
        errors = (RuntimeError, IndexError, ValueError)
        with explained(errors, f"{self.facts.architecture} fails on {count(len(pairs), 'pair')}: {REASON}"):
            encoded = self._encode(pairs)
            length = encoded["input_ids"].shape[1]
            rows = self._batches.run(
                lambda batch: list(self._logits(encoded, batch, self._attention)), range(len(pairs)), length
            )
            logits = np.stack(rows)
        if not np.isfinite(logits).all():
            raise InputError(f"{self.facts.architecture} returns logits that are not finite; check its weights")
        return logits

    def _ignores_padding(self) -> bool:
        """Return whether padding tokens change logits only by rounding."""
        [tokens] = self.count_tokens([EXAMPLE_PAIR])
        limit, noise = self.facts.max_length, PADDING_NOISE.get(self._dtype)
        if noise is None or (limit is not None and tokens + EXAMPLE_PADDING > limit):
            return False
        return outputs_match(
            lambda: self._example_logits(2, self._attention, EXAMPLE_PADDING), lambda: self._example_logits(2), noise
        )

    def _is_batch_invariant(self, *, pads: bool) -> bool:
        attention = self._attention
        unpadded = is_batch_invariant(lambda times: self._example_logits(times, attention))
        return unpadded and (
            not pads or is_batch_invariant(lambda times: self._example_logits(times, attention, EXAMPLE_PADDING))
        )

    def _example_logits(
        self, times: int, attention: torch.nn.Module | None = None, padding: int = 0
    ) -> NDArray[np.float32]:
        return self._logits(self._encode([EXAMPLE_PAIR], padding), [0] * times, attention)

    def _encode(self, pairs: Sequence[Pair], padding: int | None = None) -> Any:  # noqa: ANN401 - a tokenizer's output
        """Encode pairs, padded to their padded length or, if given, by this number of tokens."""
        from transformers.data.data_collator import pad_without_fast_tokenizer_warning

        tokenizer = self._pipeline.tokenizer
        encoded = tokenizer(**texts_of(pairs), **self._options, verbose=False)
        tokens = max(map(len, encoded["input_ids"]))
        length = self.padded_length(tokens) if padding is None else tokens + padding
        if length == tokens:
            return encoded.convert_to_tensors("pt")
        # Not in the call above, which would change the state of the tokenizer and so the digest of a loaded pipeline.
        return pad_without_fast_tokenizer_warning(  # type: ignore[no-untyped-call]
            tokenizer, encoded, padding="max_length", max_length=length, return_tensors="pt"
        )

    def _logits(
        self,
        encoded: Any,  # noqa: ANN401 - a tokenizer's output
        rows: Sequence[int],
        attention: torch.nn.Module | None,
    ) -> NDArray[np.float32]:
        """Return the logits, [n_rows, n_outputs], of these rows of the encoded pairs, as one batch.

        If the attention of the last layer is given, the rest of that layer runs on the first tokens only.
        """
        import torch

        batch = type(encoded)({name: values[list(rows)] for name, values in encoded.items()})
        first_tokens = torch.arange(len(rows)), torch.zeros(len(rows), dtype=torch.int64)
        with unpadded_batches(self._pipeline.model.config), select_after_attention(attention, first_tokens):
            outputs = self._pipeline.forward(batch, **self._pipeline._forward_params)
        logits: NDArray[np.float32] = outputs["logits"].float().numpy()
        return logits


def texts_of(pairs: Sequence[Pair]) -> dict[str, list[str]]:
    """Return pairs as keyword arguments of a tokenizer."""
    return {"text": [premise for premise, _ in pairs], "text_pair": [hypothesis for _, hypothesis in pairs]}


def output_names(config: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class per architecture
    """Return the names of a model's outputs, in order."""
    return tuple(str(config.id2label[index]) for index in range(config.num_labels))


@contextmanager
def unpadded_batches(config: Any) -> Iterator[None]:  # noqa: ANN401 - a class per architecture
    """Allow batches for a model without a padding token (GPT-2), which otherwise rejects them."""
    if not hasattr(config, "pad_token_id") or config.pad_token_id is not None:
        yield
        return
    config.pad_token_id = -1
    try:
        yield
    finally:
        config.pad_token_id = None
