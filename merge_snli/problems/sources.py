"""RunInputs of problems: JSON lines, CSV, TSV, Parquet, and data sets of `datasets`, each row with where it stands."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from merge_snli.embedded import embedded_path
from merge_snli.errors import InputError, reason
from merge_snli.files import is_path
from merge_snli.hub import split_revision
from merge_snli.problems.known_datasets import known_dataset

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions

PARQUET_BATCH_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a source, its values as they stand there."""

    where: str
    premise: Any
    hypothesis: Any
    label: Any
    id: Any
    kept: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Source:
    """Rows, read as they are asked for, and the label names where the source has them."""

    rows: Iterator[Row]
    label_names: tuple[str, ...] | None


HOW_TO_NAME = {
    **{role: f"name the {role} with --{role}-column" for role in ("premise", "hypothesis", "label", "id")},
    "keep": "name one of them with --keep-column",
}
"""What to do where a column is missing."""

Record = tuple[str, Mapping[str, Any]]
"""Where a row stands, and its columns."""


def open_source(options: ProblemOptions) -> Source:
    """Open the source that `options.problems` names.

    Args:
        options: `problems`, `split` and the column names are read.

    Raises:
        InputError: Where there is no such file or data set, it cannot be read, or a column is missing.
    """
    path = embedded_path(options.problems) or Path(options.problems)
    if path.is_dir():
        return _dataset_source(options, _folder_dataset)
    if path.is_file():
        return Source(_rows(_file_records(path), options), _parquet_label_names(path, options))
    if path.suffix in READERS or is_path(options.problems):
        raise InputError(f"no such file: {options.problems} (give a .jsonl, .csv, .tsv or .parquet file, or a Hub id)")
    return _dataset_source(options, _hub_dataset)


def _rows(records: Iterator[Record], options: ProblemOptions) -> Iterator[Row]:
    for where, record in records:
        yield Row(
            where,
            _value(record, where, options.premise_column, "premise"),
            _value(record, where, options.hypothesis_column, "hypothesis"),
            _value(record, where, options.label_column, "label"),
            None if options.id_column is None else _value(record, where, options.id_column, "id"),
            tuple(_value(record, where, name, "keep") for name in options.keep_column),
        )


def _value(record: Mapping[str, Any], where: str, column: str, role: str) -> Any:  # noqa: ANN401 - a source's value
    if column not in record:
        there = ", ".join(str(name) for name in record) or "none"
        raise InputError(f"{where} has no column {column!r}; columns there: {there}; {HOW_TO_NAME[role]}")
    return record[column]


def _file_records(path: Path) -> Iterator[Record]:
    reader = READERS.get(path.suffix)
    if reader is None:
        known = ", ".join(READERS)
        raise InputError(
            f"{path}: a file of problems ends with one of {known}, not with {path.suffix or 'no ending'!r}"
        )
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty: it should hold NLI problems, one a line or row")
    return reader(path)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines as text; a line that is not UTF-8 is named."""
    with _open(path) as file:
        for number, raw in enumerate(file, start=1):
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path} line {number}: byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is "
                    "not UTF-8; save the file as UTF-8"
                ) from error


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _json_lines(path: Path) -> Iterator[Record]:
    for number, line in _lines(path):
        where = f"{path} line {number}"
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where} is no JSON ({reason(error)}); every line must be one JSON object") from error
        if not isinstance(record, dict):
            raise InputError(f"{where} is JSON but no object: {line.strip()[:80]}")
        yield where, record


def _csv(path: Path) -> Iterator[Record]:
    return _delimited(path, csv.reader((text for _, text in _lines(path)), strict=True))


def _tsv(path: Path) -> Iterator[Record]:
    """Read tab-separated values as the NLI corpora write them: quotation marks are text."""
    reader = csv.reader((text for _, text in _lines(path)), delimiter="\t", quoting=csv.QUOTE_NONE)
    return _delimited(path, reader)


def _delimited(path: Path, reader: Any) -> Iterator[Record]:  # noqa: ANN401 - csv's reader has no public type
    try:
        header = next(reader)
        twice = next((name for name in header if header.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"{path} line 1 names the column {twice!r} twice: rename one")
        for fields in reader:
            where = f"{path} line {reader.line_num}"
            if not fields:
                continue
            if len(fields) != len(header):
                raise InputError(f"{where} has {len(fields)} fields where the first line names {len(header)} columns")
            yield where, dict(zip(header, fields, strict=True))
    except csv.Error as error:
        raise InputError(f"{path} line {reader.line_num}: {error}") from error


def _parquet(path: Path) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    row = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(PARQUET_BATCH_ROWS):
                for record in batch.to_pylist():
                    row += 1
                    yield f"{path} row {row}", record
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {reason(error)}") from error


READERS: dict[str, Callable[[Path], Iterator[Record]]] = {
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}


def _parquet_label_names(path: Path, options: ProblemOptions) -> tuple[str, ...] | None:
    """Return the ClassLabel names that `datasets` wrote into a Parquet file, where there are any."""
    if path.suffix != ".parquet":
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from error
    try:
        names = json.loads(metadata[b"huggingface"])["info"]["features"][options.label_column]["names"]
    except (KeyError, ValueError, TypeError):
        return None
    return tuple(str(name) for name in names) if isinstance(names, list) and names else None


def _dataset_source(options: ProblemOptions, load: Callable[[ProblemOptions], Any]) -> Source:
    """Read one split of a data set; a ClassLabel names its labels."""
    dataset = load(options)
    feature = (dataset.features or {}).get(options.label_column)
    names = getattr(feature, "names", None)
    records = ((f"{options.problems} split {options.split} row {row}", record) for row, record in enumerate(dataset, 1))
    return Source(_rows(records, options), None if names is None else tuple(names))


def _folder_dataset(options: ProblemOptions) -> Any:  # noqa: ANN401 - datasets is imported late
    import datasets

    folder = Path(options.problems)
    saved = {"dataset_info.json", "dataset_dict.json"}
    if not saved & {path.name for path in folder.iterdir()}:
        # A cache of its own: the library's would give the old rows of a folder that was written again. Its files are
        # mapped, not read, into memory, and stay on the disk without a name until nothing maps them any more.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            return _load(options, str(folder.resolve()), cache_dir=cache)
    try:
        loaded = datasets.load_from_disk(folder)
    except (OSError, ValueError) as error:
        raise InputError(f"the data set in {folder} cannot be read: {reason(error)}") from error
    if isinstance(loaded, datasets.DatasetDict):
        if options.split not in loaded:
            raise InputError(f"{folder} has no split {options.split!r}; splits there: {', '.join(loaded)}; use --split")
        return loaded[options.split]
    return loaded


def _hub_dataset(options: ProblemOptions) -> Any:  # noqa: ANN401 - datasets is imported late
    hub_id, revision = split_revision(options.problems)
    return _load(options, hub_id, revision=revision)


def _load(options: ProblemOptions, path: str, **how: Any) -> Any:  # noqa: ANN401 - datasets is imported late
    import datasets

    try:
        return datasets.load_dataset(path, options.config, split=options.split, **how)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        of_config = "" if options.config is None else f", configuration {options.config}"
        known = known_dataset(options.problems)
        raise InputError(
            f"problems {options.problems}{of_config}, split {options.split}, are no file here and could not be loaded "
            f"as a data set ({reason(error)}); "
            + (known.note if known and known.note else "give a file, a folder or a Hub id that you can reach")
        ) from error
