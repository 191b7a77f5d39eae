"""Compute SA, PA, QT, MT and consistency from answers.

Thresholds are compared on counts (`metrics.pattern_accuracy`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merge_snli.answers.answers import MAJORITY, Answers, Counts
from merge_snli.answers.data import LABEL, WORD_CLASS, stored_name
from merge_snli.answers.source import ScoredSource
from merge_snli.base.arrays import Bools, Ints
from merge_snli.models.labels import Missing, positions
from merge_snli.results.intervals import DIGITS, LEVEL, intervals_of
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


def scores(answers: Answers, *, intervals: bool = True) -> Scores:
    """Return SA, PA and the predicted labels of some answers; with seeds, also QT and MT (sections 4 and 5.1).

    Args:
        answers: The answers, at least one; none is `NOT_PREDICTED`.
        intervals: Whether to compute the confidence intervals.
    """
    counts = answers.counts()
    on_rows = _row_scores(answers, counts)
    seeds = None if answers.seeds is None else answers.seeds.correct
    return Scores(
        **on_rows,
        groups=len(answers.group_ids),
        predicted=_predicted(answers),
        **({} if seeds is None else seed_scores(sample_accuracy(seeds), on_rows)),
        intervals=intervals_of(counts, seeds) if intervals else None,
    )


def consistency(answers: Answers) -> dict[str, RowScores] | None:
    """Score the predictions on rows against the model's own, instead of the gold labels; None without seeds.

    Args:
        answers: The answers; none is `NOT_PREDICTED`.

    Returns:
        The scores against the prediction on the seed, `seed`, and against the most frequent one in a group, `majority`.
        That of `all_rows_accuracy` is the most frequent one in all rows of a group. Ties do not affect any score.
    """
    if answers.seeds is None:
        return None
    own: dict[str, Ints | Literal["majority"]] = {"seed": answers.seeds.predicted, "majority": MAJORITY}
    return {
        name: RowScores(**_row_scores(answers, answers.counts(reference), reference)) for name, reference in own.items()
    }


def scores_by_value(
    answers: Answers, whole: Scores, masks: Mapping[str, Mapping[str, Bools]], *, intervals: bool = True
) -> dict[str, dict[str, Scores]]:
    """Return the scores on the rows with each value of each column, for values that have a row.

    Args:
        answers: The answers; none is `NOT_PREDICTED`.
        whole: The scores on all rows.
        masks: By column and value, whether each row has the value, [n_rows].
        intervals: Whether to compute the confidence intervals, of columns with few values.
    """
    only_labels = replace(answers, table=answers.table.select([]), details=None, probabilities=None)
    parts: dict[str, dict[str, Scores]] = {}
    for column, values in masks.items():
        parts[column] = {}
        for value, mask in values.items():
            if mask.all():
                parts[column][value] = whole
            elif mask.any():
                few = len(values) <= MAX_INTERVALS
                parts[column][value] = scores(only_labels.take(rows=mask), intervals=intervals and few)
    return parts


def pa_curve(shares: NDArray[np.float64], groups: Ints) -> Curve:
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


def seed_scores(on_seeds: float, on_rows: dict[str, Any]) -> dict[str, Any]:
    """Return the scores that need seeds: SA on them, QT and MT.

    Args:
        on_seeds: SA on the seeds.
        on_rows: The fields of `RowScores`.
    """
    pa, curve = on_rows["pattern_accuracy"].mean, np.array(on_rows["curve"].mean, dtype=np.float64)
    qt, mt = (None, None) if pa is None else (quality_drop(pa, on_seeds), matching_threshold(curve, on_seeds))
    return {"seed_accuracy": on_seeds, "qt": qt, "mt": mt}


def _row_scores(
    answers: Answers, counts: Counts, reference: Ints | Literal["majority"] | None = None
) -> dict[str, Any]:
    """Return the fields of `RowScores`."""
    curves = pattern_accuracy(counts.correct, counts.sizes, CURVE)
    of_all_rows = None if answers.drawn_only else answers.correct_rows(reference) / len(answers.predicted)
    return {
        "rows": len(answers.predicted),
        "sample_accuracy": spread(ratios(counts.correct.sum(axis=1), counts.sizes.sum(axis=1))),
        "all_rows_accuracy": of_all_rows,
        "pattern_accuracy": spread(curves[:, CURVE.index(QUALITY_THRESHOLD)]),
        "curve": pa_curve(curves, np.count_nonzero(counts.sizes, axis=1)),
    }


def _predicted(answers: Answers) -> dict[str, dict[str, int]]:
    """Count the answered rows by gold label and predicted label."""
    labels, answered = answers.labels, answers.predicted >= 0
    cells = np.bincount(
        answers.gold[answered] * len(labels) + answers.predicted[answered], minlength=len(labels) ** 2
    ).reshape(len(labels), -1)
    rows = zip(labels, cells.tolist(), np.bincount(answers.gold, minlength=len(labels)).tolist(), strict=True)
    return {gold: dict(zip(labels, row, strict=True)) for gold, row, occurs in rows if occurs}


def part_columns(
    parts: Iterable[str], answers: Answers, labels: Sequence[str]
) -> dict[str, pa.Array | pa.ChunkedArray]:
    """Return the column of each part, [n_rows], of those that answers have without their data.

    Args:
        parts: The columns by whose values there are scores.
        answers: The answers.
        labels: The labels of the data.
    """
    columns: dict[str, pa.Array | pa.ChunkedArray] = {}
    for name in parts:
        stored = name if name == WORD_CLASS and answers.seeds is not None else stored_name(name)
        if stored in answers.table.column_names:
            columns[name] = answers.table[stored]
        elif name == LABEL and answers.labels == labels:
            columns[name] = pa.array(answers.labels).take(pa.array(answers.gold))
    return columns


def spread(values: NDArray[np.float64]) -> Spread:
    """Return the values of the subsamples with their mean and standard deviation; NaN is a subsample without rows."""
    some = values[~np.isnan(values)].tolist()
    return Spread(
        mean=fmean(some) if some else None,
        std=stdev(some) if len(some) > 1 else None,
        each=tuple(None if np.isnan(value) else value for value in values.tolist()),
    )


def source_scores(
    source: ScoredSource, predicted: NDArray[np.int64], label_names: Sequence[str], compared: Sequence[str]
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
    by_label = {name: fits & (source.labels == number) for number, name in enumerate(label_names)}
    return SourceScores(
        name=source.name,
        digest=source.digest,
        without_label=source.without_label,
        too_long=int(np.count_nonzero(~fits)),
        overall=_accuracy(correct[fits]),
        labels={name: _accuracy(correct[mask]) for name, mask in by_label.items() if mask.any()},
    )


def _accuracy(correct: Bools) -> SourceAccuracy:
    return source_accuracy(int(np.count_nonzero(correct)), len(correct))


def source_accuracy(right: int, problems: int) -> SourceAccuracy:
    """Return the accuracy on some problems of a source, with its interval.

    Args:
        right: Number of problems predicted correctly.
        problems: Number of problems, at least one.
    """
    interval = proportion_interval(right, problems, level=LEVEL)
    return SourceAccuracy(problems, right / problems, (round(interval.low, DIGITS), round(interval.high, DIGITS)))
