"""Arguments that name the problems, their columns and the tagger."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from merge_snli.commands.arguments import add_list

SOURCE_OPTIONS = ("split", "delimiter", "premise_column", "hypothesis_column", "label_column", "data_labels")
"""The fields of `ProblemOptions` that `add_source_arguments` adds."""


def given(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return the fields of an options class that were given on the command line."""
    values = vars(arguments)
    return {field.name: values[field.name] for field in fields(options) if field.name in values}


def add_problem_arguments(
    parser: argparse.ArgumentParser,
    purpose: str = ".json, .jsonl, .csv, .tsv, .txt or .parquet files, also .gz, patterns or "
    "hf://datasets/ORG/NAME/PATH; or the folder of a data set, a Hub id, or demo:problems",
    *,
    metavar: str = "PROBLEMS",
    required: bool = True,
) -> None:
    """Add the arguments for the fields of `ProblemOptions`; the problems are positional.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, so that the defaults of the
            options class apply.
        purpose: What the problems are.
        metavar: How the help names them.
        required: Whether the problems are required.
    """
    group = parser.add_argument_group("problems")
    add = with_suppressed_default(group)
    add_list(add, "problems", nargs="+" if required else "*", metavar=metavar, help=purpose)
    add("--config", metavar="NAME", help="config of a folder or Hub id with several configs")
    _add_split(add)
    _add_delimiter(add)
    add("--limit", type=int, metavar="N", help="use the first N problems only")
    _add_columns(add)
    add("--id-column", metavar="NAME", help="column of ids (default: ids computed from the content)")
    _add_label_names(add)
    add("--tagger", metavar="NAME|DIR", help="spaCy pipeline (default: en_core_web_sm 3.8, or its copy on PyPI)")


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--source` and the arguments `SOURCE_OPTIONS`, which say how to read it.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, except for `--source`.
    """
    group = parser.add_argument_group("source of the data set, and how to read it or pairs in groups")
    group.add_argument(
        "--source",
        metavar="FILE|ID|recorded",
        help="also score every labeled problem of the data that the data set was generated from (Table 3, column 1): "
        "recorded for those in its run.json, or a file, folder or Hub id that has its seeds",
    )
    add = with_suppressed_default(group)
    _add_split(add)
    _add_delimiter(add)
    _add_columns(add)
    _add_label_names(add)


def _add_split(add: Callable[..., None]) -> None:
    add(
        "--split",
        metavar="NAME",
        help="split of a folder or Hub id, not of a file (default: that of a known data set, otherwise test)",
    )


def _add_delimiter(add: Callable[..., None]) -> None:
    add(
        "--delimiter",
        metavar="CHARACTER",
        help="between the columns of a text file, or tab (default: comma in .csv, tab in .tsv and .txt)",
    )


def _add_columns(add: Callable[..., None]) -> None:
    for role in ("premise", "hypothesis", "label"):
        add(
            f"--{role}-column",
            metavar="NAME",
            help=f"column of the {role} (default: that of a known data set, {role}, or another usual name)",
        )


def _add_label_names(add: Callable[..., None]) -> None:
    add_list(
        add,
        "--data-labels",
        metavar="LABEL",
        help="label names in the order of the label numbers; SPELLING=NAME if the data spell a label differently",
    )


def with_suppressed_default(group: argparse._ArgumentGroup) -> Any:  # noqa: ANN401 - add_argument has no exact type
    """Return a group's `add_argument` with arguments that are absent from the result unless given."""

    def add(*flags: str, **options: Any) -> None:  # noqa: ANN401 - arguments of add_argument
        group.add_argument(*flags, default=argparse.SUPPRESS, **options)

    return add
