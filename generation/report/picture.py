"""Draw Figure 9."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.files import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from generation.report.overlap import Overlap

FORMATS = (".svg", ".png", ".pdf")
INCHES_PER_MASKED_LM = 0.9
DARK = 0.6
"""Share of the largest value from which a cell's number is white instead of black."""


def draw_overlap(found: Overlap, path: Path) -> None:
    """Draw the overlap of the masked LMs' variants into a file.

    Args:
        found: The overlap of a data set.
        path: The file; its suffix is one of `FORMATS`.

    Raises:
        InputError: If the suffix is another one, or the file cannot be written.
    """
    if path.suffix not in FORMATS:
        raise InputError(f"--figure {path}: unknown format {path.suffix!r}, use one of {', '.join(FORMATS)}")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    size = 2 + INCHES_PER_MASKED_LM * len(found.masked_lms)
    figure = Figure(figsize=(size, size), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(found.shared, cmap="Blues", vmin=0)
    labels = [name.rpartition("/")[2].removeprefix("demo:") for name in found.masked_lms]
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(labels)), labels)
    for (row, column), value in _cells(found):
        color = "white" if value > DARK * found.shared.max() else "black"
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=color)
    axes.set_title("Variants per seed validated by both masked LMs\n(diagonal: by this one only)")
    content = BytesIO()
    # No date and a fixed salt make the file reproducible.
    with mpl.rc_context({"svg.hashsalt": "merge-snli"}):
        figure.savefig(content, format=path.suffix[1:], metadata=_METADATA[path.suffix])
    write_bytes(path, content.getvalue())


_METADATA: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


def _cells(found: Overlap) -> list[tuple[tuple[int, int], float]]:
    size = len(found.masked_lms)
    return [((row, column), float(found.shared[row, column])) for row in range(size) for column in range(size)]
