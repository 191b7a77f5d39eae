"""`merge-snli harness`: write task files for lm-evaluation-harness, or estimate what asking a language model costs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import DATASET, TABLE_FORMATS, TEXT, add_format, add_list, write_tables

if TYPE_CHECKING:
    from merge_snli.language_models.prompts import Prompt
    from merge_snli.language_models.questions import Questions

# Number of examples in the task files, or fewer if there are not more problems.
#
# `--num_fewshot N` of lm-evaluation-harness shows the first N.
OFFERED_SHOTS = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar=DATASET, help="data set; with --group-column any labeled pairs")
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
    add_list(
        parser.add_argument,
        "--prompt",
        default=("all",),
        metavar="NAME|FILE|all",
        help="prompts: names of bundled ones, TOML files, or all (default)",
    )
    parser.add_argument(
        "--group-column", metavar="NAME", help="DATA is a file, a folder or a Hub id of pairs; this column groups them"
    )
    parser.add_argument(
        "--shots-from",
        default="demo:problems",
        metavar="FILE|ID",
        help="problems to draw few-shot examples from; ID:SPLIT names a split (default: %(default)s)",
    )
    parser.add_argument("--estimate", action="store_true", help="print calls and input tokens, and write nothing")
    parser.add_argument(
        "--show-prompts", action="store_true", help="print the prompts in full, about one problem, and write nothing"
    )
    parser.add_argument(
        "--tokenizer", metavar="DIR|ID", help="tokenizer for --estimate (default: a token per 4 characters)"
    )
    add_format(parser, *TABLE_FORMATS)
    parser.epilog = (
        "examples:\n"
        "  merge-snli harness ORG/merge_snli --config noun --estimate\n"
        "  merge-snli harness demo:dataset --config noun --out tasks\n"
        "  lm_eval --model hf --model_args pretrained=DIR --include_path tasks --tasks merge_snli_noun_word \\\n"
        "    --num_fewshot 3 --log_samples --output_path logs\n"
        "  merge-snli harness demo:dataset --prompt letter my_prompt.toml --show-prompts"
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the task files and print their paths, or print the estimates.

    Raises:
        InputError: If the data set does not have what the options name, or the options do not fit together.
    """
    from merge_snli.dataset.folders import check_out
    from merge_snli.language_models.prompts import read_prompts
    from merge_snli.language_models.questions import Scope, read_questions
    from merge_snli.language_models.shots import shots_for
    from merge_snli.language_models.task_files import write_task_files

    _check_options(arguments)
    if arguments.out is not None:
        check_out(arguments.out)  # before the shots are drawn
    prompts = read_prompts(arguments.prompt)
    scope = Scope(
        config=arguments.config,
        subsample=arguments.subsample,
        seeds=arguments.seeds,
        limit_seeds=arguments.limit_seeds,
        group_column=arguments.group_column,
    )
    asked = read_questions(arguments.dataset, scope)
    if arguments.out is None:
        _print(arguments, asked, prompts)
        return
    shots = shots_for(asked.data, arguments.shots_from, OFFERED_SHOTS, at_least=1)
    paths = write_task_files(asked, prompts, shots, arguments.out)
    sys.stdout.writelines(f"{path}\n" for path in paths)


def _check_options(arguments: argparse.Namespace) -> None:
    """Check that the options say one thing to do, and fit it."""
    if [arguments.estimate, arguments.show_prompts, arguments.out is not None].count(True) != 1:
        raise InputError(f"give either {param('out')} for task files, {param('estimate')} or {param('show_prompts')}")
    if not arguments.estimate and (arguments.tokenizer is not None or arguments.format != TEXT):
        option = "tokenizer" if arguments.format == TEXT else "format"
        raise InputError(f"{param(option)} needs {param('estimate')}; add {param('estimate', True)}")


def _print(arguments: argparse.Namespace, asked: Questions, prompts: Sequence[Prompt]) -> None:
    """Print the prompts or the estimates."""
    from merge_snli.language_models.shots import fill_prompt
    from merge_snli.language_models.task_files import estimate, estimate_table

    filled = [fill_prompt(prompt, asked.data, shots_from=arguments.shots_from) for prompt in prompts]
    if arguments.show_prompts:
        first = asked.questions[0]
        sys.stdout.write("\n".join(each.markdown(first.premise, first.hypothesis) for each in filled))
        return
    estimates = [estimate(asked.questions, each, arguments.tokenizer) for each in filled]
    write_tables(
        arguments.format,
        [estimate_table(estimates)],
        document=lambda: {"estimates": estimates},
    )


def _number_or_name(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text
