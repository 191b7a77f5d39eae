"""`merge-snli publish`: a data set, its loading script and the metric on the Hub."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", nargs="?", metavar="DIR", help="a data set's folder")
    parser.add_argument("--repo", required=True, metavar="ORG/NAME", help="the data set's repository on the Hub")
    parser.add_argument("--private", action="store_true", help="make new repositories private")
    parser.add_argument("--create-pr", action="store_true", help="propose the data in a pull request")
    parser.add_argument(
        "--revision", default="main", metavar="BRANCH", help="a branch for a draft, without tag and script"
    )
    parser.add_argument("--metric-space", metavar="ORG/pattern_accuracy", help="the Space that gets the metric")
    parser.add_argument("--license", metavar="ID", help="licence of the problems, where the record says none")
    parser.add_argument("--dry-run", action="store_true", help="print files and commits, and ask the Hub nothing")
    results = parser.add_argument_group("results of a model, proposed to its repository, instead of a data set")
    results.add_argument(
        "--eval-results", nargs="+", metavar="RESULT.json", type=Path, help="what merge-snli score wrote"
    )
    results.add_argument("--model", metavar="ORG/NAME", help="the model's repository on the Hub")


def run(arguments: argparse.Namespace) -> int:
    """Publish, and print what was done."""
    if (arguments.eval_results is None) != (arguments.model is None):
        raise InputError("--eval-results and --model go together: the results, and the repository that they are for")
    if (arguments.eval_results is None) != (arguments.folder is not None):
        raise InputError("give the folder of a data set, or the results of a model with --eval-results and --model")
    _show_progress_to_people_only()
    return _publish(arguments) if arguments.eval_results is None else _propose(arguments)


def _show_progress_to_people_only() -> None:
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()


def _publish(arguments: argparse.Namespace) -> int:
    from merge_snli.dataset import find_dataset
    from merge_snli.publishing import plan, publish
    from merge_snli.publishing.hub import find_api
    from merge_snli.publishing.plan import check_names, plan_text
    from merge_snli.publishing.publish import published_text

    if not Path(arguments.folder).is_dir():
        raise InputError(f"no data set at {arguments.folder}: the folder does not exist")
    where = {name: getattr(arguments, name) for name in ("revision", "create_pr", "metric_space")}
    check_names(arguments.repo, **where)
    source = find_dataset(arguments.folder)
    api = None if arguments.dry_run else find_api()
    # First of all, since a record and a card can be written anew of a sound data set only.
    check_sound(source)
    planned = plan(source, arguments.repo, license_id=arguments.license, **where)
    if api is None:
        sys.stdout.write(plan_text(planned))
        return 0
    done = publish(api, planned, private=arguments.private, create_pr=arguments.create_pr)
    sys.stdout.write(published_text(done))
    return 0


def check_sound(source: MergeDataset) -> None:
    """Refuse a data set that is not what its run recorded.

    Raises:
        InputError: Names the first finding.
    """
    from merge_snli.validation import validate

    findings = validate(source).findings
    if findings:
        more = f" and {len(findings) - 1:,} more findings" if len(findings) > 1 else ""
        raise InputError(
            f"{source.folder} is not published, since it is not what its run recorded ({findings[0]}{more}): see "
            f"merge-snli validate {source.folder}, and generate it again"
        )


def _propose(arguments: argparse.Namespace) -> int:
    from merge_snli.publishing.hub import find_api
    from merge_snli.publishing.plan import branch_text
    from merge_snli.publishing.results import propose_results, results_branch
    from scoring.results.files import read_result

    results = [read_result(path) for path in arguments.eval_results]
    branch = results_branch(results, model=arguments.model, dataset=arguments.repo)
    if arguments.dry_run:
        sys.stdout.write(branch_text(branch))
        return 0
    pushed = propose_results(find_api(), results, model=arguments.model, dataset=arguments.repo)
    told = f"pull request {pushed.pull_request}" if pushed.pull_request else f"{branch.title} has these results already"
    sys.stdout.write(f"{told}\n")
    return 0
