"""Build the tables of results on pairs in groups: accuracies, and the share of each predicted label."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.table import Column, Table
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
from scoring.predictions.grouped import JOIN
from scoring.results.score_table import MODEL, ends_text, pa_cells, pa_columns, percent, with_quality_threshold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from merge_snli.table import Cell
    from scoring.results.grouped_result import GroupedResult, GroupScores
    from scoring.results.records import GroupedDatasetRecord

PA = f"PA({QUALITY_THRESHOLD})"
ACCURACY_COLUMNS = (Column("Accuracy", format=".1f"), Column("95% interval"))
BY_COLUMNS = (Column("Pairs"), Column("Accuracy", format=".1f"), Column(PA, format=".1f"))


def grouped_table(
    results: Sequence[GroupedResult],
    failed: Mapping[str, str] | None = None,
    *,
    names: Sequence[str] | None = None,
    thresholds: Collection[float] = (),
) -> Table:
    """Return a table with one row per model, in percent.

    Args:
        results: Results on one data set; may be empty if all models failed.
        failed: Why a model could not be scored, by name of the model.
        names: Display names of the models; by default the titles of the results.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 to show PA at, besides the quality threshold.
    """
    shown = with_quality_threshold(thresholds)
    failed = failed or {}
    named = list(zip(_names(results, names), results, strict=True))
    labels = compared_labels_of(results)
    columns = (MODEL, *ACCURACY_COLUMNS, *pa_columns(shown, "its interval"), *_label_columns(labels))
    rows = [(name, *_accuracies(result, shown), *_shares(result.scores, labels)) for name, result in named]
    return Table(
        title=_title(results[0]) if results else "",
        columns=columns,
        rows=(*rows, *((name, *[None] * (len(columns) - 1)) for name in failed)),
        notes=(
            *(_explanation(results) if results else ()),
            *(f"{name}: {note}" for name, result in named for note in result.notes),
            *(f"{name}: not scored: {reason}" for name, reason in failed.items()),
        ),
    )


def shares_table(results: Sequence[GroupedResult], column: str, *, names: Sequence[str] | None = None) -> Table:
    """Return the scores and the predicted labels by value of a column: Tables 1 to 3 of Luo et al. (2022) as numbers.

    Args:
        results: Results on one data set, at least one; those without the column are left out.
        column: A key of `GroupedResult.by`.
        names: Display names of the models; by default the titles of the results.
    """
    named = [each for each in zip(_names(results, names), results, strict=True) if column in each[1].by]
    labels = compared_labels_of([result for _, result in named])
    values = dict.fromkeys(value for _, result in named for value in result.by[column])
    return Table(
        title=f"{_title(results[0])}, by {column}",
        columns=(Column(column, "left"), MODEL, *BY_COLUMNS, *_label_columns(labels)),
        rows=tuple(
            (value, name, *_by_cells(result.by[column][value]), *_shares(result.by[column][value], labels))
            for value in values
            for name, result in named
            if value in result.by[column]
        ),
        notes=(f"{', '.join(_headers(labels))}: share of the pairs with this predicted label.",),
    )


def columns_of(results: Sequence[GroupedResult]) -> tuple[str, ...]:
    """Return the columns by which to show scores; `A+B` only if it splits a value of A and a value of B."""
    values = {
        column: {value for result in results for value in result.by.get(column, {})}
        for column in dict.fromkeys(column for result in results for column in result.by)
    }
    return tuple(
        column
        for column, found in values.items()
        if not any(part != column and len(values.get(part, ())) == len(found) for part in column.split(JOIN))
    )


def compared_labels_of(results: Iterable[GroupedResult]) -> tuple[str, ...]:
    """Return the labels in which the predictions of any of the results are compared."""
    return tuple(dict.fromkeys(label for result in results for label in result.compared_labels))


def grouped_titles(datasets: Sequence[GroupedDatasetRecord]) -> list[str]:
    """Return the display names of data sets: title and config, with the digest if that is not unique."""
    names = [data.title if data.config is None else f"{data.title}, {data.config}" for data in datasets]
    different = Counter(name for name, _ in {(name, data.digest) for name, data in zip(names, datasets, strict=True)})
    return [
        name if different[name] == 1 else f"{name} [{data.digest[:8]}]"
        for name, data in zip(names, datasets, strict=True)
    ]


def facts_of(result: GroupedResult) -> str:
    """Return the number of pairs and groups, and the column of the groups."""
    return f"{result.scores.pairs:,} pairs in {result.scores.groups:,} groups by {result.dataset.group_column}"


def _names(results: Sequence[GroupedResult], names: Sequence[str] | None) -> Sequence[str]:
    return [result.title for result in results] if names is None else names


def _title(result: GroupedResult) -> str:
    [name] = grouped_titles([result.dataset])
    return f"{name}: {facts_of(result)}"


def _label_columns(labels: Iterable[str]) -> list[Column]:
    return [Column(header, format=".1f") for header in _headers(labels)]


def _headers(labels: Iterable[str]) -> list[str]:
    return [label.capitalize().replace("_", " ") for label in labels]


def _accuracies(result: GroupedResult, thresholds: Sequence[float]) -> tuple[Cell, ...]:
    scores, intervals = result.scores, result.intervals
    return (
        percent(scores.sample_accuracy),
        ends_text(intervals.sample_accuracy),
        *pa_cells(scores.pattern_accuracy, intervals.pattern_accuracy, scores.curve, thresholds),
    )


def _by_cells(scores: GroupScores) -> tuple[Cell, ...]:
    return scores.pairs, percent(scores.sample_accuracy), percent(scores.pattern_accuracy)


def _shares(scores: GroupScores, labels: Iterable[str]) -> tuple[Cell, ...]:
    """Return the share of each predicted label; none for a label that the model's result does not compare."""
    known = next(iter(scores.predicted.values()))
    return tuple(percent(scores.predicted_share(label)) if label in known else None for label in labels)


def _explanation(results: Sequence[GroupedResult]) -> tuple[str, ...]:
    result = results[0]
    labels = ", ".join(_headers(compared_labels_of(results)))
    without = result.dataset.without_label
    return (
        f"Scores in percent. Accuracy: share of the pairs predicted correctly. {PA}: share of the groups with at least "
        f"{result.quality_threshold:.0%} of their pairs correct. Intervals: bootstrap over groups.",
        f"{labels}: share of the pairs with this predicted label.",
        *([f"{without:,} rows without a gold label are left out."] if without else []),
    )
