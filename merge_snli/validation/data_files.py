"""Check all data files: the rows of configs `all` and `seed`, and the files that a run derives from these two."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from generation.output.write_data import write_data
from generation.seeds_from import read_seeds
from generation.sentences.whole_words import METHOD_VERSION
from merge_snli.dataset import RUN_FILE
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_file
from merge_snli.schema import ALL, SEED, TEST, features
from merge_snli.validation.finding import quoted
from merge_snli.validation.parquet import READ_ERRORS, read_table
from merge_snli.validation.record import SEEDS, VARIANTS
from merge_snli.validation.resources import find_resources
from merge_snli.validation.rows import check_rows

if TYPE_CHECKING:
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.record import RecordedRun

ROWS_PER_COMPARISON = 10_000


def check_data_files(folder: Path, run: RecordedRun, tagger: str | None, collector: Collector) -> None:
    """Check the columns and rows of the data files.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        tagger: The spaCy pipeline that the user names; None for the recorded one.
        collector: Gets the findings and counts.
    """
    collector.count("data files", sum((folder / name).is_file() for name in run.files))
    variants, seeds = (_read(folder, name, run, collector) for name in (VARIANTS, SEEDS))
    if variants is None or seeds is None:
        collector.skip(f"rows: {VARIANTS} or {SEEDS} is missing or damaged")
        for name in sorted(set(run.files) - {VARIANTS, SEEDS}):
            _read(folder, name, run, collector)
        return
    if run.record.method_version == METHOD_VERSION:
        check_rows(variants, seeds, run, find_resources(run, tagger, collector), collector)
    else:
        collector.skip(f"rows: written by method version {run.record.method_version}, this is {METHOD_VERSION}")
    _check_derived(folder, run, collector)


def _read(folder: Path, name: str, run: RecordedRun, collector: Collector) -> pa.Table | None:
    config = Path(name).parent.name
    schema = features(config, run.label_names, run.options.classes, run.options.keep_column).arrow_schema
    return read_table(folder, name, schema, collector)


def _check_derived(folder: Path, run: RecordedRun, collector: Collector) -> None:
    """Write the data set again from configs `all` and `seed`, and compare files, counts and seeds."""
    with tempfile.TemporaryDirectory() as copy:
        try:
            written = write_data(Path(copy), [folder / VARIANTS], [folder / SEEDS], run.options, run.label_names)
        except READ_ERRORS:
            collector.skip(f"derived files: {VARIANTS} has invalid rows")
            return
        _check_bytes(folder, Path(copy), run, collector)
    record = run.record
    collector.compare(RUN_FILE, "data.rows", record.data.rows, written.rows, "the data has")
    recorded, found = (
        {config: asdict(counts) for config, counts in composition.items()}
        for composition in (record.composition, written.composition)
    )
    collector.compare(RUN_FILE, "composition", recorded, found, "the data has")
    if record.seeds is not None:
        try:
            digest = read_seeds(str(folder), run.options.classes).digest
        except InputError:  # another digest of a file, which is reported
            return
        collector.compare(RUN_FILE, "seeds.digest", record.seeds.digest, digest, "the data has")


def _check_bytes(folder: Path, copy: Path, run: RecordedRun, collector: Collector) -> None:
    """Report files with other rows than those of the copy, and files with the same rows but other bytes."""
    different = [
        name
        for name in run.files
        if (folder / name).is_file()
        and not ((copy / name).is_file() and sha256_of_file(folder / name) == sha256_of_file(copy / name))
    ]
    same_rows = [name for name in different if _has_same_rows(folder, copy, name, run, collector)]
    version = run.record.versions.get("pyarrow")
    if version != pa.__version__:
        collector.skip(f"bytes of the data files: written by pyarrow {version}, this is {pa.__version__}")
    elif len(same_rows) * 2 > len(run.files):
        collector.skip(f"bytes of the data files: this build of pyarrow {pa.__version__} compresses differently")
    else:
        for name in same_rows:
            collector.find(name, None, None, "has other bytes than its rows give: other readers may find other rows")


def _has_same_rows(folder: Path, copy: Path, name: str, run: RecordedRun, collector: Collector) -> bool:
    """Return whether a file and its copy have the same rows; the first difference is reported.

    A surplus or missing row shifts all later rows.
    """
    found = _read(folder, name, run, collector)
    if found is None:
        return False
    expected = pq.read_table(copy / name, partitioning=None) if (copy / name).is_file() else found.slice(0, 0)
    for first in range(0, max(found.num_rows, expected.num_rows), ROWS_PER_COMPARISON):
        rows, expected_rows = (table.slice(first, ROWS_PER_COMPARISON).to_pylist() for table in (found, expected))
        for number, (row, expected_row) in enumerate(zip(rows, expected_rows, strict=False), first):
            for column, value in expected_row.items():
                if repr(row[column]) != repr(value):  # NaN equals NaN
                    message = f"is {quoted(row[column])}; config {ALL}, split {TEST} has {quoted(value)}"
                    collector.find(name, number, column, message)
                    return False
    if found.num_rows != expected.num_rows:
        source = f"config {SEED if name == SEEDS else ALL}, split {TEST}"
        number = min(found.num_rows, expected.num_rows)
        problem = "is missing" if number == found.num_rows else "is not expected"
        collector.find(name, number, None, f"{problem}: {source} gives {expected.num_rows:,} rows")
        return False
    return True
