"""Draw grouped bars of shares in panels as PNG and SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.charts.line_chart import COLORS, GRAY, save_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

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
