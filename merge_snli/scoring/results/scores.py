"""Define the scores in a result: accuracies, curves, intervals, and the predictions on every seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from merge_snli.scoring.answers import Counts
from merge_snli.scoring.results.records import Count, Difference, Digest, Ends, Label, Part, Share, Threshold
from metrics.pattern_accuracy.core import CURVE

NOT_ASKED, NO_ANSWER = "-", "?"
"""Stand in `GroupTable.predictions` for the codes of `merge_snli.models.labels.Missing`."""

NO_ANSWER_TEXT = "no answer"
"""How reports name an answer that cannot be read."""

SOURCE_COLUMNS = ("source_problems", "source_accuracy", "source_accuracy_low", "source_accuracy_high")
"""Names of the scores on the source in a row of scores."""


@dataclass(frozen=True)
class Spread(Part):
    """A number for each draw, with mean and sample standard deviation (n - 1). Without draws, it has one number."""

    mean: Share | None
    std: Annotated[float, Field(ge=0)] | None
    each: tuple[Share | None, ...]
    """Value of each draw; None if the draw has no row."""


@dataclass(frozen=True)
class Curve(Part):
    """PA at the thresholds 0, 0.01, … 1."""

    mean: Annotated[tuple[Share | None, ...], Field(min_length=len(CURVE), max_length=len(CURVE))]
    """Mean PA at each threshold over the draws that have a row; None if none has one."""
    passing: tuple[tuple[Count, ...], ...]
    """Number of groups that pass each threshold, [n_draws, n_thresholds]."""
    groups: tuple[Count, ...]
    """Number of groups of which each draw has a row, [n_draws]."""

    def __post_init__(self) -> None:
        """Check the lengths of the lists, and that no count exceeds the number of groups."""
        if len(self.passing) != len(self.groups) or any(len(row) != len(CURVE) for row in self.passing):
            raise ValueError(f"passing is not {len(self.groups)} lists of {len(CURVE)} counts")
        if any(max(row) > groups for row, groups in zip(self.passing, self.groups, strict=True)):
            raise ValueError("more groups pass a threshold than the draw has")

    def at(self, threshold: float) -> float | None:
        """Return the mean PA at one of the thresholds 0, 0.01, … 1; None if no draw has a row."""
        return self.mean[CURVE.index(threshold)]

    @property
    def each(self) -> tuple[tuple[float | None, ...], ...]:
        """PA of each draw at each threshold, None if the draw has no row."""
        return tuple(
            tuple(passing / groups if groups else None for passing in row)
            for row, groups in zip(self.passing, self.groups, strict=True)
        )


@dataclass(frozen=True)
class Intervals(Part):
    """Confidence intervals by a bootstrap that resamples groups with all their rows."""

    level: Share
    """Nominal coverage."""
    methods: dict[str, str]
    """Method of each interval, by its name: `BCa bootstrap`, `percentile bootstrap` or `Wilson score`."""
    resamples: Count
    random_seed: int
    sample_accuracy: Ends
    """Interval of SA on rows, over all draws."""
    pattern_accuracy: Ends
    """Interval of PA at the quality threshold."""
    anchor_accuracy: Ends | None = None
    """Interval of SA on anchors; None without anchors, like `qt`."""
    qt: Ends | None = None


@dataclass(frozen=True)
class RowScores(Part):
    """Scores on rows, against the gold label or against the model's own predictions."""

    rows: Count
    """Number of rows with an answer, drawn or not."""
    sample_accuracy: Spread
    """SA by draw."""
    all_rows_accuracy: Share | None
    """SA over every row, not only the drawn ones; None if only these were asked."""
    pattern_accuracy: Spread
    """PA at the quality threshold, by draw."""
    curve: Curve
    """PA at every threshold."""


@dataclass(frozen=True)
class Scores(RowScores):
    """Scores on some rows and their groups. With anchors, they have the columns of the paper's Table 3."""

    groups: Annotated[int, Field(ge=1, lt=2**63)]
    """Number of groups."""
    predicted: dict[Label, dict[Label, Count]]
    """Number of rows by gold label and predicted label. Only gold labels that occur are listed; rows without an answer
    are not counted."""
    anchor_accuracy: Share | None = None
    """SA on the anchors; None without anchors, like `qt` and `mt`."""
    qt: Difference | None = None
    """PA at the quality threshold minus SA on the anchors; None if no draw has a row."""
    mt: Threshold | None = None
    """Threshold whose PA on the mean curve is nearest to SA on the anchors; the higher of two equally near ones."""
    intervals: Intervals | None = None
    """Confidence intervals; None if too few groups have a row in a draw, and for values of a column with many."""

    def __post_init__(self) -> None:
        """Check that the counts fit together."""
        if max(self.curve.groups) > self.groups:
            raise ValueError("a draw has more groups than there are")
        if sum(sum(row.values()) for row in self.predicted.values()) > self.rows:
            raise ValueError("there are more predicted labels than rows")

    def predicted_share(self, label: str) -> float:
        """Return the share of the rows for which the model predicts a label."""
        return sum(row.get(label, 0) for row in self.predicted.values()) / self.rows

    def as_row(self) -> dict[str, float | None]:
        """Return the scores as shares, with the ends of their intervals as `NAME_low` and `NAME_high`.

        The share of each predicted label is `predicted_LABEL`. Scores that need anchors are absent without them.
        """
        values = {"sample_accuracy": self.sample_accuracy.mean, "pattern_accuracy": self.pattern_accuracy.mean}
        if self.anchor_accuracy is not None:
            values = {"anchor_accuracy": self.anchor_accuracy, **values, "qt": self.qt}
        row: dict[str, float | None] = {"groups": self.groups, "rows": self.rows}
        for name, value in values.items():
            low, high = (None, None) if self.intervals is None else getattr(self.intervals, name)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        row |= {} if self.anchor_accuracy is None else {"mt": self.mt}
        labels = next(iter(self.predicted.values()), {})
        return row | {f"predicted_{label}": self.predicted_share(label) for label in labels}


@dataclass(frozen=True)
class Calibration(Part):
    """How well the probabilities that a model gives to the labels fit its answers; on rows, means over the draws."""

    brier: Annotated[float, Field(ge=0, le=2)] | None
    """Brier score on rows: mean over the rows of the sum over the labels of the squared difference between probability
    and truth, from 0 to 2. None if no draw has a row, like the next one."""
    calibration_error: Share | None
    """Expected calibration error on rows (Guo et al., 2017): mean difference between the probability of the predicted
    label and the accuracy, over 15 bins of this probability."""
    anchor_brier: Annotated[float, Field(ge=0, le=2)] | None = None
    """Brier score on anchors; None without anchors, like the next two."""
    anchor_calibration_error: Share | None = None
    """Expected calibration error on anchors."""
    weakened: Share | None = None
    """Share of the rows whose predicted label is that of the anchor, but whose gold label is less probable."""
    people_distance: Share | None = None
    """Distance on rows to the labels that annotators gave to the anchor: mean total variation distance between the
    probabilities and the shares of the annotators. None without labels of annotators, like the next one."""
    anchor_people_distance: Share | None = None
    """The same distance on anchors."""


@dataclass(frozen=True)
class SourceAccuracy(Part):
    """Sample accuracy on problems of the source."""

    problems: Annotated[int, Field(ge=1, lt=2**63)]
    """Number of problems with a prediction."""
    sample_accuracy: Share
    interval: Ends
    """95% Wilson score interval."""

    def as_row(self) -> dict[str, float]:
        """Return the scores as shares, with the ends of the interval as `NAME_low` and `NAME_high`."""
        low, high = self.interval
        values = self.problems, self.sample_accuracy, low, high
        return dict(zip(SOURCE_COLUMNS, values, strict=True))


@dataclass(frozen=True)
class SourceScores(Part):
    """Scores on all problems of the source that have a gold label, which is more than the seeds."""

    name: str
    """Hub id or file name of the source, with the split if there is one."""
    digest: Digest
    """Digest of the problems, as in the record of a data set."""
    without_label: Count
    """Number of rows without a gold label, which are left out."""
    too_long: Count
    """Number of problems left out because they are longer than the model's maximum length."""
    overall: SourceAccuracy
    labels: dict[Label, SourceAccuracy]
    """Scores on the problems of each gold label."""

    def __post_init__(self) -> None:
        """Check that the problems of the labels add up."""
        if sum(scores.problems for scores in self.labels.values()) != self.overall.problems:
            raise ValueError("the problems of the labels do not add up to those of the source")

    @property
    def problems(self) -> int:
        """Number of problems with a gold label, including those that are too long."""
        return self.overall.problems + self.too_long


Digits = Annotated[str, Field(pattern="^[0-9]+$")]
"""Labels by their position in the labels of the data set."""


Encoded = Annotated[str, Field(pattern="^[A-Za-z0-9+/]*=?=?$")]
"""Numbers as Base64."""


@dataclass(frozen=True, kw_only=True)
class GroupTable(Part):
    """Answers and counts of every group, one entry per group in each list. Comparisons of models need only these."""

    id: tuple[str, ...]
    gold: tuple[Digits, ...]
    """Gold labels of the group's rows in the order of the data, one character per row: position in the labels of the
    data set. One character stands for all rows of a group that have the same."""
    predictions: tuple[Annotated[str, Field(pattern="^[0-9?-]*$")], ...]
    """Predicted labels of the same rows: position in `compared_labels`, `-` if the row was left out, or `?` if the
    answer cannot be read."""
    sizes: tuple[tuple[Count, ...], ...]
    """Number of answered rows that each draw has of each group, [n_draws, n_groups]."""
    correct: tuple[tuple[Count, ...], ...]
    """Number of these that the model predicts correctly, [n_draws, n_groups]."""
    anchors: tuple[Label | None, ...] | None = None
    """Predicted label of the group's anchor, None if the answer cannot be read; None without anchors."""
    probabilities: tuple[Encoded, ...] | None = None
    """Probability of each of `compared_labels` on the same rows as `predictions`: Base64 of the natural logarithms as
    little-endian float16, row by row, NaN if the row was left out. None if the model gives no probabilities, as in
    results from before they were stored."""
    anchor_probabilities: tuple[Encoded, ...] | None = None
    """The same of the group's anchor; None without anchors."""

    def __post_init__(self) -> None:
        """Check the lengths of the lists, and that ids, predictions and counts fit together."""
        optional = (self.anchors, self.probabilities, self.anchor_probabilities)
        columns = (self.gold, self.predictions, *self.sizes, *self.correct, *filter(None, optional))
        if any(len(column) != len(self.id) for column in columns) or not self.id:
            raise ValueError("the lists differ in length, or are empty")
        if len(self.sizes) != len(self.correct) or not self.sizes:
            raise ValueError("the number of draws is 0, or differs between sizes and correct")
        if len({*self.id}) != len(self.id):
            raise ValueError("a group id is not unique")
        if any(not predictions.strip(NOT_ASKED) for predictions in self.predictions):
            raise ValueError("a group has no prediction")
        if any(len(gold) not in (1, len(each)) for gold, each in zip(self.gold, self.predictions, strict=True)):
            raise ValueError("a group has not as many gold labels as predictions")
        rows = zip(self.correct, self.sizes, strict=True)
        if any(right > size for row in rows for right, size in zip(*row, strict=True)):
            raise ValueError("more rows of a group are correct than were drawn")

    def counts(self, ids: Sequence[str] | None = None) -> Counts:
        """Return the counts of some groups in their order; by default of all."""
        index = {name: at for at, name in enumerate(self.id)}
        at = [index[name] for name in (self.id if ids is None else ids)]
        return Counts(
            np.array(self.correct, dtype=np.int64)[:, at],
            np.array(self.sizes, dtype=np.int64)[:, at],
        )


@dataclass(frozen=True)
class NamedAnswers:
    """The answers of one model, as its result has them.

    Attributes:
        model: Name of the model, unique in a table.
        groups: The answers.
        labels: The labels in which they are compared with gold labels.
    """

    model: str
    groups: GroupTable
    labels: tuple[str, ...]


def label_of(prediction: str, labels: Sequence[str]) -> str:
    """Return the label that a character of `GroupTable.predictions` stands for, in words; `NOT_ASKED` stays.

    Args:
        prediction: The character.
        labels: The compared labels.
    """
    return {NO_ANSWER: NO_ANSWER_TEXT, NOT_ASKED: NOT_ASKED}.get(prediction) or labels[int(prediction)]
