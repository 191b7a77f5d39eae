"""Tests of the check of annotators' scores: a valid file, and each kind of damage."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.annotation.report import apply_annotation
from merge_snli.annotation.sample import draw_sample
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.judgments import judgments_of
from merge_snli.dataset.record import AnnotationRecord
from merge_snli.dataset.stored import find_dataset
from merge_snli.schema import ANNOTATION, features
from merge_snli.validation import validate
from merge_snli.validation.annotation import check_annotation
from merge_snli.validation.findings import Collector, Finding
from merge_snli.validation.recorded_run import ANNOTATED, VARIANTS
from tests.merge_snli.validation.digests import read_run, write_json

ROWS = [("s:noun:a:b", "x", 5, 4, ""), ("s:noun:a:b", "y", 1, 5, "odd"), ("s:noun:a:c", "x", 3, 3, "")]


def findings(folder: Path, rows: list[tuple[Any, ...]], *, recorded: int, digest: str = "") -> tuple[Finding, ...]:
    """Write variants and scores, and return what the check finds."""
    for name in (VARIANTS, ANNOTATED):
        (folder / name).parent.mkdir(parents=True)
    pq.write_table(pa.table({"variant_id": ["s:noun:a:b", "s:noun:a:c"]}), folder / VARIANTS)
    schema = features(ANNOTATION).arrow_schema
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table([pa.array(column) for column in columns], schema=schema), folder / ANNOTATED)
    digest = digest or sha256_of_file(folder / ANNOTATED)
    collector = Collector()
    annotation = AnnotationRecord(digest, recorded, ("x", "y"))
    record = replace(find_dataset("demo:dataset").record, annotation=annotation)
    check_annotation(folder, record, collector)
    return collector.report("").findings


@pytest.fixture(scope="module")
def annotated_set(valid_set: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data set with the scores of one annotator for six variants."""
    folder = Path(shutil.copytree(valid_set, tmp_path_factory.mktemp("annotated") / "set"))
    dataset = find_dataset(str(folder))
    sample = draw_sample([dataset], sizes=[6], annotators=["x"], per="all")
    rows = [{"variant_id": each, "annotator": "x", "F": 5, "R": 4} for each in sample.shown]
    apply_annotation(dataset, sample, judgments_of(rows, source="x"))
    return folder


def test_a_data_set_with_scores_is_valid(annotated_set: Path) -> None:
    report = validate(annotated_set)
    assert report.findings == ()
    assert report.checked["scores of annotators"] == 6


def test_scores_that_do_not_fit_the_record_are_found(annotated_set: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(annotated_set, tmp_path / "set"))
    (folder / ANNOTATED).unlink()
    (finding,) = validate(folder).findings
    assert str(finding) == f"{ANNOTATED}: is missing"
    shutil.copy(annotated_set / ANNOTATED, folder / ANNOTATED)
    record = read_run(folder)
    del record["annotation"]
    write_json(folder / "run.json", record)
    files = {finding.file for finding in validate(folder).findings}
    assert {"data/annotation", ANNOTATED, "run.json", "README.md"} <= files


@pytest.mark.parametrize(
    ("row", "number", "column", "value"),
    [
        (("s:noun:a:c", "y", 0, 4, ""), 3, "F", "0"),
        (("s:noun:a:c", "y", 3, 6, ""), 3, "R", "6"),
        (("s:noun:z:z", "x", 3, 3, ""), 3, "variant_id", "'s:noun:z:z'"),
        (ROWS[2], 3, "variant_id", "double"),
        (ROWS[1], 3, "variant_id", "out of order"),
        (("s:noun:a:c", "z", 3, 3, ""), None, "annotator", "'z'"),
        (("s:noun:a:c", "y", 3, 3, None), None, "comment", "null"),
    ],
)
def test_a_damaged_row_is_found(
    row: tuple[Any, ...], number: int | None, column: str, value: str, tmp_path: Path
) -> None:
    (finding,) = findings(tmp_path, [*ROWS, row], recorded=4)
    assert (finding.file, finding.row, finding.column) == (ANNOTATED, number, column)
    assert value in finding.message


def test_another_number_of_rows_and_another_digest_are_found(tmp_path: Path) -> None:
    by_digest, by_rows = findings(tmp_path, ROWS, recorded=4, digest="0" * 64)
    assert "000000000000" in by_digest.message
    assert "3 rows; the record has 4" in by_rows.message
