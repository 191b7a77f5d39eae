"""Table 4: problems that share a word of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.report.paper import PROBLEMS, TABLE_4
from merge_snli.table import BESIDE, ReportTable, beside, share

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Cell


def table_4(source: MergeDataset) -> ReportTable:
    """Make Table 4 from what the run counted; the paper's figures stand beside where there are as many problems.

    Args:
        source: A MERGE data set.
    """
    names = source.record.problems.label_names
    as_paper = source.record.problems.with_label == PROBLEMS
    columns = ["class", "problems", *(f"{name} %" for name in names), "problems after", "words after"]
    if as_paper:
        columns += [f"{column} {of}" for column in ("problems", *(f"{name} %" for name in names)) for of in BESIDE]
    rows = []
    for word_class, of in source.record.words.items():
        shares = [share(of.labels[name], of.problems) for name in names]
        row: list[Cell] = [word_class, of.problems, *shares, of.problems_after, of.words_after]
        if as_paper:
            paper = TABLE_4.get(word_class)
            for value, column in ((of.problems, "problems"), *zip(shares, names, strict=True)):
                row += beside(value, getattr(paper, column, None))
        rows.append(tuple(row))
    return ReportTable(
        key="table_4",
        title="Table 4: problems that share a word of the class",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=("after: without the words of which only some places could be replaced.",),
    )
