"""Finding a data set, reading its record and splits, and the Parquet files and shares beside it."""

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.answered_forms import IN_WINDOW, SPLIT, TOO_LONG, has_few_fillers, shares_text
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.dataset.record import DataRecord, decode_record, encode_record, seal
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.embedded import FOLDER
from merge_snli.schema import NLI_LABELS, columns
from tests.oracles import refused
from tests.records import save_record


def test_shipped_data_set() -> None:
    dataset = find_dataset(str(FOLDER.parent))
    assert dataset.configs == ("all", "noun", "verb", "adj", "seed")
    assert read_split(dataset, "noun", "subsample_3").column_names == [column.name for column in columns("noun")]
    assert dataset.record.label_names == NLI_LABELS
    assert repr(dataset) == f"MergeDataset(name={dataset.name!r}, folder={dataset.folder!r}, revision=None)"


def test_the_bundled_data_set_is_found_by_name_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_dataset("demo:dataset").folder == FOLDER.parent
    assert find_dataset("demo:dataset").public_name == "demo:dataset"
    refused("demo:problems is not a bundled data set: pass demo:dataset", find_dataset, "demo:problems")
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
    for name in ("empty", "torn"):
        (tmp_path / name).mkdir()
    (tmp_path / "torn" / "run.json").write_text('{"data": ')
    for name, message in {
        str(tmp_path / "empty"): r"run\.json is missing",
        str(tmp_path / "torn"): r"run\.json is not a valid record",
        str(tmp_path / "nowhere"): "the folder does not exist",
        "nobody/nothing": "cannot download data set nobody/nothing",
    }.items():
        refused(message, find_dataset, name)


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
    refused(r"run\.json is not", find_dataset, str(tmp_path))


def test_record_round_trip() -> None:
    content = (FOLDER.parent / "run.json").read_bytes()
    record = decode_record(content)
    assert encode_record(record) == content
    assert seal(record, (FOLDER.parent / "README.md").read_bytes()) == record


def test_changed_missing_and_damaged_splits(tmp_path: Path) -> None:
    shutil.copytree(FOLDER.parent / "data", tmp_path / "data")
    shutil.copy(FOLDER.parent / "run.json", tmp_path)
    dataset = find_dataset(str(tmp_path))
    path = tmp_path / "data" / "adj" / "test.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    refused(r"adj/test\.parquet", read_split, dataset, "adj")
    save_record(tmp_path, data=DataRecord("0" * 64, {}))
    shutil.rmtree(tmp_path / "data" / "verb")
    (tmp_path / "data" / "noun" / "test.parquet").write_bytes(b"torn")
    dataset = find_dataset(str(tmp_path))
    refused("cannot be read as Parquet", read_split, dataset, "noun")
    refused(r"no split test of config verb; available configs: .*noun", read_split, dataset, "verb")


TABLE = pa.table({"number": [1, 2, 3]})


@pytest.mark.parametrize("prefix", ["", "key."])
def test_name_is_the_digest_of_the_bytes(tmp_path: Path, prefix: str) -> None:
    path = write_checked(tmp_path / "shards", TABLE, prefix=prefix, compression="zstd")
    assert path.name == f"{prefix}{hashlib.sha256(path.read_bytes()).hexdigest()}.parquet"
    assert pq.read_table(path).equals(TABLE)
    assert is_intact(path)
    assert write_checked(tmp_path / "shards", TABLE, prefix=prefix, compression="zstd") == path


@pytest.mark.parametrize("kept_bytes", [0, 100])
def test_damaged_file_is_deleted(tmp_path: Path, kept_bytes: int, caplog: pytest.LogCaptureFixture) -> None:
    path = write_checked(tmp_path, TABLE, prefix="key.")
    path.write_bytes(path.read_bytes()[:kept_bytes])
    assert not is_intact(path)
    assert not path.exists()
    assert not is_intact(path)
    assert str(path) in caplog.text


@pytest.mark.parametrize(
    ("in_window", "too_long", "split", "text", "few"),
    [
        (0, 0, 0, "every form as it is", False),
        (
            0.62,
            0,
            0.094,
            "62 % of forms masked within a window of the text, 9 % of forms split by the tokenizer",
            False,
        ),
        (0, 0.12, 0.09, "12 % of forms too long, 9 % of forms split by the tokenizer", True),
        (0.9, 0, 0.2, "90 % of forms masked within a window of the text, 20 % of forms split by the tokenizer", False),
    ],
)
def test_shares_of_forms_in_words(in_window: float, too_long: float, split: float, text: str, few: bool) -> None:
    shares = {IN_WINDOW: in_window, TOO_LONG: too_long, SPLIT: split}
    assert shares_text(shares) == text
    assert has_few_fillers(shares) == few
