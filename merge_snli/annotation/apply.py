"""Add the scores of annotators to a data set, as config `annotation`."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from merge_snli.annotation.report import find_sampled
from merge_snli.base.errors import InputError
from merge_snli.card.dataset_folder import card_and_record, write_files
from merge_snli.dataset.folders import new_content
from merge_snli.dataset.record import AnnotationRecord
from merge_snli.dataset.stored import find_dataset
from merge_snli.schema import ANNOTATION, TEST, data_file, features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.annotation.reading import Judgment, Judgments
    from merge_snli.annotation.sample import Sample
    from merge_snli.dataset.stored import MergeDataset


def apply_annotation(dataset: MergeDataset, sample: Sample, judgments: Judgments) -> MergeDataset:
    """Write the scores of a data set's variants into its folder, and update its record and card.

    The scores replace those of an earlier study. The data files of the run and their digest stay as they are.

    Args:
        dataset: A data set in a local folder.
        sample: The sample; scores of variants from other data sets are left out.
        judgments: The scores.

    Returns:
        The data set with config `annotation`.

    Raises:
        InputError: If the data set is in the Hub's cache, the sample has none of its variants, or the folder cannot be
            written; the folder is unchanged then.
    """
    if dataset.revision is not None:
        raise InputError(f"{dataset.name} is on the Hub: download it, and pass its folder")
    ids = {variant.variant_id for variant in find_sampled(sample, dataset).variants}
    rows = [row for rows in judgments.rows.values() for row in rows if row.variant_id in ids]
    content = _parquet(rows)
    digest, annotators = hashlib.sha256(content).hexdigest(), tuple(sorted(judgments.annotators))
    record = replace(dataset.record, annotation=AnnotationRecord(digest, len(rows), annotators))
    files = {data_file(ANNOTATION, TEST): content, **card_and_record(record, dataset.folder)}
    with new_content(dataset.folder, tuple(files)) as staged:
        write_files(staged, files)
    return find_dataset(str(dataset.folder))


def _parquet(judgments: Sequence[Judgment]) -> bytes:
    """Return the rows as a Parquet file, sorted by variant and annotator."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    ordered = sorted(judgments, key=lambda row: (row.variant_id, row.annotator))
    columns = [(row.variant_id, row.annotator, row.fluency, row.reasoning, row.comment) for row in ordered]
    schema = features(ANNOTATION).arrow_schema
    table = pa.table([list(column) for column in zip(*columns, strict=True)], schema=schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())
