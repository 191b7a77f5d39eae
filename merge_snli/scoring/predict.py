"""Predict every distinct pair of a config once, and cache the predictions on disk in checked Parquet shards."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from merge_snli.answers.sentences import pair_digest
from merge_snli.base.arrays import Floats32, Ints
from merge_snli.base.batches import batches_of
from merge_snli.base.files import write_json
from merge_snli.base.progress import Progress
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.models.labels import Missing, ModelFacts, Pair
from merge_snli.models.runner.encoded import Predictor, ahead

FACTS_FILE = "model.json"

# Pairs of so many characters are tokenized and sorted by length together, while the model runs on those before them.
CHARACTERS_PER_BLOCK = 4_000_000

# The columns of each shard; `pair` is the digest, and `seconds` the time. Others are `logits` or, from what gives only
# labels, `output`.
COLUMNS = pa.schema([("pair", pa.string()), ("tokens", pa.int32()), ("seconds", pa.float64())])


class PredictedPairs(NamedTuple):
    """What was predicted for some pairs of a list.

    Attributes:
        rows: The indices of the pairs, [n].
        tokens: Number of tokens of each pair, special tokens included; 0 if they were not counted, [n].
        values: Logits of each pair, float32, [n, n_outputs], NaN for a pair that is too long; or the number of the
            predicted output, or a code of `merge_snli.models.labels.Missing`, [n].
        seconds: Time spent on predicting them.
    """

    rows: Ints
    tokens: Ints
    values: NDArray[Any]
    seconds: float


@dataclass(frozen=True)
class Predictions:
    """The predictions of a model for some pairs.

    Attributes:
        tokens: As in `PredictedPairs`.
        outputs: Number of the predicted output of each pair, or a code of `merge_snli.models.labels.Missing`, [n].
        logits: Logits of each pair, [n, n_outputs]; None if the model gives labels only.
        seconds: Time spent on predicting them.
    """

    tokens: Ints
    outputs: Ints
    logits: Floats32 | None
    seconds: float


def best_outputs(logits: Floats32) -> Ints:
    """Return the output with the largest logit for each pair; `NOT_PREDICTED` for NaN, a pair that is too long."""
    return np.select(
        # A row of -inf only: every label is impossible.
        [np.isnan(logits[:, 0]), np.isneginf(logits).all(axis=1)],
        [Missing.NOT_PREDICTED, Missing.NO_ANSWER],
        np.nan_to_num(logits).argmax(axis=1),
    )


@dataclass(frozen=True)
class PredictionStore:
    """The cached predictions of one model: a folder of shards, which are tables with `COLUMNS`.

    A shard's name is the sha256 of its bytes; a damaged shard is deleted, and its pairs are predicted again.

    Attributes:
        folder: The folder, which is created with the first shard.
    """

    folder: Path

    def add(self, shard: pa.Table) -> None:
        """Write a shard.

        Raises:
            InputError: If the disk is full or the folder is not writable.
        """
        write_checked(self.folder, shard)

    def write_facts(self, facts: ModelFacts) -> None:
        """Write the facts about the model, so that it need not be loaded to be described."""
        write_json(self.folder / FACTS_FILE, asdict(facts))

    def read_facts(self) -> ModelFacts | None:
        """Read the facts about the model, or return None if they are missing or damaged."""
        try:
            return ModelFacts(**json.loads((self.folder / FACTS_FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def shards(self) -> Iterator[pa.Table]:
        """Yield all intact shards, ordered by name."""
        for path in sorted(self.folder.glob("*.parquet")):
            if is_intact(path):
                yield pq.read_table(path, partitioning=None)


def look_up(shards: Iterable[pa.Table], pairs: pa.Array) -> pa.Table:
    """Return the rows of shards that have these digests of pairs, in their order; null for missing pairs."""
    known = pa.concat_tables([COLUMNS.empty_table(), *shards], promote_options="default")
    return known.take(pc.index_in(pairs, value_set=known["pair"].combine_chunks()))


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

    def predict(missing: Sequence[Pair]) -> Iterator[PredictedPairs]:
        return predict_shards(predictor or load(), missing)

    return cached(predict, pairs, store, name=name, advance=advance), facts


def cached(
    predict: Callable[[Sequence[Pair]], Iterator[PredictedPairs]],
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
    digests = pa.array(map(pair_digest, pairs), pa.string())
    shards = [] if store is None else list(store.shards())
    missing = np.flatnonzero(look_up(shards, digests)["pair"].is_null())

    def keep(predicted: PredictedPairs) -> int:
        shard = table_of(digests.take(missing[predicted.rows]), predicted)
        shards.append(shard)
        if store is not None:
            store.add(shard)
        return len(shard)

    if len(missing):
        with Progress().stage(name, unit="pairs", total=len(pairs), cached=len(pairs) - len(missing)) as stage:
            for number in ahead(keep, predict([pairs[row] for row in missing.tolist()])):
                stage.advance(number)
                if advance is not None:
                    advance(number)
    return predictions_in(look_up(shards, digests))


def table_of(pairs: pa.Array, predicted: PredictedPairs) -> pa.Table:
    """Return predictions for pairs with these digests as a shard."""
    values, number = predicted.values, len(pairs)
    columns = [pairs, pa.array(predicted.tokens, pa.int32()), pa.repeat(predicted.seconds / number, number)]
    table = pa.Table.from_arrays(columns, schema=COLUMNS)
    if values.ndim == 1:
        return table.append_column("output", pa.array(values))
    return table.append_column("logits", pa.FixedSizeListArray.from_arrays(values.reshape(-1), values.shape[1]))


def predictions_in(table: pa.Table) -> Predictions:
    """Return the predictions in the rows of shards."""
    logits = None
    if "output" in table.column_names:
        outputs = table["output"].to_numpy()
    else:
        column = table["logits"].combine_chunks()
        logits = column.values.to_numpy(zero_copy_only=False).reshape(len(table), -1)
        outputs = best_outputs(logits)
    return Predictions(table["tokens"].to_numpy(), outputs, logits, pc.sum(table["seconds"]).as_py() or 0.0)


def predict_shards(predictor: Predictor, pairs: Sequence[Pair]) -> Iterator[PredictedPairs]:
    """Predict pairs in shards.

    Those of a block that are too long for the model come first, with NaN logits: they are never truncated.
    """
    limit, before = predictor.facts.max_length, 0
    blocks = batches_of(pairs, lambda pair: len(pair[0]) + len(pair[1]), CHARACTERS_PER_BLOCK)
    for encoded in ahead(predictor.encode, blocks):
        tokens = encoded.lengths + encoded.added
        too_long = np.flatnonzero(tokens > (limit or tokens.max()))
        if len(too_long):
            nothing = np.full((len(too_long), predictor.n_outputs), np.nan, dtype=np.float32)
            yield PredictedPairs(before + too_long, tokens[too_long], nothing, 0.0)
        start = time.perf_counter()
        for rows, (logits, *_) in predictor.run(encoded, np.delete(np.arange(len(tokens)), too_long)):
            yield PredictedPairs(before + rows, tokens[rows], logits, time.perf_counter() - start)
            start = time.perf_counter()
        before += len(tokens)
