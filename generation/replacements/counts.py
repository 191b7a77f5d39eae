"""Counts of forms and fillers by the outcome of the filters, as a value and as a table."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

FORMS = "forms"
FILLERS = "fillers"
NO_ORDER = "no other order"
"""Words that the masked LM validated on that side, left out because their letters have no other order."""

FilterCounts = Counter[tuple[str, str, str, str]]
"""Counts by word class, masked LM, side and what is counted.

Counted are `FORMS`, the reasons why forms have no answer, `FILLERS`, and the outcomes of the filters.
"""

SCHEMA = pa.schema(
    [
        ("word_class", pa.string()),
        ("masked_lm", pa.string()),
        ("side", pa.string()),
        ("reason", pa.string()),
        ("count", pa.int64()),
    ]
)


def counts_table(counts: FilterCounts) -> pa.Table:
    """Return counts as a table with the columns of `SCHEMA`, sorted, without zeros."""
    rows = [dict(zip(SCHEMA.names, (*key, count), strict=True)) for key, count in sorted(counts.items()) if count]
    return pa.Table.from_pylist(rows, SCHEMA)


def counts_of_table(table: pa.Table) -> FilterCounts:
    """Return the counts of a table from `counts_table`."""
    *keys, counts = (table[name].to_pylist() for name in SCHEMA.names)
    return Counter(dict(zip(zip(*keys, strict=True), counts, strict=True)))


def by_side(counts: FilterCounts) -> dict[tuple[str, str, str], Counter[str]]:
    """Group counts by word class, masked LM and side, sorted."""
    groups: dict[tuple[str, str, str], Counter[str]] = {}
    for (word_class, masked_lm, side, reason), count in sorted(counts.items()):
        groups.setdefault((word_class, masked_lm, side), Counter())[reason] = count
    return groups
