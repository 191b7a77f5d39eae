"""What is to be published, and what of a run is told to everybody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from merge_snli.dataset import find_dataset
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json, write_json
from merge_snli.publishing import plan
from merge_snli.publishing.plan import plan_text
from tests.merge_snli.publishing.conftest import REPO, SPACE

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.dataset import MergeDataset
    from merge_snli.publishing import Plan


def with_options(source: MergeDataset, **options: object) -> MergeDataset:
    """Write other options into the record of a data set."""
    run = {**source.run, "options": {**source.run["options"], **options}}
    write_json(source.folder / "run.json", run)
    return find_dataset(str(source.folder))


def published(planned: Plan, path: str) -> str:
    content = planned.branches[0].files[path].source
    assert isinstance(content, bytes)
    return content.decode()


def test_the_card_loads_the_repository_and_its_metric(planned: Plan) -> None:
    card = published(planned, "README.md")
    assert f'load_dataset("{REPO}", "noun", split="subsample_0")' in card
    assert f'evaluate.load("{SPACE}")' in card
    assert "merge-snli register" not in card


def test_the_record_has_the_digests_of_what_is_published(planned: Plan, source: MergeDataset) -> None:
    run = json.loads(published(planned, "run.json"))
    assert run["published"] == {"dataset": REPO, "metric": SPACE}
    assert run["card"] == planned.branches[0].files["README.md"].sha256
    assert run.pop("record") == sha256_of_json(run)
    assert run["data"] == source.run["data"]
    assert "published" not in source.run


def test_no_path_of_this_machine_is_published(
    source: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret" / "set").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    mlms = [{**mlm, "name": "bert"} for mlm in source.run["masked_lms"]]
    mlms[1] |= {"name": "org/bert", "revision": "c0ffee"}
    source.run["masked_lms"] = mlms
    options: dict[str, object] = {"mlm": ["secret/bert", "org/bert"], "tagger": "secret/tagger", "license": "mit"}
    (source.folder / "run.toml").write_text("of the run")
    for problems in ("/home/secret/mine.jsonl", "secret/mine.jsonl", "secret/set"):
        planned = plan(with_options(source, **options, problems=problems, seeds_from="secret/set"), REPO)
        told = {path: published(planned, path) for path in ("README.md", "run.json", "run.toml")}
        assert not [path for path, text in told.items() if "secret" in text]
        assert "source_datasets" not in told["README.md"]
        named = json.loads(told["run.json"])["options"]
        assert [named[name] for name in ("problems", "mlm", "tagger", "seeds_from")] == [
            problems.rpartition("/")[2],
            ["bert", "org/bert"],
            "tagger",
            "set",
        ]
        assert f'problems = "{problems.rpartition("/")[2]}"' in told["run.toml"]


def test_an_id_is_published_whole(source: MergeDataset) -> None:
    planned = plan(with_options(source, problems="org/nli-1.0@refs/pr/3", license="mit"), REPO)
    assert json.loads(published(planned, "run.json"))["options"]["problems"] == "org/nli-1.0@refs/pr/3"
    metadata = yaml.safe_load(published(planned, "README.md").split("---\n")[1])
    assert metadata["source_datasets"] == ["org/nli-1.0"]
    assert metadata["pretty_name"] == "MERGE on org/nli-1.0@refs/pr/3 (test)"


def test_problems_without_a_licence_are_refused_until_it_is_said(source: MergeDataset) -> None:
    source = with_options(source, problems="mine.jsonl")
    with pytest.raises(InputError, match=r"nobody has said under which licence.*--license ID"):
        plan(source, REPO)
    before = {path: path.read_bytes() for path in source.folder.rglob("*") if path.is_file()}
    planned = plan(source, REPO, license_id="CC-BY-4.0")
    metadata = yaml.safe_load(published(planned, "README.md").split("---\n")[1])
    assert metadata["license"] == "cc-by-4.0"
    assert json.loads(published(planned, "run.json"))["source"]["licence"] == "cc-by-4.0"
    assert {path: path.read_bytes() for path in source.folder.rglob("*") if path.is_file()} == before


def test_a_licence_that_is_known_is_not_replaced(source: MergeDataset) -> None:
    with pytest.raises(InputError, match="--license is mit, but the problems stand under apache"):
        plan(source, REPO, license_id="mit")


def test_a_licence_that_the_hub_would_refuse_is_told_before_it_is_asked(source: MergeDataset) -> None:
    with pytest.raises(InputError, match=r"'cc by 4\.0' is no licence as the Hub spells them"):
        plan(with_options(source, problems="mine.jsonl"), REPO, license_id="CC BY 4.0")
    unclear = with_options(source, problems="mine.jsonl", license="as it is")
    with pytest.raises(InputError, match="'as it is' is no licence"):
        plan(unclear, REPO)
    assert json.loads(published(plan(unclear, REPO, license_id="mit"), "run.json"))["options"]["license"] == "mit"


def test_eval_yaml_names_the_tasks_that_results_name(planned: Plan) -> None:
    content = yaml.safe_load(published(planned, "eval.yaml"))
    assert list(content) == ["name", "description", "evaluation_framework", "tasks"]
    assert {"id": "all_pattern_accuracy", "config": "all", "split": "test"} in content["tasks"]
    assert {task["config"] for task in content["tasks"]} == {"all", "noun", "verb", "adj"}


@pytest.mark.parametrize(
    ("options", "means"),
    [
        ({"repo": "merge_snli"}, "--repo is 'merge_snli': give OWNER/NAME"),
        ({"repo": "org/merge/snli"}, "--repo is 'org/merge/snli': Repo id must be"),
        ({"repo": "org/mer..ge"}, "--repo is 'org/mer..ge': Cannot have"),
        ({"repo": "org/merge_snli.v1"}, "a script of the repository's name, which cannot have a full stop"),
        ({"metric_space": "org/pa"}, "--metric-space is org/pa: its name must be pattern_accuracy"),
        ({"create_pr": True, "revision": "draft"}, "--revision draft does not go with it"),
    ],
)
def test_names_that_cannot_be_are_refused(source: MergeDataset, options: dict[str, Any], means: str) -> None:
    with pytest.raises(InputError, match=means):
        plan(source, **{"repo": REPO, **options})


@pytest.mark.parametrize("revision", ["", "script", "refs/pr/1", "no good", "-d", "a//b"])
def test_a_draft_needs_a_branch_of_its_own(source: MergeDataset, revision: str) -> None:
    with pytest.raises(InputError, match=f"--revision is {revision!r}: give the name of a branch for a draft"):
        plan(source, REPO, revision=revision)


def test_a_branch_of_a_draft(source: MergeDataset, planned: Plan) -> None:
    with pytest.raises(InputError, match=f"--revision is {planned.tag}: the tag is called so"):
        plan(source, REPO, revision=str(planned.tag))
    assert plan(source, REPO, revision="drafts/v2.0").branches[0].name == "drafts/v2.0"


def test_the_text_has_every_file_with_its_digest(planned: Plan, source: MergeDataset) -> None:
    lines = plan_text(planned).splitlines()
    digest = source.run["data"]["files"]["data/all/test.parquet"]
    size = (source.folder / "data/all/test.parquet").stat().st_size
    assert lines.count(f"  {digest}  {size:>10,}  data/all/test.parquet") == 2
    assert [line for line in lines if not line.startswith("  ")] == [
        f"data set {REPO}, branch main",
        f"data set {REPO}, branch script",
        f"Space {SPACE}, branch main",
        f"tag {planned.tag} on main of {REPO}",
    ]
