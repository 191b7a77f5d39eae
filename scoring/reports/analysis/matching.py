"""Match results to the data sets that they were computed on, by digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.errors import InputError, param
from merge_snli.schema import ALL, WORD_CLASSES
from scoring.analysis.scored_dataset import read_scored_dataset
from scoring.results.grouping import comparable_results, is_two_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.dataset import MergeDataset
    from scoring.analysis.scored_dataset import ScoredDataset
    from scoring.results.result import Result


def match_results(results: Iterable[Result], datasets: Sequence[MergeDataset]) -> tuple[ScoredDataset, ...]:
    """Read every config of the data sets that has results.

    Args:
        results: Results in any order.
        datasets: The data sets.

    Returns:
        One value per data set and config: data sets in their order, `all` before the word classes. Two-way models have
        a value of their own, after that of the other models.

    Raises:
        InputError: If two data sets are the same data, a result has no data set, a data set has no result, or a result
            does not fit its data set.
    """
    by_digest: dict[str, MergeDataset] = {}
    for dataset in datasets:
        if dataset.digest in by_digest:
            same = by_digest[dataset.digest].name
            raise InputError(
                f"{param('dataset')} {same} and {param('dataset')} {dataset.name} are the same data: remove one of them"
            )
        by_digest[dataset.digest] = dataset
    groups = comparable_results(results)
    _check_all_matched(groups, by_digest)
    order = {digest: position for position, digest in enumerate(by_digest)}
    configs = (ALL, *WORD_CLASSES)
    groups.sort(
        key=lambda group: (
            order[group[0].dataset.digest],
            configs.index(group[0].dataset.config),
            is_two_way(group[0]),
        )
    )
    return tuple(read_scored_dataset(by_digest[group[0].dataset.digest], group) for group in groups)


def _check_all_matched(groups: Sequence[Sequence[Result]], by_digest: dict[str, MergeDataset]) -> None:
    for group in groups:
        data = group[0].dataset
        if data.partial is not None:
            models = ", ".join(result.model.name for result in group)
            raise InputError(
                f"the results of {models} are on a part of config {data.config} of {data.name}, and an analysis needs "
                "whole configs: score or ask them without a subsample and a limit of seeds, or remove these results"
            )
        if data.digest not in by_digest:
            models = ", ".join(result.model.name for result in group)
            raise InputError(
                f"the results of {models} are on {data.name} (sha256 {data.digest[:12]}…), which is not among the data "
                f"sets: add its folder with {param('dataset')}, or remove these results"
            )
    scored = {group[0].dataset.digest for group in groups}
    for digest, dataset in by_digest.items():
        if digest not in scored:
            raise InputError(
                f"no result was computed on {param('dataset')} {dataset.name} (sha256 {digest[:12]}…): score a model "
                "on it with merge-snli score, or leave it out"
            )
