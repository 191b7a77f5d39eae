"""Read the answers in a result, compute every number of it again from them, and find those that differ."""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from merge_snli.base.arrays import Ints
from merge_snli.base.differences import differences as json_differences
from merge_snli.base.errors import InputError, Message, param
from merge_snli.base.table import count
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.labels import ANSWERS, Missing, compared_labels
from merge_snli.scoring.answers import Anchors, Answers, Predicted, align, answers_to, asked_answers
from merge_snli.scoring.predictions.opening import open_config
from merge_snli.scoring.predictions.scored_data import ScoredData, part_of_data
from merge_snli.scoring.results.evaluate import (
    dataset_record,
    fields_of,
    left_out_of,
    notes_of,
)
from merge_snli.scoring.results.files import to_json
from merge_snli.scoring.results.grouping import data_key, model_key
from merge_snli.scoring.results.measure import placed, scores
from merge_snli.scoring.results.result import Result

logger = logging.getLogger(__name__)

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
    if (result.groups.anchors is None) != (data.anchors is None):
        raise InputError(f"{'the result' if data.anchors is None else data.place} has seeds, and the other has none")
    compared = compared_labels(result.model.labels, data.label_names)
    rows, anchors = placed(result.groups, compared, data.group_ids, data.row_groups, data.place)
    found = answers_to(data, rows, None if data.anchors is None else anchors, compared)
    return replace(found, drawn_only=result.left_out.undrawn > 0)


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
    kept = {} if answers.probabilities is not None else {"calibration": result.calibration}
    submitted, expected = to_json(result), to_json(_computed(result, answers, data, **kept))
    for place, found, given in json_differences(submitted, expected, is_equal=_equal):
        yield f"{place} is {_short(found)}, and the answers give {_short(given)}"


def _computed(result: Result, answers: Answers, data: ScoredData, **changes: Any) -> Result:  # noqa: ANN401 - fields
    """Return a result with every field that answers to data determine, and with these changes, before its notes."""
    record = replace(dataset_record(data), name=result.dataset.name, revision=result.dataset.revision)
    again = replace(
        result,
        dataset=record,
        compared_labels=answers.labels,
        left_out=left_out_of(answers, data, result.left_out.max_length),
        scores=scores(answers),
        **({"run": replace(result.run, no_answers=_unread(answers, data))} | fields_of(answers, data) | changes),
    )
    return replace(again, notes=tuple(notes_of(again, answers, pairs=len(data.pairs))))


def on_part(result: Result, whole: ScoredData, part: ScoredData) -> Result:
    """Return the result of a model on a part of data, from its answers to the whole.

    It has no scores on the source, and a note on where its answers are from.

    Args:
        result: The result on the whole data.
        whole: The whole data.
        part: The part, as `part_of_data` returns it.

    Raises:
        InputError: If the answers are not those to the rows and anchors of the data, or no group of the part has any.
    """
    everything = answers_of(result, whole)
    known = everything.probabilities
    labels = np.full(len(whole.pairs) + 1, Missing.NOT_ASKED.value)  # the last one stands for rows that are not asked
    probabilities = np.full((len(labels), len(everything.labels)), np.nan)
    found: list[tuple[Ints, Answers | Anchors]] = [(whole.row_pairs, everything)]
    if whole.anchors is not None and everything.anchors is not None:
        found.append((whole.anchors.pairs, everything.anchors))
    for pairs, answered in found:
        asked = answered.predicted != Missing.NOT_ASKED  # another row may have asked the same pair
        labels[pairs[asked]] = answered.predicted[asked]
        if answered.probabilities is not None:
            probabilities[pairs[asked]] = answered.probabilities[asked]
    numbers = {pair: number for number, pair in enumerate(whole.pairs)}
    on_pairs = Predicted(labels, None if known is None else probabilities).at(
        np.array([numbers[pair] for pair in part.pairs])
    )
    answers = asked_answers(align(part, on_pairs, everything.labels), whole_groups=result.model.label_origin == ANSWERS)
    if not len(answers.rows):
        raise InputError(f"the result of {result.title} has no answers to {part.place}")
    run = replace(result.run, no_answers=_unread(answers, part), cut=0, refused=0, tied=0)
    computed = _computed(result, answers, part, run=run, source=None)
    return replace(
        computed, notes=(*computed.notes, f"from the answers to all {len(whole.row_groups):,} {whole.units[1]}s")
    )


def with_parts(results: Iterable[Result], datasets: Sequence[MergeDataset]) -> list[Result]:
    """Add, for each part of data that a model was scored on, the models that were scored on the whole.

    So a language model on one subsample stands beside classifiers on all of them.

    Args:
        results: The results.
        datasets: Data sets that the results may be on; parts of others are left alone, with a warning.

    Raises:
        InputError: If a result does not fit its data set.
    """
    found = list(results)
    for dataset, partial in list(dict.fromkeys((result.dataset, result.dataset.partial) for result in found)):
        wholes = [each for each in found if partial and data_key(each.dataset) == (partial.of, dataset.config)]
        opened = next((each for each in datasets if partial and each.digest == partial.of), None)
        if partial is None or not wholes:
            continue
        if opened is None:
            logger.warning(
                Message(
                    f"{count(len(wholes), 'model')} on all of {dataset.name} can be shown on {dataset.title}: add "
                    f"{param('dataset')}"
                )
            )
            continue
        whole = open_config(opened, dataset.config)
        part = part_of_data(
            whole,
            limit_seeds=partial.limit_seeds,
            subsample=partial.subsample,
            min_agreement=partial.min_agreement,
        )
        there = {model_key(each) for each in found if data_key(each.dataset) == data_key(dataset)}
        found += [on_part(each, whole, part) for each in wholes if model_key(each) not in there]
    return found


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


def _equal(first: object, second: object) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=0, abs_tol=TOLERANCE)
    return first == second


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
