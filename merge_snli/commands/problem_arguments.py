"""Arguments that name the problems, their columns and the tagger."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any


def names(text: str) -> tuple[str, ...]:
    """Split a comma-separated list of names."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def given(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return the fields of an options class that were given on the command line."""
    values = vars(arguments)
    return {field.name: values[field.name] for field in fields(options) if field.name in values}


def add_problem_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the arguments for the fields of `ProblemOptions`.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, so that the defaults of the
            options class apply.
        required: Whether `--problems` is required.
    """
    group = parser.add_argument_group("problems")
    add = with_suppressed_default(group)
    add(
        "--problems",
        required=required,
        metavar="FILE|ID",
        help=".jsonl, .csv, .tsv or .parquet file, folder of a data set, Hub id, or demo:problems",
    )
    add("--config", metavar="NAME", help="config of a folder or Hub id with several configs")
    add(
        "--split",
        metavar="NAME",
        help="split of a folder or Hub id, not of a file (default: that of a known data set, otherwise test)",
    )
    add("--limit", type=int, metavar="N", help="use the first N problems only")
    for role in ("premise", "hypothesis", "label"):
        add(
            f"--{role}-column",
            metavar="NAME",
            help=f"column of the {role} (default: that of a known data set, {role}, or another usual name)",
        )
    add("--id-column", metavar="NAME", help="column of ids (default: ids computed from the content)")
    add(
        "--label-names",
        type=names,
        metavar="A,B,C",
        help="label names in the order of the label numbers; SPELLING=NAME if the data spell a label differently",
    )
    add("--tagger", metavar="NAME|DIR", help="spaCy pipeline (default: en_core_web_sm 3.8, or its copy on PyPI)")


def with_suppressed_default(group: argparse._ArgumentGroup) -> Any:  # noqa: ANN401 - add_argument has no exact type
    """Return a group's `add_argument` with arguments that are absent from the result unless given."""

    def add(*flags: str, **options: Any) -> None:  # noqa: ANN401 - arguments of add_argument
        group.add_argument(*flags, default=argparse.SUPPRESS, **options)

    return add
