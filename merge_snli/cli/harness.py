"""`merge-snli harness`: write task files for lm-evaluation-harness, or estimate what asking a language model costs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import DATASET, TABLE_FORMATS, add_format, add_list, write_tables

if TYPE_CHECKING:
    from merge_snli.language_models.questions import Questions
    from merge_snli.models.prompts import Prompt

# Number of examples in the task files, or fewer if there are not more problems.
#
# `--num_fewshot N` of lm-evaluation-harness shows the first N.
OFFERED_SHOTS = 9
# The options of an estimate.
ASSUMED = ("tokenizer", "reasoning_tokens", "input_price", "output_price")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar=DATASET, help="data set; with --group-column any labeled pairs")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the task files")
    parser.add_argument("--config", default="all", help="all, noun, verb, adj or adv (default: %(default)s)")
    parser.add_argument(
        "--subsample",
        default=0,
        type=lambda text: int(text) if text.isdecimal() else text,
        metavar="N|all",
        help="subsample whose variants are the questions, or all for every variant (default: %(default)s)",
    )
    parser.add_argument("--seeds", default="with", help="with, without, or only the seeds (default: %(default)s)")
    parser.add_argument("--limit-seeds", type=int, metavar="N", help="ask N seeds and their variants only")
    add_list(
        parser.add_argument,
        "--prompt",
        default=(),
        metavar="NAME|FILE|all",
        help="prompts: names of bundled ones, TOML files, or all (default: all; for other tasks than NLI, task)",
    )
    parser.add_argument(
        "--group-column", metavar="NAME", help="DATA is a file, a folder or a Hub id of pairs; this column groups them"
    )
    parser.add_argument(
        "--shots-from",
        metavar="FILE|ID",
        help="problems to draw few-shot examples from; ID:SPLIT names a split (default: demo:problems for NLI)",
    )
    parser.add_argument(
        "--estimate", action="store_true", help="print calls, tokens, cost and the expected interval of PA"
    )
    parser.add_argument(
        "--show-prompts", action="store_true", help="print the prompts in full, about one problem, and write nothing"
    )
    parser.add_argument(
        "--tokenizer", metavar="DIR|ID", help="tokenizer for --estimate (default: a token per 4 characters)"
    )
    parser.add_argument(
        "--reasoning-tokens",
        type=int,
        metavar="N",
        help="tokens of reasoning per call for --estimate (default: 200 if a prompt asks for reasons, otherwise 0)",
    )
    for kind in ("input", "output"):
        parser.add_argument(
            f"--{kind}-price", type=float, metavar="P", help=f"price of a million {kind} tokens for --estimate"
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
    from merge_snli.language_models.questions import Scope, read_questions
    from merge_snli.language_models.shots import SHOTS_FROM, shots_for
    from merge_snli.language_models.task_files import write_task_files
    from merge_snli.models.prompts import ALL_PROMPTS, TASK_PROMPT, read_prompts

    _check_options(arguments)
    scope = Scope(
        config=arguments.config,
        subsample=arguments.subsample,
        seeds=arguments.seeds,
        limit_seeds=arguments.limit_seeds,
        group_column=arguments.group_column,
    )
    asked = read_questions(arguments.dataset, scope)
    is_nli = asked.data.is_nli
    prompts = read_prompts(arguments.prompt or (ALL_PROMPTS if is_nli else TASK_PROMPT))
    if arguments.out is None:
        _print(arguments, asked, prompts)
        return
    offers = is_nli or arguments.shots_from or any(prompt.shots for prompt in prompts)
    shots = shots_for(asked.data, arguments.shots_from or SHOTS_FROM, OFFERED_SHOTS if offers else 0, at_least=1)
    paths = write_task_files(asked, prompts, shots, arguments.out)
    sys.stdout.writelines(f"{path}\n" for path in paths)


def _check_options(arguments: argparse.Namespace) -> None:
    """Check that the options say one thing to do, and fit it."""
    if [arguments.estimate, arguments.show_prompts, arguments.out is not None].count(True) != 1:
        raise InputError(f"give either {param('out')} for task files, {param('estimate')} or {param('show_prompts')}")
    given = [name for name in ASSUMED if getattr(arguments, name) is not None]
    given += ["format"] if arguments.format != TABLE_FORMATS[0] else []
    if not arguments.estimate and given:
        raise InputError(f"{param(given[0])} needs {param('estimate')}; add {param('estimate', True)}")
    for name in ASSUMED[1:]:
        if (getattr(arguments, name) or 0) < 0:
            raise InputError(f"{param(name)} is {getattr(arguments, name)}: give 0 or a larger number")
    if (arguments.input_price is None) != (arguments.output_price is None):
        raise InputError(f"a cost needs both prices: give {param('input_price')} and {param('output_price')}")


def _print(arguments: argparse.Namespace, asked: Questions, prompts: Sequence[Prompt]) -> None:
    """Print the prompts or the estimates."""
    from merge_snli.language_models.shots import SHOTS_FROM, fill_prompt
    from merge_snli.language_models.task_files import estimate, estimate_table, half_widths

    filled = [fill_prompt(prompt, asked.data, shots_from=arguments.shots_from or SHOTS_FROM) for prompt in prompts]
    if arguments.show_prompts:
        first = asked.questions[0]
        sys.stdout.write("\n".join(each.markdown(first.premise, first.hypothesis) for each in filled))
        return
    assumed = {name: getattr(arguments, name) for name in ASSUMED}
    estimates = [estimate(asked.questions, each, **assumed) for each in filled]
    expected = half_widths(asked.questions)
    write_tables(
        arguments.format,
        [estimate_table(estimates, expected, arguments.tokenizer)],
        document=lambda: {"estimates": estimates, "pattern_accuracy": expected},
    )
