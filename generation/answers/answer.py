"""Convert the answer of a masked LM to one form from and to a row of a stored shard."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from generation.masked_lms.masked_lm import Fillers

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

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
"""The fillers of a form under one masked LM, or why it has none: `split` or `too long`."""


def row_of(key: str, answer: Answer) -> dict[str, Any]:
    """Return an answer as a row of `SHARD_SCHEMA`."""
    if isinstance(answer, str):
        return {"form": key, "refused": answer}
    return {"form": key, **{field.name: getattr(answer, field.name) for field in fields(answer)}}


def answers_of(table: pa.Table, keys: Container[str]) -> Iterable[tuple[str, Answer]]:
    """Yield key and answer of the rows of a shard whose key is in `keys`."""
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    offsets = columns["piece_ids"].offsets.to_numpy()
    ids, log_probs = (columns[name].values.to_numpy() for name in ("piece_ids", "log_probs"))
    original_ids, original_log_probs, refused = (
        columns[name].to_pylist() for name in ("original_id", "original_log_prob", "refused")
    )
    for row, key in enumerate(columns["form"].to_pylist()):
        if key not in keys:
            continue
        if refused[row] is not None:
            yield key, refused[row]
        else:
            # Copied: a few answers must not keep the whole shard in memory.
            part = slice(offsets[row], offsets[row + 1])
            yield key, Fillers(ids[part].copy(), log_probs[part].copy(), original_ids[row], original_log_probs[row])
