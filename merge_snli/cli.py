"""The command line: parse the arguments, run one subcommand, and turn errors into messages and exit codes."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from keyword import iskeyword
from typing import NoReturn, TextIO

from merge_snli import __version__
from merge_snli.errors import InputError, as_flags, log_flags
from merge_snli.files import FULL_DISK_ERRORS, PATH_ERRORS
from merge_snli.shadowing import PACKAGES, check_not_shadowed
from merge_snli.table import print_in_any_encoding

COMMANDS = {
    "demo": "run the full pipeline on bundled data and models",
    "words": "count seed problems and shared words by word class (Table 4)",
    "generate": "generate a data set of variants from NLI problems",
    "simple-pair": "make the data set Simple Pair from templates (Luo et al. 2022)",
    "extended-pair": "make the data set Extended Pair from NLI problems (Luo et al. 2022)",
    "cache": "show what the work folder of a data set contains",
    "explain": "show how the variants of one problem were selected",
    "tables": "print the tables of a generation run (Tables 2, 4, 5, 6 and 9), or compare two runs",
    "validate": "check a data set against its run record, row by row",
    "register": "make a data set and the metric loadable by name from any folder",
    "publish": "upload a data set, its loading script and the metric to the Hub",
    "score": "score NLI models on a data set",
    "status": "show the progress of a run on a cluster, or cancel it",
    "harness": "write task files for lm-evaluation-harness, or estimate the cost of a language model",
    "import": "compute results from logs of language models or from tables of predictions",
    "compare": "run pairwise significance tests between scored models",
    "figures": "plot pattern accuracy curves (Figures 4, 5 and 11)",
    "analyse": "run the analyses of section 5 of the paper, and write a report",
    "leaderboard": "write a leaderboard page, table or Space from results, or check submissions to a Space",
    "annotate": "have annotators judge fluency and reasoning of variants (appendix A.2)",
    "completion": "print a script that completes commands, options and paths in bash, zsh or fish",
}
"""The subcommands and their summaries.

Each is a module of `merge_snli.commands`, with `_` for `-` and after a keyword.
"""

DONE, INTERNAL_ERROR, INPUT_ERROR, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: The arguments without the program's name; None for `sys.argv`.

    Returns:
        The exit code: 0 on success, 1 for an internal error, 2 for an error that the user can fix, 130 if interrupted.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    print_in_any_encoding(sys.stdout)
    print_in_any_encoding(sys.stderr)
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except InputError as error:
        _print_error(as_flags(error))
        return INPUT_ERROR
    except KeyboardInterrupt:
        _print_error("interrupted; finished work is saved, run the same command again to resume")
        return INTERRUPTED
    except BrokenPipeError:
        _discard(sys.stdout)
        return DONE
    except OSError as error:
        if error.errno in FULL_DISK_ERRORS:
            _discard(sys.stdout)
            path = error.filename or "the output"
            _print_error(f"cannot write {path} ({error.strerror}): free some space and run again")
            return INPUT_ERROR
        if error.errno not in PATH_ERRORS or error.filename is None:
            return _report_internal_error()
        _print_error(f"cannot use {error.filename} ({error.strerror}): choose another path")
        return INPUT_ERROR
    except Exception:
        return _report_internal_error()


def _run(argv: Sequence[str] | None) -> int:
    check_not_shadowed(*PACKAGES)  # before the commands, whose arguments are made from the options of `generation`
    parser = _parser()
    arguments = parser.parse_args(argv, argparse.Namespace(parser=parser))
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(log_flags)
    logging.basicConfig(level=logging.WARNING, format="merge-snli: %(message)s", handlers=[handler])
    logging.getLogger("merge_snli.progress").setLevel(logging.INFO)
    module = importlib.import_module(_module_of(arguments.command))
    return int(module.run(arguments))


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines: `argparse` prints all options before the error."""

    def error(self, message: str) -> NoReturn:
        """Print how to see the options and what is wrong, and exit."""
        self.exit(INPUT_ERROR, f"usage: {self.prog} [options] ({self.prog} --help lists them)\nmerge-snli: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="merge-snli",
        description="Generate variants of NLI problems by replacing shared words, and evaluate NLI models on them.",
    )
    parser.add_argument("--version", action="version", version=f"merge-snli {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        importlib.import_module(_module_of(name)).add_arguments(subparser)
    return parser


def _module_of(command: str) -> str:
    name = command.replace("-", "_")
    return f"merge_snli.commands.{name}{'_' if iskeyword(name) else ''}"


def _print_error(message: str) -> None:
    try:
        sys.stderr.write(f"merge-snli: {message}\n")
        sys.stderr.flush()
    except OSError:  # the exit code remains
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Send what the stream still holds to nowhere, so that Python does not fail on it when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _report_internal_error() -> int:
    """Write the current traceback to a file and print the file's name."""
    with tempfile.NamedTemporaryFile("w", prefix="merge-snli-", suffix=".log", delete=False) as file:
        file.write(traceback.format_exc())
    _print_error(f"internal error; traceback written to {file.name}")
    return INTERNAL_ERROR
