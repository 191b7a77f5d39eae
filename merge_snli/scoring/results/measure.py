"""Compute SA, PA, QT, MT and consistency from answers.

Thresholds are compared on counts (`metrics.pattern_accuracy`).
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.errors import InputError
from merge_snli.models.labels import Missing, positions
from merge_snli.scoring.answers import MAJORITY, Answers, Counts, Predicted
from merge_snli.scoring.predictions.scored_data import ScoredData
from merge_snli.scoring.predictions.source import ScoredSource
from merge_snli.scoring.results.calibration import decoded, encoded
from merge_snli.scoring.results.intervals import DIGITS, LEVEL, intervals_of
from merge_snli.scoring.results.scores import (
    NO_ANSWER,
    NOT_ASKED,
    Curve,
    GroupTable,
    RowScores,
    Scores,
    SourceAccuracy,
    SourceScores,
    Spread,
)
from merge_snli.scoring.statistics import proportion_interval, ratios
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

# The codes of missing answers in `GroupTable.predictions`.
CHARACTERS = {Missing.NOT_ASKED.value: NOT_ASKED, Missing.NO_ANSWER.value: NO_ANSWER}


def scores(answers: Answers, *, intervals: bool = True) -> Scores:
    """Return SA, PA and the predicted labels of some answers; with anchors, also QT and MT (sections 4 and 5.1).

    Args:
        answers: The answers, at least one; none is `NOT_ASKED`.
        intervals: Whether to compute the confidence intervals.
    """
    counts = answers.counts()
    on_rows = _row_scores(answers, counts)
    anchors = None if answers.anchors is None else answers.anchors.correct
    return Scores(
        **on_rows,
        groups=len(answers.group_index),
        predicted=_predicted(answers),
        **({} if anchors is None else anchor_scores(sample_accuracy(anchors), on_rows)),
        intervals=intervals_of(counts, anchors) if intervals else None,
    )


def scores_against(answers: Answers, reference: Ints | Literal["majority"]) -> RowScores:
    """Score the predictions on rows against another reference than the gold labels.

    Against the model's own predictions, the scores are its consistency.

    Args:
        answers: The answers; none is `NOT_ASKED`.
        reference: As for `Answers.counts`. The majority of `all_rows_accuracy` is that of all rows of a group. Ties do
            not affect any score.
    """
    return RowScores(**_row_scores(answers, answers.counts(reference), reference))


def consistency(answers: Answers) -> dict[str, RowScores] | None:
    """Score the predictions against the model's own, on the anchor and the most frequent one; None without anchors."""
    if answers.anchors is None:
        return None
    return {"seed": scores_against(answers, answers.anchors.predicted), "majority": scores_against(answers, MAJORITY)}


def scores_of_parts(answers: Answers, parts: Mapping[str, Mapping[str, Bools]]) -> dict[str, dict[str, Scores]]:
    """Return the scores on the rows with each value of each column, for values that have a row.

    Args:
        answers: The answers; none is `NOT_ASKED`.
        parts: By column and value, whether each row of the data has the value, [n_rows of the data].
    """
    found: dict[str, dict[str, Scores]] = {}
    for column, values in parts.items():
        masks = {value: mask[answers.rows] for value, mask in values.items()}
        few = len(masks) <= MAX_INTERVALS
        found[column] = {
            value: scores(answers.take(rows=mask), intervals=few) for value, mask in masks.items() if mask.any()
        }
    return found


def group_table(answers: Answers, data: ScoredData) -> GroupTable:
    """Return the answers and counts of every group.

    Args:
        answers: The answers; none is `NOT_ASKED`.
        data: The data that they are on.
    """
    counts, anchors = answers.counts(), answers.anchors
    predicted = np.full(len(data.row_groups), Missing.NOT_ASKED.value)
    predicted[answers.rows] = answers.predicted
    gold = [_shortest(each) for each in data.by_group(data.row_labels)]
    rows = [
        "".join(CHARACTERS.get(label) or str(label) for label in each.tolist()) for each in data.by_group(predicted)
    ]
    probabilities = None
    if answers.probabilities is not None:
        shares = np.full((len(data.row_groups), len(answers.labels)), np.nan)
        shares[answers.rows] = answers.probabilities
        encoded_rows = [encoded(each) for each in data.by_group(shares)]
        probabilities = tuple(encoded_rows[group] for group in answers.group_index)
    on_anchors = None if anchors is None else anchors.probabilities
    return GroupTable(
        id=tuple(data.group_ids[group] for group in answers.group_index),
        gold=tuple(gold[group] for group in answers.group_index),
        predictions=tuple(rows[group] for group in answers.group_index),
        sizes=tuple(map(tuple, counts.sizes.tolist())),
        correct=tuple(map(tuple, counts.correct.tolist())),
        anchors=None
        if anchors is None
        else tuple(None if label < 0 else answers.labels[label] for label in anchors.predicted.tolist()),
        probabilities=probabilities,
        anchor_probabilities=None if on_anchors is None else tuple(map(encoded, on_anchors)),
    )


def pa_curve(shares: NDArray[np.float64], groups: Ints) -> Curve:
    """Convert a curve to counts of groups, which take less space in a file.

    Args:
        shares: PA of each draw at each threshold, [n_draws, n_thresholds]; NaN if it has no row.
        groups: Number of groups of each draw, [n_draws].
    """
    passing = np.rint(np.nan_to_num(shares) * groups[:, np.newaxis]).astype(np.int64)
    some = shares[groups > 0]
    return Curve(
        mean=tuple(fmean(column) if len(some) else None for column in some.T),
        passing=tuple(map(tuple, passing.tolist())),
        groups=tuple(groups.tolist()),
    )


def anchor_scores(on_anchors: float, on_rows: dict[str, Any]) -> dict[str, Any]:
    """Return the scores that need anchors: SA on them, QT and MT.

    Args:
        on_anchors: SA on the anchors.
        on_rows: The fields of `RowScores`.
    """
    pa_at_quality_threshold = on_rows["pattern_accuracy"].mean
    if pa_at_quality_threshold is None:
        return {"anchor_accuracy": on_anchors, "qt": None, "mt": None}
    return {
        "anchor_accuracy": on_anchors,
        "qt": quality_drop(pa_at_quality_threshold, on_anchors),
        "mt": matching_threshold(np.array(on_rows["curve"].mean, dtype=np.float64), on_anchors),
    }


def _row_scores(
    answers: Answers, counts: Counts, reference: Ints | Literal["majority"] | None = None
) -> dict[str, Any]:
    """Return the fields of `RowScores`."""
    curves = pattern_accuracy(counts.correct, counts.sizes, CURVE)
    return {
        "rows": len(answers.rows),
        "sample_accuracy": spread(ratios(counts.correct.sum(axis=1), counts.sizes.sum(axis=1))),
        "all_rows_accuracy": None if answers.drawn_only else answers.correct_rows(reference) / len(answers.rows),
        "pattern_accuracy": spread(curves[:, CURVE.index(QUALITY_THRESHOLD)]),
        "curve": pa_curve(curves, np.count_nonzero(counts.sizes, axis=1)),
    }


def _predicted(answers: Answers) -> dict[str, dict[str, int]]:
    """Count the answered rows by gold label and predicted label."""
    labels, answered = answers.labels, answers.predicted >= 0
    cells = np.bincount(
        answers.gold[answered] * len(labels) + answers.predicted[answered], minlength=len(labels) ** 2
    ).reshape(len(labels), -1)
    occur = np.bincount(answers.gold, minlength=len(labels))
    rows = zip(labels, cells.tolist(), occur.tolist(), strict=True)
    return {gold: dict(zip(labels, row, strict=True)) for gold, row, found in rows if found}


def _shortest(labels: Ints) -> str:
    """Return labels as digits; one digit if all are the same."""
    return "".join(map(str, labels[:1] if (labels == labels[0]).all() else labels))


def spread(values: NDArray[np.float64]) -> Spread:
    """Return the values of the draws with their mean and standard deviation; NaN is a draw without rows."""
    some = values[~np.isnan(values)].tolist()
    return Spread(
        mean=fmean(some) if some else None,
        std=stdev(some) if len(some) > 1 else None,
        each=tuple(None if np.isnan(value) else value for value in values.tolist()),
    )


def digits_of(texts: Sequence[str]) -> Ints:
    """Return the numbers and codes that characters of `GroupTable.predictions` stand for, one text after another."""
    characters = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    numbers = characters.astype(np.int64) - ord("0")
    for code, character in CHARACTERS.items():
        numbers[characters == ord(character)] = code
    return numbers


def placed(
    table: GroupTable, labels: Sequence[str], ids: Sequence[str], row_groups: Ints, place: str
) -> tuple[Predicted, Predicted]:
    """Return the stored predictions for each row of some data, and for each anchor.

    Args:
        table: The stored answers.
        labels: The labels in which they are compared.
        ids: The ids of the groups of the data.
        row_groups: Index in `ids` of the group of each row, [n_rows].
        place: What the data is called in messages.

    Raises:
        InputError: If a group of the table is not in the data or has another number of rows, or a label is unknown.
    """
    index = {name: at for at, name in enumerate(table.id)}
    groups = np.array([index.get(name, -1) for name in ids])
    order = np.argsort(groups[row_groups], kind="stable")
    rows = order[np.count_nonzero(groups[row_groups] < 0) :]
    sizes = np.bincount(groups[row_groups[rows]], minlength=len(table.id)).tolist()
    unit, row = ("group", "pair") if table.anchors is None else ("seed", "variant")
    for name, size, answers in zip(table.id, sizes, table.predictions, strict=True):
        if not size:
            raise InputError(f"{unit} {name!r} is not in {place}")
        if size != len(answers):
            raise InputError(f"{unit} {name!r} has {size} {row}s, and the result has {len(answers)} answers to them")
    unknown = next((each for each in table.anchors or () if each not in (None, *labels)), None)
    if unknown is not None:
        raise InputError(f"the answer {unknown} is not one of {', '.join(labels)}")
    places = np.full(len(row_groups), -1)
    places[rows] = np.arange(len(rows))
    on_anchors = [Missing.NO_ANSWER.value if each is None else labels.index(each) for each in table.anchors or ()]
    numbers = np.array(on_anchors or [Missing.NOT_ASKED.value] * len(table.id))
    on_rows, of_anchors = (
        None if texts is None else decoded(texts, len(labels))
        for texts in (table.probabilities, table.anchor_probabilities)
    )
    return Predicted(digits_of(table.predictions), on_rows).at(places), Predicted(numbers, of_anchors).at(groups)


def source_scores(
    source: ScoredSource, predicted: NDArray[np.int64], label_names: Sequence[str], compared: Sequence[str]
) -> SourceScores:
    """Score the predictions on a source.

    Args:
        source: The problems. At least one has a prediction, because the source has the seeds.
        predicted: Predicted label of each of the source's pairs as an index into `compared`, `NOT_ASKED` if the pair is
            too long for the model, or `NO_ANSWER`, [n_pairs].
        label_names: The data set's labels in the order of their numbers.
        compared: The labels in which predictions and gold labels are compared.
    """
    answers = predicted[source.pairs]
    fits = answers != Missing.NOT_ASKED
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
