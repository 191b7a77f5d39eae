"""Read the ids of seeds that a reader judged mislabeled."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from merge_snli.analysis.scored_dataset import ScoredDataset

COLUMN = "seed_id"


def read_seed_ids(path: Path) -> tuple[str, ...]:
    """Read a text file with one id per line, or a CSV file with a column `seed_id`, such as the report's Table 10.

    Raises:
        InputError: If the file cannot be read, has no id, or is a CSV file without the column.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"{param('without_seeds')} {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{param('without_seeds')} {path} is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    header = next(csv.reader(lines[:1]), [])
    if COLUMN in header:
        ids = [row[COLUMN] or "" for row in csv.DictReader(lines)]
    elif path.suffix == ".csv":
        raise InputError(
            f"{param('without_seeds')} {path} has no column {COLUMN}; its columns are {', '.join(header) or 'none'}"
        )
    else:
        ids = lines
    found = tuple(dict.fromkeys(name.strip() for name in ids if name.strip()))
    if not found:
        raise InputError(f"{param('without_seeds')} {path} has no seed id")
    return found


def check_seed_ids(ids: Iterable[str], data: Sequence[ScoredDataset]) -> None:
    """Check that every id is that of a seed.

    Args:
        ids: The ids.
        data: The data sets of a report.

    Raises:
        InputError: If none of the data sets has a seed with one of the ids.
    """
    known = {seed for scored in data for seed in scored.ids}
    unknown = [name for name in ids if name not in known]
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise InputError(
            f"{param('without_seeds')} has {unknown[0]!r}{more}, which is not a seed of the data sets: remove it"
        )
