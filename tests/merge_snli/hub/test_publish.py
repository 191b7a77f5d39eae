"""Publishing: files, branches, tags and pull requests; failures give one message and leave no half branch."""

import json
import logging
from dataclasses import replace

import pytest
from huggingface_hub import HfApi

from merge_snli.base.templates import printed
from merge_snli.dataset.record_file import as_json
from merge_snli.dataset.stored import MergeDataset
from merge_snli.hub.plan import Plan, Target, plan
from merge_snli.hub.publish import PUBLISHED, publish_plan
from tests.cases import slow
from tests.hub.faults import Fault
from tests.hub.server import READER, Hub
from tests.hub.storage import Repo
from tests.merge_snli.hub.conftest import REPO, SPACE
from tests.oracles import refused

DATA = {f"data/{config}/test.parquet" for config in ("all", "noun", "verb", "adj", "seed")}
MAIN = DATA | {"README.md", "run.json", "eval.yaml", ".gitattributes"}


COMMIT, TAG, BRANCH = "/commit/", "/tag/", "/branch/"


@pytest.fixture
def repo(hub: Hub) -> Repo:
    """The repository of the data set, which has no files."""
    return hub.storage.create("dataset", REPO)


@pytest.fixture
def proposed(dataset: MergeDataset) -> Plan:
    """The plan of a pull request."""
    return plan(dataset, Target(REPO, create_pr=True))


def assert_published(repo: Repo, planned: Plan, *between: str) -> None:
    assert repo.titles() == [f"Data {planned.tag}", *between, "initial commit"]


def changing(hub: Hub) -> list[str]:
    """Return the kinds of the requests that changed a repository."""
    parts = (COMMIT, TAG, BRANCH, "/repos/create")
    return [part for _, path in hub.requests for part in parts if part in path]


def test_full_publication(hub: Hub, api: HfApi, planned: Plan, dataset: MergeDataset) -> None:
    published = publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    space = hub.storage.repos["space", SPACE]
    files = hub.storage.files(repo)
    assert {*files} == MAIN
    for name in DATA:
        assert files[name] == (dataset.folder / name).read_bytes()
    assert {*hub.storage.files(repo, "script")} == MAIN | {"merge_snli.py", "schema.py"}
    assert {"pattern_accuracy.py", "core.py", "app.py", "README.md"} <= {*hub.storage.files(space)}
    assert space.sdk == "gradio"
    assert repo.tags == {planned.tag: published.pushed[0].oid}
    assert_published(repo, planned)
    assert repo.titles("script") == [f"Loading script and data {planned.tag}", *repo.titles()]
    assert [kind for kind in changing(hub) if "create" not in kind] == [COMMIT, BRANCH, COMMIT, COMMIT, TAG]
    assert hub.count("PUT", "/lfs/") == len(DATA), "the script's branch uploads no data"


def test_publishing_again_changes_nothing(hub: Hub, api: HfApi, planned: Plan) -> None:
    first = publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    hub.requests.clear()
    second = publish_plan(api, planned)
    assert [pushed.oid for pushed in second.pushed] == [pushed.oid for pushed in first.pushed]
    assert hub.count("PUT", "/lfs/") == 0
    assert changing(hub) == [BRANCH, TAG], "the Hub keeps those that exist"
    assert repo.tags == {planned.tag: first.pushed[0].oid}
    assert printed(PUBLISHED, published=second).count("unchanged, commit") == 3
    forged = replace(second, url="https://hub\nvalid\u202e")
    assert printed(PUBLISHED, published=forged).splitlines()[-1] == r"https://hub\nvalid\u202e"


def test_changed_files_are_sent_and_obsolete_ones_deleted(
    hub: Hub, api: HfApi, planned: Plan, dataset: MergeDataset
) -> None:
    publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    hub.storage.put(repo, {"data/adv/test.parquet": b"PAR1 of an older run", "NOTES.md": b"by hand", "run.json": b"{}"})
    hub.requests.clear()
    assert [pushed.is_changed for pushed in publish_plan(api, planned).pushed] == [True, False, False]
    assert set(hub.storage.files(repo)) == MAIN | {"NOTES.md"}
    assert hub.count("PUT", "/lfs/") == 0
    assert json.loads(hub.storage.files(repo)["run.json"])["data"] == as_json(dataset.record)["data"]
    assert repo.titles()[:2] == [f"Data {planned.tag}", "files"]


def test_unrelated_repository_is_refused(hub: Hub, api: HfApi, planned: Plan, repo: Repo) -> None:
    hub.storage.put(repo, {"README.md": b"# Birds", "birds.csv": b"name\n"})
    refused(r"org/merge_snli holds unrelated files.*no commit is confirmed", publish_plan, api, planned)
    assert set(hub.storage.files(repo)) == {".gitattributes", "README.md", "birds.csv"}


def test_private(hub: Hub, api: HfApi, planned: Plan) -> None:
    publish_plan(api, planned, private=True)
    for repo in hub.storage.repos.values():
        assert repo.private
    hub.storage.repos["dataset", REPO].private = False
    refused("org/merge_snli is public: make it private", publish_plan, api, planned, private=True)


def test_draft_has_no_script_and_no_tag(hub: Hub, api: HfApi, dataset: MergeDataset) -> None:
    publish_plan(api, plan(dataset, Target(REPO, revision="draft")))
    repo = hub.storage.repos["dataset", REPO]
    assert {*repo.branches} == {"main", "draft"}
    assert repo.tags == {}
    assert set(hub.storage.files(repo, "draft")) == MAIN
    assert set(hub.storage.files(repo)) == {".gitattributes"}


def test_pull_request_is_opened_once(hub: Hub, api: HfApi, proposed: Plan, repo: Repo) -> None:
    page = f"{hub.url}/datasets/{REPO}/discussions/1"
    for _ in range(2):
        published = publish_plan(api, proposed)
        assert published.pushed[0].pull_request == page
    assert f"pull request {page}" in printed(PUBLISHED, published=published)
    assert set(hub.storage.files(repo, "refs/pr/1")) == MAIN
    assert [*repo.pull_requests] == [1]
    assert {*repo.branches} == {"main"}
    assert repo.tags == {}


def test_pull_request_is_updated(hub: Hub, api: HfApi, proposed: Plan, repo: Repo) -> None:
    opened = publish_plan(api, proposed).pushed[0]
    proposed.branches[0].files["eval.yaml"] = b"name: other\n"
    assert publish_plan(api, proposed).pushed[0].pull_request == opened.pull_request
    assert hub.storage.files(repo, "refs/pr/1")["eval.yaml"] == b"name: other\n"
    assert repo.commits[repo.pull_requests[1].oid].parent == opened.oid


def test_pull_request_of_another_user_is_not_touched(hub: Hub, api: HfApi, proposed: Plan, repo: Repo) -> None:
    first = publish_plan(api, proposed).pushed[0]
    repo.pull_requests[1].author = "another"
    assert publish_plan(api, proposed).pushed[0].pull_request != first.pull_request
    assert repo.pull_requests[1].oid == first.oid


ALWAYS = 10**6


def contents(repo: Repo) -> tuple[dict[str, str], dict[str, str]]:
    return dict(repo.branches), dict(repo.tags)


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (401, "rejected the token: log in again with `hf auth login` or set HF_TOKEN"),
        (409, "another commit to org/merge_snli is in progress"),
        *slow(
            (400, "rejected the content sent to org/merge_snli"),
            (402, "requires a paid plan"),
            (403, "the token has no write access to org/merge_snli"),
            (404, "org/merge_snli does not exist on the Hub or the token cannot see it"),
            (413, "the content sent to org/merge_snli is too large"),
            (429, "rate limit is exceeded"),
            (500, "has an internal error"),
            (503, "has an internal error"),
        ),
    ],
)
def test_refused_commit_changes_nothing(
    hub: Hub, api: HfApi, planned: Plan, repo: Repo, waits: list[float], status: int, meaning: str
) -> None:
    before = contents(repo)
    hub.faults.append(Fault("POST", f"{REPO}/commit/main", status, error="details.", times=ALWAYS))
    message = refused(rf"{meaning}.*\({status}: details\).*no commit is confirmed$", publish_plan, api, planned)
    assert "\n" not in str(message)
    assert contents(repo) == before
    assert waits == ([1, 2, 4, 8] if status in {409, 429, 500, 503} else [])


REQUESTS = {
    "repo_info": ("GET", "/revision/main$"),
    "tree": ("GET", "/tree/"),
    "commit": ("POST", "/commit/main"),
    "preupload": ("POST", "/preupload/"),
    "batch": ("POST", "/objects/batch"),
    "upload": ("PUT", "/lfs/"),
    "branch": ("POST", "/branch/"),
    "tag": ("POST", "/tag/"),
    "create": ("POST", "/repos/create"),
}


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        pytest.param(name, kind, marks=[] if kind == "lost" or name == "commit" else pytest.mark.slow)
        for name in REQUESTS
        for kind in ("503", "cut", "lost")
    ],
)
def test_transient_failure_is_retried(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float], request_: str, kind: str
) -> None:
    method, path = REQUESTS[request_]
    fault = Fault(method, path, times=2)
    if kind == "503":
        fault.status = 503
    else:
        setattr(fault, kind, True)
    hub.faults.append(fault)
    publish_plan(api, planned)
    repo = hub.storage.repos["dataset", REPO]
    assert fault.times == 0
    assert_published(repo, planned)
    assert repo.titles("script") == [f"Loading script and data {planned.tag}", *repo.titles()]
    assert set(repo.tags) == {planned.tag}


def test_interrupted_uploads_are_resumed_by_the_next_command(
    hub: Hub, api: HfApi, planned: Plan, repo: Repo, waits: list[float]
) -> None:
    hub.faults.append(Fault("PUT", "/lfs/", cut=True, after=2, times=ALWAYS))
    before = contents(repo)
    refused(r"cannot reach the Hub for org/merge_snli \(\w+.*no commit is confirmed", publish_plan, api, planned)
    assert contents(repo) == before
    # Each of the three uploads waits at most once for each of these times; one may fail before the others begin.
    assert {waits.count(seconds) for seconds in (1, 2, 4)} <= {1, 2, 3}
    hub.faults.clear()
    hub.requests.clear()
    publish_plan(api, planned)
    assert hub.count("PUT", "/lfs/") == 3
    assert set(repo.tags) == {planned.tag}


def test_requested_wait(
    hub: Hub, api: HfApi, planned: Plan, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    hub.faults += [
        Fault("POST", "/commit/main", 429, {"Retry-After": "17"}),
        Fault("POST", "/tag/", 429, {"ratelimit": '"api";r=0;t=21'}),
    ]
    with caplog.at_level(logging.WARNING):
        publish_plan(api, planned)
    assert waits == [17, 21]
    assert "the Hub returned status 429; retrying in 17 s" in caplog.messages
    hub.faults.append(Fault("GET", "/revision/", 429, {"Retry-After": "3600"}))
    refused(r"rate limit is exceeded: try again later, in 3600 seconds \(429", publish_plan, api, planned)


def test_concurrent_commit_is_not_overwritten(hub: Hub, api: HfApi, planned: Plan, repo: Repo) -> None:
    hub.faults.append(
        Fault("POST", "/commit/main", meanwhile=lambda: hub.storage.put(repo, {"README.md": b"theirs"}, title="Theirs"))
    )
    refused("org/merge_snli was changed by another commit and nothing was overwritten", publish_plan, api, planned)
    assert repo.titles() == ["Theirs", "initial commit"]
    publish_plan(api, planned)
    assert_published(repo, planned, "Theirs")


def test_outage_after_a_commit_does_not_confirm_it(
    hub: Hub, api: HfApi, planned: Plan, repo: Repo, waits: list[float]
) -> None:
    hub.faults += [Fault("POST", "/commit/main", lost=True), Fault("GET", "/revision/", 503, after=1, times=ALWAYS)]
    refused(r"no commit is confirmed$", publish_plan, api, planned)
    hub.faults.clear()
    publish_plan(api, planned)
    assert_published(repo, planned)


def test_branch_whose_commit_fails_is_filled_later(hub: Hub, api: HfApi, planned: Plan) -> None:
    hub.faults.append(Fault("POST", "/commit/script", 413))
    raised = refused("too large", publish_plan, api, planned)
    repo = hub.storage.repos["dataset", REPO]
    assert not repo.tags
    assert str(raised).endswith(
        f"published: data set {REPO}, branch main; not confirmed: data set {REPO}, branch script, "
        f"Space org/pattern_accuracy, branch main, tag {planned.tag}. Run the same command again to continue"
    )
    publish_plan(api, planned)
    assert {*repo.branches} == {"main", "script"}
    assert {*repo.tags} == {planned.tag}


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (READER, r"no write access to org/merge_snli.*You don't have the rights"),
        ("hf_nobody", r"rejected the token.*Invalid credentials"),
    ],
)
@pytest.mark.usefixtures("hub", "waits")
def test_rejected_tokens(planned: Plan, token: str, message: str) -> None:
    refused(message, publish_plan, HfApi(token=token), planned)


@pytest.mark.usefixtures("hub", "waits")
def test_an_unreachable_hub(planned: Plan) -> None:
    message = r"cannot reach the Hub for org/merge_snli \(.*refused.*\): try again later"
    refused(message, publish_plan, HfApi(token="hf_x", endpoint="http://127.0.0.1:9"), planned)


def test_pull_request_with_a_lost_response_is_not_opened_twice(
    hub: Hub, api: HfApi, planned: Plan, repo: Repo, waits: list[float]
) -> None:
    hub.faults.append(Fault("POST", "/commit/main", lost=True))
    proposed = replace(planned.branches[0], is_proposed=True)
    published = publish_plan(api, replace(planned, branches=(proposed,), tag=None))
    assert list(repo.pull_requests) == [1]
    assert published.pushed[0].pull_request == f"{hub.url}/datasets/{REPO}/discussions/1"


def test_metadata_rejected_by_the_hub(hub: Hub, api: HfApi, planned: Plan) -> None:
    planned.branches[0].files["README.md"] = b"---\nlicense: [none]\n---\n# Data\n"
    message = r'rejected the content .* org/merge_snli \(400: "license" must.*no commit is confirmed'
    refused(message, publish_plan, api, planned)
