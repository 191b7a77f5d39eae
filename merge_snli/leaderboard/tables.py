"""The leaderboard as Markdown, LaTeX, CSV or JSON."""

import json
from collections.abc import Callable, Sequence

from merge_snli.base.files import JsonObject
from merge_snli.base.table import Column, Table
from merge_snli.leaderboard.boards import Board, Entry
from merge_snli.leaderboard.side_by_side import side_by_side
from merge_snli.results.records import TAKEN
from merge_snli.schema import data_version

# The fields of `PromptRecord` in CSV and JSON, empty for models that were not prompted.
PROMPT_COLUMNS = (
    "provider",
    "prompt",
    "shots",
    "temperature",
    "answers",
    "harness",
    "harness_version",
    *TAKEN,
)


def markdown(boards: Sequence[Board]) -> str:
    """Return the boards as Markdown tables."""
    return "\n".join(table.markdown() for table in _tables(boards))


def latex(boards: Sequence[Board]) -> str:
    """Return the boards as LaTeX tables that need the package `booktabs`."""
    return "\n".join(table.latex() for table in _tables(boards))


def _tables(boards: Sequence[Board]) -> list[Table]:
    """Return the models on all data sets side by side if there are several, then each data set by itself."""
    tables = []
    side = side_by_side(boards)
    if side is not None:
        tables.append(side.table)
    for board in boards:
        tables += board.tables()
    return tables


def comma_separated(boards: Sequence[Board]) -> str:
    """Return one CSV row per model and part: all rows, and each value of a column such as a word class or template.

    A number that the data set of a row does not have is an empty cell.
    """
    rows = _rows(boards)
    names: dict[str, None] = {}
    for row in rows:
        row["training_data"] = " ".join(row["training_data"] or ())
        row["notes"] = "; ".join(row["notes"])
        names |= dict.fromkeys(row)
    columns = tuple(Column(name) for name in names)
    return Table(columns=columns, rows=[[*map(row.get, names)] for row in rows]).csv()


def json_text(boards: Sequence[Board]) -> str:
    """Return the rows of `comma_separated` as one JSON document; a row has only the numbers of its data set."""
    return json.dumps({"rows": _rows(boards)}, indent=1, ensure_ascii=False) + "\n"


def _rows(boards: Sequence[Board]) -> list[JsonObject]:
    rows = []
    for board in boards:
        for entry in board.entries:
            about = _about(entry)
            rows += [about | row for row in entry.result.as_rows()]
    return rows


def _about(entry: Entry) -> JsonObject:
    """Return what each row says about a model and its run."""
    data = entry.result.dataset
    model = entry.result.model
    run = entry.result.run
    about: JsonObject = {
        "dataset": data.name,
        "title": data.title,
        "version": data_version(data.whole),
        "config": data.config,
        "model": model.name,
        "revision": model.revision,
        "digest": model.digest,
        "parameters": model.parameters,
        "training_data": model.training_data,
        "dtype": run.dtype,
        "label_origin": model.label_origin,
    }
    for name in PROMPT_COLUMNS:
        about[name] = getattr(run.prompt, name, None)
    about["no_answers"] = run.no_answers
    read = entry.result.answered
    about["answered_pattern_accuracy"] = None if read is None else read.pattern_accuracy
    about["answered_groups"] = None if read is None else read.groups
    about["not_ranked"] = entry.unranked
    about["notes"] = entry.result.notes
    return about


# File name and formatter of each format other than the page.
FORMATS: dict[str, tuple[str, Callable[[Sequence[Board]], str]]] = {
    "md": ("leaderboard.md", markdown),
    "csv": ("leaderboard.csv", comma_separated),
    "json": ("leaderboard.json", json_text),
    "latex": ("leaderboard.tex", latex),
}
