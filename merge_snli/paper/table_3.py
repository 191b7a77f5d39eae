"""Table 3 of the paper, and the tests of whether variants are harder than their seeds (section 5.1)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from merge_snli.base.arrays import Floats
from merge_snli.base.files import JsonObject
from merge_snli.base.table import count
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.comparison.testing import Significance
from merge_snli.results.grouping import best_first
from merge_snli.statistics import (
    Family,
    NamedTest,
    TestResult,
    mean_of_known,
    paired_t_test,
    permutation_test,
    ratios,
)

# PA at the quality threshold in `report.json`.
PA = "pattern_accuracy"
# The scores in Table 3: their names in `report.json`, and in a row of scores.
SCORES = {
    "source": "source_accuracy",
    "on_seeds": "seed_accuracy",
    "on_variants": "sample_accuracy",
    PA: "pattern_accuracy",
    "qt": "qt",
}

# The sample accuracies that are compared, by the names of their columns.
COMPARED = {"source": "source", "seeds": "on_seeds", "variants": "on_variants"}


@dataclass(frozen=True, kw_only=True)
class Table3:
    """Table 3.

    Attributes:
        rows: The models, best PA first, then by name: the name, the number of seeds that it was scored on, the `SCORES`
            as shares with their intervals as `NAME_interval`, the number of problems of the source, MT, and letters.
            Models that share a letter do not differ in PA at the quality threshold; empty with one model. What a
            result does not have is None.
        coverage: If only the seeds that all models have are kept, the models that have fewer, with number and reason.
        apart: The other models on the same data, each with what it lacks of the seeds.
        level: Nominal coverage of the intervals; None without intervals.
        method: Method of the intervals, or methods; None without intervals.
        family: The tests of all pairs of models over their seeds, adjusted by Holm's method; None with one model or
            fewer than two common seeds.
    """

    rows: tuple[JsonObject, ...]
    coverage: tuple[str, ...]
    apart: Mapping[str, str]
    level: float | None
    method: str | None
    family: Family | None


def table_3(scored: ScoredDataset, significance: Significance | None = None) -> Table3:
    """Collect the columns of Table 3, with intervals, and the letters of the models.

    Args:
        scored: A config of a data set.
        significance: How the models are tested; by default with the permutation test at 5%.
    """
    named = {model.name: model.result for model in scored.models}
    family = (significance or Significance()).family_if_any(named)
    levels = []
    methods: dict[str, None] = {}
    for result in named.values():
        intervals = result.scores.intervals
        if intervals is not None:
            levels.append(intervals.level)
            methods |= dict.fromkeys(intervals.methods.values())
    letters = {} if family is None else family.letters
    rows = [_row(model, letters.get(model.name, "")) for model in scored.models]
    rows.sort(key=lambda row: best_first(math.nan if row[PA] is None else row[PA], row["model"]))
    return Table3(
        rows=tuple(rows),
        coverage=scored.coverage,
        apart=scored.apart,
        level=levels[0] if levels else None,
        method=" or ".join(methods) or None,
        family=family,
    )


def _row(model: ModelAnswers, letters: str) -> JsonObject:
    row = model.result.row
    shown: JsonObject = {"model": model.name, "seeds": row["groups"]}
    for name, score in SCORES.items():
        shown |= {name: row[score], f"{name}_interval": row.ends(score)}
    return shown | {"source_problems": row["source_problems"], "mt": row["mt"], "letters": letters}


@dataclass(frozen=True, kw_only=True)
class SeedsAgainstVariants:
    """The tests of seeds against variants.

    Attributes:
        over_models: The paper's paired t-test of each two columns of sample accuracies in Table 3 that all models have;
            none with fewer than two models. The column of the source needs models that were scored with `--source`.
        over_seeds: Paired permutation test. The values of a seed are the mean over models of whether it is answered
            right, and of the share of its drawn variants answered right, mean over the subsamples. Every seed counts
            once, while a seed of two classes counts twice in SA on variants, so the differences are not the same.
    """

    over_models: tuple[NamedTest, ...]
    over_seeds: TestResult


def seeds_against_variants(scored: ScoredDataset) -> SeedsAgainstVariants:
    """Test sample accuracy on seeds against sample accuracy on their variants.

    Args:
        scored: A config of a data set.

    Raises:
        NotComputable: If fewer than two seeds have drawn variants that every model has predictions on.
    """
    on_seeds = np.mean([model.seeds.correct for model in scored.models], axis=0)
    on_variants = np.mean([_shares_right(model) for model in scored.models], axis=0)
    known = ~np.isnan(on_variants)
    if known.sum() < 2:
        raise NotComputable(
            f"seeds and variants cannot be compared: {count(int(known.sum()), 'seed')} with drawn variants that every "
            "model has predictions on, and at least two are needed"
        )
    return SeedsAgainstVariants(
        over_models=_over_models(scored),
        over_seeds=permutation_test(on_seeds[known], on_variants[known]),
    )


def _shares_right(model: ModelAnswers) -> Floats:
    """Return the share of each seed's variants that a model answers right, mean over the subsamples, [n_seeds]."""
    table = model.answers.counts()
    return mean_of_known(ratios(table.correct, table.sizes), axis=0)


def _over_models(scored: ScoredDataset) -> tuple[NamedTest, ...]:
    if len(scored.models) < 2:
        return ()
    columns = {}
    for name, column in COMPARED.items():
        scores = np.array([model.result.row[SCORES[column]] for model in scored.models], dtype=np.float64)
        if not np.isnan(scores).any():
            columns[name] = scores
    tests = []
    for first, second in combinations(columns, 2):
        result = paired_t_test(columns[first], columns[second], unit="model")
        tests.append(NamedTest(first=first, second=second, result=result))
    return tuple(tests)
