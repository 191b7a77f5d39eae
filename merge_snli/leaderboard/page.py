"""Render the leaderboard as one HTML file that works offline.

Names in results are untrusted. They reach the page in two ways only: as an escaped HTML table, and as JSON in a script
element that is not executed, in which every `<`, `>` and `&` is escaped. The page's scripts insert them as text, never
as markup, and a content security policy blocks every other script.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from merge_snli.analysis.html_page import asset, shared_style, template
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.side_by_side import side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from merge_snli.leaderboard.boards import Board
    from merge_snli.leaderboard.texts import Texts

SCRIPTS = ("values.js", "state.js", "chart.js", "table.js", "board.js", "seeds.js", "model.js", "main.js")
"""The scripts of the page, in order; all share one scope."""
CHART_LIBRARY = "uPlot.iife.min.js"
CHART_LICENSE = "uPlot.LICENSE"
UNSAFE_IN_SCRIPT = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def render_page(boards: Sequence[Board], texts: Mapping[int, Texts] | None = None, about: str | None = None) -> str:
    """Return the page as HTML. Without boards of data with seeds, it has no scripts.

    Args:
        boards: The boards, at least one; those with seeds come first.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
        about: A paragraph on submissions for the end of the page.
    """
    library = f"/*!\n{_asset('vendor', CHART_LICENSE)}*/\n{_asset('vendor', CHART_LIBRARY)}"
    script = '(() => {\n"use strict";\n' + "\n".join(_asset(name) for name in SCRIPTS) + "})();\n"
    interactive = [board for board in boards if board.has_anchors]
    scripts = [library, script] if interactive else []
    return template(_asset("index.html.jinja")).render(
        sets=template(_asset("sets.html.jinja")).render(side=side_by_side(boards)),
        grouped=template(_asset("grouped.html.jinja")).render(
            boards=[board for board in boards if not board.has_anchors]
        ),
        about=about,
        tables=[board.table().html() for board in interactive],
        data=json_for_script(page_data(interactive, texts or {})),
        style="\n".join([_asset("vendor", "uPlot.min.css"), shared_style(), _asset("page.css")]),
        scripts=scripts,
        policy=_policy(scripts),
    )


def json_for_script(value: Any) -> str:  # noqa: ANN401 - any JSON value
    r"""Format JSON for a script element, so that no string can end the element or start another.

    Examples:
        >>> json_for_script({"name": "</script>"})
        '{"name":"\\u003c/script\\u003e"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(UNSAFE_IN_SCRIPT)


def _asset(*path: str) -> str:
    return asset("merge_snli.leaderboard", "page", *path)


def _policy(scripts: Sequence[str]) -> str:
    """Return a content security policy that allows only these scripts and no requests."""
    digests = (b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
