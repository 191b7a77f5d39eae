"""Put the numbers of an annotation study together, and add its scores to a data set as config `annotation`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.annotation.sample import Per, Sample, SampledDataset
from merge_snli.annotation.scores import (
    Agreement,
    VariantScores,
    Weighted,
    agreements,
    in_common,
    scores_by_group,
    variant_scores,
    weighted_share,
)
from merge_snli.base.errors import InputError
from merge_snli.card.dataset_folder import card_and_record, write_files
from merge_snli.dataset.judgments import VariantJudgments, judgments_of, judgments_of_run
from merge_snli.dataset.out_folder import new_content
from merge_snli.dataset.record import JudgeRecord
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.dataset.variants import validated_by
from merge_snli.schema import ALL, ANNOTATION, TEST, data_file


@dataclass(frozen=True)
class DatasetScores:
    """The scores of the variants of one data set.

    Attributes:
        name: The data set's folder or Hub id.
        digest: sha256 of its data.
        overall: All variants.
        classes: Variants by word class.
        weighted: The share of good variants, weighted by word class; None if a class has fewer than two variants.
        masked_lms: Variants by masked LM that validated them; None if the data set was not given.
    """

    name: str
    digest: str
    overall: VariantScores
    classes: dict[str, VariantScores]
    weighted: Weighted | None
    masked_lms: dict[str, VariantScores] | None


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
        judges: The annotators that are language models, with their prompts and settings.
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


def score_annotation(sample: Sample, judgments: VariantJudgments, datasets: Sequence[MergeDataset]) -> Annotation:
    """Compute the numbers of a study.

    Args:
        sample: The sample.
        judgments: The scores.
        datasets: Data sets that the sample was drawn from, for the shares by masked LM; may be empty.

    Raises:
        InputError: If the sample has no variants of a data set, or a package of the extra `annotate` is missing.
    """
    judged = in_common(judgments)
    if not judged.rows:
        raise InputError("no variant has scores of every annotator that can be read: score them one by one")
    for dataset in datasets:
        find_sampled(sample, dataset)
    by_digest = {dataset.digest: dataset for dataset in datasets}
    scored = []
    for sampled in sample.datasets:
        if not len(judged.scores_of(sampled.variant_ids)):
            continue
        classes: dict[str, list[str]] = {name: [] for name in sampled.seeds}
        for variant in sampled.variants:
            classes[variant.word_class].append(variant.variant_id)
        masked_lms = _by_masked_lm(sampled, sample.per, by_digest.get(sampled.digest))
        scores = DatasetScores(
            name=sampled.name,
            digest=sampled.digest,
            overall=variant_scores(judged, sampled.variant_ids),
            classes=scores_by_group(judged, classes),
            weighted=weighted_share(judged, classes, sampled.seeds),
            masked_lms=None if masked_lms is None else scores_by_group(judged, masked_lms),
        )
        scored.append(scores)
    return Annotation(
        per=sample.per,
        random_seed=sample.random_seed,
        annotators=judged.annotators,
        pool=variant_scores(judged, sample.shown),
        datasets=tuple(scored),
        agreement=agreements(judged),
        to_adjudicate=len(judged.differing()),
        judges=judgments.judges,
        unread=len(sample.shown) - len(judged.rows),
    )


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


def _by_masked_lm(sampled: SampledDataset, per: Per, dataset: MergeDataset | None) -> Mapping[str, list[str]] | None:
    """Return the sampled variants that each masked LM validated; if the masked LMs are strata, those of its stratum."""
    if per == "mlm":
        strata: dict[str, list[str]] = {name: [] for name in sampled.population}
        for variant in sampled.variants:
            for name in variant.strata:
                strata[name].append(variant.variant_id)
        return strata
    if dataset is None:
        return None
    table = read_split(dataset, ALL)
    table = table.filter(pc.is_in(table["variant_id"], pa.array(sampled.variant_ids)))
    masks = validated_by(table, dataset.record)
    return {name: table["variant_id"].filter(pa.array(mask)).to_pylist() for name, mask in masks.items()}


def apply_annotation(dataset: MergeDataset, sample: Sample, judgments: VariantJudgments) -> MergeDataset:
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
    own = judgments.of("variant_id", find_sampled(sample, dataset).variant_ids)
    of_run = judgments_of_run(dataset)
    rows = [*of_run.table.to_pylist(), *own.table.to_pylist()]
    judges = (*of_run.judges, *judgments.judges)
    content, record = judgments_of(rows, judges, source=f"{dataset.name} and the sheets").encoded()
    files = card_and_record(replace(dataset.record, annotation=record), dataset.folder)
    files = {data_file(ANNOTATION, TEST): content, **files}
    with new_content(dataset.folder, tuple(files)) as staged:
        write_files(staged, files)
    return find_dataset(str(dataset.folder))
