"""Show the models on several data sets side by side: one row per model."""

from collections.abc import Sequence
from dataclasses import dataclass

from merge_snli.base.table import Column, Table
from merge_snli.leaderboard.boards import Board, Entry
from merge_snli.scoring.results.grouping import model_key, names_of
from merge_snli.scoring.results.score_table import MODEL, PA, percent

SEED_MEASURES = ("Seeds", "Variants", PA)
PAIR_MEASURES = ("Accuracy", PA)

EXPLANATION = (
    f"Scores in percent. Seeds, Variants, Accuracy: sample accuracy. {PA}: share of the seeds or groups of which at "
    "least 90% of the variants or pairs are predicted correctly."
)


@dataclass(frozen=True)
class SideBySide:
    """Models on data sets.

    Attributes:
        data: Title of each data set, with its config if that is not `all`, and what each of its columns shows.
        rows: Name of each model and its scores in percent on each data set; None for every score if it has none. Best
            first on the first data set, then on the next.
        notes: What the scores are, and which model is not ranked on which data.
    """

    data: tuple[tuple[str, tuple[str, ...]], ...]
    rows: tuple[tuple[str, tuple[tuple[float | None, ...], ...]], ...]
    notes: tuple[str, ...]

    def table(self) -> Table:
        """Return a table with a column per data set and measure, in percent."""
        headers = [f"{title}: {measure}" for title, measures in self.data for measure in measures]
        return Table(
            title="Models on all data sets",
            columns=(MODEL, *(Column(header, format=".1f") for header in headers)),
            rows=tuple((name, *(value for cells in row for value in cells)) for name, row in self.rows),
            notes=self.notes,
        )


def side_by_side(boards: Sequence[Board]) -> SideBySide | None:
    """Return the models on all data sets, or None if there is only one.

    Of a MERGE data set, the config `all` is shown, or the first of its configs that has results.
    """
    first = {board.dataset.digest: board for board in reversed(boards)}  # `all` is the first board of a data set
    chosen = [board for board in boards if first[board.dataset.digest] is board or not board.has_anchors]
    if len(chosen) < 2:
        return None
    results = {model_key(result): result for board in reversed(chosen) for result in board.results}
    names = dict(zip(results, names_of(list(results.values())), strict=True))
    entries = [{model_key(entry.result): entry for entry in board.entries} for board in chosen]
    order = sorted(names, key=lambda key: [*(_rank(each.get(key)) for each in entries), names[key]])
    return SideBySide(
        data=tuple((_title(board), _measures(board)) for board in chosen),
        rows=tuple(
            (names[key], tuple(_cells(board, each.get(key)) for board, each in zip(chosen, entries, strict=True)))
            for key in order
        ),
        notes=(
            EXPLANATION,
            *(
                f"{_title(board)}: {names[model_key(entry.result)]} is not ranked: {entry.unranked}."
                for board in chosen
                for entry in board.entries
                if entry.unranked is not None
            ),
        ),
    )


def _title(board: Board) -> str:
    return board.title.removesuffix(", config all")


def _measures(board: Board) -> tuple[str, ...]:
    return SEED_MEASURES if board.has_anchors else PAIR_MEASURES


def _rank(entry: Entry | None) -> float:
    if entry is None or entry.unranked is not None:
        return 1.0
    accuracy = percent(entry.result.scores.pattern_accuracy.mean)
    return 1.0 if accuracy is None else -accuracy


def _cells(board: Board, entry: Entry | None) -> tuple[float | None, ...]:
    if entry is None:
        return (None,) * len(_measures(board))
    scores = entry.result.scores
    on_anchors = [scores.anchor_accuracy] if board.has_anchors else []
    return tuple(map(percent, [*on_anchors, scores.sample_accuracy.mean, scores.pattern_accuracy.mean]))
