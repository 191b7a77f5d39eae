"""Draw the coefficients of a regression with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.comparison.line_chart import COLORS, GRAY, NARROW_WIDTH_INCHES, WIDTH_INCHES, draw_grid, draw_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from merge_snli.paper.error_drivers import Coefficient

# Height of a row.
COEFFICIENT_INCHES = 0.38


def coefficient_figure(
    names: Mapping[str, str],
    main: Sequence[Coefficient],
    others: Sequence[Coefficient] = (),
    *,
    title: str,
    dot: str,
    narrow: bool = False,
) -> Figure:
    """Return a chart with one row per predictor, the first on top.

    Args:
        names: Labels of the rows by name of the predictor.
        main: The coefficients that are drawn as dots with their intervals.
        others: The coefficients in the regressions of single models, drawn as small marks.
        title: Title of the chart.
        dot: What the dots stand for.
        narrow: Draw for the width of a phone, without a title.
    """
    from matplotlib.figure import Figure

    width = NARROW_WIDTH_INCHES if narrow else WIDTH_INCHES
    figure = Figure(figsize=(width, 1.1 + COEFFICIENT_INCHES * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    rows = {name: row for row, name in enumerate(names)}
    marks = sorted(others, key=lambda each: rows[each.name])
    if marks:
        at = [rows[each.name] for each in marks]
        axes.plot([each.estimate for each in marks], at, "|", color=GRAY, markersize=9, label="single models")
    if main:
        at = [rows[each.name] for each in main]
        estimates = [each.estimate for each in main]
        axes.plot(estimates, at, "o", color=COLORS[0], markersize=7, markeredgecolor="white", label=dot)
    for each in main:
        ends = (each.interval.low, each.interval.high)
        axes.plot(ends, (rows[each.name],) * 2, color=COLORS[0], linewidth=2, zorder=1)
    label = "Log-odds" if narrow else "Change of the log-odds of a right answer"
    axes.set(xlabel=label, ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), list(names.values()))
    axes.tick_params(axis="y", length=0)
    draw_grid(axes, "x", hidden=("top", "right", "left"))
    if not narrow:
        draw_title(figure, title)
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return figure
