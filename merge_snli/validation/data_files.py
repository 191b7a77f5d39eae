"""Check all data files of a run: rows of variants and seeds, and the files that are derived from these two."""

import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa

from generation.output.write_data import write_data
from generation.seeds_from import read_seeds
from generation.work import METHOD_VERSION
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.base.progress import step
from merge_snli.dataset.parquet_files import COMPRESSION_LEVEL
from merge_snli.dataset.record import ConfigRecord, generation_of
from merge_snli.dataset.record_file import as_json
from merge_snli.dataset.stored import RUN_FILE
from merge_snli.schema import ALL, SEED, TEST
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.parquet import READ_ERRORS, check_table, read_tables
from merge_snli.validation.recorded_run import SEEDS, VARIANTS, RecordedRun
from merge_snli.validation.rows import check_rows
from merge_snli.validation.seeds import Row


def check_data_files(folder: Path, run: RecordedRun, tagger: str | None, collector: Collector) -> None:
    """Check the columns and rows of the data files.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        tagger: The spaCy pipeline that the user names; None for the recorded one.
        collector: Gets the findings and counts.
    """
    collector.count("data files", sum((folder / name).is_file() for name in run.record.data_files))
    with step("checking columns", 2, "files"):
        unreadable = [name for name in (VARIANTS, SEEDS) if not _check_table(folder, name, run, collector)]
    if unreadable:
        collector.skip(f"rows: {' and '.join(unreadable)} cannot be read")
        for name in sorted(set(run.record.data_files) - {VARIANTS, SEEDS}):
            _check_table(folder, name, run, collector)
        return
    if run.record.method_version == METHOD_VERSION:
        check_rows(folder, run, tagger, collector)
    else:
        collector.skip(f"rows: written by method version {run.record.method_version}, this is {METHOD_VERSION}")
    _check_derived(folder, run, collector)


def _check_table(folder: Path, name: str, run: RecordedRun, collector: Collector) -> bool:
    return check_table(folder, name, run.record.features(Path(name).parent.name).arrow_schema, collector)


def _check_derived(folder: Path, run: RecordedRun, collector: Collector) -> None:
    """Write the data set again from configs `all` and `seed`, and compare files, counts and seeds."""
    written_by = run.record.versions.get("pyarrow")
    # Compressing as a run does takes most of the time, and only shows anything for files of the same pyarrow.
    level = COMPRESSION_LEVEL if written_by == pa.__version__ else 1
    with tempfile.TemporaryDirectory() as copy:
        try:
            with step("writing files again", len(run.record.data_files), "files"):
                files = [folder / VARIANTS], [folder / SEEDS]
                configs = write_data(Path(copy), *files, run.options, run.record.label_names, level=level)
        except READ_ERRORS:
            collector.skip(f"derived files: {VARIANTS} has invalid rows")
            return
        _check_bytes(folder, Path(copy), run, collector)
    compare_configs(run.record.configs, configs, collector)
    recorded = generation_of(run.record).seeds
    if recorded is not None:
        with suppress(InputError):  # files that have changed, which are findings
            seeds = read_seeds(str(folder), run.options.classes)
            collector.compare(RUN_FILE, "generation.seeds.digest", recorded.digest, seeds.digest, "the data has")


def compare_configs(
    recorded: Mapping[str, ConfigRecord], given: Mapping[str, ConfigRecord], collector: Collector
) -> None:
    """Report what the record says of configs other than the data.

    Args:
        recorded: The configs of the record.
        given: The configs that the data gives.
        collector: Gets the findings.
    """
    if list(recorded) != list(given):
        collector.find(RUN_FILE, None, "configs", f"has {', '.join(recorded)}; the data has {', '.join(given)}")
    for name in recorded.keys() & given.keys():
        collector.compare(RUN_FILE, f"configs.{name}", as_json(recorded[name]), as_json(given[name]), "the data has")


def _check_bytes(folder: Path, copy: Path, run: RecordedRun, collector: Collector) -> None:
    """Report files with other rows than those of the copy, and files with the same rows but other bytes."""
    same_rows = []
    for name in run.record.data_files:
        stored = folder / name
        written = copy / name
        if not stored.is_file() or (written.is_file() and sha256_of_file(stored) == sha256_of_file(written)):
            continue
        if not _check_table(folder, name, run, collector):
            continue
        expected = read_tables(written) if written.is_file() else ()
        source = f"config {SEED if name == SEEDS else ALL}, split {TEST}"
        if not find_difference(name, read_tables(stored), expected, source, collector):
            same_rows.append(name)
    version = run.record.versions.get("pyarrow")
    if version != pa.__version__:
        collector.skip(f"bytes of the data files: written by pyarrow {version}, this is {pa.__version__}")
    elif len(same_rows) * 2 > len(run.record.data_files):
        collector.skip(f"bytes of the data files: this build of pyarrow {pa.__version__} compresses differently")
    else:
        for name in same_rows:
            collector.find(name, None, None, "has other bytes than its rows give: other readers may find other rows")


def find_difference(
    name: str, tables: Iterable[pa.Table], expected_tables: Iterable[pa.Table], source: str, collector: Collector
) -> bool:
    """Report the first row that differs from the expected one, and return whether there is one.

    A surplus or missing row shifts all later rows, so only the first difference is reported.

    Args:
        name: The file's relative path.
        tables: Rows of the file.
        expected_tables: The expected rows, in tables of as many rows.
        source: Where they come from, for the message.
        collector: Gets the finding.
    """
    number = 0
    for table, expected_table in zip_longest(tables, expected_tables):
        if table is not None and table.equals(expected_table):
            number += table.num_rows
            continue
        rows, expected_rows = ([] if rows is None else rows.to_pylist() for rows in (table, expected_table))
        for row, expected in zip_longest(rows, expected_rows):
            found = _difference(row, expected, source)
            if found is not None:
                collector.find(name, number, *found)
                return True
            number += 1
    return False


def _difference(row: Row | None, expected: Row | None, source: str) -> tuple[str | None, str] | None:
    """Return the first column in which a row differs from the expected one, and a message; None if there is none."""
    if row is None:
        return None, f"is missing: {source} has more rows"
    if expected is None:
        return None, f"is not in {source}"
    for column, value in row.items():
        if repr(value) != repr(expected[column]):  # NaN equals NaN
            return column, f"is {quoted(value)}; {source} has {quoted(expected[column])}"
    return None
