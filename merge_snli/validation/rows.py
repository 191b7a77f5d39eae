"""The rows of the data set: one pass over config `all`, split `test`, with all other files alongside."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import pyarrow as pa

from merge_snli.schema import ALL, SEED, TEST, data_file, features
from merge_snli.validation.derived_splits import Follower
from merge_snli.validation.finding import Finding
from merge_snli.validation.groups import check_group
from merge_snli.validation.parquet import DamagedError, Rows
from merge_snli.validation.seed_groups import (
    SEEDS,
    VARIANTS,
    Place,
    SeedFile,
    SeedGroup,
    check_order,
    places,
    seed_groups,
    whole_seeds,
)
from merge_snli.validation.seed_words import words_of_seeds
from merge_snli.validation.seeds import check_row_of_seed, check_seed
from merge_snli.validation.tally import Tally
from merge_snli.validation.variants import check_variant, rules_of
from merge_snli.validation.word_classes import check_classes, check_relations

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.resources import Resources
    from merge_snli.validation.seed_groups import Row
    from merge_snli.validation.seed_words import SeedWords, Texts

BYTES = "the bytes of the data files beyond their digests"

Words = dict["Texts", "SeedWords"]


def check_rows(
    folder: Path, run: RecordedRun, at_hand: Resources, checked: Counter[str], not_checked: list[str]
) -> Iterator[Finding]:
    """Yield what is wrong with the columns and rows of the data files.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        at_hand: What the run judged words by.
        checked: Gets how many files, variants, seeds, draws and words were looked at.
        not_checked: Gets a sentence where the bytes of the files cannot be compared.
    """
    files: dict[str, Rows] = {}
    for config in run.configs:
        for name in (data_file(config, split) for split in run.splits(config)):
            if (folder / name).is_file():
                yield from _open(folder, name, config, run, files)
    checked["data files"] = len(files)
    if VARIANTS not in files:
        return
    try:
        yield from _check_all(files, run, at_hand, checked)
    except DamagedError as error:
        yield error.finding
    unlike = [finding for rows in files.values() for finding in rows.at_end]
    if len(unlike) * 2 > len(files):
        not_checked.append(f"{BYTES}: pyarrow {pa.__version__} at hand is another build and compresses otherwise")
    else:
        yield from unlike


def is_same_writer(run: RecordedRun) -> bool:
    """Tell whether the data was written by the version of pyarrow at hand."""
    return bool(run.record.versions.get("pyarrow") == pa.__version__)


def _open(folder: Path, name: str, config: str, run: RecordedRun, files: dict[str, Rows]) -> Iterator[Finding]:
    """Open a file and keep it in `files` where its columns are those that they should be."""
    options, labels = run.options, run.record.problems.label_names
    schema = features(config, labels, options.classes, options.keep_column).arrow_schema
    try:
        rows = Rows(folder, name, schema, same_writer=is_same_writer(run))
    except DamagedError as error:
        yield error.finding
        return
    yield from rows.findings
    if not rows.findings:
        files[name] = rows


def _check_all(
    files: dict[str, Rows], run: RecordedRun, at_hand: Resources, checked: Counter[str]
) -> Iterator[Finding]:
    followers = list(_followers(files, run))
    seeds = SeedFile(files.get(SEEDS))
    tally = Tally(run.record)
    last: Place | None = None
    for first, table in whole_seeds(files[VARIANTS]):
        for follower in followers:
            yield from follower.follow(table)
        rows: list[Row] = table.to_pylist()
        words = words_of_seeds(map(_texts, rows), at_hand.tagger, ignore_case=run.options.ignore_case)
        words_of = [words[_texts(row)] for row in rows]
        yield from check_classes(first, rows, words_of, run, at_hand.tagger, checked)
        wrong: list[Finding] = []
        for group in seed_groups(first, rows, seeds, wrong):
            yield from check_order(group, last)
            last = places(group)[-1]
            yield from _check_seed(group, words, run, at_hand, checked)
            tally.add(group)
        yield from wrong
    for follower in followers:
        yield from follower.end()
    yield from seeds.end()
    yield from tally.findings()


def _followers(files: dict[str, Rows], run: RecordedRun) -> Iterator[Follower]:
    for config in run.configs:
        for number, split in enumerate(run.splits(config), -1):
            rows = files.get(data_file(config, split))
            if rows is not None and config != SEED and (config, split) != (ALL, TEST):
                yield Follower(rows, config, None if split == TEST else number)


def _texts(row: Row) -> Texts:
    return row["seed_premise"], row["seed_hypothesis"]


def _check_seed(
    group: SeedGroup, words: Words, run: RecordedRun, at_hand: Resources, checked: Counter[str]
) -> Iterator[Finding]:
    """Yield what is wrong with the variants of one seed and with the seed's row."""
    checked["seeds"] += 1
    checked["variants"] += len(group.rows)
    options, rules, labels = run.options, rules_of(run), run.record.problems.label_names
    for at, row in enumerate(group.rows, group.first):
        wrong = list(check_variant(row, words[_texts(row)], rules))
        if group.seed is not None:
            wrong += check_row_of_seed(row, group.seed, options.keep_column)
        yield from (Finding(VARIANTS, at, column, message) for column, message in wrong)
    if at_hand.wordnet is not None and not rules.scramble:
        for place, column, message in check_relations(group.rows, words[_texts(group.rows[0])], at_hand.wordnet):
            yield Finding(VARIANTS, group.first + place, column, message)
    at = group.first
    for _, of_class in groupby(group.rows, key=lambda row: str(row["word_class"])):
        rows = list(of_class)
        checked["draws"] += options.subsamples
        for place, column, message in check_group(rows, options):
            yield Finding(VARIANTS, at + place, column, message)
        at += len(rows)
    if group.seed is not None and (group.seed["premise"], group.seed["hypothesis"]) in words:
        of_seed = words[group.seed["premise"], group.seed["hypothesis"]]
        for column, message in check_seed(group.seed, group.rows, of_seed, options, labels):
            yield Finding(SEEDS, group.seed_row, column, message)
