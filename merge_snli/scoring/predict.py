"""Predict every distinct pair of a config once, and cache the predictions on disk in checked Parquet shards."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from merge_snli.answers.sentences import SentencePairs, pair_digest
from merge_snli.base.arrays import Floats32, Ints, Ints32
from merge_snli.base.batches import batches_of
from merge_snli.base.errors import InputError
from merge_snli.base.files import read_json, write_json
from merge_snli.base.progress import Progress
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.models.labels import Missing, ModelFacts, Pair
from merge_snli.models.runner.encoded import Predictor, ahead

FACTS_FILE = "model.json"

# Pairs of so many characters are tokenized and sorted by length together, while the model runs on those before them.
CHARACTERS_PER_BLOCK = 4_000_000

# Before any shard. The columns of a shard are `pair`, the digest, and those of `shard_of`.
NO_PAIRS = pa.schema([("pair", pa.string())]).empty_table()

# The indices of some pairs of a list, and what was predicted for them, from `shard_of`.
Predicted: TypeAlias = tuple[Ints, pa.Table]


@dataclass(frozen=True)
class Predictions:
    """The predictions of a model for some pairs.

    Attributes:
        tokens: Number of tokens of each pair, special tokens included; 0 if they were not counted, [n].
        outputs: Number of the predicted output of each pair, or a code of `merge_snli.models.labels.Missing`, [n].
        logits: Logits of each pair, [n, n_outputs]; None if the model gives labels only.
        seconds: Time spent on predicting them.
    """

    tokens: Ints32
    outputs: Ints
    logits: Floats32 | None
    seconds: float


def best_outputs(logits: Floats32) -> Ints:
    """Return the output with the largest logit for each pair; `NOT_PREDICTED` for NaN, a pair that is too long."""
    outputs: Ints = logits.argmax(axis=1)
    # A row of -inf only: every label is impossible.
    outputs[np.isneginf(logits.max(axis=1))] = Missing.NO_ANSWER
    outputs[np.isnan(logits[:, 0])] = Missing.NOT_PREDICTED
    return outputs


def read_facts(store: Path) -> ModelFacts | None:
    """Read the facts about a model beside its predictions, or return None if they are missing or damaged."""
    try:
        return ModelFacts(**read_json(store / FACTS_FILE))
    except TypeError:
        return None


def read_shards(store: Path) -> Iterator[pa.Table]:
    """Yield all intact shards of a folder, ordered by name; a damaged one is deleted, and its pairs predicted again."""
    for path in sorted(store.glob("*.parquet")):
        if is_intact(path):
            yield pq.read_table(path, partitioning=None)


def _characters(pair: Pair) -> int:
    return sum(map(len, pair))


def look_up(shards: Iterable[pa.Table], pairs: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Return the rows of shards that have these digests of pairs, in their order; null for missing pairs."""
    known = pa.concat_tables([NO_PAIRS, *shards], promote_options="default")
    return known.take(pc.index_in(pairs, value_set=known["pair"].combine_chunks()))


def predict_pairs(
    load: Callable[[], Predictor],
    pairs: Sequence[Pair],
    store: Path | None,
    *,
    name: str = "",
    advance: Callable[[int], None] | None = None,
) -> tuple[Predictions, ModelFacts]:
    """Return the predictions of all pairs, running the model only on those that are not cached.

    Args:
        load: Loads the model; not called if every prediction is cached.
        pairs: Distinct pairs, [n].
        store: The folder where predictions are cached, or None to cache nothing.
        name: Name of the model, for the progress.
        advance: Called with the number of pairs that have been predicted since the last call.

    Returns:
        The predictions in the order of `pairs`, and facts about the model.

    Raises:
        InputError: If the model cannot be loaded or fails, or the disk is full.
    """
    load = cache(load)
    facts = None if store is None else read_facts(store)
    if facts is None:
        facts = load().facts
        if store is not None:
            # So that the model need not be loaded again to be described.
            write_json(store / FACTS_FILE, asdict(facts))
    predictions = cached(lambda missing: predict_shards(load(), missing), pairs, store, name=name, advance=advance)
    return predictions, facts


def cached(
    predict: Callable[[Sequence[Pair]], Iterator[Predicted]],
    pairs: Sequence[Pair],
    store: Path | None,
    *,
    name: str,
    advance: Callable[[int], None] | None = None,
) -> Predictions:
    """Return the predictions of all pairs in their order: those in the store, and what `predict` yields for the others.

    Args:
        predict: Predicts pairs, in shards that are stored one by one; not called if every prediction is cached.
        pairs: Distinct pairs, [n].
        store: The folder where predictions are cached, or None to cache nothing.
        name: Name of the model, for the progress.
        advance: Called with the number of pairs that have been predicted since the last call.
    """
    texts = SentencePairs.of(pairs)
    blocks = batches_of(texts, _characters, CHARACTERS_PER_BLOCK)
    digests = pa.chunked_array([pa.array(map(pair_digest, block)) for block in blocks], pa.string()).combine_chunks()
    known = look_up(() if store is None else read_shards(store), digests)
    is_known = known["pair"].is_valid()
    missing = np.flatnonzero(np.logical_not(is_known))
    rows = [np.flatnonzero(is_known)]
    shards = [known.filter(is_known).drop_columns("pair")]

    def keep(predicted: Predicted) -> int:
        of_missing, shard = predicted
        if shards[-1].column_names not in ([], shard.column_names):
            raise InputError(
                f"{name} returned labels for some pairs and probabilities for others: return one of them for all, and "
                "give a function that was changed another ⟦version⟧"
            )
        rows.append(missing[of_missing])
        shards.append(shard)
        if store is not None:
            write_checked(store, shard.add_column(0, "pair", digests.take(rows[-1])))
        return len(shard)

    if len(missing):
        with Progress().stage(name, unit="pairs", total=len(pairs), cached=len(pairs) - len(missing)) as stage:
            for number in ahead(keep, predict(texts.take(missing))):
                stage.advance(number)
                if advance is not None:
                    advance(number)
    return predictions_in(pa.concat_tables(shards, promote_options="default"), np.concatenate(rows))


def shard_of(tokens: Ints, values: NDArray[Any], seconds: float) -> pa.Table:
    """Return predictions for some pairs as a shard without the digests of the pairs: `tokens`, `seconds` and values.

    The values are the column `logits` or, from what gives only labels, `output`.

    Args:
        tokens: As in `Predictions`.
        values: Logits of each pair, float32, [n, n_outputs], NaN for a pair that is too long; or the number of the
            predicted output, or a code of `merge_snli.models.labels.Missing`, [n].
        seconds: Time spent on predicting them.
    """
    number = len(tokens)
    table = pa.table({"tokens": pa.array(tokens, pa.int32()), "seconds": pa.repeat(seconds / number, number)})
    if values.ndim == 1:
        return table.append_column("output", pa.array(values))
    return table.append_column("logits", pa.FixedSizeListArray.from_arrays(values.reshape(-1), values.shape[1]))


def predictions_in(table: pa.Table, at: Ints) -> Predictions:
    """Return the predictions in the rows of shards, which are for the pairs `at` these positions."""
    tokens = np.empty(len(at), np.int32)
    tokens[at] = table["tokens"]
    logits = None
    if "output" in table.column_names:
        outputs = np.empty(len(at), np.int64)
        outputs[at] = table["output"]
    else:
        values = table["logits"].combine_chunks().values.to_numpy(zero_copy_only=False).reshape(len(at), -1)
        logits = np.empty_like(values)
        logits[at] = values
        outputs = best_outputs(logits)
    return Predictions(tokens, outputs, logits, pc.sum(table["seconds"]).as_py() or 0.0)


def predict_shards(predictor: Predictor, pairs: Sequence[Pair]) -> Iterator[Predicted]:
    """Predict pairs in shards.

    Those of a block that are too long for the model come first, with NaN logits: they are never truncated.
    """
    limit = predictor.facts.max_length
    before = 0
    blocks = batches_of(pairs, _characters, CHARACTERS_PER_BLOCK)
    for encoded in ahead(predictor.encode, blocks):
        tokens = encoded.lengths + encoded.added
        too_long = np.flatnonzero(tokens > (limit or tokens.max()))
        if len(too_long):
            nothing = np.full((len(too_long), predictor.n_outputs), np.nan, dtype=np.float32)
            yield before + too_long, shard_of(tokens[too_long], nothing, 0.0)
        start = time.perf_counter()
        for rows, (logits, *_) in predictor.run(encoded, np.delete(np.arange(len(tokens)), too_long)):
            yield before + rows, shard_of(tokens[rows], logits, time.perf_counter() - start)
            start = time.perf_counter()
        before += len(tokens)
