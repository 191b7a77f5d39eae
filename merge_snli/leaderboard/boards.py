"""Group results into boards: the results on one config of one data set, ranked."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import starmap

from merge_snli.base.table import Table
from merge_snli.comparison.standings import Standings, standings
from merge_snli.comparison.testing import Significance
from merge_snli.dataset.label_spellings import Labels
from merge_snli.results.alignment import aligned
from merge_snli.results.grouping import (
    ModelKey,
    config_rank,
    marked_names,
    model_key,
    on_same_data,
    ranked,
    results_by_name,
    titles_of,
    unranked_reasons,
)
from merge_snli.results.naming import safe_name
from merge_snli.results.orders import order_table
from merge_snli.results.prompts import group_prompts, prompt_table
from merge_snli.results.records import DatasetRecord
from merge_snli.results.result import Result
from merge_snli.results.rows import PA, ScoreRow
from merge_snli.results.score_table import columns_of, compared_labels_of, part_tables, score_table, size_of, values_of

# What the table of all data sets shows of each, with seeds and without: the scores by header.
MEASURES = {"Seeds": "seed_accuracy", "Variants": "sample_accuracy", PA: "pattern_accuracy"}
PAIR_MEASURES = {"Accuracy": "sample_accuracy", PA: "pattern_accuracy"}

LETTERS = f"Letters: models that share a letter do not differ significantly in {PA}."


@dataclass(frozen=True)
class Entry:
    """A result on a board.

    Attributes:
        key: Identifier in links, unique on the board and safe in a URL.
        name: Display name: the result's title, with the model's digest if the title is not unique.
        result: The result, or those of a language model with several prompts.
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
        significance: How the models are tested; None for the permutation test at 5%.
    """

    title: str
    entries: tuple[Entry, ...]
    thresholds: tuple[float, ...] = ()
    significance: Significance | None = None

    @property
    def dataset(self) -> DatasetRecord:
        """The data set and config of all results."""
        return self.entries[0].result.dataset

    @property
    def results(self) -> tuple[Result, ...]:
        """The results in the order of the board."""
        return tuple(entry.result for entry in self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        """The display names of the models; those that are not ranked say so."""
        return tuple(marked_names(self.results))

    @property
    def data_title(self) -> str:
        """The title without the config `all`."""
        return self.title.removesuffix(", config all")

    @property
    def measures(self) -> dict[str, str]:
        """The scores that the table of all data sets shows, by header."""
        return MEASURES if self.has_seeds else PAIR_MEASURES

    @cached_property
    def by_model(self) -> dict[ModelKey, Entry]:
        """The entries by model."""
        return {model_key(entry.result): entry for entry in self.entries}

    @cached_property
    def standings(self) -> Standings:
        """What was found about the models."""
        return standings({entry.name: entry.result for entry in self.entries}, self.significance)

    @property
    def has_seeds(self) -> bool:
        """Whether the groups of the data have seeds."""
        return self.results[0].has_seeds

    @property
    def labels(self) -> Labels:
        """The labels of the bars."""
        return compared_labels_of(self.results)

    @property
    def size(self) -> str:
        """The number of groups and rows."""
        return size_of(self.results)

    def table(self, *, titled: bool = True) -> Table:
        """Return the scores, one row per model; without title and finding for a page that has them above the table."""
        names = self.names
        letters = self.standings.letters
        has_letters = any(letters.values())
        of_rows = {shown: letters.get(entry.name) for shown, entry in zip(names, self.entries, strict=True)}
        table = score_table(
            self.results,
            title=self.title,
            names=names,
            thresholds=self.thresholds,
            letters=of_rows if has_letters else None,
        )
        notes = list(table.notes)
        if has_letters:
            notes.append(LETTERS)
        for entry in self.entries:
            if entry.unranked is not None:
                notes.append(f"{entry.name} is not ranked: {entry.unranked}.")
        if titled:
            return replace(table, finding=self.standings.finding, notes=notes)
        return replace(table, title="", notes=notes)

    def tables(self) -> list[Table]:
        """Return the scores, one row per model; the effect of prompts; without seeds, the scores by value."""
        tables = [self.table(), *self.prompts()]
        if not self.has_seeds:
            tables += part_tables(self.results, title=self.title, names=self.names)
        return tables

    def prompts(self) -> list[Table]:
        """Return the effects of prompts and of orders as tables; none if no model has results with several."""
        tables = (prompt_table(self.results, self.names), order_table(self.results, self.names))
        return [table for table in tables if table is not None]

    def bars(self) -> dict[str, dict[str, list[ScoreRow | None]]]:
        """Return the scores of the models by column and its value; None for a model without such rows."""
        bars = {}
        for column in columns_of(self.results):
            by_model = [result.rows_by.get(column, {}) for result in self.results]
            values = values_of(self.results, column)
            bars[column] = {value: [rows.get(value) for rows in by_model] for value in values}
        return bars


def make_boards(
    results: Iterable[Result],
    *,
    thresholds: tuple[float, ...] = (),
    significance: Significance | None = None,
    common_seeds: bool = False,
) -> tuple[Board, ...]:
    """Group results into boards.

    Args:
        results: Results in any order, on any data sets and configs.
        thresholds: Thresholds at which tables show PA, besides the quality threshold.
        significance: How the models are tested; by default with the permutation test at 5%.
        common_seeds: Whether to show all models on the seeds that all of them have.

    Returns:
        The boards: those with seeds first, then sorted by title and digest of the data set, then `all` before the word
        classes.

    Raises:
        InputError: If two results on the same data are of the same model.
    """

    def position(group: list[Result]) -> tuple[object, ...]:
        data = group[0].dataset
        return not group[0].has_seeds, data.title, data.digest, config_rank(data.config)

    groups = sorted(on_same_data(aligned(results, common_seeds=common_seeds)), key=position)
    titles = titles_of([group[0].dataset for group in groups])
    boards = []
    for title, group in zip(titles, groups, strict=True):
        boards.append(Board(title, _entries(group), thresholds, significance))
    return tuple(boards)


def _entries(results: list[Result]) -> tuple[Entry, ...]:
    best_first = ranked(group_prompts(results))
    names = list(results_by_name(best_first))
    columns = zip(_keys(names), names, best_first, unranked_reasons(best_first), strict=True)
    return tuple(starmap(Entry, columns))


def _keys(names: list[str]) -> list[str]:
    """Make names safe, and number those that then are equal."""
    seen: Counter[str] = Counter()
    keys = []
    for name in names:
        safe = safe_name(name)
        seen[safe] += 1
        keys.append(safe if seen[safe] == 1 else f"{safe}~{seen[safe]}")
    return keys
