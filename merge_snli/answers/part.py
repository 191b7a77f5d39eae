"""Take a part of data: some groups, the rows of one subsample, or the groups on whose labels annotators agree."""

import hashlib
from dataclasses import replace
from itertools import compress

import numpy as np

from merge_snli.answers.data import ROUNDING, ScoredData
from merge_snli.base.arrays import Bools
from merge_snli.base.errors import InputError
from merge_snli.base.option import require_at_least


def part_of_data(
    data: ScoredData,
    *,
    limit_seeds: int | None = None,
    subsample: int | None = None,
    drawn: bool = False,
    min_agreement: float | None = None,
) -> ScoredData:
    """Return some groups with their rows, or the rows of one subsample, for a quick trial.

    The groups are those with the smallest sha256 of their ids: a reproducible sample, in the order of the data set.

    Args:
        data: The data.
        limit_seeds: Number of groups; all if the data has no more.
        subsample: Number of the subsample.
        drawn: Whether to predict only the rows that a subsample has.
        min_agreement: Smallest share of annotators who gave the gold label.

    Raises:
        InputError: If the number of groups is below 1, the data has no such subsample, or, with `drawn`, it has no
            subsamples or a group of which no subsample has a row.
    """
    require_at_least("limit_seeds", limit_seeds, 1)
    if min_agreement is not None:
        groups = agreeing(data, min_agreement)
        data = replace(data.take(groups[data.row_groups]), min_agreement=min_agreement)
    if limit_seeds is not None and limit_seeds < len(data.group_ids):
        chosen = by_digest(data.group_ids)[:limit_seeds]
        data = replace(data.take(np.isin(data.row_groups, chosen)), limit_seeds=limit_seeds)
    if subsample is not None:
        data = _of_subsample(data, subsample)
    return _only_drawn(data) if drawn else data


def disagreeing(data: ScoredData, min_agreement: float) -> set[str]:
    """Return the ids of the groups to which a smaller share of the annotators gave the gold label; as `agreeing`."""
    return set(compress(data.group_ids, ~agreeing(data, min_agreement)))


def agreeing(data: ScoredData, min_agreement: float) -> Bools:
    """Return to which groups at least a share of the annotators gave the gold label, [n_groups].

    Raises:
        InputError: If the data has no labels of annotators, or no group has such an agreement.
    """
    groups = np.asarray(data.agreement() >= min_agreement - ROUNDING)
    if not groups.any():
        raise InputError(f"⟦min_agreement⟧ is {min_agreement:.3g}: no {data.units[0]} of {data.full_name} has it")
    return groups


def _of_subsample(data: ScoredData, subsample: int) -> ScoredData:
    masks = data.subsamples
    given = f"⟦subsample⟧ is {subsample}"
    if masks is None:
        raise InputError(f"{given}, and {data.full_name} has no subsamples: remove it")
    if not 0 <= subsample < len(masks):
        raise InputError(f"{given}: choose 0 to {len(masks) - 1}")
    return replace(data, subsamples=masks[[subsample]], subsample=subsample).take(masks[subsample])


def _only_drawn(data: ScoredData) -> ScoredData:
    """Return the same data without the pairs of rows that no subsample has."""
    if data.subsamples is None:
        raise InputError(f"⟦drawn=True⟧ needs subsamples, and {data.full_name} has none: remove it")
    drawn = np.asarray(data.subsamples.any(axis=0))
    if drawn.all():
        return data
    missing = np.setdiff1d(data.row_groups, data.row_groups[drawn])
    if len(missing):
        group, row = data.units
        raise InputError(
            f"{group} {data.group_ids[missing[0]]} of {data.full_name} has no {row} in a subsample: remove ⟦drawn=True⟧"
        )
    asked = np.ones(len(data.sentences), dtype=bool)
    asked[-len(drawn) :] = drawn
    return replace(data, sentences=replace(data.sentences, asked=asked), drawn_only=True)


def by_digest(group_ids: tuple[str, ...]) -> list[int]:
    """Return the indices of groups in the order of the sha256 of their ids, a random order that anyone can repeat."""
    return sorted(range(len(group_ids)), key=lambda group: hashlib.sha256(group_ids[group].encode()).digest())
