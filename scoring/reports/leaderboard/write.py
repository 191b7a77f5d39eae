"""Write the leaderboard of some results to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.files import write_text
from scoring.reports.leaderboard.boards import make_boards
from scoring.reports.leaderboard.formats import FORMATS
from scoring.reports.leaderboard.page import render_page
from scoring.reports.leaderboard.texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.dataset import MergeDataset
    from scoring.reports.leaderboard.boards import Board
    from scoring.reports.leaderboard.texts import Texts
    from scoring.results.result import Result

PAGE = "index.html"


def write_leaderboard(
    results: Iterable[Result], out: str | Path, *, file_format: str = "html", dataset: MergeDataset | None = None
) -> Path:
    """Write a leaderboard into a folder.

    Args:
        results: At least one result, on any data sets and configs.
        out: Output folder.
        file_format: `html`, `md`, `csv`, `json` or `latex`.
        dataset: Data set that the models were scored on. The page shows its hardest seeds. Only for `html`.

    Returns:
        Path of the written file.

    Raises:
        InputError: If two results on the same data are of the same model, no result was computed on `dataset`, or
            `out` is not writable.
    """
    boards = make_boards(results)
    if file_format == "html":
        name, text = PAGE, render_page(boards, _texts(boards, dataset))
    else:
        name, write = FORMATS[file_format]
        text = write(boards)
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
        scored = boards[0].dataset
        raise InputError(
            f"no result was computed on {dataset.name} (sha256 {dataset.digest[:12]}…): pass the data set that was "
            f"scored, {scored.name} version {scored.version}"
        )
    return found
