"""`merge-snli generate`: generate a data set of variants from NLI problems.

examples:
  merge-snli generate demo:problems --preset demo --out merge_demo
  merge-snli generate stanfordnlp/snli --preset paper --out my_data/snli --dry-run
"""

from __future__ import annotations

import logging
import sys
import time
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generation.filters.filter import FILTERS_GROUP
from generation.options import DATA_SET, MASKED_LMS, Options
from merge_snli.base.errors import InputError
from merge_snli.cli.arguments import add, add_cluster, read_cluster
from merge_snli.cli.option_arguments import add_option_arguments, given
from merge_snli.problems.options import PROBLEMS_GROUP

if TYPE_CHECKING:
    from merge_snli.runs.submit import Cluster


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command; options of a run have the names of the fields of `generation.Options`."""
    add(parser, "--out DIR", "folder for the data set (required unless --dry-run)", type=str)
    add(parser, "--overwrite", "replace a data set that was generated with other options")
    add(
        parser,
        "--work DIR",
        "work folder for shards and masked LM answers; several data sets can share it (default: OUT.work)",
        type=str,
    )
    add(
        parser,
        "--allow-pickle",
        "load pickle weights if a masked LM has no safetensors; pickle weights can execute arbitrary code",
    )
    add_cluster(parser)
    add(
        parser,
        "--workers N",
        "number of processes for the work beside the masked LMs; 1 for this one (default: one per core, with "
        "at least 375 problems each)",
    )
    add(parser, "--quiet", "print only warnings and errors")
    add(parser, "--dry-run", "estimate forms, time and disk space without writing anything")
    group = parser.add_mutually_exclusive_group()
    add(
        group,
        "--preset NAME",
        "options of a preset: paper, paper-bart, slides, strict or balanced (only filters and classes), or demo",
    )
    add(group, "--options FILE", "options from a TOML file, such as the run.toml of a data set")
    add_option_arguments(parser, Options, (PROBLEMS_GROUP, MASKED_LMS, DATA_SET, FILTERS_GROUP))


def run(arguments: Namespace) -> None:
    """Generate a data set and print its composition unless `--quiet` is given."""
    options = read_options(arguments)
    cluster = read_cluster(arguments)
    if arguments.dry_run:
        sys.stdout.write(_estimate(options, arguments, cluster))
        return
    if arguments.out is None:
        raise InputError("⟦out⟧ is missing: give a folder, such as ⟦out⟧ my_data/snli")
    from generation.pipeline import run_pipeline
    from generation.report.summary import composition_table

    if not arguments.quiet:
        logging.getLogger("generation.pipeline").setLevel(logging.INFO)
    dataset = run_pipeline(
        options,
        arguments.out,
        work=arguments.work,
        overwrite=arguments.overwrite,
        allow_pickle=arguments.allow_pickle,
        quiet=arguments.quiet,
        workers=arguments.workers,
        **_execution(cluster),
    )
    if not arguments.quiet:
        sys.stdout.write(f"{composition_table(dataset.record).text()}data set in {dataset.folder}\n")


def _estimate(options: Options, arguments: Namespace, cluster: Cluster | None) -> str:
    """Return what a run would do, and how long it would take."""
    from generation.dry_run import dry_run
    from generation.report.estimate import estimate_text
    from generation.run import check_workers

    check_workers(arguments.workers, cluster)
    workers = arguments.workers if cluster is None else 1
    imports = time.process_time()
    estimate = dry_run(options, allow_pickle=arguments.allow_pickle, workers=workers)
    estimate = replace(estimate, loading=estimate.loading + imports)
    if cluster is None:
        return estimate_text(estimate)
    from generation.pipeline import submitted
    from generation.run import plan_run
    from generation.run_inputs import read_inputs
    from merge_snli.base.progress import Progress
    from merge_snli.dataset.out_folder import check_dataset_out
    from merge_snli.runs.executors import plan_text

    inputs = read_inputs(options, Progress(quiet=True), allow_pickle=arguments.allow_pickle)
    run_ = plan_run(
        inputs,
        check_dataset_out(Path(arguments.out or "my_data/snli")),
        work=arguments.work,
        allow_pickle=arguments.allow_pickle,
        **_execution(cluster),
    )
    return plan_text(cluster.options, *submitted(run_, cluster), estimate)


def _execution(cluster: Cluster | None) -> dict[str, Any]:
    """Return the arguments of a run that follow from the cluster file."""
    return {} if cluster is None else {"executor": cluster, "problems_per_shard": cluster.options.problems_per_shard}


def read_options(arguments: Namespace) -> Options:
    """Return the options of a run: those of the preset or options file, overridden by the command line."""
    from generation.options import preset_options, read_run_file

    values = given(arguments, Options)
    if arguments.preset is not None:
        values = preset_options(arguments.preset) | values
    if arguments.options is not None:
        values = read_run_file(arguments.options) | values
    if not values.get("problems"):
        raise InputError(
            "⟦problems⟧ is missing: give a file, a folder, a Hub id or demo:problems, before options that take lists"
        )
    if "mlm" not in values:
        raise InputError("⟦mlm⟧ is missing: give masked LMs, or a ⟦preset⟧ or ⟦options⟧ file that names them")
    return Options(**values)
