"""The folder that a data set is written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from merge_snli import cli
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import FOLDER, check_dataset_out


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_the_bundled_data_set_is_never_replaced(
    overwrite: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FOLDER.parent)
    before = (FOLDER / "run.json").read_bytes()
    assert cli.main(["pairs", "simple", "--out", "merge_snli", *overwrite]) == 2
    error = capsys.readouterr().err
    assert "--out merge_snli is the folder of the package" in error
    assert "add --overwrite" not in error
    assert error.count("\n") == 1
    assert (FOLDER / "run.json").read_bytes() == before


def test_folders_in_the_package_and_links_to_it_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(FOLDER)
    for out in (FOLDER, FOLDER / "data" / "mine", tmp_path / "link"):
        with pytest.raises(InputError, match="the folder of the package"):
            check_dataset_out(out)
    assert check_dataset_out(tmp_path / "merge_snli") == tmp_path / "merge_snli"
