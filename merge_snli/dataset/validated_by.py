"""Find which masked LMs validated each variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.dataset.record import generation_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from merge_snli.dataset.stored import MergeDataset

SIDES = ("premise_mlms", "hypothesis_mlms")


def masked_lm_names(dataset: MergeDataset) -> tuple[str, ...]:
    """Return the names of the masked LMs, in the order of the option `mlm`; raises as `generation_of`."""
    return tuple(mlm.name for mlm in generation_of(dataset.record).masked_lms)


def validated_by(table: pa.Table, masked_lms: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether each masked LM validated each variant in the premise or the hypothesis.

    Args:
        table: Variants of a data set.
        masked_lms: Names of the masked LMs of the run.

    Returns:
        Booleans of shape (variants, masked LMs).

    Raises:
        InputError: If a variant names a masked LM that is not one of the run.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    matrix = np.zeros((table.num_rows, len(masked_lms)), dtype=np.bool_)
    for side in SIDES:
        lists = table[side].combine_chunks()
        rows = pc.list_parent_indices(lists).to_numpy()
        names = lists.flatten()
        indices = pc.index_in(names, pa.array(masked_lms))
        if indices.null_count:
            unknown = names.filter(indices.is_null())[0].as_py()
            raise InputError(
                f"a variant has the masked LM {unknown}, which is not in run.json: generate the data set again"
            )
        matrix[rows, indices.to_numpy()] = True
    return matrix


def rows_by_masked_lm(table: pa.Table, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the row numbers of the variants that each masked LM validated in the premise or the hypothesis.

    Args:
        table: Variants.
        names: Names of the masked LMs of the run.

    Raises:
        InputError: If a variant names a masked LM that is not one of the run.
    """
    matrix = validated_by(table, names)
    return {name: matrix[:, nth].nonzero()[0].tolist() for nth, name in enumerate(names)}
