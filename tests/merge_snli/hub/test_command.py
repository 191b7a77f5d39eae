"""The command `merge-snli publish`, and results of a model that are proposed to its repository."""

import dataclasses
import json
import logging
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import HfApi

import merge_snli
from merge_snli import score
from merge_snli.dataset.record_file import as_json
from merge_snli.dataset.stored import MergeDataset
from merge_snli.hub.plan import results_branch
from merge_snli.hub.publish import Pushed, push
from merge_snli.results.result import Result
from merge_snli.results.store import write_result
from merge_snli.validation import Finding, ValidationReport
from tests.commands import Command
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.merge_snli.hub.conftest import OWN, REPO, SPACE
from tests.oracles import always, pair_of, refused, rows_of


def find(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    """Validate without a check, which has its own tests."""
    monkeypatch.setattr(
        "merge_snli.validation.validate", lambda dataset: ValidationReport(dataset.name, findings, {}, ())
    )


@pytest.fixture
def without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    find(monkeypatch)


@pytest.mark.usefixtures("without_validation")
def test_output(hub: Hub, token: str, dataset: MergeDataset, command: Command) -> None:
    printed = command("publish", dataset.folder, "--repo", REPO, "--metric-space", SPACE).out
    places = (f"data set {REPO}, branch main", f"data set {REPO}, branch script", f"Space {SPACE}, branch main")
    commits = "".join(f"{place}: commit .*\n" for place in places)
    assert re.match(rf"{commits}tag v1\.0\..*\n{hub.url}/datasets/{REPO}\n", printed)


@pytest.mark.usefixtures("without_validation")
def test_publish_in_python(hub: Hub, token: str, dataset: MergeDataset) -> None:
    published = merge_snli.publish(dataset, REPO, revision="draft")
    assert published.url == f"{hub.url}/datasets/{REPO}"
    assert published.tag is None
    assert "run.json" in hub.storage.files(hub.storage.repos["dataset", REPO], "draft")


@pytest.mark.usefixtures("without_validation")
@pytest.mark.parametrize(("options", "place"), [((), "branch main"), (("--create-pr",), "pull request to main")])
def test_dry_run_sends_no_request(
    options: tuple[str, ...], place: str, hub: Hub, dataset: MergeDataset, command: Command
) -> None:
    for name in (dataset.folder, "demo:dataset"):
        printed = command("publish", name, "--repo", REPO, *options, "--dry-run").out
        assert printed.startswith(f"data set {REPO}, {place}\n")
    assert hub.requests == []


@pytest.mark.parametrize(
    ("offline", "message"),
    [(False, "log in with `hf auth login` or set HF_TOKEN"), (True, "HF_HUB_OFFLINE is set")],
)
@pytest.mark.usefixtures("without_validation")
def test_missing_token_and_offline(
    hub: Hub,
    dataset: MergeDataset,
    offline: bool,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", offline)
    assert message in command("publish", dataset.folder, "--repo", REPO, code=2).err
    assert hub.requests == []


def test_findings_prevent_publishing(
    hub: Hub, token: str, dataset: MergeDataset, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    find(monkeypatch, Finding("data/all/test.parquet", 3, "label", "is 2 where the seed has 0"))
    message = command("publish", dataset.folder, "--repo", REPO, code=2).err
    assert "(data/all/test.parquet, row 3, label: is 2 where the seed has 0)" in message
    assert hub.requests == []


@pytest.mark.parametrize("path", ["README.md", "data/all/test.parquet", "data/seed/test.parquet"])
def test_a_missing_file(hub: Hub, dataset: MergeDataset, command: Command, path: str) -> None:
    (dataset.folder / path).unlink()
    arguments = ("publish", dataset.folder, "--repo", REPO)
    assert "no Hub token" in command(*arguments, code=2).err
    assert "does not pass validation" in command(*arguments, "--dry-run", code=2).err
    assert hub.requests == []


def test_a_damaged_record(dataset: MergeDataset, command: Command) -> None:
    change = as_json(dataset.record) | {"configs": {}, "generation": 3}
    (dataset.folder / "run.json").write_text(json.dumps(change), encoding="utf-8")
    assert "run.json" in command("publish", dataset.folder, "--repo", REPO, "--dry-run", code=2).err


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """A function that returns all that was logged and written to files of logs."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_DEBUG", True)
    caplog.set_level(logging.DEBUG)
    return lambda: [caplog.text, *(path.read_text() for path in tmp_path.glob("merge-snli-*.log"))]


@pytest.mark.parametrize("options", [{"status": 403}, {"status": 500, "times": 99}, {"cut": True, "times": 99}])
@pytest.mark.usefixtures("without_validation", "waits")
def test_token_is_not_shown_if_the_hub_refuses(
    hub: Hub,
    token: str,
    dataset: MergeDataset,
    command: Command,
    texts: Callable[[], list[str]],
    options: dict[str, Any],
) -> None:
    hub.faults.append(Fault("POST", "/commit/", **options))
    printed = command("publish", dataset.folder, "--repo", REPO, code=2)
    assert "no commit is confirmed" in printed.err
    assert token not in "".join((printed.out, printed.err, *texts()))


@pytest.mark.usefixtures("hub", "without_validation")
def test_token_is_not_in_the_log_of_an_internal_error(
    token: str,
    dataset: MergeDataset,
    command: Command,
    texts: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(api: object, plan: object, **options: object) -> None:
        raise AssertionError("a bug")

    monkeypatch.setattr("merge_snli.hub.publish.publish_plan", broken)
    printed = command("publish", dataset.folder, "--repo", REPO, code=1)
    _, log = texts()
    assert "a bug" in log
    assert token not in "".join((printed.out, printed.err, *texts()))


@pytest.mark.parametrize("broken", ["hf_not a token", "hf_tök", "hf_\x7f"])
@pytest.mark.usefixtures("without_validation")
def test_malformed_token_is_not_shown(
    hub: Hub,
    dataset: MergeDataset,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
    broken: str,
) -> None:
    monkeypatch.setenv("HF_TOKEN", broken)
    message = command("publish", dataset.folder, "--repo", REPO, code=2).err
    assert "the Hub token has invalid characters" in message
    assert broken not in message


MODEL, PATH = "org/nli", ".eval_results/merge_snli.yaml"


@pytest.fixture(scope="module")
def result() -> Result:
    """A result of a model on the Hub."""
    return of_hub_model(score(always(0), OWN, config="adj", name=MODEL))


def of_hub_model(scored: Result) -> Result:
    """Return a result as if it were of a commit on the Hub."""
    model = dataclasses.replace(scored.model, revision="c0ffee" * 6 + "beef")
    return dataclasses.replace(scored, model=model, run=dataclasses.replace(scored.run, dtype="float32"))


def test_values_are_shares_of_all_variants() -> None:
    """Not the means over the subsamples; which rows and labels those of a task are, `eval.yaml` says."""
    results = {config: of_hub_model(score(numbered, OWN, config=config, name=MODEL)) for config in ("all", "adj")}
    file = results_branch([*results.values()], model=MODEL, dataset=REPO).files[PATH]
    entries = yaml.safe_load(Path(file).read_bytes() if isinstance(file, Path) else file)
    for entry, (config, result) in zip(entries, results.items(), strict=True):
        rows = rows_of(OWN, config)
        answers = numbered([pair_of(row) for row in rows])
        right = [answer == row["label"] for answer, row in zip(answers, rows, strict=True)]
        assert entry["dataset"]["task_id"] == f"{config}_sample_accuracy"
        assert entry["value"] == round(100 * sum(right) / len(right), 2)
        assert entry["value"] != round(100 * (result.scores.sample_accuracy.mean or 0), 2)


def numbered(pairs: list[tuple[str, str]]) -> list[int]:
    """Answer with a label that depends on the letters of the pair only."""
    return [sum(map(ord, premise + hypothesis)) % 3 for premise, hypothesis in pairs]


def test_results_that_are_not_scores_of_a_task(result: Result, caplog: pytest.LogCaptureFixture) -> None:
    short = dataclasses.replace(result, left_out=dataclasses.replace(result.left_out, rows=1))
    part = of_hub_model(score(numbered, OWN, config="adj", name=MODEL, limit_seeds=5))
    two_way = of_hub_model(score(always("not_entailment"), OWN, config="adj", name=MODEL))
    for other in (short, part, two_way):
        refused("no result is of a commit of org/nli", results_branch, [other], model=MODEL, dataset=REPO)
    assert caplog.text.count("is over all variants") == 2
    assert caplog.text.count("two others") == 1


def propose(api: HfApi, result: Result, model: str = MODEL) -> Pushed:
    return push(api, results_branch([result], model=model, dataset=REPO))


def test_results_are_proposed_once(hub: Hub, api: HfApi, result: Result) -> None:
    repo = hub.storage.create("model", MODEL)
    hub.storage.put(repo, {"config.json": b"{}", "README.md": b"# A model"})
    for _ in range(2):
        assert propose(api, result).pull_request == f"{hub.url}/{MODEL}/discussions/1"
    assert list(repo.pull_requests) == [1]
    assert set(hub.storage.files(repo)) == {".gitattributes", "README.md", "config.json"}
    proposed = hub.storage.files(repo, "refs/pr/1")
    assert set(proposed) == {".gitattributes", "README.md", "config.json", PATH}
    (entry,) = yaml.safe_load(proposed[PATH])
    assert entry["dataset"]["task_id"] == "adj_sample_accuracy"
    assert entry["dataset"]["id"] == REPO


def test_published_results_need_no_pull_request(hub: Hub, api: HfApi, result: Result) -> None:
    repo = hub.storage.create("model", MODEL)
    propose(api, result)
    repo.branches["main"] = repo.pull_requests.pop(1).oid
    assert propose(api, result).pull_request is None
    assert repo.pull_requests == {}


def test_results_of_another_model_or_of_a_folder_and_a_missing_model(hub: Hub, api: HfApi, result: Result) -> None:
    of_folder = dataclasses.replace(result, model=dataclasses.replace(result.model, revision=None))
    refused("model is org/other, but a result is of org/nli", propose, api, result, "org/other")
    refused("no result is of a commit of org/nli", propose, api, of_folder)
    refused("org/nli does not exist on the Hub", propose, api, result)


def test_command(hub: Hub, token: str, result: Result, tmp_path: Path, command: Command) -> None:
    hub.storage.create("model", MODEL)
    arguments = ["publish", "--repo", REPO, "--eval-results", write_result(result, tmp_path), "--model", MODEL]
    printed = command(*arguments, "--dry-run").out
    assert re.search(
        rf"model {MODEL}, pull request to main\n .*\n +\d+ bytes  {PATH.partition('/')[0]}/\*, 1 file\n", printed
    )
    assert hub.requests == []
    assert command(*arguments).out == f"pull request {hub.url}/{MODEL}/discussions/1\n"
