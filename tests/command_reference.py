"""The page of all commands in the documentation site, from their help: `python -m tests.command_reference FILE`."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from merge_snli.cli import HEADINGS, command_parser

INTRODUCTION = """# Command line

What each command prints for `--help`. Exit codes: 0 done, 2 an error that you can fix, 1 an internal error (the message
names the log file with the traceback), 130 interrupted. With `--format json`, standard output has one JSON document.
"""


def command_reference() -> str:
    """Return the page in Markdown."""
    os.environ["COLUMNS"] = "100"
    of_command = subcommands(command_parser())
    parts = [INTRODUCTION]
    for heading, summaries in HEADINGS.items():
        parts.append(f"## {heading.capitalize()}\n")
        for name in summaries:
            parts += [help_of(command, parser) for command, parser in with_subcommands(name, of_command[name])]
    return "\n".join(parts)


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands of a parser."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: each for action in actions for name, each in action.choices.items()}


def with_subcommands(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield a command and its own subcommands with their full names."""
    yield name, parser
    for nested, each in subcommands(parser).items():
        yield from with_subcommands(f"{name} {nested}", each)


def help_of(name: str, parser: argparse.ArgumentParser) -> str:
    """Return the section of one command."""
    return f"### {name}\n\n```text\n{parser.format_help().strip()}\n```\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(command_reference(), encoding="utf-8")
