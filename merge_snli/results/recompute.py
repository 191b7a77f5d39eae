"""Compute the numbers of a result again from its table of answers, to find those that were edited."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic_core import to_jsonable_python

from merge_snli.answers.answers import Answers
from merge_snli.answers.data import AGREEMENT, LABEL, MASKED_LM, WORD_CLASS, part_digest, part_name, stored_name
from merge_snli.base.differences import differences
from merge_snli.models.labels import Missing
from merge_snli.results.calibration import calibration_of
from merge_snli.results.intervals import LEVEL, RANDOM_SEED
from merge_snli.results.measure import consistency, scores, source_accuracy
from merge_snli.results.result import ResultFile
from merge_snli.results.scores import Scores, numbers_of
from merge_snli.statistics.bootstrap import N_RESAMPLES

# Largest difference of a number in a file from the same number computed from the answers.
TOLERANCE = 1e-9
# The same of a number that is computed from probabilities, which are rounded in the table.
ROUNDED = 2e-5


def wrong_entries(file: ResultFile, answers: Answers) -> Iterator[str]:
    """Yield a sentence for each entry that is not what the answers, or other entries, give.

    The table has no masked LMs, no labels of annotators, and no rows that were left out. What follows from these is not
    compared, and numbers of distinct pairs are only compared with the number of rows.

    Args:
        file: The entries.
        answers: The answers.
    """
    calibration, own = calibration_of(answers), file.calibration
    if calibration is not None and own is not None:
        calibration = replace(
            calibration,
            annotator_distance=own.annotator_distance,
            seed_annotator_distance=own.seed_annotator_distance,
        )
    columns = _columns(file, answers)
    stated: dict[str, Any] = {
        "scores": file.scores,
        "parts": {
            name: of for name, of in file.parts.items() if name in columns or name not in (LABEL, MASKED_LM, AGREEMENT)
        },
        "consistency": file.consistency,
        "run": {"no_answers": file.run.no_answers},
    }
    given: dict[str, Any] = {
        "scores": _scores(file.scores, answers),
        "parts": {name: _parts(file.parts.get(name, {}), column, answers) for name, column in columns.items()},
        "consistency": consistency(answers),
        "run": {"no_answers": _no_answers(file, answers)},
    }
    if (source := file.source) is not None:
        right = {name: round(of.sample_accuracy * of.problems) for name, of in source.labels.items()}
        stated["source"] = {"overall": source.overall, "labels": source.labels}
        given["source"] = {
            "overall": source_accuracy(sum(right.values()), source.overall.problems),
            "labels": {name: source_accuracy(right[name], of.problems) for name, of in source.labels.items()},
        }
    if (of_part := file.dataset.partial) is not None:
        unit = "group" if answers.seeds is None else "seed"
        stated["dataset"], given["dataset"] = (
            {"digest": file.dataset.digest},
            {
                "digest": part_digest(
                    of_part.of, part_name(unit, of_part.limit_seeds, of_part.subsample, of_part.min_agreement)
                )
            },
        )
    of_probabilities = to_jsonable_python((file.calibration, calibration))
    for inner, value, expected in chain(
        differences(*to_jsonable_python((stated, given)), is_equal=nearly_equal),
        differences(
            of_probabilities[0], of_probabilities[1], "calibration", is_equal=partial(nearly_equal, tolerance=ROUNDED)
        ),
    ):
        yield f"{inner} is {short(value)}, and the answers give {short(expected)}"


def _scores(stated: Scores | None, answers: Answers) -> Scores:
    """Return the scores that the answers give, with the stated intervals if each holds its score.

    Computing the intervals again takes longer than reading the file. A file of an earlier release may lack them.

    Args:
        stated: The scores in the file; None if it has none on these rows.
        answers: The answers.
    """
    given = scores(answers, intervals=False)
    if stated is None or stated.intervals is None:
        return given
    own, values = stated.intervals, numbers_of(stated)
    ends = {name: getattr(own, name) for name in own.methods}
    if not all(low <= (values[name] or 0.0) <= high for name, (low, high) in ends.items()):
        return scores(answers)
    return replace(given, intervals=replace(own, level=LEVEL, resamples=N_RESAMPLES, random_seed=RANDOM_SEED))


def _columns(file: ResultFile, answers: Answers) -> dict[str, pa.Array]:
    """Return the value of each row in the columns of `parts` that the table has."""
    table = answers.table
    if answers.seeds is None:
        return {name: table[stored_name(name)] for name in file.parts if stored_name(name) in table.column_names}
    if answers.labels != file.dataset.labels:
        return {WORD_CLASS: table[WORD_CLASS]}
    return {WORD_CLASS: table[WORD_CLASS], LABEL: pa.array(answers.labels).take(pa.array(answers.gold))}


def _parts(stated: Mapping[str, Scores], column: pa.Array, answers: Answers) -> dict[str, Scores]:
    """Return the scores on the rows with each value of a column."""
    masks = {value: np.asarray(pc.equal(column, value)) for value in pc.unique(column).drop_null().to_pylist()}
    return {value: _scores(stated.get(value), answers.take(rows=mask)) for value, mask in masks.items()}


def _no_answers(file: ResultFile, answers: Answers) -> int:
    """Return the number of distinct pairs without an answer: the stated one, or the nearest that the rows allow."""
    predicted = [answers.predicted, *([] if answers.seeds is None else [answers.seeds.predicted])]
    unread = int(np.count_nonzero(np.concatenate(predicted) == Missing.NO_ANSWER))
    has_others = file.source is not None or file.left_out.groups or file.left_out.rows
    stated = sum(file.run.unread.values()) if file.run.unread else file.run.no_answers
    return max(stated if has_others else min(stated, unread), min(unread, 1))


def nearly_equal(first: object, second: object, tolerance: float = TOLERANCE) -> bool:
    """Return whether two JSON values are the same, but for rounding."""
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=0, abs_tol=tolerance)
    return first == second


def short(value: object) -> str:
    """Return the beginning of a value, for messages."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
