"""Compute the logits of a `transformers` sequence classifier for sentence pairs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.errors import InputError, reason
from merge_snli.inference.batches import TOKENS_PER_BATCH, Batches, is_batch_invariant
from merge_snli.inference.last_layer import last_attention, select_after_attention
from merge_snli.inference.max_length import max_length
from merge_snli.inference.same_outputs import FAILURES, outputs_match
from scoring.models.predictor import ModelFacts, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import torch
    from numpy.typing import NDArray
    from transformers import TextClassificationPipeline

TOKENS_PER_GPU_BATCH = 4_096
"""Fixed, not derived from free memory: another batch size would change the last bits of logits."""

EXAMPLE_PAIR: Pair = ("A man sleeps on a bench.", "A man rests.")

TRUNCATION_OPTIONS = ("truncation", "padding", "max_length")
"""Options of a loaded pipeline that are ignored: pairs are never truncated or padded."""


class Classifier:
    """Runs a text-classification pipeline on pairs of one length at a time, without padding tokens.

    The logits of a pair depend on the pair alone. Since libraries choose the order of summation by the shape of a
    batch, all batches of one length have the same size unless the model is batch-invariant. The batch size is halved
    only if memory runs out.
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
        self.batch_tokens = TOKENS_PER_BATCH if pipeline.device.type == "cpu" else TOKENS_PER_GPU_BATCH
        self.n_outputs = len(output_names(pipeline.model.config))
        self.facts = _facts(pipeline, parameters)
        attention = last_attention(pipeline.model)
        self._attention = attention if attention is not None and self._reads_first_tokens_of(attention) else None
        invariant = packed and is_batch_invariant(lambda times: self._example_logits(times, self._attention))
        self._batches = Batches(
            f"model {self.facts.architecture}", "pair", self.batch_tokens, batch_invariant=invariant
        )

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the number of tokens of each pair, special tokens included."""
        encoded = self._pipeline.tokenizer(**texts_of(pairs), **self._options, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the logits, [n, n_outputs], of pairs that all have the same number of tokens.

        Raises:
            InputError: If the model fails, memory runs out at batch size 1, or a logit is not finite.
        """
        try:
            encoded = self._pipeline.preprocess(texts_of(pairs), **self._options)
            tokens = encoded["input_ids"].shape[1]
            rows = self._batches.run(
                lambda batch: list(self._logits(encoded, batch, self._attention)), range(len(pairs)), tokens
            )
            logits = np.stack(rows)
        except InputError:
            raise
        except (RuntimeError, IndexError, ValueError) as error:
            raise InputError(f"{self.facts.architecture} fails on {len(pairs)} pairs: {reason(error)}") from error
        if not np.isfinite(logits).all():
            raise InputError(f"{self.facts.architecture} returns logits that are not finite; check its weights")
        return logits

    def _reads_first_tokens_of(self, attention: torch.nn.Module) -> bool:
        """Return whether the model reads only the first token of each output row of its last layer."""
        try:
            return outputs_match(self._example_logits(2, attention), self._example_logits(2))
        except FAILURES:
            return False

    def _example_logits(self, times: int, attention: torch.nn.Module | None = None) -> NDArray[np.float32]:
        encoded = self._pipeline.preprocess(texts_of([EXAMPLE_PAIR]), **self._options)
        return self._logits(encoded, [0] * times, attention)

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


def _facts(pipeline: Any, parameters: int | None) -> ModelFacts:  # noqa: ANN401 - transformers has few types
    model = pipeline.model
    return ModelFacts(
        architecture=type(model).__name__,
        parameters=model.num_parameters() if parameters is None else parameters,
        max_length=max_length(model, pipeline.tokenizer),
    )


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
