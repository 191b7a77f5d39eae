"""Turn the SVG text of a chart into an element of the page that follows its light or dark colors."""

from __future__ import annotations

import re
from html import escape

from merge_snli.analysis.charts.line_chart import COLORS, GRAY, GRID

_VARIABLES = {
    "#000000": "var(--ink)",
    "#ffffff": "var(--card)",
    GRAY: "var(--soft)",
    GRID: "var(--grid)",
    **{color: f"var(--line-{position})" for position, color in enumerate(COLORS)},
}
_COLOR = re.compile("|".join(_VARIABLES))
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def inline_svg(text: str, *, key: str, label: str) -> str:
    """Return the SVG element for an HTML page.

    Args:
        text: The SVG file.
        key: Prefix of the element's ids, unique on the page.
        label: Text for readers who do not see the figure.

    Returns:
        The element: without prolog, metadata and comments, with the colors of the page instead of fixed ones, and with
        coordinates in hundredths of a point.
    """
    element = text[text.index("<svg") :]
    element = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", element, flags=re.DOTALL)
    element = _COLOR.sub(lambda color: _VARIABLES[color[0]], element)
    element = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{key}-", element)
    element = _NUMBER.sub(lambda number: f"{float(number[0]):.2f}", element)
    size = re.search(r'viewBox="[^"]*"', element)
    opening = f'<svg {size[0] if size else ""} role="img" aria-label="{escape(label)}" class="figure">'
    return re.sub(r"\s*\n\s*", " ", opening + element[element.index(">") + 1 :])
