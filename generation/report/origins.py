"""Table 9: how many entries of a subsample only one masked LM validated, and which several did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from generation.report.paper import SEVERAL, TABLE_9
from merge_snli.dataset import read_split
from merge_snli.mlm_families import PAPER_MLMS, PAPER_NAMES, family
from merge_snli.schema import ALL
from merge_snli.table import BESIDE, ReportTable, beside
from merge_snli.validated_by import masked_lm_names, validated_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Cell

_COLUMNS = (
    "masked LM",
    "average",
    "other families",
    *(f"{of} {it}" for of in ("average", "other families") for it in BESIDE),
)
_OWN = 3
"""How many of the columns are the run's own."""


def table_9(source: MergeDataset) -> ReportTable:
    """Make Table 9 of config `all`; the paper's figures stand beside a masked LM that the paper has.

    Args:
        source: A MERGE data set.
    """
    single, several = average_entries(source)
    rows = [_row(name, average, _others(name, single), PAPER_NAMES.get(name)) for name, average in single.items()]
    rows.append(_row(SEVERAL, several, sum(single.values()), SEVERAL if single.keys() == set(PAPER_MLMS) else None))
    columns = _COLUMNS if single.keys() & PAPER_NAMES.keys() else _COLUMNS[:_OWN]
    return ReportTable(
        key="table_9",
        title="Table 9: entries of a subsample by the masked LM that validated them",
        columns=columns,
        rows=tuple(row[: len(columns)] for row in rows),
        notes=(
            "average: entries that only this masked LM validated, in premise or hypothesis, over the subsamples; "
            f"{SEVERAL}: at least two did.",
            "other families: the averages of the masked LMs of other architectures, summed.",
            f"The averages sum to {round(sum(single.values()) + several, 1):,}, the entries of a subsample.",
        ),
    )


def average_entries(source: MergeDataset) -> tuple[dict[str, float], float]:
    """Count the entries of config `all` by who validated them, on average over the subsamples.

    Returns:
        By masked LM the entries that only it validated, and those that several did.
    """
    names = masked_lm_names(source)
    table = read_split(source, ALL)
    matrix = validated_by(table, names)
    draws = np.diff(table["subsamples"].combine_chunks().offsets.to_numpy())
    alone = matrix.sum(axis=1) == 1
    subsamples = source.record.options["subsamples"]
    single = {name: float(draws[alone & matrix[:, index]].sum()) / subsamples for index, name in enumerate(names)}
    return single, float(draws[~alone].sum()) / subsamples


def _others(name: str, single: Mapping[str, float]) -> float:
    return sum(average for other, average in single.items() if other not in family(name))


def _row(name: str, average: float, others: float, in_paper: str | None) -> tuple[Cell, ...]:
    average, others = round(average, 1), round(others, 1)
    paper = TABLE_9.get(in_paper or "", (None, None))
    return (name, average, others, *beside(average, paper[0]), *beside(others, paper[1]))
