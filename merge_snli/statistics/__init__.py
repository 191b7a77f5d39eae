"""Significance tests and confidence intervals for pattern accuracy.

Everything in `__all__` may be imported from outside. scipy is imported only when a test runs.
"""

from merge_snli.statistics.bootstrap import bootstrap_intervals, stratified_interval
from merge_snli.statistics.exact import SMALLEST_P
from merge_snli.statistics.families import (
    Family,
    NamedTest,
    PairResult,
    adjusted_pairs,
    compare_models,
    p_matrix,
    passes_by_seed,
    values_for,
)
from merge_snli.statistics.letters import compact_letters
from merge_snli.statistics.logistic import clustered_error
from merge_snli.statistics.multiple import holm
from merge_snli.statistics.paired_tests import (
    PairAtThresholds,
    compare_at_thresholds,
    mcnemar_test,
    permutation_test,
)
from merge_snli.statistics.power import (
    POWER,
    Distribution,
    assumed_gaps,
    distribution_of,
    interval_width,
    observed_gaps,
    smallest_paired,
    smallest_unpaired,
)
from merge_snli.statistics.sums import intervals_of_sums
from merge_snli.statistics.t_tests import independent_t_test, paired_t_test
from merge_snli.statistics.values import (
    OVERLAP_WARNING,
    Interval,
    TestResult,
    constant_interval,
    mean_of_known,
    proportion_interval,
    ratios,
)

__all__ = [
    "OVERLAP_WARNING",
    "POWER",
    "SMALLEST_P",
    "Distribution",
    "Family",
    "Interval",
    "NamedTest",
    "PairAtThresholds",
    "PairResult",
    "TestResult",
    "adjusted_pairs",
    "assumed_gaps",
    "bootstrap_intervals",
    "clustered_error",
    "compact_letters",
    "compare_at_thresholds",
    "compare_models",
    "constant_interval",
    "distribution_of",
    "holm",
    "independent_t_test",
    "interval_width",
    "intervals_of_sums",
    "mcnemar_test",
    "mean_of_known",
    "observed_gaps",
    "p_matrix",
    "paired_t_test",
    "passes_by_seed",
    "permutation_test",
    "proportion_interval",
    "ratios",
    "smallest_paired",
    "smallest_unpaired",
    "stratified_interval",
    "values_for",
]
