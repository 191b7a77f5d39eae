"""Compare the word classes, on all seeds and on those of two classes (section 5.2, Figures 5 and 6 of the paper)."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from merge_snli.base.arrays import Bools
from merge_snli.comparison.curves import MeanCurve, averaged
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.statistics import NamedTest, PairResult, adjusted_pairs, independent_t_test, permutation_test


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The word classes of a data set.

    Attributes:
        curves: Curve on the drawn variants of each class that has any.
        tests: Welch's t-test of each pair of classes over the seeds that have variants of only one of them, at least
            two of each, as in footnote 9 of the paper. The value of a seed is the mean over models of the share of
            subsamples in which it passes the quality threshold with its variants of the class. Seeds with variants of
            both classes are left out, since their values are not independent; `class_pairs` compares the classes on
            these. As in the paper, p-values are not adjusted for the number of pairs.
    """

    curves: dict[str, MeanCurve]
    tests: tuple[NamedTest, ...]


def classes(scored: ScoredDataset) -> Classes:
    """Draw the PA curve of each word class and test each pair of classes.

    Args:
        scored: A config of a data set.

    Raises:
        NotComputable: If the config has drawn variants of fewer than two classes.
    """
    curves = {}
    values = {}
    for name, mask in _drawn_classes(scored).items():
        curves[name], values[name] = averaged(scored, mask)
    if len(curves) < 2:
        raise NotComputable(
            f"Figure 5 needs variants of two word classes; config {scored.record.config} has {', '.join(curves)}: "
            "score the models on config all of a data set with several classes"
        )
    tests = []
    for first, second in combinations(values, 2):
        of_first = ~np.isnan(values[first])
        of_second = ~np.isnan(values[second])
        one = values[first][of_first & ~of_second]
        other = values[second][of_second & ~of_first]
        if len(one) > 1 and len(other) > 1:
            result = independent_t_test(one, other, unit="seed")
            tests.append(NamedTest(first=first, second=second, result=result))
    return Classes(curves=curves, tests=tuple(tests))


def _drawn_classes(scored: ScoredDataset) -> dict[str, Bools]:
    """Return the variants of each word class of which any was drawn, [n_variants] each."""
    return {name: mask for name, mask in scored.variants_by("word_class").items() if (mask & scored.drawn).any()}


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
    masks = _drawn_classes(scored)
    of_class = {}
    for name, mask in masks.items():
        of_class[name] = np.all([model.answers.counts(rows=mask).drawn for model in scored.models], axis=0)
    pairs = []
    tests = []
    for first, second in combinations(of_class, 2):
        seeds = of_class[first] & of_class[second]
        if not seeds.any():
            continue
        n_seeds = int(seeds.sum())
        rows = seeds[scored.groups]
        first_curve, one = averaged(scored, masks[first] & rows)
        second_curve, other = averaged(scored, masks[second] & rows)
        pairs.append(
            PairCurves(first=first, second=second, seeds=n_seeds, first_curve=first_curve, second_curve=second_curve)
        )
        if n_seeds > 1:
            tests.append((first, second, permutation_test(one[seeds], other[seeds])))
    if not pairs:
        raise NotComputable(
            f"Figure 6 needs seeds with variants of two word classes; config {scored.record.config} has none: score "
            "the models on config all of a data set with such seeds"
        )
    return ClassPairs(
        pairs=tuple(pairs),
        tests=adjusted_pairs(tests),
        seeds_of_three=int(np.count_nonzero(np.sum(list(of_class.values()), axis=0) > 2)),
    )
