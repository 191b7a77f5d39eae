"""Compute sample accuracy and pattern accuracy with pure functions that need numpy only.

Pattern accuracy PA(t) is the share of groups in which at least the share t of the rows is correct. `columns` and
`options` validate and format the input, `counts` does the arithmetic, and `compute` combines them.
PA(0) is 1 by definition, since every group has at least 0 correct rows.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from .columns import (
    Column,
    IntArray,
    Label,
    check_labels,
    check_same_kind,
    factorize,
    first_rows,
    label_at,
    label_columns,
)
from .counts import (
    CURVE,
    QUALITY_THRESHOLD,
    BoolArray,
    FloatArray,
    GroupCounts,
    count_cells,
    count_groups,
    matching_threshold,
    parse_thresholds,
    pattern_accuracy,
    quality_drop,
    required_correct,
    sample_accuracy,
    share_passing,
    threshold_units,
)
from .options import Membership, MetricOptions, read_options, seed_column

__all__ = [
    "CURVE",
    "QUALITY_THRESHOLD",
    "GroupCounts",
    "Scores",
    "compute",
    "count_groups",
    "matching_threshold",
    "parse_thresholds",
    "pattern_accuracy",
    "quality_drop",
    "required_correct",
    "sample_accuracy",
    "score",
]

Scores: TypeAlias = dict[str, Any]


def compute(
    *,
    predictions: object,
    references: object,
    groups: object,
    thresholds: object = QUALITY_THRESHOLD,
    seed_predictions: object = None,
    seed_references: object = None,
    subsamples: object = None,
    categories: object = None,
    against: str = "gold",
) -> Scores:
    """Compute sample accuracy and pattern accuracy, and optionally scores per seed, subsample and category.

    Args:
        predictions: n predicted labels, integers or strings.
        references: n gold labels of the same type.
        groups: n integers or strings: the group (seed problem, pattern) of each row.
        thresholds: A number from 0 to 1, several numbers, or `"curve"` for 0 to 1 in steps of 1%.
        seed_predictions: Mapping from group to the predicted label of the seed problem.
        seed_references: Mapping from group to the gold label of the seed problem.
        subsamples: n lists of subsample indices from 0: the subsamples that contain each row.
        categories: n labels (or lists of labels), or a mapping from a name to such a column.
        against: What a prediction must agree with to be correct: the row's reference (`"gold"`), the model's
            prediction on the seed (`"seed"`), or its most frequent prediction in the group (`"majority"`), counted
            over the rows of the score that is computed.

    Returns:
        A mapping with these keys:

        - `sample_accuracy`, `n_samples` and `n_groups`.
        - `pattern_accuracy`: a number for a single threshold, otherwise a mapping from threshold to number.
        - `seed_sample_accuracy`, if seeds are given; with `against="gold"` also `qt`, `mt` and `drop`. `qt` is PA(0.9)
          minus SA on seeds, negative for a drop. `drop` is SA on seeds minus SA, positive for a drop.
        - `subsamples`, if given: mean, standard deviation and each value. `qt`, `mt` and `drop` then use the means.
        - `categories`, if given: all of the above for the rows of each category.

    Raises:
        ValueError: If the input is invalid; the message names the argument, the position and the value.

    Examples:
        >>> scores = compute(
        ...     predictions=["E", "E", "N", "E", "N"],
        ...     references=["E", "E", "E", "E", "N"],
        ...     groups=["girl", "girl", "girl", "girl", "dog"],
        ...     thresholds=[0.75, 0.95],
        ... )
        >>> scores["sample_accuracy"], scores["pattern_accuracy"]
        (0.8, {0.75: 1.0, 0.95: 0.5})
    """
    columns = label_columns(predictions=predictions, references=references, groups=groups)
    options = read_options(
        len(columns[0]),
        thresholds=thresholds,
        seed_predictions=seed_predictions,
        seed_references=seed_references,
        subsamples=subsamples,
        categories=categories,
        against=against,
    )
    return score(*columns, options)


def score(predictions: Column, references: Column, groups: Column, options: MetricOptions) -> Scores:
    """Compute the scores from columns and options that are validated already; see `compute`.

    Raises:
        ValueError: If a reference is no gold label, a group has no seed, its seed has another reference, or it has two
            references and `against` needs one.
    """
    check_labels(predictions, references)
    table = _table(predictions, references, groups, options)
    scores = _scores(table, options)
    if options.categories:
        by_name = {name: _by_category(table, sets, options) for name, sets in options.categories.items()}
        scores["categories"] = by_name.get(None, by_name)
    return scores


@dataclass(frozen=True)
class _Table:
    """The rows of one score. `answers` is whether each row is correct or, against the majority, its predicted label."""

    groups: IntArray
    n_groups: int
    answers: BoolArray | IntArray
    subsamples: Membership | None
    seeds_right: BoolArray | None

    def take(self, rows: IntArray) -> "_Table":
        """Return a table of these rows (sorted) and their groups only."""
        present, groups = np.unique(self.groups[rows], return_inverse=True)
        return _Table(
            groups=groups,
            n_groups=len(present),
            answers=self.answers[rows],
            subsamples=None if self.subsamples is None else _take_members(self.subsamples, rows, len(self.groups)),
            seeds_right=None if self.seeds_right is None else self.seeds_right[present],
        )


def _take_members(membership: Membership, rows: IntArray, n_rows: int) -> Membership:
    position = np.full(n_rows, -1)
    position[rows] = np.arange(len(rows))
    kept = position[membership.rows]
    return replace(membership, rows=kept[kept >= 0], members=membership.members[kept >= 0])


def _table(predictions: Column, references: Column, groups: Column, options: MetricOptions) -> _Table:
    codes, labels = factorize(groups)
    if options.against != "gold":
        _check_one_reference(references, codes, labels, options.against)
    seed_answers = seeds_right = None
    if options.seed_predictions is not None:
        seed_answers = seed_column("seed_predictions", options.seed_predictions, labels)
        check_same_kind("seed_predictions", seed_answers, "predictions", predictions)
    if seed_answers is not None and options.seed_references is not None:
        gold = seed_column("seed_references", options.seed_references, labels)
        check_same_kind("seed_references", gold, "seed_predictions", seed_answers)
        _check_seed_references(gold, references, codes, labels)
        seeds_right = _equal(seed_answers, gold)
    answers: BoolArray | IntArray
    if options.against == "majority":
        answers, _ = factorize(predictions)
    elif options.against == "seed" and seed_answers is not None:
        answers = _equal(predictions, _to_rows(seed_answers, codes))
    else:
        answers = _equal(predictions, references)
    return _Table(codes, len(labels), answers, options.subsamples, seeds_right)


def _check_one_reference(references: Column, codes: IntArray, labels: list[Label], against: str) -> None:
    """Check that each group has one gold label, since consistency within a group is only meaningful then."""
    first = _to_rows(references, first_rows(codes, len(labels)))
    differs = ~_equal(references, _to_rows(first, codes))
    if differs.any():
        at = int(np.argmax(differs))
        raise ValueError(
            f"references[{at}] is {label_at(references, at)!r} but group {labels[codes[at]]!r} has "
            f"{label_at(first, int(codes[at]))!r} before: against={against!r} needs one reference per group "
            "(against='gold' compares each row with its own reference)"
        )


def _check_seed_references(gold: Column, references: Column, codes: IntArray, labels: list[Label]) -> None:
    """Check that the gold label of each seed is that of its group, if all rows of the group have the same one."""
    check_same_kind("seed_references", gold, "references", references)
    first = _to_rows(references, first_rows(codes, len(labels)))
    several = np.zeros(len(labels), dtype=np.bool_)
    several[codes[~_equal(references, _to_rows(first, codes))]] = True
    differs = ~_equal(gold, first) & ~several
    if differs.any():
        at = int(np.argmax(differs))
        raise ValueError(
            f"seed_references[{labels[at]!r}] is {label_at(gold, at)!r} but the references of group {labels[at]!r} are "
            f"{label_at(first, at)!r}: a seed has the gold label of its variants"
        )


def _equal(left: Column, right: Column) -> BoolArray:
    if isinstance(left, np.ndarray):
        return np.asarray(left == right)
    return np.fromiter(map(str.__eq__, left, right), np.bool_, len(left))


def _to_rows(column: Column, rows: IntArray) -> Column:
    return column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows.tolist()]


def _by_category(table: _Table, categories: Membership, options: MetricOptions) -> dict[Label, Scores]:
    rows_of = (categories.rows[categories.members == number] for number in range(len(categories.labels)))
    return {label: _scores(table.take(rows), options) for label, rows in zip(categories.labels, rows_of, strict=True)}


def _scores(table: _Table, options: MetricOptions) -> Scores:
    """Return all scores of one table except those by category."""
    n_thresholds = len(options.thresholds)
    units = threshold_units((*options.thresholds, *CURVE, QUALITY_THRESHOLD))  # CURVE for MT, QUALITY_THRESHOLD for QT
    right, sizes = count_cells(table.groups, table.n_groups, table.answers)
    accuracy: float | None = int(right.sum()) / len(table.groups)
    curve = share_passing(right, sizes, units)
    scores: Scores = {
        "sample_accuracy": accuracy,
        "pattern_accuracy": options.by_threshold(curve[:n_thresholds].tolist()),
        "n_samples": len(table.groups),
        "n_groups": table.n_groups,
    }
    if table.subsamples is not None:
        accuracies, curves, scores["subsamples"] = _by_subsample(table, table.subsamples, units, options)
        drawn = ~np.isnan(accuracies)
        accuracy = float(accuracies[drawn].mean()) if drawn.any() else None
        curve = curves[drawn].mean(axis=0) if drawn.any() else curve
    if table.seeds_right is not None:
        scores |= _seed_scores(accuracy, curve[n_thresholds:], table.seeds_right, options)
    return scores


def _by_subsample(
    table: _Table, subsamples: Membership, units: IntArray, options: MetricOptions
) -> tuple[FloatArray, FloatArray, Scores]:
    """Return SA (s,), PA (s, t) and their report; NaN for a subsample without rows."""
    shape = len(subsamples.labels), table.n_groups
    cells = subsamples.members * table.n_groups + table.groups[subsamples.rows]
    counts = count_cells(cells, shape[0] * shape[1], table.answers[subsamples.rows])
    right, sizes = counts[0].reshape(shape), counts[1].reshape(shape)
    n_samples = sizes.sum(axis=1)
    accuracies = np.divide(right.sum(axis=1), n_samples, out=np.full(shape[0], np.nan), where=n_samples > 0)
    curves = np.stack([share_passing(*pair, units) for pair in zip(right, sizes, strict=True)])
    report = {
        "sample_accuracy": _spread(accuracies),
        "pattern_accuracy": options.by_threshold([_spread(column) for column in curves.T[: len(options.thresholds)]]),
        "n_samples": n_samples.tolist(),
        "n_groups": np.count_nonzero(sizes, axis=1).tolist(),
    }
    return accuracies, curves, report


def _spread(values: FloatArray) -> Scores:
    """Return mean, standard deviation (over n - 1) and each value; None for a value that does not exist."""
    some = values[~np.isnan(values)]
    return {
        "mean": float(some.mean()) if some.size else None,
        "std": float(some.std(ddof=1)) if some.size > 1 else None,
        "each": [None if np.isnan(value) else float(value) for value in values],
    }


def _seed_scores(accuracy: float | None, curve: FloatArray, seeds_right: BoolArray, options: MetricOptions) -> Scores:
    """Return SA on seeds and the scores that compare with it; None if no subsample has rows.

    The signs differ: for a drop, `qt` is negative and `drop` is positive.
    """
    seed_accuracy = sample_accuracy(seeds_right)
    scores: Scores = {"seed_sample_accuracy": seed_accuracy}
    if options.against != "gold":
        return scores  # the difference of a consistency and an accuracy has no meaning
    if accuracy is None:
        return scores | {"qt": None, "mt": None, "drop": None}
    return scores | {
        "qt": quality_drop(float(curve[-1]), seed_accuracy),
        "mt": matching_threshold(curve[:-1], seed_accuracy),
        "drop": seed_accuracy - accuracy,
    }
