"""Read a table of predictions: CSV, JSON lines or Parquet, one row per seed or variant."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, canonical_name, canonical_names
from merge_snli.problems.file_rows import read_file
from merge_snli.problems.rows import LabelNames
from merge_snli.scoring.imports.answers import ImportedAnswers, pairs_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from merge_snli.models.predictor import Pair
    from merge_snli.problems.rows import SourceRow
    from merge_snli.scoring.predictions.scored_data import ScoredData

LABEL, ID, PREMISE, HYPOTHESIS = "label", "id", "premise", "hypothesis"
GUESSED = ("prediction", "predictions", "predicted", "predicted_label", "pred")
"""Columns beside which `label` is probably the gold label."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Columns:
    """How to read the rows of a file.

    Attributes:
        by_id: Whether rows name their pair by id; otherwise by its sentences.
        scores: The column of the score of each label, by label; empty if `label` has the prediction.
    """

    by_id: bool
    scores: dict[str, str]


def read_predictions(paths: Sequence[Path], data: ScoredData, *, model: str) -> ImportedAnswers:
    """Read the predictions of one model.

    A row has `id`, of a seed or a variant, or `premise` and `hypothesis`; and `label`, by name or by its number in the
    data set, or one column of scores per label. An empty label is an answer that cannot be read. Rows on pairs that the
    config does not have are ignored.

    Args:
        paths: Files, read as one.
        data: The whole config.
        model: Name of the model.

    Raises:
        InputError: If a file cannot be read, a row is invalid, two rows with one id differ, or no row is on the config.
    """
    ids = pairs_by_id(data)
    known = {*data.pairs}
    labels: dict[Pair, str | None] = {}
    by_id: dict[str, str | None] = {}
    rows = unknown = differing = 0
    for path in paths:
        for row, columns in _with_columns(read_file(path)):
            rows += 1
            label = _prediction(row, columns, data.label_names)
            pair = ids.get(_text(row, ID)) if columns.by_id else (_text(row, PREMISE), _text(row, HYPOTHESIS))
            if pair is None or pair not in known:
                unknown += 1
                continue
            if columns.by_id and by_id.setdefault(_text(row, ID), label) != label:
                raise InputError(f"{row.location}: {_text(row, ID)!r} has another label in an earlier row: keep one")
            differing += labels.setdefault(pair, label) != label
    source = ", ".join(map(str, paths))
    if not rows:
        raise InputError(f"{source} has no rows: give the predictions of the model")
    if not labels:
        raise InputError(
            f"none of the {rows:,} rows of {source} is on {data.place}: give the data set that the model predicted"
        )
    if unknown:
        logger.warning("%s: ignored %s of %s rows, which are not in %s", source, unknown, rows, data.place)
    if differing:
        logger.warning("%s: %s rows have another label than the first row with their sentences", source, differing)
    return ImportedAnswers(source, model, labels)


def _with_columns(rows: Iterable[SourceRow]) -> Iterable[tuple[SourceRow, _Columns]]:
    """Yield the rows with how to read them, which the columns of the first row decide."""
    columns = None
    for row in rows:
        columns = columns or _columns(row)
        yield row, columns


def _columns(row: SourceRow) -> _Columns:
    names = [str(name) for name in row.values]
    by_id = ID in names
    if not by_id and not {PREMISE, HYPOTHESIS} <= {*names}:
        raise InputError(f"{row.location} has the columns {', '.join(names)}: add id, or premise and hypothesis")
    guessed = next((name for name in names if name in GUESSED), None)
    if LABEL in names:
        if guessed is not None:
            raise InputError(
                f"{row.location} has the columns label and {guessed}: rename the column of the predicted labels to "
                "label, and remove the gold labels"
            )
        return _Columns(by_id, {})
    spelled = {canonical_name(name, two_way=False): name for name in names if name not in (ID, PREMISE, HYPOTHESIS)}
    scores = {label: name for label, name in spelled.items() if label is not None}
    if canonical_names(tuple(scores)) is None:
        raise InputError(f"{row.location} has the columns {', '.join(names)}: add label, or one column per label")
    return _Columns(by_id, scores)


def _text(row: SourceRow, column: str) -> str:
    value = row.values.get(column)
    if value is None or value == "":
        raise InputError(f"{row.location} has no {column}")
    return str(value)


def _prediction(row: SourceRow, columns: _Columns, names: Sequence[str]) -> str | None:
    if columns.scores:
        scores = {label: _score(row, column) for label, column in columns.scores.items()}
        return max(scores, key=scores.__getitem__)
    value = row.values.get(LABEL)
    if value is None or (isinstance(value, float) and math.isnan(value)) or not str(value).strip():
        return None
    text = str(value).strip()
    number = LabelNames(tuple(names), tuple(names)).number(text)
    if number is not None:
        return names[number]
    if canonical_name(text, two_way=False) == NOT_ENTAILMENT:
        return NOT_ENTAILMENT
    raise InputError(
        f"{row.location}: label {text[:80]!r} is not one of {', '.join(names)}, or a number from 0 to "
        f"{len(names) - 1}; leave it empty if the model gave no answer"
    )


def _score(row: SourceRow, column: str) -> float:
    value: Any = row.values.get(column)
    try:
        score = float(value)
    except (TypeError, ValueError):
        score = math.nan
    if math.isnan(score):
        raise InputError(f"{row.location}: {column} is {value!r}, not a number")
    return score
