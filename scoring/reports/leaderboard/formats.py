"""Boards as text: Markdown and LaTeX in the shape of the paper's Table 3, CSV and JSON with every number."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from scoring.results.score_table import HEADERS, explanation, printable, table_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scoring.reports.leaderboard.boards import Board, Entry
    from scoring.results.result import Scores

MARKDOWN = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_{}[]#|~!"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
        "−": "$-$",
    }
    | {character: f"{{{character}}}" for character in "[]*"}  # which a line's end before them would take for its own
)
NUMBERS = ("seed_sample_accuracy", "sample_accuracy", "pattern_accuracy", "qt")
COLUMNS = (
    *("dataset", "version", "config", "model", "revision", "digest", "parameters", "training_data", "dtype"),
    *("label_origin", "notes", "part", "seeds", "variants"),
    *(name for number in NUMBERS for name in (number, f"{number}_low", f"{number}_high")),
    "mt",
)


def markdown(boards: Sequence[Board]) -> str:
    """Return boards as Markdown tables, each with how to read it and what must be known of single models."""
    return "\n".join(_markdown(board) for board in boards)


def _markdown(board: Board) -> str:
    rows = [(_plain(entry.name, MARKDOWN), *cells) for entry, cells in _cells(board)]
    rule = ("---", *["---:"] * (len(HEADERS) - 1))
    lines = [f"## {_plain(board.title, MARKDOWN)}", ""]
    lines += [f"| {' | '.join(row)} |" for row in (HEADERS, rule, *rows)]
    lines += ["", *(_plain(line, MARKDOWN) for line in explanation(board.results, board.title))]
    notes = [f"- {_plain(note, MARKDOWN)}" for note in _notes(board)]
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def latex(boards: Sequence[Board]) -> str:
    """Return boards as LaTeX tables for the package `booktabs`."""
    return "\n".join(_latex(board) for board in boards)


def _latex(board: Board) -> str:
    rows = [(_plain(entry.name, LATEX), *map(_latex_number, cells)) for entry, cells in _cells(board)]
    body = [" & ".join(row) + r" \\" for row in rows]
    caption = _plain(" ".join(explanation(board.results, board.title)), LATEX)
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            rf"  \begin{{tabular}}{{l{'r' * (len(HEADERS) - 1)}}}",
            r"    \toprule",
            f"    {' & '.join(HEADERS)} " + r"\\",
            r"    \midrule",
            *(f"    {line}" for line in body),
            r"    \bottomrule",
            r"  \end{tabular}",
            rf"  \caption{{{caption}}}",
            *(rf"  \par {{\footnotesize {_plain(note, LATEX)}}}" for note in _notes(board)),
            r"\end{table}",
            "",
        ]
    )


def _latex_number(cell: str) -> str:
    return f"$-${cell[1:]}" if cell.startswith("-") else _plain(cell, LATEX)


def _cells(board: Board) -> list[tuple[Entry, tuple[str, ...]]]:
    rows = table_rows(board.results)
    return [(entry, row.cells[1:]) for entry, row in zip(board.entries, rows, strict=True)]


def _notes(board: Board) -> list[str]:
    """Return what must be known of single models, a line each."""
    return [f"{entry.name}: {note}" for entry in board.entries for note in entry.result.notes]


def _plain(text: str, table: Mapping[int, str]) -> str:
    return printable(text).translate(table)


def comma_separated(boards: Sequence[Board]) -> str:
    """Return one row a model and part (all, each word class, gold label and masked LM); numbers are shares."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in _records(boards):
        texts = {"training_data": " ".join(row["training_data"] or ()), "notes": "; ".join(row["notes"])}
        writer.writerow(row | texts)
    return text.getvalue()


def json_text(boards: Sequence[Board]) -> str:
    """Return the same rows as one JSON document."""
    return json.dumps({"rows": _records(boards)}, indent=1, ensure_ascii=False) + "\n"


def _records(boards: Sequence[Board]) -> list[dict[str, Any]]:
    return [
        _about(board, entry) | {"part": part} | _numbers(scores)
        for board in boards
        for entry in board.entries
        for part, scores in entry.parts.items()
    ]


def _about(board: Board, entry: Entry) -> dict[str, Any]:
    data, model = board.dataset, entry.result.model
    training = None if model.training_data is None else list(model.training_data)
    return {
        "dataset": data.name,
        "version": data.version,
        "config": data.config,
        "model": model.name,
        "revision": model.revision,
        "digest": model.digest,
        "parameters": model.parameters,
        "training_data": training,
        "dtype": entry.result.run.dtype,
        "label_origin": model.label_origin,
        "notes": list(entry.result.notes),
    }


def _numbers(scores: Scores) -> dict[str, Any]:
    on_variants = scores.on_variants
    values = {
        "seed_sample_accuracy": scores.seed_sample_accuracy,
        "sample_accuracy": on_variants.sample_accuracy.mean,
        "pattern_accuracy": on_variants.pattern_accuracy.mean,
        "qt": scores.qt,
    }
    record: dict[str, Any] = {"seeds": scores.seeds, "variants": on_variants.variants}
    for name, value in values.items():
        ends = (None, None) if scores.intervals is None else getattr(scores.intervals, name)
        record |= {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}
    return record | {"mt": scores.mt}


FORMATS: dict[str, tuple[str, Callable[[Sequence[Board]], str]]] = {
    "md": ("leaderboard.md", markdown),
    "csv": ("leaderboard.csv", comma_separated),
    "json": ("leaderboard.json", json_text),
    "latex": ("leaderboard.tex", latex),
}
"""The formats beside the page: the name of the file, and what writes it."""
