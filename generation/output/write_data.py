"""Write the Parquet files of a data set: the rows of all shards in one order, one file per config and split."""

import heapq
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generation.options import Options
from merge_snli.dataset.config_record import config_record
from merge_snli.dataset.parquet_files import COMPRESSION_LEVEL, ROWS_PER_GROUP, rebatch, write_tables
from merge_snli.dataset.record import ConfigRecord
from merge_snli.dataset.texts import text_names
from merge_snli.schema import ALL, SEED, TEST, columns, data_file, features_of, subsample_split

# Columns with repeated values, for which dictionary encoding saves space.
REPEATED_COLUMNS = ["seed_id", "label", "seed_premise", "seed_hypothesis", "word_class", "original"]

GROUP_COLUMN = "seed_id"
# What each config contains.
DESCRIPTIONS = {
    ALL: "the variants of all word classes",
    "noun": "variants with a noun replaced",
    "verb": "variants with a verb replaced",
    "adj": "variants with an adjective replaced",
    "adv": "variants with an adverb replaced",
    SEED: "the seed problems",
}

# The config and the split of a file, and its rows.
Part: TypeAlias = tuple[str, str, Iterable[pa.Table]]

MAX_OPEN_FILES = 64
# Rows read from one file at a time.
ROWS_PER_READ = 500


def write_data(
    folder: Path,
    variants: Sequence[Path],
    seeds: Sequence[Path],
    options: Options,
    label_names: Sequence[str],
    *,
    threads: int = 1,
    level: int = COMPRESSION_LEVEL,
) -> dict[str, ConfigRecord]:
    """Write every config that has rows.

    Args:
        folder: An empty folder.
        variants: Files with rows of config `all`, each sorted by seed id.
        seeds: Files with rows of config `seed`, each sorted by seed id.
        options: The word classes, the number of subsamples, and which columns of the problems are read or copied.
        label_names: Label names in the order of their numbers.
        threads: Number of files that are written at the same time.
        level: The compression level of the files.

    Returns:
        The configs, with their seeds and variants (the paper's Table 2).
    """
    texts = text_names((options.premise_column, options.hypothesis_column), label_names)
    subsamples = options.subsamples
    columns_of = partial(columns, classes=options.classes, extra=options.keep_column, texts=texts)

    def write(part: Part) -> int:
        config, split, tables = part
        schema = features_of(columns_of(config), label_names).arrow_schema
        path = folder / data_file(config, split)
        return write_tables(path, tables, schema, dictionaries=REPEATED_COLUMNS, level=level)

    all_variants = folder / data_file(ALL, TEST)
    rows: dict[str, dict[str, int]] = {}
    with ThreadPoolExecutor(threads) as pool:  # which compress at the same time
        merged: list[Part] = [(ALL, TEST, _merge(variants, folder)), (SEED, TEST, _merge(seeds, folder))]
        number_of_variants, number_of_seeds = pool.map(write, merged)
        of_classes: list[Part] = [(name, TEST, _rows_of_class(all_variants, name)) for name in options.classes]
        numbers = [number_of_variants, *pool.map(write, of_classes)]
        drawn = []
        for config, number in zip((ALL, *options.classes), numbers, strict=True):
            if number:
                rows[config] = {TEST: number}
                test = folder / data_file(config, TEST)
                drawn += [(config, subsample_split(nth), _rows_of_subsample(test, nth)) for nth in range(subsamples)]
        for (config, split, _), number in zip(drawn, pool.map(write, drawn), strict=True):
            rows[config][split] = number
    rows[SEED] = {TEST: number_of_seeds}
    configs = {}
    for config, splits in rows.items():
        table = pq.read_table(folder / data_file(config, TEST), columns=[GROUP_COLUMN, "label"])
        configs[config] = config_record(
            table,
            splits,
            columns_of(config),
            description=DESCRIPTIONS[config],
            group_column=GROUP_COLUMN,
            label_names=label_names,
        )
    return configs


def _merge(files: Sequence[Path], folder: Path) -> Iterator[pa.Table]:
    """Merge the rows of the shards; intermediate files are deleted after the last row."""
    with tempfile.TemporaryDirectory(dir=folder) as intermediate:
        yield from merge_files(files, GROUP_COLUMN, Path(intermediate))


def _rows_of_class(all_variants: Path, word_class: str) -> Iterator[pa.Table]:
    """Yield the rows of a word class from the file of config `all`."""
    return (table.filter(pc.equal(table["word_class"], word_class)) for table in _read(all_variants))


def _rows_of_subsample(test: Path, subsample: int) -> Iterator[pa.Table]:
    """Yield the rows of a subsample from the file of a config's split `test`."""
    for table in _read(test):
        subsamples = table["subsamples"].combine_chunks()
        yield table.take(pc.list_parent_indices(subsamples).filter(pc.equal(pc.list_flatten(subsamples), subsample)))


def _read(path: Path) -> Iterator[pa.Table]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP):
            yield pa.Table.from_batches([batch])


def merge_files(files: Sequence[Path], column: str, folder: Path) -> Iterator[pa.Table]:
    """Merge Parquet files by one column.

    Args:
        files: Files of one schema, each sorted by the column; no value of the column occurs in two files.
        column: A string column; rows with the same value keep their order.
        folder: An empty folder for intermediate files, used if there are more than `MAX_OPEN_FILES` files.

    Yields:
        The rows of all files, sorted by the code points of the column's values.
    """
    level = 0
    while len(files) > MAX_OPEN_FILES:
        groups = [files[first : first + MAX_OPEN_FILES] for first in range(0, len(files), MAX_OPEN_FILES)]
        files = [_write(group, column, folder / f"{level}-{nth}.parquet") for nth, group in enumerate(groups)]
        level += 1
    return (block for _, block in heapq.merge(*(_blocks(file, column) for file in files), key=itemgetter(0)))


def _blocks(file: Path, column: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of a file in blocks with one value of the column, each with that value."""
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(ROWS_PER_READ):
            values = batch[column].to_pylist()
            for value, indices in groupby(range(len(values)), key=values.__getitem__):
                rows = list(indices)
                yield value, pa.Table.from_batches([batch.slice(rows[0], len(rows))])


def _write(files: Sequence[Path], column: str, path: Path) -> Path:
    with pq.ParquetWriter(path, pq.read_schema(files[0]), compression="zstd") as writer:
        for table in rebatch(merge_files(files, column, path.parent), ROWS_PER_READ):
            writer.write_table(table)
    return path
