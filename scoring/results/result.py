"""What a score says, as values; thresholds are floats here and decimal strings in the files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Spread:
    """A number for each subsample (None where it has no row), with mean and sample standard deviation (n - 1)."""

    mean: float | None
    std: float | None
    each: tuple[float | None, ...]


@dataclass(frozen=True)
class Curve:
    """PA at the thresholds 0, 0.01, … 1.

    Attributes:
        mean: PA at each threshold, the mean over the subsamples that have a row; None where none has.
        passing: Number of seeds that pass each threshold, [n_subsamples][n_thresholds].
        seeds: Number of seeds that each subsample drew a variant of, [n_subsamples].
    """

    mean: tuple[float | None, ...]
    passing: tuple[tuple[int, ...], ...]
    seeds: tuple[int, ...]

    @property
    def each(self) -> tuple[tuple[float | None, ...], ...]:
        """PA of each subsample at each threshold, None where it has no row."""
        return tuple(
            tuple(passing / seeds if seeds else None for passing in row)
            for row, seeds in zip(self.passing, self.seeds, strict=True)
        )


@dataclass(frozen=True)
class Intervals:
    """Confidence intervals of `Scores`, low and high, by a bootstrap that resamples seeds with all their variants.

    Attributes:
        level: Share of repetitions in which such an interval holds the true value.
        method: How they were made.
        resamples: How often the seeds were drawn with replacement.
        random_seed: Of these draws.
        seed_sample_accuracy: Of SA on seeds.
        sample_accuracy: Of SA on variants, over all subsamples.
        pattern_accuracy: Of PA at the quality threshold.
        qt: Of QT.
    """

    level: float
    method: str
    resamples: int
    random_seed: int
    seed_sample_accuracy: tuple[float, ...]
    sample_accuracy: tuple[float, ...]
    pattern_accuracy: tuple[float, ...]
    qt: tuple[float, ...]


@dataclass(frozen=True)
class VariantScores:
    """What is measured on variants, against the gold label or against the model's own answers.

    Attributes:
        variants: Number of variants of the whole split `test`.
        sample_accuracy: SA by subsample.
        test_sample_accuracy: SA on the whole split `test`.
        pattern_accuracy: PA at the quality threshold, by subsample.
        curve: PA at every threshold.
    """

    variants: int
    sample_accuracy: Spread
    test_sample_accuracy: float
    pattern_accuracy: Spread
    curve: Curve


@dataclass(frozen=True)
class Scores:
    """The columns of the paper's Table 3 for some seeds and their variants.

    Attributes:
        seeds: Number of seeds.
        seed_sample_accuracy: SA on the seeds.
        on_variants: What is measured on their variants, against the gold label.
        qt: PA(0.9) on variants minus SA on seeds, negative where the model drops; None where no subsample has a row.
        mt: The threshold whose PA on the mean curve is nearest to SA on seeds, the higher one of equals.
        intervals: How sure the numbers are; None where too few seeds have a variant in a subsample.
    """

    seeds: int
    seed_sample_accuracy: float
    on_variants: VariantScores
    qt: float | None
    mt: float | None
    intervals: Intervals | None


@dataclass(frozen=True)
class SeedTable:
    """What every seed's answers were: all that a comparison of models needs. One entry a seed in each.

    Attributes:
        seed_id: The seeds that were scored.
        gold: Gold label, as the data set has it.
        predicted: The model's answer on the seed itself.
        sizes: Number of variants that each subsample drew of each seed, [n_subsamples][n_seeds].
        correct: How many of them have the gold label, [n_subsamples][n_seeds].
        answers: The model's answer on each of its variants, in the order of the config's split `test`: a character a
            variant, the position of the label among those compared, or `-` where the variant was left out.
    """

    seed_id: tuple[str, ...]
    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    correct: tuple[tuple[int, ...], ...]
    answers: tuple[str, ...]


@dataclass(frozen=True)
class ModelRecord:
    """Who was scored: see `scoring.models.scored_model.ScoredModel` and `scoring.models.labels.ModelLabels`.

    `training_data` names the data sets that it was trained on, None where nobody says.
    """

    name: str
    revision: str | None
    digest: str | None
    architecture: str | None
    parameters: int | None
    training_data: tuple[str, ...] | None
    labels: tuple[str, ...]
    labels_found: str
    own_labels: tuple[str, ...]


@dataclass(frozen=True)
class DatasetRecord:
    """What it was scored on: name, commit, version, digest of the data, config, the labels' names in their order."""

    name: str
    revision: str | None
    version: str
    digest: str
    config: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class RunRecord:
    """With what: versions, dtype and type of device that the predictions were made with, and the seconds they took."""

    versions: dict[str, str]
    dtype: str | None
    device: str | None
    seconds: float


@dataclass(frozen=True)
class LeftOut:
    """What the model could not take, for it is longer than `limit` tokens.

    A seed whose own pair is too long is left out with all its variants, so that every number is taken on the same
    seeds; so is a seed of which no variant is left. A variant that is too long is left out alone.

    Attributes:
        limit: The most tokens that the model takes, or None where it has no limit.
        seeds: Number of seeds left out.
        variants: Number of variants left out, with those of the seeds left out.
    """

    limit: int | None
    seeds: int
    variants: int


@dataclass(frozen=True)
class Result:
    """What one model scored on one config of one data set.

    Attributes:
        model: Who.
        dataset: On what.
        run: With what.
        compared: The labels in which answers and gold labels were compared.
        left_out: What was not scored.
        notes: Sentences that a reader of the numbers must know.
        quality_threshold: The threshold that QT is taken at.
        thresholds: The thresholds of the curves.
        scores: All variants and their seeds.
        classes: The variants of each word class, and their seeds.
        labels: The seeds of each gold label, and their variants.
        masked_lms: The variants that each masked LM validated in premise and hypothesis, and their seeds.
        consistency: `seed` and `majority`: the answers on variants against the model's own answer on the seed, and
            against its most frequent answer among the seed's variants of the subsample.
        seeds: Every seed's counts.
    """

    model: ModelRecord
    dataset: DatasetRecord
    run: RunRecord
    compared: tuple[str, ...]
    left_out: LeftOut
    notes: tuple[str, ...]
    quality_threshold: float
    thresholds: tuple[float, ...]
    scores: Scores
    classes: dict[str, Scores]
    labels: dict[str, Scores]
    masked_lms: dict[str, Scores]
    consistency: dict[str, VariantScores]
    seeds: SeedTable

    @property
    def title(self) -> str:
        """The model's name, with the type of its numbers where that is not float32."""
        dtype = self.run.dtype
        return self.model.name if dtype in (None, "float32") else f"{self.model.name} ({dtype})"

    def _repr_html_(self) -> str:
        """Show the result in a notebook as the row of a table."""
        from scoring.reports.score_table import html_table

        return html_table([self])


def on_same_data(results: Iterable[Result]) -> list[list[Result]]:
    """Put results on the same data and config together, in the order of their first."""
    together: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        together.setdefault((result.dataset.digest, result.dataset.config), []).append(result)
    return list(together.values())


def names_of(results: Sequence[Result]) -> list[str]:
    """Return what results are called beside one another: their titles, with the digest where two have the same."""
    titles = Counter(result.title for result in results)
    return [
        result.title if titles[result.title] == 1 else f"{result.title} [{(result.model.digest or 'function')[:8]}]"
        for result in results
    ]


def titles_of(datasets: Sequence[DatasetRecord]) -> list[str]:
    """Return what data sets are called beside one another: name and config, with the digest where two share a name."""
    named = Counter(name for name, _ in {(data.name, data.digest) for data in datasets})
    return [
        f"{data.name}{'' if named[data.name] == 1 else f' [{data.digest[:8]}]'}, config {data.config}"
        for data in datasets
    ]
