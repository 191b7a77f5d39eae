"""`merge-snli completion`: print a script that completes commands, options and paths in a shell.

examples:
  eval "$(merge-snli completion bash)"                          # in ~/.bashrc
  merge-snli completion zsh > "${fpath[1]}/_merge-snli"
  merge-snli completion fish > ~/.config/fish/completions/merge-snli.fish
"""

import argparse
import sys
from collections.abc import Iterator

# How `--help` names arguments that are paths.
FILES, FOLDERS = {"FILE", "PROBLEMS", "RESULT.json"}, {"DATA", "DIR", "RESULTS", "OUT"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell of the script")


def run(arguments: argparse.Namespace) -> None:
    """Print the script."""
    import shtab

    parser: argparse.ArgumentParser = arguments.whole_parser()
    for action in _actions(parser):
        kinds = {*(action.metavar if isinstance(action.metavar, str) else "").split("|")}
        if (FILES | FOLDERS) & kinds and not action.choices:
            action.complete = shtab.FILE if FILES & kinds else shtab.DIRECTORY  # type: ignore[attr-defined]
    sys.stdout.write(f"{shtab.complete(parser, shell=arguments.shell)}\n")


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its subparsers."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for subparser in {*action.choices.values()}:
                yield from _actions(subparser)
