"""Tables 5, 6 and 9, and all tables of a run in the order of the paper."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from generation.answers.cache_key import recorded_cache_keys
from generation.filters.definitions import LESS_PROBABLE, OTHER_CLASS
from generation.replacements.counts import FILLERS
from generation.replacements.standalone import WITH_CLASS
from generation.report.comparison import compared_table, percent
from generation.report.composition import table_2
from generation.report.overlap import Overlap, figure_9, overlap, suggestion_overlaps
from generation.report.paper import SEVERAL, TABLE_5, TABLE_6, TABLE_9
from generation.report.stored_answers import filter_again
from generation.report.words import table_4
from generation.sentences.forms import HYPOTHESIS, PREMISE
from generation.work.folder import read_description, work_folder_of
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import read_split
from merge_snli.dataset.variants import masked_lm_names, validated_by
from merge_snli.models.paper_models import PAPER_MLMS, PAPER_NAMES, family
from merge_snli.schema import ALL

if TYPE_CHECKING:
    from pathlib import Path

    from generation.report.comparison import Row
    from merge_snli.base.table import Cell, Table
    from merge_snli.dataset.stored import MergeDataset

SHARES = {
    "class P %": (OTHER_CLASS.reason, WITH_CLASS, PREMISE),
    "class H %": (OTHER_CLASS.reason, WITH_CLASS, HYPOTHESIS),
    "probability P %": (LESS_PROBABLE.reason, FILLERS, PREMISE),
    "probability H %": (LESS_PROBABLE.reason, FILLERS, HYPOTHESIS),
}
"""By column: the reason, the count that it is a share of, and the side. In the order of `TABLE_6`."""


def report_tables(
    dataset: MergeDataset, work: Path | None = None, *, suggestions: bool = False
) -> tuple[dict[str, Table], Overlap]:
    """Return Tables 2, 4, 6 and 9 and Figure 9 of a data set, and Table 5 if its work folder exists.

    Args:
        dataset: A MERGE data set.
        work: The work folder of its run; None for `DIR.work`.
        suggestions: Also count the suggestions that masked LMs share per sentence and per problem, as Figure 9 does.
            This applies the filters of the run again.

    Returns:
        The tables by name, and the numbers that `draw_overlap` draws: of suggestions per problem if they are counted.

    Raises:
        InputError: If a file of the data set is missing or is not the one that its record lists; if suggestions are
            counted and the work folder lacks the problems or an answer, or the tagger or a masked LM has changed.
    """
    work = work_folder_of(dataset.folder.absolute(), work)
    composition, alternatives = table_2(dataset)
    vocabularies = table_5(dataset, work)
    found = overlap(dataset)
    tables = {
        "table_2": composition,
        "table_2_alternatives": alternatives,
        "table_4": table_4(dataset),
        **({} if vocabularies is None else {"table_5": vocabularies}),
        "table_6": table_6(dataset),
        "table_9": table_9(dataset),
        "figure_9": figure_9(found),
    }
    if not suggestions:
        return tables, found
    words = (word for shard in filter_again(dataset, work) for word in shard.words)
    counted = suggestion_overlaps(words, masked_lm_names(dataset))
    tables |= {f"figure_9_{name}": figure_9(each) for name, each in counted._asdict().items()}
    return tables, counted.per_problem


def table_5(dataset: MergeDataset, work: Path) -> Table | None:
    """Return the size of each masked LM's vocabulary, compared with the paper; None if the work folder has none.

    Args:
        dataset: A MERGE data set.
        work: The work folder of its run.
    """
    sizes = {
        key.masked_lm: read_description(key.folder(work)).get("pieces") for key in recorded_cache_keys(dataset.record)
    }
    if not any(sizes.values()):
        return None
    rows: list[Row] = []
    for name, size in sizes.items():
        paper = TABLE_5.get(PAPER_NAMES.get(name, ""))
        rows.append(({"masked LM": name, "vocabulary": size}, {} if paper is None else {"vocabulary": paper}))
    return compared_table(title="Table 5: vocabulary of each masked LM", rows=rows, labels=["masked LM"], notes=())


def table_6(dataset: MergeDataset) -> Table:
    """Return Table 6 from the counts of a run, compared with the paper for the paper's masked LMs.

    Args:
        dataset: A MERGE data set.
    """
    filters = generation_of(dataset.record).standalone_filters
    counts = {(each.masked_lm, each.word_class, each.side): each.counts for each in filters}
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
