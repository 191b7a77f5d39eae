"""All the tables of a run, in the paper's order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.report.composition import table_2
from generation.report.filters import table_6
from generation.report.origins import table_9
from generation.report.overlap import Overlap, figure_9, overlap
from generation.report.words import table_4

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from merge_snli.table import ReportTable


def report_tables(source: MergeDataset) -> tuple[tuple[ReportTable, ...], Overlap]:
    """Make the Tables 2, 4, 6 and 9 and Figure 9 of a data set.

    Args:
        source: A MERGE data set.

    Returns:
        The tables, and what the picture of Figure 9 shows.

    Raises:
        InputError: Where a file of the data set is missing or not the one that the run wrote.
    """
    found = overlap(source)
    return (*table_2(source), table_4(source), table_6(source), table_9(source), figure_9(found)), found
