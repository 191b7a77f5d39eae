"""The work folder: locked by its run, and no second folder left behind."""

from pathlib import Path

import pytest

from generation.work import work_folder
from merge_snli.base.errors import InputError


@pytest.mark.parametrize("work", ["out.work", "./out.work", "link"])
def test_the_default_may_be_spelled_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out.work").mkdir()
    Path("link").symlink_to("out.work")
    with work_folder(Path("out"), work) as folder:
        assert folder.samefile("out.work")
        with pytest.raises(InputError, match=r"out\.work is in use by process \d+"), work_folder(Path("out")):
            pass
    assert Path("out.work").is_dir()


def test_a_failed_run_with_another_work_folder_leaves_none_beside_the_data_set(tmp_path: Path) -> None:
    out = tmp_path / "out"
    work = tmp_path / "elsewhere"
    with pytest.raises(KeyboardInterrupt), work_folder(out, work):
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere"]
    with work_folder(tmp_path / "other", work), pytest.raises(InputError, match="elsewhere"), work_folder(out, work):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere"]


def test_what_a_failed_run_has_staged_is_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError), work_folder(tmp_path / "out", tmp_path / "elsewhere"):
        (tmp_path / "out.work" / "staged").mkdir()
        raise InputError("no")
    assert (tmp_path / "out.work" / "staged").is_dir()
