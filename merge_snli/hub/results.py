"""Propose a model's results to its repository: a pull request with `.eval_results/merge_snli.yaml`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.hub.plan import MAIN, Branch, check_repo_id
from merge_snli.hub.publish import Pushed

if TYPE_CHECKING:
    from merge_snli.scoring.result import Result


def results_branch(results: Sequence[Result], *, model: str, dataset: str) -> Branch:
    """Return the file to propose to a model's repository.

    Args:
        results: Results of that model on configs of one data set.
        model: The model's id on the Hub.
        dataset: The data set's id on the Hub.

    Raises:
        InputError: If the model's id is invalid, or the results are not of a commit of that model.
    """
    from merge_snli.scoring.eval_results import PATH_IN_REPO, write_eval_results

    check_repo_id("model", model)
    other = next((result.model.name for result in results if result.model.name != model), None)
    if other is not None:
        raise InputError(f"{param('model')} is {model}, but a result is of {other}: pass results of one model")
    other = next((result.dataset.title for result in results if not result.has_seeds), None)
    if other is not None:
        raise InputError(f"a result is on {other}, which the Hub has no task for: pass results on MERGE data sets")
    with tempfile.TemporaryDirectory() as folder:
        written = write_eval_results(results, Path(folder), dataset_id=dataset)
        if not written:
            raise InputError(f"no result is of a commit of {model} on the Hub and on all rows: score its id in float32")
        content = written[0].read_bytes()
    return Branch(model, "model", MAIN, {PATH_IN_REPO: content}, f"Add results on {dataset}")


def proposed_text(pushed: Pushed) -> str:
    """Return the outcome of a push of results as one line."""
    if pushed.pull_request is None:
        return f"{pushed.branch.title} already has these results\n"
    return f"pull request {pushed.pull_request}\n"
