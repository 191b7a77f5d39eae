"""Counts of the filters as a table, and grouped."""

from __future__ import annotations

from collections import Counter

from generation.replacements.counts import FilterCounts, by_side, counts_of_table, counts_table

COUNTS: FilterCounts = Counter(
    {
        ("verb", "m2", "premise", "kept"): 3,
        ("noun", "m1", "premise", "related"): 0,
        ("noun", "m1", "premise", "kept"): 2,
        ("noun", "m1", "premise", "fillers"): 5,
    }
)


def test_a_table_has_the_counts_without_zeros() -> None:
    table = counts_table(COUNTS)
    assert table.column_names == ["word_class", "masked_lm", "side", "reason", "count"]
    assert table["count"].to_pylist() == [5, 2, 3]
    assert counts_of_table(table) == +COUNTS
    assert counts_of_table(counts_table(Counter())) == Counter()


def test_counts_are_grouped_and_sorted() -> None:
    groups = by_side(+COUNTS)
    assert list(groups) == [("noun", "m1", "premise"), ("verb", "m2", "premise")]
    assert list(groups["noun", "m1", "premise"].items()) == [("fillers", 5), ("kept", 2)]
