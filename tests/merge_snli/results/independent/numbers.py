"""Data sets and predictions as pandas frames, and tests, intervals and curves of them from their definitions."""

import json
import math
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

from tests.many_models import holm_adjusted, signs_p

Json = dict[str, Any]


# A pandas data frame.
Frame: TypeAlias = Any


# A pandas series.
Series: TypeAlias = Any


@dataclass(frozen=True)
class Data:
    """One config of a data set.

    Attributes:
        record: The content of `run.json`.
        config: The config.
        seeds: One row per seed, by id, in the order of the variants: premise, hypothesis, gold and copied columns.
        variants: One row per variant: seed, word_class, original, replacement, log_odds, masked_lms (a set).
        subsamples: One row per subsample: variant and subsample.
        results: The result file of each model, by name.
        answers: Predicted label of each model on each variant, a column per model; missing if it was left out.
        on_seeds: Predicted label of each model on each seed, a column per model.
        removed: The same of the seeds that were left out, with their gold label.
    """

    record: Json
    config: str
    seeds: Frame
    variants: Frame
    subsamples: Frame
    results: dict[str, Json]
    answers: Frame
    on_seeds: Frame
    removed: Frame

    def without(self, ids: Collection[str]) -> Self:
        """Return the data without some seeds."""
        kept = ~self.variants["seed"].isin(ids)
        return replace(
            self,
            seeds=self.seeds[~self.seeds.index.isin(ids)],
            variants=self.variants[kept],
            subsamples=self.subsamples[self.subsamples["variant"].isin(self.variants.index[kept])],
            answers=self.answers[kept],
            on_seeds=self.on_seeds[~self.on_seeds.index.isin(ids)],
        )

    def lacking(self) -> set[str]:
        """Return the seeds that some model has no prediction on."""
        return {*self.on_seeds.index[self.on_seeds.isna().any(axis=1)]}

    @property
    def models(self) -> list[str]:
        return list(self.results)

    def compared(self, label: str, model: str) -> str:
        """Return a label in the labels in which a model is compared."""
        return label if label in self.results[model]["compared_labels"] else "not_entailment"

    def gold(self, model: str) -> Series:
        """Return the gold label of each seed as it is compared with the model's predictions."""
        return self.seeds["gold"].map(lambda label: self.compared(label, model))

    def right(self, model: str) -> Series:
        """Return whether the model is right on each variant."""
        return self.answers[model] == self.variants["seed"].map(self.gold(model))

    def drawn(self, model: str, mask: Series = None, right: Series = None) -> Frame:
        """Return one row per subsample that the model has a prediction on: variant, subsample, seed and right.

        Args:
            model: The model.
            mask: Whether each variant counts; by default all.
            right: Whether the model counts as right on each variant; by default its own.
        """
        right = self.right(model) if right is None else right
        chosen = self.answers[model].notna() if mask is None else self.answers[model].notna() & mask
        rows = self.variants.assign(right=right)[chosen][["seed", "right"]]
        return self.subsamples.join(rows, on="variant", how="inner")


def read(folder: Path, results: Sequence[Path], without: Collection[str] = ()) -> list[Data]:
    """Read each config of a data set that has results, `all` first.

    Args:
        folder: Folder of the data set.
        results: Result files, in the order of the report.
        without: Ids of seeds to leave out.
    """
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    contents: list[Json] = []
    for path in results:
        table = pd.read_parquet(path.with_suffix(".parquet"))
        contents.append(json.loads(path.read_text(encoding="utf-8")) | {"table": table})
    own: dict[str, list[Json]] = {"all": []}
    for value in contents:
        if value["dataset"]["digest"] == record["data"]["digest"]:
            own.setdefault(value["dataset"]["config"], []).append(value)
    return [_config(folder, record, config, of_config, {*without}) for config, of_config in own.items()]


def _config(folder: Path, record: Json, config: str, results: Sequence[Json], without: set[str]) -> Data:
    rows = pd.read_parquet(folder / f"data/{config}/test.parquet")
    names = [result["model"]["name"] for result in results]
    gold = rows["label"].map(dict(enumerate(results[0]["dataset"]["labels"])))
    variants = rows.rename(columns={"seed_id": "seed"})[["seed", "word_class", "original", "replacement", "log_odds"]]
    masked_lms = [{*one, *other} for one, other in zip(rows["premise_mlms"], rows["hypothesis_mlms"], strict=True)]
    variants = variants.assign(masked_lms=pd.Series(masked_lms, index=rows.index))
    seeds = rows.assign(gold=gold).groupby("seed_id", sort=False).first()
    texts = {"premise": seeds["seed_premise"], "hypothesis": seeds["seed_hypothesis"]}
    seeds = seeds.assign(**texts).filter(["premise", "hypothesis", "gold", "annotator_labels"])
    answers, on_seeds = pd.DataFrame(index=rows.index), pd.DataFrame(index=seeds.index)
    for name, result in zip(names, results, strict=True):
        given = result.pop("table").set_index("row_id")
        answers[name] = rows["variant_id"].map(given["answer"][~given["is_seed"]]).astype(object)
        on_seeds[name] = given["answer"][given["is_seed"]]
    subsamples = rows["subsamples"].explode().dropna().rename("subsample").rename_axis("variant").reset_index()
    kept = ~variants["seed"].isin(without)
    return Data(
        record=record,
        config=config,
        seeds=seeds[~seeds.index.isin(without)],
        variants=variants[kept],
        subsamples=subsamples[subsamples["variant"].isin(variants.index[kept])].astype(int),
        results=dict(zip(names, results, strict=True)),
        answers=answers[kept],
        on_seeds=on_seeds[~on_seeds.index.isin(without)],
        removed=on_seeds.assign(gold=seeds["gold"])[on_seeds.index.isin(without)],
    )


PERCENTS = range(101)


QUALITY = 90


RESAMPLES = 9_999
# Largest sum of differences in units that is convolved.
MAX_SUM = 2**17


@dataclass(frozen=True)
class Near:
    """A number that is known up to a tolerance."""

    value: float
    tolerance: float


def cells(drawn: Frame) -> Frame:
    """Return the number of right and of all drawn variants of each seed in each subsample."""
    groups = drawn.groupby(["subsample", "seed"])["right"]
    return pd.DataFrame({"right": groups.sum(), "size": groups.size()}).astype(int)


def passing(table: Frame) -> Frame:
    """Return whether each cell of `cells` passes each threshold in percent, a column each; compares whole numbers."""
    right, size = (table[name].to_numpy()[:, np.newaxis] for name in ("right", "size"))
    return pd.DataFrame(100 * right >= np.array(PERCENTS) * size, index=table.index, columns=[*PERCENTS])


def pattern_accuracy(drawn: Frame, percent: int = QUALITY) -> float:
    """Return PA: the mean over the subsamples that have a variant."""
    return float(passing(cells(drawn))[percent].groupby("subsample").mean().mean()) if len(drawn) else math.nan


def sample_accuracy(drawn: Frame) -> float:
    """Return SA on variants: the mean over the subsamples."""
    return float(drawn.groupby("subsample")["right"].mean().mean())


def seed_value(drawn: Frame, percent: int = QUALITY) -> Series:
    """Return the share of the subsamples with variants of a seed in which it passes, by seed."""
    return passing(cells(drawn))[percent].groupby("seed").mean()


def mean_values(data: Data, mask: Series = None) -> Series:
    """Return the mean over models of `seed_value`, by seed; missing if a model has no variant of the seed."""
    by_model = {name: seed_value(data.drawn(name, mask)) for name in data.models}
    return pd.DataFrame(by_model, index=data.seeds.index).mean(axis=1, skipna=False)


def curve(drawn: dict[str, Frame], variants: int) -> Json:
    """Return a PA curve averaged over models, with the lowest and the highest subsample of the mean over models."""
    shares = {name: passing(cells(frame)).groupby("subsample").mean() for name, frame in drawn.items()}
    by_model = pd.DataFrame({name: share.mean() for name, share in shares.items()})
    over_models = pd.concat(shares).groupby("subsample").mean()
    complete = pd.concat(shares).groupby("subsample").size() == len(shares)
    return {
        "models": list(drawn),
        "seeds": max(frame["seed"].nunique() for frame in drawn.values()),
        "variants": variants,
        "mean": by_model.mean(axis=1).tolist(),
        "low": over_models[complete].min().tolist(),
        "high": over_models[complete].max().tolist(),
    }


def distinct(drawn: Frame) -> int:
    """Return the number of distinct drawn variants."""
    return int(drawn["variant"].nunique())


def matching_threshold(drawn: Frame, on_seeds: Fraction) -> float:
    """Return the highest threshold whose PA on the mean curve is nearest to SA on the seeds, with exact fractions."""
    by_subsample = passing(cells(drawn)).groupby("subsample")
    numbers, sizes = by_subsample.sum().to_numpy().tolist(), by_subsample.size().tolist()
    each = [[Fraction(number, size) for number in row] for row, size in zip(numbers, sizes, strict=True)]
    shares = [sum(column, start=Fraction(0)) / len(sizes) for column in zip(*each, strict=True)]
    nearest = min(abs(share - on_seeds) for share in shares)
    return max(percent for percent in PERCENTS if abs(shares[percent] - on_seeds) == nearest) / 100


def paired_test(first: Series, second: Series, p: Callable[[Series], float | Near | None], statistic: str) -> Json:
    """Return a test of paired differences, with Student's interval of their mean.

    Args:
        first: Values.
        second: Values of the same units.
        p: Computes the p-value from the differences; None if the test is not defined.
        statistic: "t" or "mean".
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    n, mean = len(differences), float(differences.mean())
    deviation = 0.0 if np.ptp(differences) <= 1e-12 else float(differences.std(ddof=1))
    half = float(stats.t.isf(0.025, n - 1)) * deviation / math.sqrt(n)
    effect = mean / deviation if deviation else (0.0 if abs(mean) <= 1e-12 else None)
    t = mean / (deviation / math.sqrt(n)) if deviation else effect
    return {
        "statistic": mean if statistic == "mean" else t,
        "p_value": p(differences),
        "n": n,
        "difference": mean,
        "interval": {"low": mean - half, "high": mean + half, "level": 0.95},
        "effect_size": effect,
    }


def paired_t_test(first: Series, second: Series) -> Json:
    """Return the paired t-test by scipy; its p-value is 1 for equal values, and missing if all differ by the same."""

    def p(differences: Series) -> float | None:
        if np.ptp(differences) <= 1e-12:
            return 1.0 if abs(differences.mean()) <= 1e-12 else None
        return float(stats.ttest_1samp(differences, 0).pvalue)

    return paired_test(first, second, p, "t")


def permutation_test(first: Series, second: Series) -> Json:
    """Return the paired permutation test: by integer convolution if the differences have a common unit.

    Else the p-value is an upper bound, which is compared with random signs: the share of 9,999 sign patterns differs
    from it by less than 5 standard errors, but for 1 in 1.7 million pairs, and by at most a tenth.
    """

    def p(differences: Series) -> float | Near:
        fractions = [Fraction(float(each)).limit_denominator(2_520) for each in differences]
        unit = math.lcm(*(fraction.denominator for fraction in fractions))
        steps = [int(fraction * unit) for fraction in fractions]
        if np.abs(differences * unit - steps).max() < 1e-9 * unit and np.abs(steps).sum() < MAX_SUM:
            return max(1e-12, signs_p(steps))
        signs = np.random.default_rng(20_261_122).choice((-1.0, 1.0), size=(RESAMPLES, len(differences)))
        estimate = float(np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-8))
        error = math.sqrt(max(estimate * (1 - estimate), 1 / RESAMPLES) / RESAMPLES)
        return Near(estimate, 5 * error + 0.1 * estimate)

    return paired_test(first, second, p, "mean")


def welch_test(first: Series, second: Series) -> Json:
    """Return Welch's test by scipy, with Cohen's d over the pooled standard deviation."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    found = stats.ttest_ind(a, b, equal_var=False)
    low, high = found.confidence_interval(0.95)
    difference = float(a.mean() - b.mean())
    freedom = len(a) + len(b) - 2
    pooled = math.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / freedom)
    return {
        "statistic": float(found.statistic),
        "p_value": float(found.pvalue),
        "n": len(a) + len(b),
        "difference": difference,
        "interval": {"low": float(low), "high": float(high), "level": 0.95},
        "effect_size": difference / pooled,
    }


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's step-down method; missing ones are not part of the family."""
    adjusted = iter(holm_adjusted([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


def adjusted_pairs(tests: list[tuple[str, str, Json]], reported: list[Json]) -> list[Json]:
    """Return tests of pairs with adjusted p-values.

    Args:
        tests: The tests of this module, in the order of the report.
        reported: The pairs of the report. Its p-values are adjusted here, because those of random permutations are
            known up to a tolerance only; each is compared with its own test.
    """
    adjusted = holm([pair["result"]["p_value"] for pair in reported])
    return [
        {"first": first, "second": second, "result": test, "adjusted_p": p, "differs": p is None or p < 0.05}
        for (first, second, test), p in zip(tests, adjusted, strict=True)
    ]


def family(values: Frame, reported: Json) -> Json:
    """Return the permutation tests between all pairs of columns, best mean first.

    Letters are checked by their meaning: two columns share one if and only if they do not differ.
    """
    means = {str(name): float(values[name].mean()) for name in values}
    names = sorted(means, key=lambda name: (-means[name], name))
    tests = [(one, other, permutation_test(values[one], values[other])) for one, other in combinations(names, 2)]
    pairs = adjusted_pairs(tests, reported["pairs"])
    letters = reported["letters"]
    smallest = 2.0 ** (1 - len(values))
    can_decide = len(pairs) * smallest < 0.05
    for pair in pairs:
        shared = {*letters[pair["first"]]} & {*letters[pair["second"]]}
        assert bool(shared) == (can_decide and not pair["differs"])
    return {
        "models": names,
        "means": means,
        "pairs": pairs,
        "alpha": 0.05,
        "letters": letters,
        "copies": {},  # no two models of the fixtures have the same answers
        "tests": len(pairs),
        "smallest_p": smallest,
    }


def bootstrap(statistic: Callable[..., Any], column: Series, *, resamples: int) -> tuple[float, float]:
    """Return scipy's BCa interval with the documented random seed 0; that of percentiles if it is undefined.

    Args:
        statistic: Function of the resampled column and an axis.
        column: Values by unit.
        resamples: Number of resamples.
    """

    def rounded(values: Series, axis: int) -> Series:
        return np.round(statistic(values, axis=axis), 11)

    values = np.asarray(column, dtype=float)
    with warnings.catch_warnings(action="ignore"):
        found = stats.bootstrap(
            (values,), rounded, vectorized=True, n_resamples=resamples, rng=np.random.default_rng(0)
        )
    low, high = found.confidence_interval
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = np.quantile(found.bootstrap_distribution, [0.025, 0.975])
    return float(low), float(high)
