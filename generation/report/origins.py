"""Table 9: the variants of a subsample that only one masked LM validated, and those that several did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from generation.report.comparison import compared_table
from generation.report.paper import SEVERAL, TABLE_9
from merge_snli.dataset import read_split
from merge_snli.mlm_families import PAPER_MLMS, PAPER_NAMES, family
from merge_snli.schema import ALL
from merge_snli.validated_by import masked_lm_names, validated_by

if TYPE_CHECKING:
    from generation.report.comparison import Row
    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Table


def table_9(dataset: MergeDataset) -> Table:
    """Return Table 9 of config `all`, compared with the paper for the paper's masked LMs.

    Args:
        dataset: A MERGE data set.
    """
    single, several = average_entries(dataset)
    others = {name: sum(single[other] for other in single if other not in family(name)) for name in single}
    others[SEVERAL] = sum(single.values())
    in_paper = dict(PAPER_NAMES) | ({SEVERAL: SEVERAL} if single.keys() == set(PAPER_MLMS) else {})
    rows: list[Row] = []
    for name, average in {**single, SEVERAL: several}.items():
        values = {"average": round(average, 1), "other families": round(others[name], 1)}
        paper = TABLE_9.get(in_paper.get(name, ""), ())
        rows.append(({"masked LM": name, **values}, dict(zip(values, paper, strict=False))))
    return compared_table(
        title="Table 9: variants of a subsample by the masked LM that validated them",
        rows=rows,
        labels=["masked LM"],
        notes=(
            "average: variants that only this masked LM validated, in premise or hypothesis, on average over the "
            f"subsamples; {SEVERAL}: validated by at least two.",
            "other families: sum of the averages of the masked LMs of other architectures.",
            f"The averages sum to {round(sum(single.values()) + several, 1):,}, the variants of a subsample.",
        ),
    )


def average_entries(dataset: MergeDataset) -> tuple[dict[str, float], float]:
    """Count the variants of config `all` by the masked LMs that validated them, on average over the subsamples.

    Returns:
        By masked LM the variants that only it validated, and the number that several did.
    """
    names = masked_lm_names(dataset)
    table = read_split(dataset, ALL)
    matrix = validated_by(table, names)
    times_drawn = np.diff(table["subsamples"].combine_chunks().offsets.to_numpy())
    by_one = matrix.sum(axis=1) == 1
    subsamples = dataset.record.options["subsamples"]
    single = {
        name: float(times_drawn[by_one & matrix[:, index]].sum()) / subsamples for index, name in enumerate(names)
    }
    return single, float(times_drawn[~by_one].sum()) / subsamples
