"""Files of problems and predictions: their types, and the rows of each."""

from functools import partial
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.problems.delimited import DELIMITED, csv_delimiter, delimited_rows
from merge_snli.problems.json_values import json_rows
from merge_snli.problems.rows import Rows
from merge_snli.problems.spreadsheets import spreadsheet_rows
from merge_snli.problems.tables import parquet_rows
from merge_snli.problems.text_files import GZIP, first_bytes, require_text

PARQUET, XLSX = ".parquet", ".xlsx"
JSON_TYPES = (".json", ".jsonl")

# The endings of texts, and of all files of problems.
TEXT_TYPES = (*JSON_TYPES, *DELIMITED)
FILE_TYPES = (*TEXT_TYPES, XLSX, PARQUET)


def file_type(path: Path) -> str:
    """Return the ending of a file that says how it is read, without the `.gz` of a compressed text."""
    return Path(path.stem).suffix if path.suffix == GZIP else path.suffix


def open_file(path: Path, delimiter: str | None = None) -> Rows:
    """Return the rows of a file.

    Args:
        path: A file with one of the endings in `FILE_TYPES`, and `.gz` after it if it is a compressed text.
        delimiter: The character between columns; None for that of the file's ending, or of its header.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file")
    ending = file_type(path)
    if ending not in FILE_TYPES or (path.suffix == GZIP and ending not in TEXT_TYPES):
        expected = f"{', '.join(FILE_TYPES)}, or a text file compressed as {GZIP}"
        raise InputError(f"{path} has an unknown file type; expected {expected}")
    if delimiter is not None and ending not in DELIMITED:
        raise InputError(f"⟦delimiter⟧ is for {', '.join(DELIMITED)} files, not for {path}: remove it")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; expected one row per line")
    if ending not in TEXT_TYPES:
        first_bytes(path)
        return parquet_rows(path) if ending == PARQUET else Rows(partial(spreadsheet_rows, path))
    require_text(path)
    if ending in JSON_TYPES:
        return Rows(partial(json_rows, path))
    if delimiter is None:
        delimiter = csv_delimiter(path) if ending == ".csv" else DELIMITED[ending]
    return Rows(partial(delimited_rows, path, delimiter), has_types=False)
