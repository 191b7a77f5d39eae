"""Put the numbers of an annotation study together, and add its scores to a data set as config `annotation`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.annotation.reading import Judgments
from merge_snli.annotation.sample import Per, Sample, SampledDataset
from merge_snli.annotation.scores import (
    Agreement,
    DatasetScores,
    VariantScores,
    agreements,
    dataset_scores,
    disagreements,
    in_common,
    variant_scores,
)
from merge_snli.base.errors import InputError
from merge_snli.card.dataset_folder import card_and_record, write_files
from merge_snli.dataset.judgments import judgments_of, judgments_of_run
from merge_snli.dataset.record import JudgeRecord
from merge_snli.dataset.stored import MergeDataset, find_dataset, new_content, read_split
from merge_snli.dataset.variants import validated_by
from merge_snli.schema import ALL, ANNOTATION, TEST, data_file


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """The numbers of an annotation study: the content of `annotation.json`.

    Attributes:
        per: The strata of the sample.
        random_seed: Seed of the sample.
        annotators: Names of the annotators.
        pool: The variants of all data sets together.
        datasets: The variants of each data set.
        agreement: The agreement on F and on R; empty for one annotator.
        to_adjudicate: Number of variants on which annotators differ by 2 or more.
        judges: The annotators that are language models, and how they were asked.
        unread: Number of variants that are left out, because the scores in a language model's reply cannot be read.
    """

    format: Literal[1] = 1
    per: Per
    random_seed: int
    annotators: tuple[str, ...]
    pool: VariantScores
    datasets: tuple[DatasetScores, ...]
    agreement: tuple[Agreement, ...]
    to_adjudicate: int
    judges: tuple[JudgeRecord, ...] = ()
    unread: int = 0


def score_annotation(sample: Sample, judgments: Judgments, datasets: Sequence[MergeDataset]) -> Annotation:
    """Compute the numbers of a study.

    Args:
        sample: The sample.
        judgments: The scores.
        datasets: Data sets that the sample was drawn from, for the shares by masked LM; may be empty.

    Raises:
        InputError: If the sample has no variants of a data set, or a package of the extra `annotate` is missing.
    """
    read = in_common(judgments)
    judged = {row.variant_id for rows in read.values() for row in rows}
    if not judged:
        raise InputError("no variant has scores of every annotator that can be read: score them one by one")
    by_digest = {dataset.digest: dataset for dataset in datasets}
    for dataset in datasets:
        find_sampled(sample, dataset)
    sampled_and_read = [
        replace(sampled, variants=tuple(row for row in sampled.variants if row.variant_id in judged))
        for sampled in sample.datasets
    ]
    return Annotation(
        per=sample.per,
        random_seed=sample.random_seed,
        annotators=tuple(judgments),
        pool=variant_scores(read, sample.variant_ids),
        datasets=tuple(
            dataset_scores(sampled, read, _by_masked_lm(sampled, sample.per, by_digest.get(sampled.digest)))
            for sampled in sampled_and_read
            if sampled.variants
        ),
        agreement=agreements(read),
        to_adjudicate=len(disagreements(read)),
        judges=judges_of(judgments),
        unread=len(sample.variant_ids) - len(judged),
    )


def judges_of(judgments: Judgments) -> tuple[JudgeRecord, ...]:
    """Return the annotators that are language models, sorted by name."""
    records = (rows[0].judge for _, rows in sorted(judgments.items()) if rows)
    return tuple(record for record in records if record is not None)


def find_sampled(sample: Sample, dataset: MergeDataset) -> SampledDataset:
    """Return what a sample has of a data set.

    Raises:
        InputError: If there is none.
    """
    for sampled in sample.datasets:
        if sampled.digest == dataset.digest:
            return sampled
    drawn = ", ".join(f"{sampled.name} (sha256 {sampled.digest[:12]}…)" for sampled in sample.datasets)
    raise InputError(
        f"the sample has no variants of {dataset.name} (sha256 {dataset.digest[:12]}…): it was drawn from {drawn}"
    )


def _by_masked_lm(sampled: SampledDataset, per: Per, dataset: MergeDataset | None) -> dict[str, list[str]] | None:
    """Return the sampled variants that each masked LM validated; if the masked LMs are strata, those of its stratum."""
    if per == "mlm":
        return {
            name: [variant.variant_id for variant in sampled.variants if name in variant.strata]
            for name in sampled.population
        }
    if dataset is None:
        return None

    table = read_split(dataset, ALL)
    table = table.filter(pc.is_in(table["variant_id"], pa.array([variant.variant_id for variant in sampled.variants])))
    masks = validated_by(table, dataset.record)
    return {name: table["variant_id"].filter(pa.array(mask)).to_pylist() for name, mask in masks.items()}


def apply_annotation(dataset: MergeDataset, sample: Sample, judgments: Judgments) -> MergeDataset:
    """Write the scores of a data set's variants into its folder, and update its record and card.

    The scores replace those of an earlier study, but not the judgments that the variants were filtered by. The data
    files of the run and their digest stay as they are.

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
    of_dataset = [row for rows in judgments.values() for row in rows if row.variant_id in ids]
    of_run = judgments_of_run(dataset)
    rows = [
        {"variant_id": row.variant_id, "annotator": row.annotator, **row.scores, "comment": row.comment}
        for row in of_dataset
    ]
    judges = (*of_run.judges, *judges_of(judgments))
    together = judgments_of([*of_run.table.to_pylist(), *rows], judges, source=f"{dataset.name} and the sheets")
    content, record = together.encoded()
    files = {
        data_file(ANNOTATION, TEST): content,
        **card_and_record(replace(dataset.record, annotation=record), dataset.folder),
    }
    with new_content(dataset.folder, tuple(files)) as staged:
        write_files(staged, files)
    return find_dataset(str(dataset.folder))
