"""`merge-snli annotate`: sample variants for annotators, score their sheets, and add the scores to a data set."""

import logging
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.cli.arguments import add, add_assumptions, add_datasets, add_format, add_list, add_steps, assumed
from merge_snli.cli.output import TEXT, write_tables
from merge_snli.dataset.out_folder import check_out
from merge_snli.dataset.stored import find_dataset, find_local

logger = logging.getLogger(__name__)

# A name that can be the name of a file.
# Letters of any language, so that people can use their names, but nothing that a file name cannot have.
ANNOTATOR = re.compile(r"\w(?:[\w .'-]*\w)?")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the steps and their arguments."""
    steps = {"sample": _sample, "estimate": _estimate, "score": _score, "apply": _apply}
    sample, estimate, score, apply = add_steps(parser, steps)
    add_list(sample, "datasets DATA", "data sets: folders or Hub ids")
    add_list(
        sample,
        "--size N",
        "variants per class, per masked LM or in all; several numbers: one per data set (default: 100)",
        default=(100,),
    )
    add(
        sample,
        "--per",
        "what --size counts for (default: %(default)s)",
        choices=("class", "mlm", "all"),
        default="class",
    )
    add_list(sample, "--annotators NAME", "names of the annotators", required=True)
    add(sample, "--random-seed N", "seed of the draw (default: 0)", default=0)
    add(sample, "--out DIR", "new folder for the sheets", required=True)

    add(estimate, "dataset DATA", "data set, of which every variant is judged", nargs="?")
    add(estimate, "--sample FILE", "instead of it, a sample.json", type=str)
    add(estimate, "--per-question N", "variants per question (default: 10)", default=10)
    add_assumptions(estimate, "0")
    add_format(estimate)

    _add_sheets(score)
    add_datasets(score, "data sets that the sample was drawn from, for the shares by masked LM (Figure 10)")
    add(score, "--out DIR", "folder for the report", required=True)
    add_format(score)

    add(apply, "dataset DATA", "folder of the data set")
    _add_sheets(apply)


def _add_sheets(parser: ArgumentParser) -> None:
    """Add what names the sheets that annotators have filled in."""
    add_list(
        parser,
        "sheets FILE|DIR",
        "a filled-in sheet (.xlsx or .csv) per annotator, exports of Label Studio (.json), logs of Inspect's task "
        "merge_snli/judge (.eval), or the folder of the sheets",
    )
    add(
        parser,
        "--sample FILE",
        "sample.json of the sheets (default: beside the first sheet; for logs alone, all of the data)",
    )


def _estimate(arguments: Namespace) -> None:
    """Estimate what it costs to ask a language model with Inspect's task merge_snli/judge."""
    from merge_snli.annotation.judge import estimate
    from merge_snli.language_models.estimates import Assumptions, estimate_table

    assumptions = Assumptions(**assumed(arguments))
    estimated = estimate(arguments.dataset, arguments.sample, arguments.per_question, assumed=assumptions)
    write_tables(arguments.format, [estimate_table([estimated], {}, arguments.tokenizer)], document=lambda: estimated)


def _score(arguments: Namespace) -> None:
    """Compute the share of good variants and the agreement from filled-in sheets."""
    from merge_snli.annotation.reading import read_sheets
    from merge_snli.annotation.report import score_annotation
    from merge_snli.annotation.tables import annotation_tables, write_annotation

    check_out(arguments.out)
    datasets = [find_dataset(name) for name in arguments.dataset]
    sample, judgments = read_sheets(arguments.sheets, arguments.sample, datasets)
    annotation = score_annotation(sample, judgments, datasets)
    files = write_annotation(annotation, judgments, arguments.out, sample)
    write_tables(arguments.format, annotation_tables(annotation), document=lambda: asdict(annotation))
    if arguments.format == TEXT:
        sys.stdout.write(f"{count(len(files), 'file')} in {arguments.out}\n")


def _apply(arguments: Namespace) -> None:
    """Add the scores to a data set, as config annotation."""
    from merge_snli.annotation.reading import read_sheets
    from merge_snli.annotation.report import apply_annotation

    dataset = find_local(arguments.dataset)
    annotated = apply_annotation(dataset, *read_sheets(arguments.sheets, arguments.sample, [dataset])).record.annotation
    if annotated is not None:
        sys.stdout.write(f"{count(annotated.rows, 'row')} in config annotation of {arguments.dataset}\n")


def _sample(arguments: Namespace) -> None:
    """Draw variants and write a sheet per annotator, guidelines, and a Label Studio project."""
    from merge_snli.annotation.sample import draw_sample
    from merge_snli.annotation.sheets import GUIDELINES, sample_table, write_sheets

    sizes = _sizes(arguments.size, len(arguments.datasets))
    _check_annotators(arguments.annotators)
    check_out(arguments.out, content=())
    datasets = [find_dataset(name) for name in arguments.datasets]
    sample = draw_sample(
        datasets,
        sizes=sizes,
        annotators=arguments.annotators,
        per=arguments.per,
        random_seed=arguments.random_seed,
    )
    write_sheets(sample, arguments.out)
    if not sample.is_nli:
        logger.warning(
            "%s does not say what the labels %s mean: add it before you pass the file on",
            arguments.out / GUIDELINES,
            ", ".join(sample.labels),
        )
    sys.stdout.write(f"{sample_table(sample).text()}sheets in {arguments.out}\n")


def _sizes(sizes: Sequence[int], datasets: int) -> list[int]:
    """Return the size for each data set."""
    if min(sizes, default=0) < 1 or len(sizes) not in (1, datasets):
        given = ",".join(map(str, sizes))
        raise InputError(f"⟦size⟧ is {given!r} for {count(datasets, 'data set')}: give one above 0, or one for each")
    return [*sizes] * datasets if len(sizes) == 1 else [*sizes]


def _check_annotators(annotators: Sequence[str]) -> None:
    """Check that the annotators' names can be names of different files."""
    if not annotators:
        raise InputError("⟦annotators⟧ is empty: give their names, such as ⟦annotators⟧ a1,a2")
    seen: set[str] = set()
    for name in annotators:
        if not ANNOTATOR.fullmatch(name):
            raise InputError(f"⟦annotators⟧ has {name!r}: use letters, digits, spaces, '.', '_' and '-', as in a1")
        if name.lower() in seen:
            raise InputError(f"⟦annotators⟧ has {name!r} twice: give each annotator a name of their own")
        seen.add(name.lower())
