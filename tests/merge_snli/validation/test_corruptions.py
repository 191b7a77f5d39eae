"""Corruptions of a valid data set: each is found."""

import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from merge_snli.validation import validate
from tests.cases import first_fast
from tests.merge_snli.validation.corrupt_files import (
    OF_BYTES,
    OF_FOLDER,
    swap_two_files,
)
from tests.merge_snli.validation.corrupt_tables import (
    OF_ROW,
    OF_ROWS,
    OF_SEED,
    OF_TABLE,
    OF_VARIANT,
    Change,
    ChangeOfRows,
    drop_everywhere,
    everywhere,
    in_a_row,
    in_any_file,
    in_any_table,
    letter_in_text,
    on_rows,
    other_label,
)
from tests.merge_snli.validation.digests import update_digests
from tests.records import files_in


def forged(change: Change) -> Change:
    """Change a data set, and update digests, counts and card."""

    def apply(folder: Path, rng: random.Random) -> None:
        change(folder, rng)
        update_digests(folder)

    return apply


def kinds() -> dict[str, Change]:
    """Return all kinds of corruption by name."""
    found: dict[str, Change] = {change.__name__: change for change in OF_FOLDER}
    found["files swapped, forged"] = forged(swap_two_files)
    for of_bytes in OF_BYTES:
        found[of_bytes.__name__] = in_any_file(of_bytes)
        found[f"{of_bytes.__name__}, forged"] = forged(in_any_table(of_bytes))
    for of_table in OF_TABLE:
        found[of_table.__name__] = forged(in_any_table(of_table))
    changes_of_rows: dict[str, ChangeOfRows] = {change.__name__: change for change in OF_ROWS}
    for of_row in OF_ROW:
        changes_of_rows[of_row.__name__] = in_a_row(of_row)
    for name, of_rows in changes_of_rows.items():
        found[f"{name}, variants"] = forged(on_rows(of_rows))
        found[f"{name}, seeds"] = forged(on_rows(of_rows, seeds=True))
    for of_variant in OF_VARIANT:
        found[of_variant.__name__] = forged(on_rows(in_a_row(of_variant)))
    for of_variant in (*OF_VARIANT, letter_in_text, other_label):
        found[f"{of_variant.__name__}, everywhere"] = forged(everywhere(of_variant))
    found["row dropped everywhere"] = forged(drop_everywhere)
    for of_seed in OF_SEED:
        found[of_seed.__name__] = forged(on_rows(in_a_row(of_seed), seeds=True))
    return found


CORRUPTIONS = list(kinds().items())


def missed(valid_set: Path, numbers: Iterable[int], tmp_path: Path) -> list[str]:
    """Corrupt a copy of the data set for each number, and return those that validation does not find."""
    before = contents(valid_set)
    found = []
    folder = tmp_path / "corrupted"
    for number in numbers:
        shutil.copytree(valid_set, folder)
        name, change = CORRUPTIONS[number % len(CORRUPTIONS)]
        change(folder, random.Random(number))
        if not validate(folder).findings and contents(folder) != before:  # a random change may change nothing
            found.append(f"{number} {name}")
        shutil.rmtree(folder)
        folder.with_name(f"{folder.name}-elsewhere").unlink(missing_ok=True)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files but `run.toml`, which is optional and repeats the record."""
    files = files_in(folder) | {"run.toml": b""}
    return {name: content.rstrip() for name, content in files.items()}  # no digest has the last line end of the record


@pytest.mark.parametrize("first", first_fast(range(4)))
def test_each_kind_of_corruption_once(first: int, valid_set: Path, tmp_path: Path) -> None:
    assert missed(valid_set, range(first, len(CORRUPTIONS), 4), tmp_path) == []


@pytest.mark.slow
def test_a_thousand_corruptions(valid_set: Path, tmp_path: Path) -> None:
    assert missed(valid_set, random.Random(0).sample(range(1_000_000), 1_000), tmp_path) == []
