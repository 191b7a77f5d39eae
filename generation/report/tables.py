"""Tables 2, 4, 5, 6 and 9 of the paper for one data set, and all of them in order."""

from itertools import chain, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generation.answers.store import recorded_cache_keys
from generation.filters.definitions import LESS_PROBABLE, OTHER_CLASS
from generation.replacements.counts import FILLERS
from generation.replacements.standalone import WITH_CLASS
from generation.report.compared import (
    Rows,
    compared_table,
    has_papers_options,
    has_papers_problems,
    is_papers_run,
    printed_rows,
    table_of,
)
from generation.report.overlap import Overlap, figure_9, overlap, suggestion_overlap
from generation.report.read_again import check_work, filter_again
from generation.report.summary import composition, label_shares, percent
from generation.sentences.forms import HYPOTHESIS, PREMISE
from generation.work import read_description, work_folder_of
from merge_snli.base.arrays import Ints
from merge_snli.base.table import Cell, Table
from merge_snli.dataset.answered_forms import form_shares
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.texts import NLI_TEXTS
from merge_snli.dataset.variants import masked_lm_names, validated_by
from merge_snli.models.paper_models import PAPER_NAMES, family
from merge_snli.schema import ALL

# Variants that at least two masked LMs validated, `Both` in the paper.
SEVERAL = "several"

# The heading, the reason, and the count that it is a share of. In the order of the paper.
SHARES = (("class", OTHER_CLASS.reason, WITH_CLASS), ("probability", LESS_PROBABLE.reason, FILLERS))


def report_tables(
    dataset: MergeDataset, work: Path | None = None, *, suggestions: bool = False, tagger: str | None = None
) -> tuple[dict[str, Table], Overlap]:
    """Return Tables 2, 4, 6 and 9 and Figure 9 of a data set, and Table 5 if its work folder exists.

    Args:
        dataset: A MERGE data set.
        work: The work folder of its run; None for `DIR.work`.
        suggestions: Also count the suggestions that masked LMs share per problem, as Figure 9 does.
            This applies the filters of the run again.
        tagger: The folder of the tagger of the run, if it is not an installed package.

    Returns:
        The tables by name, and the numbers that `draw_overlap` draws: of suggestions per problem if they are counted.
    """
    folder = work_folder_of(dataset.folder.absolute(), work)
    if work is not None or suggestions:
        check_work(dataset, folder)
    tables = {"table_2": table_2(dataset), "table_4": table_4(dataset)}
    vocabularies = table_5(dataset, folder)
    if vocabularies is not None:
        tables["table_5"] = vocabularies
    tables["table_6"] = table_6(dataset)
    tables["forms"] = forms_table(dataset)
    tables["table_9"] = table_9(dataset)
    validated = overlap(dataset)
    tables["figure_9"] = figure_9(validated)
    if not suggestions:
        return tables, validated
    words = chain.from_iterable(filter_again(dataset, folder, tagger))
    suggested = suggestion_overlap(words, masked_lm_names(dataset.record))
    tables["figure_9_per_problem"] = figure_9(suggested)
    return tables, suggested


def table_2(dataset: MergeDataset) -> Table:
    """Return Table 2, compared with the paper for its run.

    Args:
        dataset: A MERGE data set.
    """
    rows: Rows = []
    for config, row in composition(dataset.record).items():
        del row["variants"]  # the paper's Table 2 has no such column
        drawn_once = np.count_nonzero(_times_drawn(read_split(dataset, config)) == 1)
        row["unique"] = round(drawn_once / dataset.record.options["subsamples"], 1)
        rows.append((config, row))
    return compared_table(
        title="Table 2: composition",
        rows=rows,
        printed=printed_rows("table-2") if is_papers_run(dataset) else None,
        labels=["config"],
        notes=(
            "average: variants per seed, drawn by a subsample or not.",
            "unique: variants that no other subsample has, on average over the subsamples.",
        ),
    )


def _times_drawn(table: pa.Table) -> Ints:
    """Return the number of subsamples that drew each variant."""
    lengths: Ints = pc.list_value_length(table["subsamples"].combine_chunks()).to_numpy()
    return lengths


def table_4(dataset: MergeDataset) -> Table:
    """Return Table 4 from the counts of a run, compared with the paper for its problems.

    Args:
        dataset: A MERGE data set.
    """
    rows: Rows = []
    for name, counts in generation_of(dataset.record).words.items():
        row: dict[str, Cell] = {"class": name, "problems": counts.problems}
        row |= label_shares(dataset.record.label_names, counts.labels, counts.problems)
        row["problems after"] = counts.problems_after
        row["words after"] = counts.words_after
        rows.append((name, row))
    return compared_table(
        title="Table 4: problems that share a word of the class",
        rows=rows,
        printed=printed_rows("table-4") if has_papers_problems(dataset) else None,
        labels=["class"],
        notes=("after: without the words that cannot be replaced at every occurrence.",),
    )


def table_5(dataset: MergeDataset, work: Path) -> Table | None:
    """Return the size of each masked LM's vocabulary, compared with the paper; None if the work folder has none.

    Args:
        dataset: A MERGE data set.
        work: The work folder of its run.
    """
    rows: Rows = []
    for key in recorded_cache_keys(dataset.record):
        size = read_description(key.folder(work)).get("pieces")
        rows.append((PAPER_NAMES.get(key.masked_lm, ""), {"masked LM": key.masked_lm, "vocabulary": size}))
    if not any(row["vocabulary"] for _, row in rows):
        return None
    return compared_table(
        title="Table 5: vocabulary of each masked LM",
        rows=rows,
        printed=printed_rows("table-5") if has_papers_options(dataset) else None,
        labels=["masked LM"],
    )


def table_6(dataset: MergeDataset) -> Table:
    """Return Table 6 from the counts of a run, compared with the paper for its options.

    Args:
        dataset: A MERGE data set.
    """
    texts = dataset.record.texts
    sides = {PREMISE: "P", HYPOTHESIS: "H"} if texts == NLI_TEXTS else texts.by_column
    counts = {}
    for counted in generation_of(dataset.record).standalone_filters:
        counts[counted.masked_lm, counted.word_class, counted.side] = counted.counts
    rows: Rows = []
    for name, word_class in product(masked_lm_names(dataset.record), dataset.record.options["classes"]):
        values: dict[str, Cell] = {"masked LM": name, "class": word_class}
        for (heading, reason, whole), (side, text) in product(SHARES, sides.items()):
            of_side = counts.get((name, word_class, side), {})
            values[f"{heading} {text} %"] = percent(of_side.get(reason, 0), of_side.get(whole, 0))
        rows.append((f"{PAPER_NAMES.get(name)} {word_class}", values))
    return compared_table(
        title="Table 6: percent of the fillers of a form that each filter drops on its own",
        rows=rows,
        printed=printed_rows("table-6") if has_papers_options(dataset) else None,
        labels=["masked LM", "class"],
        notes=(
            "class: of another word class in place, as a share of the tagged fillers.",
            "probability: not more probable than the original word.",
        ),
    )


def forms_table(dataset: MergeDataset) -> Table:
    """Return the forms that each masked LM saw only a window of, or could not fill, in percent.

    Args:
        dataset: A MERGE data set.
    """
    rows: list[dict[str, Cell]] = []
    for name, shares in form_shares(generation_of(dataset.record)).items():
        row: dict[str, Cell] = {"masked LM": name}
        for reason, share in shares.items():
            row[f"{reason} %"] = round(100 * share, 1)
        rows.append(row)
    return table_of(
        rows,
        title="Forms by what a masked LM could not take as they are",
        labels=["masked LM"],
        notes=(
            "in a window: the text is too long, and a window of its sentences was masked.",
            "too long: the sentence alone is too long; split: the tokenizer splits the word. Both have no fillers.",
        ),
    )


def table_9(dataset: MergeDataset) -> Table:
    """Return Table 9 of config `all`, compared with the paper for its options.

    Args:
        dataset: A MERGE data set.
    """
    single, several = average_entries(dataset)
    rows: Rows = []
    for name, average in {**single, SEVERAL: several}.items():
        others = sum(value for other, value in single.items() if other not in family(name))
        row: dict[str, Cell] = {"masked LM": name}
        row["average"] = round(average, 1)
        row["other families"] = round(others, 1)
        rows.append((PAPER_NAMES.get(name, name), row))
    texts = " or ".join(dataset.record.texts)
    total = round(sum(single.values()) + several, 1)
    return compared_table(
        title="Table 9: variants of a subsample by the masked LM that validated them",
        rows=rows,
        printed=printed_rows("table-9") if is_papers_run(dataset) else None,
        labels=["masked LM"],
        notes=(
            f"average: variants that only this masked LM validated, in {texts}, on average over the subsamples; "
            f"{SEVERAL}: validated by at least two.",
            "other families: sum of the averages of the masked LMs of other architectures.",
            f"The averages sum to {total:,}, the variants of a subsample.",
        ),
    )


def average_entries(dataset: MergeDataset) -> tuple[dict[str, float], float]:
    """Count the variants of config `all` by the masked LMs that validated them, on average over the subsamples.

    Returns:
        By masked LM the variants that only it validated, and the number that several did.
    """
    table = read_split(dataset, ALL)
    times_drawn = _times_drawn(table)
    subsamples = dataset.record.options["subsamples"]
    masks = validated_by(table, dataset.record)
    by_one = np.sum([*masks.values()], axis=0) == 1
    single = {name: float(times_drawn[by_one & mask].sum()) / subsamples for name, mask in masks.items()}
    return single, float(times_drawn[~by_one].sum()) / subsamples
