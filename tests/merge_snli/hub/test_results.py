"""Results of a model, proposed to its repository in a pull request."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from datasets import load_dataset

from merge_snli import score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.dataset.stored import find_dataset
from merge_snli.hub.contents import eval_yaml
from merge_snli.hub.plan import results_branch
from merge_snli.hub.publish import Pushed, push
from merge_snli.scoring.store import write_result
from tests.merge_snli.hub.conftest import OWN, REPO

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from merge_snli.scoring.result import Result
    from tests.hub.server import Hub

MODEL, PATH = "org/nli", ".eval_results/merge_snli.yaml"


@pytest.fixture(scope="module")
def result() -> Result:
    """A result of a model on the Hub."""
    return of_hub_model(score(lambda pairs: [0] * len(pairs), OWN, config="adj", name=MODEL))


def of_hub_model(scored: Result) -> Result:
    """Return a result as if it were of a commit on the Hub."""
    model = dataclasses.replace(scored.model, revision="c0ffee" * 6 + "beef")
    return dataclasses.replace(scored, model=model, run=dataclasses.replace(scored.run, dtype="float32"))


def test_values_are_those_of_the_tasks_in_eval_yaml() -> None:
    """The task is computed as `eval.yaml` says: every row of its split, its target, its scorer's pattern."""
    data = find_dataset(str(OWN))
    tasks = {task["id"]: task for task in yaml.safe_load(eval_yaml(data))["tasks"]}
    results = [of_hub_model(score(numbered, OWN, config=task["config"], name=MODEL)) for task in tasks.values()]
    file = results_branch(results, model=MODEL, dataset=REPO).files[PATH]
    entries = yaml.safe_load(Path(file).read_bytes() if isinstance(file, Path) else file)
    assert [entry["dataset"]["task_id"] for entry in entries] == [*tasks]
    for entry, result, task in zip(entries, results, tasks.values(), strict=True):
        rows = load_dataset(str(OWN), task["config"], split=task["split"])
        answers = numbered([(row[task["field_spec"]["input"]], row["hypothesis"]) for row in rows])
        [pattern] = [scorer["args"]["pattern"] for scorer in task["scorers"]]
        found = [match[1] if (match := re.search(pattern, str(answer))) else None for answer in answers]
        right = [answer == str(row[task["field_spec"]["target"]]) for answer, row in zip(found, rows, strict=True)]
        assert entry["value"] == round(100 * sum(right) / len(right), 2)
        assert entry["value"] != round(100 * (result.scores.sample_accuracy.mean or 0), 2)


def numbered(pairs: list[tuple[str, str]]) -> list[int]:
    """Answer with a label that depends on the letters of the pair only."""
    return [sum(map(ord, premise + hypothesis)) % 3 for premise, hypothesis in pairs]


def test_results_that_are_not_scores_of_a_task(result: Result, caplog: pytest.LogCaptureFixture) -> None:
    short = dataclasses.replace(result, left_out=dataclasses.replace(result.left_out, rows=1))
    part = of_hub_model(score(numbered, OWN, config="adj", name=MODEL, limit_seeds=5))
    two_way = of_hub_model(score(lambda pairs: ["not_entailment"] * len(pairs), OWN, config="adj", name=MODEL))
    for other in (short, part, two_way):
        with pytest.raises(InputError, match="no result is of a commit of org/nli"):
            results_branch([other], model=MODEL, dataset=REPO)
    assert (caplog.text.count("is over all variants"), caplog.text.count("two others")) == (2, 1)


def propose(api: HfApi, result: Result, model: str = MODEL) -> Pushed:
    return push(api, results_branch([result], model=model, dataset=REPO), create_pr=True)


def test_results_are_proposed_once(hub: Hub, api: HfApi, result: Result) -> None:
    repo = hub.storage.create("model", MODEL)
    hub.storage.put(repo, {"config.json": b"{}", "README.md": b"# A model"})
    first, second = (propose(api, result) for _ in range(2))
    assert first.pull_request == second.pull_request == f"{hub.url}/{MODEL}/discussions/1"
    assert list(repo.pull_requests) == [1]
    assert set(hub.storage.files(repo)) == {".gitattributes", "README.md", "config.json"}
    proposed = hub.storage.files(repo, "refs/pr/1")
    assert set(proposed) == {".gitattributes", "README.md", "config.json", PATH}
    entries = yaml.safe_load(proposed[PATH])
    assert [entry["dataset"]["task_id"] for entry in entries] == ["adj_sample_accuracy"]
    assert {entry["dataset"]["id"] for entry in entries} == {REPO}


def test_published_results_need_no_pull_request(hub: Hub, api: HfApi, result: Result) -> None:
    repo = hub.storage.create("model", MODEL)
    propose(api, result)
    repo.branches["main"] = repo.pull_requests.pop(1).oid
    assert propose(api, result).pull_request is None
    assert repo.pull_requests == {}


def test_results_of_another_model_or_of_a_folder(api: HfApi, result: Result) -> None:
    with pytest.raises(InputError, match="model is org/other, but a result is of org/nli"):
        propose(api, result, "org/other")
    of_folder = dataclasses.replace(result, model=dataclasses.replace(result.model, revision=None))
    with pytest.raises(InputError, match="no result is of a commit of org/nli"):
        propose(api, of_folder)


def test_missing_model(hub: Hub, api: HfApi, result: Result) -> None:
    with pytest.raises(InputError, match="org/nli does not exist on the Hub"):
        propose(api, result)


def test_command(hub: Hub, token: str, result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.storage.create("model", MODEL)
    command = ["publish", "--repo", REPO, "--eval-results", str(write_result(result, tmp_path)), "--model", MODEL]
    assert main([*command, "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"model {MODEL}, branch main\n .*\n +\d+ bytes  {PATH.partition('/')[0]}/\*, 1 file\n", printed)
    assert hub.requests == []
    assert main(command) == 0
    assert capsys.readouterr().out == f"pull request {hub.url}/{MODEL}/discussions/1\n"
