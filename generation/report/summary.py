"""Summaries: the shared words of a run or of any problems, and the seeds and variants of each config."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any

from generation.output.dataset import add_word_counts, count_words
from generation.run import open_problems
from generation.sentences.tagging import tag
from generation.sentences.words import LEFT_OUT, shared_words
from merge_snli.base.progress import Progress
from merge_snli.base.table import Column, Table
from merge_snli.dataset.record import Record, WordCounts, generation_of
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems
from merge_snli.schema import ALL

PROBLEMS_PER_BATCH = 1_000


def words_report(options: ProblemOptions) -> tuple[dict[str, Any], Table]:
    """Read and tag problems, and count those that share a word of each class.

    Args:
        options: Where the problems are and how to read them.

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


def words_table(classes: Mapping[str, WordCounts], with_label: int, without_label: int) -> Table:
    """Return the problems that share a word of each class, and those that share one that can be replaced.

    Args:
        classes: Counts by word class.
        with_label: Number of problems with a gold label.
        without_label: Number of problems without one.
    """
    labels = tuple(next(iter(classes.values())).labels)
    headers = ("problems", *(f"{name} %" for name in labels), *LEFT_OUT, "used")
    return Table(
        columns=(Column("class", "left"), *map(Column, headers)),
        rows=tuple(
            (
                name,
                of.problems,
                *(percent(of.labels[label], of.problems) for label in labels),
                *(of.left_out[reason] for reason in LEFT_OUT),
                of.problems_after,
            )
            for name, of in classes.items()
        ),
        notes=(
            f"{with_label:,} problems with a gold label; {without_label:,} without one are not counted.",
            "problems: share a word of the class; used: share one that can be replaced.",
            f"{', '.join(LEFT_OUT)}: words that cannot be replaced, by reason.",
        ),
    )


def composition_table(record: Record) -> Table:
    """Return the number of seeds and variants of each config, and the share of each label among the seeds.

    Args:
        record: The record of a run.
    """
    labels, problems = record.label_names, generation_of(record).problems
    headers = ("seeds", "variants", "average", *(f"{name} %" for name in labels))
    return Table(
        columns=(Column("config", "left"), *map(Column, headers)),
        rows=tuple(
            (
                config,
                of.groups,
                of.rows,
                of.rows / of.groups,
                *(percent((of.group_labels or {})[name], of.groups) for name in labels),
            )
            for config, of in record.test_configs.items()
        ),
        notes=(
            f"{record.configs[ALL].groups:,} of {problems.with_label:,} problems are seeds: in at least one "
            f"word class, they have {record.options['inflation']} variants or more.",
            "average: variants per seed.",
        ),
    )
