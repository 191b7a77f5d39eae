"""The store of what masked LMs answered: shards on disk, found again by content, never asked twice."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from generation.masked_lms import Fillers
from merge_snli.files import sha256_of_file, sha256_of_json, write_bytes

if TYPE_CHECKING:
    from generation.masked_lms import MaskedLM

logger = logging.getLogger(__name__)

LIBRARIES = ("tokenizers", "torch", "transformers")
"""Libraries another version of which may give other answers."""

SHARD_SCHEMA = pa.schema(
    [
        ("form", pa.string()),
        ("refused", pa.string()),
        ("original_id", pa.int32()),
        ("original_log_prob", pa.float32()),
        ("piece_ids", pa.list_(pa.int32())),
        ("log_probs", pa.list_(pa.float32())),
    ]
)

Answer = Fillers | str
"""What one masked LM answered to one form: its fillers, or why it could not be asked."""


def shelf(work: Path, mlm: MaskedLM, top_k: int) -> Path:
    """Return the folder that holds the answers of one masked LM: its name stands for all that they depend on."""
    depends_on = [mlm.source.digest, "float32", mlm.device, top_k, {name: version(name) for name in LIBRARIES}]
    return work / "suggestions" / sha256_of_json(depends_on)[:32]


def save(folder: Path, answers: Mapping[str, Answer]) -> None:
    """Write answers as one more shard.

    Args:
        folder: What `shelf` gave.
        answers: By the form's key.

    Raises:
        InputError: Where the disk is full; no torn shard is left.
    """
    table = pa.Table.from_pylist([_row(key, answer) for key, answer in sorted(answers.items())], SHARD_SCHEMA)
    content = pa.BufferOutputStream()
    pq.write_table(table, content, compression="zstd")
    shard = content.getvalue().to_pybytes()
    write_bytes(folder / f"{hashlib.sha256(shard).hexdigest()}.parquet", shard)


def load(folder: Path, keys: Iterable[str]) -> dict[str, Answer]:
    """Return the stored answers to those forms that were asked before.

    Args:
        folder: What `shelf` gave; it need not exist.
        keys: Keys of forms.

    Returns:
        The answers by key. A shard whose content is not what its name says is left out, so it is asked again.
    """
    wanted = set(keys)
    answers: dict[str, Answer] = {}
    for shard in sorted(folder.glob("*.parquet")):
        if sha256_of_file(shard) != shard.stem:
            logger.warning("%s is damaged and is made again", shard)
            shard.unlink()
            continue
        answers.update(_answers(pq.read_table(shard), wanted))
    return answers


def _row(key: str, answer: Answer) -> dict[str, object]:
    if isinstance(answer, str):
        return {"form": key, "refused": answer}
    return {
        "form": key,
        "original_id": answer.original_id,
        "original_log_prob": answer.original_log_prob,
        "piece_ids": answer.piece_ids,
        "log_probs": answer.log_probs,
    }


def _answers(table: pa.Table, wanted: set[str]) -> Iterable[tuple[str, Answer]]:
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    ids, log_probs = columns["piece_ids"], columns["log_probs"]
    for row, key in enumerate(columns["form"].to_pylist()):
        if key not in wanted:
            continue
        if columns["refused"][row].is_valid:
            yield key, columns["refused"][row].as_py()
        else:
            yield (
                key,
                Fillers(
                    np.asarray(ids[row].values, dtype=np.int32),
                    np.asarray(log_probs[row].values, dtype=np.float32),
                    columns["original_id"][row].as_py(),
                    columns["original_log_prob"][row].as_py(),
                ),
            )
