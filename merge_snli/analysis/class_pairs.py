"""Compare two word classes on the seeds that have variants of both (section 5.2 and Figure 6 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.curves import averaged
from merge_snli.analysis.not_computable import NotComputable
from merge_snli.schema import WORD_CLASSES
from merge_snli.scoring.statistics import adjusted_pairs, permutation_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from merge_snli.analysis.curves import MeanCurve
    from merge_snli.analysis.scored_dataset import ScoredDataset
    from merge_snli.scoring.statistics import PairResult

    Bools = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class PairCurves:
    """The curves of two word classes on the seeds of both: N_V and V_N in Figure 6, for nouns and verbs.

    Attributes:
        first: A word class.
        second: Another one.
        seeds: Number of seeds that every model has drawn variants of both classes of.
        first_curve: Curve on their variants of the first class.
        second_curve: Curve on their variants of the second class.
    """

    first: str
    second: str
    seeds: int
    first_curve: MeanCurve
    second_curve: MeanCurve


@dataclass(frozen=True, kw_only=True)
class ClassPairs:
    """The pairs of word classes of a data set.

    Attributes:
        pairs: The pairs with a common seed.
        tests: Paired permutation test over the seeds of each pair with at least two, with p-values adjusted by Holm's
            method over these tests.
        seeds_of_three: Number of seeds with drawn variants of three classes or more.
    """

    pairs: tuple[PairCurves, ...]
    tests: tuple[PairResult, ...]
    seeds_of_three: int


def class_pairs(scored: ScoredDataset) -> ClassPairs:
    """Draw the curves of each pair of word classes on their common seeds, and test the two curves of each pair.

    Args:
        scored: A config of a data set.

    Raises:
        NotComputable: If no seed has drawn variants of two classes.
    """
    masks = {name: scored.variants.of_class(name) for name in WORD_CLASSES}
    of_class = {
        name: np.all([model.answers.counts(rows=mask).drawn for model in scored.models], axis=0)
        for name, mask in masks.items()
        if (mask & scored.drawn).any()
    }
    common = {
        (first, second): seeds
        for first, second in combinations(of_class, 2)
        if (seeds := of_class[first] & of_class[second]).any()
    }
    if not common:
        raise NotComputable(
            f"Figure 6 needs seeds with variants of two word classes; config {scored.record.config} has none: score "
            "the models on config all of a data set with such seeds"
        )
    pairs, tests = [], []
    for (first, second), seeds in common.items():
        one, other = (averaged(scored, masks[name] & seeds[scored.groups]) for name in (first, second))
        pairs.append(
            PairCurves(
                first=first,
                second=second,
                seeds=int(seeds.sum()),
                first_curve=one.curve,
                second_curve=other.curve,
            )
        )
        if seeds.sum() > 1:
            tests.append((first, second, permutation_test(one.values[seeds], other.values[seeds])))
    return ClassPairs(
        pairs=tuple(pairs),
        tests=adjusted_pairs(tests),
        seeds_of_three=int(np.count_nonzero(np.sum(list(of_class.values()), axis=0) > 2)),
    )
