"""Show the models on several data sets side by side: one row per model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.base.table import Column, Table
from merge_snli.scoring.results.grouping import model_key, names_of
from merge_snli.scoring.results.score_table import MODEL, PA, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.leaderboard.boards import Board
    from merge_snli.scoring.results.grouping import ModelKey
    from merge_snli.scoring.results.result import Result

SEED_MEASURES = ("Seeds", "Variants", PA)
PAIR_MEASURES = ("Accuracy", PA)


@dataclass(frozen=True)
class DataColumns:
    """The columns of one data set.

    Attributes:
        title: Title of the data set, with its config if that is not `all`.
        measures: What each column shows.
        cells: By model, its scores in percent, [n_measures].
        unranked: By model that is not ranked on this data, the reason.
    """

    title: str
    measures: tuple[str, ...]
    cells: dict[ModelKey, tuple[float | None, ...]]
    unranked: dict[ModelKey, str]


@dataclass(frozen=True)
class SideBySide:
    """Models on data sets.

    Attributes:
        data: The data sets.
        models: Key and display name of each model, best first on the first data set, then on the next.
    """

    data: tuple[DataColumns, ...]
    models: tuple[tuple[ModelKey, str], ...]

    def rows(self) -> list[tuple[str, list[tuple[float | None, ...]]]]:
        """Return the name of each model and its scores on each data set; None for every score if it has none."""
        return [
            (name, [columns.cells.get(key, (None,) * len(columns.measures)) for columns in self.data])
            for key, name in self.models
        ]

    def table(self) -> Table:
        """Return a table with a column per data set and measure, in percent."""
        headers = [f"{columns.title}: {measure}" for columns in self.data for measure in columns.measures]
        return Table(
            title="Models on all data sets",
            columns=(MODEL, *(Column(header, format=".1f") for header in headers)),
            rows=tuple((name, *(value for cells in row for value in cells)) for name, row in self.rows()),
            notes=self.notes,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the scores are, and which model is not ranked on which data."""
        names = dict(self.models)
        return (
            EXPLANATION,
            *(
                f"{columns.title}: {names[key]} is not ranked: {reason}."
                for columns in self.data
                for key, reason in columns.unranked.items()
            ),
        )


EXPLANATION = (
    f"Scores in percent. Seeds, Variants, Accuracy: sample accuracy. {PA}: share of the seeds or groups of which at "
    "least 90% of the variants or pairs are predicted correctly."
)


def side_by_side(boards: Sequence[Board]) -> SideBySide | None:
    """Return the models on all data sets, or None if there is only one.

    Of a MERGE data set, the config `all` is shown, or the first of its configs that has results.
    """
    first = {board.dataset.digest: board for board in reversed(boards)}  # `all` is the first board of a data set
    chosen = [board for board in boards if first[board.dataset.digest] is board or not board.has_anchors]
    if len(chosen) < 2:
        return None
    data = tuple(
        DataColumns(
            board.title.removesuffix(", config all"),
            SEED_MEASURES if board.has_anchors else PAIR_MEASURES,
            {model_key(result): _cells(result) for result in board.results},
            {model_key(entry.result): entry.unranked for entry in board.entries if entry.unranked is not None},
        )
        for board in chosen
    )
    results = {model_key(result): result for board in reversed(chosen) for result in board.results}
    names = dict(zip(results, names_of(list(results.values())), strict=True))
    order = sorted(names, key=lambda key: [*(_rank(columns, key) for columns in data), names[key]])
    return SideBySide(data, tuple((key, names[key]) for key in order))


def _rank(columns: DataColumns, key: ModelKey) -> float:
    last = columns.cells.get(key, (None,))[-1]
    return 1.0 if last is None or key in columns.unranked else -last


def _cells(result: Result) -> tuple[float | None, ...]:
    scores = result.scores
    on_anchors = [scores.anchor_accuracy] if result.has_anchors else []
    return tuple(map(percent, [*on_anchors, scores.sample_accuracy.mean, scores.pattern_accuracy.mean]))
