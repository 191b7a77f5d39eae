"""Read the answers in a result, compute every number of it again from them, and find those that differ."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.models.labels import Missing, compared_labels
from merge_snli.scoring.answers import answers_to, asked_answers
from merge_snli.scoring.results.evaluate import (
    dataset_record,
    fields_of,
    left_out_of,
    notes_of,
)
from merge_snli.scoring.results.files import to_json
from merge_snli.scoring.results.measure import digits_of, scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from merge_snli.scoring.answers import Answers
    from merge_snli.scoring.predictions.scored_data import ScoredData
    from merge_snli.scoring.results.result import Result

    Ints = NDArray[np.int64]

# Largest difference of a share: that of the ends of an interval, which are rounded to five digits.
TOLERANCE = 2e-5


def answers_of(result: Result, data: ScoredData) -> Answers:
    """Return the answers in a result, with a code for every row and anchor of the data that the result leaves out.

    Args:
        result: The result.
        data: The data that it is on.

    Raises:
        InputError: If a group is not in the data, or has another number of rows.
    """
    table, index = result.groups, {name: number for number, name in enumerate(data.group_ids)}
    unknown = next((name for name in table.id if name not in index), None)
    unit, row = data.units
    if unknown is not None:
        raise InputError(f"{unit} {unknown!r} is not in {data.place}")
    compared = compared_labels(result.model.labels, data.label_names)
    rows = data.by_group(np.arange(len(data.row_groups)))
    own = [rows[index[name]] for name in table.id]
    for name, numbers, answers in zip(table.id, own, table.predictions, strict=True):
        if len(numbers) != len(answers):
            raise InputError(
                f"{unit} {name!r} has {len(numbers)} {row}s, and the result has {len(answers)} answers to them"
            )
    predicted = np.full(len(data.row_groups), Missing.NOT_ASKED.value)
    predicted[np.concatenate(own)] = digits_of(table.predictions)
    found = answers_to(data, predicted, _anchors_of(result, data, compared), compared)
    return replace(found, drawn_only=result.left_out.undrawn > 0)


def _anchors_of(result: Result, data: ScoredData, compared: tuple[str, ...]) -> Ints | None:
    """Return the predicted label of each anchor of the data; None without anchors."""
    table = result.groups
    if table.anchors is None or data.anchors is None:
        if (table.anchors is None) != (data.anchors is None):
            raise InputError(
                f"{'the result' if data.anchors is None else data.place} has seeds, and the other has none"
            )
        return None
    index = {name: number for number, name in enumerate(data.group_ids)}
    predicted = np.full(len(data.group_ids), Missing.NOT_ASKED.value)
    for name, answer in zip(table.id, table.anchors, strict=True):
        if answer is not None and answer not in compared:
            raise InputError(f"seed {name!r}: the answer {answer} is not one of {', '.join(compared)}")
        predicted[index[name]] = Missing.NO_ANSWER if answer is None else compared.index(answer)
    return predicted


def differences(result: Result, data: ScoredData) -> Iterator[str]:
    """Yield a sentence for each value of a result that differs from what its answers give.

    Names of the model and the data set and facts about the model and the run are not checked, because answers do not
    determine them.

    Args:
        result: The result; without scores on the source, whose answers it does not have.
        data: The data that it is on.

    Raises:
        InputError: If the answers are not those to the rows and anchors of the data.
    """
    everything = answers_of(result, data)
    _require_same_answers(data, everything)
    answers = asked_answers(everything)
    if not len(answers.rows):
        raise InputError("the result has no answers")
    record = replace(dataset_record(data), name=result.dataset.name, revision=result.dataset.revision)
    again = replace(
        result,
        dataset=record,
        compared_labels=answers.labels,
        left_out=left_out_of(answers, data, result.left_out.max_length),
        run=replace(result.run, no_answers=_unread(answers, data)),
        scores=scores(answers),
        **fields_of(answers, data),
    )
    again = replace(again, notes=tuple(notes_of(again, answers, pairs=len(data.pairs))))
    yield from _different("", to_json(result), to_json(again))


def _unread(answers: Answers, data: ScoredData) -> int:
    """Return how many distinct pairs have an answer that cannot be read."""
    pairs = [data.row_pairs[answers.rows][answers.predicted == Missing.NO_ANSWER]]
    if data.anchors is not None and answers.anchors is not None:
        pairs.append(data.anchors.pairs[answers.group_index][answers.anchors.predicted == Missing.NO_ANSWER])
    return len(np.unique(np.concatenate(pairs)))


def _require_same_answers(data: ScoredData, everything: Answers) -> None:
    pairs, answers = data.row_pairs, everything.predicted
    if data.anchors is not None and everything.anchors is not None:
        pairs = np.concatenate([data.anchors.pairs, pairs])
        answers = np.concatenate([everything.anchors.predicted, answers])
    answered = answers != Missing.NOT_ASKED
    distinct = np.unique(np.stack([pairs[answered], answers[answered]]), axis=1)
    repeated = np.flatnonzero(distinct[0, 1:] == distinct[0, :-1])
    if len(repeated):
        premise, hypothesis = data.pairs[distinct[0, repeated[0]]]
        raise InputError(f"the pair {premise!r}, {hypothesis!r} has two different answers")


def _different(place: str, submitted: Any, expected: Any) -> Iterator[str]:  # noqa: ANN401 - JSON values
    """Yield each place at which two JSON values differ."""
    if isinstance(submitted, dict) and isinstance(expected, dict) and submitted.keys() == expected.keys():
        for name, value in submitted.items():
            yield from _different(f"{place}.{name}" if place else name, value, expected[name])
    elif isinstance(submitted, list) and isinstance(expected, list) and len(submitted) == len(expected):
        for number, values in enumerate(zip(submitted, expected, strict=True)):
            yield from _different(f"{place}[{number}]", *values)
    elif not _equal(submitted, expected):
        yield f"{place} is {_short(submitted)}, and the answers give {_short(expected)}"


def _equal(first: object, second: object) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=0, abs_tol=TOLERANCE)
    return first == second


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
