"""Format boards as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Protocol

from merge_snli.schema import data_version
from scoring.reports.leaderboard.side_by_side import side_by_side
from scoring.results.grouping import unranked_reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.table import Table
    from scoring.reports.leaderboard.boards import Board
    from scoring.reports.leaderboard.grouped_boards import GroupedBoard
    from scoring.results.grouped_result import GroupedResult
    from scoring.results.result import Result


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


class Format(Protocol):
    """Formats boards of MERGE data sets and of pairs in groups, at least one."""

    def __call__(self, boards: Sequence[Board], grouped: Sequence[GroupedBoard] = ()) -> str:
        """Return the text."""


def markdown(boards: Sequence[Board], grouped: Sequence[GroupedBoard] = ()) -> str:
    """Return the boards as Markdown tables."""
    return "\n".join(table.markdown() for table in _tables(boards, grouped))


def latex(boards: Sequence[Board], grouped: Sequence[GroupedBoard] = ()) -> str:
    """Return the boards as LaTeX tables that need the package `booktabs`."""
    return "\n".join(table.latex() for table in _tables(boards, grouped))


def _tables(boards: Sequence[Board], grouped: Sequence[GroupedBoard]) -> list[Table]:
    """Return the models on all data sets side by side if there are several, then each data set by itself."""
    side = side_by_side(boards, grouped)
    of_groups = (table for board in grouped for table in board.tables())
    return [*([] if side is None else [side.table()]), *(board.table() for board in boards), *of_groups]


def comma_separated(boards: Sequence[Board], grouped: Sequence[GroupedBoard] = ()) -> str:
    """Return one CSV row per model and part: all variants or pairs, each word class, gold label, masked LM or value.

    A number that the data set of a row does not have is an empty cell.
    """
    rows = _rows(boards, grouped)
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        texts = {"training_data": " ".join(row["training_data"] or ()), "notes": "; ".join(row["notes"])}
        writer.writerow(row | texts)
    return text.getvalue()


def json_text(boards: Sequence[Board], grouped: Sequence[GroupedBoard] = ()) -> str:
    """Return the rows of `comma_separated` as one JSON document; a row has only the numbers of its data set."""
    return json.dumps({"rows": _rows(boards, grouped)}, indent=1, ensure_ascii=False) + "\n"


def _rows(boards: Sequence[Board], grouped: Sequence[GroupedBoard]) -> list[dict[str, Any]]:
    results: list[tuple[Result | GroupedResult, str | None]] = []
    for board in boards:
        results += zip(board.results, unranked_reasons(board.results), strict=True)
    for on_pairs in grouped:
        results += zip(on_pairs.results, unranked_reasons(on_pairs.results), strict=True)
    return [_metadata(result, reason) | row for result, reason in results for row in result.as_rows()]


def _metadata(result: Result | GroupedResult, not_ranked: str | None) -> dict[str, Any]:
    data, model, prompt = result.dataset, result.model, result.run.prompt
    return {
        "dataset": data.name,
        "title": data.title,
        "version": data_version(data.digest),
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
        "not_ranked": not_ranked,
        "notes": result.notes,
    }


FORMATS: dict[str, tuple[str, Format]] = {
    "md": ("leaderboard.md", markdown),
    "csv": ("leaderboard.csv", comma_separated),
    "json": ("leaderboard.json", json_text),
    "latex": ("leaderboard.tex", latex),
}
"""File name and formatter of each format other than the page."""
