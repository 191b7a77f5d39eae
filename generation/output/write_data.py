"""Write the Parquet files of a data set: the rows of all shards in one order, one file per config and split."""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generation.output.merge import merge_files, rebatch
from merge_snli.files import sha256_of_file, sha256_of_json
from merge_snli.record import Composition, DataRecord
from merge_snli.schema import ALL, SEED, TEST, data_file, features, subsample_split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import RawIOBase

    from generation.options import Options

ROWS_PER_GROUP = 10_000
COMPRESSION_LEVEL = 12
"""Compression level of zstd; files are written once and read often."""

REPEATED_COLUMNS = ["seed_id", "label", "seed_premise", "seed_hypothesis", "word_class", "original"]
"""Columns with repeated values, for which dictionary encoding saves space."""


def write_data(
    folder: Path, variants: Sequence[Path], seeds: Sequence[Path], options: Options, label_names: Sequence[str]
) -> tuple[DataRecord, dict[str, Composition]]:
    """Write every config that has rows.

    Args:
        folder: An empty folder.
        variants: Files with rows of config `all`, each sorted by seed id.
        seeds: Files with rows of config `seed`, each sorted by seed id.
        options: Only `classes`, `subsamples` and `keep_column` are read.
        label_names: Label names in the order of their numbers.

    Returns:
        The record of the files, and the seeds and variants by config (the paper's Table 2).
    """
    rows: dict[str, dict[str, int]] = {}
    all_variants = folder / data_file(ALL, TEST)
    for config in (ALL, *options.classes, SEED):
        schema = features(config, label_names, options.classes, options.keep_column).arrow_schema
        test = (
            _select(all_variants, config)
            if config in options.classes
            else _merge(seeds if config == SEED else variants, folder)
        )
        draws = {} if config == SEED else {subsample_split(nth): nth for nth in range(options.subsamples)}
        parts = ((split, _select(all_variants, config, subsample)) for split, subsample in draws.items())
        for split, tables in chain([(TEST, test)], parts):
            row_count = _write(folder / data_file(config, split), tables, schema)
            if row_count:
                rows.setdefault(config, {})[split] = row_count
    files = {
        data_file(config, split): sha256_of_file(folder / data_file(config, split))
        for config, splits in rows.items()
        for split in splits
    }
    composition = _composition(all_variants, [config for config in rows if config != SEED], label_names)
    return DataRecord(sha256_of_json(files), files, rows), composition


def _merge(files: Sequence[Path], folder: Path) -> Iterator[pa.Table]:
    """Merge the rows of the shards; intermediate files are deleted after the last row."""
    with tempfile.TemporaryDirectory(dir=folder) as intermediate:
        yield from merge_files(files, "seed_id", Path(intermediate))


def _select(all_variants: Path, config: str, subsample: int | None = None) -> Iterator[pa.Table]:
    """Yield the rows of a config, or of one of its subsamples, from the file of config `all`."""
    with pq.ParquetFile(all_variants) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP):
            table = pa.Table.from_batches([batch])
            if subsample is not None:
                table = table.take(_rows_of_subsample(table["subsamples"].combine_chunks(), subsample))
            yield table if config == ALL else table.filter(pc.equal(table["word_class"], config))


def _rows_of_subsample(subsamples: pa.ListArray, index: int) -> pa.Array:
    return pc.list_parent_indices(subsamples).filter(pc.equal(pc.list_flatten(subsamples), index))


def _write(path: Path, tables: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write tables to a file in row groups of `ROWS_PER_GROUP` and return the number of rows; write no empty file."""
    groups = rebatch(tables, ROWS_PER_GROUP)
    first = next(groups, None)
    if first is None:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with parquet_writer(path, schema) as writer:
        row_count = 0
        for group in chain([first], groups):
            writer.write_table(group.cast(schema).replace_schema_metadata(schema.metadata), ROWS_PER_GROUP)
            row_count += group.num_rows
    return row_count


def parquet_writer(target: Path | RawIOBase, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a Parquet writer whose output is deterministic for a version of pyarrow.

    Args:
        target: The path of a file, or a binary stream.
        schema: The columns. Write each row group as a table with one chunk per column and exactly this schema.
    """
    dictionaries = [name for name in REPEATED_COLUMNS if name in schema.names]
    return pq.ParquetWriter(
        target, schema, compression="zstd", compression_level=COMPRESSION_LEVEL, use_dictionary=dictionaries
    )


def _composition(all_variants: Path, configs: Sequence[str], label_names: Sequence[str]) -> dict[str, Composition]:
    """Count the seeds, variants and labels of each config."""
    variants: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = {config: Counter() for config in configs}
    for (_, label), rows in groupby(_seeds(all_variants), key=lambda row: row[:2]):
        classes = Counter(word_class for *_, word_class in rows)
        for config in (ALL, *classes):
            labels[config][label_names[label]] += 1
            variants[config] += classes[config] if config != ALL else classes.total()
    return {
        config: Composition(
            seeds=labels[config].total(),
            variants=variants[config],
            labels={name: labels[config][name] for name in label_names},
        )
        for config in configs
    }


def _seeds(all_variants: Path) -> Iterator[tuple[str, int, str]]:
    """Yield seed id, label and word class of every row of config `all`."""
    with pq.ParquetFile(all_variants) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP, columns=["seed_id", "label", "word_class"]):
            yield from zip(*(batch[name].to_pylist() for name in ("seed_id", "label", "word_class")), strict=True)
