"""Which results stand side by side: those on one config of one data set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.schema import ALL, WORD_CLASSES
from scoring.results.files import safe_name
from scoring.results.grouping import names_of, titles_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.results.result import DatasetRecord, Result, Scores

CONFIGS = (ALL, *WORD_CLASSES)
ALL_PART = "all"
CLASS, LABEL, MASKED_LM = "class:", "label:", "masked_lm:"
"""What the names of parts begin with."""


@dataclass(frozen=True)
class Entry:
    """A result on a board.

    Attributes:
        key: What a link to it says: unique on the board, safe in an address.
        name: What it is called: the result's title, with its digest where two have the same.
        result: The result.
    """

    key: str
    name: str
    result: Result

    @property
    def parts(self) -> dict[str, Scores]:
        """All scores by name: `all`, `class:noun` …, `label:entailment` …, `masked_lm:NAME` …."""
        result = self.result
        return {
            ALL_PART: result.scores,
            **{f"{CLASS}{name}": scores for name, scores in result.classes.items()},
            **{f"{LABEL}{name}": scores for name, scores in result.labels.items()},
            **{f"{MASKED_LM}{name}": scores for name, scores in result.masked_lms.items()},
        }


@dataclass(frozen=True)
class Board:
    """Results on one config of one data set.

    Attributes:
        title: Which data set and config, with its digest where another board's data set has the same name.
        entries: The results, at least one, the best by pattern accuracy first.
    """

    title: str
    entries: tuple[Entry, ...]

    @property
    def dataset(self) -> DatasetRecord:
        """What all of them were scored on."""
        return self.entries[0].result.dataset

    @property
    def results(self) -> tuple[Result, ...]:
        """The results in the order of the board."""
        return tuple(entry.result for entry in self.entries)


def make_boards(results: Iterable[Result]) -> tuple[Board, ...]:
    """Put results on boards.

    Args:
        results: Results in any order, on any data sets and configs.

    Returns:
        The boards by name and version of the data set, then `all` before the word classes.
    """
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        data = result.dataset
        groups.setdefault((data.name, data.digest, data.config), []).append(result)
    order = sorted(groups, key=lambda group: (group[0], group[1], CONFIGS.index(group[2])))
    titles = titles_of([groups[group][0].dataset for group in order])
    return tuple(Board(title, _entries(groups[group])) for title, group in zip(titles, order, strict=True))


def _entries(results: list[Result]) -> tuple[Entry, ...]:
    ranked = sorted(results, key=_rank)
    names = names_of(ranked)
    return tuple(Entry(key, name, result) for key, name, result in zip(_keys(names), names, ranked, strict=True))


def _rank(result: Result) -> tuple[float, str]:
    at_quality = result.scores.on_variants.pattern_accuracy.mean
    return (2.0 if at_quality is None else -at_quality, result.title)


def _keys(names: list[str]) -> list[str]:
    """Make names safe, and tell those apart that then are the same."""
    seen: Counter[str] = Counter()
    keys = []
    for name in names:
        safe = safe_name(name)
        seen[safe] += 1
        keys.append(safe if seen[safe] == 1 else f"{safe}~{seen[safe]}")
    return keys
