"""`merge-snli tables`: print the tables of a generation run (Tables 2, 4, 6 and 9)."""

from __future__ import annotations

import argparse
from pathlib import Path

from merge_snli.commands.output import write_output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar="DIR|ID", help="data set: folder or Hub id")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--latex", action="store_true", help="print LaTeX tables for the package booktabs")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="also write Figure 9 to an .svg, .png or .pdf file")


def run(arguments: argparse.Namespace) -> int:
    """Print the tables, with the values of the paper if the run has the same masked LMs or problems."""
    from generation.report.overlap import draw_overlap
    from generation.report.tables import report_tables
    from merge_snli.dataset import find_dataset

    tables, overlap = report_tables(find_dataset(arguments.dataset))
    if arguments.figure is not None:
        draw_overlap(overlap, arguments.figure)
    if arguments.json:
        write_output({name: table.as_dict() for name, table in tables.items()})
    else:
        write_output("\n".join(table.latex() if arguments.latex else table.text() for table in tables.values()))
    return 0
