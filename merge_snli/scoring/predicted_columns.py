"""The columns of a table of predictions: one of labels, or one of scores per label."""

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_names import LabelNames, names_in_order
from merge_snli.dataset.label_spellings import (
    NOT_ENTAILMENT,
    are_nli,
    canonical_name,
    canonical_names,
    spelling,
    whole_number,
)
from merge_snli.problems.rows import Rows, SourceRow, are_numbers, value_text

LABEL, ID, PREMISE, HYPOTHESIS = "label", "id", "premise", "hypothesis"

# Columns beside which `label` is probably the gold label.
GUESSED = ("prediction", "predictions", "predicted", "predicted_label", "pred")

SHOWN_CHARACTERS = 80  # of a text in a message


def score_columns(row: SourceRow, labels: Sequence[str]) -> dict[str, str]:
    """Return the column of the score of each label in a file, by label; none if `label` has the prediction.

    Args:
        row: The first row of the file.
        labels: The labels of the data.
    """
    names = [str(name) for name in row.values]
    if ID not in names and not {PREMISE, HYPOTHESIS} <= {*names}:
        raise InputError(f"{row.location} has the columns {', '.join(names)}: add id, or premise and hypothesis")
    if LABEL in names:
        for name in names:
            if name in GUESSED:
                raise InputError(
                    f"{row.location} has the columns label and {name}: rename the column of the predicted labels to "
                    "label, and remove the gold labels"
                )
        return {}
    if not are_nli(labels) and {*labels} <= {*names}:
        return dict(zip(labels, labels, strict=True))
    scores = _nli_columns([name for name in names if name not in (ID, PREMISE, HYPOTHESIS)], row.location)
    if not are_nli(labels) or canonical_names(tuple(scores)) is None:
        raise InputError(f"{row.location} has the columns {', '.join(names)}: add label, or one column per label")
    return scores


def _nli_columns(names: Sequence[str], location: str) -> dict[str, str]:
    """Return the column of each NLI label: one with its name, else the only one with another usual spelling."""
    columns: dict[str, str] = {}
    for name in names:
        label = canonical_name(name, two_way=False)
        if label is None or spelling(columns.get(label, "")) == label:
            continue
        if label in columns and spelling(name) != label:
            raise InputError(f"{location} has the columns {columns[label]} and {name} for {label}: keep one")
        columns[label] = name
    return columns


def written_names(file: Rows, path: Path, names: Sequence[str]) -> LabelNames:
    """Return what the column of predicted labels means.

    Args:
        file: The rows of the file.
        path: The file, for messages.
        names: The labels of the data.
    """
    classes = file.label_names.get(LABEL)
    if classes is not None:
        return _names_of_classes(classes, path, names)
    numeric = are_numbers([file], LABEL)
    if numeric and not file.has_types and any(whole_number(name) is not None for name in names):
        raise InputError(
            f"{path}: column {LABEL} has whole numbers, and the labels of the data are named {', '.join(names)}: write "
            "JSON lines, in which a text is a name and a number a position"
        )
    return names_in_order(names, are_numbers=numeric)


def _names_of_classes(classes: Sequence[str], path: Path, names: Sequence[str]) -> LabelNames:
    """Return what the numbers of a ClassLabel mean, which are the positions of its own names."""
    of_numbers = {}
    for number, name in enumerate(classes):
        label = _named(name, names_in_order(names))
        if not label:
            raise InputError(
                f"{path}: class {number} of column {LABEL} is named {name!r}, which is not one of {', '.join(names)}: "
                "write the names of labels"
            )
        of_numbers[number] = label
    return LabelNames(tuple(names), of_numbers, {}, are_numbers=True)


def prediction_of(row: SourceRow, columns: dict[str, str], names: LabelNames) -> tuple[str | None, bool]:
    """Return the predicted label, and whether it is only the first of several with the largest score."""
    if not columns:
        return _label(row, names), False
    scores = {label: _score(row, column) for label, column in columns.items()}
    best = max(scores, key=scores.__getitem__)
    return best, [*scores.values()].count(scores[best]) > 1


def _label(row: SourceRow, names: LabelNames) -> str | None:
    text = value_text(row.values.get(LABEL))
    if not text:
        return None
    label = names.read(text) if names.are_numbers else _named(text, names)
    if label:
        return label
    expected = f"one of {', '.join(names.names)}"
    if names.are_numbers:
        expected = f"a number from 0 to {len(names.of_numbers) - 1}"
    raise InputError(
        f"{row.location}: label {text[:SHOWN_CHARACTERS]!r} is not {expected}; leave it empty if the model gave no "
        "answer"
    )


def _named(text: str, names: LabelNames) -> str | None:
    """Return the label that a text names; for NLI data of any labels, also `not_entailment`."""
    label = names.of_text(text)
    if label is None and are_nli(names.names) and canonical_name(text, two_way=False) == NOT_ENTAILMENT:
        return NOT_ENTAILMENT
    return label


def _score(row: SourceRow, column: str) -> float:
    value = row.values.get(column)
    with suppress(TypeError, ValueError):
        score = float(value)  # type: ignore[arg-type]
        if not math.isnan(score):
            return score
    raise InputError(f"{row.location}: {column} is {value!r}, not a number")
