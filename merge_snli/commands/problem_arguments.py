"""The arguments that say where problems are and how their columns are called."""

from __future__ import annotations

import argparse


def names(text: str) -> tuple[str, ...]:
    """Read names that are separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def add_problem_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name problems, columns and tagger; they are spelled as the fields of `Options`."""
    parser.add_argument(
        "--problems",
        required=True,
        metavar="FILE|ID",
        help="a .jsonl, .csv, .tsv or .parquet file, a data set's folder, a Hub id, or demo:problems",
    )
    parser.add_argument("--split", default="test", help="split of a folder or Hub id (default: %(default)s)")
    parser.add_argument("--limit", type=int, metavar="N", help="take the first N problems only")
    for role, default in (("premise", "premise"), ("hypothesis", "hypothesis"), ("label", "label")):
        parser.add_argument(
            f"--{role}-column", default=default, metavar="NAME", help=f"column of the {role} (default: %(default)s)"
        )
    parser.add_argument("--id-column", metavar="NAME", help="column of ids (default: ids made from the content)")
    parser.add_argument(
        "--label-names", type=names, metavar="A,B,C", help="names of the labels in the order of their numbers"
    )
    parser.add_argument(
        "--tagger", metavar="NAME|DIR", help="a spaCy pipeline (default: en_core_web_sm 3.8 or its stand-in on PyPI)"
    )
