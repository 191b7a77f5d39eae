"""The data set's files: the rows of all shards in one order, streamed into one Parquet file a config and split."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generation.output.merge import merged, regrouped
from merge_snli.files import sha256_of_file
from merge_snli.record import Composition
from merge_snli.schema import ALL, SEED, TEST, data_file, features, subsample_split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import RawIOBase

    from generation.options import Options

ROWS_PER_GROUP = 10_000
COMPRESSION_LEVEL = 12
"""Of zstd: what is written once and read often is worth the time."""

REPEATED_COLUMNS = ["seed_id", "label", "seed_premise", "seed_hypothesis", "word_class", "original"]
"""Columns whose values repeat from row to row: a dictionary helps these and hurts the others."""


@dataclass(frozen=True)
class Written:
    """The files of a data set.

    Attributes:
        files: Their sha256 by relative name.
        rows: How many rows each split has, by config.
        composition: By config its seeds, variants and the labels of its seeds, in the shape of the paper's Table 2.
    """

    files: dict[str, str]
    rows: dict[str, dict[str, int]]
    composition: dict[str, Composition]


def write_data(
    folder: Path, variants: Sequence[Path], seeds: Sequence[Path], options: Options, label_names: Sequence[str]
) -> Written:
    """Write every config that has rows.

    Args:
        folder: An empty folder.
        variants: Files of rows of config `all`, each sorted by seed id.
        seeds: Files of rows of config `seed`, likewise.
        options: `classes`, `subsamples` and `keep_column` are read.
        label_names: Names of the labels in the order of their numbers.
    """
    rows: dict[str, dict[str, int]] = {}
    every = folder / data_file(ALL, TEST)
    for config in (ALL, *options.classes, SEED):
        schema = features(config, label_names, options.classes, options.keep_column).arrow_schema
        test = (
            _part(every, config)
            if config in options.classes
            else _merged(seeds if config == SEED else variants, folder)
        )
        draws = {} if config == SEED else {subsample_split(nth): nth for nth in range(options.subsamples)}
        parts = ((split, _part(every, config, subsample)) for split, subsample in draws.items())
        for split, tables in chain([(TEST, test)], parts):
            number = _write(folder / data_file(config, split), tables, schema)
            if number:
                rows.setdefault(config, {})[split] = number
    files = {
        data_file(config, split): sha256_of_file(folder / data_file(config, split))
        for config, of_config in rows.items()
        for split in of_config
    }
    return Written(files, rows, _composition(every, [config for config in rows if config != SEED], label_names))


def _merged(files: Sequence[Path], folder: Path) -> Iterator[pa.Table]:
    """Merge the shards' rows; intermediate files are gone when the last row was given."""
    with tempfile.TemporaryDirectory(dir=folder) as intermediate:
        yield from merged(files, "seed_id", Path(intermediate))


def _part(every: Path, config: str, subsample: int | None = None) -> Iterator[pa.Table]:
    """Yield the rows of config `all` that a config has, or one subsample of it."""
    with pq.ParquetFile(every) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP):
            table = pa.Table.from_batches([batch])
            if subsample is not None:
                table = table.take(_rows_of_draw(table["subsamples"].combine_chunks(), subsample))
            yield table if config == ALL else table.filter(pc.equal(table["word_class"], config))


def _rows_of_draw(subsamples: pa.ListArray, index: int) -> pa.Array:
    return pc.list_parent_indices(subsamples).filter(pc.equal(pc.list_flatten(subsamples), index))


def _write(path: Path, tables: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write tables to a file in groups of `ROWS_PER_GROUP` rows; without a row there is no file."""
    groups = regrouped(tables, ROWS_PER_GROUP)
    first = next(groups, None)
    if first is None:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with parquet_writer(path, schema) as writer:
        number = 0
        for group in chain([first], groups):
            writer.write_table(group.cast(schema).replace_schema_metadata(schema.metadata), ROWS_PER_GROUP)
            number += group.num_rows
    return number


def parquet_writer(where: Path | RawIOBase, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a writer that gives the same rows the same bytes, with the same version of pyarrow.

    Args:
        where: A file's path, or a stream of bytes.
        schema: The columns. Each group of rows is to be in one piece and of these columns' types.
    """
    dictionaries = [name for name in REPEATED_COLUMNS if name in schema.names]
    return pq.ParquetWriter(
        where, schema, compression="zstd", compression_level=COMPRESSION_LEVEL, use_dictionary=dictionaries
    )


def _composition(every: Path, configs: Sequence[str], label_names: Sequence[str]) -> dict[str, Composition]:
    """Count seeds, variants and the labels of the seeds of each config."""
    variants: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = {config: Counter() for config in configs}
    for (_, label), rows in groupby(_seeds(every), key=lambda row: row[:2]):
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


def _seeds(every: Path) -> Iterator[tuple[str, int, str]]:
    """Yield seed id, label and word class of every row of config `all`."""
    with pq.ParquetFile(every) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP, columns=["seed_id", "label", "word_class"]):
            yield from zip(*(batch[name].to_pylist() for name in ("seed_id", "label", "word_class")), strict=True)
