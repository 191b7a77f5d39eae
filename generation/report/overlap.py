"""Figure 9: the number of variants per seed that two masked LMs both validated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.dataset import read_split
from merge_snli.schema import ALL
from merge_snli.table import Column, Table
from merge_snli.validated_by import masked_lm_names, validated_by

if TYPE_CHECKING:
    import numpy.typing as npt

    from merge_snli.dataset import MergeDataset


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
