"""The commands of docs/leaderboard.md for results from others, on a stand-in for the Hub."""

import json
import re
import shlex
from pathlib import Path

import pytest
from huggingface_hub import HfApi
from huggingface_hub.cli.hf import app

from merge_snli import Result
from merge_snli.base.files import read_json
from merge_snli.results.naming import file_name
from tests import ROOT
from tests.commands import Command
from tests.merge_snli.leaderboard.conftest import SHIPPED
from tests.oracles import write_results

PAGE = ROOT / "docs" / "leaderboard.md"
REPO = "org/results"


def hub_commands() -> list[list[str]]:
    """Return the arguments of each `hf` command in a block of the page."""
    lines = re.findall(r"^hf (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.split(line.replace("ORG/RESULTS", REPO)) for line in lines]


@pytest.mark.usefixtures("hub", "token")
def test_results_are_proposed_and_checked(
    results: list[Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    create, upload, propose, download, *_ = hub_commands()

    def run(arguments: list[str], folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        app(arguments, standalone_mode=False)

    write_results(tmp_path / "maintainer" / "results", results[:1])
    write_results(tmp_path / "contributor" / "results", results[1:2])
    run(create, tmp_path / "maintainer")
    run(upload, tmp_path / "maintainer")
    run(propose, tmp_path / "contributor")
    assert not HfApi().file_exists(REPO, f"results/{file_name(results[1])}", repo_type="dataset")
    run([part.replace("refs/pr/3", "refs/pr/1") for part in download], tmp_path / "checked")

    proposed = tmp_path / "checked" / "proposed" / "results"
    names = {path.name for path in proposed.glob("*.json")}
    assert names == {file_name(results[0]), file_name(results[1])}
    arguments = ["leaderboard", proposed, "--dataset", SHIPPED, "--out", tmp_path / "site"]
    command(*arguments)
    assert "org/careful-large" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")

    path = proposed / file_name(results[1])
    content = read_json(path)
    content["scores"]["qt"] = 0.5
    path.write_text(json.dumps(content), encoding="utf-8")
    assert path.name in command(*arguments, code=2).err
