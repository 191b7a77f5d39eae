"""`merge-snli generate`: generate a data set of variants from NLI problems."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from generation.filters.filter import FILTERS_GROUP
from generation.options import DATA_SET, MASKED_LMS, Options
from merge_snli.commands.problem_arguments import add_option_arguments, given
from merge_snli.errors import InputError, param
from merge_snli.problems.options import PROBLEMS_GROUP

if TYPE_CHECKING:
    from generation.dry_run import DryRun
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
    add_option_arguments(parser, Options, (PROBLEMS_GROUP, MASKED_LMS, DATA_SET, FILTERS_GROUP))
    parser.epilog = (
        "examples:\n"
        "  merge-snli generate demo:problems --preset demo --out merge_demo\n"
        "  merge-snli generate stanfordnlp/snli --preset paper --out merge_snli --dry-run"
    )


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
