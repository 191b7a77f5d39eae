"""Build the table of results: the columns of the paper's Table 3, and pattern accuracy with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.table import Column, Table
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
from scoring.results.grouping import titles_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.results.result import Result
    from scoring.results.scores import SourceScores

MODEL = Column("Model", "left")
SOURCE = Column("Source", format=".1f")
COLUMNS = (
    Column("Seeds", format=".1f"),
    Column("Variants", format=".1f"),
    Column(f"PA({QUALITY_THRESHOLD})", format=".1f"),
    Column("95% interval"),
    Column("QT", format="+.1f"),
    Column("MT", format=".0f"),
)


def score_table(
    results: Sequence[Result],
    failed: Mapping[str, str] | None = None,
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
) -> Table:
    """Return a table of results, in percent.

    It has a column for the source of the data set if a model was scored on it.

    Args:
        results: Results on one config of one data set; may be empty if all models failed.
        failed: Why a model could not be scored, by name of the model.
        title: Display name of the data set; by default its name and config.
        names: Display names of the models; by default the titles of the results.
    """
    names = [result.title for result in results] if names is None else names
    failed = failed or {}
    named = list(zip(names, results, strict=True))
    with_source = any(result.source is not None for result in results)
    columns = (MODEL, *([SOURCE] if with_source else []), *COLUMNS)
    rows = [(name, *([_on_source(result)] if with_source else []), *_scores(result)) for name, result in named]
    return Table(
        title=_title(results[0], title) if results else "",
        columns=columns,
        rows=(*rows, *((name, *[None] * (len(columns) - 1)) for name in failed)),
        notes=(
            *(_explanation(results) if results else ()),
            *_source_notes(named),
            *(f"{name}: {note}" for name, result in named for note in result.notes),
            *(f"{name}: not scored: {reason}" for name, reason in failed.items()),
        ),
    )


def _title(result: Result, dataset: str | None) -> str:
    scores = result.scores
    name = dataset or titles_of([result.dataset])[0]
    return f"{name}: {scores.seeds:,} seeds, {scores.on_variants.variants:,} variants"


def _explanation(results: Sequence[Result]) -> tuple[str, ...]:
    result = results[0]
    n_subsamples = len(result.scores.on_variants.sample_accuracy.each)
    return (
        f"Scores in percent; on variants, mean over {n_subsamples} subsamples.",
        *_explanation_of_source(results),
        "Seeds, Variants: sample accuracy.",
        f"PA({result.quality_threshold}): share of seeds with at least {result.quality_threshold:.0%} of their "
        "variants correct, with its interval from a bootstrap over seeds.",
        f"QT: PA({result.quality_threshold}) minus sample accuracy on seeds.",
        "MT: threshold at which pattern accuracy on variants is nearest to sample accuracy on seeds.",
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


def _scores(result: Result) -> tuple[float | str | None, ...]:
    scores = result.scores
    on_variants, intervals = scores.on_variants, scores.intervals
    return (
        percent(scores.seed_sample_accuracy),
        percent(on_variants.sample_accuracy.mean),
        percent(on_variants.pattern_accuracy.mean),
        None if intervals is None else " to ".join(f"{100 * end:.1f}" for end in intervals.pattern_accuracy),
        percent(scores.qt),
        percent(scores.mt),
    )


def percent(share: float | None) -> float | None:
    """Return a share in percent, rounded for a table; never -0.0."""
    return None if share is None else round(100 * share, 1) + 0.0
