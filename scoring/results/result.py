"""Define the result of scoring one model, as frozen values and as the fields of a result file.

These types also define the JSON Schema of result files. Thresholds are floats in Python, decimal strings in JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from merge_snli.label_spellings import NOT_ENTAILMENT, TWO_WAY
from merge_snli.schema import ALL, NLI_LABELS, WORD_CLASSES
from metrics.pattern_accuracy.core import CURVE
from scoring.results.score_table import score_table

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

SCHEMA_VERSION: Literal[4] = 4
"""Version of the result files. Raise it if readers of the previous version would misread the new files."""

CLASS, LABEL, MASKED_LM = "class:", "label:", "masked_lm:"
"""Prefixes of the names of parts."""

NOT_SCORED = "-"
"""Stands for a variant without a prediction in `SeedTable.variant_predictions`."""

SOURCE_COLUMNS = ("source_problems", "source_accuracy", "source_accuracy_low", "source_accuracy_high")
"""Names of the scores on the source in a row of scores."""

THRESHOLD_PATTERN = r"^(0(\.[0-9]+)?|1)$"


def threshold_text(threshold: float) -> str:
    """Format a threshold as a decimal string.

    Examples:
        >>> threshold_text(29 * 0.01)
        '0.29'
    """
    return f"{threshold:.9g}"


def _parse_threshold(value: object) -> float:
    if not isinstance(value, str):
        raise ValueError("expected a decimal string such as '0.9'")
    return float(value)


def _one_of(names: Collection[str]) -> tuple[Any, ...]:
    return Field(pattern=f"^({'|'.join(names)})$"), WithJsonSchema({"type": "string", "enum": [*names]})


Label = Annotated[str, *_one_of((*NLI_LABELS, NOT_ENTAILMENT))]
WordClass = Annotated[str, *_one_of(WORD_CLASSES)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Share = Annotated[float, Field(ge=0, le=1)]
Difference = Annotated[float, Field(ge=-1, le=1)]
Ends = tuple[Difference, Difference]
"""Low and high end of an interval."""
Threshold = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_parse_threshold),
    PlainSerializer(threshold_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": THRESHOLD_PATTERN}),
]


class _Part:
    """Base of the values in a result file: unknown fields, other types and infinite numbers are refused."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)


@dataclass(frozen=True)
class Spread(_Part):
    """A number for each subsample, with mean and sample standard deviation (n - 1)."""

    mean: Share | None
    std: Annotated[float, Field(ge=0)] | None
    each: tuple[Share | None, ...]
    """Value of each subsample; None if the subsample has no row."""


@dataclass(frozen=True)
class Curve(_Part):
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

    @property
    def each(self) -> tuple[tuple[float | None, ...], ...]:
        """PA of each subsample at each threshold, None if the subsample has no row."""
        return tuple(
            tuple(passing / seeds if seeds else None for passing in row)
            for row, seeds in zip(self.passing, self.seeds, strict=True)
        )


@dataclass(frozen=True)
class Intervals(_Part):
    """Confidence intervals by a bootstrap that resamples seeds with all their variants."""

    level: Share
    """Nominal coverage."""
    method: str
    resamples: Count
    random_seed: int
    seed_sample_accuracy: Ends
    sample_accuracy: Ends
    """Interval of SA on variants, over all subsamples."""
    pattern_accuracy: Ends
    """Interval of PA at the quality threshold."""
    qt: Ends


@dataclass(frozen=True)
class VariantScores(_Part):
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
class Scores(_Part):
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
class SourceAccuracy(_Part):
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
class SourceScores(_Part):
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
class SeedTable(_Part):
    """Predictions and counts of every seed, one entry per seed in each list. Comparisons of models need only these."""

    seed_id: tuple[str, ...]
    gold: tuple[Label, ...]
    """Gold label, as in the data set."""
    predicted: tuple[Label, ...]
    """Predicted label of the seed itself."""
    sizes: tuple[tuple[Count, ...], ...]
    """Number of variants that each subsample drew of each seed, [n_subsamples, n_seeds]."""
    correct: tuple[tuple[Count, ...], ...]
    """Number of these variants that the model predicts correctly, [n_subsamples, n_seeds]."""
    variant_predictions: tuple[Annotated[str, Field(pattern="^[0-2-]*$")], ...]
    """Predictions of the seed's variants in the order of split `test`, one character per variant: position of the label
    in `compared_labels`, or `-` if the variant was left out."""

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


@dataclass(frozen=True)
class ModelRecord(_Part):
    """The model that was scored."""

    name: str
    """Hub id, folder name, `demo:NAME`, or the name given to a function."""
    revision: str | None
    """Commit on the Hub."""
    digest: Digest | None
    """sha256 of the model's files or weights; None for a function without a version."""
    architecture: str | None
    """Class of the model; None for a function."""
    parameters: Count | None
    """Number of parameters; None for a function."""
    training_data: tuple[str, ...] | None
    """Data sets that the model was trained on; None if unknown."""
    labels: tuple[Label, ...]
    """Label of each output, in the order of the outputs."""
    label_origin: str
    """Where the labels come from: `config`, `table`, `given`, `inferred` or `function`."""
    config_labels: tuple[str, ...]
    """Label names in the model's own config."""


@dataclass(frozen=True)
class DatasetRecord(_Part):
    """The data set and config that the model was scored on."""

    name: str
    """Hub id or folder name."""
    title: str
    """Title of the data set, from the record of its run."""
    revision: str | None
    """Commit on the Hub; None for a folder."""
    version: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    """Version of the configs in the data set card."""
    digest: str
    """sha256 of the data, from the record of the run that generated it."""
    config: Annotated[str, *_one_of((ALL, *WORD_CLASSES))]
    labels: tuple[Label, ...]
    """The data set's labels in the order of their ids."""


@dataclass(frozen=True)
class RunRecord(_Part):
    """How the predictions were computed."""

    versions: dict[str, str]
    """Version of Python and of each package that the predictions depend on."""
    dtype: str | None
    """Data type of the model, such as `float32`; None for a function."""
    device: str | None
    """Device type, such as `cpu`; None for a function."""
    seconds: Annotated[float, Field(ge=0)]
    """Duration of the predictions on seeds and variants."""


@dataclass(frozen=True)
class LeftOut(_Part):
    """Seeds and variants that are longer than the model's maximum length.

    A seed that is too long is left out with all its variants, so that every score covers the same seeds. A seed with no
    remaining variant is left out too.
    """

    max_length: Count | None
    """Maximum number of tokens of the model; None if unlimited."""
    seeds: Count
    """Number of seeds left out."""
    variants: Count
    """Number of variants left out, including those of the seeds left out."""


@dataclass(frozen=True, kw_only=True)
class Result(_Part):
    """Scores of one model on one config of one data set.

    Accuracies are shares from 0 to 1. SA is sample accuracy. PA(t) is pattern accuracy: the share of seeds of which
    at least the share t of the variants is predicted correctly.
    """

    schema_version: Literal[4]
    """Version of this format."""
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
    """Scores on the variants that each masked LM validated in premise and hypothesis, and their seeds."""
    consistency: dict[Annotated[str, *_one_of(("seed", "majority"))], VariantScores]
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
        numbers = {NOT_SCORED, *map(str, range(len(self.compared_labels)))}
        if not numbers.issuperset("".join(self.seeds.variant_predictions)):
            raise ValueError("variant_predictions has a number that is not in compared_labels")
        if not {*self.seeds.predicted} <= {*self.compared_labels}:
            raise ValueError("predicted has a label that is not in compared_labels")
        if self.source is not None and not {*self.source.labels} <= {*self.dataset.labels}:
            raise ValueError("source has a label that is not in the data set")

    @property
    def title(self) -> str:
        """The model's name, with its dtype unless that is float32."""
        dtype = self.run.dtype
        return self.model.name if dtype in (None, "float32") else f"{self.model.name} ({dtype})"

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

    def _repr_html_(self) -> str:
        """Return the scores as an HTML table for a notebook."""
        return score_table([self]).html()


def _source_columns(scores: SourceAccuracy | None) -> dict[str, float | None]:
    return dict.fromkeys(SOURCE_COLUMNS) if scores is None else {**scores.as_row()}
