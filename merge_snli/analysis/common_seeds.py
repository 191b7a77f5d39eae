"""Restrict scored data sets to the seeds that all their models have predictions on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from merge_snli.analysis.not_computable import NotComputable
from merge_snli.analysis.scored_dataset import answered_groups
from merge_snli.analysis.without_seeds import without_seeds
from merge_snli.scoring.results.grouping import coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.analysis.scored_dataset import ScoredDataset


def on_common_seeds(data: Sequence[ScoredDataset]) -> list[ScoredDataset]:
    """Return data sets with the seeds that every model of each of them has predictions on.

    Accuracy on the source stays what it is, and `coverage` names the models that are the reason for missing seeds.

    Args:
        data: Data sets, each with its models; all on the same seeds if there are several.

    Raises:
        NotComputable: If the models have no seed in common.
    """
    missing = {
        seed
        for scored in data
        for model in scored.models
        for seed, answered in zip(scored.ids, answered_groups(model).tolist(), strict=True)
        if not answered
    }
    return [_without(scored, missing) if missing else scored for scored in data]


def _without(scored: ScoredDataset, missing: set[str]) -> ScoredDataset:
    if missing.issuperset(scored.ids):
        names = ", ".join(model.name for model in scored.models)
        raise NotComputable(f"{names} have no seed of {scored.record.title} in common: leave out one of them")
    n_seeds = len(scored.ids)
    why = [
        f"{model.name}: {coverage(model.result, n_seeds)}"
        for model in scored.models
        if not answered_groups(model).all()
    ]
    return replace(without_seeds(scored, missing, keep_source=True), coverage=tuple(why))
