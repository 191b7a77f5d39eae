"""Build the tables of results: accuracies, pattern accuracy with its interval, and by value of a column."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from merge_snli.base.table import Cell, Column, Table, count
from merge_snli.scoring.results.grouping import titles_of
from merge_snli.scoring.results.records import Ends, threshold_text
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.results.scores import Intervals, Scores, SourceScores
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

MODEL = Column("Model", "left")
PA = f"PA({QUALITY_THRESHOLD})"
ECE = "ECE"
# Joins the names of two columns in `Result.parts`.
JOIN = "+"


ScoreColumn = tuple[Column, Callable[["Result"], "Cell"]]
"""A column of the table, and a function that returns the cell of a result in it."""


def score_table(
    results: Sequence[Result],
    failed: Mapping[str, str] | None = None,
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
    thresholds: Collection[float] = (),
) -> Table:
    """Return a table of results with one row per model, in percent.

    With anchors (seeds), it has the columns of the paper's Table 3, and one for the source of the data set if a model
    was scored on it. Without, it has the share of each predicted label.

    Args:
        results: Results on one config of one data set; may be empty if all models failed.
        failed: Why a model could not be scored, by name of the model.
        title: Display name of the data set; by default its title and config.
        names: Display names of the models; by default the titles of the results.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 to show PA at, besides the quality threshold.
    """
    names = [result.title for result in results] if names is None else names
    failed = failed or {}
    named = list(zip(names, results, strict=True))
    columns = _columns(results, sorted({*thresholds, QUALITY_THRESHOLD}))
    return Table(
        title=title_with_size(results, title) if results else "",
        columns=(MODEL, *(column for column, _ in columns)),
        rows=(
            *((name, *(cell(result) for _, cell in columns)) for name, result in named),
            *((name, *[None] * len(columns)) for name in failed),
        ),
        notes=(
            *(_explanation(results) if results else ()),
            *_source_notes(named),
            *(f"{name}: {note}" for name, result in named for note in result.notes),
            *(f"{name}: not scored: {reason}" for name, reason in failed.items()),
        ),
    )


def part_tables(
    results: Sequence[Result],
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> list[Table]:
    """Return the scores and predicted labels by value of each column (Luo et al., 2022, Tables 1 to 3).

    Args:
        results: Results on one data set, at least one; those without a column are left out of its table.
        title: Display name of the data set; by default its title and config.
        names: Display names of the models; by default the titles of the results.
        columns: The columns; by default those of `columns_of`.
    """
    heading = title_with_size(results, title)
    named = list(zip([result.title for result in results] if names is None else names, results, strict=True))
    return [_part_table(named, column, f"{heading}, by {column}") for column in columns or columns_of(results)]


def _part_table(named: Sequence[tuple[str, Result]], column: str, title: str) -> Table:
    scored = [(name, result) for name, result in named if column in result.parts]
    labels = compared_labels_of([result for _, result in scored])
    values = dict.fromkeys(value for _, result in scored for value in result.parts[column])
    rows = scored[0][1].units[1].capitalize()
    return Table(
        title=title,
        columns=(
            Column(column, "left"),
            MODEL,
            Column(f"{rows}s"),
            Column("Accuracy", format=".1f"),
            Column(PA, format=".1f"),
            *(Column(_header(label), format=".1f") for label in labels),
        ),
        rows=tuple(
            (
                value,
                name,
                scores.rows // result.n_prompts,
                percent(scores.sample_accuracy.mean),
                percent(scores.pattern_accuracy.mean),
                *(_share(scores, label) for label in labels),
            )
            for value in values
            for name, result in scored
            if (scores := result.parts[column].get(value)) is not None
        ),
        notes=(f"{', '.join(map(_header, labels))}: share of the pairs with this predicted label.",),
    )


def columns_of(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the columns by which to show scores; `A+B` only if it splits a value of A and a value of B."""
    values = {
        column: {value for result in results for value in result.parts.get(column, {})}
        for column in dict.fromkeys(column for result in results for column in result.parts)
    }
    return tuple(
        column
        for column, found in values.items()
        if not any(part != column and len(values.get(part, ())) == len(found) for part in column.split(JOIN))
    )


def compared_labels_of(results: Iterable[Result]) -> tuple[str, ...]:
    """Return the labels in which the predictions of any of the results are compared."""
    return tuple(dict.fromkeys(label for result in results for label in result.compared_labels))


def has_probabilities(results: Iterable[Result]) -> bool:
    """Return whether the probabilities of the labels are known of any of the results."""
    return any(result.calibration is not None for result in results)


def size_of(results: Sequence[Result]) -> str:
    """Return the number of groups and rows of results on one data set, in words."""
    group, row = results[0].units
    groups = _range([result.scores.groups for result in results], group)
    rows = _range([result.scores.rows // result.n_prompts for result in results], row)
    by = results[0].dataset.group_column
    return f"{groups}, {rows}" if results[0].has_anchors else f"{rows} in {groups} by {by}"


def _range(numbers: Collection[int], unit: str) -> str:
    """Return how many units the models have as text, such as `99 seeds`, or `77 to 99 seeds` if they differ."""
    low, high = min(numbers), max(numbers)
    return count(high, unit) if low == high else f"{low:,} to {count(high, unit)}"


def title_with_size(results: Sequence[Result], title: str | None = None) -> str:
    """Return the display name of the data set of results, and the number of its groups and rows."""
    return f"{title or titles_of([results[0].dataset])[0]}: {size_of(results)}"


def percent(share: float | None) -> float | None:
    """Return a share in percent, rounded for a table; never -0.0."""
    return None if share is None else round(100 * share, 1) + 0.0


def ends_text(low: float, high: float, sign: str = "") -> str:
    """Return the ends of an interval of shares in percent; never -0.0."""
    return " to ".join(f"{round(100 * end, 1) + 0.0:{sign}.1f}" for end in (low, high))


def _columns(results: Sequence[Result], thresholds: Sequence[float]) -> list[ScoreColumn]:
    anchors = not results or results[0].has_anchors
    pa = [column for threshold in thresholds for column in _pa_columns(threshold, anchors=anchors)]
    calibration = [_shares(ECE, _calibration_error)] if has_probabilities(results) else []
    if anchors:
        return [
            *([_shares("Source", _on_source)] if any(result.source is not None for result in results) else []),
            _shares("Seeds", lambda result: result.scores.anchor_accuracy),
            _shares("Variants", lambda result: result.scores.sample_accuracy.mean),
            *pa,
            _shares("QT", lambda result: result.qt, "+.1f"),
            _shares("MT", lambda result: result.mt, ".0f"),
            *calibration,
        ]
    return [
        _shares("Accuracy", lambda result: result.scores.sample_accuracy.mean),
        _ends("95% interval", lambda intervals: intervals.sample_accuracy),
        *pa,
        *(_label_column(label) for label in compared_labels_of(results)),
        *calibration,
    ]


def _calibration_error(result: Result) -> float | None:
    return None if result.calibration is None else result.calibration.calibration_error


def _pa_columns(threshold: float, *, anchors: bool) -> list[ScoreColumn]:
    """Return the column of PA at a threshold, and that of its interval after the quality threshold."""
    column = _shares(f"PA({threshold_text(threshold)})", lambda result: result.scores.curve.at(threshold))
    if threshold != QUALITY_THRESHOLD:
        return [column]
    name = "95% interval" if anchors else "PA interval"
    return [column, _ends(name, lambda intervals: intervals.pattern_accuracy)]


def _shares(name: str, share: Callable[[Result], float | None], format_: str = ".1f") -> ScoreColumn:
    return Column(name, format=format_), lambda result: percent(share(result))


def _ends(name: str, ends: Callable[[Intervals], Ends]) -> ScoreColumn:
    def cell(result: Result) -> str | None:
        intervals = result.scores.intervals
        return None if intervals is None else ends_text(*ends(intervals))

    return Column(name), cell


def _label_column(label: str) -> ScoreColumn:
    return Column(_header(label), format=".1f"), lambda result: _share(result.scores, label)


def _share(scores: Scores, label: str) -> float | None:
    """Return the share of a predicted label; None for a label that the model's result does not compare."""
    compared = next(iter(scores.predicted.values()), {})
    return percent(scores.predicted_share(label)) if label in compared else None


def _header(label: str) -> str:
    return label.capitalize().replace("_", " ")


def _explanation(results: Sequence[Result]) -> tuple[str, ...]:
    result = results[0]
    group, row = result.units
    passing = (
        f"PA({result.quality_threshold}): share of {group}s with at least {result.quality_threshold:.0%} of their "
        f"{row}s correct, with its interval from a bootstrap over {group}s."
    )
    explained = (
        f"{ECE}: expected calibration error on {row}s, with the probability of the predicted label as confidence."
    )
    calibration = [explained] if has_probabilities(results) else []
    if result.has_anchors:
        return (
            f"Scores in percent; on variants, mean over {count((result.draws or 1) // result.n_prompts, 'subsample')}.",
            *_explanation_of_source(results),
            "Seeds, Variants: sample accuracy.",
            passing,
            f"QT, quality threshold: PA({result.quality_threshold}) minus sample accuracy on seeds.",
            "MT, matching threshold: where pattern accuracy on variants is closest to sample accuracy on seeds.",
            *calibration,
        )
    without = result.dataset.without_label
    return (
        "Scores in percent. Accuracy: share of the pairs predicted correctly.",
        passing,
        f"{', '.join(map(_header, compared_labels_of(results)))}: share of the pairs with this predicted label.",
        *calibration,
        *([f"{count(without, 'row')} without a gold label left out."] if without else []),
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
    return None if result.source is None else result.source.overall.sample_accuracy
