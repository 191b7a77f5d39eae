"""Draw line charts over the thresholds of pattern accuracy as PNG and SVG."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from merge_snli.base.batches import grouped
from merge_snli.base.files import write_bytes
from merge_snli.results.grouping import short_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from merge_snli.base.arrays import Floats

# Color-blind safe palette after Okabe and Ito, darker where they lack contrast; the same as on the leaderboard.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a97900", "#3a97d3", "#6a51a3", "#333333")
# Each pass over the palette uses the next style.
LINE_STYLES = ("-", "--", ":", "-.")

GRAY, GRID = "#666666", "#dddddd"
# Minimum distance between two line labels, as a share of the axes' height.
MIN_LABEL_GAP = 0.045
WIDTH_INCHES, FIGURE_HEIGHT_INCHES = 8.0, 4.8
# A figure with more lines is proportionally taller.
LINES_PER_FIGURE_HEIGHT = 16
# Size of a chart for a phone, without its legend.
NARROW_WIDTH_INCHES, NARROW_HEIGHT_INCHES = 4.2, 3.6
LEGEND_ROW_INCHES = 0.22
# Letters of a name that fits into one of the two columns of its legend.
LEGEND_COLUMN_LETTERS = 18
TICK_STEP = 10
# Percentage points between ticks, for the whole curve and for its upper part.
ZOOMED_TICK_STEP = 2
SEED_VARIANTS = "seed's variants"
PNG_DPI = 200
# Approximate number of letters of a title in an inch, and height of a line.
TITLE_LETTERS_PER_INCH, TITLE_LINE_INCHES = 10, 0.2


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        name: Label at the end of the line.
        values: PA at each threshold, from 0 to 1 or NaN, [n].
        low: Lower edge of the band, [n].
        high: Upper edge of the band, [n].
        style: Position of its color in `COLORS`; higher numbers repeat the colors in other line styles.
    """

    name: str
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    style: int

    @property
    def color(self) -> str:
        """The color of the line and its label."""
        return COLORS[self.style % len(COLORS)]


def line_figure(
    lines: Sequence[Line],
    thresholds: Sequence[float],
    *,
    title: str,
    marked: float,
    start: float = 0,
    narrow: bool = False,
    of: str = SEED_VARIANTS,
    note: str = "",
) -> Figure:
    """Draw lines over thresholds, with a dot on each line at one threshold; equal lines are one with several names.

    Args:
        lines: The lines.
        thresholds: Thresholds from 0 to 1, [n].
        title: Title of the chart.
        marked: Threshold that gets the dots, usually the quality threshold.
        start: First threshold shown.
        narrow: Draw for the width of a phone, with the names of the lines below the chart and without a title.
        of: What the threshold is a share of.
        note: What the chart leaves out; shown below it.
    """
    first = bisect_left(thresholds, start)
    labels = short_names([line.name for line in lines])
    columns = 1 if any(len(label) > LEGEND_COLUMN_LETTERS for label in labels) else 2
    figure, axes = _figure(len(lines), columns if narrow else None)
    curves = [np.array([thresholds, line.values, line.low, line.high])[:, first:] * 100 for line in lines]
    marked_at = thresholds.index(marked) - first
    colors = [line.color for line in lines]
    for numbers in grouped((curve.tobytes(), number) for number, curve in enumerate(curves)).values():
        line = lines[numbers[0]]
        label = "\n".join(labels[number] for number in numbers)
        _draw_line(axes, line, curves[numbers[0]], label, marked_at)
        for number in numbers:
            colors[number] = line.color
    _style_axes(axes, marked * 100, start * 100, of)
    if narrow:
        if lines:
            draw_legend(figure, axes, columns, weight="bold", handlelength=1.5, labelcolor="linecolor")
        axes.set_xlabel("Threshold (%)")
    else:
        draw_title(figure, title)
        _label_lines(axes, [curve[1, -1] for curve in curves], labels, colors)
    width = round(TITLE_LETTERS_PER_INCH * figure.get_figwidth())
    axes.set_xlabel("\n".join([axes.get_xlabel(), *textwrap.wrap(note, width)]))
    return figure


def _figure(lines: int, legend_columns: int | None) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    size = WIDTH_INCHES, FIGURE_HEIGHT_INCHES * max(1, lines / LINES_PER_FIGURE_HEIGHT)
    if legend_columns:
        legend_height = math.ceil(lines / legend_columns) * LEGEND_ROW_INCHES
        size = NARROW_WIDTH_INCHES, NARROW_HEIGHT_INCHES + legend_height
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def _draw_line(axes: Axes, line: Line, curve: Floats, label: str, marked_at: int) -> None:
    """Draw a line, its band and a dot; a curve is thresholds, values and edges of the band in percent, [4, n]."""
    shown, values, low, high = curve
    style = LINE_STYLES[line.style // len(COLORS) % len(LINE_STYLES)]
    axes.fill_between(shown, low, high, color=line.color, alpha=0.15, linewidth=0)
    axes.plot(shown, values, color=line.color, linestyle=style, linewidth=2, solid_capstyle="round", label=label)
    axes.plot(shown[marked_at], values[marked_at], "o", color=line.color, markersize=7, markeredgecolor="white")


def draw_legend(figure: Figure, axes: Axes, columns: int, *, weight: str = "normal", **look: Any) -> None:  # noqa: ANN401
    """Draw the legend of one of several axes with the same below all of them.

    Args:
        figure: The figure.
        axes: The axes.
        columns: Number of columns of the legend.
        weight: Weight of its font.
        look: Other arguments of `Figure.legend`.
    """
    handles, labels = axes.get_legend_handles_labels()
    look |= {"loc": "outside lower left", "ncols": columns, "frameon": False, "fontsize": 9}
    for text in figure.legend(handles, labels, **look).get_texts():
        text.set(fontweight=weight, parse_math=False)


def _style_axes(axes: Axes, quality: float, start: float, of: str) -> None:
    axes.axvline(quality, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    axes.annotate(
        f"quality threshold {quality:.0f}%",
        (quality, 1.01),
        xycoords=("data", "axes fraction"),
        color=GRAY,
        fontsize=9,
        ha="center",
        va="bottom",
        annotation_clip=False,
    )
    axes.set(
        xlim=(start, 100),
        xticks=range(round(start), 101, TICK_STEP if start == 0 else ZOOMED_TICK_STEP),
        xlabel=f"Threshold: share of a {of} that must be correct (%)",
        ylabel="Pattern accuracy (%)",
    )
    if start == 0:
        axes.set(ylim=(0, 101), yticks=range(0, 101, 2 * TICK_STEP))
    draw_grid(axes)


def draw_title(figure: Figure, title: str) -> None:
    """Draw the title of a figure above the axes, in as many lines as it needs; the figure becomes taller by them.

    Args:
        figure: The figure.
        title: Its title; `$` has no special meaning.
    """
    more_lines = len(title) // (TITLE_LETTERS_PER_INCH * figure.get_figwidth())
    figure.set_figheight(figure.get_figheight() + more_lines * TITLE_LINE_INCHES)
    figure.suptitle(title.replace("$", r"\$"), x=0.01, ha="left", fontsize=12, wrap=True)


def draw_grid(axes: Axes, along: Literal["x", "y"] = "y", hidden: Sequence[str] = ("top", "right")) -> None:
    """Draw a light grid below the values, and hide edges of the frame.

    Args:
        axes: The axes.
        along: The axis whose ticks have grid lines.
        hidden: The hidden edges.
    """
    axes.grid(axis=along, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[[*hidden]].set_visible(False)


def _label_lines(axes: Axes, ends: Sequence[float], labels: Sequence[str], colors: Sequence[str]) -> None:
    bottom, top = axes.get_ylim()
    positions = spread_labels(ends, (top - bottom) * MIN_LABEL_GAP)
    for end, label, color, position in zip(ends, labels, colors, positions, strict=True):
        axes.annotate(
            label,
            (100, end),
            (1.015, (position - bottom) / (top - bottom)),
            textcoords="axes fraction",
            color=color,
            fontweight="bold",
            verticalalignment="center",
            annotation_clip=False,
            parse_math=False,
        )


def spread_labels(positions: Sequence[float], gap: float) -> list[float]:
    """Move labels up until neighbors are at least `gap` apart."""
    moved = list(positions)
    for below, above in pairwise(sorted(range(len(positions)), key=positions.__getitem__)):
        moved[above] = max(moved[above], moved[below] + gap)
    return moved


def save_figure(figure: Figure, path: str | Path) -> list[Path]:
    """Write a figure as PNG and SVG, and return the two files; equal figures give equal bytes.

    Args:
        figure: The figure.
        path: Output path; its extension is replaced if it is `.png` or `.svg`, otherwise one is added.
    """
    stem = str(path).removesuffix(".png").removesuffix(".svg")
    files = [Path(f"{stem}.png"), Path(f"{stem}.svg")]
    for file in files:
        write_bytes(file, image(figure, file.suffix[1:]))
    return files


def image(figure: Figure, extension: str, *, text_as: str = "path") -> bytes:
    """Encode a figure. Equal figures give equal bytes.

    Args:
        figure: The figure.
        extension: `png` or `svg`.
        text_as: `path` for text in SVG as outlines, `none` for text as text, in a font of the reader.
    """
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "merge", "svg.fonttype": text_as}), warnings.catch_warnings():
        metadata = {"Date": None} if extension == "svg" else {}
        # Characters that the font lacks are drawn as boxes; one warning per character adds nothing.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(buffer, format=extension, dpi=PNG_DPI, metadata=metadata)
    figure.set_layout_engine("none")  # keep the layout for other formats
    return buffer.getvalue()
