"""Problems in memory: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, or a list of dicts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from merge_snli.base.errors import InputError, param, reason
from merge_snli.problems.dataset_rows import class_label_names
from merge_snli.problems.file_rows import schema_label_names
from merge_snli.problems.rows import SourceRow

MEMORY = "memory:"
"""The prefix under which a record names problems that were in memory."""

ROWS_PER_BATCH = 10_000


class MemoryProblems(str):
    """The name of problems in memory, such as `memory:pandas.DataFrame`, which also holds the problems.

    Attributes:
        rows: A `datasets.Dataset`, an Arrow table, or a list of dicts.
    """

    __slots__ = ("rows",)

    rows: Any

    def read(self) -> Iterator[SourceRow]:
        """Yield the rows from the first one."""
        for number, values in enumerate(_values(self.rows), start=1):
            yield SourceRow(f"{self} row {number}", values)

    def label_names(self, column: str) -> tuple[str, ...] | None:
        """Return the names of a ClassLabel column, or None if the column has another type."""
        if isinstance(self.rows, list):
            return None
        if hasattr(self.rows, "features"):
            return class_label_names(self.rows, column)
        return schema_label_names(self.rows.schema, column)


def memory_problems(data: object) -> MemoryProblems:
    """Name problems in memory.

    Args:
        data: A `datasets.Dataset`, a pandas or Polars frame, an Arrow table, or a list of dicts.

    Raises:
        InputError: If it is another object, or cannot be converted to Arrow.
    """
    kind = type(data)
    library = "" if kind is list else f"{kind.__module__.partition('.')[0]}."
    problems = MemoryProblems(f"{MEMORY}{library}{kind.__name__}")
    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        problems.rows = data.with_format(None)
    elif isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        problems.rows = data
    elif hasattr(data, "__arrow_c_stream__"):
        import pyarrow as pa

        try:
            problems.rows = pa.table(data)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InputError(
                f"{param('problems')}: {kind.__name__} cannot be converted to Arrow: {reason(error)}"
            ) from error
    else:
        raise InputError(
            f"{param('problems')} has the type {kind.__name__}: give a file, a folder, a Hub id, or in Python one "
            "split as a datasets.Dataset, a pandas or Polars frame, an Arrow table or a list of dicts"
        )
    return problems


def _values(rows: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - rows of one of several libraries
    if not hasattr(rows, "to_batches") or hasattr(rows, "features"):
        yield from rows
        return
    for batch in rows.to_batches(ROWS_PER_BATCH):
        yield from batch.to_pylist()
