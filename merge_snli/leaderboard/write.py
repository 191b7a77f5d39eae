"""Write the leaderboard of some results as one HTML page that works offline, or as Markdown, LaTeX, CSV or JSON."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from merge_snli.answers.data import ScoredData
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject, write_text
from merge_snli.base.progress import step
from merge_snli.card.metadata import may_be_shared
from merge_snli.comparison.html_page import check_page
from merge_snli.comparison.testing import Significance
from merge_snli.dataset.out_folder import check_out
from merge_snli.dataset.stored import MergeDataset
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.render import TITLE, render_page
from merge_snli.leaderboard.seeds import read_texts
from merge_snli.leaderboard.tables import FORMATS
from merge_snli.results.check import require_data
from merge_snli.results.parts import part_of, with_parts
from merge_snli.results.prompts import results_of
from merge_snli.results.result import Result
from merge_snli.results.whole import find_whole

HTML = "html"


def write_leaderboard(
    results: Iterable[Result],
    out: str | Path,
    *,
    file_format: str = HTML,
    **options: Any,  # noqa: ANN401 - of `leaderboard_text`
) -> Path:
    """Write a leaderboard into a folder, and return the path of the written file.

    Args:
        results: Results on any data sets and configs, at least one.
        out: Output folder.
        file_format: `html`, `md`, `csv`, `json` or `latex`.
        options: The other arguments of `leaderboard_text`.

    Raises:
        InputError: As `leaderboard_text`; or if `out` is a file, is not writable, is in a data set or has another page.
    """
    path = check_page(out) if file_format == HTML else check_out(out) / FORMATS[file_format][0]
    write_text(path, leaderboard_text(results, file_format, **options))
    return path


def leaderboard_text(
    results: Iterable[Result],
    file_format: str,
    *,
    datasets: Sequence[MergeDataset] = (),
    thresholds: tuple[float, ...] = (),
    with_text: bool = False,
    significance: Significance | None = None,
    common_seeds: bool = False,
    title: str = TITLE,
) -> str:
    """Return the page or the tables of a leaderboard.

    Args:
        results: Results on any data sets and configs, at least one.
        file_format: `html`, `md`, `csv`, `json` or `latex`.
        datasets: Data sets that the models were scored on, with which their results are checked. The page shows their
            hardest seeds. Models on a whole data set are also shown on the parts of it that others were scored on.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 at which tables show PA, besides the quality threshold.
            Only for `md` and `latex`.
        with_text: Whether the page shows sentences although their license may forbid sharing them.
        significance: How the models are tested; by default with the permutation test at 5%.
        common_seeds: Whether to show all models on the seeds that all of them have.
        title: Title of the page.

    Raises:
        InputError: If two results on the same data are of the same model, a result does not fit its data set, or no
            result was computed on one of `datasets`.
    """
    listed = with_parts(results, datasets)
    with step("ranking", len(listed), "models"):
        boards = make_boards(listed, thresholds=thresholds, significance=significance, common_seeds=common_seeds)
    texts: dict[int, JsonObject] = {}
    for index, data in _data_of(boards, datasets):
        _check_results(boards[index], data)
        shares = with_text or may_be_shared(data.stored.record)
        if file_format == HTML and data.has_seeds and shares:
            texts[index] = read_texts(data)
    if file_format == HTML:
        return render_page(boards, texts, title=title)
    return FORMATS[file_format][1](boards)


def _data_of(boards: Sequence[Board], datasets: Sequence[MergeDataset]) -> Iterator[tuple[int, ScoredData]]:
    """Yield the position and the whole data of each board that is on one of the data sets, one after another.

    Raises:
        InputError: If no board is on one of them.
    """
    if not datasets:
        return
    found = []
    for index, board in enumerate(boards):
        data = find_whole(board.dataset, datasets)
        if data is not None:
            found.append(data.stored)
            yield index, data
    for dataset in datasets:
        if dataset not in found:
            known = "which must be a MERGE data set"
            if boards:
                known = f"{boards[0].dataset.name} version {boards[0].dataset.version}"
            raise InputError(
                f"no result was computed on {dataset.name} (sha256 {dataset.digest[:12]}…): pass the data set that was "
                f"scored, {known}"
            )


def _check_results(board: Board, whole: ScoredData) -> None:
    """Check that the results of a board are on its data, unless that is rows that a user chose."""
    if board.dataset.partial is not None and board.dataset.partial.chosen_rows:
        return
    data = part_of(whole, board.dataset)
    for scored in board.results:
        for result in results_of(scored):
            require_data(result, data)
