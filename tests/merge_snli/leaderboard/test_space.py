"""A leaderboard Space: its repository, the check of its results, and pull requests on a local stand-in for the Hub."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from merge_snli import Result
from merge_snli.cli import main
from merge_snli.scoring.store import file_name, to_files, to_json, write_result
from tests.hub.server import Hub
from tests.merge_snli.leaderboard.conftest import SHIPPED

SPACE = "org/leaderboard"


@pytest.fixture(scope="module")
def space(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    for result in (results[0], results[4]):
        write_result(result, folder / "scored")
    command = ["leaderboard", str(folder / "scored"), "--init-space", SPACE, "--dataset", str(SHIPPED)]
    assert main([*command, "--out", str(folder / "space")]) == 0
    return folder / "space"


def test_the_repository_of_a_space(space: Path, results: list[Result]) -> None:
    files = {path.relative_to(space).as_posix() for path in space.rglob("*") if path.is_file()}
    names = {f"results/{name}" for index in (0, 4) for name in to_files(results[index])}
    assert files == {"README.md", "index.html", "leaderboard.json", *names}
    card = (space / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---\n")[1])
    assert (front["sdk"], front["app_file"]) == ("static", "index.html")
    page = (space / "index.html").read_text(encoding="utf-8")
    for text in (card, page):
        assert SPACE in text
        assert "only running the model can find them" in re.sub(r"\s+", " ", text)
    assert not re.search(r"SPACE_ID|DATA_SETS|LIMITS", card)
    [listed] = json.loads((space / "leaderboard.json").read_text(encoding="utf-8"))["datasets"]
    assert (listed["name"], listed["revision"]) == ("demo:dataset", None)
    assert listed["digest"] in card


def test_the_page_is_rebuilt_if_all_results_pass(
    space: Path, results: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    copy = Path(shutil.copytree(space, tmp_path / "space"))
    write_result(results[1], copy / "results")
    assert main(["leaderboard", "--space", str(copy)]) == 0
    assert capsys.readouterr().out.count(": passed\n") == 3
    page = (copy / "index.html").read_text(encoding="utf-8")
    assert "org/careful-large" in page
    written = copy / "results" / file_name(results[1])
    forged = json.loads(written.read_text(encoding="utf-8"))
    forged["scores"]["qt"] = 0.5
    written.write_text(json.dumps(forged), encoding="utf-8")
    (copy / "index.html").write_text("old", encoding="utf-8")
    assert main(["leaderboard", "--space", str(copy)]) == 2
    assert "qt is 0.5" in capsys.readouterr().out
    assert (copy / "index.html").read_text(encoding="utf-8") == "old"


def propose(content: dict[str, bytes], *, delete: str | None = None) -> None:
    """Open a pull request."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    changes = [CommitOperationAdd(path, text) for path, text in content.items()]
    deleted = [] if delete is None else [CommitOperationDelete(delete)]
    HfApi().create_commit(SPACE, [*changes, *deleted], commit_message="Add a result", repo_type="space", create_pr=True)


def test_pull_requests_are_checked(
    space: Path,
    results: list[Result],
    hub: Hub,
    token: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from huggingface_hub import HfApi

    api = HfApi()
    api.create_repo(SPACE, repo_type="space", space_sdk="static")
    api.upload_folder(repo_id=SPACE, folder_path=space, repo_type="space")
    path, taken = (f"results/{file_name(results[index])}" for index in (1, 0))
    good = {f"results/{name}": content for name, content in to_files(results[1]).items()}
    invented = replace(results[1], notes=("warning: invented",))
    propose(good)
    propose({f"results/{name}": content for name, content in to_files(invented).items()})
    propose({**good, "index.html": b"<h1>mine</h1>"}, delete=taken)
    propose({"notes.txt": b"hello"})
    for number, (status, expected) in enumerate(
        [
            (0, [f"{path}: passed"]),
            (2, [f"{path}: notes"]),
            (2, ["index.html: is changed", f"{taken}: is changed", f"{path}: passed"]),
            (2, ["notes.txt: is changed", "pull request 4: adds no result"]),
        ],
        start=1,
    ):
        assert main(["leaderboard", "--space", SPACE, "--pull-request", str(number)]) == status
        out = capsys.readouterr().out
        assert [line for line in expected if line not in out] == []
    assert main(["leaderboard", "--space", SPACE, "--pull-request", "9"]) == 2
    error = capsys.readouterr().err
    assert f"cannot download Space {SPACE} at revision refs/pr/9" in error
    assert "without --pull-request" in error


def test_bad_input_is_one_sentence(
    space: Path, results: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored, out = str(tmp_path / "scored"), str(tmp_path / "out")
    write_result(results[0], Path(scored))
    (tmp_path / "empty").mkdir()
    for arguments, message in {
        ("--space", str(tmp_path / "empty")): "is not a leaderboard Space",
        ("--space", str(space), "--out", out): "takes no --out",
        ("--space", str(space), scored): "remove it",
        ("--pull-request", "3"): "--pull-request needs --space",
        ("--out", out): "name results folders",
        (scored,): "name a folder with --out",
        (scored, "--init-space", "x", "--dataset", str(SHIPPED), "--out", out): "--init-space x is not",
        (scored, "--init-space", SPACE, "--out", out): "--init-space needs --dataset",
        (scored, "--init-space", SPACE, "--dataset", str(SHIPPED), "--out", str(space)): "README.md",
    }.items():
        assert main(["leaderboard", *arguments]) == 2
        assert message in capsys.readouterr().err
    forged = to_json(results[0])
    forged["scores"]["qt"] = 0.5
    next(Path(scored).glob("*.json")).write_text(json.dumps(forged), encoding="utf-8")
    command = ["leaderboard", scored, "--init-space", SPACE, "--dataset", str(SHIPPED), "--out", out]
    assert main(command) == 2
    assert "qt is 0.5" in capsys.readouterr().err
    assert not any(Path(out).rglob("*"))
