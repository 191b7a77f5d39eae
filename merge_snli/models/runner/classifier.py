"""Compute the logits of a `transformers` sequence classifier for sentence pairs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn

from merge_snli.base.arrays import Ints
from merge_snli.models.labels import ModelFacts, Pair
from merge_snli.models.runner.checks import EXAMPLE_PAIR, NOISE, find_runner, outputs_match, rotated
from merge_snli.models.runner.encoded import Config, Encoded, Encoder, Model, Predictor, Shard, Tokenizer
from merge_snli.models.runner.last_layer import last_attention, select_after_attention
from merge_snli.models.runner.loading import UNLIMITED, longest_unscaled, max_length, output_names
from merge_snli.models.runner.packed_linear import pack
from merge_snli.models.runner.runner import Batch, Runner, run_once

# Number of padding tokens with which a model is tested, and of lengths: some pool groups of up to four tokens (Funnel).
EXAMPLE_PADDING, TESTED_LENGTHS = 8, 4


class Classifier(Predictor):
    """A sequence classifier.

    The rest of its last layer runs on the first token of each pair only, if its head reads no other. Pairs are padded
    if padding changes logits by no more than rounding.
    """

    def __init__(
        self,
        model: Model,
        tokenizer: Tokenizer,
        *,
        may_pack: bool,
        **options: Any,  # noqa: ANN401 - of any tokenizer
    ) -> None:
        """Wrap a loaded model.

        Args:
            model: The model, in evaluation mode.
            tokenizer: Its tokenizer, of which nothing else needs the truncation and padding.
            may_pack: Whether the linear layers of the model may be replaced.
            **options: Options of the tokenizer's call.
        """
        self._model = model
        has_cache = "use_cache" in inspect.signature(model.forward).parameters
        self._arguments = {"use_cache": False} if has_cache else {}
        self._encoder = Encoder(tokenizer, EXAMPLE_PAIR, **options)
        self._pad = tokenizer.pad_token_id or 0
        self.n_outputs = len(output_names(model.config))
        self.facts = ModelFacts(type(model).__name__, model.num_parameters(), max_length(model, tokenizer))
        self._attention: nn.Module | None = None
        self._runner = self._find_runner(may_pack=may_pack)

    def encode(self, pairs: Sequence[Pair]) -> Encoded:
        """Tokenize pairs."""
        return self._encoder(pairs, self._pad)

    def run(self, encoded: Encoded, rows: Ints) -> Iterator[Shard]:
        """Yield some of the pairs with the indices `rows`, and their logits, [n, n_outputs]."""
        return self._runner.run(self._logits, encoded, rows)

    def _logits(self, batch: Batch) -> list[torch.Tensor]:
        """Return the logits of a batch, [n, n_outputs]."""
        with unpadded_batches(self._model.config), select_after_attention(self._attention, _first_token):
            outputs = self._model(**batch, **self._arguments)
            logits = outputs.logits if hasattr(outputs, "logits") else outputs[0]
            return [logits.float()]

    def _find_runner(self, *, may_pack: bool) -> Runner:
        """Pack the model, find out which tokens its head reads, and return what runs it."""
        model = self._model
        limit = min(self.facts.max_length or UNLIMITED, longest_unscaled(model.config))
        example = self.encode([EXAMPLE_PAIR] * 2)
        inputs = rotated(example, 2)
        run = partial(run_once, self._logits, inputs, model.device)
        packed = pack(model, run) if may_pack else 0
        plain = run()
        self._attention = last_attention(model)  # which `run` uses
        if not outputs_match(run, plain, NOISE[torch.float32]):
            self._attention = None
        padding = 0
        if example.lengths[0] + EXAMPLE_PADDING <= limit and self._ignores_padding(inputs):
            padding = EXAMPLE_PADDING
        name = f"model {self.facts.architecture}"
        return find_runner(model, self._logits, example, name=name, packed=packed, padding=padding, max_length=limit)

    def _ignores_padding(self, inputs: Encoded) -> bool:
        """Return whether padding changes logits by no more than rounding, whatever the length of an input."""
        for fewer in range(TESTED_LENGTHS):
            # Without the first tokens: BART and T5 need the end of a text.
            shorter = replace(inputs, starts=inputs.starts + fewer, lengths=inputs.lengths - fewer)
            run = partial(run_once, self._logits, shorter, self._model.device)
            if not outputs_match(partial(run, padding=EXAMPLE_PADDING + fewer), run(), NOISE[self._model.dtype]):
                return False
        return True


def _first_token(states: torch.Tensor) -> torch.Tensor:
    return states[:, :1]


@contextmanager
def unpadded_batches(config: Config) -> Iterator[None]:
    """Allow batches for a model without a padding token (GPT-2), which otherwise rejects them."""
    if not hasattr(config, "pad_token_id") or config.pad_token_id is not None:
        yield
        return
    config.pad_token_id = -1
    try:
        yield
    finally:
        config.pad_token_id = None
