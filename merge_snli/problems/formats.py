"""Rows of text files, also with gzip, of Parquet files, of data sets in folders and on the Hub, and of tables."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from merge_snli.base.errors import REASON, InputError, explained, param, raise_first, reason
from merge_snli.base.extras import install_command
from merge_snli.base.hub_ids import split_revision
from merge_snli.base.limits import check_gzip, check_size, check_zip, open_parquet
from merge_snli.base.progress import without_library_bars
from merge_snli.base.table import count
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.rows import Rows, SourceRow

if TYPE_CHECKING:
    import datasets

PARQUET, XLSX = ".parquet", ".xlsx"
GZIP = ".gz"
TAB = "\t"

# What a file is that begins with these bytes, and what to do if it has the ending of a text file.
FIRST_BYTES = {
    b"\x1f\x8b": "a gzip file: add .gz to its name",
    b"BZh": "a bzip2 file: decompress it first",
    b"\xfd7zXZ\x00": "an xz file: decompress it first",
    b"\x28\xb5\x2f\xfd": "a Zstandard file: decompress it first",
    b"PK\x03\x04": "a zip file or a spreadsheet: unpack it, or save the table as .csv",
    b"PAR1": "a Parquet file: rename it to .parquet",
}

# What openpyxl takes for a cell, also for an empty one before the last row and column.
BYTES_PER_CELL = 200

# What openpyxl raises for damaged files.
DAMAGED = (BadZipFile, ParseError, zlib.error, AttributeError, EOFError, LookupError, TypeError, ValueError)

# How the names of the types of numbers begin in `datasets`.
NUMBER_TYPES = ("int", "uint", "float")

# A folder that `save_to_disk` wrote holds one of these files.
SAVED_TO_DISK = frozenset({"dataset_info.json", "dataset_dict.json"})

# What `datasets` raises for data that it cannot load, also damaged archives, which it reads as data.
LOADING_ERRORS = (OSError, ValueError, RuntimeError, EOFError, BadZipFile, zlib.error)

# What `datasets` says of a split that a data set does not have.
UNKNOWN_SPLIT = re.compile(r"Unknown split .* Should be one of \[(.*)\]")


def file_type(path: Path) -> str:
    """Return the ending of a file that says how it is read, without the `.gz` of a compressed text."""
    return Path(path.stem).suffix if path.suffix == GZIP else path.suffix


def open_file(path: Path, delimiter: str | None = None) -> Rows:
    """Return the rows of a file.

    Args:
        path: A file with one of the endings in `FILE_TYPES`, and `.gz` after it if it is a compressed text.
        delimiter: The character between columns; None for that of the file's ending.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file")
    ending = file_type(path)
    if ending not in FILE_TYPES or (path.suffix == GZIP and ending in {PARQUET, XLSX}):
        shown = "".join(path.suffixes[-2:]) if path.suffix == GZIP else path.suffix
        problem = f"unknown file type {shown!r}" if shown else "the file name has no ending"
        raise InputError(f"{path}: {problem}; expected {', '.join(FILE_TYPES)}, or a text file compressed as {GZIP}")
    raise_first(
        (
            delimiter is not None and ending not in DELIMITED,
            f"{param('delimiter')} is for {', '.join(DELIMITED)} files, not for {path}: remove it",
        ),
        (path.stat().st_size == 0, f"{path} is empty; expected one row per line"),
    )
    if ending == PARQUET:
        return table_rows(load_parquet(path), str(path))
    if ending == XLSX:
        return Rows(partial(_spreadsheet, path))
    if path.suffix == GZIP:
        with _gzip_errors(path):
            check_gzip(path)
    require_text(path)
    if ending == ".csv" and delimiter is None:
        header = next((line for _, line in numbered_lines(path)), "")
        delimiter = ";" if ";" in header and "," not in header else None
    read = READERS[ending] if delimiter is None else partial(_delimited, delimiter=delimiter)
    return Rows(partial(read, path), has_types=ending not in DELIMITED)


def require_text(path: Path) -> None:
    """Check that a file is not compressed or of another type."""
    with _open(path) as file, _gzip_errors(path):
        beginning = file.read(max(map(len, FIRST_BYTES)))
    for first_bytes, problem in FIRST_BYTES.items():
        if beginning.startswith(first_bytes):
            raise InputError(f"{path} is {problem}")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file, with their numbers from 1."""
    with _open(path) as file, _gzip_errors(path):
        for number, line in enumerate(file, start=1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path} line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not valid UTF-8; "
                    "save the file as UTF-8"
                ) from error


def _open(path: Path) -> BinaryIO:
    with explained(OSError, f"{path} cannot be read: {REASON}"):
        return cast("BinaryIO", gzip.open(path)) if path.suffix == GZIP else path.open("rb")


def _gzip_errors(path: Path) -> AbstractContextManager[None]:
    return explained(
        (gzip.BadGzipFile, EOFError, zlib.error),
        f"{path} is not a complete gzip file ({REASON}): download or compress it again",
    )


def _json(path: Path) -> Iterator[SourceRow]:
    """Read an array of objects; a file that does not begin as one is read as JSON lines, which often end in .json."""
    text = "".join(line for _, line in numbered_lines(path))
    if text.lstrip().startswith("["):
        for number, values in enumerate(_json_value(text, str(path), "an array of objects"), start=1):
            yield _object(values, f"{path} item {number}")
    else:
        yield from _json_lines(path)


def _json_lines(path: Path) -> Iterator[SourceRow]:
    for number, line in numbered_lines(path):
        if line.strip():
            location = f"{path} line {number}"
            yield _object(_json_value(line, location, "one JSON object per line"), location)


def _json_value(text: str, location: str, expected: str) -> Any:  # noqa: ANN401 - any JSON value
    with explained((ValueError, RecursionError), f"{location} is not valid JSON ({REASON}); expected {expected}"):
        return json.loads(text)


def _object(values: object, location: str) -> SourceRow:
    if not isinstance(values, dict):
        raise InputError(f"{location} is not a JSON object: {json.dumps(values, ensure_ascii=False)[:80]}")
    return SourceRow(location, values)


def _delimited(path: Path, delimiter: str) -> Iterator[SourceRow]:
    """Read the rows of a text with columns.

    If the delimiter is the tab, quotation marks are part of the text, as in the files of the NLI corpora.
    """
    quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == TAB else csv.QUOTE_MINIMAL
    lines = (text for _, text in numbered_lines(path))
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=delimiter != TAB)
    end = 0
    try:
        header = next(reader)
        _require_unique(header, f"{path} line 1")
        other = _other_delimiter(header, delimiter)
        if other is not None:
            raise InputError(
                f"{path} line 1 ({', '.join(header)!r}) has {'tabs' if other == TAB else repr(other)} between its "
                f"columns: set {param('delimiter', 'tab' if other == TAB else other)}"
            )
        end = reader.line_num
        for fields in reader:
            location, end = f"{path} line {end + 1}", reader.line_num
            if not fields:
                continue
            if len(fields) != len(header):
                raise InputError(
                    f"{location} has {count(len(fields), 'field')}; the header has {count(len(header), 'column')}"
                )
            yield SourceRow(location, dict(zip(header, fields, strict=True)), f"{path} line 1")
    except csv.Error as error:
        # The error is often far behind its cause: a quotation mark that is not closed takes in all lines after it.
        raise InputError(
            f"{path}: the row that begins at line {end + 1} cannot be read up to line {reader.line_num} ({error}); "
            "close its quotation mark, and write a quotation mark within a field twice"
        ) from error


def _other_delimiter(header: Sequence[str], delimiter: str) -> str | None:
    """Return the delimiter of a file that was read with another one, as its header shows; None for the right one."""
    if delimiter != TAB and any(TAB in name for name in header):
        return TAB
    return next((other for other in ";|," if other in header[0]), None) if len(header) == 1 else None


# The delimiter of each type of text with columns, by the file's ending.
DELIMITED = {".csv": ",", ".tsv": TAB, ".txt": TAB}


# The function that reads each type of text, by the file's ending.
READERS: dict[str, Callable[[Path], Iterator[SourceRow]]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    **{ending: partial(_delimited, delimiter=delimiter) for ending, delimiter in DELIMITED.items()},
}


# The endings of files of problems.
FILE_TYPES = (*READERS, XLSX, PARQUET)


def read_xlsx(path: Path) -> list[Sequence[Any]]:
    """Return the cells of the first sheet of a spreadsheet, row by row."""
    with explained(ImportError, f"openpyxl is not installed: run {install_command('annotate')}"):
        from openpyxl import load_workbook
    content = path.read_bytes()
    with explained(DAMAGED, f"{path} cannot be read as a spreadsheet ({REASON}): save it as .xlsx again"):
        check_zip(path)
        sheet = load_workbook(io.BytesIO(content), data_only=True).worksheets[0]
        check_size(path, sheet.max_row * sheet.max_column * BYTES_PER_CELL, "to read its cells")
        return list(sheet.iter_rows(values_only=True))


def _spreadsheet(path: Path) -> Iterator[SourceRow]:
    header, *rows = read_xlsx(path) or [()]
    _require_unique([name for name in header if name is not None], f"{path} row 1")
    for number, cells in enumerate(rows, start=2):
        if any(cell is not None for cell in cells):
            values = {str(name): cell for name, cell in zip(header, cells, strict=True) if name is not None}
            yield SourceRow(f"{path} row {number}", values, f"{path} row 1")


def _require_unique(header: Sequence[str], location: str) -> None:
    duplicate = next((name for name in header if header.count(name) > 1), None)
    if duplicate is not None:
        raise InputError(f"{location}: duplicate column {duplicate!r}; rename one of them")


def table_rows(table: datasets.Dataset | list[Mapping[str, Any]], name: str) -> Rows:
    """Return the rows of a table.

    Args:
        table: A data set, or a list of dicts.
        name: The table's name in messages.
    """
    features = getattr(table, "features", None) or {}

    def read() -> Iterator[SourceRow]:
        for number, values in enumerate(table, start=1):
            yield SourceRow(f"{name} row {number}", values)

    label_names = {column: tuple(of.names) for column, of in features.items() if getattr(of, "names", None)}
    types = {column: str(getattr(of, "dtype", None)) for column, of in features.items()}
    return Rows(read, label_names, {column: name.startswith(NUMBER_TYPES) for column, name in types.items()})


def table_in_memory(data: object) -> datasets.Dataset | list[Mapping[str, Any]]:
    """Return problems in memory as a table.

    Args:
        data: A `datasets.Dataset`, a pandas or Polars frame, an Arrow table, or a list of dicts. A list is returned as
            it is, since its values need not have one type per column.
    """
    kind = type(data).__name__
    if isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        return data
    if "datasets" in sys.modules and isinstance(data, sys.modules["datasets"].Dataset):
        return data.with_format(None)
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"{param('problems')} has the type {kind}: give a file, a folder, a Hub id, or in Python one split as a "
            "datasets.Dataset, a pandas or Polars frame, an Arrow table or a list of dicts"
        )
    import datasets
    import pyarrow as pa

    errors = (pa.ArrowException, TypeError, ValueError)
    with explained(errors, f"{param('problems')}: {kind} cannot be converted to Arrow: {REASON}"):
        return datasets.Dataset(pa.table(data))


def load_parquet(path: Path) -> datasets.Dataset:
    """Load a Parquet file, which must have a row."""
    import datasets
    import pyarrow as pa

    try:
        with open_parquet(path) as file:
            rows = file.metadata.num_rows
        if rows:
            return _load_files("parquet", split="train", data_files=glob.escape(str(path)))
    except InputError:
        raise
    except (OSError, ValueError, pa.ArrowException, datasets.exceptions.DatasetsError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {_cause(error)}") from error
    raise InputError(f"{path} has no rows")


def load_dataset(name: str, config: str | None, split: str | None) -> datasets.Dataset:
    """Load a split of a data set.

    Args:
        name: A folder that `save_to_disk` wrote, one of data files, or a Hub id, `ORG/NAME` or `ORG/NAME@REVISION`.
        config: The config; None if there is only one.
        split: The split.
    """
    import datasets

    folder, (hub_id, revision) = Path(name), split_revision(name)
    try:
        if not folder.is_dir():
            loaded = datasets.load_dataset(hub_id, config, split=split, revision=revision)
        elif SAVED_TO_DISK & {path.name for path in folder.iterdir()}:
            loaded = datasets.load_from_disk(folder)  # all splits if they were saved together
        else:
            for path in folder.rglob(f"*{PARQUET}"):
                open_parquet(path).close()  # too large a file is not read
            loaded = _load_files(str(folder.resolve()), name=config, split=split)
    except InputError:
        raise
    except (*LOADING_ERRORS, datasets.exceptions.DatasetsError) as error:
        if splits := UNKNOWN_SPLIT.match(str(error)):
            raise _no_split(name, split, splits[1]) from error
        of_config, known = "" if config is None else f", config {config}", known_dataset(name, config)
        advice = (known and known.note) or "give a file, a folder or a Hub id that you have access to"
        raise InputError(f"cannot load data set {name}{of_config}, split {split}: {_cause(error)}; {advice}") from error
    if not isinstance(loaded, datasets.DatasetDict):
        return loaded
    if split not in loaded:
        raise _no_split(name, split, ", ".join(map(repr, loaded)))
    return loaded[split]


def _load_files(path: str, **arguments: Any) -> datasets.Dataset:  # noqa: ANN401 - as `datasets.load_dataset`
    """Load data files; takes the arguments of `datasets.load_dataset`.

    In its usual cache the library would keep the old rows of files that have changed. The files of the temporary cache
    are memory-mapped: the rows stay readable after the cache is deleted.
    """
    import datasets

    with without_library_bars(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        return datasets.load_dataset(path, cache_dir=cache, **arguments)


def _no_split(name: str, split: str | None, splits: str) -> InputError:
    return InputError(f"{name} has no split {split!r}: choose from its splits, {splits}")


def _cause(error: Exception) -> str:
    """Return the reason of an error; `datasets` puts a general sentence around the error of a file."""
    is_general = type(error).__name__.startswith("DatasetGeneration")
    return reason(error.__cause__ if is_general and error.__cause__ is not None else error)
