"""Draw the share of each predicted label as stacked bars: Tables 1 to 3 of Luo et al. (2022)."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.charts.line_chart import COLORS, GRAY, save_figure, short_name
from merge_snli.dataset.label_spellings import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

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
        _draw_panel(axes, panel)
        _style_axes(axes, panel.name, models)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[max(0, len(panels) - across) : len(panels)]:
        axes.tick_params(labelbottom=True)
    figure.suptitle(f"{title} (%)", x=0.01, ha="left", fontsize=12, parse_math=False)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=len(labels), frameon=False, fontsize=9)
    return save_figure(figure, path)


def _draw_panel(axes: Axes, panel: SharePanel) -> None:
    left = np.zeros(len(next(iter(panel.shares.values()))))
    for label, shares in panel.shares.items():
        widths = np.nan_to_num(np.array(shares)) * 100
        name = label.replace("_", " ")
        axes.barh(range(len(widths)), widths, 0.78, left, label=name, color=LABEL_COLORS[label])
        left += widths


def _style_axes(axes: Axes, title: str, models: Sequence[str]) -> None:
    axes.set_yticks(range(len(models)), [short_name(model) for model in models])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.set(xlim=(0, 100), ylim=(len(models) - 0.5, -0.5))
    axes.set_xticks((0, 50, 100))
    axes.tick_params(length=0)
    lines = textwrap.fill(title, TITLE_WIDTH, break_long_words=False)
    axes.set_title(lines, loc="left", fontsize=9, color=GRAY, parse_math=False)
    axes.spines[:].set_visible(False)
