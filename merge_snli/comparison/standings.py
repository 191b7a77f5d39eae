"""State what was found about models on the same data at the quality threshold, as pages and tables begin with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from merge_snli.base.table import capitalized
from merge_snli.comparison.findings import not_compared, ranking, standing
from merge_snli.comparison.testing import Significance
from merge_snli.results.grouping import NamedResults, missing_groups, permuted_labels, two_way_suffix
from merge_snli.results.result import Result


@dataclass(frozen=True)
class Standings:
    """What was found about models on one config at the quality threshold.

    Attributes:
        finding: The best model, and from which others it differs significantly; two-way models by themselves.
        letters: Models that share a letter do not differ significantly, as in `Comparison`; none of a model that is
            not tested, and of two-way models among others.
        models: What was found about each model.
    """

    finding: str
    letters: Mapping[str, str]
    models: Mapping[str, str]


def standings(named: NamedResults, significance: Significance | None = None) -> Standings:
    """Test all pairs of models on the same seeds; a model that lacks some of them is not tested.

    Args:
        named: Results on one config of one data set by display name, at least one, as `aligned` returns them.
        significance: How they are tested; by default with the permutation test at 5%.
    """
    significance = significance or Significance()
    kinds: dict[str, dict[str, Result]] = {}
    for name, result in named.items():
        kinds.setdefault(two_way_suffix(result), {})[name] = result
    sentences = []
    letters: dict[str, str] = {}
    models: dict[str, str] = {}
    for kind, of_kind in kinds.items():
        found = _of_kind(of_kind, significance)
        models |= found.models
        if len(kinds) == 1 or not kind:
            sentences.append(found.finding)
            letters |= found.letters
        else:
            sentences.append(f"{capitalized(kind.removeprefix(', '))}: {found.finding}")
    return Standings(" ".join(sentences), letters, models)


def _of_kind(named: NamedResults, significance: Significance) -> Standings:
    """Test models that answer with the same labels."""
    reasons = dict(zip(named, missing_groups(list(named.values())), strict=True))
    compared = {name: result for name, result in named.items() if reasons[name] is None}
    apart = {name: reason for name, reason in reasons.items() if reason is not None}
    family = significance.family_if_any(compared)
    finding = ranking(
        {name: result.row.share("pattern_accuracy") for name, result in compared.items()},
        {name: result.row.ends("pattern_accuracy") for name, result in compared.items()},
        family,
        permuted=[name for name, result in compared.items() if permuted_labels(result)],
    )
    models = {}
    for name, result in named.items():
        models[name] = standing(name, result.row, result.units[0], family)
    return Standings(finding + not_compared(apart), {} if family is None else family.letters, models)
