"""Group results on pairs in groups into boards, and show their predicted labels as bars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoring.results.grouped_table import (
    columns_of,
    compared_labels_of,
    facts_of,
    grouped_table,
    grouped_titles,
    shares_table,
)
from scoring.results.grouping import marked_names, on_same_data, ranked, unranked_reasons
from scoring.results.score_table import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from merge_snli.table import Table
    from scoring.results.grouped_result import GroupedResult, GroupScores


@dataclass(frozen=True)
class Bar:
    """The predicted labels of a model on some pairs.

    Attributes:
        accuracy: Share of the pairs predicted correctly, in percent.
        shares: Share of each predicted label in percent, by label.
    """

    accuracy: float
    shares: dict[str, float]

    @property
    def text(self) -> str:
        """The shares in words, for readers that see no bars."""
        return ", ".join(f"{label.replace('_', ' ')} {share:.1f}%" for label, share in self.shares.items())


@dataclass(frozen=True)
class BarTable:
    """The bars of every model by value of a column.

    Attributes:
        column: The column.
        rows: By value, the number of pairs and the bar of each model of the board; None for a model without scores.
    """

    column: str
    rows: dict[str, tuple[int, tuple[Bar | None, ...]]]


@dataclass(frozen=True)
class GroupedBoard:
    """Results on one data set of pairs in groups.

    Attributes:
        title: Title of the data set and config, with the digest if another board has the same title.
        names: Display names of the models; those that are not ranked say so.
        results: The results, at least one: best pattern accuracy first, those that are not ranked last.
        thresholds: Thresholds at which the table of accuracies shows PA, besides the quality threshold.
    """

    title: str
    names: tuple[str, ...]
    results: tuple[GroupedResult, ...]
    thresholds: tuple[float, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the bars."""
        return compared_labels_of(self.results)

    @property
    def facts(self) -> str:
        """The number of pairs and groups."""
        return facts_of(self.results[0])

    def accuracies(self) -> Table:
        """Return accuracies and predicted labels, one row per model, without a title."""
        table = grouped_table(self.results, names=self.names, thresholds=self.thresholds)
        reasons = zip(self.results, unranked_reasons(self.results), strict=True)
        why = (f"{result.title} is not ranked: {reason}." for result, reason in reasons if reason is not None)
        return replace(table, title="", notes=(*table.notes, *why))

    def tables(self) -> list[Table]:
        """Return accuracies and predicted labels, then the same by value of each column."""
        title = f"{self.title}: {self.facts}"
        return [
            replace(self.accuracies(), title=title),
            *(
                replace(shares_table(self.results, column, names=self.names), title=f"{title}, by {column}")
                for column in columns_of(self.results)
            ),
        ]

    def bars(self) -> list[BarTable]:
        """Return the predicted labels by value of each column."""
        return [_bar_table(column, self.results) for column in columns_of(self.results)]


def make_grouped_boards(
    results: Iterable[GroupedResult], *, thresholds: tuple[float, ...] = ()
) -> tuple[GroupedBoard, ...]:
    """Group results into boards, sorted by title and config of the data set.

    Args:
        results: Results in any order.
        thresholds: Thresholds at which tables show PA, besides the quality threshold.

    Raises:
        InputError: If two results on the same data are of the same model.
    """
    groups = sorted(
        on_same_data(results),
        key=lambda group: (group[0].dataset.title, group[0].dataset.config or "", group[0].dataset.digest),
    )
    titles = grouped_titles([group[0].dataset for group in groups])
    best_first = [ranked(group) for group in groups]
    return tuple(
        GroupedBoard(title, tuple(marked_names(group)), tuple(group), thresholds)
        for title, group in zip(titles, best_first, strict=True)
    )


def _bar_table(column: str, results: tuple[GroupedResult, ...]) -> BarTable:
    by_model = [result.by.get(column, {}) for result in results]
    values = dict.fromkeys(value for by in by_model for value in by)
    pairs = {value: max(by[value].pairs for by in by_model if value in by) for value in values}
    return BarTable(column, {value: (pairs[value], tuple(_bar(by.get(value)) for by in by_model)) for value in values})


def _bar(scores: GroupScores | None) -> Bar | None:
    if scores is None:
        return None
    labels = next(iter(scores.predicted.values()))
    shares = {label: percent(scores.predicted_share(label)) or 0.0 for label in labels}
    return Bar(percent(scores.sample_accuracy) or 0.0, shares)
