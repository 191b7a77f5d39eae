"""Arguments for the fields of options classes, and their values."""

import argparse
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any

from merge_snli.base.errors import POSITIONAL, flag
from merge_snli.base.option import described, option_types
from merge_snli.cli.arguments import add, add_list, number, whole_number
from merge_snli.problems.options import PROBLEMS_GROUP, ProblemOptions

# The fields of `ProblemOptions` that `add_source_arguments` adds.
SOURCE_OPTIONS = ("split", "delimiter", "premise_column", "hypothesis_column", "label_column", "data_labels")

# What reads the value of an option that is a number, by its type.
CONVERTED: dict[object, Callable[[str], float]] = {int: whole_number, float: number(lambda _: True, "a number")}


def given(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return the fields of an options class that were given on the command line."""
    values = vars(arguments)
    return {field.name: values[field.name] for field in fields(options) if field.name in values}


def add_option_arguments(parser: argparse.ArgumentParser, options: type, groups: Collection[str]) -> None:
    """Add an argument for each option of some groups, under the headings of the groups.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, so that the defaults of the
            options class apply.
        options: The options class.
        groups: The groups in order.
    """
    for title in groups:
        group = parser.add_argument_group(title, argument_default=argparse.SUPPRESS)
        _add_options(group, options, [name for name, option in described(options) if option.group == title])


def add_problem_arguments(parser: argparse.ArgumentParser, purpose: str, metavar: str) -> None:
    """Add the arguments for the fields of `ProblemOptions`, of which the problems are positional and required.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        purpose: What the problems are.
        metavar: How the help names them.
    """
    group = parser.add_argument_group(PROBLEMS_GROUP, argument_default=argparse.SUPPRESS)
    add_list(group, f"problems {metavar}", purpose)
    names = {name for name, option in described(ProblemOptions) if option.group == PROBLEMS_GROUP}
    _add_options(group, ProblemOptions, names - {"problems"})


def add_source_arguments(parser: argparse.ArgumentParser, options: type) -> None:
    """Add `--source`, a field of an options class, and the arguments `SOURCE_OPTIONS`, which say how to read it.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        options: The options class.
    """
    group = parser.add_argument_group(dict(described(options))["source"].group, argument_default=argparse.SUPPRESS)
    _add_options(group, options, ("source",))
    _add_options(group, ProblemOptions, SOURCE_OPTIONS)


def _add_options(group: argparse._ArgumentGroup, options: type, names: Collection[str]) -> None:
    """Add the arguments for some fields of an options class."""
    types = option_types(options)
    for name, option in described(options):
        if name not in names:
            continue
        text = option.help.replace("%", "%%")
        if option.default_text is not None:
            text += f" (default: {option.default_text})"
        kind = types[name]
        if name in POSITIONAL:
            add_list(group, f"{name} {POSITIONAL[name]}", text, nargs="*")
        elif kind is bool:
            add(group, flag(name), text)
        elif kind is tuple:
            add_list(group, f"{flag(name)} {option.metavar}", text, item=str)
        else:
            convert = CONVERTED.get(kind, kind)
            choices = option.choices or None
            group.add_argument(flag(name), type=convert, choices=choices, metavar=option.metavar, help=text)
