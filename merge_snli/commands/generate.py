"""`merge-snli generate`: generate a data set of variants from NLI problems."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.arguments import add_list
from merge_snli.commands.problem_arguments import add_problem_arguments, given, with_suppressed_default
from merge_snli.errors import InputError, param
from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from generation.dry_run import DryRun
    from generation.options import Options
    from merge_snli.dataset import MergeDataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; options of a run have the names of the fields of `generation.Options`."""
    parser.add_argument("--out", metavar="DIR", help="folder for the data set (required unless --dry-run)")
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a data set that was generated with other options"
    )
    parser.add_argument(
        "--work",
        metavar="DIR",
        help="work folder for shards and masked LM answers; several data sets can share it (default: OUT.work)",
    )
    parser.add_argument(
        "--allow-pickle",
        action="store_true",
        help="load pickle weights if a masked LM has no safetensors; pickle weights can execute arbitrary code",
    )
    parser.add_argument(
        "--cluster", metavar="FILE", type=Path, help="run on a Slurm or Ray cluster, as a TOML file describes"
    )
    parser.add_argument("--quiet", action="store_true", help="print only warnings and errors")
    parser.add_argument(
        "--dry-run", action="store_true", help="estimate forms, time and disk space without writing anything"
    )
    base = parser.add_mutually_exclusive_group()
    base.add_argument(
        "--preset", metavar="NAME", help="options of a preset: paper, paper-bart, slides, strict (only filters) or demo"
    )
    base.add_argument(
        "--options", metavar="FILE", type=Path, help="options from a TOML file, such as the run.toml of a data set"
    )
    add_problem_arguments(parser, required=False)
    _add_masked_lm_arguments(parser)
    _add_set_arguments(parser)
    _add_filter_arguments(parser)
    parser.epilog = (
        "examples:\n"
        "  merge-snli generate demo:problems --preset demo --out merge_demo\n"
        "  merge-snli generate stanfordnlp/snli --preset paper --out merge_snli --dry-run"
    )


def _add_masked_lm_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the masked LMs."""
    add = with_suppressed_default(parser.add_argument_group("masked LMs"))
    add_list(
        add,
        "--mlm",
        metavar="MODEL",
        help="masked LMs: Hub ids, folders or demo:NAME; replaces those of a preset or options file",
    )
    add("--top-k", type=int, metavar="N", help="fillers per form (default: 200)")
    add("--mask", choices=("one", "all"), help="mask one occurrence at a time, or all at once (default: one)")
    add("--split-words", action="store_true", help="also replace words that a tokenizer splits into several tokens")
    add("--device", metavar="NAME", help="torch device, such as cpu or cuda:0 (default: GPU if available)")
    add("--dtype", choices=("float32", "bfloat16"), help="dtype of the masked LMs (default: float32)")


def _add_set_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the data set."""
    add = with_suppressed_default(parser.add_argument_group("data set"))
    add_list(
        add,
        "--classes",
        metavar="CLASS",
        help=f"word classes to replace: {', '.join(WORD_CLASSES)} (default: noun verb adj)",
    )
    add(
        "--inflation",
        type=int,
        metavar="N",
        help="degree of inflation d: minimum number of variants per seed and class, and size of a draw (default: 20)",
    )
    add("--subsamples", type=int, metavar="N", help="number of random draws (default: 10)")
    add("--random-seed", type=int, metavar="N", help="seed of the random draws (default: 0)")
    add("--seeds-from", metavar="DIR", help="use exactly the seeds of another MERGE data set")
    add_list(
        add,
        "--keep-column",
        metavar="COLUMN",
        help="columns of the problems to copy to variants and seeds, as text",
    )
    add("--title", metavar="TEXT", help='title of the data set (default: from the problems, as "MERGE on SNLI (test)")')
    add("--license", metavar="ID", help="license of the problems for the card, if the data set is not a known one")


def _add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that select suggestions."""
    add = with_suppressed_default(parser.add_argument_group("filters"))
    add(
        "--sides",
        choices=("intersection", "union"),
        help="replacements validated in both sentences, or in at least one (default: intersection)",
    )
    add_list(
        add,
        "--filters",
        metavar="FILTER",
        help="prob (more probable than the original), pos (of its word class), both, or none (default: prob pos)",
    )
    add("--scramble", action="store_true", help="shuffle the letters of each replacement")
    add(
        "--no-relations",
        action="store_true",
        help="drop suggestions with a WordNet relation to another word of the problem",
    )
    add("--ignore-case", action="store_true", help="ignore case when matching shared words")
    add("--min-mlms", type=int, metavar="N", help="masked LMs that must validate a word in a sentence (default: 1)")
    add("--same-tag", action="store_true", help="keep suggestions with the original's Penn tag only, such as NNS")
    add("--articles", action="store_true", help='drop suggestions that do not fit "a" or "an" before them')
    add("--min-log-odds", type=float, metavar="X", help="smallest log p(suggestion) - log p(original) (default: none)")
    add("--max-rank", type=int, metavar="N", help="keep suggestions among the N most probable fillers (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Generate a data set and print its composition unless `--quiet` is given."""
    options = read_options(arguments)
    if arguments.dry_run:
        from generation.dry_run import dry_run
        from generation.dry_run_text import dry_run_text

        estimate = dry_run(options, allow_pickle=arguments.allow_pickle)
        sys.stdout.write(
            dry_run_text(estimate) if arguments.cluster is None else _plan_text(options, arguments, estimate)
        )
        return 0
    if arguments.out is None:
        raise InputError(f"{param('out')} is missing: give a folder, such as {param('out')} merge_snli")
    from generation.report.composition import composition_table

    if not arguments.quiet:
        for module in ("generation.pipeline", "merge_snli.cluster.run"):
            logging.getLogger(module).setLevel(logging.INFO)
    dataset = _generate(options, arguments)
    if not arguments.quiet:
        sys.stdout.write(f"{composition_table(dataset.record).text()}data set in {dataset.folder}\n")
    return 0


def _plan_text(options: Options, arguments: argparse.Namespace, estimate: DryRun) -> str:
    """Return the plan of a run on a cluster."""
    from merge_snli.cluster.run import Planned, plan_generate
    from merge_snli.progress import Progress

    out = arguments.out or "merge_snli"
    choices = {name: getattr(arguments, name) for name in ("work", "allow_pickle")}
    planned = plan_generate(
        options, out, arguments.cluster, **choices, overwrite=True, progress=Progress(quiet=arguments.quiet)
    )
    if not isinstance(planned, Planned):
        return f"nothing to do: {out} has this data set already\n"
    from merge_snli.cluster.plan import plan_text

    return plan_text(planned, estimate)


def _generate(options: Options, arguments: argparse.Namespace) -> MergeDataset:
    choices = {name: getattr(arguments, name) for name in ("work", "overwrite", "allow_pickle")}
    if arguments.cluster is None:
        from generation.pipeline import generate

        return generate(options, arguments.out, **choices, quiet=arguments.quiet)
    from merge_snli.cluster.run import generate_on_cluster, plan_generate
    from merge_snli.progress import Progress

    progress = Progress(quiet=arguments.quiet)
    planned = plan_generate(options, arguments.out, arguments.cluster, **choices, progress=progress)
    return generate_on_cluster(planned, progress)


def read_options(arguments: argparse.Namespace) -> Options:
    """Return the options of a run: those of the preset or options file, overridden by the command line.

    Raises:
        InputError: If problems or masked LMs are missing, or an option is invalid.
    """
    from generation.options import Options
    from generation.presets import preset_options
    from generation.run_file import read_run_file

    values = given(arguments, Options)
    if arguments.preset is not None:
        values = preset_options(arguments.preset) | values
    if arguments.options is not None:
        values = read_run_file(arguments.options) | values
    if not values.get("problems"):
        raise InputError(
            f"{param('problems')} is missing: give a file, a folder, a Hub id or demo:problems, "
            "before options that take lists"
        )
    if "mlm" not in values:
        raise InputError(
            f"{param('mlm')} is missing: give masked LMs, or a {param('preset')} or {param('options')} file that names "
            "them"
        )
    return Options(**values)
