"""Define the fields of result files, and their JSON Schema.

The answers beside a file are the data, stored as a table; the numbers are a view of them. So a field that is added
later has the default None: results written before it existed are read, and what shows the field computes it from the
answers or leaves it out. A reader ignores fields that it does not know.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from merge_snli.dataset.label_spellings import MAX_LABELS
from merge_snli.models.labels import compared_labels
from merge_snli.results.records import (
    DatasetRecord,
    Digest,
    Label,
    LeftOut,
    ModelRecord,
    PositiveCount,
    RunRecord,
    StrictValue,
    Threshold,
    one_of,
)
from merge_snli.results.scores import Calibration, RowScores, Scores, SourceScores
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD


@dataclass(frozen=True, kw_only=True)
class ResultFile(StrictValue):
    """Scores of one model on one config of one data set.

    Rows are variants or other labeled pairs, groups are seeds or other rows that belong together. Accuracies are shares
    from 0 to 1. SA is sample accuracy. PA(t) is pattern accuracy: the share of groups of which at least the share t of
    the rows is predicted correctly.

    Attributes:
        schema_version: Version of this format.
        compared_labels: Labels in which predictions and gold labels were compared: three, or entailment and
            not_entailment.
        notes: Caveats that a reader of the scores must know.
        quality_threshold: Threshold of `pattern_accuracy` and `qt`.
        thresholds: Thresholds of the curves.
        subsamples: Number of subsamples; None if the data has none, and all rows count.
        scores: Scores on all rows.
        parts: Scores on the rows with each value of a column, by column. On a MERGE data set: `word_class`; `label`,
            the gold label; and `masked_lm`, the variants that each masked LM validated in premise or hypothesis, as in
            Table 9.
        consistency: Predictions on rows compared with the model's prediction on the seed (`seed`), and with its most
            frequent prediction among the group's rows in the draw (`majority`); None without seeds.
        source: Scores on the source of the data set; None if it was not scored.
        calibration: How well the probabilities of the labels fit the answers; None if they are not known.
        answers_sha256: sha256 of the file of the answers, `NAME.parquet` beside `NAME.json`; None for a result that is
            not in a file.
        digest: sha256 of the other entries of the file, so that a later change is noticed; None for a result that is
            not in a file.
    """

    schema_version: Literal[8]
    model: ModelRecord
    dataset: DatasetRecord
    run: RunRecord
    compared_labels: Annotated[tuple[Label, ...], Field(min_length=2, max_length=MAX_LABELS)]
    left_out: LeftOut
    notes: tuple[str, ...]
    quality_threshold: Threshold
    thresholds: tuple[Threshold, ...]
    subsamples: PositiveCount | None
    scores: Scores
    parts: dict[str, dict[str, Scores]]
    consistency: dict[Annotated[str, *one_of(("seed", "majority"))], RowScores] | None = None
    source: SourceScores | None = None
    calibration: Calibration | None = None
    answers_sha256: Digest | None = field(default=None, compare=False)
    digest: Digest | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check what the answers do not give: the labels, and the thresholds."""
        own = compared_labels(self.model.labels, self.dataset.labels)
        if self.compared_labels != own:
            raise ValueError(f"compared_labels is {self.compared_labels}, expected {own}")
        if self.thresholds != CURVE:
            raise ValueError("thresholds are not 0, 0.01, … 1")
        if self.quality_threshold != QUALITY_THRESHOLD:
            raise ValueError(f"quality_threshold is {self.quality_threshold}, expected {QUALITY_THRESHOLD}")
        if self.source is not None and not {*self.source.labels} <= {*self.dataset.labels}:
            raise ValueError("source has a label that is not in the data set")
