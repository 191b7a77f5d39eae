"""Table 2: seeds, variants per seed, labels and unique variants of each config."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from generation.report.comparison import compared_table, percent
from generation.report.paper import PROBLEMS, TABLE_2, TABLE_2_COLUMNS
from merge_snli.dataset import read_split
from merge_snli.mlm_families import PAPER_MLMS
from merge_snli.schema import SEED
from merge_snli.table import Column, Table
from merge_snli.validated_by import masked_lm_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from generation.report.comparison import Row
    from merge_snli.dataset import MergeDataset
    from merge_snli.record import Record
    from merge_snli.table import Cell


PAPER_HEADERS = {"Average": "average", "Uni": "unique"}


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
        notes=(
            f"{record.composition['all'].seeds:,} of {record.problems.with_label:,} problems are seeds: in at least "
            f"one word class, they have {record.options['inflation']} variants or more.",
            "average: variants per seed.",
        ),
    )


def table_2(dataset: MergeDataset) -> tuple[Table, Table]:
    """Return Table 2, and a table of other ways to compute its columns Average and Uni.

    Args:
        dataset: A MERGE data set.
    """
    labels, subsamples = dataset.record.problems.label_names, dataset.record.options["subsamples"]
    with_paper = is_papers_run(dataset)
    rows: list[Row] = []
    others: list[Row] = []
    for config in dataset.configs:
        if config != SEED:
            row, other = _rows(read_split(dataset, config), labels, subsamples)
            figures = TABLE_2.get(config, ()) if with_paper else ()
            paper: dict[str, float] = dict(zip(TABLE_2_COLUMNS, figures, strict=False))
            in_paper = {f"{name} in the paper": paper.get(header) for name, header in PAPER_HEADERS.items()}
            rows.append(({"config": config, **row}, paper))
            others.append(({"config": config, **other, **(in_paper if with_paper else {})}, {}))
    return (
        compared_table(
            title="Table 2: composition",
            rows=rows,
            labels=["config"],
            notes=(
                "average: variants per seed, drawn by a subsample or not.",
                "unique: variants that no other subsample has, on average over the subsamples.",
            ),
        ),
        compared_table(
            title=f"Table 2: other ways to compute Average and Uni, over {subsamples} subsamples",
            rows=others,
            labels=["config"],
            notes=("drawn: variants drawn by at least one subsample; words: distinct replacements.",),
        ),
    )


def is_papers_run(dataset: MergeDataset) -> bool:
    """Return whether a data set has as many problems as SNLI test and the paper's eight masked LMs."""
    return dataset.record.problems.with_label == PROBLEMS and set(masked_lm_names(dataset)) == set(PAPER_MLMS)


def _rows(table: pa.Table, labels: Sequence[str], subsamples: int) -> tuple[dict[str, Cell], dict[str, Cell]]:
    """Count the seeds and variants of a config from its split `test`, and return its row in both tables."""
    import pyarrow as pa
    import pyarrow.compute as pc

    by_seed = table.group_by("seed_id").aggregate([("label", "min")])
    seeds, of_label = by_seed.num_rows, np.bincount(by_seed["label_min"], minlength=len(labels)).tolist()
    groups = table.group_by(["seed_id", "word_class"]).aggregate([]).num_rows
    draws = table["subsamples"].combine_chunks()
    times_drawn = pc.list_value_length(draws).to_numpy()
    drawn, drawn_once = int(np.count_nonzero(times_drawn)), int(np.count_nonzero(times_drawn == 1))
    words = table["replacement"].take(pc.list_parent_indices(draws))
    distinct = pa.table({"draw": draws.flatten(), "word": words}).group_by(["draw", "word"]).aggregate([]).num_rows
    return {
        "seeds": seeds,
        "average": round(table.num_rows / seeds, 1),
        **{f"{label} %": percent(count, seeds) for label, count in zip(labels, of_label, strict=True)},
        "unique": round(drawn_once / subsamples, 1),
    }, {
        "seeds by class": groups,
        "variants per seed and class": round(table.num_rows / groups, 1),
        "drawn per seed": round(drawn / seeds, 1),
        "drawn per seed and class": round(drawn / groups, 1),
        "drawn": drawn,
        "drawn once": drawn_once,
        "words per subsample": round(distinct / subsamples, 1),
    }
