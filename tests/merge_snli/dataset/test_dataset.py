"""Finding, reading and writing data sets: records, splits, and the folders that commands write to."""

import hashlib
import json
import os
import re
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import merge_snli
from merge_snli.base.files import read_json
from merge_snli.comparison.figures import draw_figures
from merge_snli.dataset.answered_forms import IN_WINDOW, SPLIT, TOO_LONG, has_few_fillers, shares_text
from merge_snli.dataset.out_folder import check_dataset_out, check_out, new_content, replace_folder
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.dataset.record import DataRecord
from merge_snli.dataset.record_file import decode_record, encode_record, seal
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.embedded import FOLDER
from merge_snli.leaderboard.write import write_leaderboard
from merge_snli.schema import NLI_LABELS, columns
from tests.commands import Command
from tests.oracles import missing_from, refused, written
from tests.records import copy_bundled, files_in, save_record
from tests.systems import unprivileged


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
    for config, splits in dataset.record.rows.items():
        assert not missing_from(html, f">{config}<", f">{splits['test']:,}<")


def test_not_a_data_set(tmp_path: Path) -> None:
    for name in ("empty", "torn"):
        (tmp_path / name).mkdir()
    (tmp_path / "torn" / "run.json").write_text('{"data": ')
    refused(r"run\.json is missing", find_dataset, str(tmp_path / "empty"))
    refused(r"run\.json is not a valid record", find_dataset, str(tmp_path / "torn"))
    refused("the folder does not exist", find_dataset, str(tmp_path / "nowhere"))
    refused("cannot download data set nobody/nothing", find_dataset, "nobody/nothing")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"options": []}, "options"),
        ({"format": 1}, "format"),
        ({"data": {"digest": "xyz", "files": {}}}, "data.digest"),
        ({"generation": {"masked_lms": [{"name": "a", "revision": None}]}}, "generation.problems"),
        ({"configs": {"all": {"groups": "60"}}}, "configs.all.description"),
    ],
)
def test_first_invalid_field_is_named(changes: dict[str, Any], field: str, tmp_path: Path) -> None:
    values = read_json(FOLDER.parent / "run.json")
    (tmp_path / "run.json").write_text(json.dumps(values | changes), encoding="utf-8")
    assert "\n" not in str(refused(rf"run\.json .*\({re.escape(field)}: \w", find_dataset, str(tmp_path)))


@pytest.mark.parametrize("name", ["../x", "", "a\nb", ".x"])
def test_names_of_configs_and_splits_are_names_of_files(name: str, tmp_path: Path) -> None:
    values = read_json(FOLDER.parent / "run.json")
    config = values["configs"]["all"]
    for changed in ({name: config}, {"all": config | {"splits": {name: 1}}}):
        (tmp_path / "run.json").write_text(json.dumps(values | {"configs": changed}), encoding="utf-8")
        refused(re.escape(f"{name!r} is not a name of a config or split"), find_dataset, str(tmp_path))


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
    dataset = find_dataset(str(copy_bundled(tmp_path)))
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
    assert not is_intact(path) and not path.exists()
    assert not is_intact(path)
    assert str(path) in caplog.text


@pytest.mark.parametrize(
    ("in_window", "too_long", "split", "text", "few"),
    [
        (0, 0, 0, "every form as it is", False),
        (0, 0.12, 0.09, "12 % of forms too long, 9 % of forms split by the tokenizer", True),
        (0.9, 0, 0.2, "90 % of forms masked within a window of the text, 20 % of forms split by the tokenizer", False),
    ],
)
def test_shares_of_forms_in_words(in_window: float, too_long: float, split: float, text: str, few: bool) -> None:
    shares = {IN_WINDOW: in_window, TOO_LONG: too_long, SPLIT: split}
    assert shares_text(shares) == text
    assert has_few_fillers(shares) == few


PACKAGE = Path(merge_snli.__file__).parent


# Commands with `--out` that write no data set, and their other arguments.
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


@pytest.fixture
def dataset_folder(tmp_path: Path) -> Path:
    """The files by which the folder of a data set is known."""
    return copy_bundled(tmp_path / "my_data", "run.json", "README.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_writes_beside_the_files_of_a_data_set(name: str, dataset_folder: Path, command: Command) -> None:
    before = files_in(dataset_folder)
    message = command(*name.split(), *COMMANDS[name], "--out", dataset_folder, code=2).err
    assert f"--out {dataset_folder}: {dataset_folder} is a data set" in message
    assert files_in(dataset_folder) == before


def test_no_function_writes_into_a_data_set(dataset_folder: Path) -> None:
    for write in (draw_figures, write_leaderboard):
        refused(f"{dataset_folder} is a data set", write, [], dataset_folder / "results")


def test_a_data_set_never_replaces_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    (tmp_path / "link").symlink_to(PACKAGE)
    for out in (PACKAGE, PACKAGE / "data" / "mine", tmp_path / "link"):
        refused(f"out {PACKAGE}.* is the folder of the package", check_dataset_out, out)
    assert check_dataset_out(tmp_path / "merge_snli") == tmp_path / "merge_snli"
    monkeypatch.chdir(PACKAGE.parent)
    before = (PACKAGE / "run.json").read_bytes()
    for arguments in (["pairs", "simple"], ["generate", "demo:problems", "--preset", "demo"]):
        error = command(*arguments, "--out", "merge_snli", "--overwrite", code=2).err
        assert "--out merge_snli is the folder of the package" in error
        assert "add --overwrite" not in error
        assert error.count("\n") == 1
    assert (PACKAGE / "run.json").read_bytes() == before


def test_paths_through_files_and_folders_of_another_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    refused(r"not a data set .*thesis\.tex", check_dataset_out, tmp_path)
    refused(r"not empty .*thesis\.tex", check_out, tmp_path, content=())
    assert check_out(tmp_path) == tmp_path
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "a" / "b"):
        for check in (check_out, check_dataset_out):
            refused(re.escape(f"out {out}: {tmp_path / 'file'} is a file"), check, out)


@unprivileged
def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refused("not writable", check_out, tmp_path / "report")


def test_a_home_and_a_link_are_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USERPROFILE" if os.name == "nt" else "HOME", str(tmp_path))
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert check_out("~/new") == tmp_path / "new"
    assert check_out(tmp_path / "link") == tmp_path / "real"


def test_named_content_is_replaced_and_other_content_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    names = ("data/x", "page", "record")
    with new_content(out, names) as staged:
        for name in ("data/x/rows", "page", "record"):
            written(staged / name, "old")
    written(out / "mine", "mine")
    with new_content(out, names) as staged:
        for name in ("data/x/rows", "record"):
            written(staged / name, "new")
    assert files_in(out) == {"data/x/rows": b"new", "record": b"new", "mine": b"mine"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("failing", range(5))
def test_an_error_while_content_is_replaced_restores_it(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    staged = tmp_path / "work" / "staged"
    for name in ("a", "b", "record"):
        written(out / name, "old")
        written(staged / name, "new")
    moves = count()

    def move(self: Path, target: Path) -> None:
        if next(moves) == failing:
            raise KeyboardInterrupt
        os.replace(self, target)  # noqa: PTH105 - the methods of `Path` are replaced by this function

    monkeypatch.setattr(Path, "rename", move)
    monkeypatch.setattr(Path, "replace", move)
    refused("", replace_folder, staged, out, ("a", "b", "record"), error=KeyboardInterrupt)
    assert files_in(out) == {"a": b"old", "b": b"old", "record": b"old"}
