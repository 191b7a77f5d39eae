"""Compute SA, PA, QT, MT and consistency from answers.

Thresholds are compared on counts (`metrics.pattern_accuracy`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.answers.answers import MAJORITY, Answers, Counts, Reference
from merge_snli.answers.data import LABEL, WORD_CLASS, Masks, stored_name
from merge_snli.answers.source import ScoredSource
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.models.labels import Missing, positions
from merge_snli.results.calibration import calibration_of
from merge_snli.results.intervals import DIGITS, intervals_of
from merge_snli.results.scores import (
    Curve,
    RowScores,
    Scores,
    SourceAccuracy,
    SourceScores,
    Spread,
)
from merge_snli.statistics import proportion_interval, ratios
from metrics.pattern_accuracy.core import (
    CURVE,
    QUALITY_THRESHOLD,
    matching_threshold,
    pattern_accuracy,
    quality_drop,
    sample_accuracy,
)

# Values of a column with more values have no intervals, which would take longer than the predictions.
MAX_INTERVALS = 20


def numbers_from(
    answers: Answers,
    masks: Masks,
    annotators: Ints | None = None,
    *,
    intervals: bool = True,
) -> dict[str, Any]:
    """Return every number of a result that follows from its answers, by field of `ResultFile`.

    Args:
        answers: The answers, at least one; none is `NOT_PREDICTED`.
        masks: By column and value, whether each row has the value, [n_rows].
        annotators: See `calibration_of`.
        intervals: Whether to compute the confidence intervals.
    """
    whole = scores(answers, intervals=intervals)
    return {
        "scores": whole,
        "parts": scores_by_value(answers, whole, masks, intervals=intervals),
        "consistency": consistency(answers),
        "calibration": calibration_of(answers, annotators),
    }


def scores(answers: Answers, *, intervals: bool = True) -> Scores:
    """Return SA, PA and the predicted labels of some answers; with seeds, also QT and MT (sections 4 and 5.1).

    Args:
        answers: The answers, at least one; none is `NOT_PREDICTED`.
        intervals: Whether to compute the confidence intervals.
    """
    counts = answers.counts()
    on_rows = _row_scores(answers, counts)
    on_seeds = qt = mt = seeds = None
    if answers.seeds is not None:
        seeds = answers.seeds.correct
        on_seeds = sample_accuracy(seeds)
        accuracy = on_rows.pattern_accuracy.mean
        if accuracy is not None:
            qt = quality_drop(accuracy, on_seeds)
            mt = matching_threshold(np.array(on_rows.curve.mean, dtype=np.float64), on_seeds)
    return Scores(
        **vars(on_rows),
        groups=len(answers.group_ids),
        predicted=_predicted(answers),
        seed_accuracy=on_seeds,
        qt=qt,
        mt=mt,
        intervals=intervals_of(counts, seeds) if intervals else None,
    )


def consistency(answers: Answers) -> dict[str, RowScores] | None:
    """Score the predictions on rows against the model's own, instead of the gold labels; None without seeds.

    Args:
        answers: The answers; none is `NOT_PREDICTED`.

    Returns:
        The scores against the prediction on the seed, `seed`, and against the most frequent one in a group, `majority`.
        The majority is that of the rows of a group in the subsample; for `all_rows_accuracy`, of all its rows. Ties do
        not affect any score.
    """
    if answers.seeds is None:
        return None
    references: dict[str, Reference] = {"seed": answers.seeds.predicted, "majority": MAJORITY}
    return {name: _row_scores(answers, answers.counts(of), of) for name, of in references.items()}


def scores_by_value(
    answers: Answers, whole: Scores, masks: Masks, *, intervals: bool = True
) -> dict[str, dict[str, Scores]]:
    """Return the scores on the rows with each value of each column, for values that have a row.

    Args:
        answers: The answers; none is `NOT_PREDICTED`.
        whole: The scores on all rows.
        masks: By column and value, whether each row has the value, [n_rows].
        intervals: Whether to compute the confidence intervals, of columns with few values.
    """
    only_labels = replace(answers, table=answers.table.select([]), details=None, probabilities=None)
    parts = {}
    for column, values in masks.items():
        of_column = {}
        few = len(values) <= MAX_INTERVALS
        for value, mask in values.items():
            if mask.all():
                of_column[value] = whole
            elif mask.any():
                of_column[value] = scores(only_labels.take(mask), intervals=intervals and few)
        parts[column] = of_column
    return parts


def pa_curve(shares: Floats, groups: Ints) -> Curve:
    """Convert a curve to counts of groups, which take less space in a file.

    Args:
        shares: PA of each subsample at each threshold, [n_subsamples, n_thresholds]; NaN if it has no row.
        groups: Number of groups of each subsample, [n_subsamples].
    """
    passing = np.rint(np.nan_to_num(shares) * groups[:, np.newaxis]).astype(np.int64)
    some = shares[groups > 0]
    return Curve(
        mean=tuple(fmean(column) if len(some) else None for column in some.T),
        passing=tuple(map(tuple, passing.tolist())),
        groups=tuple(groups.tolist()),
    )


def _row_scores(answers: Answers, counts: Counts, reference: Reference = None) -> RowScores:
    """Return the scores on rows against a reference, by which they were counted."""
    curves = pattern_accuracy(counts.correct, counts.sizes, CURVE)
    rows = len(answers.predicted)
    return RowScores(
        rows=rows,
        sample_accuracy=spread(ratios(counts.correct.sum(axis=1), counts.sizes.sum(axis=1))),
        all_rows_accuracy=None if answers.drawn_only else answers.correct_rows(reference) / rows,
        pattern_accuracy=spread(curves[:, CURVE.index(QUALITY_THRESHOLD)]),
        curve=pa_curve(curves, np.count_nonzero(counts.sizes, axis=1)),
    )


def _predicted(answers: Answers) -> dict[str, dict[str, int]]:
    """Count the answered rows by gold label and predicted label."""
    labels = answers.labels
    cells = np.zeros((len(labels), len(labels)), dtype=np.int64)
    answered = answers.predicted >= 0
    np.add.at(cells, (answers.gold[answered], answers.predicted[answered]), 1)
    counts = {}
    for number in np.unique(answers.gold).tolist():
        counts[labels[number]] = dict(zip(labels, cells[number].tolist(), strict=True))
    return counts


def part_masks(
    parts: Mapping[str, Iterable[str]], answers: Answers, labels: Sequence[str]
) -> dict[str, dict[str, Bools]]:
    """Return by column and value whether each row has the value, of the columns that answers have without their data.

    Args:
        parts: The values of the columns by which there are scores. Other values that occur come after them.
        answers: The answers.
        labels: The labels of the data.
    """
    masks = {}
    for name, values in parts.items():
        stored = name if name == WORD_CLASS and answers.seeds is not None else stored_name(name)
        if stored in answers.table.column_names:
            column = answers.table[stored]
        elif name == LABEL and answers.labels == labels:
            column = pa.array(answers.labels).take(pa.array(answers.gold))
        else:
            continue
        every = dict.fromkeys([*values, *pc.unique(column).drop_null().to_pylist()])
        masks[name] = {value: np.asarray(pc.equal(column, value).fill_null(False)) for value in every}
    return masks


def spread(values: Floats) -> Spread:
    """Return the values of the subsamples with their mean and standard deviation; NaN is a subsample without rows."""
    each = [None if np.isnan(value) else value for value in values.tolist()]
    some = [value for value in each if value is not None]
    std = stdev(some) if len(some) > 1 else None
    return Spread(fmean(some) if some else None, std, tuple(each))


def source_scores(
    source: ScoredSource, predicted: Ints, label_names: Sequence[str], compared: Sequence[str]
) -> SourceScores:
    """Score the predictions on a source.

    Args:
        source: The problems. At least one has a prediction, because the source has the seeds.
        predicted: Predicted label of each of the source's pairs as an index into `compared`, `NOT_PREDICTED` if it is
            too long for the model, or `NO_ANSWER`, [n_pairs].
        label_names: The data set's labels in the order of their numbers.
        compared: The labels in which predictions and gold labels are compared.
    """
    answers = predicted[source.pairs]
    fits = answers != Missing.NOT_PREDICTED
    correct = answers == np.array(positions(label_names, compared))[source.labels]
    labels = {}
    for number, name in enumerate(label_names):
        has_label = fits & (source.labels == number)
        if has_label.any():
            labels[name] = _accuracy(correct[has_label])
    return SourceScores(
        name=source.name,
        digest=source.digest,
        without_label=source.without_label,
        too_long=int(np.count_nonzero(~fits)),
        overall=_accuracy(correct[fits]),
        labels=labels,
    )


def _accuracy(correct: Bools) -> SourceAccuracy:
    return source_accuracy(int(np.count_nonzero(correct)), len(correct))


def source_accuracy(right: int, problems: int) -> SourceAccuracy:
    """Return the accuracy on some problems of a source, with its interval.

    Args:
        right: Number of problems predicted correctly.
        problems: Number of problems, at least one.
    """
    interval = proportion_interval(right, problems)
    return SourceAccuracy(problems, right / problems, (round(interval.low, DIGITS), round(interval.high, DIGITS)))
