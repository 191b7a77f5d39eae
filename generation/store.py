"""The store of what masked LMs answered: shards on disk, found again by content, never asked twice."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from generation.masked_lms import Fillers
from merge_snli.files import disk_errors_named, sha256_of_file, write_atomically

if TYPE_CHECKING:
    from generation.masked_lms import MaskedLM

logger = logging.getLogger(__name__)

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
    """Return the folder that holds the answers of one masked LM: its name says all that they depend on but the form."""
    return work / "suggestions" / f"{mlm.source.digest[:32]}-float32-top{top_k}"


def save(folder: Path, answers: Mapping[str, Answer]) -> None:
    """Write answers as one more shard.

    Args:
        folder: What `shelf` gave.
        answers: By the form's key.

    Raises:
        InputError: Where the disk is full; no torn shard is left.
    """
    table = pa.Table.from_pylist([_row(key, answer) for key, answer in sorted(answers.items())], SHARD_SCHEMA)
    part = folder / "new.parquet"
    write_atomically(part, lambda path: pq.write_table(table, path, compression="zstd"))
    with disk_errors_named(folder):
        part.replace(folder / f"{sha256_of_file(part)[:32]}.parquet")


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
        if sha256_of_file(shard)[:32] != shard.stem:
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
