"""Whether the other configs and splits hold the rows of `all` and `test` that belong to them, in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from merge_snli.schema import ALL, TEST
from merge_snli.validation.finding import Finding, quoted
from merge_snli.validation.parquet import DamagedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from merge_snli.validation.parquet import Rows


class Follower:
    """One file beside `all` and `test`, read as far as these are; it keeps the place in the file."""

    def __init__(self, rows: Rows, config: str, subsample: int | None) -> None:
        """Begin at the file's first row.

        Args:
            rows: The file.
            config: Its config.
            subsample: The draw that its split holds; None for `test`.
        """
        self._rows = rows
        self._config = config
        self._subsample = subsample
        self._row = 0
        self._ended = False

    def follow(self, table: pa.Table) -> list[Finding]:
        """Return where the file differs from the next rows of `all` and `test` that belong to it.

        A row too many or too few shifts all that follow, so a file is followed up to its first difference.

        Args:
            table: The next rows of `all` and `test`, in one chunk.
        """
        if self._ended:
            return []
        expected = self._belonging(table)
        try:
            found = self._rows.take(expected.num_rows)
        except DamagedError as error:
            self._ended = True
            return [error.finding]
        self._row += expected.num_rows
        if found.equals(expected):
            return []
        differences = list(self._difference(expected, found))
        self._ended = bool(differences)
        return differences

    def end(self) -> list[Finding]:
        """Return whether the file has more rows than belong to it."""
        if self._ended:
            return []
        try:
            more = self._rows.take(1).num_rows
        except DamagedError as error:
            return [error.finding]
        message = f"has rows that config {ALL}, split {TEST} has not"
        return [Finding(self._rows.name, self._row, None, message)] if more else []

    def _belonging(self, table: pa.Table) -> pa.Table:
        if self._subsample is not None:
            drawn = table["subsamples"]
            table = table.take(pc.list_parent_indices(drawn).filter(pc.equal(pc.list_flatten(drawn), self._subsample)))
        return table if self._config == ALL else table.filter(pc.equal(table["word_class"], self._config))

    def _difference(self, expected: pa.Table, found: pa.Table) -> Iterator[Finding]:
        """Yield the first place that differs; values that are no number are alike here, unlike for `equals`."""
        first = self._row - expected.num_rows
        for row, (wanted, there) in enumerate(zip(expected.to_pylist(), found.to_pylist(), strict=False), first):
            for column, value in wanted.items():
                if repr(there[column]) != repr(value):
                    message = f"is {quoted(there[column])} where config {ALL}, split {TEST} gives {quoted(value)}"
                    yield Finding(self._rows.name, row, column, message)
                    return
        if found.num_rows < expected.num_rows:
            message = f"the file ends here; config {ALL}, split {TEST} gives more rows"
            yield Finding(self._rows.name, first + found.num_rows, None, message)
