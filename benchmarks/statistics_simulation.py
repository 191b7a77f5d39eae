"""Simulate the false positive rates of the significance tests and the coverage of the confidence intervals.

    python -m benchmarks.statistics_simulation --simulations 2000

The run takes about ten minutes. Each seed has a difficulty: a model classifies its variants correctly with a
probability drawn from a Beta distribution, so that results within a seed are correlated. Two models without a
difference have the same probabilities.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from merge_snli.statistics import (
    POWER,
    Interval,
    bootstrap_intervals,
    compare_models,
    independent_t_test,
    mcnemar_test,
    observed_gaps,
    paired_t_test,
    permutation_test,
    smallest_paired,
)

N_SEEDS, N_MODELS, D, POOL, N_SUBSAMPLES = 200, 13, 20, 40, 10
PASSING = 18  # of 20, at 0.9
A, B = 3.0, 0.5  # most seeds are easy, a few are hard
ALPHA, LEVEL = 0.05, 0.95
N_RESAMPLES = 999
RANDOM_SEED = 2025
FAMILIES = (2, 40, 200)

TRUE_SA = A / (A + B)
TRUE_PA = float(stats.betabinom.sf(PASSING - 1, D, A, B))

Counts = NDArray[np.int64]


def right_by_seed(rng: np.random.Generator, chances: NDArray[np.float64]) -> Counts:
    """Return the number of correct variants (of D) of each seed."""
    return rng.binomial(D, chances)


def two_models(rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Return the counts of two models without a difference on the same seeds."""
    chances = rng.beta(A, B, N_SEEDS)
    return right_by_seed(rng, chances), right_by_seed(rng, chances)


def p_of_paired_t(rng: np.random.Generator) -> float:
    """Return the p-value of a paired t-test on SA of models on seeds and on variants, without a difference."""
    skill = rng.normal(0.9, 0.02, N_MODELS)
    first, second = skill + rng.normal(0, 0.01, (2, N_MODELS))
    return paired_t_test(first, second).p_value


def p_of_independent_t(rng: np.random.Generator) -> float:
    """Return the p-value of a t-test on two samples with equal means and different variances and sizes."""
    return independent_t_test(rng.normal(0.85, 0.01, N_MODELS), rng.normal(0.85, 0.03, N_MODELS + 5)).p_value


def p_of_mcnemar(rng: np.random.Generator) -> float:
    """Return the p-value of McNemar's test on the seeds that pass 0.9."""
    first, second = two_models(rng)
    return mcnemar_test(first >= PASSING, second >= PASSING).p_value


def p_of_permutation(rng: np.random.Generator) -> float:
    """Return the p-value of a permutation test on SA per seed."""
    first, second = two_models(rng)
    return permutation_test(first / D, second / D).p_value


def p_of_small_permutation(rng: np.random.Generator) -> float:
    """Return the p-value on ten seeds, with continuous values: an upper bound."""
    chances = rng.beta(A, B, 10)
    first, second = chances + rng.normal(0, 0.1, (2, 10))
    return permutation_test(first, second).p_value


def passed_in_subsamples(rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return whether two equal models pass each seed in each of ten overlapping subsamples, [2, subsamples, seeds]."""
    chances = rng.beta(A, B, (N_SEEDS, 1))
    right = rng.random((2, N_SEEDS, POOL)) < chances
    drawn = rng.random((N_SUBSAMPLES, N_SEEDS, POOL)).argsort(axis=-1)[..., :D]
    in_draw = np.take_along_axis(right[:, None], drawn[None], axis=-1).sum(axis=-1)
    return np.asarray(in_draw >= PASSING)


def p_of_t_over_subsamples(rng: np.random.Generator) -> float:
    """Return the p-value of a t-test on PA(0.9) over overlapping subsamples, which is not valid."""
    first, second = passed_in_subsamples(rng).mean(axis=-1)
    return paired_t_test(first, second, unit="subsample").p_value


def p_of_permutation_over_subsamples(rng: np.random.Generator) -> float:
    """Return the p-value of a permutation test on the share of the subsamples in which a seed passes."""
    first, second = passed_in_subsamples(rng).mean(axis=1)
    return permutation_test(first, second).p_value


def p_of_mcnemar_over_subsamples(rng: np.random.Generator) -> float:
    """Return the p-value of McNemar's test on the seeds that pass in more than half of the subsamples."""
    first, second = passed_in_subsamples(rng).mean(axis=1) > 0.5
    return mcnemar_test(first, second).p_value


def share_correct(correct: NDArray[np.float64], sizes: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """Return SA from the counts of correct and of all variants by seed."""
    return np.asarray(correct.sum(axis=axis) / sizes.sum(axis=axis))


def interval_of(kind: str) -> Callable[[np.random.Generator], tuple[Interval, float]]:
    """Return an experiment that returns an interval and the true value."""

    def experiment(rng: np.random.Generator) -> tuple[Interval, float]:
        right = right_by_seed(rng, rng.beta(A, B, N_SEEDS))
        options = {"n_resamples": N_RESAMPLES, "random_seed": int(rng.integers(2**31))}
        if kind == "SA, rows resampled":  # wrong: treats variants as independent
            rows = (np.arange(D) < right[:, None]).ravel().astype(float)
            spread = float(np.sqrt(rows.var() / rows.size)) * float(stats.norm.ppf((1 + LEVEL) / 2))
            mean = float(rows.mean())
            return Interval(low=mean - spread, high=mean + spread, level=LEVEL, method="normal", unit="row"), TRUE_SA
        what, method = kind.split(", ")
        if what == "PA":
            (interval,) = bootstrap_intervals([np.mean], right >= PASSING, method=method, **options)  # type: ignore[arg-type]
            return interval, TRUE_PA
        sizes = np.full(N_SEEDS, D)
        (interval,) = bootstrap_intervals([share_correct], right, sizes, method=method, **options)  # type: ignore[arg-type]
        return interval, TRUE_SA

    return experiment


def unequal_sizes(rng: np.random.Generator) -> tuple[Interval, float]:
    """Return an interval for SA with 20 to 90 variants per seed, and the true value."""
    sizes = rng.integers(20, 91, N_SEEDS)
    right = rng.binomial(sizes, rng.beta(A, B, N_SEEDS))
    seed = int(rng.integers(2**31))
    (interval,) = bootstrap_intervals([share_correct], right, sizes, n_resamples=N_RESAMPLES, random_seed=seed)
    return interval, TRUE_SA


def paired_difference(rng: np.random.Generator) -> tuple[Interval, float]:
    """Return the interval of a permutation test, and the true value."""
    first, second = two_models(rng)
    return permutation_test(first / D, second / D).interval, 0.0


def mcnemar_difference(rng: np.random.Generator) -> tuple[Interval, float]:
    """Return the interval of McNemar's test, and the true value."""
    first, second = two_models(rng)
    return mcnemar_test(first >= PASSING, second >= PASSING).interval, 0.0


def t_difference(rng: np.random.Generator) -> tuple[Interval, float]:
    """Return the interval of a paired t-test over models, and the true value."""
    first, second = rng.normal(0.9, 0.02, N_MODELS) + rng.normal(0, 0.01, (2, N_MODELS))
    return paired_t_test(first, second).interval, 0.0


FALSE_POSITIVES: dict[str, Callable[[np.random.Generator], float]] = {
    "paired t-test over 13 models": p_of_paired_t,
    "independent t-test (Welch), 13 and 18 values": p_of_independent_t,
    "McNemar's test on 200 seeds": p_of_mcnemar,
    "permutation test on 200 seeds": p_of_permutation,
    "permutation test over seeds in 10 overlapping subsamples": p_of_permutation_over_subsamples,
    "McNemar's test over seeds in 10 overlapping subsamples": p_of_mcnemar_over_subsamples,
    "permutation test on 10 seeds, continuous values": p_of_small_permutation,
}
# Few p-values are possible, so an exact test rejects less often than its level says.
CONSERVATIVE = {"McNemar's test on 200 seeds", "McNemar's test over seeds in 10 overlapping subsamples"}
COVERAGES: dict[str, Callable[[np.random.Generator], tuple[Interval, float]]] = {
    "SA, BCa over seeds": interval_of("SA, BCa"),
    "SA, percentile over seeds": interval_of("SA, percentile"),
    "SA, seeds of 20 to 90 variants, BCa": unequal_sizes,
    "PA(0.9), BCa over seeds": interval_of("PA, BCa"),
    "PA(0.9), percentile over seeds": interval_of("PA, percentile"),
    "difference of SA, permutation test": paired_difference,
    "difference of PA, McNemar's test": mcnemar_difference,
    "difference over models, paired t-test": t_difference,
}
WARNED: dict[str, Callable[[np.random.Generator], float]] = {
    "paired t-test over 10 overlapping subsamples": p_of_t_over_subsamples,
}
WRONG: dict[str, Callable[[np.random.Generator], tuple[Interval, float]]] = {
    "SA, rows treated as independent": interval_of("SA, rows resampled"),
}


@dataclass(frozen=True)
class Rate:
    """A simulated rate and its expected range."""

    name: str
    rate: float
    low: float
    high: float

    @property
    def within(self) -> bool:
        """Whether the rate is in its expected range."""
        return self.low <= self.rate <= self.high


def false_positives(name: str, simulations: int) -> Rate:
    """Return how often a test is significant without a difference, and the 99% band around 5%."""
    experiment = (FALSE_POSITIVES | WARNED)[name]
    rng = np.random.default_rng(RANDOM_SEED)
    rate = sum(experiment(rng) < ALPHA for _ in range(simulations)) / simulations
    low, high = stats.binom.interval(0.99, simulations, ALPHA)
    if name in CONSERVATIVE:
        low = 0
    return Rate(name, rate, float(low) / simulations, float(high) / simulations)


def shares_of_models(rng: np.random.Generator, models: int, seeds: int) -> dict[str, NDArray[np.float64]]:
    """Return the share of the subsamples in which each of some equally good models passes each seed."""
    difficulty = rng.normal(size=seeds)
    strength = 0.5 + difficulty + 0.8 * rng.normal(size=(models, seeds))
    shares = np.clip(np.round(0.5 + strength, 1), 0, 1)
    return {f"m{number}": column for number, column in enumerate(shares)}


def family_false_alarms(models: int, simulations: int) -> Rate:
    """Return how often any pair of equally good models differs, and the range up to the 99% band around 5%."""
    rng = np.random.default_rng(RANDOM_SEED)
    found = 0
    for _ in range(simulations):
        family = compare_models(shares_of_models(rng, models, N_SEEDS), alpha=ALPHA)
        found += any(pair.differs for pair in family.pairs)
    high = float(stats.binom.ppf(0.995, simulations, ALPHA)) / simulations
    return Rate(f"{models} equal models, {simulations} simulations", found / simulations, 0.0, high)


def power_of_family(models: int, simulations: int) -> Rate:
    """Return how often the smallest difference that is promised to be found is found among many models.

    The test of a pair must pass the strictest step of Holm's method. The promise is a power of 80%, or a little more
    where p-values are discrete.
    """
    rng = np.random.default_rng(RANDOM_SEED)
    gaps = observed_gaps(shares_of_models(rng, models, 5_000))
    level = ALPHA / (models * (models - 1) / 2)
    smallest = smallest_paired(gaps, N_SEEDS, alpha=level)
    if smallest is None or smallest > gaps.mean:
        raise ValueError(f"no difference is found among {models} models on {N_SEEDS} seeds: choose more seeds")
    found = 0
    for _ in range(simulations):
        gap_of_seed = rng.choice(gaps.values, size=N_SEEDS, p=gaps.shares)
        better = rng.random(N_SEEDS) < (1 + smallest / gaps.mean) / 2
        result = permutation_test(np.where(better, gap_of_seed, 0), np.where(better, 0, gap_of_seed))
        found += result.p_value < level and result.difference > 0
    name = f"{100 * smallest:.1f} points among {models} models, promised {POWER:.0%}"
    return Rate(name, found / simulations, POWER - 0.03, POWER + 0.1)


def coverage(name: str, simulations: int) -> Rate:
    """Return how often an interval contains the true value; expected is the nominal level ± 2 points."""
    experiment = (COVERAGES | WRONG)[name]
    rng = np.random.default_rng(RANDOM_SEED)
    covered = 0
    for _ in range(simulations):
        interval, truth = experiment(rng)
        covered += interval.low <= truth <= interval.high
    return Rate(name, covered / simulations, LEVEL - 0.02, LEVEL + 0.02)


def print_rate(what: str, rate: Rate) -> None:
    """Print one row of the table."""
    within = "yes" if rate.within else "no"
    sys.stdout.write(f"| {what}: {rate.name} | {rate.rate:.2%} | {rate.low:.2%} to {rate.high:.2%} | {within} |\n")
    sys.stdout.flush()


def main() -> None:
    """Run all simulations and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2000, help="number of simulations (default: 2000)")
    simulations = parser.parse_args().simulations
    start = time.perf_counter()
    sys.stdout.write(
        f"{simulations:,} simulations each\n\n| what | rate | expected | within |\n| --- | --- | --- | --- |\n"
    )
    tests: list[tuple[str, Callable[[str, int], Rate], dict[str, object]]] = [
        ("false positives", false_positives, {**FALSE_POSITIVES, **WARNED}),
        ("coverage", coverage, {**COVERAGES, **WRONG}),
    ]
    for what, run, names in tests:
        for name in names:
            print_rate(what, run(name, simulations))
    for models in FAMILIES:
        print_rate("family-wise false positives", family_false_alarms(models, max(20, 2 * simulations // models)))
    print_rate("power", power_of_family(40, simulations))
    sys.stdout.write(f"\n{time.perf_counter() - start:.0f} s\n")


if __name__ == "__main__":
    main()
