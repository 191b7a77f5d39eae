"""Failures of the Hub: one message each, and no branch that is half written."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from merge_snli.base.errors import InputError
from merge_snli.hub.publish import publish_plan
from tests.hub.faults import Fault
from tests.hub.server import READER
from tests.merge_snli.hub.conftest import REPO

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from merge_snli.hub.plan import Plan
    from tests.hub.server import Hub
    from tests.hub.storage import Repo

ALWAYS = 10**6


def contents(repo: Repo) -> tuple[dict[str, str], dict[str, str]]:
    return dict(repo.branches), dict(repo.tags)


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (400, "rejected the content sent to org/merge_snli"),
        (401, "rejected the token: log in again with `hf auth login` or set HF_TOKEN"),
        (402, "requires a paid plan"),
        (403, "the token has no write access to org/merge_snli"),
        (404, "org/merge_snli does not exist on the Hub or the token cannot see it"),
        (409, "another commit to org/merge_snli is in progress"),
        (413, "the content sent to org/merge_snli is too large"),
        (429, "rate limit is exceeded"),
        (500, "has an internal error"),
        (503, "has an internal error"),
    ],
)
def test_refused_commit_changes_nothing(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float], status: int, meaning: str
) -> None:
    repo = hub.storage.create("dataset", REPO)
    before = contents(repo)
    fault = Fault("POST", f"{REPO}/commit/main", status, error="details.", times=ALWAYS)
    hub.faults.append(fault)
    with pytest.raises(InputError, match=meaning) as raised:
        publish_plan(api, planned)
    message = str(raised.value)
    assert "\n" not in message
    assert f"({status}: details)" in message
    assert message.endswith("no commit is confirmed")
    assert contents(repo) == before
    is_transient = status in {409, 429, 500, 503}
    assert waits == ([1, 2, 4, 8] if is_transient else [])


REQUESTS = {
    "repo_info": ("GET", "/revision/main$"),
    "tree": ("GET", "/tree/"),
    "commit": ("POST", "/commit/main"),
    "preupload": ("POST", "/preupload/"),
    "batch": ("POST", "/objects/batch"),
    "upload": ("PUT", "/lfs/"),
    "refs": ("GET", "/refs$"),
    "branch": ("POST", "/branch/"),
    "tag": ("POST", "/tag/"),
    "create": ("POST", "/repos/create"),
}


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("kind", ["503", "cut", "lost"])
def test_transient_failure_is_retried(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float], request_: str, kind: str
) -> None:
    method, path = REQUESTS[request_]
    fault = Fault(method, path, 503 if kind == "503" else None, cut=kind == "cut", lost=kind == "lost", times=2)
    hub.faults.append(fault)
    publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    is_done_at_once = (request_, kind) == ("branch", "lost")  # the next attempt finds the branch
    assert fault.times == int(is_done_at_once)
    assert repo.titles() == [f"Data {planned.tag}", "initial commit"]
    assert repo.titles("script") == [f"Loading script and data {planned.tag}", *repo.titles()]
    assert set(repo.tags) == {planned.tag}


def test_interrupted_uploads_are_resumed_by_the_next_command(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float]
) -> None:
    repo = hub.storage.create("dataset", REPO)
    hub.faults.append(Fault("PUT", "/lfs/", cut=True, after=2, times=ALWAYS))
    before = contents(repo)
    with pytest.raises(InputError, match=r"cannot reach the Hub for org/merge_snli \(\w+.*no commit is confirmed"):
        publish_plan(api, planned)
    assert contents(repo) == before
    assert {waits.count(seconds) for seconds in (1, 2, 4)} == {3}
    hub.faults.clear()
    hub.requests.clear()
    publish_plan(api, planned)
    assert hub.count("PUT", "/lfs/") == 3
    assert set(repo.tags) == {planned.tag}


def test_requested_wait(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    hub.faults.append(Fault("POST", "/commit/main", 429, {"Retry-After": "17"}))
    hub.faults.append(Fault("POST", "/tag/", 429, {"ratelimit": '"api";r=0;t=21'}))
    with caplog.at_level(logging.WARNING):
        publish_plan(api, planned)
    assert waits == [17, 21]
    assert "the Hub returned status 429; retrying in 17 s" in caplog.messages
    hub.faults.append(Fault("GET", "/refs", 429, {"Retry-After": "3600"}))
    with pytest.raises(InputError, match=r"rate limit is exceeded: try again later, in 3600 seconds \(429"):
        publish_plan(api, planned)


def test_concurrent_commit_is_not_overwritten(hub: Hub, api: HfApi, planned: Plan) -> None:
    repo = hub.storage.create("dataset", REPO)
    hub.faults.append(
        Fault("POST", "/commit/main", meanwhile=lambda: hub.storage.put(repo, {"README.md": b"theirs"}, title="Theirs"))
    )
    with pytest.raises(InputError, match="org/merge_snli was changed by another commit and nothing was overwritten"):
        publish_plan(api, planned)
    assert repo.titles() == ["Theirs", "initial commit"]
    publish_plan(api, planned)
    assert repo.titles() == [f"Data {planned.tag}", "Theirs", "initial commit"]


def test_outage_after_a_commit_does_not_confirm_it(hub: Hub, api: HfApi, planned: Plan, waits: list[float]) -> None:
    repo = hub.storage.create("dataset", REPO)
    hub.faults.append(Fault("POST", "/commit/main", lost=True))
    hub.faults.append(Fault("GET", "/revision/", 503, after=1, times=ALWAYS))
    with pytest.raises(InputError, match=r"no commit is confirmed$"):
        publish_plan(api, planned)
    hub.faults.clear()
    publish_plan(api, planned)
    assert repo.titles() == [f"Data {planned.tag}", "initial commit"]


def test_branch_is_deleted_if_its_commit_fails(hub: Hub, api: HfApi, planned: Plan) -> None:
    hub.faults.append(Fault("POST", "/commit/script", 413))
    with pytest.raises(InputError, match="too large") as raised:
        publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    assert set(repo.branches) == {"main"}
    assert repo.tags == {}
    assert str(raised.value).endswith(
        f"published: data set {REPO}, branch main; not confirmed: data set {REPO}, branch script, "
        f"Space org/pattern_accuracy, branch main, tag {planned.tag}. Run the same command again to continue"
    )
    publish_plan(api, planned)
    assert set(repo.branches) == {"main", "script"}
    assert set(repo.tags) == {planned.tag}


def test_token_without_write_access(hub: Hub, planned: Plan) -> None:
    from huggingface_hub import HfApi

    with pytest.raises(InputError, match=r"no write access to org/merge_snli.*You don't have the rights"):
        publish_plan(HfApi(token=READER), planned)
    with pytest.raises(InputError, match=r"rejected the token.*Invalid credentials"):
        publish_plan(HfApi(token="hf_nobody"), planned)


def test_unreachable_hub(planned: Plan, hub: Hub, waits: list[float]) -> None:
    from huggingface_hub import HfApi

    with pytest.raises(InputError, match=r"cannot reach the Hub for org/merge_snli \(.*refused.*\): try again later"):
        publish_plan(HfApi(endpoint="http://127.0.0.1:9", token="hf_x"), planned)


def test_pull_request_with_a_lost_response_is_not_opened_twice(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float]
) -> None:
    from dataclasses import replace

    repo = hub.storage.create("dataset", REPO)
    hub.faults.append(Fault("POST", "/commit/main", lost=True))
    proposed = replace(planned, branches=planned.branches[:1], tag=None)
    published = publish_plan(api, proposed, create_pr=True)
    assert list(repo.pull_requests) == [1]
    assert published.pushed[0].pull_request == f"{hub.url}/datasets/{REPO}/discussions/1"


def test_metadata_rejected_by_the_hub(hub: Hub, api: HfApi, planned: Plan) -> None:
    planned.branches[0].files["README.md"] = b"---\nlicense: [none]\n---\n# Data\n"
    with pytest.raises(
        InputError, match=r'rejected the content .* org/merge_snli \(400: "license" must.*no commit is confirmed'
    ):
        publish_plan(api, planned)
