"""Group results into boards: the results on one config of one data set, ranked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from merge_snli.schema import ALL, WORD_CLASSES
from scoring.results.files import safe_name
from scoring.results.grouping import distinct_names_of, marked_names, ranked, titles_of, unranked_reasons
from scoring.results.score_table import score_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from merge_snli.table import Table
    from scoring.results.records import DatasetRecord
    from scoring.results.result import Result

CONFIGS = (ALL, *WORD_CLASSES)
ALL_VARIANTS = "all"


@dataclass(frozen=True)
class Entry:
    """A result on a board.

    Attributes:
        key: Identifier in links, unique on the board and safe in a URL.
        name: Display name: the result's title, with the model's digest if the title is not unique.
        result: The result.
        unranked: Why it is not ranked among the results of the board; None if it is.
    """

    key: str
    name: str
    result: Result
    unranked: str | None = None


@dataclass(frozen=True)
class Board:
    """Results on one config of one data set.

    Attributes:
        title: Data set and config, with the data's digest if another data set has the same name.
        entries: The results, at least one: best pattern accuracy first, those that are not ranked last.
        thresholds: Thresholds at which the table shows PA, besides the quality threshold.
    """

    title: str
    entries: tuple[Entry, ...]
    thresholds: tuple[float, ...] = ()

    @property
    def dataset(self) -> DatasetRecord:
        """The data set and config of all results."""
        return self.entries[0].result.dataset

    @property
    def results(self) -> tuple[Result, ...]:
        """The results in the order of the board."""
        return tuple(entry.result for entry in self.entries)

    def table(self) -> Table:
        """Return the columns of the paper's Table 3 and PA at the quality threshold."""
        names = marked_names(self.results)
        table = score_table(self.results, title=self.title, names=names, thresholds=self.thresholds)
        why = (f"{entry.name} is not ranked: {entry.unranked}." for entry in self.entries if entry.unranked is not None)
        return replace(table, notes=(*table.notes, *why))


def make_boards(results: Iterable[Result], *, thresholds: tuple[float, ...] = ()) -> tuple[Board, ...]:
    """Group results into boards.

    Args:
        results: Results in any order, on any data sets and configs.
        thresholds: Thresholds at which tables show PA, besides the quality threshold.

    Returns:
        The boards, sorted by title and digest of the data set, then `all` before the word classes.

    Raises:
        InputError: If two results on the same data are of the same model.
    """
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        data = result.dataset
        groups.setdefault((data.title, data.digest, data.config), []).append(result)
    order = sorted(groups, key=lambda group: (group[0], group[1], CONFIGS.index(group[2])))
    titles = titles_of([groups[group][0].dataset for group in order])
    return tuple(Board(title, _entries(groups[group]), thresholds) for title, group in zip(titles, order, strict=True))


def _entries(results: list[Result]) -> tuple[Entry, ...]:
    best_first = ranked(results)
    names = distinct_names_of(best_first)
    columns = zip(_keys(names), names, best_first, unranked_reasons(best_first), strict=True)
    return tuple(Entry(key, name, result, reason) for key, name, result, reason in columns)


def _keys(names: list[str]) -> list[str]:
    """Make names safe, and number those that then are equal."""
    seen: Counter[str] = Counter()
    keys = []
    for name in names:
        safe = safe_name(name)
        seen[safe] += 1
        keys.append(safe if seen[safe] == 1 else f"{safe}~{seen[safe]}")
    return keys
