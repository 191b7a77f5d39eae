"""Put results on the same data on the same groups, so that all tables, pages and gates compare the same."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.results.grouping import comparable_results, reference_groups
from merge_snli.results.measure import numbers_from, part_masks
from merge_snli.results.prompts import group_prompts
from merge_snli.results.result import Result


def aligned(results: Iterable[Result], *, common_seeds: bool = False) -> list[Result]:
    """Return results of which those that are compared are on the same groups.

    By default, these are the groups that most models have (`reference_groups`). A result that has more keeps them
    alone, with a note. One that lacks some stays as it is, and is not compared (`missing_groups`).

    Args:
        results: Results on any data. A model with two names on the same data counts once.
        common_seeds: Whether to keep the groups that all models have, so that all are compared.

    Raises:
        InputError: If the models on the same data have fewer than two groups in common, with `common_seeds`.
    """
    found = []
    for group in comparable_results(results):
        groups = _common(group) if common_seeds else reference_groups(group_prompts(group))
        for result in group:
            found.append(on_groups(result, groups) if groups.issubset(result.group_ids) else result)
    return found


def _common(results: Sequence[Result]) -> frozenset[str]:
    common = frozenset(results[0].group_ids).intersection(*(result.group_ids for result in results[1:]))
    if len(results) > 1 and len(common) < 2:
        names = ", ".join(result.title for result in results)
        raise InputError(
            f"{names} have {count(len(common), results[0].units[0])} in common, and ⟦common_seeds=True⟧ "
            "needs at least two: leave out a model, or remove it"
        )
    return common


def on_groups(result: Result, group_ids: Collection[str]) -> Result:
    """Return the result of a model on some of its groups, with every number computed again from its answers to them.

    It has no scores by masked LM, which only the data has. The scores on the source stay those on all of it.

    Args:
        result: The result.
        group_ids: Ids of the groups, at least one of the result's.
    """
    kept = np.isin(result.group_ids, [*group_ids])
    if kept.all():
        return result
    whole = result.answers
    answers = whole.take(kept[whole.groups])
    left_out = replace(
        result.left_out,
        groups=result.left_out.groups + int(np.count_nonzero(~kept)),
        rows=result.left_out.rows + len(whole.predicted) - len(answers.predicted),
    )
    groups = count(len(kept), result.units[0])
    note = f"on {len(answers.group_ids):,} of its {groups}, those of the other models"
    return replace(
        result,
        stored=answers,
        left_out=left_out,
        notes=(*result.notes, note),
        **numbers_from(answers, part_masks(result.parts, answers, result.dataset.labels)),
    )
