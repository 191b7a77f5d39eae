"""Check the scores of annotators, and the variants that were filtered by them."""

from collections import Counter
from collections.abc import Collection
from functools import partial
from pathlib import Path

import pyarrow as pa

from generation.options import options_of_run
from generation.replacements.judged import GOOD_VARIANT, NOT_GOOD
from merge_snli.dataset.judgments import SCALE, SCORES, VariantJudgments, is_score
from merge_snli.dataset.record import Record, generation_of
from merge_snli.dataset.stored import RUN_FILE
from merge_snli.schema import ANNOTATION, features
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.folder import check_digests
from merge_snli.validation.parquet import READ_ERRORS, check_table, read_column, read_tables
from merge_snli.validation.recorded_run import ANNOTATED, VARIANTS


def check_annotation(folder: Path, record: Record, collector: Collector) -> None:
    """Compare the scores of annotators with the record and with the variants of config `all`.

    Args:
        folder: The data set's folder.
        record: The record in `run.json`; a filter of the variants by scores is repeated.
        collector: Gets the findings and counts.
    """
    annotation = record.annotation
    judgments = None if record.generation is None else record.generation.judgments
    if annotation is None:
        if judgments is not None:
            collector.skip("filter by judgments: the record names no scores")
        return
    check_digests(folder, {ANNOTATED: annotation.digest}, collector)
    if not check_table(folder, ANNOTATED, features(ANNOTATION).arrow_schema, collector):
        return
    scores = VariantJudgments(pa.concat_tables(read_tables(folder / ANNOTATED)))
    rows = scores.table.to_pylist()
    collector.count("scores of annotators", len(rows))
    if len(rows) != annotation.rows:
        collector.find(ANNOTATED, None, None, f"has {len(rows)} rows; the record has {annotation.rows}")
    if scores.annotators != annotation.annotators:
        names, recorded = map(quoted, ([*scores.annotators], [*annotation.annotators]))
        collector.find(ANNOTATED, None, "annotator", f"has {names}; the record has {recorded}")
    try:
        variants = set(read_column(folder / VARIANTS, "variant_id"))
    except READ_ERRORS:
        collector.skip(f"variants of {ANNOTATED}: {VARIANTS} cannot be read")
        return
    filtered_by: tuple[str, ...] = ()
    if judgments is not None:
        filtered_by = judgments.annotators
        _check_filter(record, scores.of("annotator", filtered_by), variants, collector)
    previous = ["", ""]
    for number, row in enumerate(rows):
        find = partial(collector.find, ANNOTATED, number)
        key = [row["variant_id"], row["annotator"]]
        if row["variant_id"] not in variants and row["annotator"] not in filtered_by:
            find("variant_id", f"{quoted(row['variant_id'])} is not a variant of config all")
        for name in SCORES:
            if not is_score(row[name]):
                find(name, f"is {row[name]}, but must be from {min(SCALE)} to {max(SCALE)}")
        if key <= previous:
            find("variant_id", f"{quoted(key)} is double or out of order: it follows {quoted(previous)}")
        previous = key


def _check_filter(record: Record, scores: VariantJudgments, variants: Collection[str], collector: Collector) -> None:
    """Filter by scores again: report variants that these drop, and those that they keep but config `all` lacks."""
    means = scores.means
    options = options_of_run(record.options)
    good = {variant for variant, mean in means.items() if mean >= options.min_judged}
    sizes = Counter(map(_seed_and_class, good))
    kept = {variant for variant in good if sizes[_seed_and_class(variant)] >= options.inflation}
    for variant in sorted(kept.symmetric_difference(variants)):
        mean = f"has mean F + R of {means[variant]:.2f}" if variant in means else "was not judged"
        problem = "is a variant of config all" if variant in variants else "is not a variant of config all"
        collector.find(ANNOTATED, None, "variant_id", f"{quoted(variant)} {mean}, and {problem}: filter again")
    counted = {GOOD_VARIANT: len(good), NOT_GOOD: len(means) - len(good)}
    judged = generation_of(record).judged or {}
    recorded = {name: judged.get(name) for name in counted}
    collector.compare(RUN_FILE, "generation.judged", recorded, counted, "the judgments give")


def _seed_and_class(variant: str) -> tuple[str, ...]:
    return tuple(variant.rsplit(":", 3)[:2])
