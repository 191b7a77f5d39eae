"""`merge-snli annotate`: sample variants for annotators, score their sheets, and add the scores to a data set."""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.base.table import Column, Table, count
from merge_snli.cli.arguments import (
    DATASET,
    TABLE_FORMATS,
    TEXT,
    add_datasets,
    add_format,
    add_list,
    add_steps,
    write_tables,
)
from merge_snli.dataset.folders import check_out, first_name
from merge_snli.dataset.stored import find_dataset, find_local

if TYPE_CHECKING:
    from merge_snli.annotation.reading import Judgments
    from merge_snli.annotation.sample import Sample

logger = logging.getLogger(__name__)

# A name that can be the name of a file.
ANNOTATOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the steps and their arguments."""
    add_steps(
        parser,
        {
            "sample": (
                "draw variants and write a sheet per annotator, guidelines, and a Label Studio project",
                _add_sample_arguments,
                _sample,
            ),
            "score": (
                "compute the share of good variants and the agreement from filled-in sheets",
                _add_score_arguments,
                _score,
            ),
            "apply": ("add the scores to a data set, as config annotation", _add_apply_arguments, _apply),
        },
    )


def _add_sample_arguments(parser: argparse.ArgumentParser) -> None:
    add_list(parser.add_argument, "datasets", metavar=DATASET, help="data sets: folders or Hub ids")
    add_list(
        parser.add_argument,
        "--size",
        default=("100",),
        metavar="N",
        help="variants per class, per masked LM or in all; several numbers: one per data set (default: 100)",
    )
    parser.add_argument(
        "--per", choices=("class", "mlm", "all"), default="class", help="what --size counts for (default: %(default)s)"
    )
    add_list(parser.add_argument, "--annotators", required=True, metavar="NAME", help="names of the annotators")
    parser.add_argument("--random-seed", type=int, default=0, metavar="N", help="seed of the draw (default: 0)")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="new folder for the sheets")


def _add_score_arguments(parser: argparse.ArgumentParser) -> None:
    _add_sheet_arguments(parser)
    add_datasets(parser, "data sets that the sample was drawn from, for the shares by masked LM (Figure 10)")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the report")
    add_format(parser, *TABLE_FORMATS)


def _add_apply_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", metavar=DATASET, help="folder of the data set")
    _add_sheet_arguments(parser)


def _add_sheet_arguments(parser: argparse.ArgumentParser) -> None:
    add_list(
        parser.add_argument,
        "sheets",
        item=Path,
        metavar="FILE|DIR",
        help="a filled-in sheet (.xlsx or .csv) per annotator, exports of Label Studio (.json), or the folder of the "
        "sheets",
    )
    parser.add_argument(
        "--sample",
        type=Path,
        metavar="FILE",
        help="sample.json of the sheets (default: beside the first sheet)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Run one step, and print what it wrote."""
    arguments.run_step(arguments)


def _score(arguments: argparse.Namespace) -> None:
    from merge_snli.annotation.report import score_annotation
    from merge_snli.annotation.tables import annotation_tables, write_annotation

    check_out(arguments.out)
    sample, judgments = _read_sheets(arguments)
    annotation = score_annotation(sample, judgments, [find_dataset(name) for name in arguments.dataset])
    files = write_annotation(annotation, judgments, arguments.out, sample.texts)
    tables = annotation_tables(annotation)
    write_tables(arguments.format, tables, document=lambda: asdict(annotation))
    if arguments.format == TEXT:
        sys.stdout.write(f"{count(len(files), 'file')} in {arguments.out}\n")


def _apply(arguments: argparse.Namespace) -> None:
    from merge_snli.annotation.report import apply_annotation

    annotated = apply_annotation(find_local(arguments.dataset), *_read_sheets(arguments)).record.annotation
    if annotated is not None:
        sys.stdout.write(f"{count(annotated.rows, 'row')} in config annotation of {arguments.dataset}\n")


def _read_sheets(arguments: argparse.Namespace) -> tuple[Sample, Judgments]:
    from merge_snli.annotation.reading import filled_sheets, read_judgments, read_sample
    from merge_snli.annotation.sheets import SAMPLE_FILE

    first = arguments.sheets[0]
    sample = read_sample(arguments.sample or (first if first.is_dir() else first.parent) / SAMPLE_FILE)
    given = [filled_sheets(path, sample) if path.is_dir() else [path] for path in arguments.sheets]
    return sample, read_judgments([path for paths in given for path in paths], sample)


def _sample(arguments: argparse.Namespace) -> None:
    from merge_snli.annotation.sample import draw_sample
    from merge_snli.annotation.sheets import GUIDELINES, write_sheets

    sizes = _sizes(arguments.size, len(arguments.datasets))
    _check_annotators(arguments.annotators)
    check_out(arguments.out, find_other=first_name)
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
    sys.stdout.write(f"{_sample_table(sample).text()}sheets in {arguments.out}\n")


def _sizes(texts: Sequence[str], datasets: int) -> list[int]:
    """Return the size for each data set.

    Raises:
        InputError: If a size is not a positive integer, or there are neither one nor as many sizes as data sets.
    """
    for text in texts:
        if not re.fullmatch("[0-9]+", text) or int(text) == 0:
            raise InputError(
                f"{param('size')} has {text!r}: give a positive integer, or one per data set, such as 200,100"
            )
    if len(texts) not in (1, datasets):
        raise InputError(
            f"{param('size')} has {len(texts)} numbers for {datasets} data set(s): give one, or one per data set"
        )
    sizes = [int(text) for text in texts]
    return sizes * datasets if len(sizes) == 1 else sizes


def _check_annotators(annotators: Sequence[str]) -> None:
    """Check that the annotators' names can be names of different files.

    Raises:
        InputError: If a name is given twice or has other characters than letters, digits, `.`, `_` and `-`.
    """
    if not annotators:
        raise InputError(f"{param('annotators')} is empty: give their names, such as {param('annotators')} a1,a2")
    for number, name in enumerate(annotators):
        if not ANNOTATOR.fullmatch(name):
            raise InputError(f"{param('annotators')} has {name!r}: use letters, digits, '.', '_' and '-', as in a1")
        if name.lower() in map(str.lower, annotators[:number]):
            raise InputError(f"{param('annotators')} has {name!r} twice: give each annotator a name of their own")


def _sample_table(sample: Sample) -> Table:
    """Return how many variants were drawn from how many, by data set and stratum."""
    columns = (Column("Data set", "left"), Column("Stratum", "left"), Column("Variants"), Column("Sampled"))
    rows = tuple(
        (each.name, stratum, population, each.size)
        for each in sample.datasets
        for stratum, population in each.population.items()
    )
    total = len(sample.variant_ids)
    return Table(columns=columns, rows=rows, notes=(f"{count(total, 'variant')} per annotator",))
