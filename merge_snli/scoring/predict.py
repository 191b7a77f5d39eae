"""Predict every distinct pair of a config once, and cache the predictions on disk in checked Parquet shards."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from merge_snli.answers.data import pair_digest
from merge_snli.base.files import write_json
from merge_snli.base.progress import Progress
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.models.labels import Missing, ModelFacts, Pair, Predictor

FACTS_FILE = "model.json"
SECONDS = b"seconds"


@dataclass(frozen=True)
class Predictions:
    """The predictions of a model for some pairs.

    Attributes:
        pairs: Digest of each pair, from `merge_snli.answers.data.pair_digest`, [n].
        tokens: Number of tokens of each pair, special tokens included; 0 if they were not counted, [n].
        outputs: Number of the predicted output of each pair, or a code of `merge_snli.models.labels.Missing`, [n].
        logits: Logits of each pair, float32, [n, n_outputs], NaN for a pair that is too long; None if the model gives
            labels only.
        seconds: Time spent on predicting them.
    """

    pairs: tuple[str, ...]
    tokens: NDArray[np.int32]
    outputs: NDArray[np.int64]
    logits: NDArray[np.float32] | None
    seconds: float


def best_outputs(logits: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the output with the largest logit for each pair; `NOT_PREDICTED` for NaN, a pair that is too long."""
    return np.select(
        # A row of -inf only: every label is impossible.
        [np.isnan(logits[:, 0]), np.isneginf(logits).all(axis=1)],
        [Missing.NOT_PREDICTED, Missing.NO_ANSWER],
        np.nan_to_num(logits).argmax(axis=1),
    )


@dataclass(frozen=True)
class PredictionStore:
    """The cached predictions of one model: a folder of shards.

    A shard's name is the sha256 of its bytes; a damaged shard is deleted, and its pairs are predicted again.

    Attributes:
        folder: The folder, which is created with the first shard.
    """

    folder: Path

    def add(self, shard: Predictions) -> None:
        """Write a shard.

        Raises:
            InputError: If the disk is full or the folder is not writable.
        """
        write_checked(self.folder, _to_table(shard))

    def write_facts(self, facts: ModelFacts) -> None:
        """Write the facts about the model, so that it need not be loaded to be described."""
        write_json(self.folder / FACTS_FILE, asdict(facts))

    def read_facts(self) -> ModelFacts | None:
        """Read the facts about the model, or return None if they are missing or damaged."""
        try:
            return ModelFacts(**json.loads((self.folder / FACTS_FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def shards(self) -> Iterator[Predictions]:
        """Yield all intact shards, ordered by name."""
        for path in sorted(self.folder.glob("*.parquet")):
            if is_intact(path):
                yield _read(path)


def look_up(shards: Iterable[Predictions], pairs: Sequence[str]) -> tuple[Predictions | None, list[int]]:
    """Look up the predictions of pairs.

    Args:
        shards: Shards of one model.
        pairs: Digests of the pairs, [n].

    Returns:
        The predictions in the order of `pairs`, `NOT_PREDICTED` for missing pairs, or None if there are no shards;
        and the indices of the missing pairs. `seconds` sums the shards that contain any of the pairs.
    """
    listed, wanted = list(shards), {*pairs}
    if not listed:
        return None, list(range(len(pairs)))
    known = join(*listed)
    index = {pair: row for row, pair in enumerate(known.pairs)}
    rows = np.array([index.get(pair, -1) for pair in pairs], dtype=np.int64)
    predictions = Predictions(
        pairs=tuple(pairs),
        tokens=np.where(rows < 0, np.int32(0), known.tokens[rows]),
        outputs=np.where(rows < 0, Missing.NOT_PREDICTED.value, known.outputs[rows]),
        logits=None
        if known.logits is None
        else np.where(rows[:, np.newaxis] < 0, np.float32(np.nan), known.logits[rows]),
        seconds=sum(shard.seconds for shard in listed if not wanted.isdisjoint(shard.pairs)),
    )
    return predictions, np.flatnonzero(rows < 0).tolist()


def join(*predictions: Predictions) -> Predictions:
    """Return the predictions of several lists of pairs as one; the time is that of the first."""
    logits = [one.logits for one in predictions if one.logits is not None]
    return Predictions(
        pairs=tuple(chain.from_iterable(one.pairs for one in predictions)),
        tokens=np.concatenate([one.tokens for one in predictions]),
        outputs=np.concatenate([one.outputs for one in predictions]),
        logits=np.concatenate(logits) if len(logits) == len(predictions) else None,
        seconds=predictions[0].seconds,
    )


def _to_table(shard: Predictions) -> pa.Table:
    columns = {"pair": pa.array(shard.pairs, pa.string()), "tokens": pa.array(shard.tokens, pa.int32())}
    if shard.logits is None:
        columns["output"] = pa.array(shard.outputs, pa.int64())
    else:
        values, width = pa.array(shard.logits.reshape(-1), pa.float32()), shard.logits.shape[1]
        columns["logits"] = pa.FixedSizeListArray.from_arrays(values, width)
    return pa.table(columns).replace_schema_metadata({SECONDS: json.dumps(shard.seconds).encode()})


def _read(path: Path) -> Predictions:
    table: pa.Table = pq.read_table(path, partitioning=None)
    logits = None
    if "logits" in table.column_names:
        column, width = table["logits"].combine_chunks(), table.schema.field("logits").type.list_size
        logits = column.values.to_numpy(zero_copy_only=False).astype(np.float32).reshape(-1, width)
    return Predictions(
        pairs=tuple(table["pair"].to_pylist()),
        tokens=table["tokens"].to_numpy().astype(np.int32),
        outputs=table["output"].to_numpy().astype(np.int64) if logits is None else best_outputs(logits),
        logits=logits,
        seconds=float(json.loads(table.schema.metadata[SECONDS])),
    )


T = TypeVar("T")
# A pair and its number of tokens.
PairLength = tuple[Pair, int]

# Number of pairs that are predicted before a shard is written; the most that a crash can lose.
PAIRS_PER_SHARD = 512


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
    facts, predictor = None if store is None else store.read_facts(), None
    if facts is None:
        predictor = load()
        facts = predictor.facts
        if store is not None:
            store.write_facts(facts)

    def predict(missing: Sequence[Pair]) -> Iterator[Predictions]:
        return predict_shards(predictor or load(), missing)

    return cached(predict, pairs, store, name=name, advance=advance), facts


def cached(
    predict: Callable[[Sequence[Pair]], Iterator[Predictions]],
    pairs: Sequence[Pair],
    store: PredictionStore | None,
    *,
    name: str,
    advance: Callable[[int], None] | None = None,
) -> Predictions:
    """Return the predictions of all pairs in their order: those in the store, and what `predict` yields for the others.

    Args:
        predict: Predicts pairs, in shards that are stored one by one; not called if every prediction is cached.
        pairs: Distinct pairs, [n].
        store: Where predictions are cached, or None to cache nothing.
        name: Name of the model, for the progress.
        advance: Called with the number of pairs that have been predicted since the last call.
    """
    digests = [pair_digest(pair) for pair in pairs]
    shards = [] if store is None else list(store.shards())
    predictions, missing = look_up(shards, digests)
    if missing:
        with Progress().stage(name, unit="pairs", total=len(pairs), cached=len(pairs) - len(missing)) as stage:
            for shard in predict([pairs[index] for index in missing]):
                shards.append(shard)
                if store is not None:
                    store.add(shard)
                stage.advance(len(shard.pairs))
                if advance is not None:
                    advance(len(shard.pairs))
        predictions, _ = look_up(shards, digests)
    assert predictions is not None
    return predictions


def predict_shards(predictor: Predictor, pairs: Sequence[Pair]) -> Iterator[Predictions]:
    """Predict pairs in shards, from the longest to the shortest.

    Pairs that are too long for the model come first, with NaN logits: they are never truncated.
    """
    lengths = [length for chunk in chunks(pairs, PAIRS_PER_SHARD) for length in predictor.count_tokens(chunk)]
    by_length = sorted(zip(pairs, lengths, strict=True), key=lambda item: (-item[1], pair_digest(item[0])))
    limit = predictor.facts.max_length
    too_long = [item for item in by_length if limit is not None and item[1] > limit]
    for chunk in chunks(too_long, PAIRS_PER_SHARD):
        yield shard_of(chunk, np.full((len(chunk), predictor.n_outputs), np.nan, dtype=np.float32), 0.0)
    for batches in _shards(_batches(by_length[len(too_long) :], predictor)):
        start = time.perf_counter()
        predicted = np.concatenate([predictor.predict([pair for pair, _ in batch]) for batch in batches])
        yield shard_of([item for batch in batches for item in batch], predicted, time.perf_counter() - start)


def _batches(by_length: Sequence[PairLength], predictor: Predictor) -> Iterator[Sequence[PairLength]]:
    """Split pairs into batches of one padded length each, of at most `predictor.batch_tokens` tokens.

    Unpadded pairs get batches of their own: without any padding, models skip the attention mask, which can change the
    last bits of logits.
    """

    def padded(item: PairLength) -> tuple[int, bool]:
        length = predictor.padded_length(item[1])
        return length, length > item[1]

    for (length, _), same_length in groupby(by_length, key=padded):
        yield from chunks(list(same_length), max(1, predictor.batch_tokens // max(1, length)))


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


def shard_of(
    items: Sequence[PairLength], predicted: NDArray[np.float32] | NDArray[np.int64], seconds: float
) -> Predictions:
    """Return the predictions of some pairs: their logits, [n, n_outputs], or only their outputs, [n]."""
    logits = predicted.astype(np.float32, copy=False) if predicted.ndim == 2 else None
    return Predictions(
        pairs=tuple(pair_digest(pair) for pair, _ in items),
        tokens=np.array([length for _, length in items], dtype=np.int32),
        outputs=predicted.astype(np.int64) if logits is None else best_outputs(logits),
        logits=logits,
        seconds=seconds,
    )


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in parts of a size."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
