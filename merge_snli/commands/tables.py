"""`merge-snli tables`: print the tables of a generation run (Tables 2, 4, 5, 6 and 9), or compare two runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.output import write_output
from merge_snli.errors import InputError, param

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar="DIR|ID", help="data set: folder or Hub id")
    parser.add_argument(
        "--against",
        metavar="DIR|ID",
        help="instead, list what only one of two data sets has, by masked LM and by filter",
    )
    parser.add_argument(
        "--suggestions",
        action="store_true",
        help="also count the suggestions that masked LMs share per sentence and per problem (Figure 9), from the work "
        "folder of the run",
    )
    parser.add_argument("--work", type=Path, metavar="DIR", help="work folder of the run (default: DIR.work)")
    parser.add_argument(
        "--against-work", type=Path, metavar="DIR", help="work folder of the run of --against (default: DIR.work)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--latex", action="store_true", help="print LaTeX tables for the package booktabs")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="also write Figure 9 to an .svg, .png or .pdf file")


def run(arguments: argparse.Namespace) -> int:
    """Print the tables, with the values of the paper if the run has the same masked LMs or problems."""
    from generation.report.against import tables_against
    from generation.report.overlap import check_format, draw_overlap
    from generation.report.tables import report_tables
    from merge_snli.dataset import find_dataset

    dataset = find_dataset(arguments.dataset)
    if arguments.against is None:
        if arguments.against_work is not None:
            raise InputError(f"{param('against_work')} needs {param('against')}: name the other data set")
        if arguments.figure is not None:
            check_format(arguments.figure)  # before suggestions are counted, which takes time
        tables, overlap = report_tables(dataset, arguments.work, suggestions=arguments.suggestions)
        if arguments.figure is not None:
            draw_overlap(overlap, arguments.figure)
    else:
        if arguments.suggestions or arguments.figure is not None:
            option = "suggestions" if arguments.suggestions else "figure"
            raise InputError(f"{param(option)} is for one data set, not for {param('against')}: leave one of them out")
        other = find_dataset(arguments.against)
        tables = tables_against(
            dataset, other, work=_work(dataset, arguments.work), other_work=_work(other, arguments.against_work)
        )
    if arguments.json:
        write_output({name: table.as_dict() for name, table in tables.items()})
    else:
        write_output("\n".join(table.latex() if arguments.latex else table.text() for table in tables.values()))
    return 0


def _work(dataset: MergeDataset, given: Path | None) -> Path | None:
    """Return the work folder that was given, or the default one if it exists."""
    from generation.work.folder import work_folder_of

    work = work_folder_of(dataset.folder.absolute(), given)
    return work if given is not None or work.is_dir() else None
