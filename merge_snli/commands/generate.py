"""`merge-snli generate`: generate a data set of variants from NLI problems."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.commands.problem_arguments import add_problem_arguments, given, names, with_suppressed_default
from merge_snli.errors import InputError, param
from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from generation.options import Options
    from merge_snli.cluster.options import ClusterOptions


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
        "--run-file", metavar="FILE", type=Path, help="options from a TOML file, such as the run.toml of a data set"
    )
    add_problem_arguments(parser, required=False)
    _add_masked_lm_arguments(parser)
    _add_set_arguments(parser)
    _add_filter_arguments(parser)
    parser.epilog = (
        "examples:\n"
        "  merge-snli generate --problems demo:problems --preset demo --out merge_demo\n"
        "  merge-snli generate --problems stanfordnlp/snli --preset paper --out merge_snli --dry-run"
    )


def _add_masked_lm_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the masked LMs."""
    add = with_suppressed_default(parser.add_argument_group("masked LMs"))
    add(
        "--mlm",
        nargs="+",
        action="extend",
        metavar="MODEL",
        help="masked LMs: Hub ids, folders or demo:NAME; replaces those of a preset or run file",
    )
    add("--top-k", type=int, metavar="N", help="fillers per form (default: 200)")
    add("--mask", choices=("one", "all"), help="mask one occurrence at a time, or all at once (default: one)")
    add("--split-words", action="store_true", help="also replace words that a tokenizer splits into several tokens")
    add("--device", metavar="NAME", help="torch device, such as cpu or cuda:0 (default: GPU if available)")
    add("--dtype", choices=("float32", "bfloat16"), help="dtype of the masked LMs (default: float32)")


def _add_set_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the data set."""
    add = with_suppressed_default(parser.add_argument_group("data set"))
    add(
        "--classes",
        type=names,
        metavar="A,B",
        help=f"word classes to replace: {', '.join(WORD_CLASSES)} (default: noun,verb,adj)",
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
    add(
        "--keep-column",
        type=names,
        action="extend",
        metavar="A,B",
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
    add(
        "--filters",
        metavar="F",
        help="prob (more probable than the original), pos (of its word class), both, or none (default: prob,pos)",
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
    options, executor = read_options(arguments), None
    if arguments.cluster is not None:
        from merge_snli.cluster.options import read_cluster_file

        executor = read_cluster_file(arguments.cluster)
    if arguments.dry_run:
        sys.stdout.write(_estimate(options, arguments, executor))
        return 0
    if arguments.out is None:
        raise InputError(f"{param('out')} is missing: give a folder, such as {param('out')} merge_snli")
    from generation.pipeline import generate
    from generation.report.composition import composition_table

    if not arguments.quiet:
        logging.getLogger("generation.pipeline").setLevel(logging.INFO)
    choices = {name: getattr(arguments, name) for name in ("work", "overwrite", "allow_pickle", "quiet")}
    dataset = generate(options, arguments.out, **choices, **_execution(executor))
    if not arguments.quiet:
        sys.stdout.write(f"{composition_table(dataset.record).text()}data set in {dataset.folder}\n")
    return 0


def _estimate(options: Options, arguments: argparse.Namespace, executor: ClusterOptions | None) -> str:
    """Return what a run would do, and how long it would take."""
    from generation.dry_run import dry_run
    from generation.dry_run_text import dry_run_text

    estimate = dry_run(options, allow_pickle=arguments.allow_pickle)
    if executor is None:
        return dry_run_text(estimate)
    from generation.pipeline import submitted
    from generation.run import plan_run, read_inputs
    from merge_snli.cluster.plan import plan_text
    from merge_snli.dataset_folder import check_out
    from merge_snli.progress import Progress

    choices = {name: getattr(arguments, name) for name in ("work", "allow_pickle")}
    inputs = read_inputs(options, Progress(quiet=True), allow_pickle=arguments.allow_pickle)
    run_ = plan_run(inputs, check_out(Path(arguments.out or "merge_snli")), **choices, **_execution(executor))
    return plan_text(executor, *submitted(run_, executor), estimate)


def _execution(executor: ClusterOptions | None) -> dict[str, Any]:
    """Return the arguments of a run that follow from the cluster file."""
    if executor is None:
        return {}
    return {"executor": executor, "problems_per_shard": executor.problems_per_shard}


def read_options(arguments: argparse.Namespace) -> Options:
    """Return the options of a run: those of the preset or run file, overridden by the command line.

    Raises:
        InputError: If problems or masked LMs are missing, or an option is invalid.
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
        raise InputError(f"{param('problems')} is missing: give a file, a folder, a Hub id or demo:problems")
    if "mlm" not in values:
        raise InputError(
            f"{param('mlm')} is missing: give masked LMs, or a {param('preset')} or {param('run_file')} with masked LMs"
        )
    return Options(**values)
