"""Show the models on all data sets side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from merge_snli.base.columns import Columns
from merge_snli.base.table import Table
from merge_snli.leaderboard.boards import Board, Entry
from merge_snli.results.grouping import ModelKey, model_key, names_of
from merge_snli.results.result import Result
from merge_snli.results.rows import PA, percent

# What is shown of each data set, with seeds and without: the scores by header.
MEASURES = {"Seeds": "seed_accuracy", "Variants": "sample_accuracy", PA: "pattern_accuracy"}
PAIR_MEASURES = {"Accuracy": "sample_accuracy", PA: "pattern_accuracy"}


@dataclass(frozen=True)
class ShownBoard:
    """A board as some columns of the table.

    Attributes:
        board: The board.
    """

    board: Board

    @property
    def title(self) -> str:
        """The display name of the data set."""
        return self.board.title.removesuffix(", config all")

    @property
    def measures(self) -> dict[str, str]:
        """The scores that are shown, by header."""
        return MEASURES if self.board.has_seeds else PAIR_MEASURES

    @cached_property
    def entries(self) -> dict[ModelKey, Entry]:
        """The entries of the board by model."""
        return {model_key(entry.result): entry for entry in self.board.entries}

    def percent(self, score: str, model: ModelKey) -> float | None:
        """Return a score of a model in percent; None if it has no result."""
        entry = self.entries.get(model)
        return None if entry is None else percent(entry.result.row[score])

    def rank(self, model: ModelKey) -> float:
        """Return what models are sorted by on this board: the largest PA first, those that are not ranked last."""
        entry = self.entries.get(model)
        if entry is None or entry.unranked is not None:
            return 1.0
        accuracy = self.percent("pattern_accuracy", model)
        return 1.0 if accuracy is None else -accuracy


@dataclass(frozen=True)
class SideBySide:
    """The models on all data sets.

    Attributes:
        table: A row per model, and a column per data set and measure, in percent.
        boards: The data sets, in the order of the columns.
    """

    table: Table
    boards: tuple[ShownBoard, ...]


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
    for each in shown:
        for measure, score in each.measures.items():
            columns.add(f"{each.title}: {measure}", partial(each.percent, score), format=".1f")
    models = sorted(names, key=lambda model: ([each.rank(model) for each in shown], names[model]))
    return SideBySide(columns.table(models, title="Models on all data sets", notes=_notes(shown, names)), shown)


def _shown(boards: Sequence[Board]) -> tuple[ShownBoard, ...]:
    """Return the boards without further configs of a data set with seeds."""
    shown = []
    digests = set()
    for board in boards:
        digest = board.dataset.digest
        if digest not in digests or not board.has_seeds:
            shown.append(ShownBoard(board))
        digests.add(digest)
    return tuple(shown)


def _names(shown: Sequence[ShownBoard]) -> dict[ModelKey, str]:
    """Return the display name of each model; of a model with several names, that on the first board."""
    results: dict[ModelKey, Result] = {}
    for each in reversed(shown):
        for model, entry in each.entries.items():
            results[model] = entry.result
    return dict(zip(results, names_of(list(results.values())), strict=True))


def _notes(shown: Sequence[ShownBoard], names: dict[ModelKey, str]) -> tuple[str, ...]:
    accuracies: dict[str, None] = {}
    unranked = []
    for each in shown:
        accuracies |= dict.fromkeys(each.measures)
        for model, entry in each.entries.items():
            if entry.unranked is not None:
                unranked.append(f"{each.title}: {names[model]} is not ranked: {entry.unranked}.")
    del accuracies[PA]
    explanation = (
        f"Scores in percent. {', '.join(accuracies)}: sample accuracy. {PA}: share of the seeds or groups of which at "
        "least 90% of the variants or pairs are predicted correctly."
    )
    return explanation, *unranked
