"""Every way of loading a data set gives the rows of its Parquet files, and never stale rows from a cache."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from benchmarks.loading import LINES, OLD_DATASETS, Line, empty_caches, run_line, run_old, script_folder, working_in
from merge_snli.builder import MergeSnli
from merge_snli.card import render_card
from merge_snli.dataset.stored import find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.schema import SEED, TEST, data_file
from tests.records import save_record

DATA_SET = FOLDER.parent
DATASET = find_dataset(str(DATA_SET))
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the check of a registration in another process; these tests load the data themselves."""
    monkeypatch.setattr("merge_snli.hub.register.check_loading", lambda dataset, stage, name: None)


def rows_of(config: str, split: str, folder: Path = DATA_SET) -> list[Row]:
    rows: list[Row] = pq.read_table(folder / data_file(config, split)).to_pylist()
    return rows


def digest_of(rows: list[Row]) -> str:
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("line", LINES, ids=[line.name for line in LINES])
def test_every_way_of_loading(line: Line, record_property: Callable[[str, object], None]) -> None:
    rows, seconds = run_line(line, DATA_SET)
    record_property("seconds", round(seconds, 3))
    expected = line.expected(rows_of("noun", "subsample_3"))
    assert len(expected) > 0
    assert digest_of(rows) == digest_of(expected)


def test_readme_example_in_the_project_root() -> None:
    with empty_caches(), working_in(DATA_SET.parent):
        assert datasets.load_dataset("merge_snli", "noun")["subsample_9"].to_list() == rows_of("noun", "subsample_9")
        assert datasets.get_dataset_config_names("merge_snli") == list(DATASET.configs)
        assert datasets.load_dataset("merge_snli", split=TEST).num_rows == len(rows_of("all", TEST))


def test_local_data_set_takes_precedence_over_registered_one(tmp_path: Path) -> None:
    from merge_snli.hub.register import register, registered_text

    half = halved(tmp_path / "merge_snli")
    with empty_caches() as empty:
        registration = register(str(DATA_SET))
        with working_in(empty):
            assert datasets.load_dataset("merge_snli", "noun", split=TEST).to_list() == rows_of("noun", TEST)
        assert "register again" not in registered_text(registration)
        time.sleep(1)  # the default config has the date of the next second
        with working_in(half.parent):
            assert datasets.load_dataset("merge_snli", "noun", split=TEST).to_list() == rows_of("noun", TEST, half)
        assert "a folder merge_snli was loaded since" in registered_text(registration)
        assert "a folder merge_snli was loaded since" not in registered_text(register(str(DATA_SET)))
        with working_in(empty):
            assert datasets.load_dataset("merge_snli", "noun", split=TEST).to_list() == rows_of("noun", TEST)


@pytest.mark.parametrize("config", DATASET.configs)
def test_builder_has_every_split_of_every_config(config: str, tmp_path: Path) -> None:
    builder = MergeSnli(config_name=config, cache_dir=str(tmp_path))
    builder.download_and_prepare(output_dir=str(tmp_path / "parquet"), file_format="parquet")
    assert set(builder.info.splits) == set(DATASET.record.data_rows[config])
    for split in builder.info.splits:
        (written,) = (tmp_path / "parquet").glob(f"*-{split}*.parquet")
        table = pq.read_table(written)
        assert table.to_pylist() == rows_of(config, split)
        assert table.schema.metadata == pq.read_schema(DATA_SET / data_file(config, split)).metadata


def test_builder_rejects_unknown_config_and_subsample(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'adv'.* all, noun, verb, adj, seed"):
        MergeSnli(config_name="adv", cache_dir=str(tmp_path)).download_and_prepare()
    for subsample in (10, -1, True, "3"):
        with pytest.raises(ValueError, match=rf"from 0 to 9 .*{subsample!r}"):
            MergeSnli(config_name="noun", subsample=subsample, cache_dir=str(tmp_path)).download_and_prepare()


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of branch `script`, for `datasets` 3."""
    if not OLD_DATASETS.is_file():
        pytest.skip("there is no environment with datasets 3.6.0: make datasets-3")
    return script_folder(DATA_SET, tmp_path_factory.mktemp("branch"))


@pytest.mark.parametrize("subsample", [3, None])
def test_loading_script(branch: Path, tmp_path: Path, subsample: int | None) -> None:
    printed = run_old(branch, tmp_path, subsample)
    assert printed["version"] == "3.6.0"
    expected = {
        config: {TEST: TEST if config == SEED else f"subsample_{subsample}"}
        if subsample is not None
        else {split: split for split in DATASET.record.data_rows[config]}
        for config in DATASET.configs
    }
    assert {config: result["digests"] for config, result in printed["loaded"].items()} == {
        config: {split: digest_of(rows_of(config, of)) for split, of in splits.items()}
        for config, splits in expected.items()
    }


def test_loading_script_does_not_import_the_package(tmp_path: Path) -> None:
    for path in script_folder(DATA_SET, tmp_path).glob("*.py"):
        assert "merge_snli" not in [line.split()[1].partition(".")[0] for line in imports(path)]


def imports(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip().startswith(("import ", "from "))]


def halved(folder: Path) -> Path:
    """Write a data set with the first half of each file's rows."""
    files = {}
    for name in DATASET.record.data.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pq.read_table(DATA_SET / name)
        pq.write_table(table.slice(0, max(1, table.num_rows // 2)), path)
        files[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    record = save_record(folder, data=replace(DATASET.record.data, files=files, digest=digest))
    (folder / "README.md").write_text(render_card(record, folder), encoding="utf-8")
    return folder


def test_rewritten_folder_gives_new_rows(tmp_path: Path) -> None:
    folder = tmp_path / "merge_snli"
    shutil.copytree(DATA_SET / "data", folder / "data")
    shutil.copy(DATA_SET / "README.md", folder)
    shutil.copy(DATA_SET / "run.json", folder)
    with empty_caches():
        assert loaded(folder) == [rows_of("noun", TEST)] * 3
        halved(folder)
        assert loaded(folder) == [rows_of("noun", TEST, folder)] * 3
        assert len(rows_of("noun", TEST, folder)) < len(rows_of("noun", TEST))


def loaded(folder: Path) -> list[list[Row]]:
    """Load a folder by its path, by its bare name, and with the builder."""
    with working_in(folder.parent):
        by_name = datasets.load_dataset("merge_snli", "noun", split=TEST)
    builder = MergeSnli(config_name="noun", data_dir=str(folder))
    builder.download_and_prepare()
    by_path = datasets.load_dataset(str(folder), "noun", split=TEST)
    return [by_path.to_list(), by_name.to_list(), builder.as_dataset(split=TEST).to_list()]
