"""Show the content of a work folder as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.options import Options
from generation.work.inventory import ANSWERS
from merge_snli.base.option import described
from merge_snli.base.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from generation.work.inventory import Stored

BYTES_PER_MIB = 2**20
NEEDED = {True: "yes", False: "no", None: "unknown"}


def inventory_table(work: Path, stored: Sequence[Stored]) -> Table:
    """Return the content of a work folder as a table.

    Args:
        work: The work folder.
        stored: What `generation.work.inventory.inventory` returned.
    """
    total = sum(each.bytes for each in stored)
    return Table(
        title=f"{total / BYTES_PER_MIB:,.1f} MiB in {work}",
        columns=(Column("content", "left"), *map(Column, ("shards", "rows", "MiB")), Column("needed", "left")),
        rows=tuple(
            (_name(each), each.shards, each.rows, each.bytes / BYTES_PER_MIB, NEEDED[each.needed]) for each in stored
        ),
    )


def _name(stored: Stored) -> str:
    """Name an entry; answers by their masked LM, its device, top-k, and the other options that are not the default."""
    if stored.kind != ANSWERS:
        return stored.kind
    key = stored.cache_key
    default = {name: option.default for name, option in described(Options)}
    options = [
        *([str(key["device"])] if "device" in key else []),
        *([str(key["dtype"])] if key.get("dtype", default["dtype"]) != default["dtype"] else []),
        *([f"top-k {key['top_k']}"] if "top_k" in key else []),
        *([f"mask {key['mask']}"] if key.get("mask", default["mask"]) != default["mask"] else []),
        *(["split-words"] if key.get("split_words") else []),
    ]
    return f"answers of {stored.masked_lm or 'a masked LM'} ({', '.join(options)})"
