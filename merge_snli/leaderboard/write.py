"""Write the leaderboard of some results as one HTML page that works offline, or as Markdown, LaTeX, CSV or JSON.

Names in results are untrusted. They reach the page in two ways only: as an escaped HTML table, and as JSON in a script
element that is not executed, in which every `<`, `>` and `&` is escaped. The page's scripts insert them as text, never
as markup, and a content security policy blocks every other script.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError
from merge_snli.base.files import write_text
from merge_snli.base.table import Column, Table
from merge_snli.card.metadata import may_be_shared
from merge_snli.comparison.html_page import (
    asset,
    combined_script,
    content_policy,
    json_for_script,
    shared_style,
    template,
)
from merge_snli.dataset.stored import MergeDataset, check_out
from merge_snli.leaderboard.boards import Board, Entry, make_boards, side_by_side
from merge_snli.leaderboard.payload import Json, page_data
from merge_snli.leaderboard.seeds import read_texts
from merge_snli.schema import data_version
from merge_snli.scoring.check import with_parts
from merge_snli.scoring.opening import find_whole
from merge_snli.scoring.records import TAKEN
from merge_snli.scoring.result import Result

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

# The scripts of the page, in order; all share one scope.
SCRIPTS = ("values.js", "state.js", "chart.js", "table.js", "board.js", "seeds.js", "model.js", "main.js")
PAGE = "index.html"


def markdown(boards: Sequence[Board]) -> str:
    """Return the boards as Markdown tables."""
    return "\n".join(table.markdown() for table in _tables(boards))


def latex(boards: Sequence[Board]) -> str:
    """Return the boards as LaTeX tables that need the package `booktabs`."""
    return "\n".join(table.latex() for table in _tables(boards))


def _tables(boards: Sequence[Board]) -> list[Table]:
    """Return the models on all data sets side by side if there are several, then each data set by itself."""
    side = side_by_side(boards)
    return [*([] if side is None else side[:1]), *(table for board in boards for table in board.tables())]


def comma_separated(boards: Sequence[Board]) -> str:
    """Return one CSV row per model and part: all rows, and each value of a column such as a word class or template.

    A number that the data set of a row does not have is an empty cell.
    """
    rows = [
        row | {"training_data": " ".join(row["training_data"] or ()), "notes": "; ".join(row["notes"])}
        for row in _rows(boards)
    ]
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = tuple(tuple(row.get(name) for name in names) for row in rows)
    return Table(columns=tuple(map(Column, names)), rows=cells).csv()


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
        "version": data_version(data.whole),
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


# File name and formatter of each format other than the page.
FORMATS: dict[str, tuple[str, Callable[[Sequence[Board]], str]]] = {
    "md": ("leaderboard.md", markdown),
    "csv": ("leaderboard.csv", comma_separated),
    "json": ("leaderboard.json", json_text),
    "latex": ("leaderboard.tex", latex),
}


def render_page(boards: Sequence[Board], texts: Mapping[int, Json] | None = None, about: str | None = None) -> str:
    """Return the page as HTML. Without boards of data with seeds, it has no scripts.

    Args:
        boards: The boards, at least one; those with seeds come first.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
        about: A paragraph on submissions for the end of the page.
    """
    library = f"/*!\n{_asset('vendor', 'uPlot.LICENSE')}*/\n{_asset('vendor', 'uPlot.iife.min.js')}"
    script = combined_script([_asset(name) for name in SCRIPTS])
    interactive = [board for board in boards if board.has_seeds]
    scripts = [library, script] if interactive else []
    side = side_by_side(boards)
    return template(_asset("index.html.jinja")).render(
        findings=[(title, found) for title, _, found in side[1]] if side else [("", boards[0].standings.finding)],
        sets=template(_asset("sets.html.jinja")).render(side=side, opens=bool(interactive)),
        grouped=template(_asset("grouped.html.jinja")).render(
            boards=[board for board in boards if not board.has_seeds], alone=len(boards) == 1
        ),
        about=about,
        boards=interactive,
        tables=[board.table().html() for board in interactive],
        data=json_for_script(page_data(interactive, texts or {})),
        style="\n".join([_asset("vendor", "uPlot.min.css"), shared_style(), _asset("page.css")]),
        scripts=scripts,
        policy=content_policy(scripts),
    )


def _asset(*path: str) -> str:
    return asset("merge_snli.leaderboard", "page", *path)


def write_leaderboard(
    results: Iterable[Result],
    out: str | Path,
    *,
    file_format: str = "html",
    datasets: Sequence[MergeDataset] = (),
    thresholds: tuple[float, ...] = (),
    about: str | None = None,
    with_text: bool = False,
) -> Path:
    """Write a leaderboard into a folder.

    Args:
        results: Results on any data sets and configs, at least one.
        out: Output folder.
        file_format: `html`, `md`, `csv`, `json` or `latex`.
        datasets: Data sets that the models were scored on. The page shows their hardest seeds. Models on a whole data
            set are also shown on the parts of it that others were scored on.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 at which tables show PA, besides the quality threshold.
            Only for `md` and `latex`.
        about: A paragraph on submissions for the end of the page. Only for `html`.
        with_text: Whether the page shows sentences although their license may forbid to share them.

    Returns:
        Path of the written file.

    Raises:
        InputError: If two results on the same data are of the same model, no result was computed on one of `datasets`,
            or `out` is a file, is not writable or is in a data set.
    """
    out = check_out(out)
    name, _ = FORMATS.get(file_format, (PAGE, None))
    write_text(out / name, leaderboard_text(results, file_format, datasets, thresholds, about, with_text))
    return out / name


def leaderboard_text(
    results: Iterable[Result],
    file_format: str,
    datasets: Sequence[MergeDataset] = (),
    thresholds: tuple[float, ...] = (),
    about: str | None = None,
    with_text: bool = False,
) -> str:
    """Return the page or the tables of a leaderboard; the arguments are those of `write_leaderboard`."""
    boards = make_boards(with_parts(results, datasets), thresholds=thresholds)
    if file_format == "html":
        return render_page(boards, _texts(boards, datasets, with_text=with_text), about)
    return FORMATS[file_format][1](boards)


def _texts(boards: Sequence[Board], datasets: Sequence[MergeDataset], *, with_text: bool) -> dict[int, Json]:
    """Read the seed texts of each board that is on one of the data sets and may show them, by position of the board."""
    texts: dict[int, Json] = {}
    scored = []
    for index, board in enumerate(boards) if datasets else ():
        data = find_whole(board.dataset, datasets)
        if data is not None:
            scored.append(data.stored)
            if data.seeds is not None and (with_text or may_be_shared(data.stored.record)):
                texts[index] = read_texts(data)
    unused = next((dataset for dataset in datasets if dataset not in scored), None)
    if unused is not None:
        known = [f"{board.dataset.name} version {board.dataset.version}" for board in boards[:1]]
        raise InputError(
            f"no result was computed on {unused.name} (sha256 {unused.digest[:12]}…): pass the data set that was "
            f"scored, {known[0] if known else 'which must be a MERGE data set'}"
        )
    return texts
