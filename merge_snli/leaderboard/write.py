"""Write the leaderboard of some results to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.base.files import write_text
from merge_snli.dataset.folders import check_out
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.formats import FORMATS
from merge_snli.leaderboard.page import render_page
from merge_snli.leaderboard.texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.leaderboard.boards import Board
    from merge_snli.leaderboard.texts import Texts
    from merge_snli.scoring.results.result import Result

PAGE = "index.html"


def write_leaderboard(
    results: Iterable[Result],
    out: str | Path,
    *,
    file_format: str = "html",
    datasets: Sequence[MergeDataset] = (),
    thresholds: tuple[float, ...] = (),
    about: str | None = None,
) -> Path:
    """Write a leaderboard into a folder.

    Args:
        results: Results on any data sets and configs, at least one.
        out: Output folder.
        file_format: `html`, `md`, `csv`, `json` or `latex`.
        datasets: Data sets that the models were scored on. The page shows their hardest seeds. Only for `html`.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 at which tables show PA, besides the quality threshold.
            Only for `md` and `latex`.
        about: A paragraph on submissions for the end of the page. Only for `html`.

    Returns:
        Path of the written file.

    Raises:
        InputError: If two results on the same data are of the same model, no result was computed on one of `datasets`,
            or `out` is a file, is not writable or is in a data set.
    """
    out = check_out(out)
    boards = make_boards(results, thresholds=thresholds)
    if file_format == "html":
        name, text = PAGE, render_page(boards, _texts(boards, datasets), about)
    else:
        name, write = FORMATS[file_format]
        text = write(boards)
    path = Path(out) / name
    write_text(path, text)
    return path


def _texts(boards: Sequence[Board], datasets: Sequence[MergeDataset]) -> dict[int, Texts]:
    """Read the seed texts of each board that is on one of the data sets, by position of the board."""
    found: dict[int, Texts] = {}
    for dataset in datasets:
        read = ((index, read_texts(board, dataset)) for index, board in enumerate(boards) if board.has_anchors)
        of_dataset = {index: texts for index, texts in read if texts is not None}
        if not of_dataset:
            raise InputError(_not_scored(boards, dataset))
        found |= of_dataset
    return found


def _not_scored(boards: Sequence[Board], dataset: MergeDataset) -> str:
    scored = [f"{board.dataset.name} version {board.dataset.version}" for board in boards[:1]]
    return (
        f"no result was computed on {dataset.name} (sha256 {dataset.digest[:12]}…): pass the data set that was "
        f"scored, {scored[0] if scored else 'which must be a MERGE data set'}"
    )
