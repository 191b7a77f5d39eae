"""Render boards as one HTML page that works offline.

Names in results are untrusted. They reach the page in two ways only: as an escaped HTML table, and as JSON in a script
element that is not executed, in which every `<`, `>` and `&` is escaped. The page's scripts insert them as text, never
as markup, and a content security policy blocks every other script.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from merge_snli.base.files import JsonObject
from merge_snli.base.templates import page_template
from merge_snli.comparison.html_page import (
    asset,
    combined_script,
    content_policy,
    json_for_script,
    shared_style,
)
from merge_snli.leaderboard.boards import Board
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.side_by_side import side_by_side
from merge_snli.results.rows import percent

TITLE = "MERGE leaderboard"

# The scripts of the page, in order; all share one scope.
SCRIPTS = ("values.js", "state.js", "chart.js", "table.js", "board.js", "seeds.js", "model.js", "main.js")


def render_page(boards: Sequence[Board], texts: Mapping[int, JsonObject], *, title: str = TITLE) -> str:
    """Return the page as HTML. Without boards of data with seeds, it has no scripts.

    Args:
        boards: The boards, at least one; those with seeds come first.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
        title: Title of the page.
    """
    interactive = [board for board in boards if board.has_seeds]
    grouped = [board for board in boards if not board.has_seeds]
    scripts = _scripts() if interactive else []
    side = side_by_side(boards)
    styles = [_asset("vendor", "uPlot.min.css"), shared_style(), _asset("page.css")]
    parts = {
        "sets": _render("sets", side=side, opens=bool(interactive)),
        "grouped": _render("grouped", boards=grouped, alone=len(boards) == 1, percent=percent),
    }
    return _render(
        "index",
        title=title,
        brand=title.partition(" ")[::2],
        side=side,
        finding=boards[0].standings.finding,
        boards=interactive,
        tables=[board.table().html() for board in interactive],
        data=json_for_script(page_data(interactive, texts)),
        style="\n".join(styles),
        scripts=scripts,
        policy=content_policy(scripts),
        **parts,
    )


def _render(name: str, **values: Any) -> str:  # noqa: ANN401 - values of a template
    return page_template(_asset(f"{name}.html.jinja")).render(**values)


def _scripts() -> list[str]:
    """Return the chart library with its license, and the page's own script."""
    library = f"/*!\n{_asset('vendor', 'uPlot.LICENSE')}*/\n{_asset('vendor', 'uPlot.iife.min.js')}"
    return [library, combined_script([_asset(name) for name in SCRIPTS])]


def _asset(*path: str) -> str:
    return asset("merge_snli.leaderboard", "page", *path)
