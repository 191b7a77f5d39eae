"""Publishing: the files, branches, tags and pull requests on the Hub, and repeated publishing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.record import as_json
from merge_snli.dataset.stored import find_dataset
from merge_snli.hub.plan import plan
from merge_snli.hub.publish import publish_plan, published_text
from tests.hub.api import ROUTES
from tests.hub.faults import Fault
from tests.merge_snli.hub.conftest import REPO, SPACE

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.hub.plan import Plan
    from tests.hub.server import Hub

DATA = {f"data/{config}/test.parquet" for config in ("all", "noun", "verb", "adj", "seed")}
MAIN = DATA | {"README.md", "run.json", "eval.yaml", ".gitattributes"}


def test_full_publication(hub: Hub, api: HfApi, planned: Plan, dataset: MergeDataset) -> None:
    published = publish_plan(api, planned)
    repo, space = hub.storage.repos["dataset", REPO], hub.storage.repos["space", SPACE]
    main = hub.storage.files(repo)
    assert set(main) == MAIN
    assert {name: main[name] for name in DATA} == {name: (dataset.folder / name).read_bytes() for name in DATA}
    assert set(hub.storage.files(repo, "script")) == MAIN | {"merge_snli.py", "schema.py"}
    assert {"pattern_accuracy.py", "core.py", "app.py", "README.md"} <= set(hub.storage.files(space))
    assert space.sdk == "gradio"
    assert repo.tags == {planned.tag: published.pushed[0].oid}
    assert repo.titles() == [f"Data {planned.tag}", "initial commit"]
    assert repo.titles("script") == [f"Loading script and data {planned.tag}", *repo.titles()]


def test_tag_comes_last(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish_plan(api, planned)
    changing = [path for method, path in hub.requests if method == "POST" and ("/commit/" in path or "/tag/" in path)]
    assert ["/tag/" in path for path in changing] == [False, False, False, True]


def test_script_branch_uploads_no_data(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish_plan(api, planned)
    assert hub.count("PUT", "/lfs/") == len(DATA)


def test_publishing_again_changes_nothing(hub: Hub, api: HfApi, planned: Plan) -> None:
    first = publish_plan(api, planned)
    hub.requests.clear()
    second = publish_plan(api, planned)
    assert [pushed.oid for pushed in second.pushed] == [pushed.oid for pushed in first.pushed]
    changing = ("/commit/", "/tag/", "/branch/", "/repos/create")
    assert hub.count("PUT", "/lfs/") == 0
    assert not [path for _, path in hub.requests if any(part in path for part in changing)]
    assert (first.is_tag_new, second.is_tag_new) == (True, False)
    assert published_text(second).count("unchanged, commit") == 3
    assert f"tag {planned.tag} (unchanged)" in published_text(second)


def test_changed_files_are_sent_and_obsolete_ones_deleted(
    hub: Hub, api: HfApi, planned: Plan, dataset: MergeDataset
) -> None:
    publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    hub.storage.put(repo, {"data/adv/test.parquet": b"PAR1 of an older run", "NOTES.md": b"by hand", "run.json": b"{}"})
    hub.requests.clear()
    published = publish_plan(api, planned)
    assert [pushed.is_changed for pushed in published.pushed] == [True, False, False]
    assert set(hub.storage.files(repo)) == MAIN | {"NOTES.md"}
    assert hub.count("PUT", "/lfs/") == 0
    assert json.loads(hub.storage.files(repo)["run.json"])["data"] == as_json(dataset.record)["data"]
    assert repo.titles()[:2] == [f"Data {planned.tag}", "files"]


def test_unrelated_repository_is_refused(hub: Hub, api: HfApi, planned: Plan) -> None:
    repo = hub.storage.create("dataset", REPO)
    hub.storage.put(repo, {"README.md": b"# Birds", "birds.csv": b"name\n"})
    with pytest.raises(InputError, match=r"org/merge_snli holds unrelated files.*no commit is confirmed"):
        publish_plan(api, planned)
    assert set(hub.storage.files(repo)) == {".gitattributes", "README.md", "birds.csv"}


def test_private(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish_plan(api, planned, private=True)
    assert all(repo.private for repo in hub.storage.repos.values())
    hub.storage.repos["dataset", REPO].private = False
    with pytest.raises(InputError, match="org/merge_snli is public: make it private"):
        publish_plan(api, planned, private=True)


def test_draft_has_no_script_and_no_tag(hub: Hub, api: HfApi, dataset: MergeDataset) -> None:
    publish_plan(api, plan(dataset, REPO, revision="draft"))
    repo = hub.storage.repos["dataset", REPO]
    assert set(repo.branches) == {"main", "draft"}
    assert repo.tags == {}
    assert set(hub.storage.files(repo, "draft")) == MAIN
    assert set(hub.storage.files(repo)) == {".gitattributes"}


def test_pull_request_is_opened_once(hub: Hub, api: HfApi, dataset: MergeDataset) -> None:
    repo = hub.storage.create("dataset", REPO)
    proposed = plan(dataset, REPO, create_pr=True)
    first, second = (publish_plan(api, proposed, create_pr=True) for _ in range(2))
    assert first.pushed[0].pull_request == second.pushed[0].pull_request == f"{hub.url}/datasets/{REPO}/discussions/1"
    assert set(hub.storage.files(repo, "refs/pr/1")) == MAIN
    assert list(repo.pull_requests) == [1]
    assert set(repo.branches) == {"main"}
    assert repo.tags == {}
    assert f"pull request {hub.url}/datasets/{REPO}/discussions/1" in published_text(first)


def test_pull_request_is_updated(hub: Hub, api: HfApi, dataset: MergeDataset) -> None:
    repo = hub.storage.create("dataset", REPO)
    proposed = plan(dataset, REPO, create_pr=True)
    opened = publish_plan(api, proposed, create_pr=True).pushed[0]
    proposed.branches[0].files["eval.yaml"] = b"name: other\n"
    updated = publish_plan(api, proposed, create_pr=True).pushed[0]
    assert updated.pull_request == opened.pull_request
    assert hub.storage.files(repo, "refs/pr/1")["eval.yaml"] == b"name: other\n"
    assert repo.commits[repo.pull_requests[1].oid].parent == opened.oid


def test_pull_request_of_another_user_is_not_touched(hub: Hub, api: HfApi, dataset: MergeDataset) -> None:
    repo = hub.storage.create("dataset", REPO)
    proposed = plan(dataset, REPO, create_pr=True)
    first = publish_plan(api, proposed, create_pr=True).pushed[0]
    repo.pull_requests[1].author = "another"
    assert publish_plan(api, proposed, create_pr=True).pushed[0].pull_request != first.pull_request
    assert repo.pull_requests[1].oid == first.oid


def test_every_route_of_the_stand_in_is_used(hub: Hub, api: HfApi, planned: Plan, dataset: MergeDataset) -> None:
    hub.faults.append(Fault("POST", "/commit/script", 413))
    with pytest.raises(InputError):
        publish_plan(api, planned)
    publish_plan(api, planned)
    hub.storage.put(hub.storage.repos["dataset", REPO], {"run.json": b"{}"})
    publish_plan(api, plan(dataset, REPO, create_pr=True), create_pr=True)
    find_dataset(f"{REPO}@{planned.tag}")
    assert hub.routes == {rule.endpoint for rule in ROUTES.iter_rules()}


def test_tag_of_other_data_is_refused(hub: Hub, api: HfApi, planned: Plan) -> None:
    repo = hub.storage.create("dataset", REPO)
    repo.tags[str(planned.tag)] = repo.branches["main"]
    with pytest.raises(InputError, match="names other data: delete it on the Hub first; no commit is confirmed"):
        publish_plan(api, planned)
    assert repo.titles() == ["initial commit"]
