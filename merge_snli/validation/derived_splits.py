"""Compare the other configs and splits with the rows of config `all`, split `test`, that belong to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from merge_snli.schema import ALL, TEST
from merge_snli.validation.finding import quoted

if TYPE_CHECKING:
    import pyarrow as pa

    from merge_snli.validation.collector import Collector
    from merge_snli.validation.parquet import Rows


@dataclass
class DerivedSplit:
    """A file whose rows are read in parallel with those of `all` and `test`.

    Attributes:
        rows: The file.
        config: Its config.
        subsample: The subsample that its split holds; None for `test`.
        collector: Gets the findings.
        row: The number of the next row.
        is_done: Whether a difference or damage was reported.
    """

    rows: Rows
    config: str
    subsample: int | None
    collector: Collector
    row: int = 0
    is_done: bool = False

    def check_next(self, table: pa.Table) -> None:
        """Compare the next rows with those of `all` and `test` that belong to this split.

        A surplus or missing row shifts all later rows, so only the first difference is reported.

        Args:
            table: The next rows of `all` and `test`, in one chunk.
        """
        if self.is_done:
            return
        expected = self._select(table)
        found = self.rows.take(expected.num_rows)
        if self.rows.is_damaged or not found.equals(expected):
            self.is_done = self.rows.is_damaged or self._find_difference(expected, found)
        self.row += expected.num_rows

    def check_end(self) -> None:
        """Report rows after the last expected one."""
        if not self.is_done and self.rows.take(1).num_rows:
            self.collector.find(self.rows.name, self.row, None, f"is not in config {ALL}, split {TEST}")

    def _select(self, table: pa.Table) -> pa.Table:
        if self.subsample is not None:
            drawn = table["subsamples"]
            table = table.take(pc.list_parent_indices(drawn).filter(pc.equal(pc.list_flatten(drawn), self.subsample)))
        return table if self.config == ALL else table.filter(pc.equal(table["word_class"], self.config))

    def _find_difference(self, expected: pa.Table, found: pa.Table) -> bool:
        """Report the first difference and return whether there is one; NaN equals NaN, unlike in `Table.equals`."""
        for row, (wanted, given) in enumerate(zip(expected.to_pylist(), found.to_pylist(), strict=False), self.row):
            for column, value in wanted.items():
                if repr(given[column]) != repr(value):
                    message = f"is {quoted(given[column])}; config {ALL}, split {TEST} has {quoted(value)}"
                    self.collector.find(self.rows.name, row, column, message)
                    return True
        if found.num_rows < expected.num_rows:
            message = f"is missing: config {ALL}, split {TEST} has more rows"
            self.collector.find(self.rows.name, self.row + found.num_rows, None, message)
            return True
        return False
