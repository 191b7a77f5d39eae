"""Define the result of scoring one model on labeled pairs in groups, such as Simple Pair, HANS or contrast sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from merge_snli.label_spellings import TWO_WAY
from merge_snli.schema import ALL, NLI_LABELS
from metrics.pattern_accuracy.core import CURVE
from scoring.results.fields import Count, Ends, Label, Part, Share, Threshold
from scoring.results.grouped_table import grouped_table
from scoring.results.plot import plot_curve
from scoring.results.records import GroupedDatasetRecord, ModelRecord, PairsLeftOut, RunRecord, title_of
from scoring.results.scores import Curve

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Digits = Annotated[str, Field(pattern="^[0-2]+$")]
"""One character per pair: position of a label in `compared_labels`."""


@dataclass(frozen=True)
class GroupScores(Part):
    """Scores on some pairs and their groups."""

    pairs: Annotated[int, Field(ge=1, lt=2**63)]
    """Number of pairs."""
    groups: Annotated[int, Field(ge=1, lt=2**63)]
    """Number of groups with at least one of these pairs."""
    sample_accuracy: Share
    """Share of the pairs predicted correctly."""
    pattern_accuracy: Share
    """PA at the quality threshold: share of the groups of whose pairs at least that share is predicted correctly."""
    curve: Curve
    """PA at every threshold. It has one row, as there are no subsamples."""
    predicted: dict[Label, dict[Label, Count]]
    """Number of pairs by gold label and predicted label. Only gold labels that occur are listed."""

    def __post_init__(self) -> None:
        """Check that the counts fit together."""
        if self.curve.seeds != (self.groups,):
            raise ValueError("the curve does not have one row with the number of groups")
        if sum(sum(row.values()) for row in self.predicted.values()) != self.pairs:
            raise ValueError("the numbers of predicted labels do not add up to the pairs")
        if sum(row.get(gold, 0) for gold, row in self.predicted.items()) != round(self.sample_accuracy * self.pairs):
            raise ValueError("the numbers of predicted labels do not give the sample accuracy")

    def predicted_share(self, label: str) -> float:
        """Return the share of the pairs for which the model predicts a label."""
        return sum(row.get(label, 0) for row in self.predicted.values()) / self.pairs

    def as_row(self) -> dict[str, float]:
        """Return the scores as shares, with the share of each predicted label as `predicted_LABEL`."""
        labels = next(iter(self.predicted.values()))
        return {
            "groups": self.groups,
            "pairs": self.pairs,
            "sample_accuracy": self.sample_accuracy,
            "pattern_accuracy": self.pattern_accuracy,
            **{f"predicted_{label}": self.predicted_share(label) for label in labels},
        }


@dataclass(frozen=True)
class GroupIntervals(Part):
    """Confidence intervals by a bootstrap that resamples groups with all their pairs."""

    level: Share
    """Nominal coverage."""
    methods: dict[str, str]
    """Method of each interval, by its name: `BCa bootstrap`, `percentile bootstrap` or `Wilson score`."""
    resamples: Count
    random_seed: int
    sample_accuracy: Ends
    pattern_accuracy: Ends
    """Interval of PA at the quality threshold."""

    def as_row(self) -> dict[str, float]:
        """Return the ends of the intervals as `NAME_low` and `NAME_high`."""
        names = ("sample_accuracy", "pattern_accuracy")
        ends = {name: getattr(self, name) for name in names}
        return {f"{name}_{end}": ends[name][at] for name in names for at, end in enumerate(("low", "high"))}


@dataclass(frozen=True)
class GroupTable(Part):
    """Predictions and counts of every group, one entry per group in each list."""

    group_id: tuple[str, ...]
    sizes: tuple[Count, ...]
    """Number of pairs of each group."""
    correct: tuple[Count, ...]
    """Number of these pairs that the model predicts correctly."""
    gold: tuple[Digits, ...]
    """Gold labels of the group's pairs in the order of the data, without those left out."""
    predictions: tuple[Digits, ...]
    """Predicted labels of the same pairs."""

    def __post_init__(self) -> None:
        """Check the lengths of the lists, and that ids, labels and counts fit together."""
        columns = (self.sizes, self.correct, self.gold, self.predictions)
        if any(len(column) != len(self.group_id) for column in columns) or not self.group_id:
            raise ValueError("the lists differ in length, or are empty")
        if len({*self.group_id}) != len(self.group_id):
            raise ValueError("a group id is not unique")
        for size, right, gold, predicted in zip(*columns, strict=True):
            if not len(gold) == len(predicted) == size or sum(map(str.__eq__, gold, predicted)) != right:
                raise ValueError("the labels of a group do not give its counts")


@dataclass(frozen=True, kw_only=True)
class GroupedResult(Part):
    """Scores of one model on labeled pairs in groups.

    Accuracies are shares from 0 to 1. PA(t) is pattern accuracy: the share of groups of which at least the share t of
    the pairs is predicted correctly. Groups may differ in size.
    """

    schema_version: Literal[6]
    """Version of this format."""
    kind: Literal["groups"]
    """Kind of data set: pairs in groups. `merge` is the kind of `Result`."""
    model: ModelRecord
    dataset: GroupedDatasetRecord
    run: RunRecord
    compared_labels: Annotated[tuple[Label, ...], Field(min_length=2, max_length=3)]
    """Labels in which predictions and gold labels were compared: three, or entailment and not_entailment."""
    left_out: PairsLeftOut
    notes: tuple[str, ...]
    """Caveats that a reader of the scores must know."""
    quality_threshold: Threshold
    """Threshold of `pattern_accuracy`."""
    thresholds: tuple[Threshold, ...]
    """Thresholds of the curves."""
    scores: GroupScores
    """Scores on all pairs."""
    intervals: GroupIntervals
    by: dict[str, dict[str, GroupScores]]
    """Scores on the pairs with each value of a column, by column, or by columns joined with `+`."""
    groups: GroupTable
    """Predictions and counts of every group."""

    def __post_init__(self) -> None:
        """Check that the parts of the result fit together."""
        if self.compared_labels not in (NLI_LABELS, TWO_WAY):
            raise ValueError(f"compared_labels is {self.compared_labels}, expected {NLI_LABELS} or {TWO_WAY}")
        if self.thresholds != CURVE or self.quality_threshold not in CURVE:
            raise ValueError("thresholds are not 0, 0.01, … 1")
        for scores in (self.scores, *(scores for values in self.by.values() for scores in values.values())):
            used = {*scores.predicted, *(label for row in scores.predicted.values() for label in row)}
            if not used <= {*self.compared_labels}:
                raise ValueError("predicted has a label that is not in compared_labels")
        if self.scores.groups != len(self.groups.group_id) or self.scores.pairs != sum(self.groups.sizes):
            raise ValueError("the numbers of groups and pairs differ between scores and groups")

    @property
    def title(self) -> str:
        """The model's name, with its dtype unless that is float32."""
        return title_of(self.model, self.run)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return one row of scores for all pairs, and one per value of each column."""
        return [
            {"part": ALL, **self.scores.as_row(), **self.intervals.as_row()},
            *(
                {"part": f"{column}:{value}", **scores.as_row()}
                for column, values in self.by.items()
                for value, scores in values.items()
            ),
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return the scores as a pandas data frame, with one row per part, such as `all` or `template:svo`."""
        import pandas as pd

        return pd.DataFrame(self.as_rows()).set_index("part")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the pattern accuracy curve, and return its matplotlib axes.

        Args:
            ax: The axes of another result's plot, to compare the two; None for new ones.
        """
        curve = self.scores.curve
        return plot_curve(curve, self.thresholds, name=self.title, marked=self.quality_threshold, ax=ax)

    def _repr_html_(self) -> str:
        """Return the scores as an HTML table for a notebook."""
        return grouped_table([self]).html()
