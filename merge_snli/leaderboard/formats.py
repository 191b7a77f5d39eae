"""Format boards as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from merge_snli.leaderboard.side_by_side import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from merge_snli.base.table import Table
    from merge_snli.leaderboard.boards import Board, Entry


PROMPT_COLUMNS = (
    "provider",
    "prompt",
    "shots",
    "temperature",
    "answers",
    "harness",
    "harness_version",
    "calls",
    "input_tokens",
    "output_tokens",
    "retries",
)
"""The fields of `PromptRecord` in CSV and JSON, empty for models that were not prompted."""


def markdown(boards: Sequence[Board]) -> str:
    """Return the boards as Markdown tables."""
    return "\n".join(table.markdown() for table in _tables(boards))


def latex(boards: Sequence[Board]) -> str:
    """Return the boards as LaTeX tables that need the package `booktabs`."""
    return "\n".join(table.latex() for table in _tables(boards))


def _tables(boards: Sequence[Board]) -> list[Table]:
    """Return the models on all data sets side by side if there are several, then each data set by itself."""
    side = side_by_side(boards)
    return [*([] if side is None else [side.table()]), *(table for board in boards for table in board.tables())]


def comma_separated(boards: Sequence[Board]) -> str:
    """Return one CSV row per model and part: all rows, and each value of a column such as a word class or template.

    A number that the data set of a row does not have is an empty cell.
    """
    rows = _rows(boards)
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        texts = {"training_data": " ".join(row["training_data"] or ()), "notes": "; ".join(row["notes"])}
        writer.writerow(row | texts)
    return text.getvalue()


def json_text(boards: Sequence[Board]) -> str:
    """Return the rows of `comma_separated` as one JSON document; a row has only the numbers of its data set."""
    return json.dumps({"rows": _rows(boards)}, indent=1, ensure_ascii=False) + "\n"


def _rows(boards: Sequence[Board]) -> list[dict[str, Any]]:
    entries = [entry for board in boards for entry in board.entries]
    return [_metadata(entry) | row for entry in entries for row in entry.result.as_rows()]


def _metadata(entry: Entry) -> dict[str, Any]:
    result = entry.result
    data, model, prompt = result.dataset, result.model, result.run.prompt
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
        "dtype": result.run.dtype,
        "label_origin": model.label_origin,
        **{name: getattr(prompt, name, None) for name in PROMPT_COLUMNS},
        "no_answers": result.run.no_answers,
        "not_ranked": entry.unranked,
        "notes": result.notes,
    }


FORMATS: dict[str, tuple[str, Callable[[Sequence[Board]], str]]] = {
    "md": ("leaderboard.md", markdown),
    "csv": ("leaderboard.csv", comma_separated),
    "json": ("leaderboard.json", json_text),
    "latex": ("leaderboard.tex", latex),
}
"""File name and formatter of each format other than the page."""
