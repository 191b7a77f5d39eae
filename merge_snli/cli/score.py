"""`merge-snli score`: score NLI models on a data set.

examples:
  merge-snli score demo:nli-a demo:nli-b --dataset demo:dataset --out results
  merge-snli score --models paper --dataset ORG/merge_snli --config noun --out results
  merge-snli score demo:nli-a --dataset demo:dataset --source recorded --out results
  merge-snli score ORG/CAUSAL_LM --prompt word few_shot --dataset demo:dataset --out results
  merge-snli score demo:nli-a --dataset pairs.tsv --group-column pattern --by construction --out results
"""

from __future__ import annotations

import logging
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, as_flags, param, say_once
from merge_snli.base.table import Table
from merge_snli.cli.arguments import (
    add,
    add_cluster,
    add_format,
    add_list,
    add_orders,
    add_thresholds,
    read_cluster,
    refuse,
)
from merge_snli.cli.option_arguments import SOURCE_OPTIONS, add_option_arguments, add_source_arguments, given
from merge_snli.cli.output import JSON, write_tables
from merge_snli.models.options import LOADING
from merge_snli.problems.options import ProblemOptions
from merge_snli.scoring.options import DATA, ScoreOptions

if TYPE_CHECKING:
    from merge_snli.answers.data import ScoredData
    from merge_snli.models.filled_prompt import FilledPrompt
    from merge_snli.models.prompts import Prompt
    from merge_snli.results.result import Result
    from merge_snli.runs.submit import Cluster
    from merge_snli.scoring.tasks import ScoringRun

logger = logging.getLogger(__name__)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command; options have the names of the fields of `ScoreOptions`."""
    add_list(
        parser,
        "names MODEL",
        "sequence classifiers, or causal LMs with --prompt: Hub ids, folders, demo:nli-a or demo:nli-b; "
        "NAME=FOLDER names a folder's model",
        nargs="*",
        default=(),
    )
    add(parser, "--models", "add the thirteen models of the paper", choices=("paper",))
    add(
        parser,
        "--dataset DATA|FILE",
        "data set: folder or Hub id, ORG/NAME or ORG/NAME@REVISION; with --group-column also a file",
        required=True,
    )
    add(parser, "--out RESULTS", "results folder, one JSON file per model and config", required=True)
    add(
        parser,
        "--eval-results ORG/NAME",
        "also write results of Hub models in the Hub's format to RESULTS/eval_results; if --dataset is a "
        "folder, give the Hub id of the data set",
        nargs="?",
        const="",
    )
    add_list(
        parser,
        "--prompt NAME|FILE|all",
        "ask the models, which are causal LMs, and rank the answers: names of bundled prompts, TOML files, or all",
        default=(),
        dest="prompts",
    )
    add_orders(parser)
    add(parser, "--shots N", "problems that a prompt shows with their labels (default: as it says)")
    add(parser, "--shots-from FILE|ID", "problems to draw them from; ID:SPLIT names a split (default: bundled)")
    add_cluster(parser)
    add_thresholds(parser, "also show PA at these thresholds in the table, such as 0.8 0.95")
    add_format(parser)
    add_option_arguments(parser, ScoreOptions, (DATA, LOADING))
    add_source_arguments(parser, ScoreOptions)


def run(arguments: Namespace) -> int:
    """Score the models and print a table. A model that fails does not stop the others.

    Returns:
        0 if all models were scored, otherwise 2.

    Raises:
        InputError: If the data set, its source, the labels or the results folder cannot be used.
    """
    from merge_snli.answers.opening import open_data
    from merge_snli.results.store import check_results_folder, to_json

    cluster = read_cluster(arguments)
    dataset_id = _dataset_id(arguments)
    scoring = _scoring_run(arguments)
    prompts = _prompts(arguments)
    check_results_folder(arguments.out)
    options = scoring.options
    results = []
    failed: dict[str, str] = {}
    tables = []
    for whole in open_data(scoring.dataset, config=options.config, group_column=options.group_column, by=options.by):
        of_config, reasons = _score(arguments, scoring, whole, prompts, cluster, dataset_id)
        results += of_config
        failed |= reasons
        tables += _tables(of_config, reasons, arguments.threshold)
    if arguments.format != JSON and not results:
        named = {name: why if name in why else f"{name}: {why}" for name, why in failed.items()}
        raise InputError(say_once(named))
    write_tables(arguments.format, tables, document=lambda: {"results": [*map(to_json, results)], "failed": failed})
    if failed:
        logger.warning("not scored: %s", ", ".join(failed))
    return 2 if failed else 0


def _scoring_run(arguments: Namespace) -> ScoringRun:
    """Return what all configs and prompts share: the models, where the data is, and the options."""
    from merge_snli.models.display_names import name_models
    from merge_snli.models.finding import find_device
    from merge_snli.models.paper_models import PAPER_MODELS
    from merge_snli.scoring.tasks import ScoringRun

    names = [*arguments.names, *(model.name for model in PAPER_MODELS if arguments.models == "paper")]
    if not names:
        raise InputError("no model given: pass Hub ids, folders or demo:nli-a, or ⟦models⟧ paper")
    options = ScoreOptions(**given(arguments, ScoreOptions))
    dataset, source = _inputs(arguments, options)
    device = find_device(options.device) if arguments.cluster is None else options.device
    return ScoringRun(
        models=name_models(names),
        dataset=dataset,
        options=replace(options, source=source, device=device),
        out=arguments.out,
    )


def _score(
    arguments: Namespace,
    scoring: ScoringRun,
    whole: ScoredData,
    prompts: Sequence[Prompt],
    cluster: Cluster | None,
    dataset_id: str | None,
) -> tuple[list[Result], dict[str, str]]:
    """Score the models with each prompt on one config; return the results, and why models failed."""
    from merge_snli.language_models.shots import SHOTS_FROM, fill_prompt
    from merge_snli.models.filled_prompt import in_orders
    from merge_snli.scoring.score_models import data_and_source
    from merge_snli.scoring.tasks import score_run

    opened = data_and_source(whole, scoring.options)
    if dataset_id is not None and not whole.has_seeds:
        raise InputError(f"⟦eval_results⟧ is for MERGE data sets, whose tasks the Hub knows, not {whole.name}")
    results = []
    failed: dict[str, str] = {}
    shots_from = arguments.shots_from or SHOTS_FROM
    # All prompts are checked before the first is scored. The whole data has none of the shots, so they are the same for
    # each part of it.
    filled: list[FilledPrompt | None] = []
    for prompt in prompts:
        for each in in_orders(prompt, whole.label_names, arguments.orders):
            filled.append(fill_prompt(each, whole, shots=arguments.shots, shots_from=shots_from))
    if not prompts:
        filled.append(None)  # classifiers
    for asked in filled:
        options = replace(scoring.options, prompt=asked, config=whole.config)
        more, reasons = score_run(replace(scoring, options=options), *opened, cluster)
        results += more
        failed |= {name: as_flags(reason) for name, reason in reasons.items()}
    if dataset_id is not None:
        _write_eval_results(dataset_id, whole.digest, arguments.out)
    return results, failed


def _prompts(arguments: Namespace) -> Sequence[Prompt]:
    """Return the prompts that can be ranked; none for classifiers."""
    from merge_snli.models.prompts import read_prompts

    if not arguments.prompts:
        refuse(arguments, ("orders", "shots", "shots_from"), "needs ⟦prompt⟧: add it")
        return ()
    prompts = read_prompts(arguments.prompts)
    ranked = [prompt for prompt in prompts if not prompt.reason_first]
    left_out = ", ".join(prompt.name for prompt in prompts if prompt.reason_first)
    if not ranked:
        raise InputError(
            f"the prompt {left_out} asks for reasons, and ⟦prompt⟧ ranks answers without any: use Inspect, or "
            "another prompt"
        )
    if left_out:
        logger.warning("the prompt %s asks for reasons, which ranked answers do not have: left out", left_out)
    return ranked


def _tables(results: Sequence[Result], failed: Mapping[str, str], thresholds: Collection[float]) -> list[Table]:
    """Return the tables of the models that were scored on one config of one data set."""
    from merge_snli.answers.data import AGREEMENT
    from merge_snli.comparison.detectable import too_few_notes
    from merge_snli.comparison.standings import standings
    from merge_snli.results.alignment import aligned
    from merge_snli.results.grouping import names_of
    from merge_snli.results.prompts import group_prompts
    from merge_snli.results.score_table import part_tables, score_table

    names = names_of(results)
    scores = score_table(results, failed, names=names, thresholds=thresholds)
    models = group_prompts(aligned(results))
    finding = standings(dict(zip(names_of(models), models, strict=True))).finding if len(models) > 1 else ""
    tables = [replace(scores, finding=finding, notes=(*scores.notes, *too_few_notes(results)))]
    if not results or (results[0].has_seeds and not any(AGREEMENT in result.parts for result in results)):
        return tables
    return tables + part_tables(results, names=names, columns=(AGREEMENT,) if results[0].has_seeds else None)


def _dataset_id(arguments: Namespace) -> str | None:
    """Return the Hub id of the data set for `--eval-results`, or None without this option."""
    from merge_snli.base.hub_ids import split_revision
    from merge_snli.results.eval_results import check_dataset_id

    if arguments.eval_results is None:
        return None
    folder = Path(arguments.dataset)
    # A relative folder such as data/merge_snli looks like a Hub id.
    dataset_id = arguments.eval_results or (str(folder.resolve()) if folder.is_dir() else arguments.dataset)
    check_dataset_id(dataset_id)
    return split_revision(dataset_id)[0]


def _inputs(arguments: Namespace, options: ScoreOptions) -> tuple[str | ProblemOptions, Any]:
    """Return the data set, or with `--group-column` how to read it, and its source.

    Raises:
        InputError: If the options for reading do not apply to the data set.
    """
    from merge_snli.answers.source import RECORDED

    source = options.source
    reading = {name: value for name, value in vars(arguments).items() if name in SOURCE_OPTIONS}
    if options.group_column is not None:
        if source is not None:
            raise InputError("⟦source⟧ is for MERGE data sets, not for pairs in groups with ⟦group_column⟧; remove it")
        return ProblemOptions(problems=arguments.dataset, **reading), None
    if reading and source in (None, RECORDED):
        missing = "a FILE or ID as ⟦source⟧, or ⟦group_column⟧"
        needed = missing if source is None else "another ⟦source⟧ than recorded"
        raise InputError(f"{param(next(iter(reading)))} needs {needed}; add it, or remove the option")
    return arguments.dataset, ProblemOptions(problems=source, **reading) if reading else source


def _write_eval_results(dataset_id: str, digest: str, out: Path) -> None:
    """Write all results on the data set in the folder, including those on other configs."""
    from merge_snli.results.eval_results import write_eval_results
    from merge_snli.results.store import read_results

    if any(out.glob("*.json")):
        same_data = [result for result in read_results(out) if result.dataset.digest == digest]
        write_eval_results(same_data, out, dataset_id=dataset_id)
