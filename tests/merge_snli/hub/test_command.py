"""The command `merge-snli publish`, and results of a model that are proposed to its repository."""

import dataclasses
import json
import logging
import re
import tempfile
from pathlib import Path

import pytest
import yaml
from datasets import load_dataset
from huggingface_hub import HfApi

import merge_snli
from merge_snli import score
from merge_snli.cli import main
from merge_snli.dataset.record_file import as_json
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.contents import eval_yaml
from merge_snli.hub.plan import results_branch
from merge_snli.hub.publish import Pushed, push
from merge_snli.results.result import Result
from merge_snli.results.store import write_result
from merge_snli.validation import Finding, ValidationReport
from tests.commands import Command
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.merge_snli.hub.conftest import OWN, REPO, SPACE
from tests.oracles import refused


def find(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    """Validate without a check, which has its own tests."""
    monkeypatch.setattr(
        "merge_snli.validation.validate", lambda dataset: ValidationReport(dataset.name, findings, {}, ())
    )


@pytest.fixture
def without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    find(monkeypatch)


@pytest.mark.usefixtures("without_validation")
def test_output(hub: Hub, token: str, dataset: MergeDataset, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(dataset.folder), "--repo", REPO, "--metric-space", SPACE]) == 0
    places = (f"data set {REPO}, branch main", f"data set {REPO}, branch script", f"Space {SPACE}, branch main")
    commits = "".join(f"{place}: commit .*\n" for place in places)
    assert re.match(rf"{commits}tag v1\.0\..*\n{hub.url}/datasets/{REPO}\n", capsys.readouterr().out)


@pytest.mark.usefixtures("without_validation")
def test_publish_in_python(hub: Hub, token: str, dataset: MergeDataset) -> None:
    published = merge_snli.publish(dataset, REPO, revision="draft")
    assert (published.url, published.tag) == (f"{hub.url}/datasets/{REPO}", None)
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
    find(monkeypatch, *[Finding("data/all/test.parquet", 3, "label", "is 2 where the seed has 0")] * 2)
    assert (
        "(data/all/test.parquet, row 3, label: is 2 where the seed has 0 and 1 more)"
        in command("publish", dataset.folder, "--repo", REPO, code=2).err
    )
    assert hub.requests == []


@pytest.mark.parametrize("path", ["README.md", "data/all/test.parquet", "data/seed/test.parquet", "run.json"])
def test_damaged_data_set(hub: Hub, dataset: MergeDataset, command: Command, path: str) -> None:
    damaged = dataset.folder / path
    if path == "run.json":
        damaged.write_text(json.dumps(as_json(dataset.record) | {"configs": {}, "generation": 3}), encoding="utf-8")
    else:
        damaged.unlink()
    for more in ([], ["--dry-run"]):
        expected = "run.json" if path == "run.json" else "does not pass validation" if more else "no Hub token"
        assert expected in command("publish", dataset.folder, "--repo", REPO, *more, code=2).err
    assert hub.requests == []


@pytest.mark.parametrize("fault", [{"status": 403}, {"status": 500, "times": 99}, {"cut": True, "times": 99}, None])
@pytest.mark.usefixtures("without_validation", "waits")
def test_token_is_never_shown(
    hub: Hub,
    token: str,
    dataset: MergeDataset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    fault: dict[str, int] | None,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_DEBUG", True)
    if fault is None:

        def broken(api: object, plan: object, **options: object) -> None:
            raise AssertionError("a bug")

        monkeypatch.setattr("merge_snli.hub.publish.publish", broken)
    else:
        hub.faults.append(Fault("POST", "/commit/", **fault))  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG):
        code = main(["publish", str(dataset.folder), "--repo", REPO])
    output = capsys.readouterr()
    logs = [path.read_text() for path in tmp_path.glob("merge-snli-*.log")]
    assert (code, len(logs)) == ((1, 1) if fault is None else (2, 0))
    assert all(token not in text for text in (output.out, output.err, caplog.text, *logs))
    if fault is not None:
        assert "no commit is confirmed" in output.err


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
    assert "the Hub token has invalid characters" in message and broken not in message


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
    tasks = {task["id"]: task for task in yaml.safe_load(eval_yaml(find_dataset(str(OWN)), REPO))["tasks"]}
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
        refused("no result is of a commit of org/nli", results_branch, [other], model=MODEL, dataset=REPO)
    assert (caplog.text.count("is over all variants"), caplog.text.count("two others")) == (2, 1)


def propose(api: HfApi, result: Result, model: str = MODEL) -> Pushed:
    return push(api, results_branch([result], model=model, dataset=REPO))


def test_results_are_proposed_once(hub: Hub, api: HfApi, result: Result) -> None:
    repo = hub.storage.create("model", MODEL)
    hub.storage.put(repo, {"config.json": b"{}", "README.md": b"# A model"})
    first, second = (propose(api, result) for _ in range(2))
    assert first.pull_request == second.pull_request == f"{hub.url}/{MODEL}/discussions/1"
    assert list(repo.pull_requests) == [1]
    assert set(hub.storage.files(repo)) == {".gitattributes", "README.md", "config.json"}
    proposed = hub.storage.files(repo, "refs/pr/1")
    assert set(proposed) == {".gitattributes", "README.md", "config.json", PATH}
    datasets = [entry["dataset"] for entry in yaml.safe_load(proposed[PATH])]
    assert [(of["task_id"], of["id"]) for of in datasets] == [("adj_sample_accuracy", REPO)]


def test_published_results_need_no_pull_request(hub: Hub, api: HfApi, result: Result) -> None:
    repo = hub.storage.create("model", MODEL)
    propose(api, result)
    repo.branches["main"] = repo.pull_requests.pop(1).oid
    assert propose(api, result).pull_request is None
    assert repo.pull_requests == {}


def test_results_of_another_model_or_of_a_folder_and_a_missing_model(hub: Hub, api: HfApi, result: Result) -> None:
    of_folder = dataclasses.replace(result, model=dataclasses.replace(result.model, revision=None))
    for proposed, model, message in (
        (result, "org/other", "model is org/other, but a result is of org/nli"),
        (of_folder, MODEL, "no result is of a commit of org/nli"),
        (result, MODEL, "org/nli does not exist on the Hub"),
    ):
        refused(message, propose, api, proposed, model)


def test_command(hub: Hub, token: str, result: Result, tmp_path: Path, command: Command) -> None:
    hub.storage.create("model", MODEL)
    arguments = ["publish", "--repo", REPO, "--eval-results", write_result(result, tmp_path), "--model", MODEL]
    printed = command(*arguments, "--dry-run").out
    assert re.search(
        rf"model {MODEL}, pull request to main\n .*\n +\d+ bytes  {PATH.partition('/')[0]}/\*, 1 file\n", printed
    )
    assert hub.requests == []
    assert command(*arguments).out == f"pull request {hub.url}/{MODEL}/discussions/1\n"
