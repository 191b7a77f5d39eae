"""The leaderboard as one HTML file that needs no network: template, style, script, chart library and data together.

A name in a result may be anything. Text of results reaches the page in two ways only: through Jinja2's escaping, and as
JSON in a script element of a type that is not run, with every `<`, `>` and `&` written as an escape. The page's own
script puts it in place as text, never as markup, and a content security policy lets no other script run.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scoring.reports.leaderboard.payload import page_data
from scoring.results.score_table import HEADERS, explanation, table_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.reports.leaderboard.boards import Board
    from scoring.reports.leaderboard.texts import Texts

SCRIPTS = ("values.js", "state.js", "chart.js", "table.js", "board.js", "seeds.js", "model.js", "main.js")
"""The page's own script: files of one scope, in the order in which they stand."""
CHART_LIBRARY = "uPlot.iife.min.js"
CHART_LICENSE = "uPlot.LICENSE"
UNSAFE_IN_SCRIPT = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def render_page(boards: Sequence[Board], texts: Mapping[int, Texts] | None = None) -> str:
    """Return the page.

    Args:
        boards: What it shows, at least one.
        texts: What the seeds of a board say, by the board's position.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    library = f"/*!\n{_asset('vendor', CHART_LICENSE)}*/\n{_asset('vendor', CHART_LIBRARY)}"
    script = '(() => {\n"use strict";\n' + "\n".join(_asset(name) for name in SCRIPTS) + "})();\n"
    return environment.from_string(_asset("index.html.jinja")).render(
        tables=[_static_table(board) for board in boards],
        data=json_for_script(page_data(boards, texts or {})),
        style=f"{_asset('vendor', 'uPlot.min.css')}\n{_asset('page.css')}",
        scripts=[library, script],
        policy=_policy([library, script]),
    )


def json_for_script(value: Any) -> str:  # noqa: ANN401 - any JSON value
    r"""Write JSON that can stand in a script element: nothing in it can end the element or begin another.

    Examples:
        >>> json_for_script({"name": "</script>"})
        '{"name":"\\u003c/script\\u003e"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(UNSAFE_IN_SCRIPT)


def _asset(*path: str) -> str:
    return files("scoring.reports.leaderboard").joinpath("page", *path).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    """Return the content security policy under which only these scripts run and nothing is fetched."""
    digests = (b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _static_table(board: Board) -> dict[str, Any]:
    """Return what a reader without scripts sees of a board."""
    rows = table_rows(board.results)
    return {
        "title": board.title,
        "headers": HEADERS,
        "rows": [(entry.name, *row.cells[1:]) for entry, row in zip(board.entries, rows, strict=True)],
        "explanation": explanation(board.results, board.title),
        "notes": [f"{entry.name}: {note}" for entry in board.entries for note in entry.result.notes],
    }
