"""`merge-snli validate`: check a data set against its run record, row by row."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from merge_snli.cli.arguments import add, add_format, add_tagger
from merge_snli.cli.output import TEXT_FORMATS, write_output


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "dataset DATA", "data set: folder or Hub id, ORG/NAME or ORG/NAME@REVISION")
    add_tagger(parser)
    add_format(parser, TEXT_FORMATS)


def run(arguments: Namespace) -> int:
    """Validate a data set and print one line per finding and a summary."""
    from merge_snli.base.errors import as_flags
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.validation import validate
    from merge_snli.validation.findings import report_text

    folder = Path(arguments.dataset)
    report = validate(folder if folder.is_dir() else find_dataset(arguments.dataset), tagger=arguments.tagger)
    report = replace(report, not_checked=tuple(map(as_flags, report.not_checked)))
    write_output(arguments.format, text=lambda: report_text(report), document=report.as_dict)
    return 2 if report.findings else 0
