"""The folders that commands write to: refused before the work, and replaced whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

import merge_snli
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.comparison.figures import draw_figures
from merge_snli.dataset.stored import (
    check_dataset_out,
    check_out,
    find_dataset,
    new_content,
    other_than,
    replace_folder,
)
from merge_snli.leaderboard.space import init_space
from tests.systems import unprivileged

PACKAGE = Path(merge_snli.__file__).parent

COMMANDS = {
    "demo": [],
    "leaderboard": ["results"],
    "harness": [str(PACKAGE)],
    "score": ["demo:nli-a", "--dataset", str(PACKAGE)],
    "import": ["answers.csv", "--dataset", str(PACKAGE), "--model", "m"],
    "analyze": ["results", "--dataset", str(PACKAGE)],
    "annotate sample": [str(PACKAGE), "--annotators", "a1,a2", "--size", "2"],
    "annotate score": ["a1.csv"],
}
"""Commands with `--out` that write no data set, and their other arguments."""


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return all files and folders in a folder."""
    found = ((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*"))
    return {name: path.read_bytes() if path.is_file() else None for name, path in found}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """The files by which the folder of a data set is known."""
    folder = tmp_path / "my_data"
    folder.mkdir()
    for name in ("run.json", "README.md"):
        shutil.copy(PACKAGE / name, folder)
    return folder


@pytest.mark.parametrize("inside", ["", "results"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_beside_the_files_of_a_data_set(
    command: str, inside: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(dataset)
    assert main([*command.split(), *COMMANDS[command], "--out", str(dataset / inside)]) == 2
    message = capsys.readouterr().err
    assert f"--out {dataset / inside}" in message
    assert f"{dataset} is a data set" in message
    assert contents(dataset) == before


def test_no_function_writes_beside_the_files_of_a_data_set(dataset: Path) -> None:
    with pytest.raises(InputError, match=f"out {dataset}.* is a data set"):
        draw_figures([], dataset)
    with pytest.raises(InputError, match=f"out {dataset}.* is a data set"):
        init_space("a/b", [], [find_dataset(str(PACKAGE))], dataset)


def test_a_data_set_does_not_replace_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=f"out {PACKAGE} is the folder of the package"):
        check_dataset_out(PACKAGE)
    assert main(["generate", "demo:problems", "--preset", "demo", "--out", str(PACKAGE)]) == 2
    assert "--overwrite" not in capsys.readouterr().err


def test_a_folder_of_another_kind_is_refused_with_the_name_of_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"not a data set .*thesis\.tex"):
        check_dataset_out(tmp_path)
    with pytest.raises(InputError, match=r"not empty .*thesis\.tex"):
        check_out(tmp_path, find_other=other_than())
    assert check_out(tmp_path) == tmp_path


def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "a" / "b"):
        for check in (check_out, check_dataset_out):
            with pytest.raises(InputError, match=re.escape(f"out {out}: {tmp_path / 'file'} is a file")):
                check(out)


@unprivileged
def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="not writable"):
        check_out(tmp_path / "report")


def test_a_home_and_a_link_are_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USERPROFILE" if os.name == "nt" else "HOME", str(tmp_path))
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert check_out("~/new") == tmp_path / "new"
    assert check_out(tmp_path / "link") == tmp_path / "real"


def test_named_content_is_replaced_and_other_content_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for text in ("old", "new"):
        with new_content(out, ("data/x", "page", "record")) as staged:
            (staged / "data" / "x").mkdir(parents=True)
            for name in ("data/x/rows", "record", *(["page"] if text == "old" else [])):
                (staged / name).write_text(text)
        if text == "old":
            (out / "mine").write_text("mine")
    assert {path: text for path, text in contents(out).items() if text is not None} == {
        "data/x/rows": b"new",
        "record": b"new",
        "mine": b"mine",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("failing", range(5))
def test_an_error_while_content_is_replaced_restores_it(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, staged = tmp_path / "out", tmp_path / "work" / "staged"
    for folder in (out, staged):
        folder.mkdir(parents=True)
        for name in ("a", "b", "record"):
            (folder / name).write_text(str(folder))
    before, calls = contents(out), 0

    def interrupted(move: str) -> None:
        original = getattr(Path, move)

        def moved(self: Path, target: Path) -> Path:
            nonlocal calls
            calls += 1
            if calls == failing + 1:
                raise KeyboardInterrupt
            result: Path = original(self, target)
            return result

        monkeypatch.setattr(Path, move, moved)

    interrupted("rename")
    interrupted("replace")
    with pytest.raises(KeyboardInterrupt):
        replace_folder(staged, out, ("a", "b", "record"))
    assert contents(out) == before
