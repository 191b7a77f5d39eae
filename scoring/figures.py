"""The PA curve of models as a picture: the shape of the paper's Figures 4 and 11."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from merge_snli.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scoring.results import Result

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which people with any kind of colour vision tell apart, yellow left out."""
LINE_STYLES = ("-", "--", ":", "-.")
"""The next style is taken when the colours are used up."""

GREY = "#666666"
LABEL_GAP = 4.5
"""Least distance of two labels at the ends of lines, in points of PA."""
LABEL_LETTERS = 22


def draw_curves(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Draw the mean PA curve of each result, from threshold 0 to 100 %, with a dot at the quality threshold.

    The band around a line reaches from the lowest to the highest subsample.

    Args:
        results: At least one result, in the order of the colours.
        path: Where the picture goes; a PNG and an SVG are written, whichever of the endings it has, or none.

    Returns:
        The two files.

    Raises:
        InputError: Where there is no result.
    """
    if not results:
        raise InputError("there is no result to draw: score a model first")
    figure = _figure(results)
    place = Path(path)
    stem = place.stem if place.suffix in {".png", ".svg"} else place.name
    return [_save(figure, place.with_name(f"{stem}.{ending}")) for ending in ("png", "svg")]


def _figure(results: Sequence[Result]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    for index, result in enumerate(results):
        _draw(axes, result, COLOURS[index % len(COLOURS)], LINE_STYLES[index // len(COLOURS) % len(LINE_STYLES)])
    _label_ends(axes, results)
    _dress(axes, results)
    return figure


def _draw(axes: Axes, result: Result, colour: str, style: str) -> None:
    thresholds = np.array(result.thresholds) * 100
    curve = result.scores.on_variants.curve
    each = np.array(curve.each, dtype=float) * 100
    axes.fill_between(
        thresholds, np.nanmin(each, axis=0), np.nanmax(each, axis=0), color=colour, alpha=0.15, linewidth=0
    )
    axes.plot(thresholds, _percent(curve.mean), color=colour, linestyle=style, linewidth=2, solid_capstyle="round")
    at = result.thresholds.index(result.quality_threshold)
    axes.plot(thresholds[at], _percent(curve.mean)[at], "o", color=colour, markersize=7, markeredgecolor="white")


def _label_ends(axes: Axes, results: Sequence[Result]) -> None:
    ends = [_percent(result.scores.on_variants.curve.mean)[-1] for result in results]
    for index, place in enumerate(_apart(ends)):
        axes.annotate(
            _short(results[index].model.name),
            (100, ends[index]),
            (101.5, place),
            color=COLOURS[index % len(COLOURS)],
            fontweight="bold",
            verticalalignment="center",
            annotation_clip=False,
            parse_math=False,
        )


def _short(name: str) -> str:
    """Return a model's name without its owner, its middle left out where it is long."""
    last = name.rpartition("/")[2]
    return last if len(last) <= LABEL_LETTERS else f"{last[: LABEL_LETTERS - 9]}…{last[-8:]}"


def _apart(places: Sequence[float]) -> list[float]:
    """Move labels up until none stands on another."""
    moved = list(places)
    order = sorted(range(len(places)), key=lambda index: places[index])
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + LABEL_GAP)
    return moved


def _dress(axes: Axes, results: Sequence[Result]) -> None:
    first = results[0]
    quality = first.quality_threshold * 100
    axes.axvline(quality, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    text = f"quality threshold {quality:.0f} %"
    axes.annotate(text, (quality, 102), color=GREY, fontsize=9, ha="center", va="bottom", annotation_clip=False)
    axes.set(xlim=(0, 100), ylim=(0, 101), xlabel="Threshold: share of a seed's variants that must be right (%)")
    axes.set_ylabel("Pattern accuracy (%)")
    axes.set_xticks(range(0, 101, 10))
    axes.set_yticks(range(0, 101, 20))
    axes.set_title(
        f"Pattern accuracy on {first.dataset.name}, config {first.dataset.config} ({first.scores.seeds:,} seeds)",
        loc="left",
        pad=24,
        fontsize=12,
        parse_math=False,
    )
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _percent(shares: Sequence[float | None]) -> list[float]:
    return [np.nan if share is None else share * 100 for share in shares]


def _save(figure: Figure, path: Path) -> Path:
    import matplotlib as mpl

    ending = path.suffix.removeprefix(".")
    with mpl.rc_context({"svg.hashsalt": "merge"}):
        metadata = {"Date": None} if ending == "svg" else {}
        write_atomically(path, lambda part: figure.savefig(part, format=ending, dpi=200, metadata=metadata))
    return path
