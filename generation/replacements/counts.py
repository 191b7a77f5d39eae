"""Counts of the forms and fillers of a run by outcome, and their tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import pyarrow as pa

FILLERS = "fillers"

# Word class, masked LM and side.
Group = tuple[str, str, str]

# Counts by what is counted, for each group: `FORMS`, the reasons why forms have no answer, `FILLERS`, and the outcomes
# of the filters.
FilterCounts = dict[Group, Counter[str]]

_TEXT = pa.string()
SCHEMA = pa.schema({"word_class": _TEXT, "masked_lm": _TEXT, "side": _TEXT, "reason": _TEXT, "count": pa.int64()})


def counts_table(counts: FilterCounts) -> pa.Table:
    """Return counts as a table with the columns of `SCHEMA`, sorted, without zeros."""
    rows = []
    for group, of_group in counts.items():
        rows += [(*group, reason, count) for reason, count in of_group.items() if count]
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in sorted(rows)], SCHEMA)


def sum_of_tables(tables: Iterable[pa.Table]) -> FilterCounts:
    """Return the sum of the counts in tables from `counts_table`, sorted."""
    counts: FilterCounts = defaultdict(Counter)
    for table in tables:
        for row in table.to_pylist():
            counts[row["word_class"], row["masked_lm"], row["side"]][row["reason"]] += row["count"]
    return {group: Counter(dict(sorted(of_group.items()))) for group, of_group in sorted(counts.items())}
