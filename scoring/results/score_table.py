"""Build the table of results: the columns of the paper's Table 3, and pattern accuracy with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.table import Column, Table
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
from scoring.results.fields import threshold_text
from scoring.results.grouping import titles_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from scoring.results.fields import Ends
    from scoring.results.result import Result
    from scoring.results.scores import Curve, SourceScores

MODEL = Column("Model", "left")
SOURCE = Column("Source", format=".1f")
ACCURACIES = (Column("Seeds", format=".1f"), Column("Variants", format=".1f"))
DIFFERENCES = (Column("QT", format="+.1f"), Column("MT", format=".0f"))


def score_table(
    results: Sequence[Result],
    failed: Mapping[str, str] | None = None,
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
    thresholds: Collection[float] = (),
) -> Table:
    """Return a table of results, in percent.

    It has a column for the source of the data set if a model was scored on it.

    Args:
        results: Results on one config of one data set; may be empty if all models failed.
        failed: Why a model could not be scored, by name of the model.
        title: Display name of the data set; by default its name and config.
        names: Display names of the models; by default the titles of the results.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 to show PA at, besides the quality threshold.
    """
    shown = with_quality_threshold(thresholds)
    names = [result.title for result in results] if names is None else names
    failed = failed or {}
    named = list(zip(names, results, strict=True))
    with_source = any(result.source is not None for result in results)
    columns = (MODEL, *([SOURCE] if with_source else []), *ACCURACIES, *pa_columns(shown), *DIFFERENCES)
    rows = [(name, *([_on_source(result)] if with_source else []), *_scores(result, shown)) for name, result in named]
    return Table(
        title=_title(results, title) if results else "",
        columns=columns,
        rows=(*rows, *((name, *[None] * (len(columns) - 1)) for name in failed)),
        notes=(
            *(_explanation(results) if results else ()),
            *_source_notes(named),
            *(f"{name}: {note}" for name, result in named for note in result.notes),
            *(f"{name}: not scored: {reason}" for name, reason in failed.items()),
        ),
    )


def with_quality_threshold(thresholds: Collection[float]) -> list[float]:
    """Return thresholds and the quality threshold in ascending order."""
    return sorted({*thresholds, QUALITY_THRESHOLD})


def pa_columns(thresholds: Sequence[float], interval: str = "95% interval") -> list[Column]:
    """Return a column for PA at each threshold, and one for its interval after the quality threshold."""
    return [
        column
        for threshold in thresholds
        for column in (
            Column(f"PA({threshold_text(threshold)})", format=".1f"),
            *([Column(interval)] if threshold == QUALITY_THRESHOLD else []),
        )
    ]


def pa_cells(
    accuracy: float | None, interval: Ends | None, curve: Curve, thresholds: Sequence[float]
) -> Iterator[float | str | None]:
    """Yield the cells of `pa_columns`.

    Args:
        accuracy: PA at the quality threshold.
        interval: Its interval, if there is one.
        curve: PA at every threshold.
        thresholds: The thresholds.
    """
    for threshold in thresholds:
        if threshold == QUALITY_THRESHOLD:
            yield from (percent(accuracy), None if interval is None else ends_text(interval))
        else:
            yield percent(curve.at(threshold))


def ends_text(ends: Ends) -> str:
    """Return the ends of an interval in percent."""
    return " to ".join(f"{100 * end:.1f}" for end in ends)


def _title(results: Sequence[Result], dataset: str | None) -> str:
    name = dataset or titles_of([results[0].dataset])[0]
    seeds = {result.scores.seeds for result in results}
    variants = {result.scores.on_variants.variants for result in results}
    return f"{name}: {_range(seeds)} seeds, {_range(variants)} variants"


def _range(numbers: Collection[int]) -> str:
    """Return the numbers that the models have as text, such as `99`, or `77 to 99` if they differ."""
    low, high = min(numbers), max(numbers)
    return f"{high:,}" if low == high else f"{low:,} to {high:,}"


def _explanation(results: Sequence[Result]) -> tuple[str, ...]:
    result = results[0]
    n_subsamples = len(result.scores.on_variants.sample_accuracy.each)
    return (
        f"Scores in percent; on variants, mean over {n_subsamples} subsamples.",
        *_explanation_of_source(results),
        "Seeds, Variants: sample accuracy.",
        f"PA({result.quality_threshold}): share of seeds with at least {result.quality_threshold:.0%} of their "
        "variants correct, with its interval from a bootstrap over seeds.",
        f"QT, quality threshold: PA({result.quality_threshold}) minus sample accuracy on seeds.",
        "MT, matching threshold: where pattern accuracy on variants is closest to sample accuracy on seeds.",
    )


def _explanation_of_source(results: Sequence[Result]) -> tuple[str, ...]:
    described = {_describe(result.source) for result in results if result.source is not None}
    if not described:
        return ()
    of = described.pop() if len(described) == 1 else "the source of the data set, which differs between models"
    return (f"Source: sample accuracy on {of}.",)


def _source_notes(named: Sequence[tuple[str, Result]]) -> tuple[str, ...]:
    """Return one note per model if the models were scored on different sources."""
    notes = {name: _describe(result.source) for name, result in named if result.source is not None}
    return tuple(f"{name}: source is {of}" for name, of in notes.items()) if len({*notes.values()}) > 1 else ()


def _describe(source: SourceScores) -> str:
    return f"{source.name}, {source.problems:,} problems with a gold label [{source.digest[:8]}]"


def _on_source(result: Result) -> float | None:
    return None if result.source is None else percent(result.source.overall.sample_accuracy)


def _scores(result: Result, thresholds: Sequence[float]) -> tuple[float | str | None, ...]:
    scores = result.scores
    on_variants, intervals = scores.on_variants, scores.intervals
    ends = None if intervals is None else intervals.pattern_accuracy
    return (
        percent(scores.seed_sample_accuracy),
        percent(on_variants.sample_accuracy.mean),
        *pa_cells(on_variants.pattern_accuracy.mean, ends, on_variants.curve, thresholds),
        percent(scores.qt),
        percent(scores.mt),
    )


def percent(share: float | None) -> float | None:
    """Return a share in percent, rounded for a table; never -0.0."""
    return None if share is None else round(100 * share, 1) + 0.0
