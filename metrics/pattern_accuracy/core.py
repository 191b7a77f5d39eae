"""Compute sample accuracy and pattern accuracy with pure functions that need numpy only.

Pattern accuracy PA(t) is the share of groups in which at least the share t of the rows is correct. `columns` and
`options` validate and format the input, `counts` does the arithmetic, and `compute` combines them.
PA(0) is 1 by definition, since every group has at least 0 correct rows.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .columns import (
    Column,
    IntArray,
    check_labels,
    check_same_kind,
    factorize,
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
from .options import MetricOptions, read_options, seed_column

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
        ValueError: If a reference is not a gold label, a group has no seed, its seed has another reference, or it has
            two references and `against` needs one.
    """
    check_labels(predictions, references)
    table = _table(predictions, references, groups, options)
    scores = _scores(table, options)
    if options.categories:
        by_name = {}
        for name, sets in options.categories.items():
            by_name[name] = {label: _scores(table.take(rows), options) for label, rows in sets.items()}
        scores["categories"] = by_name.get(None, by_name)
    return scores


@dataclass(frozen=True)
class _Table:
    """The rows of one score.

    Attributes:
        groups: Number of the group of each row, [n].
        n_groups: Number of groups.
        answers: Whether each row is correct or, against the majority, its predicted label, [n].
        subsamples: The rows of each subsample; empty if none are given.
        seeds_right: Whether the prediction on the seed of each group is correct, [n_groups]; None without seeds.
    """

    groups: IntArray
    n_groups: int
    answers: BoolArray | IntArray
    subsamples: list[IntArray]
    seeds_right: BoolArray | None

    def take(self, rows: IntArray) -> "_Table":
        """Return a table of these rows (sorted) and their groups only."""
        present, groups = np.unique(self.groups[rows], return_inverse=True)
        subsamples = [np.flatnonzero(np.isin(rows, own)) for own in self.subsamples]
        seeds_right = self.seeds_right
        if seeds_right is not None:
            seeds_right = seeds_right[present]
        return _Table(groups, len(present), self.answers[rows], subsamples, seeds_right)


def _table(predictions: Column, references: Column, groups: Column, options: MetricOptions) -> _Table:
    codes, labels = factorize(groups)
    if options.against != "gold":
        of_groups, differs = _first_references(references, codes)
        if differs.any():
            at = int(np.argmax(differs))
            raise ValueError(
                f"references[{at}] is {references.item(at)!r} but group {labels[codes[at]]!r} has "
                f"{of_groups.item(codes[at])!r} before: against={options.against!r} needs one reference per group "
                "(against='gold' compares each row with its own reference)"
            )
    seed_answers = seeds_right = None
    if options.seed_predictions is not None:
        seed_answers = seed_column("seed_predictions", options.seed_predictions, labels)
        check_same_kind("seed_predictions", seed_answers, "predictions", predictions)
    if seed_answers is not None and options.seed_references is not None:
        gold = seed_column("seed_references", options.seed_references, labels)
        check_same_kind("seed_references", gold, "seed_predictions", seed_answers)
        check_same_kind("seed_references", gold, "references", references)
        of_groups, differs = _first_references(references, codes)
        wrong = gold != of_groups
        wrong[codes[differs]] = False  # a group with several references
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(
                f"seed_references[{labels[at]!r}] is {gold.item(at)!r} but the references of group {labels[at]!r} are "
                f"{of_groups.item(at)!r}: a seed has the gold label of its variants"
            )
        seeds_right = seed_answers == gold
    answers = predictions == references
    if options.against == "majority":
        answers, _ = factorize(predictions)
    elif options.against == "seed" and seed_answers is not None:
        answers = predictions == seed_answers[codes]
    return _Table(codes, len(labels), answers, list(options.subsamples.values()), seeds_right)


def _first_references(references: Column, codes: IntArray) -> tuple[Column, BoolArray]:
    """Return the first reference of each group, [n_groups], and which rows have another one, [n_rows]."""
    _, first = np.unique(codes, return_index=True)
    of_groups = references[first]
    return of_groups, references != of_groups[codes]


def _scores(table: _Table, options: MetricOptions) -> Scores:
    """Return all scores of one table except those by category."""
    n_thresholds = len(options.thresholds)
    n_rows = len(table.groups)
    units = threshold_units((*options.thresholds, *CURVE, QUALITY_THRESHOLD))  # CURVE for MT, QUALITY_THRESHOLD for QT
    accuracy, curve, n_groups = _on_rows(table, np.arange(n_rows), units)
    scores: Scores = {
        "sample_accuracy": accuracy,
        "pattern_accuracy": options.by_threshold(curve[:n_thresholds].tolist()),
        "n_samples": n_rows,
        "n_groups": n_groups,
    }
    if table.subsamples:
        drawn = [_on_rows(table, rows, units) for rows in table.subsamples]
        accuracies = np.array([of_subsample[0] for of_subsample in drawn])
        curves = np.array([of_subsample[1] for of_subsample in drawn])
        scores["subsamples"] = {
            "sample_accuracy": _spread(accuracies),
            "pattern_accuracy": options.by_threshold([_spread(values) for values in curves.T[:n_thresholds]]),
            "n_samples": list(map(len, table.subsamples)),
            "n_groups": [of_subsample[2] for of_subsample in drawn],
        }
        known = ~np.isnan(accuracies)
        accuracy = np.nan
        if known.any():
            accuracy = float(accuracies[known].mean())
            curve = curves[known].mean(axis=0)
    if table.seeds_right is not None:
        scores |= _seed_scores(accuracy, curve[n_thresholds:], table.seeds_right, options)
    return scores


def _on_rows(table: _Table, rows: IntArray, units: IntArray) -> tuple[float, FloatArray, int]:
    """Return SA on some rows, PA at each threshold, (t,), and the number of their groups; NaN without rows."""
    right, sizes = count_cells(table.groups[rows], table.n_groups, table.answers[rows])
    accuracy = int(right.sum()) / len(rows) if len(rows) else np.nan
    return accuracy, share_passing(right, sizes, units), int(np.count_nonzero(sizes))


def _spread(values: FloatArray) -> Scores:
    """Return mean, standard deviation (over n - 1) and each value; None for a value that does not exist."""
    some = values[~np.isnan(values)]
    return {
        "mean": float(some.mean()) if some.size else None,
        "std": float(some.std(ddof=1)) if some.size > 1 else None,
        "each": [None if np.isnan(value) else float(value) for value in values],
    }


def _seed_scores(accuracy: float, curve: FloatArray, seeds_right: BoolArray, options: MetricOptions) -> Scores:
    """Return SA on seeds and the scores that compare with it; None if no subsample has rows.

    The signs differ: for a drop, `qt` is negative and `drop` is positive.
    """
    seed_accuracy = sample_accuracy(seeds_right)
    scores: Scores = {"seed_sample_accuracy": seed_accuracy}
    if options.against != "gold":
        return scores  # the difference of a consistency and an accuracy has no meaning
    if np.isnan(accuracy):
        return scores | {"qt": None, "mt": None, "drop": None}
    return scores | {
        "qt": quality_drop(float(curve[-1]), seed_accuracy),
        "mt": matching_threshold(curve[:-1], seed_accuracy),
        "drop": seed_accuracy - accuracy,
    }
