"""Format boards as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scoring.reports.leaderboard.boards import Board, Entry


def markdown(boards: Sequence[Board]) -> str:
    """Return the boards as Markdown tables."""
    return "\n".join(board.table().markdown() for board in boards)


def latex(boards: Sequence[Board]) -> str:
    """Return the boards as LaTeX tables that need the package `booktabs`."""
    return "\n".join(board.table().latex() for board in boards)


def comma_separated(boards: Sequence[Board]) -> str:
    """Return one CSV row per model and part: all variants, each word class, gold label and masked LM."""
    rows = _rows(boards)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        texts = {"training_data": " ".join(row["training_data"] or ()), "notes": "; ".join(row["notes"])}
        writer.writerow(row | texts)
    return text.getvalue()


def json_text(boards: Sequence[Board]) -> str:
    """Return the rows of `comma_separated` as one JSON document."""
    return json.dumps({"rows": _rows(boards)}, indent=1, ensure_ascii=False) + "\n"


def _rows(boards: Sequence[Board]) -> list[dict[str, Any]]:
    return [
        _metadata(board, entry) | row for board in boards for entry in board.entries for row in entry.result.as_rows()
    ]


def _metadata(board: Board, entry: Entry) -> dict[str, Any]:
    data, model = board.dataset, entry.result.model
    return {
        "dataset": data.name,
        "title": data.title,
        "version": data.version,
        "config": data.config,
        "model": model.name,
        "revision": model.revision,
        "digest": model.digest,
        "parameters": model.parameters,
        "training_data": model.training_data,
        "dtype": entry.result.run.dtype,
        "label_origin": model.label_origin,
        "notes": entry.result.notes,
    }


FORMATS: dict[str, tuple[str, Callable[[Sequence[Board]], str]]] = {
    "md": ("leaderboard.md", markdown),
    "csv": ("leaderboard.csv", comma_separated),
    "json": ("leaderboard.json", json_text),
    "latex": ("leaderboard.tex", latex),
}
"""File name and formatter of each format other than the page."""
