"""Figure 9: how the masked LMs' replacements overlap, on average over the seed problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.dataset import read_split
from merge_snli.schema import ALL
from merge_snli.table import ReportTable
from merge_snli.validated_by import masked_lm_names, validated_by

if TYPE_CHECKING:
    import numpy.typing as npt

    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Cell


@dataclass(frozen=True)
class Overlap:
    """How many variants a seed has by the masked LMs that validated them.

    Attributes:
        masked_lms: Their names.
        shared: Of shape (masked LMs, masked LMs): variants a seed that both validated, in premise or hypothesis; on the
            diagonal those that no other one did.
    """

    masked_lms: tuple[str, ...]
    shared: npt.NDArray[np.float64]


def overlap(source: MergeDataset) -> Overlap:
    """Count the overlap over all variants of config `all`.

    Args:
        source: A MERGE data set.
    """
    names = masked_lm_names(source)
    table = read_split(source, ALL)
    matrix = validated_by(table, names)
    seeds = len(table["seed_id"].unique())
    both = matrix.T.astype(np.float64) @ matrix.astype(np.float64)
    alone = matrix[matrix.sum(axis=1) == 1].sum(axis=0)
    np.fill_diagonal(both, alone)
    return Overlap(names, both / seeds)


def figure_9(found: Overlap) -> ReportTable:
    """Make a table of the numbers of Figure 9.

    Args:
        found: What `overlap` counted.
    """
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(round(float(value), 1) for value in row))
        for name, row in zip(found.masked_lms, found.shared, strict=True)
    )
    return ReportTable(
        key="figure_9",
        title="Figure 9: variants a seed that two masked LMs validated, and on the diagonal those that only one did",
        columns=("masked LM", *found.masked_lms),
        rows=rows,
        notes=("Counted over the variants of config all: suggestions that became no variant are not in it.",),
    )
