"""Results of a model, proposed to its repository as a pull request: `.eval_results/merge_snli.yaml`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.publishing.content import Content
from merge_snli.publishing.hub import no_addresses_logged
from merge_snli.publishing.plan import Branch, check_repo_id
from merge_snli.publishing.push import Pushed, push

if TYPE_CHECKING:
    from collections.abc import Sequence

    from huggingface_hub import HfApi

    from scoring.results.result import Result

ANY_FILE = ".gitattributes"
"""What every repository of the Hub has: a model's repository is never taken for a stranger's."""


def results_branch(results: Sequence[Result], *, model: str, dataset: str) -> Branch:
    """Say what a model's repository is to hold.

    Args:
        results: Results of that model on configs of one data set.
        model: The model's id on the Hub.
        dataset: The data set's id on the Hub.

    Raises:
        InputError: Where an id is none, or the results are of another model or of no commit of one.
    """
    from scoring.results.eval_results import PATH_IN_REPO, write_eval_results

    check_repo_id("--model", model)
    other = next((result.model.name for result in results if result.model.name != model), None)
    if other is not None:
        raise InputError(f"--model is {model}, but there are results of {other}: name its own results")
    with tempfile.TemporaryDirectory() as folder:
        written = write_eval_results(results, Path(folder), dataset_id=dataset)
        if not written:
            raise InputError(f"the results of {model} are of no commit on the Hub: score it in float32 by its Hub id")
        content = Content(written[0].read_bytes())
    message = f"Add results on {dataset}"
    return Branch(model, "model", "main", {PATH_IN_REPO: content}, message, ANY_FILE, re.compile(r"(?!)"))


def propose_results(api: HfApi, results: Sequence[Result], *, model: str, dataset: str) -> Pushed:
    """Open a pull request with a model's results; one that is open and holds them is taken for it.

    Raises:
        InputError: As `results_branch`, or where the Hub refuses or fails.
    """
    branch = results_branch(results, model=model, dataset=dataset)
    with no_addresses_logged():
        return push(api, branch, create_pr=True)
