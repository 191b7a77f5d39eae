r"""`merge-snli harness`: write task files for lm-evaluation-harness, or estimate what asking a language model costs.

examples:
  merge-snli harness ORG/merge_snli --config noun --estimate
  merge-snli harness demo:dataset --config noun --out tasks
  lm_eval --model hf --model_args pretrained=DIR --include_path tasks --tasks merge_snli_noun_word \
    --num_fewshot 3 --log_samples --output_path logs
  merge-snli harness demo:dataset --prompt letter my_prompt.toml --show-prompts
"""

import sys
from argparse import ArgumentParser, Namespace

from merge_snli.base.errors import InputError
from merge_snli.cli.arguments import ASSUMED, add, add_assumptions, add_format, add_list, add_orders, assumed, refuse
from merge_snli.cli.option_arguments import given
from merge_snli.cli.output import TEXT, write_tables

# Number of examples in the task files, or fewer if there are not more problems.
#
# `--num_fewshot N` of lm-evaluation-harness shows the first N.
OFFERED_SHOTS = 9


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "dataset DATA", "data set; with --group-column any labeled pairs")
    add(parser, "--out DIR", "folder for the task files")
    add(parser, "--config CONFIG", "all, noun, verb, adj or adv (default: %(default)s)", default="all")
    add(
        parser,
        "--subsample N|all",
        "subsample whose variants are the questions, or all for every variant (default: %(default)s)",
        type=lambda text: int(text) if text.isdecimal() else text,
        default=0,
    )
    add(parser, "--seeds SEEDS", "with, without, or only the seeds (default: %(default)s)", default="with")
    add(parser, "--limit-seeds N", "ask N seeds and their variants only")
    add_list(
        parser,
        "--prompt NAME|FILE|all",
        "prompts: names of bundled ones, TOML files, or all (default: all; for other tasks than NLI, task)",
        default=(),
    )
    add_orders(parser)
    add(parser, "--group-column NAME", "DATA is a file, a folder or a Hub id of pairs; this column groups them")
    add(
        parser,
        "--shots-from FILE|ID",
        "problems to draw few-shot examples from; ID:SPLIT names a split (default: demo:problems for NLI)",
    )
    add(parser, "--estimate", "print calls, tokens, cost and the expected interval of PA")
    add(parser, "--show-prompts", "print the prompts in full, about one problem, and write nothing")
    add_assumptions(parser, "200 if a prompt asks for reasons, otherwise 0")
    add_format(parser)


def run(arguments: Namespace) -> None:
    """Write the task files and print their paths, or print the prompts or the estimates."""
    from merge_snli.language_models.estimates import Assumptions, estimate, estimate_table, half_widths
    from merge_snli.language_models.questions import Scope, read_questions
    from merge_snli.language_models.shots import SHOTS_FROM, fill_prompt, shots_for
    from merge_snli.language_models.task_files import check_tasks_folder, write_task_files
    from merge_snli.models.filled_prompt import in_orders
    from merge_snli.models.prompts import ALL_PROMPTS, TASK_PROMPT, read_prompts

    _check_options(arguments)
    if arguments.out is not None:
        check_tasks_folder(arguments.out)
    read = read_questions(arguments.dataset, Scope(**given(arguments, Scope)))
    data = read.data
    shots_from = arguments.shots_from or SHOTS_FROM
    named = read_prompts(arguments.prompt or (ALL_PROMPTS if data.is_nli else TASK_PROMPT))
    prompts = []
    for prompt in named:
        prompts += in_orders(prompt, data.label_names, arguments.orders)
    if arguments.out is not None:
        offers = data.is_nli or arguments.shots_from or any(prompt.shots for prompt in prompts)
        shots = shots_for(data, shots_from, OFFERED_SHOTS if offers else 0, at_least=1)
        sys.stdout.writelines(f"{path}\n" for path in write_task_files(read, prompts, shots, arguments.out))
        return
    filled = [fill_prompt(prompt, data, shots_from=shots_from) for prompt in prompts]
    if arguments.show_prompts:
        first = read.questions[0]
        sys.stdout.write("\n".join(prompt.markdown(first.premise, first.hypothesis) for prompt in filled))
        return
    assumptions = Assumptions(**assumed(arguments))
    estimates = [estimate(read.questions, prompt, assumptions) for prompt in filled]
    expected = half_widths(read.questions)
    write_tables(
        arguments.format,
        [estimate_table(estimates, expected, arguments.tokenizer)],
        document=lambda: {"estimates": estimates, "pattern_accuracy": expected},
    )


def _check_options(arguments: Namespace) -> None:
    """Check that the options say one thing to do, and fit it."""
    if [arguments.estimate, arguments.show_prompts, arguments.out is not None].count(True) != 1:
        raise InputError("give either ⟦out⟧ for task files, ⟦estimate⟧ or ⟦show_prompts⟧")
    of_estimate = ASSUMED if arguments.format == TEXT else (*ASSUMED, "format")
    if not arguments.estimate:
        refuse(arguments, of_estimate, "needs ⟦estimate⟧; add ⟦estimate=True⟧")
    assumed(arguments)
