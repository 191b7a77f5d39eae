"""A sequence classifier of `transformers`: loaded, described, and asked through its own pipeline."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.errors import InputError, reason
from merge_snli.inference.batches import TOKENS_PER_BATCH, Batches, is_batch_invariant
from merge_snli.inference.last_layer import going_on_with, last_attention
from merge_snli.inference.same_outputs import FAILURES, outputs_match
from scoring.models.predictor import ModelFacts, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import torch
    from numpy.typing import NDArray
    from transformers import PreTrainedModel, TextClassificationPipeline


TOKENS_PER_BATCH_ELSEWHERE = 4_096
"""On a GPU. It does not go by free memory: in batches of another size the last bits of logits would change."""

ANY_PAIR: Pair = ("A man sleeps on a bench.", "A man rests.")

CUTTING = ("truncation", "padding", "max_length")
"""Options of a loaded pipeline that are not used: a pair is never cut, and never padded."""


class Classifier:
    """A text-classification pipeline that is asked for pairs of one length at a time, unpadded.

    A pair's logits depend on nothing but the pair, and no time goes into padding. Libraries choose their way of adding
    up by the shape, so that in a batch of another size the last bits would change: where the model was not found to
    give the same bits, batches of one length are made up to one size. Only where memory runs out are they halved.
    """

    def __init__(
        self, pipeline: TextClassificationPipeline, *, parameters: int | None = None, packed: bool = False
    ) -> None:
        """Wrap a pipeline whose model and tokenizer are loaded.

        Args:
            pipeline: The pipeline.
            parameters: How many parameters the model has, where the loaded one does not tell.
            packed: Whether `pack` found all its products independent of the other rows of a batch.
        """
        options = pipeline._preprocess_params
        self._pipeline: Any = pipeline  # transformers annotates too little of it
        self._options: dict[str, Any] = {name: options[name] for name in options if name not in CUTTING}
        self.batch_tokens = TOKENS_PER_BATCH if pipeline.device.type == "cpu" else TOKENS_PER_BATCH_ELSEWHERE
        self.n_outputs = len(config_outputs(pipeline.model.config))
        self.facts = _facts(pipeline, parameters)
        attention = last_attention(pipeline.model)
        self._attention = attention if attention is not None and self._reads_first_tokens_of(attention) else None
        invariant = packed and is_batch_invariant(lambda times: self._logits_of_one_pair(times, self._attention))
        self._batches = Batches(
            f"model {self.facts.architecture}", "pair", self.batch_tokens, batch_invariant=invariant
        )

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the number of tokens of each pair, special ones included."""
        encoded = self._pipeline.tokenizer(**texts_of(pairs), **self._options, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the logits of pairs that all have the same number of tokens, [n, n_outputs].

        Raises:
            InputError: Where the model fails on them, memory does not suffice for one, or a logit is no number.
        """
        try:
            encoded = self._pipeline.preprocess(texts_of(pairs), **self._options)
            tokens = encoded["input_ids"].shape[1]
            answers = self._batches.run(
                lambda rows: list(self._logits(encoded, rows, self._attention)), range(len(pairs)), tokens
            )
            logits = np.stack(answers)
        except InputError:
            raise
        except (RuntimeError, IndexError, ValueError) as error:
            raise InputError(f"{self.facts.architecture} fails on {len(pairs)} pairs: {reason(error)}") from error
        if not np.isfinite(logits).all():
            raise InputError(f"{self.facts.architecture} gives logits that are no numbers: are its weights whole?")
        return logits

    def _reads_first_tokens_of(self, attention: torch.nn.Module) -> bool:
        """Tell whether the model reads of its last layer, which has this attention, the first tokens alone."""
        try:
            return outputs_match(self._logits_of_one_pair(2, attention), self._logits_of_one_pair(2))
        except FAILURES:
            return False

    def _logits_of_one_pair(self, times: int, attention: torch.nn.Module | None = None) -> NDArray[np.float32]:
        encoded = self._pipeline.preprocess(texts_of([ANY_PAIR]), **self._options)
        return self._logits(encoded, [0] * times, attention)

    def _logits(
        self,
        encoded: Any,  # noqa: ANN401 - what a tokenizer gives
        rows: Sequence[int],
        attention: torch.nn.Module | None,
    ) -> NDArray[np.float32]:
        """Return the logits of these rows of what the tokenizer gave, as one batch, [n_rows, n_outputs].

        With the attention of the last layer, that layer goes on with the first tokens alone.
        """
        import torch

        batch = type(encoded)({name: values[list(rows)] for name, values in encoded.items()})
        first_tokens = torch.arange(len(rows)), torch.zeros(len(rows), dtype=torch.int64)
        with unpadded_batches(self._pipeline.model.config), going_on_with(attention, first_tokens):
            outputs = self._pipeline.forward(batch, **self._pipeline._forward_params)
        logits: NDArray[np.float32] = outputs["logits"].float().numpy()
        return logits


def texts_of(pairs: Sequence[Pair]) -> dict[str, list[str]]:
    """Return pairs as a tokenizer takes them."""
    return {"text": [premise for premise, _ in pairs], "text_pair": [hypothesis for _, hypothesis in pairs]}


def _facts(pipeline: Any, parameters: int | None) -> ModelFacts:  # noqa: ANN401 - transformers has few types
    model = pipeline.model
    return ModelFacts(
        architecture=type(model).__name__,
        parameters=model.num_parameters() if parameters is None else parameters,
        limit=token_limit(model, pipeline.tokenizer.model_max_length),
    )


def config_outputs(config: Any) -> tuple[str, ...]:  # noqa: ANN401 - every architecture has a class of its own
    """Return the names of a model's outputs in their order."""
    return tuple(str(config.id2label[index]) for index in range(config.num_labels))


def token_limit(model: PreTrainedModel, tokenizer_limit: float) -> int | None:
    """Return the most tokens that a model takes: the least of what its tokenizer and its position embeddings say.

    RoBERTa's kind counts positions from the padding index on: of 514 position embeddings 512 can be used.
    """
    limits = [tokenizer_limit]
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    if positions > 0:
        limits.append(positions - _positions_before_the_first(model))
    limit = min(limits)
    return int(limit) if limit < 10**9 else None


def _positions_before_the_first(model: PreTrainedModel) -> int:
    named = (module for name, module in model.named_modules() if name.endswith("position_embeddings"))
    padding = [index for module in named if (index := getattr(module, "padding_idx", None)) is not None]
    return max(padding, default=-1) + 1


@contextmanager
def unpadded_batches(config: Any) -> Iterator[None]:  # noqa: ANN401 - every architecture has a class of its own
    """Let a model without a padding token (GPT-2) take batches, which it refuses for fear of padding."""
    if not hasattr(config, "pad_token_id") or config.pad_token_id is not None:
        yield
        return
    config.pad_token_id = -1
    try:
        yield
    finally:
        config.pad_token_id = None
