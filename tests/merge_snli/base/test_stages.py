"""Stages in this process: their order, the shares of their tasks, and the notes that they leave for each other."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from merge_snli.base.errors import IncompleteError, InputError
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.stages import FILTERS, TAG, Notes, RunStage, TaskShare, run_here


@pytest.mark.parametrize(("items", "tasks"), [(0, 1), (1, 3), (7, 3), (9, 3)])
def test_every_item_is_in_one_share(items: int, tasks: int) -> None:
    shares = [TaskShare(task, tasks).of(items) for task in range(tasks)]
    assert sorted(number for share in shares for number in share) == list(range(items))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_stages_run_in_order_and_stop_at_the_first_error() -> None:
    done: list[str] = []

    def work(name: str, share: TaskShare, shown: Stage) -> None:
        assert share == TaskShare(0, 1)
        assert shown.unit == "shards"
        done.append(name)
        if name == "second":
            raise InputError("no")

    stages = [
        RunStage(name=name, kind=TAG, unit="shards", work=partial(work, name), shards=4, step=step)
        for step, name in enumerate(("first", "second", "third"))
    ]
    progress = Progress(quiet=True)
    with pytest.raises(InputError, match="no"):
        run_here(stages, progress)
    assert done == ["first", "second"]
    assert [stage.name for stage in progress.stages] == done


@pytest.mark.parametrize("shared", [False, True])
def test_notes_name_files_that_exist(tmp_path: Path, shared: bool) -> None:
    notes, made = Notes(tmp_path / "notes" if shared else None), tmp_path / "made.parquet"
    made.touch()
    notes.write(TAG, 3, {"shard": made}, words={"noun": 2})
    assert notes.files(TAG, 3) == {"shard": made}
    assert notes.read(TAG, 3)["words"] == {"noun": 2}
    made.unlink()
    with pytest.raises(IncompleteError, match=r"made\.parquet"):
        notes.files(TAG, 3)


def test_a_missing_or_damaged_note_is_named(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    with pytest.raises(IncompleteError, match=r"000003\.json"):
        notes.read(FILTERS, 3)
    notes.write(FILTERS, 3, {})
    (file,) = tmp_path.rglob("*.json")
    file.write_text("{", encoding="utf-8")
    with pytest.raises(IncompleteError, match=r"000003\.json"):
        notes.read(FILTERS, 3)


def test_stages_of_this_process_import_no_cluster() -> None:
    modules = "{'datatrove', 'ray', 'merge_snli.runs'}"
    code = f"import sys, generation.pipeline, merge_snli.scoring.tasks; print({modules} & {{*sys.modules}})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
