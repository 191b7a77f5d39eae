"""Figure 9, as numbers and as a picture: the variants per seed that two masked LMs both validated."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.dataset import read_split
from merge_snli.errors import InputError
from merge_snli.files import write_bytes
from merge_snli.schema import ALL
from merge_snli.table import Column, Table
from merge_snli.validated_by import masked_lm_names, validated_by

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from merge_snli.dataset import MergeDataset


FORMATS = (".svg", ".png", ".pdf")
INCHES_PER_MASKED_LM = 0.9
DARK = 0.6
"""Share of the largest value from which a cell's number is white instead of black."""

METADATA: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}
"""Metadata by format, without dates, so that the file is reproducible."""


@dataclass(frozen=True)
class Overlap:
    """Variants per seed by the masked LMs that validated them.

    Attributes:
        masked_lms: Names of the masked LMs.
        shared: Variants per seed that both masked LMs validated, in premise or hypothesis; on the diagonal those that
            only this one validated. Of shape (masked LMs, masked LMs).
    """

    masked_lms: tuple[str, ...]
    shared: npt.NDArray[np.float64]


def overlap(dataset: MergeDataset) -> Overlap:
    """Count the overlap over all variants of config `all`.

    Args:
        dataset: A MERGE data set.
    """
    names = masked_lm_names(dataset)
    table = read_split(dataset, ALL)
    matrix = validated_by(table, names)
    shared = matrix.T.astype(np.float64) @ matrix.astype(np.float64)
    np.fill_diagonal(shared, matrix[matrix.sum(axis=1) == 1].sum(axis=0))
    return Overlap(names, shared / len(table["seed_id"].unique()))


def figure_9(found: Overlap) -> Table:
    """Return the numbers of Figure 9 as a table.

    Args:
        found: The overlap of a data set.
    """
    return Table(
        title="Figure 9: variants per seed that two masked LMs validated",
        columns=(Column("masked LM", "left"), *map(Column, found.masked_lms)),
        rows=tuple(
            (name, *(round(value, 1) for value in row))
            for name, row in zip(found.masked_lms, found.shared.tolist(), strict=True)
        ),
        notes=(
            "On the diagonal: variants that only this masked LM validated.",
            "Counted over the variants of config all; suggestions that became no variant are not counted.",
        ),
    )


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
    for (row, column), value in np.ndenumerate(found.shared):
        color = "white" if value > DARK * found.shared.max() else "black"
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=color)
    axes.set_title("Variants per seed validated by both masked LMs\n(diagonal: by this one only)")
    content = BytesIO()
    # A fixed salt makes the ids in an SVG reproducible.
    with mpl.rc_context({"svg.hashsalt": "merge-snli"}):
        figure.savefig(content, format=path.suffix[1:], metadata=METADATA[path.suffix])
    write_bytes(path, content.getvalue())
