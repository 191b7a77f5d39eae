"""The output of a command on stdout, in the form that `--format` names."""

import json
import sys
from collections.abc import Callable, Iterable

from merge_snli.base.files import JsonObject
from merge_snli.base.table import Table

TEXT, JSON = "text", "json"

# How a table is written in the forms that are not JSON.
WRITTEN = {TEXT: Table.text, "csv": Table.csv, "md": Table.markdown, "latex": Table.latex}

# The forms of output of a command that prints tables, and of one that prints other text.
TABLE_FORMATS = (TEXT, JSON, "csv", "md", "latex")
TEXT_FORMATS = (TEXT, JSON)


def write_output(form: str, *, text: Callable[[], str], document: Callable[[], JsonObject]) -> None:
    """Write text, or JSON values as one document.

    Args:
        form: One of `TEXT_FORMATS`.
        text: Returns the text.
        document: Returns the JSON values.
    """
    sys.stdout.write(json.dumps(document(), indent=2, allow_nan=False) + "\n" if form == JSON else text())


def write_tables(form: str, tables: Iterable[Table], *, document: Callable[[], JsonObject]) -> None:
    """Write tables, with an empty line between two.

    Args:
        form: One of `TABLE_FORMATS`.
        tables: The tables.
        document: Returns the JSON values, which may hold more than the tables.
    """
    write_output(form, text=lambda: "\n".join(map(WRITTEN[form], tables)), document=document)
