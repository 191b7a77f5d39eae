"""Define the result of scoring one model on a MERGE data set, as frozen values and as the fields of a file.

These types also define the JSON Schema of result files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from merge_snli.label_spellings import TWO_WAY
from merge_snli.schema import ALL, NLI_LABELS
from metrics.pattern_accuracy.core import CURVE
from scoring.results.fields import Label, Part, Threshold, WordClass, one_of
from scoring.results.plot import plot_curve
from scoring.results.records import DatasetRecord, LeftOut, ModelRecord, RunRecord, title_of
from scoring.results.score_table import score_table
from scoring.results.scores import (
    NO_ANSWER,
    NOT_SCORED,
    SOURCE_COLUMNS,
    Scores,
    SeedTable,
    SourceAccuracy,
    SourceScores,
    VariantScores,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

CLASS, LABEL, MASKED_LM = "class:", "label:", "masked_lm:"
"""Prefixes of the names of parts."""


@dataclass(frozen=True, kw_only=True)
class Result(Part):
    """Scores of one model on one config of one data set.

    Accuracies are shares from 0 to 1. SA is sample accuracy. PA(t) is pattern accuracy: the share of seeds of which
    at least the share t of the variants is predicted correctly.
    """

    schema_version: Literal[6]
    """Version of this format."""
    kind: Literal["merge"]
    """Kind of data set: seeds and their variants. `groups` is the kind of `GroupedResult`."""
    model: ModelRecord
    dataset: DatasetRecord
    run: RunRecord
    compared_labels: Annotated[tuple[Label, ...], Field(min_length=2, max_length=3)]
    """Labels in which predictions and gold labels were compared: three, or entailment and not_entailment."""
    left_out: LeftOut
    notes: tuple[str, ...]
    """Caveats that a reader of the scores must know."""
    quality_threshold: Threshold
    """Threshold of QT."""
    thresholds: tuple[Threshold, ...]
    """Thresholds of the curves."""
    scores: Scores
    """Scores on all seeds and variants."""
    classes: dict[WordClass, Scores]
    """Scores on the variants of each word class, and their seeds."""
    labels: dict[Label, Scores]
    """Scores on the seeds of each gold label, and their variants."""
    masked_lms: dict[str, Scores]
    """Scores on the variants that each masked LM validated in the premise or the hypothesis, as in Table 9, and their
    seeds."""
    consistency: dict[Annotated[str, *one_of(("seed", "majority"))], VariantScores]
    """Predictions on variants compared with the model's prediction on the seed (`seed`), and with its most frequent
    prediction among the seed's variants in the subsample (`majority`)."""
    source: SourceScores | None
    """Scores on the source of the data set; None if it was not scored."""
    seeds: SeedTable
    """Predictions and counts of every seed."""

    def __post_init__(self) -> None:
        """Check that the parts of the result fit together."""
        if self.compared_labels not in (NLI_LABELS, TWO_WAY):
            raise ValueError(f"compared_labels is {self.compared_labels}, expected {NLI_LABELS} or {TWO_WAY}")
        if self.thresholds != CURVE or self.quality_threshold not in CURVE:
            raise ValueError("thresholds are not 0, 0.01, … 1")
        if not self.seeds.sizes or len(self.scores.on_variants.curve.seeds) != len(self.seeds.sizes):
            raise ValueError("the number of subsamples is 0, or differs between scores and seeds")
        numbers = {NOT_SCORED, NO_ANSWER, *map(str, range(len(self.compared_labels)))}
        if not numbers.issuperset("".join(self.seeds.variant_predictions)):
            raise ValueError("variant_predictions has a number that is not in compared_labels")
        if not {*self.seeds.predicted} <= {*self.compared_labels, None}:
            raise ValueError("predicted has a label that is not in compared_labels")
        if self.source is not None and not {*self.source.labels} <= {*self.dataset.labels}:
            raise ValueError("source has a label that is not in the data set")

    @property
    def title(self) -> str:
        """The model's name, with its dtype unless that is float32."""
        return title_of(self.model, self.run)

    @property
    def parts(self) -> dict[str, Scores]:
        """All scores by name: `all`, `class:noun` …, `label:entailment` …, `masked_lm:NAME` …."""
        return {
            ALL: self.scores,
            **{f"{CLASS}{name}": scores for name, scores in self.classes.items()},
            **{f"{LABEL}{name}": scores for name, scores in self.labels.items()},
            **{f"{MASKED_LM}{name}": scores for name, scores in self.masked_lms.items()},
        }

    def on_source(self, part: str) -> SourceAccuracy | None:
        """Return the scores on the source for `all` or the part of a gold label; None for other parts."""
        if self.source is None:
            return None
        return self.source.overall if part == ALL else self.source.labels.get(part.removeprefix(LABEL))

    def as_rows(self) -> list[dict[str, Any]]:
        """Return one row of scores per part, such as `all` or `class:noun`."""
        return [
            {"part": name, **scores.as_row(), **_source_columns(self.on_source(name))}
            for name, scores in self.parts.items()
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return the scores as a pandas data frame, with one row per part, such as `all` or `class:noun`."""
        import pandas as pd

        return pd.DataFrame(self.as_rows()).set_index("part")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the pattern accuracy curve, and return its matplotlib axes.

        Args:
            ax: The axes of another result's plot, to compare the two; None for new ones.
        """
        curve = self.scores.on_variants.curve
        return plot_curve(curve, self.thresholds, name=self.title, marked=self.quality_threshold, ax=ax)

    def _repr_html_(self) -> str:
        """Return the scores as an HTML table for a notebook."""
        return score_table([self]).html()


def _source_columns(scores: SourceAccuracy | None) -> dict[str, float | None]:
    return dict.fromkeys(SOURCE_COLUMNS) if scores is None else {**scores.as_row()}
