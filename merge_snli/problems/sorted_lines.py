"""Sorting more lines than memory should hold: sorted runs on disk, merged as they are read."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from merge_snli.files import disk_errors_as_input_errors

LINES_PER_RUN = 100_000


def sorted_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in the order of their characters' code points, holding `LINES_PER_RUN` of them at a time.

    Args:
        lines: Texts without line breaks.

    Raises:
        InputError: Where the folder for temporary files is full.
    """
    lines = iter(lines)
    last = sorted(islice(lines, LINES_PER_RUN))
    with tempfile.TemporaryDirectory(prefix="merge-snli-") as folder:
        runs: list[Path] = []
        while following := sorted(islice(lines, LINES_PER_RUN)):
            runs.append(_spill(last, Path(folder) / str(len(runs))))
            last = following
        yield from heapq.merge(*(_lines_of(run) for run in runs), last)


def _spill(run: list[str], path: Path) -> Path:
    with disk_errors_as_input_errors(path.parent), path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in run)
    return path


def _lines_of(run: Path) -> Iterator[str]:
    with run.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line[:-1]
