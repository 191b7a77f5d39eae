"""Read the rows of a spreadsheet, a CSV file or Label Studio's JSON export, without judging their values."""

from __future__ import annotations

import csv
import io
import json
import zlib
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from merge_snli.annotation.sample import SCORES
from merge_snli.base.errors import InputError, reason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VARIANT_ID = "variant_id"
DELIMITERS = ",;\t"
"""What may separate the cells of a CSV file; spreadsheet programs of some languages write semicolons."""

DAMAGED = (BadZipFile, ParseError, zlib.error, AttributeError, EOFError, LookupError, TypeError, ValueError)
"""What openpyxl raises for damaged files."""


Row: TypeAlias = tuple[str, dict[str, Any]]
"""A row as it was read: its number or task, for messages, and its cells by column."""


def sheet_rows(path: Path) -> list[Row]:
    """Read a spreadsheet or CSV file.

    Args:
        path: The file. Rows are numbered as a spreadsheet program shows them; empty rows are skipped.

    Raises:
        InputError: If the file cannot be read, has another extension, or lacks a column.
    """
    readers = {".xlsx": _read_xlsx, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise InputError(f"{path} is neither .xlsx, .csv nor .json: pass a sheet or an export of Label Studio")
    try:
        header, *rows = readers[path.suffix.lower()](path) or [[]]
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): name the file of a sheet") from error
    names = ["" if cell is None else str(cell).strip() for cell in header]
    for name in (VARIANT_ID, *SCORES):
        if names.count(name) != 1:
            problem = "has two columns" if name in names else "has no column"
            raise InputError(f"{path}, row 1: {problem} {name}: restore the header of the sheet")
    return [
        (f"row {number}", dict(zip(names, cells, strict=False)))
        for number, cells in enumerate(rows, 2)
        if any(cell not in (None, "") for cell in cells)
    ]


def _read_csv(path: Path) -> list[Sequence[Any]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a CSV file in UTF-8 ({reason(error)}): save it as CSV UTF-8") from error


def _read_xlsx(path: Path) -> list[Sequence[Any]]:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise InputError("openpyxl is not installed: run pip install 'merge-snli[annotate]'") from None
    content = path.read_bytes()
    try:
        return list(load_workbook(io.BytesIO(content), data_only=True).worksheets[0].iter_rows(values_only=True))
    except DAMAGED as error:
        raise InputError(f"{path} cannot be read as a spreadsheet ({reason(error)}): save it as .xlsx again") from error


def export_rows(path: Path) -> dict[str, list[Row]]:
    """Read Label Studio's export in its format JSON.

    Args:
        path: The file.

    Returns:
        The rows of each annotator, by e-mail address if the export has it, otherwise `user N`. Skipped tasks have none.

    Raises:
        InputError: If the file cannot be read, is not such an export, or has no annotation.
    """
    try:
        tasks = json.loads(path.read_bytes())
        rows: dict[str, list[Row]] = {}
        for task in tasks:
            for annotation in task["annotations"]:
                if not annotation.get("was_cancelled"):
                    rows.setdefault(_annotator(annotation["completed_by"]), []).append(_export_row(task, annotation))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): name an export of Label Studio") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise InputError(
            f"{path} is not an export of Label Studio ({reason(error)}): export the project in the format JSON"
        ) from error
    if not rows:
        raise InputError(f"{path} has no annotations: submit them in Label Studio, then export the project")
    return rows


def _annotator(completed_by: Any) -> str:  # noqa: ANN401 - a number, or an object with an e-mail address
    return str(completed_by["email"]) if isinstance(completed_by, dict) else f"user {completed_by}"


def _export_row(task: dict[str, Any], annotation: dict[str, Any]) -> Row:
    values = {region["from_name"]: _value(region["value"]) for region in annotation["result"]}
    return f"task {task['id']}", {**task["data"], **values}


def _value(value: dict[str, Any]) -> str:
    """Return the chosen score or the lines of a comment; several choices become a text that is not a score."""
    return "\n".join(map(str, value["text"] if "text" in value else value["choices"]))
