"""Define the scores in a result: accuracies, curves, intervals, and the predictions on every seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from metrics.pattern_accuracy.core import CURVE
from scoring.results.fields import Count, Difference, Digest, Ends, Label, Part, Share, Threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

NOT_SCORED = "-"
"""Stands for a variant without a prediction in `SeedTable.variant_predictions`."""

NO_ANSWER = "?"
"""Stands there for a variant on which a model gave no answer that can be read, which is wrong."""

NO_ANSWER_TEXT = "no answer"
"""How reports name it."""

SOURCE_COLUMNS = ("source_problems", "source_accuracy", "source_accuracy_low", "source_accuracy_high")
"""Names of the scores on the source in a row of scores."""


@dataclass(frozen=True)
class Spread(Part):
    """A number for each subsample, with mean and sample standard deviation (n - 1)."""

    mean: Share | None
    std: Annotated[float, Field(ge=0)] | None
    each: tuple[Share | None, ...]
    """Value of each subsample; None if the subsample has no row."""


@dataclass(frozen=True)
class Curve(Part):
    """PA at the thresholds 0, 0.01, … 1."""

    mean: Annotated[tuple[Share | None, ...], Field(min_length=len(CURVE), max_length=len(CURVE))]
    """Mean PA at each threshold over the subsamples that have a row; None if none has one."""
    passing: tuple[tuple[Count, ...], ...]
    """Number of seeds that pass each threshold, [n_subsamples, n_thresholds]."""
    seeds: tuple[Count, ...]
    """Number of seeds of which each subsample drew a variant, [n_subsamples]."""

    def __post_init__(self) -> None:
        """Check the lengths of the lists, and that no count exceeds the number of seeds."""
        if len(self.passing) != len(self.seeds) or any(len(row) != len(CURVE) for row in self.passing):
            raise ValueError(f"passing is not {len(self.seeds)} lists of {len(CURVE)} counts")
        if any(max(row) > seeds for row, seeds in zip(self.passing, self.seeds, strict=True)):
            raise ValueError("more seeds pass a threshold than the subsample has")

    def at(self, threshold: float) -> float | None:
        """Return the mean PA at one of the thresholds 0, 0.01, … 1; None if no subsample has a row."""
        return self.mean[CURVE.index(threshold)]

    @property
    def each(self) -> tuple[tuple[float | None, ...], ...]:
        """PA of each subsample at each threshold, None if the subsample has no row."""
        return tuple(
            tuple(passing / seeds if seeds else None for passing in row)
            for row, seeds in zip(self.passing, self.seeds, strict=True)
        )


@dataclass(frozen=True)
class Intervals(Part):
    """Confidence intervals by a bootstrap that resamples seeds with all their variants."""

    level: Share
    """Nominal coverage."""
    methods: dict[str, str]
    """Method of each interval, by its name: `BCa bootstrap`, `percentile bootstrap` or `Wilson score`."""
    resamples: Count
    random_seed: int
    seed_sample_accuracy: Ends
    sample_accuracy: Ends
    """Interval of SA on variants, over all subsamples."""
    pattern_accuracy: Ends
    """Interval of PA at the quality threshold."""
    qt: Ends


@dataclass(frozen=True)
class VariantScores(Part):
    """Scores on variants, against the gold label or against the model's own predictions."""

    variants: Count
    """Number of variants in the whole split `test`."""
    sample_accuracy: Spread
    """SA by subsample."""
    test_sample_accuracy: Share
    """SA over every variant (split `test`), not only the drawn ones."""
    pattern_accuracy: Spread
    """PA at the quality threshold, by subsample."""
    curve: Curve
    """PA at every threshold."""


@dataclass(frozen=True)
class Scores(Part):
    """The columns of the paper's Table 3 for some seeds and their variants."""

    seeds: Count
    """Number of seeds."""
    seed_sample_accuracy: Share
    """SA on the seeds."""
    on_variants: VariantScores
    """Scores on their variants, against the gold label."""
    qt: Difference | None
    """PA at the quality threshold on variants minus SA on seeds; None if no subsample has a row."""
    mt: Threshold | None
    """Threshold whose PA on the mean curve is nearest to SA on seeds; the higher of two equally near ones."""
    intervals: Intervals | None
    """Confidence intervals; None if too few seeds have a variant in a subsample."""

    def as_row(self) -> dict[str, float | None]:
        """Return the scores as shares, with the ends of their intervals as `NAME_low` and `NAME_high`."""
        values = {
            "seed_sample_accuracy": self.seed_sample_accuracy,
            "sample_accuracy": self.on_variants.sample_accuracy.mean,
            "pattern_accuracy": self.on_variants.pattern_accuracy.mean,
            "qt": self.qt,
        }
        row: dict[str, float | None] = {"seeds": self.seeds, "variants": self.on_variants.variants}
        for name, value in values.items():
            low, high = (None, None) if self.intervals is None else getattr(self.intervals, name)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        return row | {"mt": self.mt}


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


@dataclass(frozen=True)
class SeedTable(Part):
    """Predictions and counts of every seed, one entry per seed in each list. Comparisons of models need only these."""

    seed_id: tuple[str, ...]
    gold: tuple[Label, ...]
    """Gold label, as in the data set."""
    predicted: tuple[Label | None, ...]
    """Predicted label of the seed itself; None if the answer cannot be read."""
    sizes: tuple[tuple[Count, ...], ...]
    """Number of variants that each subsample drew of each seed, [n_subsamples, n_seeds]."""
    correct: tuple[tuple[Count, ...], ...]
    """Number of these variants that the model predicts correctly, [n_subsamples, n_seeds]."""
    variant_predictions: tuple[Annotated[str, Field(pattern="^[0-2?-]*$")], ...]
    """Predictions of the seed's variants in the order of split `test`, one character per variant: position of the label
    in `compared_labels`, `-` if the variant was left out, or `?` if the answer cannot be read."""

    def __post_init__(self) -> None:
        """Check the lengths of the lists, and that ids, predictions and counts fit together."""
        columns = (self.gold, self.predicted, self.variant_predictions, *self.sizes, *self.correct)
        if any(len(column) != len(self.seed_id) for column in columns) or len(self.sizes) != len(self.correct):
            raise ValueError("the lists differ in length")
        if len({*self.seed_id}) != len(self.seed_id):
            raise ValueError("a seed id is not unique")
        if any(not predictions.strip(NOT_SCORED) for predictions in self.variant_predictions):
            raise ValueError("a seed has no prediction on a variant")
        rows = zip(self.correct, self.sizes, strict=True)
        if any(right > size for row in rows for right, size in zip(*row, strict=True)):
            raise ValueError("more variants of a seed are correct than were drawn")


def label_of(prediction: str, labels: Sequence[str]) -> str:
    """Return the label that a character of `SeedTable.variant_predictions` stands for, in words.

    Args:
        prediction: The character; not `NOT_SCORED`.
        labels: The compared labels.
    """
    return NO_ANSWER_TEXT if prediction == NO_ANSWER else labels[int(prediction)]
