"""`merge-snli publish`: upload a data set, its loading script and the metric to the Hub.

examples:
  merge-snli publish merge_snli --repo ORG/merge_snli --dry-run
  merge-snli publish --repo ORG/merge_snli --eval-results results/*.json --model ORG/NAME
"""

import logging
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.base.templates import printed
from merge_snli.cli.arguments import add, add_list
from merge_snli.cli.option_arguments import given
from merge_snli.dataset.stored import find_local


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "dataset DATA", "folder of the data set, or demo:dataset", nargs="?")
    add(parser, "--repo ORG/NAME", "repository of the data set on the Hub", required=True)
    add(parser, "--private", "create new repositories as private")
    add(parser, "--create-pr", "open a pull request instead of committing to the branch")
    add(
        parser,
        "--revision BRANCH",
        "branch of the data; other branches get no tag and no loading script (default: %(default)s)",
        default="main",
    )
    add(parser, "--metric-space ORG/pattern_accuracy", "Space to upload the metric to")
    add(parser, "--license ID", "license of the problems, if the run record has none", dest="license_id")
    add(parser, "--dry-run", "print files and commits without contacting the Hub")
    group = parser.add_argument_group("propose results to a model's repository instead of publishing a data set")
    add_list(group, "--eval-results RESULT.json", "result files of merge-snli score", item=Path)
    add(group, "--model ORG/NAME", "repository of the model on the Hub")


def run(arguments: Namespace) -> None:
    """Publish the data set or propose the results, and print a summary."""
    if (arguments.eval_results is None) != (arguments.model is None):
        raise InputError("⟦eval_results⟧ and ⟦model⟧ go together: pass both or neither")
    if (arguments.eval_results is None) != (arguments.dataset is not None):
        raise InputError("give the folder of a data set or ⟦eval_results⟧, but not both")
    from huggingface_hub.utils.tqdm import disable_progress_bars

    # It warns of each commit without changes, which the summary calls unchanged.
    logging.getLogger("huggingface_hub.hf_api").setLevel(logging.ERROR)
    if not sys.stderr.isatty():
        disable_progress_bars()
    if arguments.eval_results is None:
        _publish(arguments)
    else:
        _propose(arguments)


def _publish(arguments: Namespace) -> None:
    from merge_snli.hub.plan import Target, plan_text
    from merge_snli.hub.publish import PUBLISHED, checked_plan, publish

    target = given(arguments, Target)
    if arguments.dry_run:
        sys.stdout.write(plan_text(checked_plan(find_local(arguments.dataset), Target(**target))))
    else:
        published = publish(arguments.dataset, private=arguments.private, **target)
        sys.stdout.write(printed(PUBLISHED, published=published))


def _propose(arguments: Namespace) -> None:
    from merge_snli.hub.client import find_api
    from merge_snli.hub.plan import branch_text, results_branch
    from merge_snli.hub.publish import PROPOSED, push
    from merge_snli.results.store import read_result

    results = [read_result(path) for path in arguments.eval_results]
    branch = results_branch(results, model=arguments.model, dataset=arguments.repo)
    if arguments.dry_run:
        sys.stdout.write(branch_text(branch))
    else:
        sys.stdout.write(printed(PROPOSED, pushed=push(find_api(), branch)))
