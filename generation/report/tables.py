"""All tables of a run, in the order of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.report.composition import table_2
from generation.report.filters import table_6
from generation.report.origins import table_9
from generation.report.overlap import Overlap, figure_9, overlap
from generation.report.words import table_4

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Table


def report_tables(dataset: MergeDataset) -> tuple[dict[str, Table], Overlap]:
    """Return Tables 2, 4, 6 and 9 and Figure 9 of a data set.

    Args:
        dataset: A MERGE data set.

    Returns:
        The tables by name, and the numbers that `draw_overlap` draws.

    Raises:
        InputError: If a file of the data set is missing or is not the one that its record lists.
    """
    composition, alternatives = table_2(dataset)
    found = overlap(dataset)
    tables = {
        "table_2": composition,
        "table_2_alternatives": alternatives,
        "table_4": table_4(dataset),
        "table_6": table_6(dataset),
        "table_9": table_9(dataset),
        "figure_9": figure_9(found),
    }
    return tables, found
