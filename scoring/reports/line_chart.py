"""Lines over the thresholds of pattern accuracy as a picture: colours, labels at their ends, PNG and SVG."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which people with any kind of colour vision tell apart, yellow left out."""
LINE_STYLES = ("-", "--", ":", "-.")
"""The next style is taken when the colours are used up."""

GREY = "#666666"
LABEL_GAP = 0.045
"""Least distance of two labels at the ends of lines, as a share of the height of the axes."""
LABEL_LETTERS = 22
HEIGHT, LINES_IN_HEIGHT = 4.8, 16
"""Inches of a picture of up to that many lines; one of more is as much higher."""
TICK, TICK_OF_A_PART = 10, 2
"""Per cent between ticks, of the whole curve and of its upper part."""


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        name: What stands at its end.
        values: PA at each threshold, from 0 to 1, NaN where there is none, [n].
        low: Lower edge of the band around it, [n].
        high: Upper edge, [n].
    """

    name: str
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def draw_lines(
    lines: Sequence[Line], thresholds: Sequence[float], path: str | Path, *, title: str, marked: float, start: float = 0
) -> list[Path]:
    """Draw lines over thresholds, with a dot on each at one threshold.

    Args:
        lines: In the order of the colours.
        thresholds: From 0 to 1, [n].
        path: Where the picture goes; a PNG and an SVG are written, whichever of the endings it has, or none.
        title: What stands above.
        marked: The threshold with the dots: the quality threshold.
        start: The first threshold that is shown.

    Returns:
        The two files; the same lines give the same bytes.
    """
    first = next(index for index, threshold in enumerate(thresholds) if threshold >= start)
    shown = np.array(thresholds[first:]) * 100
    figure, axes = _figure(len(lines))
    for index, line in enumerate(lines):
        colour = COLORS[index % len(COLORS)]
        style = LINE_STYLES[index // len(COLORS) % len(LINE_STYLES)]
        low, high, values = (np.array(column[first:]) * 100 for column in (line.low, line.high, line.values))
        axes.fill_between(shown, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(shown, values, color=colour, linestyle=style, linewidth=2, solid_capstyle="round")
        at = thresholds.index(marked) - first
        axes.plot(shown[at], values[at], "o", color=colour, markersize=7, markeredgecolor="white")
    _dress(axes, title, marked * 100, start * 100)
    _label_ends(axes, lines, shown[-1])
    place = Path(path)
    stem = place.stem if place.suffix in {".png", ".svg"} else place.name
    return [_save(figure, place.with_name(f"{stem}.{ending}")) for ending in ("png", "svg")]


def _figure(lines: int) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, HEIGHT * max(1, lines / LINES_IN_HEIGHT)), layout="constrained")
    return figure, figure.subplots()


def _dress(axes: Axes, title: str, quality: float, start: float) -> None:
    axes.axvline(quality, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    axes.annotate(
        f"quality threshold {quality:.0f} %",
        (quality, 1.01),
        xycoords=("data", "axes fraction"),
        color=GREY,
        fontsize=9,
        ha="center",
        va="bottom",
        annotation_clip=False,
    )
    axes.set(xlim=(start, 100), xlabel="Threshold: share of a seed's variants that must be right (%)")
    axes.set_xticks(range(round(start), 101, TICK if start == 0 else TICK_OF_A_PART))
    if start == 0:
        axes.set(ylim=(0, 101), yticks=range(0, 101, 2 * TICK))
    axes.set_ylabel("Pattern accuracy (%)")
    axes.set_title(title, loc="left", pad=24, fontsize=12, parse_math=False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _label_ends(axes: Axes, lines: Sequence[Line], last: float) -> None:
    ends = [line.values[-1] * 100 for line in lines]
    bottom, top = axes.get_ylim()
    for index, place in enumerate(labels_apart(ends, (top - bottom) * LABEL_GAP)):
        axes.annotate(
            short_name(lines[index].name),
            (last, ends[index]),
            (1.015, (place - bottom) / (top - bottom)),
            textcoords="axes fraction",
            color=COLORS[index % len(COLORS)],
            fontweight="bold",
            verticalalignment="center",
            annotation_clip=False,
            parse_math=False,
        )


def short_name(name: str) -> str:
    """Return a model's name without its owner, its middle left out where it is long."""
    last = name.rpartition("/")[2]
    return last if len(last) <= LABEL_LETTERS else f"{last[: LABEL_LETTERS - 9]}…{last[-8:]}"


def labels_apart(places: Sequence[float], gap: float) -> list[float]:
    """Move labels up until no two stand nearer to each other than `gap`."""
    moved = list(places)
    order = sorted(range(len(places)), key=lambda index: places[index])
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + gap)
    return moved


def _save(figure: Figure, path: Path) -> Path:
    import matplotlib as mpl

    ending = path.suffix.removeprefix(".")
    with mpl.rc_context({"svg.hashsalt": "merge"}), warnings.catch_warnings():
        metadata = {"Date": None} if ending == "svg" else {}
        # A name in a script that the font does not have gets boxes; the warning of each would say no more.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        write_atomically(path, lambda part: figure.savefig(part, format=ending, dpi=200, metadata=metadata))
    return path
