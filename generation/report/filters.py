"""Table 6: the share of fillers that each filter drops on its own, by masked LM, word class and side."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from generation.replacements.counts import FILLERS
from generation.replacements.filters import LESS_PROBABLE, OTHER_CLASS
from generation.replacements.standalone import WITH_CLASS
from generation.report.comparison import compared_table, percent
from generation.report.paper import TABLE_6
from generation.sentences.forms import HYPOTHESIS, PREMISE
from merge_snli.mlm_families import PAPER_NAMES
from merge_snli.validated_by import masked_lm_names

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Cell, Table

SHARES = {
    "class P %": (OTHER_CLASS, WITH_CLASS, PREMISE),
    "class H %": (OTHER_CLASS, WITH_CLASS, HYPOTHESIS),
    "probability P %": (LESS_PROBABLE, FILLERS, PREMISE),
    "probability H %": (LESS_PROBABLE, FILLERS, HYPOTHESIS),
}
"""By column: the reason, the count that it is a share of, and the side. In the order of `TABLE_6`."""


def table_6(dataset: MergeDataset) -> Table:
    """Return Table 6 from the counts of a run, compared with the paper for the paper's masked LMs.

    Args:
        dataset: A MERGE data set.
    """
    counts = {(each.masked_lm, each.word_class, each.side): each.counts for each in dataset.record.standalone_filters}
    rows = []
    for name, word_class in product(masked_lm_names(dataset), dataset.record.options["classes"]):
        values: dict[str, Cell] = {"masked LM": name, "class": word_class}
        for header, (reason, whole, side) in SHARES.items():
            of_side = counts.get((name, word_class, side), {})
            values[header] = percent(of_side.get(reason, 0), of_side.get(whole, 0))
        paper = TABLE_6.get((PAPER_NAMES.get(name, ""), word_class), ())
        rows.append((values, dict(zip(SHARES, paper, strict=False))))
    return compared_table(
        title="Table 6: percent of the fillers of a form that each filter drops on its own",
        rows=rows,
        labels=["masked LM", "class"],
        notes=(
            "class: of another word class in place, as a share of the tagged fillers.",
            "probability: not more probable than the original word.",
        ),
    )
