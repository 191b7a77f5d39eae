"""Build the tables of results: accuracies, pattern accuracy with its interval, and by value of a column."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from merge_snli.answers.data import SCORED
from merge_snli.base.columns import Columns
from merge_snli.base.table import Column, Table, count
from merge_snli.dataset.label_spellings import Labels
from merge_snli.problems.rows import JOIN
from merge_snli.results.grouping import titles_of
from merge_snli.results.records import threshold_text
from merge_snli.results.result import Result
from merge_snli.results.rows import DEFINITIONS, ECE, MODEL, PA, ScoreValues, ends_text, percent
from merge_snli.results.scores import SourceScores
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# The header of the interval that a table has of PA.
INTERVAL = "95% interval"


def score_table(
    results: Sequence[Result],
    failed: Mapping[str, str] | None = None,
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
    thresholds: Collection[float] = (),
    letters: Mapping[str, str | None] | None = None,
) -> Table:
    """Return a table of results with one row per model, in percent.

    With seeds, it has the columns of the paper's Table 3, and one for the source of the data set if a model
    was scored on it. Without, it has the share of each predicted label.

    Args:
        results: Results on one config of one data set; may be empty if all models failed.
        failed: Why a model could not be scored, by name of the model.
        title: Display name of the data set; by default its title and config.
        names: Display names of the models; by default the titles of the results.
        thresholds: Thresholds from 0 to 1 in steps of 0.01 to show PA at, besides the quality threshold.
        letters: The letters of the tests by display name; None for no such column.
    """
    named = list(zip(names or [result.title for result in results], results, strict=True))
    shown = sorted({*thresholds, QUALITY_THRESHOLD})
    columns = _columns(results, shown)
    of_models = letters or {}
    if letters is not None:
        columns.add("Letters", lambda row: of_models.get(row[0]), align="left")
    rows = []
    notes = _explanation(results) if results else []
    for name, result in named:
        at_thresholds = {_at(threshold): result.row.curve.at(threshold) for threshold in shown}
        rows.append((name, ScoreValues(result.row.values | at_thresholds)))
        notes += [f"{name}: {note}" for note in result.notes]
        read = result.answered
        if read is not None:
            notes.append(f"{name}: {read.note(QUALITY_THRESHOLD, result.units)}")
    for name, reason in (failed or {}).items():
        rows.append((name, ScoreValues({})))
        notes.append(f"{name}: not scored: {reason}")
    return columns.table(rows, title=title_with_size(results, title) if results else "", notes=notes)


def part_tables(
    results: Sequence[Result],
    *,
    names: Sequence[str],
    title: str | None = None,
    columns: Sequence[str] | None = None,
) -> list[Table]:
    """Return the scores and predicted labels by value of each column (Luo et al., 2022, Tables 1 to 3).

    Args:
        results: Results on one data set, at least one; those without a column are left out of its table.
        names: Display names of the models.
        title: Display name of the data set; by default its title and config.
        columns: The columns; by default those of `columns_of`.
    """
    heading = title_with_size(results, title)
    named = list(zip(names, results, strict=True))
    return [_part_table(named, column, f"{heading}, by {column}") for column in columns or columns_of(results)]


def _part_table(named: Sequence[tuple[str, Result]], column: str, title: str) -> Table:
    scored = [(name, result) for name, result in named if column in result.rows_by]
    labels = compared_labels_of(result for _, result in scored)
    shares = {"Accuracy": "sample_accuracy", PA: "pattern_accuracy"}
    shares |= {_header(label): f"predicted_{label}" for label in labels}
    columns = [Column(column, "left"), MODEL, Column(f"{scored[0][1].units[1].capitalize()}s")]
    columns += [Column(header, format=".1f") for header in shares]
    rows = []
    for value in values_of([result for _, result in scored], column):
        for name, result in scored:
            row = result.rows_by[column].get(value)
            if row is not None:
                rows.append((value, name, row["rows"], *(percent(row[share]) for share in shares.values())))
    note = f"{', '.join(map(_header, labels))}: share of the pairs with this predicted label."
    return Table(title=title, columns=columns, rows=rows, notes=(note,))


def values_of(results: Iterable[Result], column: str) -> dict[str, None]:
    """Return the values of a column by which any of the results has scores."""
    return dict.fromkeys(chain.from_iterable(result.rows_by.get(column, ()) for result in results))


def columns_of(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the columns by which to show scores; `A+B` only if it splits a value of A and a value of B."""
    found = chain.from_iterable(result.rows_by for result in results)
    numbers = {column: len(values_of(results, column)) for column in dict.fromkeys(found)}
    columns = []
    for column, number in numbers.items():
        singles = [single for single in column.split(JOIN) if single != column]
        if number not in [numbers.get(single) for single in singles]:
            columns.append(column)
    return tuple(columns)


def compared_labels_of(results: Iterable[Result]) -> Labels:
    """Return the labels in which the predictions of any of the results are compared."""
    return tuple(dict.fromkeys(chain.from_iterable(result.compared_labels for result in results)))


def _shown_labels(results: Sequence[Result]) -> Labels:
    """Return the labels whose shares a table shows: none of scored samples, of which they say what accuracy says."""
    labels = compared_labels_of(results)
    return () if labels == SCORED else labels


def has_probabilities(results: Iterable[Result]) -> bool:
    """Return whether the probabilities of the labels are known of any of the results."""
    return any("brier" in result.row.values for result in results)


def size_of(results: Sequence[Result]) -> str:
    """Return the number of groups and rows of results on one data set, in words."""
    first = results[0]
    group, row = first.units
    groups = _range([int(result.row.share("groups")) for result in results], group)
    rows = _range([int(result.row.share("rows")) for result in results], row)
    return f"{groups}, {rows}" if first.has_seeds else f"{rows} in {groups} by {first.dataset.group_column}"


def _range(numbers: Collection[int], unit: str) -> str:
    """Return how many units the models have as text, such as `99 seeds`, or `77 to 99 seeds` if they differ."""
    low = min(numbers)
    high = max(numbers)
    return count(high, unit) if low == high else f"{low:,} to {count(high, unit)}"


def title_with_size(results: Sequence[Result], title: str | None = None) -> str:
    """Return the display name of the data set of results, and the number of its groups and rows."""
    return f"{title or titles_of([results[0].dataset])[0]}: {size_of(results)}"


class _ScoreColumns(Columns[tuple[str, ScoreValues]]):
    """The columns of the names and scores of models."""

    def add_score(self, header: str, name: str, form: str = ".1f", *, interval: str = "") -> None:
        """Add the column of a score in percent, and with a header that of its interval."""
        self.add(header, lambda row: percent(row[1][name]), format=form)
        if interval:
            self.add(interval, lambda row: ends_text(row[1].ends(name)), under=True)


def _columns(results: Sequence[Result], thresholds: Sequence[float]) -> _ScoreColumns:
    columns = _ScoreColumns()
    columns.add("Model", lambda row: row[0], align="left")
    seeds = not results or results[0].has_seeds
    if any(result.source is not None for result in results):
        columns.add_score("Source", "source_accuracy")
    if seeds:
        columns.add_score("Seeds", "seed_accuracy")
        columns.add_score("Variants", "sample_accuracy")
    else:
        columns.add_score("Accuracy", "sample_accuracy", interval=INTERVAL)
    for threshold in thresholds:
        header = f"PA({threshold_text(threshold)})"
        if threshold == QUALITY_THRESHOLD:
            columns.add_score(header, "pattern_accuracy", interval=INTERVAL if seeds else "PA interval")
        else:
            columns.add_score(header, _at(threshold))
    if seeds:
        columns.add_score("QT", "qt", "+.1f")
        columns.add_score("MT", "mt", ".0f")
    else:
        for label in _shown_labels(results):
            columns.add_score(_header(label), f"predicted_{label}")
    if has_probabilities(results):
        columns.add_score(ECE, "calibration_error")
    return columns


def _at(threshold: float) -> str:
    """Return the name of PA at a threshold among the scores of a row."""
    return f"pattern_accuracy_at_{threshold}"


def _header(label: str) -> str:
    return label.capitalize().replace("_", " ")


def _explanation(results: Sequence[Result]) -> list[str]:
    result = results[0]
    group, row = result.units
    passing = (
        f"{PA}: share of {group}s with at least {QUALITY_THRESHOLD:.0%} of their "
        f"{row}s correct, with its interval from a bootstrap over {group}s."
    )
    if result.has_seeds:
        notes = [f"Scores in percent; on variants, mean over {count(result.subsamples or 1, 'subsample')}."]
        sources = {_describe(result.source) for result in results if result.source is not None}
        if sources:
            notes.append(f"Source: sample accuracy on {'; or '.join(sorted(sources))}.")
        notes += ["Seeds, Variants: sample accuracy.", passing]
        notes += [f"{name}: {DEFINITIONS[name]}." for name in ("QT", "MT")]
    else:
        notes = [f"Scores in percent. Accuracy: share of the {row}s that are correct.", passing]
        labels = _shown_labels(results)
        if labels:
            notes.append(f"{', '.join(map(_header, labels))}: share of the {row}s with this predicted label.")
    if has_probabilities(results):
        notes.append(
            f"{ECE}: expected calibration error on {row}s, with the probability of the predicted label as confidence."
        )
    if not result.has_seeds and result.dataset.without_label:
        notes.append(f"{count(result.dataset.without_label, 'row')} without a gold label left out.")
    return notes


def _describe(source: SourceScores) -> str:
    return f"{source.name}, {source.problems:,} problems with a gold label [{source.digest[:8]}]"
