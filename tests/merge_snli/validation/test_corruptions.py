"""Corruptions of a valid data set: each is found, or does not change what other libraries read."""

import json
import random
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars
import pytest
import yaml

from merge_snli.validation import validate
from tests.cases import first_fast
from tests.merge_snli.validation import corrupt_files, corrupt_tables
from tests.merge_snli.validation.corrupt_tables import (
    Change,
    ChangeOfRow,
    ChangeOfRows,
    everywhere,
    in_any_file,
    in_any_table,
    on_rows,
)
from tests.merge_snli.validation.digests import update_digests


@dataclass(frozen=True)
class Corruption:
    """One kind of corruption.

    Attributes:
        name: Its name in the report.
        apply: Changes something in the folder at random and returns what.
        forged: Whether digests, counts and card are updated afterwards.
    """

    name: str
    apply: Change
    forged: bool = False


def corrupt(folder: Path, number: int) -> tuple[Corruption, str]:
    """Corrupt a data set's folder in place.

    Args:
        folder: A copy of a valid data set.
        number: Determines the kind, in turns, and seeds the random change.

    Returns:
        The kind of corruption and what was changed.
    """
    corruption = CORRUPTIONS[number % len(CORRUPTIONS)]
    where = corruption.apply(folder, random.Random(number))
    if corruption.forged:
        update_digests(folder)
    return corruption, where


CHANGES_OF_ROWS: dict[str, ChangeOfRows] = {
    "row dropped": corrupt_tables.drop_a_row,
    "row duplicated": corrupt_tables.duplicate_a_row,
    "rows swapped": corrupt_tables.swap_two_rows,
    "letter in a text": corrupt_tables.one_value(corrupt_tables.letter_in_text),
    "label": corrupt_tables.one_value(corrupt_tables.other_label),
}
CHANGES_OF_VARIANTS: dict[str, ChangeOfRow] = {
    "log_odds": corrupt_tables.bad_log_odds,
    "masked LMs": corrupt_tables.bad_masked_lms,
    "subsamples": corrupt_tables.other_draws,
    "replacement": corrupt_tables.other_replacement,
    "word class": corrupt_tables.other_class,
}
CHANGES_OF_TABLES: dict[str, Change] = {
    "column renamed": corrupt_tables.rename_a_column,
    "column dropped": corrupt_tables.drop_a_column,
    "columns swapped": corrupt_tables.swap_columns,
    "other type": corrupt_tables.other_type,
    "null": corrupt_tables.null_value,
    "features": corrupt_tables.other_features,
}
BYTES: dict[str, Change] = {
    "bit flipped": corrupt_files.flip_a_bit,
    "file truncated": corrupt_files.truncate,
    "bytes overwritten": corrupt_files.overwrite_bytes,
    "bytes appended": corrupt_files.append_bytes,
}

CORRUPTIONS: tuple[Corruption, ...] = (
    *(Corruption(f"{name}, any file", in_any_file(change)) for name, change in BYTES.items()),
    *(Corruption(f"{name}, table, forged", in_any_table(change), True) for name, change in BYTES.items()),
    *(Corruption(f"{name}, variants", on_rows(change)) for name, change in CHANGES_OF_ROWS.items()),
    *(Corruption(f"{name}, variants, forged", on_rows(change), True) for name, change in CHANGES_OF_ROWS.items()),
    *(
        Corruption(f"{name}, seeds, forged", on_rows(change, seeds=True), True)
        for name, change in CHANGES_OF_ROWS.items()
    ),
    *(
        Corruption(f"{name}, forged", on_rows(corrupt_tables.one_value(change)), True)
        for name, change in CHANGES_OF_VARIANTS.items()
    ),
    *(
        Corruption(f"{name}, everywhere, forged", everywhere(change), True)
        for name, change in CHANGES_OF_VARIANTS.items()
    ),
    Corruption("letter in a text, everywhere, forged", everywhere(corrupt_tables.letter_in_text), True),
    Corruption("label, everywhere, forged", everywhere(corrupt_tables.other_label), True),
    Corruption("row dropped, everywhere, forged", corrupt_tables.drop_everywhere, True),
    Corruption(
        "seed's counts, forged", on_rows(corrupt_tables.one_value(corrupt_tables.seed_counts), seeds=True), True
    ),
    Corruption("seed's words, forged", on_rows(corrupt_tables.one_value(corrupt_tables.seed_words), seeds=True), True),
    *(Corruption(name, in_any_table(change)) for name, change in CHANGES_OF_TABLES.items()),
    *(Corruption(f"{name}, forged", in_any_table(change), True) for name, change in CHANGES_OF_TABLES.items()),
    Corruption("files swapped", corrupt_files.swap_two_files),
    Corruption("files swapped, forged", corrupt_files.swap_two_files, True),
    Corruption("file deleted", corrupt_files.delete_a_file),
    Corruption("file added", corrupt_files.add_a_file),
    Corruption("file replaced by a link", corrupt_files.replace_by_link),
    Corruption("letter in the card", corrupt_files.letter_in_card),
    Corruption("letter in the card, forged", corrupt_files.with_new_digest(corrupt_files.letter_in_card)),
    Corruption("number in the card, forged", corrupt_files.with_new_digest(corrupt_files.number_in_card)),
    Corruption("metadata of the card", corrupt_files.card_metadata),
    Corruption("metadata of the card, forged", corrupt_files.with_new_digest(corrupt_files.card_metadata)),
    Corruption("value in the record", corrupt_files.value_in_record),
    Corruption("option in the record, forged", corrupt_files.forged_option),
    Corruption("record malformed", corrupt_files.malformed_record),
)


def missed(valid_set: Path, numbers: Iterable[int], tmp_path: Path) -> list[str]:
    """Corrupt a copy of the data set for each number, and return those that validation does not find.

    Corruptions after which other libraries read the same are harmless.
    """
    before, found = readings(valid_set), []
    for number in numbers:
        folder = tmp_path / "corrupted"
        shutil.copytree(valid_set, folder)
        corruption, where = corrupt(folder, number)
        if not validate(folder).findings and readings(folder) != before:
            found.append(f"{number} {corruption.name}: {where}")
        shutil.rmtree(folder)
        folder.with_name(f"{folder.name}-elsewhere").unlink(missing_ok=True)
    return found


def readings(folder: Path) -> dict[str, object]:
    """Read every file with libraries that validation does not use: Polars, JSON, YAML.

    `run.toml` is left out: it is optional and repeats the options of the record.
    """
    content: dict[str, object] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()):
        name = path.relative_to(folder).as_posix()
        if name == "run.toml":
            continue
        try:
            content[name] = ("link",) if path.is_symlink() else reading(path)
        except (OSError, ValueError, yaml.YAMLError, polars.exceptions.PolarsError) as error:
            content[name] = ("unreadable", type(error).__name__)
    return content


def reading(path: Path) -> object:
    """Return a file's content as a value; the digests of the record are left out, since they change with any byte."""
    if path.suffix == ".parquet":
        frame = polars.read_parquet(path)
        return (
            repr(frame.schema),
            repr(frame.rows()),
            repr(polars.scan_parquet(path).filter(polars.col("seed_id") == frame["seed_id"][0]).collect().rows()),
            polars.read_parquet_metadata(path).get("huggingface"),
        )
    if path.name == "run.json":
        run = json.loads(path.read_text(encoding="utf-8"))
        for name in ("digest", "files"):
            run["data"].pop(name, None)
        return {name: value for name, value in run.items() if name not in ("card", "digest")}
    if path.name == "README.md":
        _, metadata, text = path.read_text(encoding="utf-8").split("---\n", 2)
        configs = yaml.safe_load(metadata)
        for config in configs.get("configs", []):
            config.pop("version")
        return configs, text
    return path.read_bytes()


def test_the_data_set_is_valid_without_corruptions(valid_set: Path) -> None:
    assert validate(valid_set).findings == ()


@pytest.mark.parametrize("first", first_fast(range(4)))
def test_each_kind_of_corruption_once(first: int, valid_set: Path, tmp_path: Path) -> None:
    assert missed(valid_set, range(first, len(CORRUPTIONS), 4), tmp_path) == []


@pytest.mark.slow
def test_a_thousand_corruptions(valid_set: Path, tmp_path: Path) -> None:
    assert missed(valid_set, random.Random(0).sample(range(1_000_000), 1_000), tmp_path) == []
