"""The output of a command on stdout, in the form that `--format` names."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from merge_snli.base.table import Table

TEXT, JSON, CSV, MARKDOWN, LATEX = "text", "json", "csv", "md", "latex"

TABLE_FORMATS = (TEXT, JSON, CSV, MARKDOWN, LATEX)
"""The forms of output of a command that prints tables."""

TEXT_FORMATS = (TEXT, JSON)
"""The forms of output of a command that prints other text."""


def write_output(form: str, *, text: Callable[[], str], document: Callable[[], dict[str, Any]]) -> None:
    """Write text, or JSON values as one document.

    Args:
        form: One of `TEXT_FORMATS`.
        text: Returns the text.
        document: Returns the JSON values.
    """
    if form == JSON:
        sys.stdout.write(json.dumps(document(), indent=2, allow_nan=False) + "\n")
    else:
        sys.stdout.write(text())


def write_tables(form: str, tables: Iterable[Table], *, document: Callable[[], dict[str, Any]]) -> None:
    """Write tables, with an empty line between two.

    Args:
        form: One of `TABLE_FORMATS`.
        tables: The tables.
        document: Returns the JSON values, which may hold more than the tables.
    """
    write_output(form, text=lambda: "\n".join(_rendered(table, form) for table in tables), document=document)


def _rendered(table: Table, form: str) -> str:
    """Return a table in a form other than JSON."""
    if form == CSV:
        return table.csv()
    if form == MARKDOWN:
        return table.markdown()
    return table.latex() if form == LATEX else table.text()
