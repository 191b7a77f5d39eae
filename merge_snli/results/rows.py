"""One row of scores, and its mean over several results; every table of scores selects columns of such rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias, TypeVar

import numpy as np

from merge_snli.base.table import Column
from merge_snli.results.records import Ends
from merge_snli.results.scores import Curve, Row
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, matching_threshold

N = TypeVar("N", int, float)

MODEL = Column("Model", "left")
PA = f"PA({QUALITY_THRESHOLD})"
ECE = "ECE"
# What each score is, in the words of every table and page.
DEFINITIONS = {
    "Source": "sample accuracy on all problems of the source that have a gold label",
    "Seeds": "sample accuracy on seeds",
    "Variants": "sample accuracy on variants, mean over the subsamples",
    "QT": f"{PA} minus sample accuracy on seeds",
    "MT": "threshold at which PA on variants is closest to sample accuracy on seeds",
    ECE: "expected calibration error on variants, mean over the subsamples; the confidence is the probability of the "
    "predicted label",
}


@dataclass(frozen=True)
class ScoreValues:
    """Scores of a model by name, with their intervals.

    Attributes:
        values: Each score, as `Scores.as_row` names them; the ends of its interval are `NAME_low` and `NAME_high`.
    """

    values: Row

    def __getitem__(self, name: str) -> float | None:
        """Return a score; None if there is none with this name."""
        return self.values.get(name)

    def share(self, name: str) -> float:
        """Return a score as a number, NaN for None."""
        value = self[name]
        return float("nan") if value is None else value

    def ends(self, name: str) -> Ends | None:
        """Return the interval of a score; None if it has none."""
        low = self[f"{name}_low"]
        high = self[f"{name}_high"]
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class ScoreRow(ScoreValues):
    """Every score of a model on some rows.

    Attributes:
        curve: PA at every threshold.
    """

    curve: Curve


# The scores on the rows with each value of each column.
RowsBy: TypeAlias = dict[str, dict[str, ScoreRow]]


def mean_row(rows: Sequence[ScoreRow]) -> ScoreRow:
    """Return the mean of the rows of several results on the same data.

    A score that one of them lacks is None. The curve has the subsamples of all of them, MT is that of the mean curve,
    and intervals are left to the caller.

    Args:
        rows: The rows, at least one, with the same names.
    """
    passing: list[tuple[int, ...]] = []
    groups: list[int] = []
    names: Row = {}
    for row in rows:
        passing += row.curve.passing
        groups += row.curve.groups
        names |= row.values
    curve = [of_all(fmean, shares) for shares in zip(*(row.curve.mean for row in rows), strict=True)]
    means: Row = {}
    for name in names:
        means[name] = None if name.endswith(("_low", "_high")) else of_all(fmean, [row[name] for row in rows])
    for name in ("groups", "rows"):
        means[name] = int(means[name] or 0)
    on_seeds = means.get("seed_accuracy")
    if on_seeds is not None and None not in curve:
        means["mt"] = matching_threshold(np.array(curve, dtype=np.float64), on_seeds)
    return ScoreRow(means, Curve(tuple(curve), tuple(passing), tuple(groups)))


def of_all(total: Callable[[Sequence[N]], N], values: Sequence[N | None]) -> N | None:
    """Return the sum, mean or another total of some numbers; None if one is None."""
    known = [value for value in values if value is not None]
    return total(known) if len(known) == len(values) else None


def percent(share: float | None) -> float | None:
    """Return a share in percent, rounded for a table; never -0.0."""
    return None if share is None else round(100 * share, 1) + 0.0


def ends_text(ends: Ends | None, sign: str = "") -> str | None:
    """Return the ends of an interval of shares in percent, never -0.0; None without an interval."""
    if ends is None:
        return None
    return " to ".join(f"{round(100 * end, 1) + 0.0:{sign}.1f}" for end in ends)
