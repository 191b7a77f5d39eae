"""`merge-snli publish`: a data set, its loading script and the metric on the Hub."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from merge_snli.errors import InputError


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
        raise InputError("--eval-results and --model go together: pass both or neither")
    if (arguments.eval_results is None) != (arguments.folder is not None):
        raise InputError("give the folder of a data set or --eval-results, but not both")
    _show_progress_to_people_only()
    return _publish(arguments) if arguments.eval_results is None else _propose(arguments)


def _show_progress_to_people_only() -> None:
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()


def _publish(arguments: argparse.Namespace) -> int:
    from merge_snli.dataset import find_dataset
    from merge_snli.publishing import plan, publish
    from merge_snli.publishing.checks import check_arguments, check_sound
    from merge_snli.publishing.hub import find_api
    from merge_snli.publishing.plan import plan_text
    from merge_snli.publishing.publish import published_text

    if not Path(arguments.folder).is_dir():
        raise InputError(f"{arguments.folder} does not exist: pass the folder of a data set")
    names = {name: getattr(arguments, name) for name in ("revision", "create_pr", "metric_space")}
    check_arguments(arguments.repo, **names)
    dataset = find_dataset(arguments.folder)
    api = None if arguments.dry_run else find_api()
    check_sound(dataset)
    planned = plan(dataset, arguments.repo, license_id=arguments.license, **names)
    if api is None:
        sys.stdout.write(plan_text(planned))
        return 0
    published = publish(api, planned, private=arguments.private, create_pr=arguments.create_pr)
    sys.stdout.write(published_text(published))
    return 0


def _propose(arguments: argparse.Namespace) -> int:
    from merge_snli.publishing.hub import find_api
    from merge_snli.publishing.plan import branch_text
    from merge_snli.publishing.results import propose_results, proposed_text, results_branch
    from scoring.results.files import read_result

    results = [read_result(path) for path in arguments.eval_results]
    names = {"model": arguments.model, "dataset": arguments.repo}
    if arguments.dry_run:
        sys.stdout.write(branch_text(results_branch(results, **names)))
        return 0
    sys.stdout.write(proposed_text(propose_results(find_api(), results, **names)))
    return 0
