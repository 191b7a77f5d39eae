"""Match results to the data sets that they were computed on, by digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.analysis.scored_dataset import read_scored_dataset
from merge_snli.base.errors import InputError, param
from merge_snli.scoring.predictions.opening import data_keys
from merge_snli.scoring.results.grouping import comparable_results, config_rank, data_key, is_two_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from merge_snli.analysis.scored_dataset import ScoredDataset
    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.scoring.results.grouping import DataKey
    from merge_snli.scoring.results.result import Result


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
    by_key: dict[DataKey, MergeDataset] = {}
    for dataset in datasets:
        for key in sorted(data_keys(dataset)):
            if key in by_key:
                same = by_key[key].name
                raise InputError(
                    f"{param('dataset')} {same} and {param('dataset')} {dataset.name} are the same data: remove one of "
                    "them"
                )
            by_key[key] = dataset
    groups = comparable_results(results)
    _check_all_matched(groups, by_key, datasets)
    groups.sort(
        key=lambda group: (
            datasets.index(by_key[data_key(group[0].dataset)]),
            config_rank(group[0].dataset.config),
            is_two_way(group[0]),
        )
    )
    return tuple(read_scored_dataset(by_key[data_key(group[0].dataset)], group) for group in groups)


def _check_all_matched(
    groups: Sequence[Sequence[Result]], by_key: Mapping[DataKey, MergeDataset], datasets: Sequence[MergeDataset]
) -> None:
    for group in groups:
        data = group[0].dataset
        models = ", ".join(result.model.name for result in group)
        if data.partial is not None:
            raise InputError(
                f"the results of {models} are on a part of config {data.config} of {data.name}, and an analysis needs "
                "whole configs: score or ask them without a subsample and a limit of seeds, or remove these results"
            )
        if data_key(data) not in by_key:
            raise InputError(
                f"the results of {models} are on {data.name} (sha256 {data.digest[:12]}…), which is not among the data "
                f"sets: add its folder with {param('dataset')}, or remove these results"
            )
    scored = {by_key[data_key(group[0].dataset)].name for group in groups}
    for dataset in datasets:
        if dataset.name not in scored:
            raise InputError(
                f"no result was computed on {param('dataset')} {dataset.name} (sha256 {dataset.digest[:12]}…): score a "
                "model on it with merge-snli score, or leave it out"
            )
