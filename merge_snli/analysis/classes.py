"""Compare the word classes, averaged over the models (section 5.2 and Figure 5 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.curves import averaged
from merge_snli.analysis.not_computable import NotComputable
from merge_snli.schema import WORD_CLASSES
from merge_snli.scoring.statistics import independent_t_test

if TYPE_CHECKING:
    from merge_snli.analysis.curves import MeanCurve
    from merge_snli.analysis.scored_dataset import ScoredDataset
    from merge_snli.scoring.statistics import TestResult


@dataclass(frozen=True, kw_only=True)
class ClassCurve:
    """The PA curve on the drawn variants of one word class."""

    name: str
    curve: MeanCurve


@dataclass(frozen=True, kw_only=True)
class ClassTest:
    """Welch's t-test between two word classes, over seeds, as in footnote 9 of the paper.

    The value of a seed is the mean over models of the share of subsamples in which it passes the quality threshold with
    its variants of the class. As in the paper, the p-value is not adjusted for the number of pairs.
    """

    first: str
    second: str
    result: TestResult


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The word classes of a data set.

    Attributes:
        curves: Curve of each class with drawn variants.
        tests: Test of each pair of classes with at least two seeds each.
    """

    curves: tuple[ClassCurve, ...]
    tests: tuple[ClassTest, ...]


def classes(scored: ScoredDataset) -> Classes:
    """Draw the PA curve of each word class and test each pair of classes.

    Args:
        scored: A config of a data set.

    Raises:
        NotComputable: If the config has drawn variants of fewer than two classes.
    """
    masks = {name: scored.variants.of_class(name) for name in WORD_CLASSES}
    found = {name: averaged(scored, mask) for name, mask in masks.items() if (mask & scored.drawn).any()}
    if len(found) < 2:
        raise NotComputable(
            f"Figure 5 needs variants of two word classes; config {scored.record.config} has {', '.join(found)}: score "
            "the models on config all of a data set with several classes"
        )
    values = {name: each.values[~np.isnan(each.values)] for name, each in found.items()}
    testable = [name for name, column in values.items() if len(column) > 1]
    return Classes(
        curves=tuple(ClassCurve(name=name, curve=each.curve) for name, each in found.items()),
        tests=tuple(
            ClassTest(first=first, second=second, result=independent_t_test(values[first], values[second], unit="seed"))
            for first, second in combinations(testable, 2)
        ),
    )
