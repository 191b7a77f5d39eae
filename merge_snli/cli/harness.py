"""`merge-snli harness`: write task files for lm-evaluation-harness, or estimate what asking a language model costs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import DATASET, TABLE_FORMATS, TEXT, add_format, write_tables

# Number of examples in the task files, or fewer if there are not more problems.
#
# `--num_fewshot N` of lm-evaluation-harness shows the first N.
OFFERED_SHOTS = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar=DATASET, help="folder or Hub id of a MERGE data set")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the task files")
    parser.add_argument("--config", default="all", help="all, noun, verb, adj or adv (default: %(default)s)")
    parser.add_argument(
        "--subsample",
        default=0,
        type=_number_or_name,
        metavar="N|all",
        help="subsample whose variants are the questions, or all for every variant (default: %(default)s)",
    )
    parser.add_argument("--seeds", default="with", help="with, without, or only the seeds (default: %(default)s)")
    parser.add_argument("--limit-seeds", type=int, metavar="N", help="ask N seeds and their variants only")
    parser.add_argument(
        "--shots-from",
        default="demo:problems",
        metavar="FILE|ID",
        help="problems to draw few-shot examples from; ID:SPLIT names a split (default: %(default)s)",
    )
    parser.add_argument("--estimate", action="store_true", help="print calls and input tokens, and write nothing")
    parser.add_argument(
        "--tokenizer", metavar="DIR|ID", help="tokenizer for --estimate (default: a token per 4 characters)"
    )
    add_format(parser, *TABLE_FORMATS)
    parser.epilog = (
        "examples:\n"
        "  merge-snli harness ORG/merge_snli --config noun --estimate\n"
        "  merge-snli harness demo:dataset --config noun --out tasks\n"
        "  lm_eval --model hf --model_args pretrained=DIR --include_path tasks --tasks merge_snli_noun \\\n"
        "    --num_fewshot 3 --log_samples --output_path logs"
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the task files and print their paths, or print the estimates.

    Raises:
        InputError: If the data set does not have what the options name, or the options do not fit together.
    """
    from merge_snli.dataset.folders import check_out
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.language_models.prompts import DEFAULT_SHOTS, FEW_SHOT, PROMPTS, Prompt, shots_for
    from merge_snli.language_models.questions import Scope, read_questions
    from merge_snli.language_models.task_files import estimate, estimate_table, write_task_files

    if arguments.estimate == (arguments.out is not None):
        raise InputError(f"give either {param('out')} for task files or {param('estimate')}")
    if not arguments.estimate and (arguments.tokenizer is not None or arguments.format != TEXT):
        option = "tokenizer" if arguments.format == TEXT else "format"
        raise InputError(f"{param(option)} needs {param('estimate')}; add {param('estimate', True)}")
    if arguments.out is not None:
        check_out(arguments.out)  # before the shots are drawn
    scope = Scope(
        config=arguments.config,
        subsample=arguments.subsample,
        seeds=arguments.seeds,
        limit_seeds=arguments.limit_seeds,
    )
    asked = read_questions(find_dataset(arguments.dataset), scope)
    count = DEFAULT_SHOTS if arguments.estimate else OFFERED_SHOTS
    shots = shots_for(asked.data, arguments.shots_from, count, at_least=1)
    if not arguments.estimate:
        paths = write_task_files(asked, shots, arguments.out)
        sys.stdout.writelines(f"{path}\n" for path in paths)
        return
    prompts = [Prompt(name, asked.data.label_names, shots if name == FEW_SHOT else ()) for name in PROMPTS]
    estimates = [estimate(asked.questions, prompt, arguments.tokenizer) for prompt in prompts]
    write_tables(
        arguments.format,
        [estimate_table(estimates)],
        document=lambda: {"estimates": estimates},
    )


def _number_or_name(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text
