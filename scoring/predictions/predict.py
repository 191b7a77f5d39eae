"""Every distinct pair through a model once: what is kept is read, what is missing is predicted and kept."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from scoring.predictions.pairs import pair_digest
from scoring.predictions.store import Shard, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from scoring.models.predictor import ModelFacts, Pair, Predictor
    from scoring.predictions.store import PredictionStore

T = TypeVar("T")
Counted = tuple["Pair", int]

SHARD_PAIRS = 512
"""How many pairs are predicted before they are kept: what a crash can cost."""


def predict_pairs(
    load: Callable[[], Predictor], pairs: Sequence[Pair], store: PredictionStore | None, *, name: str = ""
) -> tuple[Shard, ModelFacts]:
    """Get the predictions of all pairs, asking the model only for those that are not kept.

    Args:
        load: Loads the model; not called where every prediction is kept.
        pairs: Distinct pairs, [n].
        store: Where predictions are kept, or None to keep nothing.
        name: What the progress bar is about.

    Returns:
        The predictions in the order of `pairs`, and what is known of the model.

    Raises:
        InputError: Where the model cannot be loaded or fails, or the disk is full.
    """
    digests = [pair_digest(pair) for pair in pairs]
    shards = [] if store is None else list(store.shards())
    facts = None if store is None else store.read_facts()
    kept, missing = joined(shards, digests)
    if kept is not None and not missing and facts is not None:
        return kept, facts
    predictor = load()
    if store is not None:
        store.write_facts(predictor.facts)
    todo = [pairs[index] for index in missing]
    for shard in _with_progress(predict_shards(predictor, todo), len(pairs), len(missing), name):
        shards.append(shard)
        if store is not None:
            store.add(shard)
    predicted, _ = joined(shards, digests)
    assert predicted is not None
    return predicted, predictor.facts


def predict_shards(predictor: Predictor, pairs: Sequence[Pair]) -> Iterator[Shard]:
    """Predict pairs in shards, from the longest to the shortest.

    Pairs that are longer than the model takes come first, with logits of NaN: they are never cut.
    """
    tokens = [count for part in _parts(pairs, SHARD_PAIRS) for count in predictor.count_tokens(part)]
    counted = sorted(zip(pairs, tokens, strict=True), key=lambda item: (-item[1], pair_digest(item[0])))
    limit = predictor.facts.limit
    too_long = [item for item in counted if limit is not None and item[1] > limit]
    for part in _parts(too_long, SHARD_PAIRS):
        yield _shard(part, np.full((len(part), predictor.n_outputs), np.nan, dtype=np.float32), 0.0)
    for batches in _shards(_batches(counted[len(too_long) :], predictor.batch_tokens)):
        start = time.perf_counter()
        logits = np.concatenate([predictor.predict([pair for pair, _ in batch]) for batch in batches])
        yield _shard([item for batch in batches for item in batch], logits, time.perf_counter() - start)


def _batches(counted: Sequence[Counted], batch_tokens: int) -> Iterator[Sequence[Counted]]:
    """Split pairs into batches of one length each, of at most `batch_tokens` tokens."""
    for count, same in groupby(counted, key=lambda item: item[1]):
        yield from _parts(list(same), max(1, batch_tokens // max(1, count)))


def _shards(batches: Iterable[Sequence[Counted]]) -> Iterator[list[Sequence[Counted]]]:
    """Put whole batches together until they hold `SHARD_PAIRS` pairs."""
    shard: list[Sequence[Counted]] = []
    for batch in batches:
        shard.append(batch)
        if sum(map(len, shard)) >= SHARD_PAIRS:
            yield shard
            shard = []
    if shard:
        yield shard


def _shard(counted: Sequence[Counted], logits: NDArray[np.float32], seconds: float) -> Shard:
    tokens = np.array([count for _, count in counted], dtype=np.int32)
    return Shard(tuple(pair_digest(pair) for pair, _ in counted), tokens, logits, seconds)


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _with_progress(shards: Iterable[Shard], total: int, missing: int, name: str) -> Iterator[Shard]:
    from tqdm import tqdm

    with tqdm(total=total, initial=total - missing, desc=name, unit=" pairs", disable=None) as bar:
        for shard in shards:
            yield shard
            bar.update(len(shard.pairs))
