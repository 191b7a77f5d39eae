"""Tests of adding scores to a data set: the new config, and that everything else stays as it was."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest

from merge_snli.annotation.sample import read_sample
from merge_snli.base.files import read_json, sha256_of_file, write_bytes
from merge_snli.builder import MergeSnli
from merge_snli.cli import main
from merge_snli.dataset.record_file import read_record
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.hub.plan import Target, plan
from merge_snli.schema import data_version
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate, assert_refused
from tests.merge_snli.annotation.filled import Scores, csv_rows, edit, fill_csv, random_scores
from tests.oracles import missing_from, refused
from tests.records import copy_bundled, files_in

FILE = "data/annotation/test.parquet"


@pytest.fixture(scope="module")
def scores(sheets: Path) -> dict[str, Scores]:
    """Scores of both annotators, written into their CSV sheets."""
    ids = list(read_sample(sheets / "sample.json").shown)
    made_up = {name: random_scores(ids, seed) for seed, name in enumerate(("a1", "a2"))}
    for name, of_annotator in made_up.items():
        fill_csv(sheets / f"{name}.csv", of_annotator)
    with csv_rows(sheets / "a2.csv") as rows:
        rows[0]["comment"] = "odd | `scene`"
    return made_up


@pytest.fixture(scope="module")
def annotated(sheets: Path, scores: dict[str, Scores], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped data set with the scores."""
    folder = copy_bundled(tmp_path_factory.mktemp("annotated") / "set")
    assert main(["annotate", "apply", str(folder), *(str(sheets / f"{name}.csv") for name in scores)]) == 0
    return folder


def test_the_config_has_every_score(annotated: Path, scores: dict[str, Scores], tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(annotated), "annotation", split="test", cache_dir=str(tmp_path))
    found: dict[str, Scores] = {name: {} for name in scores}
    for row in loaded:
        found[row["annotator"]][row["variant_id"]] = row["F"], row["R"]
    assert found == scores
    keys = [*zip(loaded["variant_id"], loaded["annotator"], strict=True)]
    assert keys == sorted(keys)
    assert [row["comment"] for row in loaded if row["comment"]] == ["odd | `scene`"]
    assert loaded.features["F"].dtype == "int32"


@pytest.mark.parametrize("subsample", [None, 1])
def test_the_builder_has_the_config(annotated: Path, subsample: int | None, tmp_path: Path) -> None:
    builder = MergeSnli(config_name="annotation", data_dir=str(annotated), subsample=subsample, cache_dir=str(tmp_path))
    builder.download_and_prepare()
    assert builder.as_dataset(split="test").to_list() == pq.read_table(annotated / FILE).to_pylist()
    assert str(builder.config.version) == data_version(sha256_of_file(annotated / FILE))


def test_everything_else_is_unchanged(annotated: Path) -> None:
    before, after = find_dataset(str(SHIPPED)), find_dataset(str(annotated))
    assert (after.digest, after.record.data) == (before.digest, before.record.data)
    assert files_in(annotated).keys() == {*before.record.data.files, FILE, "README.md", "run.json"}
    for name, digest in before.record.data.files.items():
        assert sha256_of_file(annotated / name) == digest
    assert after.configs == before.configs
    lines = (annotated / "README.md").read_text("utf-8").splitlines()
    assert {*(SHIPPED / "README.md").read_text("utf-8").splitlines()} <= {*lines}


def test_a_record_without_scores_keeps_its_bytes() -> None:
    assert "annotation" not in read_json(SHIPPED / "run.json")
    assert read_record(SHIPPED / "run.json").annotation is None


def test_publishing_takes_the_scores_along(annotated: Path) -> None:
    planned, without = (plan(find_dataset(str(folder)), Target("org/set")) for folder in (annotated, SHIPPED))
    assert planned.tag == without.tag
    for branch, old in zip(planned.branches, without.branches, strict=True):
        assert set(branch.files) - set(old.files) == {FILE}
    card = planned.branches[0].files["README.md"]
    assert isinstance(card, bytes)
    assert not missing_from(card.decode(), "config_name: annotation", "2 annotator(s) for 24 variants")


def test_applying_again_replaces_the_scores(annotate: Annotate, annotated: Path, sheets: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(annotated, tmp_path / "set"))
    assert annotate("apply", folder, sheets / "a1.csv") == (0, f"24 rows in config annotation of {folder}\n")
    dataset = find_dataset(str(folder))
    assert set(read_split(dataset, "annotation")["annotator"].to_pylist()) == {"a1"}
    assert dataset.record.annotation is not None and dataset.record.annotation.annotators == ("a1",)
    assert (annotated / "README.md").read_text("utf-8") != (folder / "README.md").read_text("utf-8")


def test_a_changed_file_is_not_read(annotated: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(annotated, tmp_path / "set"))
    pq.write_table(pq.read_table(folder / FILE).slice(1), folder / FILE)
    refused(
        r"annotation/test\.parquet has changed", read_split, find_dataset(str(folder)), "annotation", error=ValueError
    )


@pytest.mark.parametrize(
    ("damage", "values"),
    [
        (lambda folder: shutil.rmtree(folder / "set"), ["{}/set", "does not exist"]),
        (edit("set/run.json", lambda record: record["data"].update(digest="0" * 64)), ["no variants", "000000000000"]),
        (edit("sheets/a1.csv", lambda rows: rows[3].update(R="")), ["a1.csv", "line 5", "R is ''"]),
        (lambda folder: (folder / "sheets/sample.json").unlink(), ["sample.json", "--sample"]),
    ],
    ids=["no folder", "another data set", "a missing score", "no sample"],
)
@pytest.mark.usefixtures("scores")
def test_bad_input_leaves_the_data_set_unchanged(
    damage: Callable[[Path], object], values: list[str], annotate: Annotate, sheets: Path, tmp_path: Path
) -> None:
    copy_bundled(tmp_path / "set")
    shutil.copytree(sheets, tmp_path / "sheets")
    damage(tmp_path)
    before = files_in(tmp_path)
    answer = annotate("apply", tmp_path / "set", tmp_path / "sheets" / "a1.csv")
    assert_refused(answer, [value.format(tmp_path) for value in values])
    assert files_in(tmp_path) == before


def test_a_folder_that_cannot_be_written_stays_unchanged(
    annotate: Annotate,
    sheets: Path,
    scores: dict[str, Scores],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = copy_bundled(tmp_path / "set")
    before = files_in(folder)

    def fail_at_the_record(path: Path, content: bytes) -> None:
        if path.name == "run.json":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_bytes(path, content)

    monkeypatch.setattr("merge_snli.card.dataset_folder.write_bytes", fail_at_the_record)
    code, printed = annotate("apply", folder, sheets / "a1.csv")
    assert (code, "full" in printed) == (2, True)
    assert files_in(folder) == before
