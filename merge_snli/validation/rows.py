"""Check the rows of all data files in one pass over config `all`, split `test`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from merge_snli.schema import ALL, SEED, TEST, data_file, features
from merge_snli.validation.derived_splits import DerivedSplit
from merge_snli.validation.draws import check_draws
from merge_snli.validation.parquet import open_rows
from merge_snli.validation.seed_groups import SEEDS, VARIANTS, SeedRows, check_order, read_whole_seeds, seed_groups
from merge_snli.validation.seed_words import seed_texts, words_of_seeds
from merge_snli.validation.seeds import check_seed, check_seed_columns
from merge_snli.validation.totals import Totals
from merge_snli.validation.variants import check_variant
from merge_snli.validation.word_classes import check_relations, check_word_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from merge_snli.validation.collector import Collector
    from merge_snli.validation.parquet import Rows
    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.resources import Resources
    from merge_snli.validation.seed_groups import SeedGroup, SortKey
    from merge_snli.validation.seed_words import SeedWords, Texts


def check_rows(folder: Path, run: RecordedRun, resources: Resources, collector: Collector) -> None:
    """Check the columns and rows of the data files.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        resources: The tagger and WordNet of the run.
        collector: Gets the findings and counts.
    """
    version = run.record.versions.get("pyarrow")
    files = _open_files(folder, run, collector, rewrite=version == pa.__version__)
    collector.count("data files", len(files))
    if version != pa.__version__:
        collector.skip(f"bytes of the data files: written by pyarrow {version}, this is {pa.__version__}")
    if VARIANTS in files:
        _check_seeds(files, run, resources, collector)
        _check_bytes(files, collector)


def _open_files(folder: Path, run: RecordedRun, collector: Collector, *, rewrite: bool) -> dict[str, Rows]:
    """Return the files with the expected columns by relative path."""
    files = {}
    for config in run.configs:
        schema = features(config, run.label_names, run.options.classes, run.options.keep_column).arrow_schema
        for name in (data_file(config, split) for split in run.splits(config)):
            rows = open_rows(folder, name, schema, collector, rewrite=rewrite) if (folder / name).is_file() else None
            if rows is not None:
                files[name] = rows
    return files


def _check_bytes(files: Mapping[str, Rows], collector: Collector) -> None:
    """Report files that give other bytes if their rows are written again; if most do, pyarrow is another build."""
    different = [name for name, rows in files.items() if rows.has_other_bytes]
    if len(different) * 2 > len(files):
        collector.skip(f"bytes of the data files: this build of pyarrow {pa.__version__} compresses differently")
        return
    for name in different:
        collector.find(name, None, None, "has other bytes than its rows give: other readers may find other rows")


def _check_seeds(files: Mapping[str, Rows], run: RecordedRun, resources: Resources, collector: Collector) -> None:
    """Check all rows, seed by seed."""
    derived = list(_derived_splits(files, run, collector))
    seeds = SeedRows(files.get(SEEDS), collector)
    totals = Totals(run.record)
    last: SortKey | None = None
    for first, table in read_whole_seeds(files[VARIANTS]):
        for split in derived:
            split.check_next(table)
        rows = table.to_pylist()
        words = words_of_seeds(map(seed_texts, rows), resources.tagger, ignore_case=run.options.ignore_case)
        check_word_classes(first, rows, words, run, resources.tagger, collector)
        for group in seed_groups(first, rows, seeds):
            last = check_order(group, last, collector)
            _check_seed(group, words, run, resources, collector)
            totals.add(group)
    if files[VARIANTS].is_damaged:
        return
    for split in derived:
        split.check_end()
    seeds.check_end()
    totals.check(collector)


def _derived_splits(files: Mapping[str, Rows], run: RecordedRun, collector: Collector) -> Iterator[DerivedSplit]:
    for config in run.configs:
        for number, split in enumerate(run.splits(config), -1):
            rows = files.get(data_file(config, split))
            if rows is not None and config != SEED and (config, split) != (ALL, TEST):
                yield DerivedSplit(rows, config, None if split == TEST else number, collector)


def _check_seed(
    group: SeedGroup, words: Mapping[Texts, SeedWords], run: RecordedRun, resources: Resources, collector: Collector
) -> None:
    """Check the variants of one seed and the seed's row."""
    collector.count("seeds")
    collector.count("variants", len(group.rows))
    for number, row in enumerate(group.rows, group.first):
        find = partial(collector.find, VARIANTS, number)
        check_variant(row, words[seed_texts(row)], run, find)
        if group.seed is not None:
            check_seed_columns(row, group.seed, run.options.keep_column, find)
    if resources.wordnet is not None and not run.options.scramble:
        check_relations(group, words[seed_texts(group.rows[0])], resources.wordnet, collector)
    check_draws(group, run.options, collector)
    if group.seed is not None:
        seed_words = words.get((group.seed["premise"], group.seed["hypothesis"]))
        if seed_words is not None:
            check_seed(group.seed, group.rows, seed_words, run, partial(collector.find, SEEDS, group.seed_row))
