"""Group results into boards: the results on one config of one data set, ranked; and show all of them side by side."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from merge_snli.base.table import Column, Table
from merge_snli.comparison.compare import Standings, standings
from merge_snli.scoring.grouping import (
    config_rank,
    distinct_names_of,
    marked_names,
    model_key,
    names_of,
    on_same_data,
    ranked,
    titles_of,
    unranked_reasons,
)
from merge_snli.scoring.orders import order_table
from merge_snli.scoring.prompts import Scored, group_prompts, prompt_table
from merge_snli.scoring.records import DatasetRecord
from merge_snli.scoring.result import Result
from merge_snli.scoring.rows import MODEL, PA, ScoreRow, percent
from merge_snli.scoring.score_table import columns_of, compared_labels_of, part_tables, score_table, size_of
from merge_snli.scoring.store import safe_name

# What is shown of each data set side by side, with seeds and without: the scores by header.
MEASURES = {"Seeds": "seed_accuracy", "Variants": "sample_accuracy", PA: "pattern_accuracy"}
PAIR_MEASURES = {"Accuracy": "sample_accuracy", PA: "pattern_accuracy"}

LETTERS = f"Letters: models that share a letter do not differ significantly in {PA}."

EXPLANATION = (
    f"Scores in percent. {{}}: sample accuracy. {PA}: share of the seeds or groups of which at least 90% of the "
    "variants or pairs are predicted correctly."
)


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
    result: Scored
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
    def results(self) -> tuple[Scored, ...]:
        """The results in the order of the board."""
        return tuple(entry.result for entry in self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        """The display names of the models; those that are not ranked say so."""
        return tuple(marked_names(self.results))

    @cached_property
    def standings(self) -> Standings:
        """What was found about the models."""
        return standings({entry.name: entry.result for entry in self.entries})

    @property
    def has_seeds(self) -> bool:
        """Whether the groups of the data have seeds."""
        return self.results[0].has_seeds

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the bars."""
        return compared_labels_of(self.results)

    @property
    def size(self) -> str:
        """The number of groups and rows."""
        return size_of(self.results)

    def table(self, *, titled: bool = True) -> Table:
        """Return the scores, one row per model; without title and finding for a page that has them above the table."""
        table = score_table(self.results, title=self.title, names=self.names, thresholds=self.thresholds)
        letters = [self.standings.letters.get(entry.name) for entry in self.entries]
        if any(letters):
            columns, rows = (*table.columns, Column("Letters", "left")), zip(table.rows, letters, strict=True)
            table = replace(table, columns=columns, rows=tuple((*row, own) for row, own in rows))
        notes = (
            *table.notes,
            *((LETTERS,) if any(letters) else ()),
            *(f"{entry.name} is not ranked: {entry.unranked}." for entry in self.entries if entry.unranked is not None),
        )
        title, finding = (table.title, self.standings.finding) if titled else ("", "")
        return replace(table, title=title, finding=finding, notes=notes)

    def tables(self) -> list[Table]:
        """Return the scores, one row per model; the effect of prompts; without seeds, the scores by value."""
        by_value = [] if self.has_seeds else part_tables(self.results, title=self.title, names=self.names)
        return [self.table(), *self.prompts(), *by_value]

    def prompts(self) -> list[Table]:
        """Return the effects of prompts and of orders as tables; none if no model has results with several."""
        tables = (prompt_table(self.results, self.names), order_table(self.results, self.names))
        return [table for table in tables if table is not None]

    def bars(self) -> dict[str, dict[str, tuple[int, list[dict[str, Any] | None]]]]:
        """Return the number of rows and the bar of each model by column and its value; None for one without scores."""
        return {column: _bars(column, self.results) for column in columns_of(self.results)}


def make_boards(results: Iterable[Result], *, thresholds: tuple[float, ...] = ()) -> tuple[Board, ...]:
    """Group results into boards.

    Args:
        results: Results in any order, on any data sets and configs.
        thresholds: Thresholds at which tables show PA, besides the quality threshold.

    Returns:
        The boards: those with seeds first, then sorted by title and digest of the data set, then `all` before the word
        classes.

    Raises:
        InputError: If two results on the same data are of the same model.
    """

    def position(group: list[Result]) -> tuple[object, ...]:
        data = group[0].dataset
        return not group[0].has_seeds, data.title, data.digest, config_rank(data.config)

    groups = sorted(on_same_data(results), key=position)
    titles = titles_of([group[0].dataset for group in groups])
    return tuple(Board(title, _entries(group), thresholds) for title, group in zip(titles, groups, strict=True))


def _bars(column: str, results: tuple[Scored, ...]) -> dict[str, tuple[int, list[dict[str, Any] | None]]]:
    by_model = [result.rows_by.get(column, {}) for result in results]
    return {
        value: (
            max(int(rows[value].share("rows")) for rows in by_model if value in rows),
            [_bar(rows.get(value), result.compared_labels) for rows, result in zip(by_model, results, strict=True)],
        )
        for value in dict.fromkeys(value for rows in by_model for value in rows)
    }


def _bar(row: ScoreRow | None, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return the accuracy of a model on some rows, and the share of each predicted label, in percent."""
    if row is None:
        return None
    shares = {label: percent(row[f"predicted_{label}"]) or 0.0 for label in labels}
    return {"accuracy": percent(row["sample_accuracy"]) or 0.0, "shares": shares}


def _entries(results: list[Result]) -> tuple[Entry, ...]:
    best_first = ranked(group_prompts(results))
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


def side_by_side(boards: Sequence[Board]) -> tuple[Table, list[tuple[str, tuple[str, ...], str]]] | None:
    """Return the models on all data sets, or None if there is only one.

    Of a MERGE data set, the config `all` is shown, or the first of its configs that has results.

    Returns:
        A table with a column per data set and measure, in percent, and the title of each data set with its measures and
        what was found on it. The models are sorted by the first data set, best first, then by the next.
    """
    first = {board.dataset.digest: board for board in reversed(boards)}  # `all` is the first board of a data set
    chosen = [board for board in boards if first[board.dataset.digest] is board or not board.has_seeds]
    if len(chosen) < 2:
        return None
    results = {model_key(result): result for board in reversed(chosen) for result in board.results}
    names = dict(zip(results, names_of(list(results.values())), strict=True))
    entries = [{model_key(entry.result): entry for entry in board.entries} for board in chosen]
    order = sorted(names, key=lambda key: [*(_rank(of_board.get(key)) for of_board in entries), names[key]])
    titles = [board.title.removesuffix(", config all") for board in chosen]
    measures = [MEASURES if board.has_seeds else PAIR_MEASURES for board in chosen]
    table = Table(
        title="Models on all data sets",
        columns=(
            MODEL,
            *(
                Column(f"{title}: {measure}", format=".1f")
                for title, of_board in zip(titles, measures, strict=True)
                for measure in of_board
            ),
        ),
        rows=tuple(
            (
                names[key],
                *(
                    percent(of_board[key].result.row[score]) if key in of_board else None
                    for of_board, shown in zip(entries, measures, strict=True)
                    for score in shown.values()
                ),
            )
            for key in order
        ),
        notes=(
            EXPLANATION.format(", ".join(dict.fromkeys(one for shown in measures for one in shown if one != PA))),
            *(
                f"{title}: {names[model_key(entry.result)]} is not ranked: {entry.unranked}."
                for title, board in zip(titles, chosen, strict=True)
                for entry in board.entries
                if entry.unranked is not None
            ),
        ),
    )
    return table, [
        (title, tuple(shown), board.standings.finding)
        for title, shown, board in zip(titles, measures, chosen, strict=True)
    ]


def _rank(entry: Entry | None) -> float:
    if entry is None or entry.unranked is not None:
        return 1.0
    accuracy = percent(entry.result.row["pattern_accuracy"])
    return 1.0 if accuracy is None else -accuracy
