"""Arguments for the options of a run, from their descriptions, and those that name the problems of other commands."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Hashable
from dataclasses import fields
from typing import Any, cast

from merge_snli.base.errors import POSITIONAL, flag
from merge_snli.base.option import Option, described
from merge_snli.cli.arguments import add_list
from merge_snli.problems.options import PROBLEMS_GROUP, ProblemOptions, option_types

SOURCE_OPTIONS = ("split", "delimiter", "premise_column", "hypothesis_column", "label_column", "data_labels")
"""The fields of `ProblemOptions` that `add_source_arguments` adds."""


def given(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return the fields of an options class that were given on the command line."""
    values = vars(arguments)
    return {field.name: values[field.name] for field in fields(options) if field.name in values}


def add_option_arguments(
    parser: argparse.ArgumentParser,
    options: type,
    groups: Collection[str],
) -> None:
    """Add an argument for each option of some groups, under the headings of the groups.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, so that the defaults of the
            options class apply.
        options: The options class.
        groups: The groups in order.
    """
    types = option_types(options)
    for title in groups:
        group = parser.add_argument_group(title)
        for name, option in described(options):
            if option.group == title:
                _add_option(group, name, option, types[name])


def add_problem_arguments(parser: argparse.ArgumentParser, purpose: str, metavar: str) -> None:
    """Add the arguments for the fields of `ProblemOptions`, of which the problems are positional and required.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        purpose: What the problems are.
        metavar: How the help names them.
    """
    group = parser.add_argument_group(PROBLEMS_GROUP)
    add_list(with_suppressed_default(group), "problems", metavar=metavar, help=purpose)
    _add_options(group, [name for name, option in described(ProblemOptions) if option.group == PROBLEMS_GROUP][1:])


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
    _add_options(group, SOURCE_OPTIONS)


def _add_options(group: argparse._ArgumentGroup, names: Collection[str]) -> None:
    """Add the arguments for some fields of `ProblemOptions`."""
    types = option_types(cast(Hashable, ProblemOptions))
    for name, option in described(ProblemOptions):
        if name in names:
            _add_option(group, name, option, types[name])


def _add_option(group: argparse._ArgumentGroup, name: str, option: Option, of_type: type) -> None:
    """Add the argument of one option."""
    add = with_suppressed_default(group)
    text = option.help.replace("%", "%%")
    if option.default_text is not None:
        text += f" (default: {option.default_text})"
    if name in POSITIONAL:
        add_list(add, name, nargs="*", metavar=POSITIONAL[name], help=text)
    elif of_type is bool:
        add(flag(name), action="store_true", help=text)
    elif of_type is tuple:
        add_list(add, flag(name), metavar=option.metavar, help=text)
    else:
        add(flag(name), type=of_type, choices=option.choices or None, metavar=option.metavar, help=text)


def with_suppressed_default(group: argparse._ArgumentGroup) -> Any:  # noqa: ANN401 - add_argument has no exact type
    """Return a group's `add_argument` with arguments that are absent from the result unless given."""

    def add(*flags: str, **options: Any) -> None:  # noqa: ANN401 - arguments of add_argument
        group.add_argument(*flags, default=argparse.SUPPRESS, **options)

    return add
