"""Define the scores in a result: accuracies, curves and intervals."""

from dataclasses import dataclass, fields
from typing import Annotated, TypeAlias

from pydantic import Field

from merge_snli.results.records import (
    Count,
    Difference,
    Digest,
    Ends,
    Label,
    NotNegative,
    PositiveCount,
    Share,
    StrictValue,
    Threshold,
)
from metrics.pattern_accuracy.core import CURVE

# Scores by name; None for one that is not known.
Row: TypeAlias = dict[str, float | None]

# How reports name an answer that cannot be read.
NO_ANSWER_TEXT = "no answer"

# The scores that have intervals.
INTERVALS = ("seed_accuracy", "sample_accuracy", "pattern_accuracy", "qt")

# The scores that only data with seeds has.
NEED_SEEDS = ("seed_accuracy", "qt", "mt")

# Names of the scores on the source in a row of scores.
SOURCE_COLUMNS = ("source_problems", "source_accuracy", "source_accuracy_low", "source_accuracy_high")


@dataclass(frozen=True)
class Spread(StrictValue):
    """A number for each subsample, or one without subsamples, with mean and sample standard deviation (n - 1).

    Attributes:
        each: Value of each subsample; None if it has no row.
    """

    mean: Share | None
    std: NotNegative | None
    each: tuple[Share | None, ...]


@dataclass(frozen=True)
class Curve(StrictValue):
    """PA at the thresholds 0, 0.01, … 1.

    Attributes:
        mean: Mean PA at each threshold over the subsamples that have a row; None if none has one.
        passing: Number of groups that pass each threshold, [n_subsamples, n_thresholds].
        groups: Number of groups of which each subsample has a row, [n_subsamples].
    """

    mean: Annotated[tuple[Share | None, ...], Field(min_length=len(CURVE), max_length=len(CURVE))]
    passing: tuple[tuple[Count, ...], ...]
    groups: tuple[Count, ...]

    def at(self, threshold: float) -> float | None:
        """Return the mean PA at one of the thresholds 0, 0.01, … 1; None if no subsample has a row."""
        return self.mean[CURVE.index(threshold)]

    @property
    def each(self) -> tuple[tuple[float | None, ...], ...]:
        """PA of each subsample at each threshold, None if it has no row."""
        shares = []
        for row, groups in zip(self.passing, self.groups, strict=True):
            shares.append(tuple(passing / groups if groups else None for passing in row))
        return tuple(shares)


@dataclass(frozen=True)
class Intervals(StrictValue):
    """Confidence intervals by a bootstrap that resamples groups with all their rows.

    Attributes:
        level: Nominal coverage.
        methods: Method of each interval, by its name: `BCa bootstrap`, `percentile bootstrap` or `Wilson score`.
        sample_accuracy: Interval of SA on rows, over all subsamples.
        pattern_accuracy: Interval of PA at the quality threshold.
        seed_accuracy: Interval of SA on seeds; None without seeds, like `qt`.
    """

    level: Share
    methods: dict[str, str]
    resamples: Count
    random_seed: int
    sample_accuracy: Ends
    pattern_accuracy: Ends
    seed_accuracy: Ends | None = None
    qt: Ends | None = None


@dataclass(frozen=True)
class RowScores(StrictValue):
    """Scores on rows, against the gold label or against the model's own predictions.

    Attributes:
        rows: Number of rows with an answer, drawn or not.
        sample_accuracy: SA by subsample.
        all_rows_accuracy: SA over every row, not only the drawn ones; None if only these were predicted.
        pattern_accuracy: PA at the quality threshold, by subsample.
        curve: PA at every threshold.
    """

    rows: Count
    sample_accuracy: Spread
    all_rows_accuracy: Share | None
    pattern_accuracy: Spread
    curve: Curve


@dataclass(frozen=True)
class Scores(RowScores):
    """Scores on some rows and their groups. With seeds, they have the columns of the paper's Table 3.

    Attributes:
        groups: Number of groups.
        predicted: Number of rows by gold label and predicted label. Only gold labels that occur are listed; rows
            without an answer are not counted.
        seed_accuracy: SA on the seeds; None without seeds, like `qt` and `mt`.
        qt: PA at the quality threshold minus SA on the seeds; None if no subsample has a row.
        mt: Threshold whose PA on the mean curve is closest to SA on the seeds; the higher of two equally near ones.
        intervals: Confidence intervals; None if too few groups have a row in a subsample, and for values of a column
            with many.
    """

    groups: PositiveCount
    predicted: dict[Label, dict[Label, Count]]
    seed_accuracy: Share | None = None
    qt: Difference | None = None
    mt: Threshold | None = None
    intervals: Intervals | None = None

    def __post_init__(self) -> None:
        """Check that the scores that are known have intervals with methods, which are not computed again."""
        if self.intervals is None:
            return
        numbers = numbers_of(self)
        known = [name for name in INTERVALS if numbers[name] is not None]
        named = [name for name in INTERVALS if getattr(self.intervals, name) is not None]
        methods = [name for name in INTERVALS if name in self.intervals.methods]
        if not known == named == methods:
            raise ValueError(f"the scores {known} have the intervals {named} with the methods {methods}")

    def predicted_share(self, label: str) -> float:
        """Return the share of the rows for which the model predicts a label."""
        return sum(row.get(label, 0) for row in self.predicted.values()) / self.rows

    def as_row(self) -> Row:
        """Return every score by name: shares from 0 to 1, and the numbers of groups and rows.

        A score with an interval has its ends as `NAME_low` and `NAME_high`, and the share of each predicted label is
        `predicted_LABEL`. Scores that need seeds are absent without them.
        """
        row: Row = {"groups": self.groups}
        for name, value in numbers_of(self).items():
            if self.seed_accuracy is None and name in NEED_SEEDS:
                continue
            row[name] = value
            if name in INTERVALS:
                row[f"{name}_low"], row[f"{name}_high"] = getattr(self.intervals, name, None) or (None, None)
        for label in next(iter(self.predicted.values()), ()):
            row[f"predicted_{label}"] = self.predicted_share(label)
        return row


def numbers_of(scores: StrictValue) -> Row:
    """Return the fields of some scores that are one number or its mean over the subsamples, by name."""
    numbers = {}
    for field in fields(scores):  # type: ignore[arg-type]
        value = getattr(scores, field.name)
        if isinstance(value, Spread):
            value = value.mean
        if value is None or isinstance(value, int | float):
            numbers[field.name] = value
    return numbers


@dataclass(frozen=True)
class Calibration(StrictValue):
    """How well the probabilities that a model gives to labels fit its answers; on rows, means over the subsamples.

    Attributes:
        brier: Brier score on rows: mean over the rows of the sum over the labels of the squared difference between
            probability and truth, from 0 to 2. None if no subsample has a row, like the next one.
        calibration_error: Expected calibration error on rows (Guo et al., 2017): mean difference between the
            probability of the predicted label and the accuracy, over 15 bins of this probability.
        seed_brier: Brier score on seeds; None without seeds, like the next two.
        seed_calibration_error: Expected calibration error on seeds.
        weakened: Share of the rows whose predicted label is that of the seed, but whose gold label is less probable.
        annotator_distance: Distance on rows to the labels that annotators gave to the seed: mean total variation
            distance between the probabilities and the shares of the annotators. None without labels of annotators, like
            the next one.
        seed_annotator_distance: The same distance on seeds.
    """

    brier: Annotated[float, Field(ge=0, le=2)] | None
    calibration_error: Share | None
    seed_brier: Annotated[float, Field(ge=0, le=2)] | None = None
    seed_calibration_error: Share | None = None
    weakened: Share | None = None
    annotator_distance: Share | None = None
    seed_annotator_distance: Share | None = None


@dataclass(frozen=True)
class SourceAccuracy(StrictValue):
    """Sample accuracy on problems of the source.

    Attributes:
        problems: Number of problems with a prediction.
        interval: 95% Wilson score interval.
    """

    problems: PositiveCount
    sample_accuracy: Share
    interval: Ends

    def as_row(self) -> Row:
        """Return the scores as shares, with the ends of the interval as `NAME_low` and `NAME_high`."""
        low, high = self.interval
        return dict(zip(SOURCE_COLUMNS, (self.problems, self.sample_accuracy, low, high), strict=True))


@dataclass(frozen=True)
class SourceScores(StrictValue):
    """Scores on all problems of the source that have a gold label, which is more than the seeds.

    Attributes:
        name: Hub id or file name of the source, with the split if there is one.
        digest: Digest of the problems, as in the record of a data set.
        without_label: Number of rows without a gold label, which are left out.
        too_long: Number of problems left out because they are longer than the model's maximum length.
        labels: Scores on the problems of each gold label.
    """

    name: str
    digest: Digest
    without_label: Count
    too_long: Count
    overall: SourceAccuracy
    labels: dict[Label, SourceAccuracy]

    def __post_init__(self) -> None:
        """Check that the problems of the labels add up."""
        if sum(scores.problems for scores in self.labels.values()) != self.overall.problems:
            raise ValueError("the problems of the labels do not add up to those of the source")

    @property
    def problems(self) -> int:
        """Number of problems with a gold label, including those that are too long."""
        return self.overall.problems + self.too_long
