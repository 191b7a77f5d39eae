"""Made-up shares of many models, and exact tests of them by plain integer arithmetic."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import stats

from merge_snli.base.arrays import Floats


def many_models(models: int, seeds: int, *, highest: float = 0.985, lowest: float = 0.031) -> dict[str, Floats]:
    """Return the share of ten subsamples in which each model passes each seed, of accuracies at equal distances."""
    rng = np.random.default_rng(models)
    difficulty = rng.normal(size=seeds)
    found = {}
    for number, accuracy in enumerate(np.linspace(highest, lowest, models)):
        skill = 1.5 * float(stats.norm.ppf(accuracy))
        strength = skill + difficulty + 0.5 * rng.normal(size=seeds)
        found[f"model-{number:03}"] = np.clip(np.round(0.5 + strength, 1), 0, 1)
    return found


def signs_p(steps: Sequence[int]) -> float:
    """Return the share of all signs of some whole numbers whose sum is at least as far from 0, by convolution."""
    ways = {0: 1}
    for step in steps:
        if step:
            added: dict[int, int] = {}
            for total, number in ways.items():
                for reached in (total + step, total - step):
                    added[reached] = added.get(reached, 0) + number
            ways = added
    observed = abs(sum(steps))
    extreme = sum(number for total, number in ways.items() if abs(total) >= observed)
    return float(Fraction(extreme, sum(ways.values())))


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, from its definition."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=lambda number: p_values[number])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted
