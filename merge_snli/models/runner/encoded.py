"""Inputs as arrays of token ids: each text or pair is tokenized once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Ints, Ints32
from merge_snli.models.labels import ModelFacts, Pair

# `transformers` has a class per architecture, and annotates too little.
Config: TypeAlias = Any
Model: TypeAlias = Any
Tokenizer: TypeAlias = Any

In = TypeVar("In")
Out = TypeVar("Out")

IDS, TOKEN_TYPES, MASK = "input_ids", "token_type_ids", "attention_mask"
# What models get of each token, and the attribute of an encoding that has it.
ATTRIBUTES = {IDS: "ids", TOKEN_TYPES: "type_ids"}

# A tokenizer takes several kilobytes for each input of a call.
INPUTS_PER_CALL = 2_048

# Some inputs, and the outputs of a model for them, each [n, …].
Shard: TypeAlias = tuple[Ints, list[NDArray[Any]]]


@dataclass(frozen=True)
class Encoded:
    """Tokenized inputs.

    Attributes:
        tokens: The token ids of all inputs, one input after another, and the token types if the model has any.
        starts: The index of the first token of each input, [n].
        lengths: The number of tokens of each input, [n].
        added: The number of tokens that the model sees besides those of an input.
        pad: The id of the padding token; None for inputs that are never padded, with which models get no mask.
        columns: Other values of each input by name, each [n, …].
    """

    tokens: Mapping[str, Ints32]
    starts: Ints
    lengths: Ints
    added: int = 0
    pad: int | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def matrix(self, name: str, rows: Ints, length: int) -> Ints32:
        """Return the ids or types of the first tokens of some inputs, [n_rows, length], padded."""
        columns = np.arange(length)
        is_token = columns < self.lengths[rows, np.newaxis]
        values = self.tokens[name].take(self.starts[rows, np.newaxis] + columns, mode="clip")
        fill = self.pad if name == IDS else None
        return np.where(is_token, values, np.int32(fill or 0))

    def ids(self) -> list[list[int]]:
        """Return the token ids of each input."""
        ends = self.starts + self.lengths
        return [self.tokens[IDS][start:end].tolist() for start, end in zip(self.starts, ends, strict=True)]


class Predictor(Protocol):
    """A loaded model, which computes logits for pairs: a sequence classifier, or a causal LM with a prompt.

    Attributes:
        facts: What is known about it.
        n_outputs: The number of its outputs.
    """

    facts: ModelFacts
    n_outputs: int

    def encode(self, pairs: Sequence[Pair]) -> Encoded:
        """Tokenize pairs."""

    def run(self, encoded: Encoded, rows: Ints) -> Iterator[Shard]:
        """Yield some of the pairs with the indices `rows`, and as only output their logits, [n, n_outputs]."""


class Encoder:
    """Tokenizes texts or pairs without truncation and padding.

    A fast tokenizer is called without the Python objects of its ordinary call, if both give the same tokens.
    """

    def __init__(self, tokenizer: Tokenizer, example: str | Pair, **options: Any) -> None:  # noqa: ANN401 - untyped
        """Wrap a tokenizer.

        Args:
            tokenizer: A tokenizer of `transformers`, of which nothing else needs the truncation and padding.
            example: A text or pair to compare the two calls on.
            **options: Options of the ordinary call, which is used with any but `add_special_tokens`.
        """
        self._tokenizer = tokenizer
        self._options = {"add_special_tokens": True, "verbose": False} | options
        expected = self._ordinary([example])
        self._names = [name for name in ATTRIBUTES if name in expected]
        self._tokenize: Callable[[Sequence[Any]], Mapping[str, Any]] = self._ordinary
        if tokenizer.is_fast and options.keys() <= {"add_special_tokens"}:
            tokenizer.backend_tokenizer.no_truncation()
            tokenizer.backend_tokenizer.no_padding()
            found = self._fast([example])
            if all(found[name] == expected[name] for name in self._names):
                self._tokenize = self._fast

    def __call__(self, inputs: Sequence[str] | Sequence[Pair], pad: int | None = None) -> Encoded:
        """Return the tokens of texts or pairs; `pad` is the id of the padding token if they may be padded."""
        of_inputs = array("q")
        tokens = {name: array("i") for name in self._names}
        for start in range(0, len(inputs), INPUTS_PER_CALL):
            rows = self._tokenize(inputs[start : start + INPUTS_PER_CALL])
            of_inputs.extend(map(len, rows[IDS]))
            for name in self._names:
                tokens[name].extend(chain.from_iterable(rows[name]))
        arrays = {name: np.array(values) for name, values in tokens.items()}
        lengths = np.array(of_inputs)
        return Encoded(arrays, lengths.cumsum() - lengths, lengths, pad=pad)

    def _fast(self, inputs: Sequence[Any]) -> Mapping[str, Any]:
        special_tokens = self._options["add_special_tokens"]
        encode = self._tokenizer.backend_tokenizer.encode_batch_fast
        encodings = encode([*inputs], add_special_tokens=special_tokens)
        return {name: [*map(attrgetter(ATTRIBUTES[name]), encodings)] for name in self._names}

    def _ordinary(self, inputs: Sequence[Any]) -> Mapping[str, Any]:
        texts = [inputs] if isinstance(inputs[0], str) else zip(*inputs, strict=True)
        rows: Mapping[str, Any] = self._tokenizer(*map(list, texts), **self._options)
        return rows


def ahead(function: Callable[[In], Out], items: Iterable[In]) -> Iterator[Out]:
    """Yield the results of a function for items, computing the next one in a thread while the last one is used."""
    with ThreadPoolExecutor(1) as pool:
        running = []
        for item in items:
            running.append(pool.submit(function, item))
            if len(running) > 1:
                yield running.pop(0).result()
        for last in running:
            yield last.result()
