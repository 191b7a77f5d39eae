"""The sentences of seeds and rows. Equal pairs have one number, which only those who ask a model need."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar, overload

import numpy as np
import pyarrow as pa

from merge_snli.base.arrays import Bools, Ints
from merge_snli.models.labels import Missing, Pair

T = TypeVar("T")

# Pairs that become Python strings at once.
PAIRS_PER_BATCH = 10_000


@dataclass(frozen=True)
class SentencePairs(Sequence[Pair]):
    """Premises and hypotheses in Arrow, of which those that are read become Python strings.

    Attributes:
        premises: The premises, [n].
        hypotheses: The hypotheses, [n].
        asked: Whether each pair is to be predicted, [n]; None for all.
    """

    premises: pa.ChunkedArray
    hypotheses: pa.ChunkedArray
    asked: Bools | None = None

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> SentencePairs:
        """Return pairs in Arrow; the same ones if they already are."""
        if isinstance(pairs, SentencePairs):
            return pairs
        premises, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
        return cls(pa.chunked_array([premises], pa.string()), pa.chunked_array([hypotheses], pa.string()))

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.premises)

    @overload
    def __getitem__(self, at: int) -> Pair: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Pair, ...]: ...

    def __getitem__(self, at: int | slice) -> Pair | tuple[Pair, ...]:
        """Return one pair, or those of a slice."""
        if isinstance(at, slice):
            return tuple(zip(self.premises[at].to_pylist(), self.hypotheses[at].to_pylist(), strict=True))
        return self.premises[int(at)].as_py(), self.hypotheses[int(at)].as_py()

    def __iter__(self) -> Iterator[Pair]:
        """Yield every pair."""
        for start in range(0, len(self), PAIRS_PER_BATCH):
            yield from self[start : start + PAIRS_PER_BATCH]

    @cached_property
    def _numbered(self) -> tuple[Ints, Ints]:
        hypotheses = codes(self.hypotheses)
        both = codes(self.premises).astype(np.int64) * (hypotheses.max(initial=0) + 1) + hypotheses
        if self.asked is None:
            return numbered(both)
        numbers = np.full(len(self), Missing.NOT_PREDICTED.value)
        (asked,) = np.nonzero(self.asked)
        numbers[asked], first = numbered(both[asked])
        return numbers, asked[first]

    @property
    def numbers(self) -> Ints:
        """The number of each pair among the distinct ones, `NOT_PREDICTED` for one that is not to be predicted, [n]."""
        return self._numbered[0]

    @cached_property
    def distinct(self) -> SentencePairs:
        """The distinct pairs that are to be predicted, in the order in which they first occur."""
        return self.take(self._numbered[1])

    def take(self, at: Ints) -> SentencePairs:
        """Return the pairs at some positions."""
        if len(at) == len(self) and (at == np.arange(len(at))).all():
            return self
        asked = None if self.asked is None else self.asked[at]
        return SentencePairs(self.premises.take(pa.array(at)), self.hypotheses.take(pa.array(at)), asked)


def codes(column: pa.ChunkedArray) -> Ints:
    """Return a number of each text, the same for equal ones, [n]; -1 for an empty value."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return np.asarray(encoded.combine_chunks().indices.fill_null(-1).to_numpy())


def numbered(values: Ints) -> tuple[Ints, Ints]:
    """Number distinct values in the order in which they first occur.

    Returns:
        The number of each value, [n], and the position at which each distinct one first occurs.

    Examples:
        >>> numbered(np.array([7, 3, 7, 5]))
        (array([0, 1, 0, 2]), array([0, 1, 3]))
    """
    _, first, rank = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[rank], first[order]


class Numbering(Generic[T]):
    """Numbers distinct values from 0, in the order in which they first occur.

    Attributes:
        index: The number of each distinct value.
        numbers: The number of each value that was added.
    """

    def __init__(self, values: Iterable[T] = ()) -> None:
        """Number some values."""
        self.index: dict[T, int] = {}
        self.numbers = array("q")
        for value in values:
            self.add(value)

    def add(self, value: T) -> None:
        """Number one more value; an equal one is not held twice."""
        self.numbers.append(self.index.setdefault(value, len(self.index)))


def pair_digest(pair: Pair) -> str:
    """Return the cache key of a pair: the first 32 hexadecimal digits of a sha256 of premise and hypothesis."""
    premise, hypothesis = pair
    encoded = premise.encode()
    return hashlib.sha256(b"%d:%s%s" % (len(encoded), encoded, hypothesis.encode())).hexdigest()[:32]
