"""Draw grouped bars and stacked bars of shares."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.comparison.line_chart import (
    COLORS,
    GRAY,
    draw_grid,
    draw_legend,
    draw_title,
    save_figure,
)
from merge_snli.dataset.label_spellings import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT
from merge_snli.results.grouping import short_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes


PANEL_INCHES = (4.6, 4.0)
# Share of the space between two categories that is filled with bars.
GROUP_WIDTH = 0.8
# Each pass over the palette uses the next pattern.
HATCHES = ("", "///", "...", "xxx")

LABEL_COLORS = {ENTAILMENT: COLORS[0], NEUTRAL: "#c3c8ce", CONTRADICTION: COLORS[1], NOT_ENTAILMENT: COLORS[1]}
PANELS_PER_ROW = 4
PANEL_WIDTH_INCHES, ROW_INCHES, MARGIN_INCHES = 2.3, 0.26, 0.55
# Characters of a panel's title that fit into its width.
TITLE_WIDTH = 34


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
        panel_axes.set_xticks(range(len(categories)), categories)
        panel_axes.set(ylim=(0, 101))
        panel_axes.set_title(panel_title, loc="left", fontsize=10, color=GRAY)
        draw_grid(panel_axes)
    axes[0].set_ylabel(y_label)
    draw_title(figure, title)
    draw_legend(figure, axes[0], 2)
    return save_figure(figure, path)


def _draw_panel(axes: Axes, bars: Sequence[Bars], panel: str, line: Bars | None) -> None:
    width = GROUP_WIDTH / len(bars)
    for nth, group in enumerate(bars):
        heights = np.array(group.heights[panel]) * 100
        at = np.arange(len(heights)) + ((nth + 0.5) * width - GROUP_WIDTH / 2)
        color = COLORS[group.style % len(COLORS)]
        hatch = HATCHES[group.style // len(COLORS) % len(HATCHES)]
        axes.bar(at, heights, width * 0.92, label=group.name, color=color, hatch=hatch, edgecolor="white")
    if line is not None:
        heights = np.array(line.heights[panel]) * 100
        middles = np.arange(len(heights))
        ends = (middles - GROUP_WIDTH / 2, middles + GROUP_WIDTH / 2)
        axes.hlines(heights, *ends, color="#c1121f", linewidth=2, label=line.name)


def draw_shares(
    panels: Mapping[str, Mapping[str, Sequence[float]]], models: Sequence[str], path: str | Path, *, title: str
) -> list[Path]:
    """Draw a panel per value, with one stacked bar per model.

    Args:
        panels: By value of a column, such as a hypothesis template, and by predicted label, the share of each model's
            predictions, [n_models]; NaN for a model without scores. At least one value; all with the same labels.
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
    for axes, (value, shares) in zip(grid, panels.items(), strict=False):
        _draw_shares(axes, shares, value, models)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[max(0, len(panels) - across) : len(panels)]:
        axes.tick_params(labelbottom=True)
    draw_title(figure, f"{title} (%)")
    draw_legend(figure, grid[0], len(next(iter(panels.values()))))
    return save_figure(figure, path)


def _draw_shares(axes: Axes, shares: Mapping[str, Sequence[float]], title: str, models: Sequence[str]) -> None:
    left = np.zeros(len(models))
    for number, (label, of_models) in enumerate(shares.items()):
        widths = np.nan_to_num(np.array(of_models)) * 100
        color = LABEL_COLORS.get(label, COLORS[number % len(COLORS)])
        axes.barh(range(len(widths)), widths, 0.78, left, label=label.replace("_", " "), color=color)
        left += widths
    axes.set_yticks(range(len(models)), short_names(models), parse_math=False)
    axes.set(xlim=(0, 100), xticks=(0, 50, 100), ylim=(len(models) - 0.5, -0.5))
    axes.tick_params(length=0)
    lines = textwrap.fill(title, TITLE_WIDTH, break_long_words=False)
    axes.set_title(lines, loc="left", fontsize=9, color=GRAY, parse_math=False)
    axes.spines[:].set_visible(False)
