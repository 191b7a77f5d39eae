"""Read the rows of filled-in sheets: spreadsheets, CSV files and Label Studio's JSON export."""

import json
from pathlib import Path
from typing import Any, TypeAlias

from merge_snli.annotation.shown import VARIANT_ID, headings
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject
from merge_snli.base.table import without_mark
from merge_snli.dataset.judgments import SCORES
from merge_snli.dataset.texts import TextNames
from merge_snli.problems.formats import open_file
from merge_snli.problems.rows import require_valid_unicode

# A row as it was read: where it is, for messages, and its cells by column.
Row: TypeAlias = tuple[str, JsonObject]


def sheet_rows(path: Path, texts: TextNames) -> list[Row]:
    """Read a spreadsheet or CSV file.

    Args:
        path: The file. Empty rows are skipped.
        texts: What the sheets call the two texts of a problem.

    Raises:
        InputError: If the file cannot be read, has another extension, or lacks a column.
    """
    if path.suffix.lower() not in (".xlsx", ".csv"):
        raise InputError(f"{path} is neither .xlsx, .csv nor .json: pass a sheet or an export of Label Studio")
    names = {heading: name for name, heading in headings(texts).items()}
    rows = []
    with explained(OSError, f"{path} cannot be read (⟦reason⟧): name the file of a sheet"):
        for row in open_file(path).read():
            columns = [names.get(heading, heading) for heading in map(text_of, row.values)]
            for name in (VARIANT_ID, *SCORES):
                if columns.count(name) != 1:
                    raise InputError(f"{path} does not have one column {name}: restore the header of the sheet")
            cells = {}
            for name, (column, cell) in zip(columns, row.values.items(), strict=True):
                if isinstance(cell, str):
                    require_valid_unicode(cell, row, column)
                    cell = without_mark(cell)
                cells[name] = cell
            if any(cell not in (None, "") for cell in cells.values()):
                rows.append((row.location, cells))
    return rows


def text_of(cell: Any) -> str:  # noqa: ANN401 - a cell of a spreadsheet holds any type
    """Return the text of a cell."""
    return "" if cell is None else without_mark(str(cell).strip())


def export_rows(path: Path) -> dict[str, list[Row]]:
    """Read Label Studio's export in its format JSON.

    Args:
        path: The file.

    Returns:
        The rows of each annotator, by e-mail address if the export has it, otherwise `user N`. Skipped tasks have none.

    Raises:
        InputError: If the file cannot be read, is not such an export, or has no annotation.
    """
    rows: dict[str, list[Row]] = {}
    message = f"{path} is not an export of Label Studio (⟦reason⟧): export the project in the format JSON"
    with (
        explained((ValueError, TypeError, LookupError, AttributeError), message),
        explained(OSError, f"{path} cannot be read (⟦reason⟧): name an export of Label Studio"),
    ):
        for task in json.loads(path.read_bytes()):
            for annotation in task["annotations"]:
                if annotation.get("was_cancelled"):
                    continue
                values = {region["from_name"]: _value(region["value"]) for region in annotation["result"]}
                user = annotation["completed_by"]
                name = str(user["email"]) if isinstance(user, dict) else f"user {user}"
                rows.setdefault(name, []).append((f"{path}, task {task['id']}", task["data"] | values))
    if not rows:
        raise InputError(f"{path} has no annotations: submit them in Label Studio, then export the project")
    return rows


def _value(value: JsonObject) -> str:
    """Return the chosen score or the lines of a comment; several choices become a text that is not a score."""
    return "\n".join(map(str, value["text"] if "text" in value else value["choices"]))
