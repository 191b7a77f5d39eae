"""Significance tests and confidence intervals for pattern accuracy.

Everything in `__all__` may be imported from outside. scipy and statsmodels are imported only when a test runs.
"""

from .bootstrap import (
    bootstrap_interval,
    bootstrap_intervals,
    mean_interval,
    share_correct,
    stratified_interval,
    weighted_intervals,
)
from .clustered import clustered_error
from .every_threshold import PairAtThresholds, compare_at_thresholds
from .families import Family, PairResult, adjusted_pairs, compact_letters, compare_models, holm, p_matrix
from .outcomes import OVERLAP_WARNING, Interval, TestResult
from .paired_tests import mcnemar_test, permutation_test
from .passes import passes_by_seed, values_for
from .proportions import constant_interval, proportion_interval
from .t_tests import independent_t_test, paired_t_test
from .values import ratios

__all__ = [
    "OVERLAP_WARNING",
    "Family",
    "Interval",
    "PairAtThresholds",
    "PairResult",
    "TestResult",
    "adjusted_pairs",
    "bootstrap_interval",
    "bootstrap_intervals",
    "clustered_error",
    "compact_letters",
    "compare_at_thresholds",
    "compare_models",
    "constant_interval",
    "holm",
    "independent_t_test",
    "mcnemar_test",
    "mean_interval",
    "p_matrix",
    "paired_t_test",
    "passes_by_seed",
    "permutation_test",
    "proportion_interval",
    "ratios",
    "share_correct",
    "stratified_interval",
    "values_for",
    "weighted_intervals",
]
