"""Cache the logits of every pair on disk, in checked Parquet shards."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.checked_parquet import is_intact, write_checked
from merge_snli.files import write_json
from scoring.models.predictor import ModelFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

FACTS_FILE = "model.json"
SECONDS = b"seconds"


@dataclass(frozen=True)
class Predictions:
    """The predictions of a model for some pairs.

    Attributes:
        pairs: Digest of each pair, from `scoring.predictions.pairs.pair_digest`, [n].
        tokens: Number of tokens of each pair, special tokens included; 0 if they were not counted, [n].
        logits: Logits of each pair, float32, [n, n_outputs]; a row of NaN if the pair is too long for the model.
        seconds: Time spent on predicting them.
    """

    pairs: tuple[str, ...]
    tokens: NDArray[np.int32]
    logits: NDArray[np.float32]
    seconds: float


class PredictionStore:
    """The cached predictions of one model: a folder of shards.

    A shard's name is the sha256 of its bytes; a damaged shard is deleted, and its pairs are predicted again.
    """

    def __init__(self, folder: Path) -> None:
        """Open the store in `folder`, which is created with the first shard."""
        self.folder = folder

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
        The predictions in the order of `pairs`, with rows of NaN for missing pairs, or None if there are no shards;
        and the indices of the missing pairs. `seconds` sums the shards that contain any of the pairs.
    """
    index_of_pair = {pair: index for index, pair in enumerate(pairs)}
    result: Predictions | None = None
    seconds = 0.0
    found = np.zeros(len(pairs), dtype=bool)
    for shard in shards:
        if result is None:
            logits = np.full((len(pairs), shard.logits.shape[1]), np.nan, dtype=np.float32)
            result = Predictions(tuple(pairs), np.zeros(len(pairs), dtype=np.int32), logits, 0.0)
        rows = [row for row, pair in enumerate(shard.pairs) if pair in index_of_pair]
        indices = [index_of_pair[shard.pairs[row]] for row in rows]
        result.tokens[indices] = shard.tokens[rows]
        result.logits[indices] = shard.logits[rows]
        found[indices] = True
        seconds += shard.seconds if rows else 0.0
    missing = [int(index) for index in np.flatnonzero(~found)]
    return (None if result is None else replace(result, seconds=seconds)), missing


def join(first: Predictions, second: Predictions) -> Predictions:
    """Return the predictions of two lists of pairs as one; the time is that of the first."""
    return Predictions(
        pairs=first.pairs + second.pairs,
        tokens=np.concatenate([first.tokens, second.tokens]),
        logits=np.concatenate([first.logits, second.logits]),
        seconds=first.seconds,
    )


def _to_table(shard: Predictions) -> pa.Table:
    import pyarrow as pa

    width = shard.logits.shape[1]
    return pa.table(
        {
            "pair": pa.array(shard.pairs, pa.string()),
            "tokens": pa.array(shard.tokens, pa.int32()),
            "logits": pa.FixedSizeListArray.from_arrays(pa.array(shard.logits.reshape(-1), pa.float32()), width),
        }
    ).replace_schema_metadata({SECONDS: json.dumps(shard.seconds).encode()})


def _read(path: Path) -> Predictions:
    import pyarrow.parquet as pq

    table: pa.Table = pq.read_table(path, partitioning=None)
    logits = table.column("logits").combine_chunks()
    width = table.schema.field("logits").type.list_size
    return Predictions(
        pairs=tuple(table.column("pair").to_pylist()),
        tokens=table.column("tokens").to_numpy().astype(np.int32),
        logits=logits.values.to_numpy(zero_copy_only=False).astype(np.float32).reshape(-1, width),
        seconds=float(json.loads(table.schema.metadata[SECONDS])),
    )
