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

from generation.output.merge import merge_files
from merge_snli.files import sha256_of_file, sha256_of_json
from merge_snli.parquet_files import ROWS_PER_GROUP, write_tables
from merge_snli.record import Composition, DataRecord
from merge_snli.schema import ALL, SEED, TEST, data_file, features, subsample_split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.options import Options

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
        every = folder / data_file(config, TEST)
        test = (
            _rows_of_class(all_variants, config)
            if config in options.classes
            else _merge(seeds if config == SEED else variants, folder)
        )
        draws = {} if config == SEED else {subsample_split(nth): nth for nth in range(options.subsamples)}
        parts = ((split, _rows_of_subsample(every, subsample)) for split, subsample in draws.items())
        for split, tables in chain([(TEST, test)], parts):
            row_count = write_tables(folder / data_file(config, split), tables, schema, dictionaries=REPEATED_COLUMNS)
            if not row_count:
                break  # a config without rows has no subsamples
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


def _rows_of_class(all_variants: Path, word_class: str) -> Iterator[pa.Table]:
    """Yield the rows of a word class from the file of config `all`."""
    return (table.filter(pc.equal(table["word_class"], word_class)) for table in _read(all_variants))


def _rows_of_subsample(test: Path, subsample: int) -> Iterator[pa.Table]:
    """Yield the rows of a subsample from the file of a config's split `test`."""
    for table in _read(test):
        subsamples = table["subsamples"].combine_chunks()
        drawn = pc.equal(pc.list_flatten(subsamples), subsample)
        yield table.take(pc.list_parent_indices(subsamples).filter(drawn))


def _read(path: Path) -> Iterator[pa.Table]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP):
            yield pa.Table.from_batches([batch])


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
