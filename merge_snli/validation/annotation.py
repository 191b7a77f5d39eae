"""Check the scores of annotators in config `annotation`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from merge_snli.schema import ANNOTATION, features
from merge_snli.validation.finding import quoted
from merge_snli.validation.folder import check_digests
from merge_snli.validation.parquet import READ_ERRORS, check_table, read_column, read_tables
from merge_snli.validation.recorded_run import ANNOTATED, VARIANTS

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.dataset.record import AnnotationRecord
    from merge_snli.validation.collector import Collector, Find
    from merge_snli.validation.seed import Row

LOWEST, HIGHEST = 1, 5


def check_annotation(folder: Path, record: AnnotationRecord | None, collector: Collector) -> None:
    """Compare the scores of annotators with the record and with the variants of config `all`.

    Args:
        folder: The data set's folder.
        record: What `run.json` says of the scores; if None, nothing is checked.
        collector: Gets the findings and counts.
    """
    if record is None:
        return
    check_digests(folder, {ANNOTATED: record.digest}, collector)
    if not check_table(folder, ANNOTATED, features(ANNOTATION).arrow_schema, collector):
        return
    rows = [row for table in read_tables(folder / ANNOTATED) for row in table.to_pylist()]
    collector.count("scores of annotators", len(rows))
    if len(rows) != record.rows:
        collector.find(ANNOTATED, None, None, f"has {len(rows)} rows; the record has {record.rows}")
    annotators = sorted({row["annotator"] for row in rows})
    if annotators != list(record.annotators):
        collector.find(
            ANNOTATED, None, "annotator", f"has {quoted(annotators)}; the record has {quoted(list(record.annotators))}"
        )
    try:
        variants = set(read_column(folder / VARIANTS, "variant_id"))
    except READ_ERRORS:
        collector.skip(f"variants of {ANNOTATED}: {VARIANTS} cannot be read")
        return
    previous = ("", "")
    for number, row in enumerate(rows):
        find = partial(collector.find, ANNOTATED, number)
        _check_row(row, variants, find)
        key = (row["variant_id"], row["annotator"])
        if key <= previous:
            find("variant_id", f"{quoted(list(key))} is double or out of order: it follows {quoted(list(previous))}")
        previous = key


def _check_row(row: Row, variants: set[str], find: Find) -> None:
    if row["variant_id"] not in variants:
        find("variant_id", f"{quoted(row['variant_id'])} is not a variant of config all")
    for name in ("F", "R"):
        if not LOWEST <= row[name] <= HIGHEST:
            find(name, f"is {row[name]}, but must be from {LOWEST} to {HIGHEST}")
