"""Compare the word classes, on all seeds and on those of two classes (section 5.2, Figures 5 and 6 of the paper)."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from merge_snli.comparison.curves import MeanCurve, averaged
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.statistics import NamedTest, PairResult, adjusted_pairs, independent_t_test, permutation_test


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The word classes of a data set.

    Attributes:
        curves: Curve on the drawn variants of each class that has any.
        tests: Welch's t-test of each pair of classes with at least two seeds each, over seeds, as in footnote 9 of the
            paper. The value of a seed is the mean over models of the share of subsamples in which it passes the quality
            threshold with its variants of the class. As in the paper, p-values are not adjusted for the number of
            pairs.
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
    masks = scored.variants_by("word_class")
    means = {name: averaged(scored, mask) for name, mask in masks.items() if (mask & scored.drawn).any()}
    if len(means) < 2:
        raise NotComputable(
            f"Figure 5 needs variants of two word classes; config {scored.record.config} has {', '.join(means)}: score "
            "the models on config all of a data set with several classes"
        )
    values = {name: column[~np.isnan(column)] for name, (_, column) in means.items()}
    testable = [name for name, column in values.items() if len(column) > 1]
    return Classes(
        curves={name: curve for name, (curve, _) in means.items()},
        tests=tuple(
            NamedTest(first=first, second=second, result=independent_t_test(values[first], values[second], unit="seed"))
            for first, second in combinations(testable, 2)
        ),
    )


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
    masks = scored.variants_by("word_class")
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
        (first_curve, one), (second_curve, other) = (
            averaged(scored, masks[name] & seeds[scored.groups]) for name in (first, second)
        )
        pairs.append(
            PairCurves(
                first=first,
                second=second,
                seeds=int(seeds.sum()),
                first_curve=first_curve,
                second_curve=second_curve,
            )
        )
        if seeds.sum() > 1:
            tests.append((first, second, permutation_test(one[seeds], other[seeds])))
    return ClassPairs(
        pairs=tuple(pairs),
        tests=adjusted_pairs(tests),
        seeds_of_three=int(np.count_nonzero(np.sum(list(of_class.values()), axis=0) > 2)),
    )
