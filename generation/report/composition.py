"""Table 2: seeds, variants per seed, labels and unique variants of each config."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generation.report.comparison import compared_table, percent
from generation.report.paper import PROBLEMS, TABLE_2
from merge_snli.dataset import label_names, read_split
from merge_snli.mlm_families import PAPER_MLMS
from merge_snli.schema import SEED
from merge_snli.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from generation.report.comparison import Paper
    from merge_snli.dataset import MergeDataset
    from merge_snli.record import Record
    from merge_snli.table import Cell


@dataclass(frozen=True, kw_only=True)
class ConfigCounts:
    """Counts of one config.

    Attributes:
        seeds: Seed problems.
        groups: Pairs of a seed and a word class.
        variants: All variants.
        drawn: Variants drawn by at least one subsample.
        drawn_once: Variants drawn by exactly one subsample.
        words: Distinct replacements per subsample, on average.
        labels: Seeds by label, in the order of the label numbers.
    """

    seeds: int
    groups: int
    variants: int
    drawn: int
    drawn_once: int
    words: float
    labels: tuple[int, ...]


def composition_table(record: Record) -> Table:
    """Return the number of seeds and variants of each config, and the share of each label among the seeds.

    Args:
        record: The record of a run.
    """
    labels = record.problems.label_names
    headers = ("seeds", "variants", "average", *(f"{name} %" for name in labels))
    return Table(
        columns=(Column("config", "left"), *map(Column, headers)),
        rows=tuple(
            (
                config,
                counts.seeds,
                counts.variants,
                counts.variants / counts.seeds,
                *(percent(counts.labels[name], counts.seeds) for name in labels),
            )
            for config, counts in record.composition.items()
        ),
        notes=("average: variants per seed.",),
    )


def table_2(dataset: MergeDataset) -> tuple[Table, Table]:
    """Return Table 2, and a table of other ways to compute its columns Average and Uni.

    Args:
        dataset: A MERGE data set.
    """
    subsamples = dataset.record.options["subsamples"]
    counts = {name: count_config(read_split(dataset, name), subsamples) for name in dataset.configs if name != SEED}
    labels, with_paper = dataset.record.problems.label_names, is_papers_run(dataset)
    main = compared_table(
        title="Table 2: composition",
        rows=[_row(name, of, labels, subsamples, with_paper=with_paper) for name, of in counts.items()],
        labels=["config"],
        notes=(
            "average: variants per seed, drawn by a subsample or not.",
            "unique: variants that no other subsample has, on average over the subsamples.",
        ),
    )
    return main, _alternatives(counts, subsamples, with_paper=with_paper)


def is_papers_run(dataset: MergeDataset) -> bool:
    """Return whether a data set has as many problems as SNLI test and the paper's eight masked LMs."""
    names = {mlm.name for mlm in dataset.record.masked_lms}
    return dataset.record.problems.with_label == PROBLEMS and names == set(PAPER_MLMS)


def count_config(table: pa.Table, subsamples: int) -> ConfigCounts:
    """Count the seeds and variants of a config.

    Args:
        table: Split `test` of the config.
        subsamples: Number of subsamples.
    """
    seed = _codes(table, "seed_id")
    word_class = _codes(table, "word_class")
    replacement = _codes(table, "replacement")
    draws = table["subsamples"].combine_chunks()
    times_drawn = np.diff(draws.offsets.to_numpy())
    subsample, row = draws.flatten().to_numpy(), np.repeat(np.arange(len(times_drawn)), times_drawn)
    words = [len(np.unique(replacement[row[subsample == index]])) for index in range(subsamples)]
    first = np.unique(seed, return_index=True)[1]
    labels = np.bincount(table["label"].to_numpy()[first], minlength=len(label_names(table)))
    return ConfigCounts(
        seeds=len(first),
        groups=len(np.unique(np.stack([seed, word_class]), axis=1).T),
        variants=table.num_rows,
        drawn=int(np.count_nonzero(times_drawn)),
        drawn_once=int(np.count_nonzero(times_drawn == 1)),
        words=float(np.mean(words)),
        labels=tuple(labels.tolist()),
    )


def _codes(table: pa.Table, column: str) -> npt.NDArray[np.int32]:
    encoded: npt.NDArray[np.int32] = table[column].combine_chunks().dictionary_encode().indices.to_numpy()
    return encoded


def _row(
    name: str, counts: ConfigCounts, labels: Sequence[str], subsamples: int, *, with_paper: bool
) -> tuple[dict[str, Cell], Paper]:
    values: dict[str, Cell] = {
        "config": name,
        "seeds": counts.seeds,
        "average": round(counts.variants / counts.seeds, 1),
        **{f"{label} %": percent(number, counts.seeds) for label, number in zip(labels, counts.labels, strict=True)},
        "unique": round(counts.drawn_once / subsamples, 1),
    }
    paper = TABLE_2.get(name) if with_paper else None
    fields = {"seeds": "seeds", "average": "average", "unique": "unique", **{f"{label} %": label for label in labels}}
    return values, {header: getattr(paper, field, None) for header, field in fields.items()}


def _alternatives(counts: Mapping[str, ConfigCounts], subsamples: int, *, with_paper: bool) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "config": name,
            "seeds by class": of.groups,
            "variants per seed and class": round(of.variants / of.groups, 1),
            "drawn per seed": round(of.drawn / of.seeds, 1),
            "drawn per seed and class": round(of.drawn / of.groups, 1),
            "drawn": of.drawn,
            "drawn once": of.drawn_once,
            "words per subsample": round(of.words, 1),
        }
        for name, of in counts.items()
    ]
    if with_paper:
        for row in rows:
            paper = TABLE_2.get(str(row["config"]))
            row |= {
                "Average in the paper": getattr(paper, "average", None),
                "Uni in the paper": getattr(paper, "unique", None),
            }
    return compared_table(
        title=f"Table 2: other ways to compute Average and Uni, over {subsamples} subsamples",
        rows=[(row, {}) for row in rows],
        labels=["config"],
        notes=("drawn: variants drawn by at least one subsample; words: distinct replacements.",),
    )
