"""Table 6: what share of the suggestions each filter drops by itself, by masked LM, word class and side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from generation.replacements.filters import LESS_PROBABLE, OTHER_CLASS
from generation.replacements.finding import FILLERS
from generation.replacements.standalone import WITH_CLASS
from generation.report.paper import TABLE_6
from generation.sentences.forms import HYPOTHESIS, PREMISE
from merge_snli.mlm_families import PAPER_NAMES
from merge_snli.table import BESIDE, ReportTable, beside, share
from merge_snli.validated_by import masked_lm_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from merge_snli.dataset import MergeDataset
    from merge_snli.record import FilterRecord
    from merge_snli.table import Cell


def table_6(source: MergeDataset) -> ReportTable:
    """Make Table 6 from what the run counted; the paper's figures stand beside a masked LM that the paper has.

    Args:
        source: A MERGE data set.
    """
    rows = list(_rows(source, source.record.standalone_filters))
    with_paper = any(name in PAPER_NAMES for name in masked_lm_names(source))
    columns = _COLUMNS
    if with_paper:
        columns += tuple(f"{name} {of}" for name in _SHARES for of in BESIDE)
    return ReportTable(
        key="table_6",
        title="Table 6: percent of a form's fillers that each filter drops by itself",
        columns=columns,
        rows=tuple(row if with_paper else row[: len(_COLUMNS)] for row in rows),
        notes=(
            "class: of another class in place, of the fillers whose class was asked.",
            "probability: not more probable than the original word.",
        ),
    )


_SHARES = ("class P %", "class H %", "probability P %", "probability H %")
_COLUMNS: tuple[str, ...] = ("masked LM", "class", *_SHARES)


def _rows(source: MergeDataset, counts: Iterable[FilterRecord]) -> Iterable[tuple[Cell, ...]]:
    found = {(of.masked_lm, of.word_class, of.side): Counter(of.counts) for of in counts}
    for name in masked_lm_names(source):
        for word_class in source.record.options["classes"]:
            values = [
                share(of[reason], of[whole])
                for reason, whole in ((OTHER_CLASS, WITH_CLASS), (LESS_PROBABLE, FILLERS))
                for of in (found.get((name, word_class, side), Counter()) for side in (PREMISE, HYPOTHESIS))
            ]
            paper = TABLE_6.get((PAPER_NAMES.get(name, ""), word_class), (None,) * len(values))
            pairs = [beside(value, of_paper) for value, of_paper in zip(values, paper, strict=True)]
            yield (name, word_class, *values, *(cell for pair in pairs for cell in pair))
