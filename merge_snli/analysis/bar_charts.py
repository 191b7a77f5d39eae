"""Draw grouped bars, stacked bars of shares, and the coefficients of a regression."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.line_chart import (
    COLORS,
    GRAY,
    GRID,
    NARROW_WIDTH_INCHES,
    WIDTH_INCHES,
    save_figure,
    short_name,
)
from merge_snli.dataset.label_spellings import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from merge_snli.scoring.statistics import Interval

PANEL_INCHES = (4.6, 4.0)
GROUP_WIDTH = 0.8
"""Share of the space between two categories that is filled with bars."""
LINE_COLOR = "#c1121f"
HATCHES = ("", "///", "...", "xxx")
"""Each pass over the palette uses the next pattern."""


@dataclass(frozen=True)
class Bars:
    """The bars of one group, in every panel.

    Attributes:
        name: Name in the legend.
        heights: By panel, the height of the bar of each category, from 0 to 1.
        style: Position of its color in `COLORS`; higher numbers repeat the colors with other patterns.
    """

    name: str
    heights: Mapping[str, Sequence[float]]
    style: int


def draw_bars(
    bars: Sequence[Bars],
    categories: Sequence[str],
    path: str | Path,
    *,
    title: str,
    panels: Mapping[str, str],
    y_label: str,
    line: Bars | None = None,
) -> list[Path]:
    """Draw a panel of grouped bars for each key of `panels`.

    Args:
        bars: At least one group.
        categories: Labels of the categories on the x-axis.
        path: Output path. A PNG and an SVG are written, whatever the extension.
        title: Title of the chart.
        panels: Titles of the panels, by the keys of `Bars.heights`.
        y_label: Label of the y-axis.
        line: Heights that are drawn as a red line across the bars of each category.

    Returns:
        The two files. Equal bars give equal bytes.
    """
    from matplotlib.figure import Figure

    width, height = PANEL_INCHES
    figure = Figure(figsize=(width * len(panels), height), layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for panel_axes, (panel, panel_title) in zip(axes, panels.items(), strict=True):
        _draw_panel(panel_axes, bars, panel, line)
        _style_axes(panel_axes, categories, panel_title)
    axes[0].set_ylabel(y_label)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, parse_math=False)
    handles, labels = axes[0].get_legend_handles_labels()
    legend = figure.legend(handles, labels, loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return save_figure(figure, path)


def _draw_panel(axes: Axes, bars: Sequence[Bars], panel: str, line: Bars | None) -> None:
    width = GROUP_WIDTH / len(bars)
    for nth, each in enumerate(bars):
        heights = np.array(each.heights[panel]) * 100
        offset = (nth + 0.5) * width - GROUP_WIDTH / 2
        axes.bar(
            np.arange(len(heights)) + offset,
            heights,
            width * 0.92,
            label=each.name,
            color=COLORS[each.style % len(COLORS)],
            hatch=HATCHES[each.style // len(COLORS) % len(HATCHES)],
            edgecolor="white",
        )
    if line is not None:
        heights = np.array(line.heights[panel]) * 100
        middles = np.arange(len(heights))
        ends = (middles - GROUP_WIDTH / 2, middles + GROUP_WIDTH / 2)
        axes.hlines(heights, *ends, color=LINE_COLOR, linewidth=2, label=line.name)


def _style_axes(axes: Axes, categories: Sequence[str], title: str) -> None:
    axes.set_xticks(range(len(categories)), categories)
    axes.set(ylim=(0, 101))
    axes.set_title(title, loc="left", fontsize=10, color=GRAY)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


LABEL_COLORS = {ENTAILMENT: COLORS[0], NEUTRAL: "#c3c8ce", CONTRADICTION: COLORS[1], NOT_ENTAILMENT: COLORS[1]}
PANELS_PER_ROW = 4
PANEL_WIDTH_INCHES, ROW_INCHES, MARGIN_INCHES = 2.3, 0.26, 0.55
TITLE_WIDTH = 34
"""Characters of a panel's title that fit into its width."""


@dataclass(frozen=True)
class SharePanel:
    """The bars of one value of a column, such as a hypothesis template.

    Attributes:
        name: The value.
        shares: By predicted label, the share of each model's predictions, [n_models]; NaN for a model without scores.
    """

    name: str
    shares: dict[str, Sequence[float]]


def draw_shares(panels: Sequence[SharePanel], models: Sequence[str], path: str | Path, *, title: str) -> list[Path]:
    """Draw a panel per value, with one stacked bar per model.

    Args:
        panels: At least one panel; all with the same labels.
        models: Names of the models, the first on top.
        path: Output path. A PNG and an SVG are written, whatever the extension.
        title: Title of the chart.

    Returns:
        The two files. Equal panels give equal bytes.
    """
    from matplotlib.figure import Figure

    across = min(PANELS_PER_ROW, len(panels))
    down = -(-len(panels) // across)
    height = 0.9 + down * (MARGIN_INCHES + ROW_INCHES * len(models))
    figure = Figure(figsize=(1.6 + across * PANEL_WIDTH_INCHES, height), layout="constrained")
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        _draw_shares(axes, panel)
        _style_share_axes(axes, panel.name, models)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[max(0, len(panels) - across) : len(panels)]:
        axes.tick_params(labelbottom=True)
    figure.suptitle(f"{title} (%)", x=0.01, ha="left", fontsize=12, parse_math=False)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=len(labels), frameon=False, fontsize=9)
    return save_figure(figure, path)


def _draw_shares(axes: Axes, panel: SharePanel) -> None:
    left = np.zeros(len(next(iter(panel.shares.values()))))
    for label, shares in panel.shares.items():
        widths = np.nan_to_num(np.array(shares)) * 100
        name = label.replace("_", " ")
        axes.barh(range(len(widths)), widths, 0.78, left, label=name, color=LABEL_COLORS[label])
        left += widths


def _style_share_axes(axes: Axes, title: str, models: Sequence[str]) -> None:
    axes.set_yticks(range(len(models)), [short_name(model) for model in models])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.set(xlim=(0, 100), ylim=(len(models) - 0.5, -0.5))
    axes.set_xticks((0, 50, 100))
    axes.tick_params(length=0)
    lines = textwrap.fill(title, TITLE_WIDTH, break_long_words=False)
    axes.set_title(lines, loc="left", fontsize=9, color=GRAY, parse_math=False)
    axes.spines[:].set_visible(False)


COEFFICIENT_INCHES = 0.38
"""Height of a row."""


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
    figure = Figure(figsize=(width, 1.1 + COEFFICIENT_INCHES * len(rows)), layout="constrained")
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
