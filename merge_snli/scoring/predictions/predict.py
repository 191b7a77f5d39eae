"""Predict every distinct pair of a config once, reading cached predictions from disk."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from merge_snli.base.progress import Progress
from merge_snli.scoring.predictions.scored_data import pair_digest
from merge_snli.scoring.predictions.store import Predictions, best_outputs, look_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from merge_snli.models.predictor import ModelFacts, Pair, Predictor
    from merge_snli.scoring.predictions.store import PredictionStore

T = TypeVar("T")
PairLength = tuple["Pair", int]
"""A pair and its number of tokens."""

PAIRS_PER_SHARD = 512
"""Number of pairs that are predicted before a shard is written; the most that a crash can lose."""


def predict_pairs(
    load: Callable[[], Predictor],
    pairs: Sequence[Pair],
    store: PredictionStore | None,
    *,
    name: str = "",
    advance: Callable[[int], None] | None = None,
) -> tuple[Predictions, ModelFacts]:
    """Return the predictions of all pairs, running the model only on those that are not cached.

    Args:
        load: Loads the model; not called if every prediction is cached.
        pairs: Distinct pairs, [n].
        store: Where predictions are cached, or None to cache nothing.
        name: Name of the model, for the progress.
        advance: Called with the number of pairs that have been predicted since the last call.

    Returns:
        The predictions in the order of `pairs`, and facts about the model.

    Raises:
        InputError: If the model cannot be loaded or fails, or the disk is full.
    """
    digests = [pair_digest(pair) for pair in pairs]
    shards = [] if store is None else list(store.shards())
    facts = None if store is None else store.read_facts()
    cached, missing = look_up(shards, digests)
    if cached is not None and not missing and facts is not None:
        return cached, facts
    cached_pairs = len(pairs) - len(missing)
    with Progress().stage(name, unit="pairs", total=len(pairs), cached=cached_pairs) as stage:
        predictor = load()
        if store is not None:
            store.write_facts(predictor.facts)
        for shard in predict_shards(predictor, [pairs[index] for index in missing]):
            shards.append(shard)
            if store is not None:
                store.add(shard)
            stage.advance(len(shard.pairs))
            if advance is not None:
                advance(len(shard.pairs))
    predictions, _ = look_up(shards, digests)
    assert predictions is not None
    return predictions, predictor.facts


def predict_shards(predictor: Predictor, pairs: Sequence[Pair]) -> Iterator[Predictions]:
    """Predict pairs in shards, from the longest to the shortest.

    Pairs that are too long for the model come first, with NaN logits: they are never truncated.
    """
    lengths = [length for part in _parts(pairs, PAIRS_PER_SHARD) for length in predictor.count_tokens(part)]
    by_length = sorted(zip(pairs, lengths, strict=True), key=lambda item: (-item[1], pair_digest(item[0])))
    limit = predictor.facts.max_length
    too_long = [item for item in by_length if limit is not None and item[1] > limit]
    for part in _parts(too_long, PAIRS_PER_SHARD):
        yield _predictions(part, np.full((len(part), predictor.n_outputs), np.nan, dtype=np.float32), 0.0)
    for batches in _shards(_batches(by_length[len(too_long) :], predictor)):
        start = time.perf_counter()
        predicted = np.concatenate([predictor.predict([pair for pair, _ in batch]) for batch in batches])
        yield _predictions([item for batch in batches for item in batch], predicted, time.perf_counter() - start)


def _batches(by_length: Sequence[PairLength], predictor: Predictor) -> Iterator[Sequence[PairLength]]:
    """Split pairs into batches of one padded length each, of at most `predictor.batch_tokens` tokens.

    Unpadded pairs get batches of their own: without any padding, models skip the attention mask, which can change the
    last bits of logits.
    """

    def padded(item: PairLength) -> tuple[int, bool]:
        length = predictor.padded_length(item[1])
        return length, length > item[1]

    for (length, _), same_length in groupby(by_length, key=padded):
        yield from _parts(list(same_length), max(1, predictor.batch_tokens // max(1, length)))


def _shards(batches: Iterable[Sequence[PairLength]]) -> Iterator[list[Sequence[PairLength]]]:
    """Group whole batches into shards of at least `PAIRS_PER_SHARD` pairs."""
    shard: list[Sequence[PairLength]] = []
    for batch in batches:
        shard.append(batch)
        if sum(map(len, shard)) >= PAIRS_PER_SHARD:
            yield shard
            shard = []
    if shard:
        yield shard


def _predictions(
    items: Sequence[PairLength], predicted: NDArray[np.float32] | NDArray[np.int64], seconds: float
) -> Predictions:
    logits = predicted.astype(np.float32, copy=False) if predicted.ndim == 2 else None
    return Predictions(
        pairs=tuple(pair_digest(pair) for pair, _ in items),
        tokens=np.array([length for _, length in items], dtype=np.int32),
        outputs=predicted.astype(np.int64) if logits is None else best_outputs(logits),
        logits=logits,
        seconds=seconds,
    )


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
