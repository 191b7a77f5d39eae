"""Tables 2, 4, 5, 6 and 9 of the paper for one data set, and all of them in order."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generation.answers.store import recorded_cache_keys
from generation.filters.definitions import LESS_PROBABLE, OTHER_CLASS
from generation.options import departures
from generation.replacements.finding import FILLERS, WITH_CLASS
from generation.report.explain import check_work, filter_again
from generation.report.overlap import Overlap, figure_9, overlap, suggestion_overlaps
from generation.report.summary import percent
from generation.sentences.forms import HYPOTHESIS, PREMISE
from generation.work import read_description, work_folder_of
from merge_snli.base.table import Cell, Column, Table, count
from merge_snli.dataset.answered_forms import MEANINGS, form_shares
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.texts import NLI_TEXTS
from merge_snli.dataset.variants import masked_lm_names, validated_by
from merge_snli.models.paper_models import PAPER_MLMS, PAPER_NAMES, family
from merge_snli.papers.numbers import MERGE, read_paper
from merge_snli.schema import ALL, SEED

# For each row its name in the paper's table, and its values by column header.
Rows = list[tuple[str, dict[str, Cell]]]

# Problems of SNLI test that have a gold label.
PROBLEMS = 9_824

# Variants that at least two masked LMs validated, `Both` in the paper.
SEVERAL = "several"

PAPER_HEADERS = {"Average": "average", "Uni": "unique"}
# The heading, the reason, and the count that it is a share of. In the order of the paper.
SHARES = (("class", OTHER_CLASS.reason, WITH_CLASS), ("probability", LESS_PROBABLE.reason, FILLERS))


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
    """
    folder = work_folder_of(dataset.folder.absolute(), work)
    if work is not None or suggestions:
        check_work(dataset, folder, "work")
    composition, alternatives = table_2(dataset)
    vocabularies = table_5(dataset, folder)
    validated = overlap(dataset)
    tables = {
        "table_2": composition,
        "table_2_alternatives": alternatives,
        "table_4": table_4(dataset),
        **({} if vocabularies is None else {"table_5": vocabularies}),
        "table_6": table_6(dataset),
        "forms": forms_table(dataset),
        "table_9": table_9(dataset),
        "figure_9": figure_9(validated),
    }
    if not suggestions:
        return tables, validated
    words = (word for shard, _ in filter_again(dataset, folder) for word in shard)
    counted = suggestion_overlaps(words, masked_lm_names(dataset.record))
    tables |= {f"figure_9_per_{unit}": figure_9(of_unit) for unit, of_unit in counted.items()}
    return tables, counted["problem"]


def table_2(dataset: MergeDataset) -> tuple[Table, Table]:
    """Return Table 2, and a table of other ways to compute its columns Average and Uni.

    Args:
        dataset: A MERGE data set.
    """
    printed = printed_rows("table-2") if is_papers_run(dataset) else {}
    labels, subsamples = dataset.record.label_names, dataset.record.options["subsamples"]
    rows: Rows = []
    others: Rows = []
    for config in [config for config in dataset.configs if config != SEED] or [ALL]:
        row, other = _rows(read_split(dataset, config), labels, subsamples)
        in_paper = printed.get(config, {})
        rows.append((config, {"config": config, **row}))
        others.append((config, {"config": config, **other}))
        if printed:
            others[-1][1].update({f"{name} in the paper": in_paper.get(of) for name, of in PAPER_HEADERS.items()})
    return (
        compared_table(
            title="Table 2: composition",
            rows=rows,
            printed=printed,
            labels=["config"],
            notes=(
                "average: variants per seed, drawn by a subsample or not.",
                "unique: variants that no other subsample has, on average over the subsamples.",
            ),
        ),
        compared_table(
            title=f"Table 2: other ways to compute Average and Uni, over {count(subsamples, 'subsample')}",
            rows=others,
            labels=["config"],
            notes=("drawn: variants drawn by at least one subsample; words: distinct replacements.",),
        ),
    )


def printed_rows(table: str) -> dict[str, dict[str, float]]:
    """Return the numbers that the paper prints in a table, by row and column.

    Args:
        table: The name of the table, such as `table-2`.
    """
    artifact = read_paper(MERGE).artifacts[table]
    return {
        row: {name: cell for name, cell in zip(artifact.columns, cells, strict=True) if not isinstance(cell, str)}
        for row, cells in artifact.rows.items()
    }


def compared_table(
    *,
    title: str,
    rows: Rows,
    printed: Mapping[str, Mapping[str, float]] | None = None,
    labels: Sequence[str],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a table with the paper's figure and the difference from it in columns of their own.

    Args:
        title: What the table shows.
        rows: The rows, all with the same headers.
        printed: The paper's figures by the name of the row; none if the table is not compared.
        labels: Headers of the columns that name a row.
        notes: How to read the table.
    """
    headers, papers = list(rows[0][1]), [(printed or {}).get(name, {}) for name, _ in rows]
    compared = [header for header in headers if any(header in paper for paper in papers)]
    return Table(
        title=title,
        columns=(
            *(Column(header, "left" if header in labels else "right") for header in headers),
            *(Column(f"{header} {kind}") for header in compared for kind in ("paper", "diff")),
        ),
        rows=tuple(
            (*row.values(), *(cell for name in compared for cell in _comparison(row[name], paper.get(name))))
            for (_, row), paper in zip(rows, papers, strict=True)
        ),
        notes=notes,
    )


def _comparison(value: Cell, paper: float | None) -> tuple[Cell, Cell]:
    if paper is None or not isinstance(value, int | float):
        return paper, None
    return paper, round(value - paper, 1)


def has_papers_problems(dataset: MergeDataset) -> bool:
    """Return whether a data set has as many problems as SNLI test, and words that are shared as in the paper."""
    ignores_case = dataset.record.options.get("ignore_case", False)
    return generation_of(dataset.record).problems.with_label == PROBLEMS and not ignores_case


def has_papers_options(dataset: MergeDataset) -> bool:
    """Return whether a data set was made from as many problems as SNLI test, with the paper's options."""
    return has_papers_problems(dataset) and not departures(dataset.record.options)


def is_papers_run(dataset: MergeDataset) -> bool:
    """Return whether a data set was made like the paper's, and with its eight masked LMs."""
    return has_papers_options(dataset) and set(masked_lm_names(dataset.record)) == set(PAPER_MLMS)


def _rows(table: pa.Table, labels: Sequence[str], subsamples: int) -> tuple[dict[str, Cell], dict[str, Cell]]:
    """Count the seeds and variants of a config from its split `test`, and return its row in both tables."""
    by_seed = table.group_by("seed_id").aggregate([("label", "min")])
    seeds, of_label = by_seed.num_rows, np.bincount(by_seed["label_min"], minlength=len(labels)).tolist()
    groups = table.group_by(["seed_id", "word_class"]).aggregate([]).num_rows
    subsampled = table["subsamples"].combine_chunks()
    times_drawn = pc.list_value_length(subsampled).to_numpy()
    drawn, drawn_once = int(np.count_nonzero(times_drawn)), int(np.count_nonzero(times_drawn == 1))
    words = {"subsample": subsampled.flatten(), "word": table["replacement"].take(pc.list_parent_indices(subsampled))}
    distinct = pa.table(words).group_by([*words]).aggregate([]).num_rows
    return {
        "seeds": seeds,
        "average": round(table.num_rows / seeds, 1),
        **{f"{label} %": percent(number, seeds) for label, number in zip(labels, of_label, strict=True)},
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


def table_4(dataset: MergeDataset) -> Table:
    """Return Table 4 from the counts of a run, compared with the paper for its problems.

    Args:
        dataset: A MERGE data set.
    """
    label_names = dataset.record.label_names
    rows: Rows = [
        (
            name,
            {
                "class": name,
                "problems": counts.problems,
                **{f"{label} %": percent(counts.labels[label], counts.problems) for label in label_names},
                "problems after": counts.problems_after,
                "words after": counts.words_after,
            },
        )
        for name, counts in generation_of(dataset.record).words.items()
    ]
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
    sizes = {
        key.masked_lm: read_description(key.folder(work)).get("pieces") for key in recorded_cache_keys(dataset.record)
    }
    if not any(sizes.values()):
        return None
    return compared_table(
        title="Table 5: vocabulary of each masked LM",
        rows=[(PAPER_NAMES.get(name, ""), {"masked LM": name, "vocabulary": size}) for name, size in sizes.items()],
        printed=printed_rows("table-5") if has_papers_options(dataset) else None,
        labels=["masked LM"],
    )


def table_6(dataset: MergeDataset) -> Table:
    """Return Table 6 from the counts of a run, compared with the paper for its options.

    Args:
        dataset: A MERGE data set.
    """
    filters = generation_of(dataset.record).standalone_filters
    texts = dataset.record.texts
    sides = {PREMISE: "P", HYPOTHESIS: "H"} if texts == NLI_TEXTS else texts.by_column
    counts = {(counted.masked_lm, counted.word_class, counted.side): counted.counts for counted in filters}
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
    shares = form_shares(generation_of(dataset.record))
    return Table(
        title="Forms by what a masked LM could not take as they are",
        columns=(Column("masked LM", "left"), *(Column(f"{reason} %") for reason in MEANINGS)),
        rows=tuple((name, *(round(100 * share, 1) for share in of.values())) for name, of in shares.items()),
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
    others = {name: sum(single[other] for other in single if other not in family(name)) for name in single}
    others[SEVERAL] = sum(single.values())
    rows: Rows = [
        (
            PAPER_NAMES.get(name, name),
            {"masked LM": name, "average": round(average, 1), "other families": round(others[name], 1)},
        )
        for name, average in {**single, SEVERAL: several}.items()
    ]
    return compared_table(
        title="Table 9: variants of a subsample by the masked LM that validated them",
        rows=rows,
        printed=printed_rows("table-9") if is_papers_run(dataset) else None,
        labels=["masked LM"],
        notes=(
            f"average: variants that only this masked LM validated, in {' or '.join(dataset.record.texts)}, on average "
            f"over the subsamples; {SEVERAL}: validated by at least two.",
            "other families: sum of the averages of the masked LMs of other architectures.",
            f"The averages sum to {round(sum(single.values()) + several, 1):,}, the variants of a subsample.",
        ),
    )


def average_entries(dataset: MergeDataset) -> tuple[dict[str, float], float]:
    """Count the variants of config `all` by the masked LMs that validated them, on average over the subsamples.

    Returns:
        By masked LM the variants that only it validated, and the number that several did.
    """
    table = read_split(dataset, ALL)
    masks = validated_by(table, dataset.record)
    times_drawn = np.diff(table["subsamples"].combine_chunks().offsets.to_numpy())
    by_one = np.sum([*masks.values()], axis=0) == 1
    subsamples = dataset.record.options["subsamples"]
    single = {name: float(times_drawn[by_one & mask].sum()) / subsamples for name, mask in masks.items()}
    return single, float(times_drawn[~by_one].sum()) / subsamples
