"""Rows of spreadsheets."""

import io
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from merge_snli.base.errors import explained
from merge_snli.base.extras import install_command
from merge_snli.base.limits import check_size, check_zip
from merge_snli.problems.rows import Header, SourceRow

# What openpyxl takes for a cell, also for an empty one before the last row and column.
BYTES_PER_CELL = 200

# What openpyxl raises for damaged files.
DAMAGED = (BadZipFile, ParseError, zlib.error, AttributeError, EOFError, LookupError, TypeError, ValueError)


def read_xlsx(path: Path) -> list[Sequence[Any]]:
    """Return the cells of the first sheet of a spreadsheet, row by row."""
    with explained(ImportError, f"{path} needs openpyxl: run {install_command('annotate')}, or save it as .csv"):
        from openpyxl import load_workbook
    content = path.read_bytes()
    with (
        explained(DAMAGED, f"{path} cannot be read as a spreadsheet (⟦reason⟧): save it as .xlsx again"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # about styles and extensions, which hold no cells
        check_zip(path)
        sheet = load_workbook(io.BytesIO(content), data_only=True).worksheets[0]
        check_size(path, sheet.max_row * sheet.max_column * BYTES_PER_CELL, "to read its cells")
        return list(sheet.iter_rows(values_only=True))


def spreadsheet_rows(path: Path) -> Iterator[SourceRow]:
    """Yield the rows of the first sheet, of which the first row names the columns."""
    first, *rows = read_xlsx(path) or [()]
    header = Header(f"{path} row 1", ["" if name is None else str(name) for name in first])
    for number, cells in enumerate(rows, start=2):
        if any(cell is not None for cell in cells):
            yield header.row(f"{path} row {number}", cells)
