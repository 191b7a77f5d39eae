"""`merge-snli compare`: run pairwise significance tests between scored models, and draw their curves."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

from merge_snli.base.errors import GateError, InputError, Message, as_flags
from merge_snli.base.files import JsonObject
from merge_snli.base.table import Table
from merge_snli.cli.arguments import (
    add,
    add_comparison,
    add_datasets,
    add_format,
    add_list,
    add_min_agreement,
    add_results,
    add_thresholds,
    number,
    read_results,
    refuse,
)
from merge_snli.cli.output import TEXT, write_tables

# Options of the other comparisons, which one with a baseline or a limit does not have.
NOT_OF_A_GATE = ("all_thresholds", "dataset", "min_agreement", "out", "power", "assume", "correlation")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser, nargs="*")
    add_comparison(parser)
    add_thresholds(parser, "thresholds to compare the models at, such as 0.8 0.9 (default: 0.9)")
    add(parser, "--all-thresholds", "also list the thresholds at which each pair of models differs significantly")
    add_datasets(parser, "data sets of the results, to compare their word classes at 0.9")
    add_min_agreement(parser, "; needs --dataset")
    add(
        parser,
        "--out DIR",
        "also draw the curves of the models (Figures 4, 5 and 11) as PNG and SVG files in this folder",
    )
    add(
        parser,
        "--power",
        "instead, print the smallest difference of PA that is found with a power of 80%%, by number of seeds",
    )
    add_list(
        parser,
        "--assume PA",
        "the same before there are results: the accuracies that the models may have, such as 0.7",
        item=number(lambda value: 0 < value < 1, "an accuracy between 0 and 1, such as 0.7"),
        default=(),
    )
    add(
        parser,
        "--correlation R",
        "with --assume: correlation over seeds of whether two models pass (default: 0.5)",
        type=number(lambda value: 0 <= value < 1, "a correlation from 0 to below 1, such as 0.5"),
    )
    add_list(
        parser,
        "--baseline RESULTS",
        "instead, compare each model with that in these results folders, on the same seeds",
        default=(),
    )
    add(
        parser,
        "--fail-if-worse",
        "with --baseline: exit with 3 if PA of a model is significantly below that of the baseline",
    )
    add(
        parser,
        "--min-pa PA",
        "exit with 3 if PA of a model is below this, such as 0.8; with --baseline or for models alone",
        type=number(lambda value: 0 < value <= 1, "an accuracy above 0, at most 1, such as 0.8"),
    )
    add(
        parser,
        "--allow-unread SHARE",
        "with --baseline: how much larger the share of unread answers may be before a model cannot be judged "
        "(exit with 3; default: 0.02)",
        type=number(lambda value: 0 <= value <= 1, "a share from 0 to 1, such as 0.05"),
    )
    add_format(parser)


def run(arguments: Namespace) -> None:
    """Compare the models and print one section per data set and config; draw the figures with `--out`."""
    from merge_snli.base.progress import SHOWN_AFTER, Progress
    from merge_snli.comparison.choice import NotComparable
    from merge_snli.comparison.compare import compare_results
    from merge_snli.comparison.figures import draw_figures
    from merge_snli.comparison.statistics_tables import comparison_tables, to_json
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.results.parts import with_parts
    from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

    if not arguments.baseline:
        refuse(arguments, ("allow_unread",), "is for ⟦baseline⟧: remove it")
    if arguments.baseline or arguments.min_pa is not None or arguments.fail_if_worse:
        _run_gate(arguments)
        return
    if arguments.power or not arguments.results:
        _run_power(arguments)
        return
    why = "is for ⟦power=True⟧ without results: remove it or the results"
    refuse(arguments, ("assume", "correlation"), why)
    datasets = [find_dataset(name) for name in arguments.dataset]
    results = with_parts(read_results(arguments), datasets)
    figures = [] if arguments.out is None else draw_figures(results, arguments.out)
    try:
        comparisons = compare_results(
            results,
            test=arguments.test,
            alpha=arguments.alpha,
            datasets=datasets,
            thresholds=arguments.threshold or (QUALITY_THRESHOLD,),
            all_thresholds=arguments.all_thresholds,
            min_agreement=arguments.min_agreement,
            common_seeds=arguments.common_seeds,
            progress=Progress(after=SHOWN_AFTER),
        )
    except NotComparable:
        if arguments.out is None:
            raise
        comparisons = ()  # the curves of one model are drawn all the same
    tables = chain.from_iterable(map(comparison_tables, comparisons))  # which JSON does not need
    _write(arguments, tables, lambda: {"comparisons": [*map(to_json, comparisons)]}, figures)


def _write(
    arguments: Namespace, tables: Iterable[Table], document: Callable[[], JsonObject], figures: list[Path]
) -> None:
    """Print tables and the paths of figures."""
    paths = [str(path) for path in figures]
    write_tables(arguments.format, tables, document=lambda: {**document(), "figures": paths})
    if arguments.format == TEXT:
        sys.stdout.writelines(f"{path}\n" for path in paths)


def _run_power(arguments: Namespace) -> None:
    """Print how many seeds a comparison needs; draw it with `--out`."""
    from merge_snli.comparison.detectable import CORRELATION
    from merge_snli.comparison.power import assumed_power, power_of_results
    from merge_snli.comparison.statistics_tables import to_json
    from merge_snli.dataset.out_folder import check_out
    from merge_snli.results.naming import safe_name
    from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

    if bool(arguments.results) == bool(arguments.assume):
        raise InputError("name results folders, or for ⟦power⟧ accuracies with ⟦assume⟧")
    if arguments.correlation is not None and arguments.results:
        raise InputError("⟦correlation⟧ is computed from results: remove it, or use ⟦assume⟧")
    if arguments.assume:
        correlation = CORRELATION if arguments.correlation is None else arguments.correlation
        powers = [assumed_power(arguments.assume, alpha=arguments.alpha, correlation=correlation)]
    else:
        results = read_results(arguments)
        alpha = arguments.alpha
        common = arguments.common_seeds
        powers = []
        for threshold in arguments.threshold or (QUALITY_THRESHOLD,):
            powers += power_of_results(results, alpha=alpha, threshold=threshold, common_seeds=common)
    figures = []
    if arguments.out is not None:
        folder = check_out(arguments.out)
        for power in powers:
            figures += power.draw(folder / f"power-{safe_name(power.title)}")
    tables = (power.table() for power in powers)
    _write(arguments, tables, lambda: {"power": [*map(to_json, powers)]}, figures)


def _run_gate(arguments: Namespace) -> None:
    """Compare models with a baseline and a limit of PA; fail if one is worse than it may be."""
    from merge_snli.comparison.baseline import compare_with_baseline
    from merge_snli.comparison.gate import ALLOW_UNREAD, baseline_table
    from merge_snli.comparison.statistics_tables import to_json
    from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

    if arguments.fail_if_worse and not arguments.baseline:
        raise InputError("⟦fail_if_worse=True⟧ needs ⟦baseline⟧: add the results of the baseline")
    refuse(arguments, NOT_OF_A_GATE, "is not for ⟦baseline⟧ and ⟦min_pa⟧: remove it")
    baseline = read_results(arguments, arguments.baseline) if arguments.baseline else []
    rows = compare_with_baseline(
        read_results(arguments),
        baseline,
        test=arguments.test,
        alpha=arguments.alpha,
        thresholds=arguments.threshold or (QUALITY_THRESHOLD,),
        common_seeds=arguments.common_seeds,
    )
    allowed = ALLOW_UNREAD if arguments.allow_unread is None else arguments.allow_unread
    failures = []
    for row in rows:
        failures += row.failures(fail_if_worse=arguments.fail_if_worse, min_pa=arguments.min_pa, allow_unread=allowed)
    failures = list(dict.fromkeys(failures))
    write_tables(
        arguments.format,
        [baseline_table(rows, arguments.alpha)],
        document=lambda: {
            "models": [to_json(row) for row in rows],
            "failures": [as_flags(Message(text)) for text in failures],
        },
    )
    if failures:
        raise GateError("; ".join(failures))
