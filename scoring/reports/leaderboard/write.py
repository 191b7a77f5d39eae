"""Write the leaderboard of some results to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.files import write_text
from scoring.reports.leaderboard.boards import make_boards
from scoring.reports.leaderboard.formats import FORMATS
from scoring.reports.leaderboard.grouped_boards import make_grouped_boards
from scoring.reports.leaderboard.page import render_page
from scoring.reports.leaderboard.texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.dataset import MergeDataset
    from scoring.reports.leaderboard.boards import Board
    from scoring.reports.leaderboard.texts import Texts
    from scoring.results.grouped_result import GroupedResult
    from scoring.results.result import Result

PAGE = "index.html"


def write_leaderboard(
    results: Iterable[Result],
    out: str | Path,
    *,
    file_format: str = "html",
    dataset: MergeDataset | None = None,
    grouped: Iterable[GroupedResult] = (),
) -> Path:
    """Write a leaderboard into a folder.

    Args:
        results: Results on any MERGE data sets and configs.
        out: Output folder.
        file_format: `html`, `md`, `csv`, `json` or `latex`.
        dataset: Data set that the models were scored on. The page shows its hardest seeds. Only for `html`.
        grouped: Results on pairs in groups; at least one result of either kind.

    Returns:
        Path of the written file.

    Raises:
        InputError: If two results on the same data are of the same model, no result was computed on `dataset`, or
            `out` is not writable.
    """
    boards, grouped_boards = make_boards(results), make_grouped_boards(grouped)
    if file_format == "html":
        name, text = PAGE, render_page(boards, _texts(boards, dataset), grouped_boards)
    else:
        name, write = FORMATS[file_format]
        text = write(boards, grouped_boards)
    path = Path(out) / name
    write_text(path, text)
    return path


def _texts(boards: Sequence[Board], dataset: MergeDataset | None) -> dict[int, Texts]:
    """Read the seed texts of each board that is on the data set, by position of the board."""
    if dataset is None:
        return {}
    read = ((index, read_texts(board, dataset)) for index, board in enumerate(boards))
    found = {index: texts for index, texts in read if texts is not None}
    if not found:
        scored = [f"{board.dataset.name} version {board.dataset.version}" for board in boards[:1]]
        raise InputError(
            f"no result was computed on {dataset.name} (sha256 {dataset.digest[:12]}…): pass the data set that was "
            f"scored, {scored[0] if scored else 'which must be a MERGE data set'}"
        )
    return found
