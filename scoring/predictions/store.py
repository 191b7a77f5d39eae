"""Predictions on disk: every pair's logits, in Parquet shards that are checked, so that nothing is predicted twice."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.files import disk_errors_as_input_errors, write_bytes, write_json
from scoring.models.predictor import ModelFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

FACTS_FILE = "model.json"
SECONDS = b"seconds"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shard:
    """Predictions for some pairs.

    Attributes:
        pairs: Digest of each pair as `scoring.predictions.pairs.pair_digest` gives it, [n].
        tokens: Number of tokens of each pair, special ones included; 0 where they were not counted, [n].
        logits: What the model gave for each pair, float32, [n, n_outputs]; a row of NaN for a pair that the model
            cannot take.
        seconds: What predicting them took.
    """

    pairs: tuple[str, ...]
    tokens: NDArray[np.int32]
    logits: NDArray[np.float32]
    seconds: float


class PredictionStore:
    """The predictions of one model, in a folder of shards.

    A shard's name is the sha256 of its bytes: a file that was cut or changed is seen, thrown away and predicted again.
    """

    def __init__(self, folder: Path) -> None:
        """Open the store in `folder`, which is made with the first shard."""
        self.folder = folder

    def add(self, shard: Shard) -> None:
        """Keep a shard.

        Raises:
            InputError: Where the disk is full or may not be written.
        """
        content = _to_parquet(shard)
        path = self.folder / f"{hashlib.sha256(content).hexdigest()}.parquet"
        write_bytes(path, content)

    def write_facts(self, facts: ModelFacts) -> None:
        """Keep what is known of the model, so that it need not be loaded to be described."""
        write_json(self.folder / FACTS_FILE, asdict(facts))

    def read_facts(self) -> ModelFacts | None:
        """Read what is known of the model, or None where nothing whole is kept."""
        try:
            return ModelFacts(**json.loads((self.folder / FACTS_FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def shards(self) -> Iterator[Shard]:
        """Read all whole shards, in the order of their names."""
        for path in sorted(self.folder.glob("*.parquet")):
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() == path.stem:
                yield _from_parquet(content)
            else:
                logger.warning("%s is damaged: its predictions are made again", path)
                with disk_errors_as_input_errors(self.folder):
                    path.unlink()


def joined(shards: Iterable[Shard], pairs: Sequence[str]) -> tuple[Shard | None, list[int]]:
    """Look predictions up.

    Args:
        shards: Shards of one model.
        pairs: Digests of the pairs that are wanted, [n].

    Returns:
        The predictions of the pairs in their order, rows of NaN where there is none, None where there is no shard;
        and the positions in `pairs` of those that are still to be predicted. The seconds are those of the shards
        that hold wanted pairs.
    """
    wanted = {pair: index for index, pair in enumerate(pairs)}
    result: Shard | None = None
    seconds = 0.0
    found = np.zeros(len(pairs), dtype=bool)
    for shard in shards:
        if result is None:
            logits = np.full((len(pairs), shard.logits.shape[1]), np.nan, dtype=np.float32)
            result = Shard(tuple(pairs), np.zeros(len(pairs), dtype=np.int32), logits, 0.0)
        rows = [row for row, pair in enumerate(shard.pairs) if pair in wanted]
        places = [wanted[shard.pairs[row]] for row in rows]
        result.tokens[places] = shard.tokens[rows]
        result.logits[places] = shard.logits[rows]
        found[places] = True
        seconds += shard.seconds if rows else 0.0
    missing = [int(index) for index in np.flatnonzero(~found)]
    return (None if result is None else Shard(result.pairs, result.tokens, result.logits, seconds)), missing


def _to_parquet(shard: Shard) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    width = shard.logits.shape[1]
    table = pa.table(
        {
            "pair": pa.array(shard.pairs, pa.string()),
            "tokens": pa.array(shard.tokens, pa.int32()),
            "logits": pa.FixedSizeListArray.from_arrays(pa.array(shard.logits.reshape(-1), pa.float32()), width),
        }
    ).replace_schema_metadata({SECONDS: json.dumps(shard.seconds).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def _from_parquet(content: bytes) -> Shard:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table: pa.Table = pq.read_table(pa.BufferReader(content))
    logits = table.column("logits").combine_chunks()
    width = table.schema.field("logits").type.list_size
    return Shard(
        pairs=tuple(table.column("pair").to_pylist()),
        tokens=table.column("tokens").to_numpy().astype(np.int32),
        logits=logits.values.to_numpy(zero_copy_only=False).astype(np.float32).reshape(-1, width),
        seconds=float(json.loads(table.schema.metadata[SECONDS])),
    )
