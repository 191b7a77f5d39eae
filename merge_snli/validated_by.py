"""Which masked LMs validated each variant, in the premise or in the hypothesis, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from merge_snli.dataset import MergeDataset

SIDES = ("premise_mlms", "hypothesis_mlms")


def masked_lm_names(source: MergeDataset) -> tuple[str, ...]:
    """Return the names of a run's masked LMs, in the order of the run."""
    return tuple(mlm.name for mlm in source.record.masked_lms)


def validated_by(table: pa.Table, masked_lms: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Tell for each variant which masked LMs validated it in at least one of its sentences.

    Args:
        table: Variants of a data set.
        masked_lms: The masked LMs of the run.

    Returns:
        Of shape (variants, masked LMs).

    Raises:
        InputError: Where a variant names a masked LM that the run does not.
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
            strange = names.filter(indices.is_null())[0].as_py()
            raise InputError(f"a variant names the masked LM {strange}, which run.json does not: generate it again")
        matrix[rows, indices.to_numpy()] = True
    return matrix
