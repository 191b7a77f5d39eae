"""Summaries: the shared words of a run or of any problems, and the seeds and variants of each config."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import islice

from generation.report.compared import table_of
from generation.run_inputs import open_problems
from generation.sentences.tagging import tag
from generation.sentences.word_counts import add_word_counts, count_words
from generation.sentences.words import LEFT_OUT, shared_words
from merge_snli.base.files import JsonObject
from merge_snli.base.progress import Progress
from merge_snli.base.table import Cell, Table
from merge_snli.dataset.record import Record, WordCounts, generation_of, require
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems
from merge_snli.schema import ALL

PROBLEMS_PER_BATCH = 1_000


def words_report(options: ProblemOptions) -> tuple[JsonObject, Table]:
    """Read and tag problems, and count those that share a word of each class.

    Args:
        options: The options of the source of the problems.

    Returns:
        The counts as JSON values, and as a table.
    """
    tagger = find_tagger(options.tagger, language=options.language)
    progress = Progress()
    source, survey = open_problems(options, progress)
    problems = stream_problems(source, survey)
    counts: dict[str, WordCounts] = {}
    with progress.stage("shared words", unit="problems", total=survey.with_label) as stage:
        while batch := list(islice(problems, PROBLEMS_PER_BATCH)):
            words = [(tagged, shared_words(tagged)) for tagged in tag(batch, tagger)]
            counts = add_word_counts(counts, count_words(words, survey.label_names))
            stage.advance(len(batch))
    report = {
        "problems": str(options.problems),
        "with_label": survey.with_label,
        "without_label": survey.without_label,
        "tagger": {"name": tagger.name, "version": tagger.version, "digest": tagger.digest},
        "classes": {name: asdict(of_class) for name, of_class in counts.items()},
    }
    return report, words_table(counts, survey.with_label, survey.without_label)


def percent(number: int, total: int) -> float | None:
    """Return a share in percent, rounded to one decimal; None if `total` is 0."""
    return round(100 * number / total, 1) if total else None


def label_shares(labels: Iterable[str], numbers: Mapping[str, int], total: int) -> dict[str, Cell]:
    """Return a column per label with its share in percent.

    Args:
        labels: The labels, in the order of the columns.
        numbers: The number of each label.
        total: The number of all.
    """
    return {f"{label} %": percent(numbers[label], total) for label in labels}


def words_table(classes: Mapping[str, WordCounts], with_label: int, without_label: int) -> Table:
    """Return the problems that share a word of each class, and those that share one that can be replaced.

    Args:
        classes: Counts by word class.
        with_label: Number of problems with a gold label.
        without_label: Number of problems without one.
    """
    rows: list[dict[str, Cell]] = []
    for name, counts in classes.items():
        row: dict[str, Cell] = {"class": name, "problems": counts.problems}
        row |= label_shares(counts.labels, counts.labels, counts.problems)
        for reason in LEFT_OUT:
            row[reason] = counts.left_out[reason]
        row["used"] = counts.problems_after
        rows.append(row)
    return table_of(
        rows,
        labels=["class"],
        notes=(
            f"{with_label:,} problems with a gold label; {without_label:,} without one are not counted.",
            "problems: share a word of the class; used: share one that can be replaced.",
            f"{', '.join(LEFT_OUT)}: words that cannot be replaced, by reason.",
        ),
    )


def composition(record: Record) -> dict[str, dict[str, Cell]]:
    """Return the seeds and variants of each config and the labels of its seeds, as columns of a table by config.

    Args:
        record: The record of a run.
    """
    require(record, "generation")
    rows = {}
    for config, counts in record.test_configs.items():
        row: dict[str, Cell] = {"config": config, "seeds": counts.groups, "variants": counts.rows}
        row["average"] = round(counts.rows / counts.groups, 1)
        rows[config] = row | label_shares(record.label_names, counts.group_labels or {}, counts.groups)
    return rows


def composition_table(record: Record) -> Table:
    """Return the number of seeds and variants of each config, and the share of each label among the seeds.

    Args:
        record: The record of a run.
    """
    seeds = record.configs[ALL].groups
    problems = generation_of(record).problems.with_label
    return table_of(
        [*composition(record).values()],
        labels=["config"],
        notes=(
            f"{seeds:,} of {problems:,} problems are seeds: in at least one word class, they have "
            f"{record.options['inflation']} variants or more.",
            "average: variants per seed.",
        ),
    )
