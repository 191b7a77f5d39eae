"""Test whether variants are harder than their seeds (section 5.1 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.not_computable import NotComputable
from merge_snli.scoring.statistics import paired_t_test, permutation_test, ratios

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from merge_snli.analysis.scored_dataset import ScoredDataset, ScoredModel
    from merge_snli.scoring.statistics import TestResult

    Floats = NDArray[np.float64]

SOURCE, SEEDS, VARIANTS = "source", "seeds", "variants"
"""The columns of Table 3 that are compared."""


@dataclass(frozen=True, kw_only=True)
class ColumnTest:
    """The paper's paired t-test of two columns of sample accuracies in Table 3, over the models."""

    first: str
    second: str
    result: TestResult


@dataclass(frozen=True, kw_only=True)
class SeedsAgainstVariants:
    """The tests of seeds against variants.

    Attributes:
        over_models: Paired t-test of each two columns that all models have; none with fewer than two models. The column
            of the source needs models that were scored with `--source`.
        over_seeds: Paired permutation test. The values of a seed are the mean over models of whether it is answered
            right, and of the share of its drawn variants answered right, mean over the subsamples. Every seed counts
            once, while a seed of two classes counts twice in SA on variants, so the differences are not the same.
    """

    over_models: tuple[ColumnTest, ...]
    over_seeds: TestResult


def seeds_against_variants(scored: ScoredDataset) -> SeedsAgainstVariants:
    """Test sample accuracy on seeds against sample accuracy on their variants.

    Args:
        scored: A config of a data set.

    Raises:
        NotComputable: If fewer than two seeds have drawn variants that every model has predictions on.
    """
    on_seeds = np.mean([model.anchors.correct for model in scored.models], axis=0)
    on_variants = np.mean([_shares_right(model) for model in scored.models], axis=0)
    known = ~np.isnan(on_variants)
    if known.sum() < 2:
        raise NotComputable(
            f"seeds and variants cannot be compared: {int(known.sum())} seed(s) have drawn variants that every model "
            "has predictions on, at least two are needed"
        )
    return SeedsAgainstVariants(
        over_models=_over_models(scored),
        over_seeds=permutation_test(on_seeds[known], on_variants[known]),
    )


def _shares_right(model: ScoredModel) -> Floats:
    """Return the share of each seed's variants that a model answers right, mean over the subsamples, [n_seeds]."""
    table = model.answers.counts()
    drawn = table.sizes > 0
    shares = np.divide(table.correct, table.sizes, out=np.zeros(drawn.shape), where=drawn).sum(axis=0)
    return ratios(shares, drawn.sum(axis=0))


def _over_models(scored: ScoredDataset) -> tuple[ColumnTest, ...]:
    if len(scored.models) < 2:
        return ()
    scores = [model.result.scores for model in scored.models]
    sources = [model.result.source for model in scored.models]
    columns = {
        SOURCE: np.array(
            [None if each is None else each.overall.sample_accuracy for each in sources], dtype=np.float64
        ),
        SEEDS: np.array([each.anchor_accuracy for each in scores], dtype=np.float64),
        VARIANTS: np.array([each.sample_accuracy.mean for each in scores], dtype=np.float64),
    }
    complete = {name: column for name, column in columns.items() if not np.isnan(column).any()}
    return tuple(
        ColumnTest(first=first, second=second, result=paired_t_test(complete[first], complete[second], unit="model"))
        for first, second in combinations(complete, 2)
    )
