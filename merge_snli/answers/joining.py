"""Join answers with the data that they are on: by pair, by id, and without what was not predicted."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from merge_snli.answers.answers import Answers, Graded, Predicted
from merge_snli.answers.data import ScoredData, positions_among
from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import Labels
from merge_snli.models.labels import positions


def align(data: ScoredData, on_pairs: Predicted, compared: Labels) -> Answers:
    """Assign predictions on pairs to the rows and seeds of data.

    Args:
        data: The rows, seeds and pairs.
        on_pairs: What is predicted for each pair, [n_pairs].
        compared: The labels that the numbers mean.
    """
    on_seeds = on_pairs.at(data.seed_pairs) if data.has_seeds else None
    return answers_to(data, on_pairs.at(data.row_pairs), on_seeds, compared)


def answers_to(data: ScoredData, rows: Predicted, seeds: Predicted | None, compared: Labels) -> Answers:
    """Return answers to data, with its gold labels.

    Args:
        data: The rows and seeds.
        rows: What is predicted for each row, [n_rows].
        seeds: What is predicted for each seed, [n_groups]; None without seeds.
        compared: The labels that the numbers mean.
    """
    gold = np.array(positions(data.label_names, compared))
    graded = None
    if data.seed_labels is not None and seeds is not None:
        graded = Graded(gold=gold[data.seed_labels], **vars(seeds))
    return Answers(
        labels=compared,
        table=data.described(),
        group_ids=data.group_ids,
        groups=data.row_groups,
        gold=gold[data.row_labels],
        **vars(rows),
        subsamples=data.subsamples,
        seeds=graded,
        drawn_only=data.drawn_only,
        subsample=data.subsample,
    )


def join(answers: Answers, data: ScoredData, *, part: bool = False) -> Answers:
    """Return answers with every row and seed of some data in its order, and with its gold labels.

    A row or seed without an answer is `NOT_PREDICTED`.

    Args:
        answers: The answers.
        data: The data that they are on.
        part: Whether the data is a part of what they are on, so that other rows and groups are left out.

    Raises:
        InputError: If a row or group is not in the data, or has another group there.
    """
    group, row = data.units
    if (answers.seeds is not None) != data.has_seeds:
        having = data.full_name if data.has_seeds else "the result"
        raise InputError(f"{having} has seeds, and the other has none")
    rows = positions_among(data.row_ids, answers.row_ids)
    group_ids = pa.array(answers.group_ids, pa.string())
    groups = positions_among(pa.array(data.group_ids, pa.string()), group_ids)
    for unit, ids, found in ((row, answers.row_ids, rows), (group, group_ids, groups)):
        unknown = np.setdiff1d(np.arange(len(ids)), found)
        if len(unknown) and not part:
            raise InputError(f"{unit} {ids[int(unknown[0])].as_py()!r} is not in {data.full_name}")
    answered = rows >= 0
    moved = np.flatnonzero(groups[data.row_groups[answered]] != answers.groups[rows[answered]])
    if len(moved):
        name = data.row_ids.filter(pa.array(answered))[int(moved[0])].as_py()
        raise InputError(f"{row} {name!r} has another {group} in {data.full_name}")
    on_seeds = None if answers.seeds is None else answers.seeds.at(groups)
    joined = answers_to(data, answers.at(rows), on_seeds, answers.labels)
    return replace(joined, drawn_only=answers.drawn_only or data.drawn_only)


def predicted_answers(answers: Answers, data: ScoredData, *, whole_groups: bool = False) -> tuple[Answers, ScoredData]:
    """Leave out what the model did not predict.

    Args:
        answers: The answers to all rows of the data, in their order.
        data: The data.
        whole_groups: Whether a group is left out with all its rows if one of them was not predicted.

    Returns:
        The answers and the data without rows that were not predicted, without the rows of groups whose seed was not,
        and without groups that have no other row.
    """
    rows = answers.is_predicted
    groups = answers.groups
    if answers.seeds is not None:
        rows = rows & answers.seeds.is_predicted[groups]
    if whole_groups:
        rows = ~np.isin(groups, groups[~rows])
    if rows.all():
        return answers, data
    return answers.take(rows), data.take(rows)
