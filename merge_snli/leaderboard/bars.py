"""The bars of a board: the labels that each model predicts, on the rows with each value of a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from merge_snli.results.prompts import Scored
from merge_snli.results.rows import ScoreRow, percent


@dataclass(frozen=True)
class Bar:
    """What a model predicts on some rows, in percent.

    Attributes:
        accuracy: Its accuracy.
        shares: The share of each predicted label.
    """

    accuracy: float
    shares: Mapping[str, float]


# The largest number of rows that a model was scored on, and the bar of each model; None for one without such rows.
Bars = tuple[int, list[Bar | None]]


def bars_by_value(column: str, results: Sequence[Scored]) -> dict[str, Bars]:
    """Return the bars of the models by value of a column."""
    values: dict[str, None] = {}
    for result in results:
        values |= dict.fromkeys(result.rows_by.get(column, {}))
    return {value: _bars(column, value, results) for value in values}


def _bars(column: str, value: str, results: Sequence[Scored]) -> Bars:
    most = 0
    bars: list[Bar | None] = []
    for result in results:
        row = result.rows_by.get(column, {}).get(value)
        if row is None:
            bars.append(None)
        else:
            most = max(most, int(row.share("rows")))
            bars.append(_bar(row, result.compared_labels))
    return most, bars


def _bar(row: ScoreRow, labels: Sequence[str]) -> Bar:
    shares = {label: percent(row[f"predicted_{label}"]) or 0.0 for label in labels}
    return Bar(percent(row["sample_accuracy"]) or 0.0, shares)
