"""Finding a data set and reading its record and splits."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.record import DataRecord, decode_record, encode_record, seal
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.embedded import FOLDER
from merge_snli.schema import NLI_LABELS, columns
from tests.records import save_record


def test_shipped_data_set() -> None:
    dataset = find_dataset(str(FOLDER.parent))
    assert dataset.configs == ("all", "noun", "verb", "adj", "seed")
    table = read_split(dataset, "noun", "subsample_3")
    assert table.column_names == [column.name for column in columns("noun")]
    assert dataset.record.label_names == NLI_LABELS
    assert repr(dataset) == f"MergeDataset(name={dataset.name!r}, folder={dataset.folder!r}, revision=None)"


def test_the_bundled_data_set_is_found_by_name_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_dataset("demo:dataset").folder == FOLDER.parent
    assert find_dataset("demo:dataset").public_name == "demo:dataset"
    with pytest.raises(InputError, match="demo:problems is not a bundled data set: pass demo:dataset"):
        find_dataset("demo:problems")
    monkeypatch.chdir(FOLDER.parent.parent)
    assert find_dataset("merge_snli").digest == find_dataset("demo:dataset").digest


def test_a_notebook_and_pandas_show_the_rows() -> None:
    dataset = find_dataset(str(FOLDER.parent))
    frame = dataset.to_pandas("noun", "subsample_3")
    assert len(frame) == dataset.record.rows["noun"]["subsample_3"]
    assert {*frame["label"]} == {*NLI_LABELS}
    html = dataset._repr_html_()
    assert all(
        f">{config}<" in html and f">{splits['test']:,}<" in html for config, splits in dataset.record.rows.items()
    )


def test_not_a_data_set(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "run.json").write_text('{"data": ')
    cases = {
        str(tmp_path / "empty"): "run.json is missing",
        str(tmp_path / "torn"): "run.json is not a valid record",
        str(tmp_path / "nowhere"): "the folder does not exist",
        "nobody/nothing": "cannot download data set nobody/nothing",
    }
    for name, message in cases.items():
        with pytest.raises(InputError) as caught:
            find_dataset(name)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"options": []}, "options"),
        ({"format": 1}, "format"),
        ({"data": None}, "data"),
        ({"data": {"digest": "xyz", "files": {}}}, "data.digest"),
        ({"data": {"digest": "0" * 64, "files": []}}, "data.files"),
        ({"generation": {"masked_lms": [{"name": "a", "revision": None}]}}, "generation.problems"),
        ({"configs": {"all": {"groups": "60"}}}, "configs.all.description"),
    ],
)
def test_first_invalid_field_is_named(changes: dict[str, Any], field: str, tmp_path: Path) -> None:
    values = json.loads((FOLDER.parent / "run.json").read_text(encoding="utf-8"))
    (tmp_path / "run.json").write_text(json.dumps(values | changes), encoding="utf-8")
    with pytest.raises(InputError, match=rf"run\.json .*\({re.escape(field)}: \w") as caught:
        find_dataset(str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{}", "3", "null", "[" * 100_000, '{"a": "\\ud800"}'])
def test_file_that_is_not_a_record(content: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(InputError, match=r"run\.json is not"):
        find_dataset(str(tmp_path))


def test_record_round_trip() -> None:
    content = (FOLDER.parent / "run.json").read_bytes()
    record = decode_record(content)
    assert encode_record(record) == content
    assert seal(record, (FOLDER.parent / "README.md").read_bytes()) == record


def test_changed_data_file(tmp_path: Path) -> None:
    shutil.copytree(FOLDER.parent / "data", tmp_path / "data")
    shutil.copy(FOLDER.parent / "run.json", tmp_path)
    dataset = find_dataset(str(tmp_path))
    path = tmp_path / "data" / "adj" / "test.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    with pytest.raises(InputError, match=r"adj/test\.parquet"):
        read_split(dataset, "adj")


def test_missing_or_damaged_split(tmp_path: Path) -> None:
    save_record(tmp_path, data=DataRecord("0" * 64, {}))
    (tmp_path / "data" / "noun").mkdir(parents=True)
    (tmp_path / "data" / "noun" / "test.parquet").write_bytes(b"torn")
    dataset = find_dataset(str(tmp_path))
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_split(dataset, "noun")
    with pytest.raises(InputError, match="no split test of config verb; available configs: noun"):
        read_split(dataset, "verb")
