"""Table 2: seeds, variants a seed, label shares, unique variants; and what other readings of its words would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generation.report.paper import PROBLEMS, TABLE_2
from merge_snli.dataset import label_names, read_split
from merge_snli.mlm_families import PAPER_MLMS
from merge_snli.schema import SEED
from merge_snli.table import BESIDE, ReportTable, beside, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from merge_snli.dataset import MergeDataset
    from merge_snli.table import Cell


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What was counted of one config.

    Attributes:
        seeds: Seed problems.
        groups: Pairs of a seed and a word class.
        variants: All variants.
        drawn: Variants that any subsample drew.
        once: Variants that only one subsample drew.
        words: Different replacements in a subsample, on average.
        labels: Seeds by label, in the order of the labels' numbers.
    """

    seeds: int
    groups: int
    variants: int
    drawn: int
    once: int
    words: float
    labels: tuple[int, ...]


def table_2(source: MergeDataset) -> tuple[ReportTable, ReportTable]:
    """Make Table 2, and the table of the other readings of Average and Uni.

    Args:
        source: A MERGE data set.
    """
    subsamples = source.record.options["subsamples"]
    counted = {name: count(read_split(source, name), subsamples) for name in source.configs if name != SEED}
    names = source.record.problems.label_names
    as_paper = is_the_papers(source)
    columns = ["config", "seeds", "average", *(f"{name} %" for name in names), "unique"]
    if as_paper:
        columns += [f"{column} {of}" for column in ("seeds", "average", "unique") for of in BESIDE]
        columns += [f"{name} % {of}" for name in names for of in BESIDE]
    rows = [_row(name, of, names, subsamples, as_paper) for name, of in counted.items()]
    main = ReportTable(
        key="table_2",
        title="Table 2: composition",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(
            "average: variants a seed, whether a subsample drew them or not.",
            "unique: variants of a subsample that no other subsample has, on average over the subsamples.",
        ),
    )
    return main, _readings(counted, subsamples, as_paper)


def is_the_papers(source: MergeDataset) -> bool:
    """Tell whether a run has as many problems as SNLI test and the paper's eight masked LMs."""
    names = {mlm.name for mlm in source.record.masked_lms}
    return source.record.problems.with_label == PROBLEMS and names == set(PAPER_MLMS)


def count(table: pa.Table, subsamples: int) -> Counted:
    """Count a config's variants.

    Args:
        table: Split `test` of a config.
        subsamples: How many draws there are.
    """
    seed = _codes(table, "seed_id")
    word_class = _codes(table, "word_class")
    replacement = _codes(table, "replacement")
    draws = table["subsamples"].combine_chunks()
    times = np.diff(draws.offsets.to_numpy())
    of_draw, row = draws.flatten().to_numpy(), np.repeat(np.arange(len(times)), times)
    words = [len(np.unique(replacement[row[of_draw == index]])) for index in range(subsamples)]
    first = np.unique(seed, return_index=True)[1]
    labels = np.bincount(table["label"].to_numpy()[first], minlength=len(label_names(table)))
    return Counted(
        seeds=len(first),
        groups=len(np.unique(np.stack([seed, word_class]), axis=1).T),
        variants=table.num_rows,
        drawn=int(np.count_nonzero(times)),
        once=int(np.count_nonzero(times == 1)),
        words=float(np.mean(words)),
        labels=tuple(int(number) for number in labels),
    )


def _codes(table: pa.Table, column: str) -> npt.NDArray[np.int32]:
    encoded: npt.NDArray[np.int32] = table[column].combine_chunks().dictionary_encode().indices.to_numpy()
    return encoded


def _row(name: str, of: Counted, names: Sequence[str], subsamples: int, as_paper: bool) -> tuple[Cell, ...]:
    average, unique = round(of.variants / of.seeds, 1), round(of.once / subsamples, 1)
    shares = [share(number, of.seeds) for number in of.labels]
    row: list[Cell] = [name, of.seeds, average, *shares, unique]
    if as_paper:
        paper = TABLE_2.get(name)
        pairs = ((of.seeds, "seeds"), (average, "average"), (unique, "unique"), *zip(shares, names, strict=True))
        for value, column in pairs:
            row += beside(value, getattr(paper, column, None))
    return tuple(row)


def _readings(counted: dict[str, Counted], subsamples: int, as_paper: bool) -> ReportTable:
    """Return what Average and Uni are under the other readings that the paper's words allow."""
    rows = tuple(
        (
            name,
            of.groups,
            round(of.variants / of.groups, 1),
            round(of.drawn / of.seeds, 1),
            round(of.drawn / of.groups, 1),
            of.drawn,
            of.once,
            round(of.words, 1),
            *((getattr(TABLE_2.get(name), column, None) for column in ("average", "unique")) if as_paper else ()),
        )
        for name, of in counted.items()
    )
    return ReportTable(
        key="table_2_readings",
        title=f"Table 2: other readings of Average and Uni, over {subsamples} subsamples",
        columns=(
            "config",
            "seeds by class",
            "variants a seed and class",
            "drawn a seed",
            "drawn a seed and class",
            "drawn",
            "drawn once",
            "words a subsample",
            *(("Average of the paper", "Uni of the paper") if as_paper else ()),
        ),
        rows=rows,
        notes=("drawn: variants that any subsample drew; words: different replacements.",),
    )
