"""`merge-snli generate`: problems in, variants out, as a data set."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.problem_arguments import add_problem_arguments, given, names, with_suppressed_default
from merge_snli.errors import InputError
from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from generation.options import Options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; the choices of a run are spelled as the fields of `generation.Options`."""
    parser.add_argument("--out", metavar="DIR", help="the data set's folder")
    parser.add_argument("--overwrite", action="store_true", help="replace a data set that other options made")
    parser.add_argument(
        "--work",
        metavar="DIR",
        help="where shards and the masked LMs' answers are kept, for several data sets if wished (default: OUT.work)",
    )
    parser.add_argument(
        "--allow-pickle", action="store_true", help="take pickled weights, which can run code of whoever made them"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress, and no summary at the end")
    parser.add_argument(
        "--dry-run", action="store_true", help="say how many forms, how long and how much disk; write nothing"
    )
    whole = parser.add_mutually_exclusive_group()
    whole.add_argument("--preset", metavar="NAME", help="choices by name: paper, paper-bart, slides or demo")
    whole.add_argument(
        "--run-file", metavar="FILE", type=Path, help="choices from a TOML file, such as the run.toml of a data set"
    )
    add_problem_arguments(parser, required=False)
    _add_masked_lm_arguments(parser)
    _add_set_arguments(parser)
    _add_filter_arguments(parser)


def _add_masked_lm_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which masked LMs are asked, and how."""
    add = with_suppressed_default(parser.add_argument_group("masked LMs"))
    add(
        "--mlm",
        nargs="+",
        action="extend",
        metavar="MODEL",
        help="masked LMs: Hub ids, folders or demo:NAME; instead of those of a preset or run file",
    )
    add("--top-k", type=int, metavar="N", help="fillers a form (default: 200)")
    add("--mask", choices=("one", "all"), help="mask one occurrence at a time, or all at once (default: one)")
    add("--split-words", action="store_true", help="replace words that a tokenizer splits, too")
    add("--device", metavar="NAME", help="cpu, cuda, cuda:1 … (default: a GPU where there is one)")
    add("--dtype", choices=("float32", "bfloat16"), help="what masked LMs compute in (default: float32)")


def _add_set_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the data set holds."""
    add = with_suppressed_default(parser.add_argument_group("data set"))
    add(
        "--classes",
        type=names,
        metavar="A,B",
        help=f"word classes whose words are replaced, of {', '.join(WORD_CLASSES)} (default: noun,verb,adj)",
    )
    add(
        "--inflation",
        type=int,
        metavar="N",
        help="degree of inflation d: variants a seed must have in a class, and variants drawn (default: 20)",
    )
    add("--subsamples", type=int, metavar="N", help="random draws (default: 10)")
    add("--random-seed", type=int, metavar="N", help="changes the draws (default: 0)")
    add("--seeds-from", metavar="DIR", help="exactly the seeds of another MERGE data set")
    add(
        "--keep-column",
        type=names,
        action="extend",
        metavar="A,B",
        help="columns of the source that variants and seeds carry on, as text",
    )
    add("--license", metavar="ID", help="licence of the problems for the card, where the source is not a known one")


def _add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what decides which suggestions become variants."""
    add = with_suppressed_default(parser.add_argument_group("filters"))
    add(
        "--sides",
        choices=("intersection", "union"),
        help="replacements that both sentences validate, or one of them (default: intersection)",
    )
    add(
        "--filters",
        metavar="F",
        help="prob,pos | pos | prob | none: more probable than the original, of its class (default: prob,pos)",
    )
    add("--scramble", action="store_true", help="shuffle the letters of each replacement")
    add(
        "--no-relations",
        action="store_true",
        help="drop suggestions in a WordNet relation to another word of the problem",
    )
    add("--ignore-case", action="store_true", help="words are shared whatever their case")


def run(arguments: argparse.Namespace) -> int:
    """Generate, and print the data set's composition."""
    options = read_options(arguments)
    if arguments.dry_run:
        from generation.dry_run import dry_run
        from generation.dry_run_text import dry_run_text

        sys.stdout.write(dry_run_text(dry_run(options, allow_pickle=arguments.allow_pickle)))
        return 0
    if arguments.out is None:
        raise InputError("--out is missing: name the data set's folder, such as --out merge_snli")
    from generation.pipeline import generate
    from generation.report.composition import composition_table

    if not arguments.quiet:
        logging.getLogger("generation.pipeline").setLevel(logging.INFO)
    dataset = generate(
        options,
        arguments.out,
        work=arguments.work,
        overwrite=arguments.overwrite,
        allow_pickle=arguments.allow_pickle,
        quiet=arguments.quiet,
    )
    sys.stdout.write(f"{composition_table(dataset.record).text()}data set in {dataset.folder}\n")
    return 0


def read_options(arguments: argparse.Namespace) -> Options:
    """Return the choices of a run: those of the preset or run file, and over them what the command line gives.

    Raises:
        InputError: Where no problems or masked LMs are named, or an option cannot be used.
    """
    from generation.options import Options
    from generation.presets import preset_options
    from generation.run_file import read_run_file

    values = given(arguments, Options)
    if arguments.preset is not None:
        values = preset_options(arguments.preset) | values
    if arguments.run_file is not None:
        values = read_run_file(arguments.run_file) | values
    if "problems" not in values:
        raise InputError("--problems is missing: name a file, a folder, a Hub id or demo:problems")
    if "mlm" not in values:
        raise InputError("--mlm is missing: name masked LMs, or a --preset or --run-file that does")
    return Options(**values)
