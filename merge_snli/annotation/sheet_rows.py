"""Read the rows of filled-in sheets: spreadsheets, CSV files and Label Studio's JSON export."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from merge_snli.annotation.sample import VARIANT_ID, headings
from merge_snli.base.errors import REASON, InputError, explained
from merge_snli.base.table import without_mark
from merge_snli.dataset.judgments import SCORES
from merge_snli.dataset.texts import TextNames
from merge_snli.problems.spreadsheets import read_xlsx

# What may separate the cells of a CSV file; spreadsheet programs of some languages write semicolons.
DELIMITERS = ",;\t"

# A row as it was read: its number or task, for messages, and its cells by column.
Row: TypeAlias = tuple[str, dict[str, Any]]


def sheet_rows(path: Path, texts: TextNames) -> list[Row]:
    """Read a spreadsheet or CSV file.

    Args:
        path: The file. Rows are numbered as a spreadsheet program shows them; empty rows are skipped.
        texts: What the sheets call the two texts of a problem.

    Raises:
        InputError: If the file cannot be read, has another extension, or lacks a column.
    """
    read = {".xlsx": read_xlsx, ".csv": _read_csv}.get(path.suffix.lower())
    if read is None:
        raise InputError(f"{path} is neither .xlsx, .csv nor .json: pass a sheet or an export of Label Studio")
    with explained(OSError, f"{path} cannot be read ({REASON}): name the file of a sheet"):
        header, *sheet = read(path) or [[]]
    columns = {heading: name for name, heading in headings(texts).items()}
    names = [columns.get(name, name) for name in map(text_of, header)]
    for name in (VARIANT_ID, *SCORES):
        if names.count(name) != 1:
            problem = "has two columns" if name in names else "has no column"
            raise InputError(f"{path}, row 1: {problem} {name}: restore the header of the sheet")
    rows: list[Row] = []
    for number, cells in enumerate(sheet, 2):
        if any(cell not in (None, "") for cell in cells):
            values = [without_mark(cell) if isinstance(cell, str) else cell for cell in cells]
            rows.append((f"row {number}", dict(zip(names, values, strict=False))))
    return rows


def text_of(cell: Any) -> str:  # noqa: ANN401 - a cell of a spreadsheet holds any type
    """Return the text of a cell."""
    return "" if cell is None else without_mark(str(cell).strip())


def _read_csv(path: Path) -> list[Sequence[Any]]:
    message = f"{path} is not a CSV file in UTF-8 ({REASON}): save it as CSV UTF-8"
    with explained((UnicodeDecodeError, csv.Error), message):
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count), strict=True))


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
    message = f"{path} is not an export of Label Studio ({REASON}): export the project in the format JSON"
    with (
        explained((ValueError, TypeError, LookupError, AttributeError), message),
        explained(OSError, f"{path} cannot be read ({REASON}): name an export of Label Studio"),
    ):
        for task in json.loads(path.read_bytes()):
            for annotation in task["annotations"]:
                if annotation.get("was_cancelled"):
                    continue
                values = {region["from_name"]: _value(region["value"]) for region in annotation["result"]}
                user = annotation["completed_by"]
                name = str(user["email"]) if isinstance(user, dict) else f"user {user}"
                rows.setdefault(name, []).append((f"task {task['id']}", task["data"] | values))
    if not rows:
        raise InputError(f"{path} has no annotations: submit them in Label Studio, then export the project")
    return rows


def _value(value: dict[str, Any]) -> str:
    """Return the chosen score or the lines of a comment; several choices become a text that is not a score."""
    return "\n".join(map(str, value["text"] if "text" in value else value["choices"]))
