"""Compute every number of a result again from its answers, and find those that differ."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.errors import InputError
from scoring.models.labels import compared_labels, positions
from scoring.results.evaluate import chance_warning, dataset_record, scores_of_parts
from scoring.results.files import to_json
from scoring.results.measure import LEFT_OUT, NO_ANSWER_NUMBER, UNNUMBERED, PredictedLabels, scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scoring.predictions.pairs import ScoredConfig
    from scoring.results.result import Result

TOLERANCE = 2e-5
"""Largest difference of a share: that of the ends of an interval, which are rounded to five digits."""

NUMBERS = {character: number for number, character in UNNUMBERED.items()}


def differences(result: Result, data: ScoredConfig) -> Iterator[str]:
    """Yield a sentence for each value of a result that differs from what its answers give.

    Names of the model and the data set, facts about the model and the run, and other notes than the warning of scores
    near chance are not checked, because answers do not determine them.

    Args:
        result: The result.
        data: The config of the data set that it is on.

    Raises:
        InputError: If the answers are not those to the seeds and variants of the config.
    """
    predicted = answers_of(result, data)
    if not len(predicted.gold):
        raise InputError("the result has no answers")
    compared = compared_labels(result.model.labels, data.label_names)
    overall = scores(predicted)
    pairs = data.variant_pairs[predicted.variant_indices], data.seed_pairs[predicted.seed_indices]
    answers = np.concatenate([predicted.variant_predictions, predicted.seed_predictions])
    unread = len(np.unique(np.concatenate(pairs)[answers == NO_ANSWER_NUMBER]))
    again = replace(
        result,
        dataset=replace(dataset_record(data), name=result.dataset.name, revision=result.dataset.revision),
        compared_labels=compared,
        left_out=replace(
            result.left_out,
            seeds=len(data.seed_ids) - len(predicted.gold),
            variants=len(data.variant_pairs) - len(predicted.variant_predictions),
        ),
        run=replace(result.run, no_answers=unread),
        scores=overall,
        **scores_of_parts(data, predicted, compared),
    )
    yield from _different("", to_json(result), to_json(again))
    warning = chance_warning(overall, predicted)
    if any(note.startswith("warning") for note in result.notes) != (warning is not None) or (
        warning is not None and not any(note.startswith(warning) for note in result.notes)
    ):
        yield f"notes: expected {'no warning' if warning is None else repr(warning)}"


def answers_of(result: Result, data: ScoredConfig) -> PredictedLabels:
    """Return the answers in a result.

    Args:
        result: The result.
        data: The config of the data set that it is on.

    Raises:
        InputError: If a seed is not in the config, a seed has another number of variants, or two answers to the same
            sentence pair differ.
    """
    table, index = result.seeds, {seed: number for number, seed in enumerate(data.seed_ids)}
    unknown = next((seed for seed in table.seed_id if seed not in index), None)
    if unknown is not None:
        raise InputError(f"seed {unknown!r} is not in config {data.config} of the data set")
    compared = compared_labels(result.model.labels, data.label_names)
    order = np.argsort(data.variant_seeds, kind="stable")
    starts = np.searchsorted(data.variant_seeds[order], np.arange(1, len(data.seed_ids)))
    variants = np.split(order, starts)
    of_variants, of_seeds = np.full(len(order), LEFT_OUT), np.full(len(data.seed_ids), LEFT_OUT)
    for seed, answer, answers in zip(table.seed_id, table.predicted, table.variant_predictions, strict=True):
        own = variants[index[seed]]
        if len(own) != len(answers):
            raise InputError(
                f"seed {seed!r} has {len(own)} variants, and the result has {len(answers)} answers to them"
            )
        if answer is not None and answer not in compared:
            raise InputError(f"seed {seed!r}: the answer {answer} is not one of {', '.join(compared)}")
        of_variants[own] = [NUMBERS[each] if each in NUMBERS else int(each) for each in answers]
        of_seeds[index[seed]] = NO_ANSWER_NUMBER if answer is None else compared.index(answer)
    _require_same_answers(data, of_seeds, of_variants)
    gold = np.array(positions(data.label_names, compared))[data.seed_labels]
    everything = PredictedLabels(
        gold=gold,
        seed_predictions=of_seeds,
        variant_predictions=of_variants,
        variant_seeds=data.variant_seeds,
        drawn=data.in_subsample,
        seed_indices=np.arange(len(of_seeds)),
        variant_indices=np.arange(len(of_variants)),
    )
    return everything.select((of_variants != LEFT_OUT) & (of_seeds != LEFT_OUT)[data.variant_seeds])


def _require_same_answers(data: ScoredConfig, of_seeds: Any, of_variants: Any) -> None:  # noqa: ANN401 - arrays
    pairs, answers = np.concatenate([data.seed_pairs, data.variant_pairs]), np.concatenate([of_seeds, of_variants])
    answered = answers != LEFT_OUT
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
