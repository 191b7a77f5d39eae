"""Group the variants of config `all` by seed, each with its row of config `seed`, and check their order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.schema import ALL, SEED, TEST, WORD_CLASSES, data_file
from merge_snli.validation.finding import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from merge_snli.validation.collector import Collector
    from merge_snli.validation.parquet import Rows

VARIANTS = data_file(ALL, TEST)
SEEDS = data_file(SEED, TEST)

Row = dict[str, Any]
SortKey = tuple[str, int, int, str]
"""The order of variants: seed, word class, position of the word in the premise, replacement."""


@dataclass(frozen=True)
class SeedGroup:
    """The variants of one seed.

    Attributes:
        first: The number of the first row in config `all`.
        rows: The variants.
        seed_row: The number of the seed's row in config `seed`.
        seed: That row; None if config `seed` does not have it there.
    """

    first: int
    rows: list[Row]
    seed_row: int
    seed: Row | None

    @property
    def seed_id(self) -> str:
        """The id of the seed in its variants."""
        return str(self.rows[0]["seed_id"])


def read_whole_seeds(rows: Rows) -> Iterator[tuple[int, pa.Table]]:
    """Yield a file's rows in batches that do not split the rows of a seed.

    Args:
        rows: The file of config `all`, split `test`.

    Yields:
        The number of the first row, and the rows in one chunk. A damaged file ends before its last seed.
    """
    first, pending = 0, rows.take()
    while pending.num_rows:
        more = rows.take()
        if rows.is_damaged:
            return
        last_seed = pending["seed_id"][-1]
        complete = pending.num_rows if not more.num_rows else pc.index(pending["seed_id"], last_seed).as_py()
        if complete:
            yield first, pending.slice(0, complete).combine_chunks()
        first += complete
        pending = pa.concat_tables([pending.slice(complete), more])


@dataclass
class SeedRows:
    """The rows of config `seed`, read in parallel with the variants.

    Attributes:
        rows: The file; None if it is missing or has other columns, or after a difference.
        collector: Gets the findings.
        row: The number of the next row.
    """

    rows: Rows | None
    collector: Collector
    row: int = 0

    def take(self, seed_id: str) -> tuple[int, Row | None]:
        """Return the number of the next row and the row; None, after the first other seed, which is reported."""
        if self.rows is None:
            return 0, None
        found = self.rows.take(1).to_pylist()
        if found and found[0]["seed_id"] == seed_id:
            self.row += 1
            return self.row - 1, found[0]
        if not self.rows.is_damaged:
            problem = f"is {quoted(found[0]['seed_id'])}" if found else "is missing"
            message = f"{problem}; the next seed of config {ALL} is {quoted(seed_id)}"
            self.collector.find(SEEDS, self.row, "seed_id", message)
        self.rows = None
        return 0, None

    def check_end(self) -> None:
        """Report a seed without variants."""
        if self.rows is not None and self.rows.take(1).num_rows:
            self.collector.find(SEEDS, self.row, "seed_id", f"has no variants in config {ALL}")


def seed_groups(first: int, rows: Iterable[Row], seeds: SeedRows) -> Iterator[SeedGroup]:
    """Yield the variants of each seed with the seed's row.

    Args:
        first: The number of the first row.
        rows: Rows of config `all`.
        seeds: The rows of config `seed`.
    """
    for seed_id, group in groupby(rows, key=lambda row: str(row["seed_id"])):
        variants = list(group)
        seed_row, seed = seeds.take(seed_id)
        yield SeedGroup(first, variants, seed_row, seed)
        first += len(variants)


def check_order(group: SeedGroup, last: SortKey | None, collector: Collector) -> SortKey | None:
    """Report variants that do not come after the previous one, and return the sort key of the last one.

    Args:
        group: The variants of a seed.
        last: The sort key of the variant before the first.
        collector: Gets the findings.
    """
    for number, key in enumerate(_sort_keys(group), group.first):
        if last is not None and key <= last:
            message = "is a duplicate" if key == last else "is out of order (seed, class, word, replacement)"
            collector.find(VARIANTS, number, "variant_id", message)
        last = key
    return last


def _sort_keys(group: SeedGroup) -> list[SortKey]:
    """Return the sort key of each variant of a seed."""
    words: dict[str, list[str]] = {}
    for name in WORD_CLASSES:
        replaced = dict.fromkeys(row["original"] for row in group.rows if row["word_class"] == name)
        listed = [] if group.seed is None else group.seed.get(f"{name}_words", [])
        words[name] = [*listed, *(word for word in replaced if word not in listed)]
    return [_sort_key(row, words) for row in group.rows]


def _sort_key(row: Row, words: dict[str, list[str]]) -> SortKey:
    name = row["word_class"]
    if name not in words:
        return row["seed_id"], len(WORD_CLASSES), 0, row["replacement"]
    return row["seed_id"], WORD_CLASSES.index(name), words[name].index(row["original"]), row["replacement"]
