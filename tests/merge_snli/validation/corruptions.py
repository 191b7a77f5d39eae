"""Corruptions of a valid data set, each determined by a number: bytes, rows, columns, files, card, record.

After a forged one, digests, counts and card are updated, so that only the rows show it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from tests.merge_snli.validation import corrupt_columns, corrupt_files, corrupt_rows, corrupt_texts
from tests.merge_snli.validation.digests import update_digests
from tests.merge_snli.validation.targets import (
    Change,
    ChangeOfRow,
    ChangeOfRows,
    everywhere,
    in_any_file,
    in_any_table,
    on_rows,
)


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
    "row dropped": corrupt_rows.drop_a_row,
    "row duplicated": corrupt_rows.duplicate_a_row,
    "rows swapped": corrupt_rows.swap_two_rows,
    "letter in a text": corrupt_rows.one_value(corrupt_rows.letter_in_text),
    "label": corrupt_rows.one_value(corrupt_rows.other_label),
}
CHANGES_OF_VARIANTS: dict[str, ChangeOfRow] = {
    "log_odds": corrupt_rows.bad_log_odds,
    "masked LMs": corrupt_rows.bad_masked_lms,
    "subsamples": corrupt_rows.other_draws,
    "replacement": corrupt_rows.other_replacement,
    "word class": corrupt_rows.other_class,
}
CHANGES_OF_TABLES: dict[str, Change] = {
    "column renamed": corrupt_columns.rename_a_column,
    "column dropped": corrupt_columns.drop_a_column,
    "columns swapped": corrupt_columns.swap_columns,
    "other type": corrupt_columns.other_type,
    "null": corrupt_columns.null_value,
    "features": corrupt_columns.other_features,
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
        Corruption(f"{name}, forged", on_rows(corrupt_rows.one_value(change)), True)
        for name, change in CHANGES_OF_VARIANTS.items()
    ),
    *(
        Corruption(f"{name}, everywhere, forged", everywhere(change), True)
        for name, change in CHANGES_OF_VARIANTS.items()
    ),
    Corruption("letter in a text, everywhere, forged", everywhere(corrupt_rows.letter_in_text), True),
    Corruption("label, everywhere, forged", everywhere(corrupt_rows.other_label), True),
    Corruption("row dropped, everywhere, forged", corrupt_rows.drop_everywhere, True),
    Corruption("seed's counts, forged", on_rows(corrupt_rows.one_value(corrupt_rows.seed_counts), seeds=True), True),
    Corruption("seed's words, forged", on_rows(corrupt_rows.one_value(corrupt_rows.seed_words), seeds=True), True),
    *(Corruption(name, in_any_table(change)) for name, change in CHANGES_OF_TABLES.items()),
    *(Corruption(f"{name}, forged", in_any_table(change), True) for name, change in CHANGES_OF_TABLES.items()),
    Corruption("files swapped", corrupt_files.swap_two_files),
    Corruption("files swapped, forged", corrupt_files.swap_two_files, True),
    Corruption("file deleted", corrupt_files.delete_a_file),
    Corruption("file added", corrupt_files.add_a_file),
    Corruption("file replaced by a link", corrupt_files.replace_by_link),
    Corruption("letter in the card", corrupt_texts.letter_in_card),
    Corruption("letter in the card, forged", corrupt_texts.with_new_digest(corrupt_texts.letter_in_card)),
    Corruption("number in the card, forged", corrupt_texts.with_new_digest(corrupt_texts.number_in_card)),
    Corruption("metadata of the card", corrupt_texts.card_metadata),
    Corruption("metadata of the card, forged", corrupt_texts.with_new_digest(corrupt_texts.card_metadata)),
    Corruption("value in the record", corrupt_texts.value_in_record),
    Corruption("option in the record, forged", corrupt_texts.forged_option),
    Corruption("record malformed", corrupt_texts.malformed_record),
)
