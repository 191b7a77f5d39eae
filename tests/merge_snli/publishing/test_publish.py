"""What publishing brings to the Hub, and that it does so once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from merge_snli.dataset import find_dataset
from merge_snli.errors import InputError
from merge_snli.publishing import plan, publish
from merge_snli.publishing.publish import published_text
from tests.hub.api import ROUTES
from tests.hub.faults import Fault
from tests.merge_snli.publishing.conftest import REPO, SPACE

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from merge_snli.dataset import MergeDataset
    from merge_snli.publishing import Plan
    from tests.hub.server import Hub

DATA = {f"data/{config}/test.parquet" for config in ("all", "noun", "verb", "adj", "seed")}
MAIN = DATA | {"README.md", "run.json", "eval.yaml", ".gitattributes"}


def test_data_script_metric_and_tag_are_there(hub: Hub, api: HfApi, planned: Plan, source: MergeDataset) -> None:
    done = publish(api, planned)
    repo, space = hub.storage.repos["dataset", REPO], hub.storage.repos["space", SPACE]
    main = hub.storage.files(repo)
    assert set(main) == MAIN
    assert {name: main[name] for name in DATA} == {name: (source.folder / name).read_bytes() for name in DATA}
    assert set(hub.storage.files(repo, "script")) == MAIN | {"merge_snli.py", "schema.py"}
    assert {"pattern_accuracy.py", "core.py", "app.py", "README.md"} <= set(hub.storage.files(space))
    assert space.sdk == "gradio"
    assert repo.tags == {planned.tag: done.pushed[0].oid}
    assert repo.titles() == [f"Data {planned.tag}", "initial commit"]
    assert repo.titles("script") == [f"Loading script and data {planned.tag}", *repo.titles()]


def test_the_tag_comes_last(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish(api, planned)
    changing = [path for method, path in hub.asked if method == "POST" and ("/commit/" in path or "/tag/" in path)]
    assert ["/tag/" in path for path in changing] == [False, False, False, True]


def test_the_script_branch_sends_no_data_again(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish(api, planned)
    assert hub.count("PUT", "/lfs/") == len(DATA)


def test_a_second_time_changes_nothing(hub: Hub, api: HfApi, planned: Plan) -> None:
    first = publish(api, planned)
    hub.asked.clear()
    second = publish(api, planned)
    assert [pushed.oid for pushed in second.pushed] == [pushed.oid for pushed in first.pushed]
    assert {method for method, _ in hub.asked} == {"GET"}
    assert (first.tagged, second.tagged) == (True, False)
    assert published_text(second).count("unchanged") == 3
    assert "was there and stays" in published_text(second)


def test_only_what_differs_is_sent_and_what_an_older_run_left_is_removed(
    hub: Hub, api: HfApi, planned: Plan, source: MergeDataset
) -> None:
    publish(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    hub.storage.put(repo, {"data/adv/test.parquet": b"PAR1 of an older run", "NOTES.md": b"by hand", "run.json": b"{}"})
    hub.asked.clear()
    done = publish(api, planned)
    changes = done.pushed[0].changes
    assert (set(changes.added), changes.removed) == ({"run.json"}, ("data/adv/test.parquet",))
    assert set(hub.storage.files(repo)) == MAIN | {"NOTES.md"}
    assert hub.count("PUT", "/lfs/") == 0
    assert repo.titles()[0] == f"Data {planned.tag}"


def test_a_repository_of_something_else_is_left_alone(hub: Hub, api: HfApi, planned: Plan) -> None:
    repo = hub.storage.create("dataset", REPO)
    hub.storage.put(repo, {"README.md": b"# Birds", "birds.csv": b"name\n"})
    with pytest.raises(InputError, match=r"org/merge_snli holds files that no publication made.*nothing was published"):
        publish(api, planned)
    assert set(hub.storage.files(repo)) == {".gitattributes", "README.md", "birds.csv"}


def test_private_is_for_new_repositories(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish(api, planned, private=True)
    assert all(repo.private for repo in hub.storage.repos.values())
    hub.storage.repos["dataset", REPO].private = False
    with pytest.raises(InputError, match="the data set org/merge_snli is public: make it private"):
        publish(api, planned, private=True)


def test_a_draft_gets_a_branch_and_neither_script_nor_tag(hub: Hub, api: HfApi, source: MergeDataset) -> None:
    publish(api, plan(source, REPO, revision="draft"))
    repo = hub.storage.repos["dataset", REPO]
    assert set(repo.branches) == {"main", "draft"}
    assert repo.tags == {}
    assert set(hub.storage.files(repo, "draft")) == MAIN
    assert set(hub.storage.files(repo)) == {".gitattributes"}


def test_a_pull_request_is_opened_once(hub: Hub, api: HfApi, source: MergeDataset) -> None:
    repo = hub.storage.create("dataset", REPO)
    proposed = plan(source, REPO, create_pr=True)
    first, second = (publish(api, proposed, create_pr=True) for _ in range(2))
    assert first.pushed[0].pull_request == second.pushed[0].pull_request == f"{hub.url}/datasets/{REPO}/discussions/1"
    assert set(hub.storage.files(repo, "refs/pr/1")) == MAIN
    assert list(repo.pull_requests) == [1]
    assert set(repo.branches) == {"main"}
    assert repo.tags == {}
    assert f"pull request {hub.url}/datasets/{REPO}/discussions/1" in published_text(first)


def test_the_stand_in_has_no_route_that_nobody_asks(hub: Hub, api: HfApi, planned: Plan, source: MergeDataset) -> None:
    hub.faults.append(Fault("POST", "/commit/script", 413))
    with pytest.raises(InputError):
        publish(api, planned)
    publish(api, planned)
    hub.storage.put(hub.storage.repos["dataset", REPO], {"run.json": b"{}"})
    publish(api, plan(source, REPO, create_pr=True), create_pr=True)
    find_dataset(f"{REPO}@{planned.tag}")
    assert hub.routes == {rule.endpoint for rule in ROUTES.iter_rules()}


def test_a_tag_of_other_data_stops_all(hub: Hub, api: HfApi, planned: Plan) -> None:
    repo = hub.storage.create("dataset", REPO)
    repo.tags[str(planned.tag)] = repo.branches["main"]
    with pytest.raises(InputError, match="names other data: remove it on the Hub first; nothing was published"):
        publish(api, planned)
    assert repo.titles() == ["initial commit"]
