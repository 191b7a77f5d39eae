"""Draw the coefficients of a regression with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.analysis.charts.line_chart import COLORS, GRAY, GRID, NARROW_WIDTH_INCHES, WIDTH_INCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from merge_snli.scoring.statistics import Interval

ROW_INCHES, MARGIN_INCHES = 0.38, 1.1


@dataclass(frozen=True)
class CoefficientRow:
    """One row of the chart.

    Attributes:
        name: Label of the row.
        estimate: The coefficient, drawn as a dot; None if the regression left it out.
        interval: Its interval.
        others: The same coefficient in other regressions, drawn as small marks.
    """

    name: str
    estimate: float | None
    interval: Interval | None
    others: tuple[float, ...] = ()


def coefficient_figure(
    rows: Sequence[CoefficientRow], *, title: str, dot: str, mark: str | None, narrow: bool = False
) -> Figure:
    """Return a chart with one row per coefficient, the first on top.

    Args:
        rows: The coefficients.
        title: Title of the chart.
        dot: What the dots stand for.
        mark: What the small marks stand for; None if there are none.
        narrow: Draw for the width of a phone, without a title.
    """
    from matplotlib.figure import Figure

    width = NARROW_WIDTH_INCHES if narrow else WIDTH_INCHES
    figure = Figure(figsize=(width, MARGIN_INCHES + ROW_INCHES * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    marks = [(other, y) for y, row in enumerate(rows) for other in row.others]
    if marks:
        axes.plot(*zip(*marks, strict=True), "|", color=GRAY, markersize=9, label=mark)
    dots = [(row.estimate, y) for y, row in enumerate(rows) if row.estimate is not None]
    if dots:
        axes.plot(*zip(*dots, strict=True), "o", color=COLORS[0], markersize=7, markeredgecolor="white", label=dot)
    for y, row in enumerate(rows):
        if row.interval is not None:
            axes.plot((row.interval.low, row.interval.high), (y, y), color=COLORS[0], linewidth=2, zorder=1)
    label = "Log-odds" if narrow else "Change of the log-odds of a right answer"
    axes.set(xlabel=label, ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    if not narrow:
        axes.set_title(title, loc="left", pad=12, fontsize=12, parse_math=False)
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return figure
