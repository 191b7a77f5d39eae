"""The parser of the command line: commands under headings, and errors that suggest the nearest name."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

USAGE_ERROR = 2


class CommandParser(argparse.ArgumentParser):
    """A parser of commands and their options.

    An error is two lines: `argparse` prints all options before it. An unknown option is an error of the command that it
    was given to, and not of the whole program. Options cannot be abbreviated, so that adding one changes no script.
    """

    def __init__(self, *, headings: Mapping[str, Iterable[str]] | None = None, **options: Any) -> None:  # noqa: ANN401
        """Create the parser.

        Args:
            headings: The subcommands by the heading that `--help` lists them under; None for one list.
            options: The arguments of `argparse.ArgumentParser`.
        """
        super().__init__(allow_abbrev=False, **options)
        self._headings = headings

    def error(self, message: str) -> NoReturn:
        """Print how to see the options and what is wrong, and exit."""
        self.exit(USAGE_ERROR, f"usage: {self.prog} [options] ({self.prog} --help lists them)\nmerge-snli: {message}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:  # noqa: ANN401
        """Parse arguments; fail at the first unknown one."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            first = unknown[0].partition("=")[0]
            kind = "unknown option" if first.startswith("-") else "unexpected argument"
            self.error(f"{kind} {first}{_nearest(first, self._option_string_actions)}")
        return known, unknown

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Check that a value is one of the choices of an argument; fail with the nearest choice."""
        if action.choices is None or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            listed = [each.dest for each in action._get_subactions()]
            self.error(f"unknown {action.metavar} {value}{_nearest(str(value), action.choices) or _all(listed)}")
        choices = [*map(str, action.choices)]
        raise argparse.ArgumentError(action, f"unknown value {value!r}{_nearest(str(value), choices) or _all(choices)}")

    def format_help(self) -> str:
        """Return the help, with the commands under their headings."""
        if self._headings is None or self._subparsers is None:
            return super().format_help()
        summaries = {
            summary.dest: summary
            for commands in self._subparsers._group_actions
            if isinstance(commands, argparse._SubParsersAction)
            for summary in commands._get_subactions()
        }
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for heading, names in self._headings.items():
            formatter.start_section(heading)
            formatter.add_arguments([summaries[name] for name in names])
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(self._optionals._group_actions)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


def _nearest(name: str, known: Iterable[str]) -> str:
    """Return a question that names the most similar of the known names, or nothing if none is similar."""
    by_letters = {each.lstrip("-"): each for each in known}  # dashes would make all options similar
    similar = get_close_matches(name.lstrip("-"), by_letters, n=1)
    return f": did you mean {by_letters[similar[0]]}?" if similar else ""


def _all(choices: Sequence[str]) -> str:
    """Return an advice that names all choices."""
    return f": choose from {', '.join(choices)}"
