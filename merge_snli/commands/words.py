"""`merge-snli words`: how many problems share words of each class, before and after the exclusions."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from merge_snli.commands.problem_arguments import add_problem_arguments, given

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions
    from merge_snli.record import WordCounts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_problem_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Count the shared words of the problems and print them in the shape of the paper's Table 4."""
    from merge_snli.problems.options import ProblemOptions

    report = words_report(ProblemOptions(**given(arguments, ProblemOptions)))
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n" if arguments.json else words_text(report)
    sys.stdout.write(text)
    return 0


def words_report(options: ProblemOptions) -> dict[str, Any]:
    """Count the problems that share words of each class, and with which tagger they were found."""
    from generation.output.record import add_word_counts, count_words
    from generation.pipeline import PROBLEMS_PER_SHARD
    from generation.sentences.tagging import load_tagger, tag
    from generation.sentences.words import shared_words
    from merge_snli.problems.reading import stream_problems, survey_problems
    from merge_snli.problems.source import open_source
    from merge_snli.progress import Progress

    tagger = load_tagger(options.tagger)
    progress = Progress()
    with progress.stage("reading", unit="rows") as stage:
        source = open_source(options)
        survey = survey_problems(source, stage)
    problems = stream_problems(source, survey)
    counts: dict[str, WordCounts] = {}
    with progress.stage("shared words", unit="problems", total=survey.with_label) as stage:
        while part := list(islice(problems, PROBLEMS_PER_SHARD)):
            words = [(each, shared_words(each)) for each in tag(part, tagger)]
            counts = add_word_counts(counts, count_words(words, survey.label_names))
            stage.advance(len(part))
    return {
        "problems": options.problems,
        "with_label": survey.with_label,
        "without_label": survey.without_label,
        "tagger": {"name": tagger.name, "version": tagger.version, "digest": tagger.digest},
        "classes": {name: asdict(of) for name, of in counts.items()},
    }


def words_text(report: dict[str, Any]) -> str:
    """Return the counts as a table: problems, label shares, and what is left after the exclusions."""
    classes = report["classes"]
    labels = list(next(iter(classes.values()))["labels"])
    header = f"{'class':8}{'problems':>10}" + "".join(f"{name + ' %':>17}" for name in labels)
    reasons = list(next(iter(classes.values()))["left_out"])
    header += "".join(f"{reason:>13}" for reason in reasons) + f"{'after':>10}"
    lines = [header]
    for name, of in classes.items():
        shares = "".join(f"{100 * of['labels'][label] / (of['problems'] or 1):17.1f}" for label in labels)
        left_out = "".join(f"{of['left_out'][reason]:13,}" for reason in reasons)
        lines.append(f"{name:8}{of['problems']:10,}{shares}{left_out}{of['problems_after']:10,}")
    summary = f"{report['with_label']:,} problems with a gold label, {report['without_label']:,} without one left out"
    legend = "problems: share a word of the class; after: still do without the words left out"
    return "\n".join([*lines, summary, legend, ""])
