"""Compute the result of a model from its predictions on rows in groups."""

from collections import Counter
from dataclasses import replace
from platform import python_version

import numpy as np
import pyarrow as pa

from merge_snli.answers.answers import Answers, Predicted, compared_numbers
from merge_snli.answers.data import ScoredData
from merge_snli.answers.joining import align, predicted_answers
from merge_snli.answers.source import ScoredSource
from merge_snli.answers.table import NO_ANSWER
from merge_snli.base import __version__
from merge_snli.base.arrays import Floats32, Ints
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.base.progress import step
from merge_snli.models.labels import ANSWERS, Missing, compared_labels
from merge_snli.results.calibration import as_stored, is_of_label, label_probabilities
from merge_snli.results.measure import numbers_from, source_scores
from merge_snli.results.notes import notes_of
from merge_snli.results.records import (
    SCHEMA_VERSION,
    DatasetRecord,
    LeftOut,
    ModelRecord,
    PartialRecord,
    RunRecord,
)
from merge_snli.results.result import Result
from merge_snli.results.scores import SourceScores
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD


def evaluate(
    outputs: Ints,
    data: ScoredData,
    *,
    model: ModelRecord,
    run: RunRecord,
    logits: Floats32 | None = None,
    likelihoods: Floats32 | None = None,
    details: pa.Table | None = None,
    source: ScoredSource | None = None,
    max_length: int | None = None,
) -> Result:
    """Compute the result of a model, a function or imported answers.

    Args:
        outputs: Number of the label of each pair of the data and then of each new pair of the source, among those of
            the model, or a code of `Missing`, [n].
        data: The rows and groups.
        model: The model.
        run: How it was run. The versions of this package and of Python, and the numbers of pairs without an answer and
            with tied logits, are added.
        logits: Logits from which the outputs are, [n, n_outputs]; None if only the labels are known.
        likelihoods: Log-likelihoods of the labels of the data that a language model has beside its answers, float32,
            [n, n_labels], NaN for a pair on which they are not known; None if they are not known on any.
        details: What a language model replied to the pairs, in the columns of a table of answers, [n].
        source: The problems of the source, if it was scored.
        max_length: The model's maximum number of tokens.

    Raises:
        InputError: If no group fits into the model's maximum length, or has all its imported answers.
    """
    compared = compared_labels(model.labels, data.label_names)
    numbers = compared_numbers(model.labels, compared)[outputs]
    probabilities = None
    if likelihoods is not None:
        probabilities = as_stored(label_probabilities(likelihoods, data.label_names, compared))
    elif logits is not None:
        probabilities = as_stored(label_probabilities(logits, model.labels, compared))
    everything = align(data, Predicted(numbers, probabilities, details), compared)
    imported = model.label_origin == ANSWERS
    answers, kept = predicted_answers(everything, data, whole_groups=imported)
    if not len(answers.predicted):
        why = "has all its answers"
        if not imported:
            limit = f"the {max_length} tokens of model {model.name}"
            why = f"fits into {limit}: score a model with a larger maximum length"
        raise InputError(f"no {data.units[0]} of {data.full_name} {why}")
    run = replace(
        run,
        versions={"merge_snli": __version__, "python": python_version(), **run.versions},
        no_answers=int(np.count_nonzero(outputs == Missing.NO_ANSWER)),
        tied=run.tied or _ties(logits),
    )
    with step(f"scores of {model.name}", len(answers.predicted), data.units[1] + "s"):
        return make_result(
            answers,
            kept,
            data,
            model=model,
            run=run,
            source=None if source is None else source_scores(source, numbers, data.label_names, compared),
            max_length=max_length,
            pairs=len(outputs),
        )


def _ties(logits: Floats32 | None) -> int:
    """Count the pairs on which the largest logits of two outputs are equal."""
    if logits is None:
        return 0
    second, first = np.partition(logits, -2, axis=1)[:, -2:].T
    return int(np.count_nonzero((first == second) & np.isfinite(first)))


def make_result(
    answers: Answers,
    kept: ScoredData,
    data: ScoredData,
    *,
    model: ModelRecord,
    run: RunRecord,
    source: SourceScores | None = None,
    max_length: int | None,
    pairs: int,
) -> Result:
    """Return the result of a model from its answers: every number of a result is computed here.

    Args:
        answers: The answers, at least one; none is `NOT_PREDICTED`.
        kept: The rows and groups that they are on, in the same order.
        data: All rows and groups that were to be predicted.
        model: The model.
        run: How it was run.
        source: Its scores on the source of the data set.
        max_length: Its maximum number of tokens.
        pairs: Number of distinct pairs that were to be predicted.
    """
    annotators = kept.annotators
    if annotators is not None:
        annotators = annotators @ is_of_label(kept.label_names, answers.labels)
    subsamples = None if data.subsamples is None else len(data.subsamples)
    result = Result(
        schema_version=SCHEMA_VERSION,
        model=model,
        dataset=dataset_record(data),
        run=run,
        compared_labels=answers.labels,
        left_out=_left_out(answers, data, max_length),
        notes=(),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        subsamples=subsamples,
        source=source,
        stored=answers,
        **numbers_from(answers, kept.masks, annotators),
    )
    return replace(result, notes=tuple(notes_of(result, pairs)))


def result_on(result: Result, everything: Answers, data: ScoredData, source: SourceScores | None = None) -> Result:
    """Return the result of the same model on other data, such as a part, from its answers there.

    Calibration, notes and unread answers are those on the data.

    Args:
        result: The result.
        everything: The answers to all rows of the data, in their order.
        data: The data.
        source: The scores on the source of the data set.

    Raises:
        InputError: If no group of the data has an answer.
    """
    answers, kept = predicted_answers(everything, data, whole_groups=result.model.label_origin == ANSWERS)
    if not len(answers.predicted):
        raise InputError(f"the result of {result.title} has no answers to {data.full_name}")
    run = result.run
    if result.dataset.key != dataset_record(data).key:
        run = replace(run, tied=0, read_by_model={})
    unread = _unread(answers, kept)
    run = replace(run, no_answers=unread.total(), unread=dict(sorted(unread.items())) if run.prompt else {})
    again = make_result(
        answers,
        kept,
        data,
        model=result.model,
        run=run,
        source=source,
        max_length=result.left_out.max_length,
        pairs=len(data.pairs),
    )
    return replace(again, dataset=replace(again.dataset, name=result.dataset.name, revision=result.dataset.revision))


def _unread(answers: Answers, kept: ScoredData) -> Counter[str]:
    """Count the distinct pairs with an answer that cannot be read, by why."""
    blocks: list[tuple[Ints, Predicted]] = [(kept.row_pairs, answers)]
    if answers.seeds is not None:
        blocks.append((kept.seed_pairs, answers.seeds))
    why: dict[int, str] = {}
    for pairs, given in blocks:
        unread = np.flatnonzero(given.predicted == Missing.NO_ANSWER)
        kinds = [NO_ANSWER] * len(unread)
        if given.details is not None:
            kinds = given.details["unread"].take(pa.array(unread)).to_pylist()
        why |= dict(zip(pairs[unread].tolist(), kinds, strict=True))
    return Counter(why.values())


def _left_out(answers: Answers, data: ScoredData, max_length: int | None) -> LeftOut:
    """Return how many groups and rows of data have no answer."""
    undrawn = 0
    if answers.drawn_only and data.subsamples is not None:
        undrawn = int(np.count_nonzero(~data.subsamples.any(axis=0)))
    return LeftOut(
        max_length=max_length,
        groups=len(data.group_ids) - len(answers.group_ids),
        rows=len(data.row_groups) - undrawn - len(answers.predicted),
        undrawn=undrawn,
    )


def dataset_record(data: ScoredData) -> DatasetRecord:
    """Return what a result records about the data."""
    part = data.part
    title = data.title
    digest = data.digest
    partial = None
    if part is not None:  # with another digest than the whole, no report compares the two
        title = f"{title} ({part})"
        digest = sha256_of_json([digest, part])
        partial = PartialRecord(data.limit_seeds, data.subsample, data.digest, data.min_agreement, data.chosen_rows)
    return DatasetRecord(
        name=data.name,
        title=title,
        revision=data.revision,
        digest=digest,
        config=data.config,
        labels=data.label_names,
        group_column=data.group_column,
        without_label=data.without_label,
        partial=partial,
    )
