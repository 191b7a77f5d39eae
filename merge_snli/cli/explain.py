"""`merge-snli explain`: show how the variants of one problem were selected.

--format json has all fillers.
"""

import argparse
from pathlib import Path

from merge_snli.cli.arguments import DATASET, TEXT_FORMATS, add_all, argument, format_argument, write_output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_all(
        parser,
        argument("dataset", metavar=DATASET, help="data set: folder or Hub id"),
        argument("--seed-id", required=True, metavar="ID", help="id of the problem"),
        argument("--work", type=Path, metavar="DIR", help="work folder of the run (default: DATA.work)"),
        format_argument(*TEXT_FORMATS),
    )


def run(arguments: argparse.Namespace) -> None:
    """Print how the variants of one problem were selected."""
    from generation.report.explain import explain, explanation_text
    from generation.work import work_folder_of
    from merge_snli.dataset.stored import find_dataset

    dataset = find_dataset(arguments.dataset)
    explanation = explain(dataset, arguments.seed_id, work_folder_of(dataset.folder.absolute(), arguments.work))
    write_output(arguments.format, text=lambda: explanation_text(explanation), document=explanation.as_dict)
