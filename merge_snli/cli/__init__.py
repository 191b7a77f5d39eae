"""The command line: parse the arguments, run one subcommand, and turn errors into messages and exit codes."""

import argparse
import importlib
import logging
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from keyword import iskeyword
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TextIO

from merge_snli.base import __version__
from merge_snli.base.errors import GateError, InputError, as_flags, log_flags, nearest, one_line
from merge_snli.base.files import FULL_DISK_ERRORS, ON_WINDOWS, PATH_ERRORS
from merge_snli.base.garbage import collect_rarely
from merge_snli.base.limits import DEFAULT, VARIABLE, read_limit
from merge_snli.base.option import choice_advice
from merge_snli.base.shadowing import PACKAGES, check_not_shadowed
from merge_snli.base.table import capitalized, print_in_any_encoding
from merge_snli.cli.meanings import advice

# The commands and their summaries, under the headings of `--help`.
#
# Each is a module of `merge_snli.cli`, with `_` after a keyword. Its docstring without the first line ends its help.
HEADINGS = {
    "make data": {
        "generate": "generate a data set of variants from NLI problems",
        "pairs": "make Simple Pair or Extended Pair (Luo et al. 2022)",
        "tables": "print the tables of a run, or count the words of problems",
        "explain": "show how the variants of one problem were selected",
        "validate": "check a data set against its run record, row by row",
        "annotate": "sample variants for annotators, and score their sheets",
    },
    "score": {
        "score": "score NLI models on a data set",
        "harness": "write task files for lm-evaluation-harness, or estimate costs",
        "import": "compute results from logs or tables of predictions",
    },
    "report": {
        "compare": "test which models differ, and draw their curves",
        "analyze": "write a report with the analyses of section 5 of the paper",
        "leaderboard": "check results, and write a leaderboard from them",
        "explore": "write a page of seeds and variants, and of answers to them",
        "reproduce": "make the tables and figures of the paper, beside its numbers",
    },
    "share": {
        "publish": "upload a data set, its loading script and the metric",
        "register": "make a data set and the metric loadable by name anywhere",
    },
    "run": {
        "demo": "run the full pipeline on bundled data and models",
        "work": "show or delete work files; show or cancel a run on a cluster",
    },
}

UNLISTED = {"completion": "print a script that completes commands in a shell"}

COMMANDS = {name: summary for commands in HEADINGS.values() for name, summary in commands.items()} | UNLISTED

# Other spellings of commands, which `--help` does not list.
ALIASES = {"analyse": "analyze"}

DONE, INTERNAL_ERROR, INPUT_ERROR, GATE_FAILED, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: The arguments without the program's name; None for `sys.argv`.

    Returns:
        The exit code: 0 on success, 1 for an internal error, 2 for an error that the user can fix, 3 if
            a model is worse than allowed, 130 if interrupted.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if sys.stderr is None:  # closed by the shell; the file gets its number, so that no library writes to another file
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    if sys.stdout is None:
        return _failed("standard output is closed: send it to a file, or to /dev/null")
    print_in_any_encoding(sys.stdout)
    print_in_any_encoding(sys.stderr)
    sys.unraisablehook = _keep_interrupt
    if argv is None:  # the process is the command's own
        collect_rarely()
        os.environ["PYTHONSAFEPATH"] = "1"  # the processes that it starts import nothing from the working directory
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except InputError as error:
        return _failed(as_flags(error), GATE_FAILED if isinstance(error, GateError) else INPUT_ERROR)
    except KeyboardInterrupt:
        return _failed("interrupted; finished work is saved, run the same command again to resume", INTERRUPTED)
    except BrokenPipeError:
        _discard(sys.stdout)
        return DONE
    except OSError as error:
        if error.errno in FULL_DISK_ERRORS:
            _discard(sys.stdout)
            path = error.filename or "the output"
            return _failed(f"cannot write {path} ({error.strerror}): free some space and run again")
        if error.errno in PATH_ERRORS and error.filename is not None:
            return _failed(f"cannot use {error.filename} ({error.strerror}): choose another path")
        return _report_internal_error()
    except Exception:
        return _report_internal_error()


def _keep_interrupt(unraisable: "sys.UnraisableHookArgs") -> None:
    """Interrupt again after Ctrl-C in a callback, such as those of an import, from which Python raises nothing."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        # `os.kill` wakes the main thread; on Windows it would end the process.
        interrupt = signal.raise_signal if ON_WINDOWS else partial(os.kill, os.getpid())
        again = threading.Timer(0.05, interrupt, [signal.SIGINT])  # seconds, when the callback has ended
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def _run(argv: Sequence[str] | None) -> int:
    check_not_shadowed(*PACKAGES)  # before the commands, whose arguments are made from the options of `generation`
    argv = sys.argv[1:] if argv is None else argv
    parser = command_parser([name for name in (*COMMANDS, *ALIASES) if name in argv])
    arguments = parser.parse_args(argv, argparse.Namespace(whole_parser=command_parser))
    if arguments.read_limit is not None:
        os.environ[VARIABLE] = arguments.read_limit
        read_limit()
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(log_flags)
    logging.basicConfig(level=logging.WARNING, format="merge-snli: %(message)s", handlers=[handler])
    logging.getLogger("merge_snli.base.progress").setLevel(logging.INFO)
    run = getattr(arguments, "run_step", None) or _module_of(arguments.command).run
    return int(run(arguments) or DONE)


def command_parser(commands: Collection[str] = (*COMMANDS, *ALIASES)) -> "CommandParser":
    """Return the parser of the command line.

    Args:
        commands: The commands whose arguments are added, which imports their modules. The others parse nothing.
    """
    parser = CommandParser(
        prog="merge-snli",
        description="Generate variants of NLI problems by replacing shared words, and evaluate NLI models on them.",
        epilog="merge-snli COMMAND --help describes a command, and merge-snli completion makes a shell complete them.",
    )
    parser.add_argument("--version", action="version", version=f"merge-snli {__version__}")
    parser.add_argument(
        "--read-limit",
        metavar="GB",
        help="how large the content of a compressed file or a table may be, of which a small one can fill the memory "
        f"(default: {DEFAULT})",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name in (*COMMANDS, *ALIASES):
        summary = COMMANDS[ALIASES.get(name, name)]
        listed: dict[str, Any] = {"help": summary} if name in COMMANDS and name not in UNLISTED else {}
        subparser = subparsers.add_parser(
            name,
            description=f"{capitalized(summary)}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **listed,
        )
        if name in commands:
            module = _module_of(name)
            subparser.epilog = (module.__doc__ or "").partition("\n\n")[2].rstrip()
            module.add_arguments(subparser)
    summaries = {summary.dest: summary for summary in subparsers._get_subactions()}
    groups = [parser._optionals]
    for heading, names in reversed(HEADINGS.items()):
        group = parser.add_argument_group(heading)
        group._group_actions = [summaries[name] for name in names]
        groups.insert(0, group)
    parser._action_groups = groups  # in the order of `--help`
    return parser


def _module_of(command: str) -> ModuleType:
    name = ALIASES.get(command, command)
    return importlib.import_module(f"merge_snli.cli.{name}{'_' if iskeyword(name) else ''}")


def _failed(message: str, code: int = INPUT_ERROR) -> int:
    """Print what went wrong, and return the exit code."""
    try:
        sys.stderr.write(f"merge-snli: {one_line(message)}\n")
        sys.stderr.flush()
    except OSError:  # the exit code remains
        _discard(sys.stderr)
    return code


def _discard(stream: TextIO) -> None:
    """Send what the stream still holds to nowhere, so that Python does not fail on it when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _report_internal_error() -> int:
    """Write the current traceback to a file and print the file's name."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="merge-snli-", suffix=".log", delete=False) as file:
        file.write(traceback.format_exc())
    return _failed(f"internal error; traceback written to {file.name}", INTERNAL_ERROR)


class CommandParser(argparse.ArgumentParser):
    """A parser of commands and their options.

    An error is two lines: `argparse` prints all options before it. An unknown option is an error of the command that it
    was given to, and not of the whole program. Options cannot be abbreviated, so that adding one changes no script.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - as `argparse.ArgumentParser` takes them
        """Create the parser from the arguments of `argparse.ArgumentParser`."""
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Print how to see the options and what is wrong, and exit."""
        usage = f"usage: {self.prog} [options] ({self.prog} --help lists them)"
        self.exit(INPUT_ERROR, f"{usage}\nmerge-snli: {one_line(message)}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:  # noqa: ANN401
        """Parse arguments; fail at the first unknown one, before a missing option that it may be a misspelling of."""
        own = takewhile(lambda word: word != "--" and (self._subparsers is None or word.startswith("-")), args or ())
        for name in (word.partition("=")[0] for word in own):
            if name.startswith("--") and " " not in name and name not in self._option_string_actions:
                self._reject(name)
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._reject(unknown[0].partition("=")[0])
        return known, unknown

    def _reject(self, name: str) -> NoReturn:
        kind = "unknown option" if name.startswith("-") else "unexpected argument"
        self.error(f"{kind} {name}{advice(name, self._option_string_actions)}")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Check that a value is one of the choices of an argument; fail with the nearest choice."""
        if action.choices is None or value in action.choices:
            return
        kind = "value"
        listed = action.choices
        if isinstance(action, argparse._SubParsersAction):
            kind = "command"
            listed = [command.dest for command in action._get_subactions()]
        proposed = nearest(str(value), action.choices) or f": {choice_advice(value, listed)}"
        raise argparse.ArgumentError(action, f"unknown {kind} {value!r}{proposed}")
