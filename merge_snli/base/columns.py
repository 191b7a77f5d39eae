"""Build a table from rows of any type, column by column."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from merge_snli.base.table import Cell, Column, Table

R = TypeVar("R")


class Columns(Generic[R]):
    """The columns of a table, each with a function that returns its cell from a row.

    Examples:
        >>> columns = Columns[tuple[str, int]]()
        >>> columns.add("Model", lambda row: row[0], align="left")
        >>> columns.add("Seeds", lambda row: row[1])
        >>> columns.table([("a", 78), ("b", 10)]).rows
        (('a', 78), ('b', 10))
    """

    def __init__(self) -> None:
        """Start without columns."""
        self._columns: list[tuple[Column, Callable[[R], Cell]]] = []

    def add(self, header: str, cell: Callable[[R], Cell], **look: Any) -> None:  # noqa: ANN401 - fields of Column
        """Add a column.

        Args:
            header: Its header.
            cell: Returns its cell from a row.
            look: The other fields of `Column`.
        """
        self._columns.append((Column(header, **look), cell))

    def table(
        self, rows: Iterable[R], *, title: str = "", finding: str = "", notes: Iterable[str | None] = ()
    ) -> Table:
        """Return the table of some rows.

        Args:
            rows: The rows.
            title: What the table shows.
            finding: What was found.
            notes: How to read the values; those that are None or empty are left out.
        """
        cells = []
        for row in rows:
            cells.append(tuple(cell(row) for _, cell in self._columns))
        return Table(
            columns=[column for column, _ in self._columns],
            rows=cells,
            title=title,
            finding=finding,
            notes=[note for note in notes if note],
        )
