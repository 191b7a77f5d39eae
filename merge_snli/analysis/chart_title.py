"""Draw the title of a chart so that nothing of it is cut."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

TITLE_SIZE = 12
MARGIN = 0.01
"""Space on the left of a title, as a share of the figure's width; twice that on the right, as letters are hinted."""
LINE_INCHES = 0.2
"""Height of a line of a title."""
POINTS_PER_INCH = 72


def draw_title(figure: Figure, title: str) -> None:
    """Draw a title above the axes, in as many lines as it needs; the figure grows by those after the first.

    Args:
        figure: The figure.
        title: Its title; `$` has no special meaning.
    """
    lines = wrapped(title, figure.get_figwidth() * (1 - 3 * MARGIN), TITLE_SIZE)
    figure.set_figheight(figure.get_figheight() + LINE_INCHES * (len(lines) - 1))
    figure.suptitle("\n".join(lines), x=MARGIN, ha="left", fontsize=TITLE_SIZE, parse_math=False)


def wrapped(text: str, inches: float, size: float) -> list[str]:
    """Break a text into lines of a width, between words where that is possible.

    Args:
        text: The text.
        inches: Width of a line.
        size: Size of the font in points.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)

    def width(letters: int) -> float:
        return float(text_to_path.get_text_width_height_descent(text[:letters], font, ismath=False)[0])

    lines = []
    with missing_glyphs_allowed():
        while (fits := bisect_right(range(len(text) + 1), inches * POINTS_PER_INCH, key=width) - 1) < len(text):
            space = text.rfind(" ", 1, fits + 1)
            end = space if space > 0 else max(fits, 1)
            lines.append(text[:end])
            text = text[end:].lstrip()
    return [*lines, text]


@contextmanager
def missing_glyphs_allowed() -> Iterator[None]:
    """Draw or measure characters that the font lacks as boxes; one warning per character adds nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield
