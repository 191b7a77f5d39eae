"""What tests compute again from results: answers by group, one character per row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from merge_snli.models.labels import Missing
from merge_snli.scoring.answers import Answers, join, predicted_answers
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.evaluate import make_result
from merge_snli.scoring.result import Result
from merge_snli.scoring.store import answers_name

LETTERS = {Missing.NOT_PREDICTED.value: "-", Missing.NO_ANSWER.value: "?"}


@dataclass(frozen=True)
class AnswersOfGroups:
    """The answers of a result by group: the numbers of labels as digits, `?` for no answer.

    Attributes:
        id: The ids of the groups.
        gold: The gold labels of each group's rows.
        predictions: The predicted labels of each group's rows.
        sizes: Number of rows of each subsample and group.
        correct: Number of correct rows.
        seeds: The predicted label of each seed, None for no answer; None without seeds.
    """

    id: tuple[str, ...]
    gold: tuple[str, ...]
    predictions: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    correct: tuple[tuple[int, ...], ...]
    seeds: tuple[str | None, ...] | None


def answers_of_groups(result: Result, answers: Answers | None = None) -> AnswersOfGroups:
    """Return the answers of a result by group; by default those in the result."""
    answers = answers or result.answers
    rows = [np.flatnonzero(answers.groups == group) for group in range(len(answers.group_ids))]
    counts, seeds = answers.counts(), answers.seeds

    def texts(numbers: list[int]) -> tuple[str, ...]:
        return tuple("".join(LETTERS.get(numbers[row]) or str(numbers[row]) for row in of) for of in rows)

    return AnswersOfGroups(
        id=answers.group_ids,
        gold=texts(answers.gold.tolist()),
        predictions=texts(answers.predicted.tolist()),
        sizes=tuple(map(tuple, counts.sizes.tolist())),
        correct=tuple(map(tuple, counts.correct.tolist())),
        seeds=None
        if seeds is None
        else tuple(None if label < 0 else answers.labels[label] for label in seeds.predicted.tolist()),
    )


def with_answers(result: Result, answers: Answers) -> Result:
    """Return a result with other answers and the numbers as they are: what a forger would write."""
    return replace(result, answers=answers)


def scored_again(result: Result, answers: Answers, data: ScoredData) -> Result:
    """Return the result that answers to data give, without the rows and groups that are not predicted."""
    known, kept = predicted_answers(join(answers, data), data)
    return make_result(
        known,
        kept,
        data,
        model=result.model,
        run=result.run,
        max_length=result.left_out.max_length,
        pairs=len(data.pairs),
    )


def both_files(path: Path) -> tuple[Path, Path]:
    """Return the two files of a result, of which one is the JSON file."""
    return path, path.with_name(answers_name(path.name))


def variants_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the variants of a table of answers, each with the answer to its seed, and whether both are right."""
    seeds = frame[frame["is_seed"]].set_index("group_id")
    found = frame[~frame["is_seed"]].rename(columns={"row_id": "variant_id", "group_id": "seed_id"})
    found = found.assign(seed_answer=found["seed_id"].map(seeds["answer"]), correct=found["answer"] == found["label"])
    return found.assign(seed_correct=found["seed_answer"] == found["label"])
