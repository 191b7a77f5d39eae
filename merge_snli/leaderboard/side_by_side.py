"""Show the models on all data sets side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from merge_snli.base.columns import Columns
from merge_snli.base.table import Table
from merge_snli.leaderboard.boards import Board
from merge_snli.results.grouping import ModelKey, names_of
from merge_snli.results.result import Result
from merge_snli.results.rows import PA, percent


@dataclass(frozen=True)
class SideBySide:
    """The models on all data sets.

    Attributes:
        table: A row per model, and a column per data set and measure, in percent.
        boards: The data sets, in the order of the columns.
    """

    table: Table
    boards: tuple[Board, ...]


def side_by_side(boards: Sequence[Board]) -> SideBySide | None:
    """Return the models on all data sets, or None if there is only one.

    The models are sorted by the first data set, best first, then by the next.

    Args:
        boards: The boards, sorted. Of a MERGE data set, the config `all` is shown, or the first of its configs that has
            results.
    """
    shown = _shown(boards)
    if len(shown) < 2:
        return None
    names = _names(shown)
    columns = Columns[ModelKey]()
    columns.add("Model", names.__getitem__, align="left")
    for board in shown:
        for measure, score in board.measures.items():
            columns.add(f"{board.data_title}: {measure}", partial(_percent, board, score), format=".1f")
    models = sorted(names, key=lambda model: ([_rank(board, model) for board in shown], names[model]))
    return SideBySide(columns.table(models, title="Models on all data sets", notes=_notes(shown, names)), shown)


def _shown(boards: Sequence[Board]) -> tuple[Board, ...]:
    """Return the boards without further configs of a data set with seeds."""
    shown = []
    digests = set()
    for board in boards:
        digest = board.dataset.digest
        if digest not in digests or not board.has_seeds:
            shown.append(board)
        digests.add(digest)
    return tuple(shown)


def _percent(board: Board, score: str, model: ModelKey) -> float | None:
    """Return a score of a model in percent; None if it has no result on the board."""
    entry = board.by_model.get(model)
    return None if entry is None else percent(entry.result.row[score])


def _rank(board: Board, model: ModelKey) -> float:
    """Return what models are sorted by on a board: the largest PA first, those that are not ranked last."""
    entry = board.by_model.get(model)
    accuracy = _percent(board, "pattern_accuracy", model)
    return 1.0 if entry is None or entry.unranked is not None or accuracy is None else -accuracy


def _names(shown: Sequence[Board]) -> dict[ModelKey, str]:
    """Return the display name of each model; of a model with several names, that on the first board."""
    results: dict[ModelKey, Result] = {}
    for board in reversed(shown):
        for model, entry in board.by_model.items():
            results[model] = entry.result
    return dict(zip(results, names_of(list(results.values())), strict=True))


def _notes(shown: Sequence[Board], names: dict[ModelKey, str]) -> tuple[str, ...]:
    accuracies: dict[str, None] = {}
    unranked = []
    for board in shown:
        accuracies |= dict.fromkeys(board.measures)
        for model, entry in board.by_model.items():
            if entry.unranked is not None:
                unranked.append(f"{board.data_title}: {names[model]} is not ranked: {entry.unranked}.")
    del accuracies[PA]
    explanation = (
        f"Scores in percent. {', '.join(accuracies)}: sample accuracy. {PA}: share of the seeds or groups of which at "
        "least 90% of the variants or pairs are predicted correctly."
    )
    return explanation, *unranked
