"""A whole report, from the result files, the data sets and what the user said: each analysis from its definition."""

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tests.merge_snli.results.independent.numbers import (
    QUALITY,
    RESAMPLES,
    Data,
    Frame,
    Json,
    Series,
    adjusted_pairs,
    bootstrap,
    cells,
    curve,
    distinct,
    family,
    matching_threshold,
    mean_values,
    paired_t_test,
    pattern_accuracy,
    permutation_test,
    read,
    sample_accuracy,
    seed_value,
    welch_test,
)

CLASSES = ("noun", "verb", "adj", "adv")


# The two sizes of each family of the masked LMs of the fixtures.
FAMILIES = (
    {"google-bert/bert-base-cased", "google-bert/bert-large-cased"},
    {"FacebookAI/roberta-base", "FacebookAI/roberta-large"},
)


def mean(values: Series) -> float:
    """Return the mean of the numbers that are defined, NaN if there is none."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def scored_seeds(data: Data, model: str) -> Frame:
    """Return the seeds that a model has predictions on: its answer on the seed, and whether that is right."""
    answered = data.on_seeds[model].dropna()
    return pd.DataFrame({"answer": answered, "right": answered == data.gold(model)[answered.index]})


def table_3(data: Data, reported: Json) -> Json:
    """Recompute Table 3; the accuracy on the source is in the result file only."""
    values = pd.DataFrame({name: seed_value(data.drawn(name)) for name in data.models}, index=data.seeds.index)
    rows = [_row(data, model) for model in data.models]
    rows.sort(key=lambda row: (-row["pattern_accuracy"], row["model"]))
    letters = reported["family"]["letters"] if reported["family"] else {}
    return {
        "rows": [row | {"letters": letters.get(row["model"], "")} for row in rows],
        "level": 0.95 if any(row["qt_interval"] for row in rows) else None,
        "family": family(values.dropna(), reported["family"]) if reported["family"] else None,
        "apart": {},  # models are on their common seeds
    }


def _row(data: Data, model: str) -> Json:
    drawn, seeds = data.drawn(model), scored_seeds(data, model)
    on_seeds = Fraction(int(seeds["right"].sum()), len(seeds))
    source, source_interval, problems = _on_source(data, model)
    return {
        "model": model,
        "seeds": len(seeds),
        "source": source,
        "source_interval": source_interval,
        "source_problems": problems,
        "on_seeds": float(on_seeds),
        "on_variants": sample_accuracy(drawn),
        "pattern_accuracy": pattern_accuracy(drawn),
        "qt": pattern_accuracy(drawn) - float(on_seeds),
        "mt": matching_threshold(drawn, on_seeds),
        **_intervals(drawn, seeds["right"]),
    }


def _on_source(data: Data, model: str) -> tuple[float | None, list[float] | None, int | None]:
    """Return SA on the source, its Wilson interval and the number of problems.

    A result file has no answers on single problems of the source, but for the seeds. The right ones are counted from
    the accuracy, and seeds that were left out are taken away.
    """
    source, removed = data.results[model]["source"], data.removed
    if source is None or removed[model].isna().any():
        return None, None, None
    right = round(source["overall"]["sample_accuracy"] * source["overall"]["problems"])
    right -= sum(removed[model] == removed["gold"].map(lambda label: data.compared(label, model)))
    n = source["overall"]["problems"] - len(removed)
    ends = proportion_confint(right, n, method="wilson")
    return right / n, [round(float(end), 5) for end in ends], n


INTERVALS = ("on_seeds_interval", "on_variants_interval", "pattern_accuracy_interval", "qt_interval")


def _intervals(drawn: Frame, on_seeds: Series) -> dict[str, list[float] | None]:
    """Return the intervals of SA on seeds, SA and PA on variants, and QT.

    SA and PA are means of shares over the subsamples that have any of the resampled seeds. Seeds that no subsample
    drew are resampled for the other two only.
    """
    table = cells(drawn).unstack("subsample").reindex(on_seeds.index)
    size = table["size"].fillna(0).to_numpy()
    right = table["right"].fillna(0).to_numpy()
    some = size.any(axis=1)
    if some.sum() < 2:
        return dict.fromkeys(INTERVALS)
    passing = (size > 0) & (100 * right >= QUALITY * size)
    seeds = on_seeds.to_numpy(dtype=float)

    def share(part: Series, whole: Series, at: Series) -> Series:
        parts, wholes = part[at].sum(axis=-2), whole[at].sum(axis=-2)
        return np.nanmean(np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1), np.nan), axis=-1)

    def of_seeds(at: Series) -> Series:
        return seeds[at].mean(axis=-1)

    every, only = np.arange(len(seeds)), np.flatnonzero(some)
    ends = [
        _ends(of_seeds, every, lowest=0),
        _ends(lambda at: share(right, size, at), only, lowest=0),
        _ends(lambda at: share(passing, size > 0, at), only, lowest=0),
        _ends(lambda at: share(passing, size > 0, at) - of_seeds(at), every, lowest=-1),
    ]
    if np.isnan(ends).any():
        return dict.fromkeys(INTERVALS)
    return dict(zip(INTERVALS, np.round(np.round(ends, 11), 5).tolist(), strict=True))


def _ends(statistic: Callable[[Series], Series], units: Series, *, lowest: float) -> tuple[float, float]:
    """Return the ends of an interval; if no resample differs, a Wilson bound of the seeds that may."""
    low, high = bootstrap(lambda at, axis: statistic(at.astype(int)), units, resamples=RESAMPLES)
    if high - low > 1e-9:
        return low, high
    z, n = float(stats.norm.isf(0.025)), len(units)
    differing = z**2 / (n + z**2)
    return low - differing * (low - lowest), high + differing * (1 - high)


def seeds_against_variants(data: Data, _: Json) -> Json:
    """Recompute the tests of section 5.1: over models, and over seeds."""
    on_seeds = pd.DataFrame({name: data.on_seeds[name] == data.gold(name) for name in data.models}).mean(axis=1)
    by_model = {}
    for name in data.models:
        by_subsample = data.drawn(name).groupby(["subsample", "seed"])["right"].mean()
        by_model[name] = by_subsample.groupby("seed").mean()
    on_variants = pd.DataFrame(by_model, index=data.seeds.index).mean(axis=1, skipna=False).dropna()
    columns: dict[str, list[float | None]] = {
        "source": [_on_source(data, name)[0] for name in data.models],
        "seeds": [float(scored_seeds(data, name)["right"].mean()) for name in data.models],
        "variants": [sample_accuracy(data.drawn(name)) for name in data.models],
    }
    complete = {name: column for name, column in columns.items() if None not in column}
    tests = [
        {"first": first, "second": second, "result": paired_t_test(complete[first], complete[second])}
        for first, second in combinations(complete, 2)
    ]
    return {
        "over_models": tests if len(data.models) > 1 else [],
        "over_seeds": permutation_test(on_seeds[on_variants.index], on_variants),
    }


def model_curves(data: Data, _: Json) -> Json:
    """Recompute the curve of each model, best first."""
    curves = [curve({name: data.drawn(name)}, distinct(data.drawn(name))) for name in data.models]
    return {
        "threshold": 0.9,
        "seeds": len(data.seeds),
        "curves": sorted(curves, key=lambda one: (-one["mean"][QUALITY], one["models"])),
    }


def majority(data: Data, _: Json) -> Json:
    """Recompute the scores against majority labels."""
    two_way = any(len(result["compared_labels"]) == 2 for result in data.results.values())
    labels = ["entailment", "not_entailment"] if two_way else [*next(iter(data.results.values()))["compared_labels"]]

    def common(label: Series) -> Series:
        return label if label is None or label in labels or label != label else "not_entailment"

    votes = data.on_seeds.map(common).apply(pd.Series.value_counts, axis=1).reindex(columns=labels).fillna(0)
    vote = votes.idxmax(axis=1)
    ties = votes.eq(votes.max(axis=1), axis=0).sum(axis=1) > 1
    gold = data.seeds["gold"]
    names = next(iter(data.results.values()))["dataset"]["labels"]
    constant = max(names, key=lambda label: int((gold == label).sum()))
    models = {}
    for name in data.models:
        answers = data.answers[name]
        against_vote = answers.map(common) == data.variants["seed"].map(vote)
        models[name] = {
            "gold": pattern_accuracy(data.drawn(name)),
            "own": _against_own(data, name),
            "vote": pattern_accuracy(data.drawn(name, right=against_vote)),
            "constant": pattern_accuracy(data.drawn(name, right=answers == data.compared(constant, name))),
        }
    return {
        "models": models,
        "mean": pd.DataFrame(models).mean(axis=1).to_dict(),
        "labels": labels,
        "constant_label": constant,
        "constant_share": float((gold == constant).mean()),
        "tied_votes": int(ties.sum()),
        "vote_accuracy": float((vote == gold.map(common)).mean()),
    }


def _against_own(data: Data, model: str) -> float:
    drawn = data.drawn(model)
    drawn = drawn.assign(answer=drawn["variant"].map(data.answers[model]))
    most = drawn.groupby(["subsample", "seed", "answer"]).size().groupby(["subsample", "seed"]).max()
    size = drawn.groupby(["subsample", "seed"]).size()
    return float((100 * most >= QUALITY * size).groupby("subsample").mean().mean())


def _averaged(data: Data, mask: Series) -> Json:
    drawn = {name: data.drawn(name, mask) for name in data.models}
    return curve(drawn, max(map(distinct, drawn.values())))


def _classes(data: Data) -> dict[str, Any]:
    """Return whether each variant is of a class, by class that has a drawn variant."""
    drawn = data.variants.index.isin(data.subsamples["variant"])
    masks = {name: data.variants["word_class"] == name for name in CLASSES}
    return {name: mask for name, mask in masks.items() if (mask & drawn).any()}


def classes(data: Data, _: Json) -> Json:
    """Recompute Figure 5: the curve of each class, and Welch's test of any two over the seeds of only one of them."""
    masks = _classes(data)
    values = {name: mean_values(data, mask).dropna() for name, mask in masks.items()}
    tests = []
    for first, second in combinations(values, 2):
        both = values[first].index.intersection(values[second].index)
        one, other = values[first].drop(both), values[second].drop(both)
        if len(one) > 1 and len(other) > 1:
            tests.append({"first": first, "second": second, "result": welch_test(one, other)})
    return {"curves": {name: _averaged(data, mask) for name, mask in masks.items()}, "tests": tests}


def class_pairs(data: Data, reported: Json) -> Json:
    """Recompute Figure 6: two classes on the seeds that have drawn variants of both under every model."""
    masks = _classes(data)
    values = {name: mean_values(data, mask).dropna() for name, mask in masks.items()}
    pairs, tests = [], []
    for first, second in combinations(masks, 2):
        both = [*values[first].index.intersection(values[second].index)]
        if not both:
            continue
        of_both = data.variants["seed"].isin(both)
        curves = [_averaged(data, masks[name] & of_both) for name in (first, second)]
        pairs.append(
            {"first": first, "second": second, "seeds": len(both), "first_curve": curves[0], "second_curve": curves[1]}
        )
        if len(both) > 1:
            tests.append((first, second, permutation_test(values[first][both], values[second][both])))
    of_seed = Counter(seed for column in values.values() for seed in column.index)
    return {
        "pairs": pairs,
        "tests": adjusted_pairs(tests, reported["tests"]),
        "seeds_of_three": sum(number > 2 for number in of_seed.values()),
    }


def fine_tuned(data: Data, reported: Json) -> Json:
    """Recompute Figure 7; which model has which counterpart is taken from the report."""
    counterparts = reported["masked_lms"]
    assert {*counterparts} <= {*data.models}
    assert {*counterparts.values()} <= {entry["name"] for entry in data.record["generation"]["masked_lms"]}
    subsamples = int(data.subsamples["subsample"].max()) + 1
    groups: list[Json] = []
    kept: dict[str, dict[str, Any]] = {name: {} for name in ("equiv", "size", "arch", "multi")}
    for model in data.models:
        if model not in counterparts:
            continue
        masked_lm = counterparts[model]
        [relatives] = [names for names in FAMILIES if masked_lm in names]
        kinds = data.variants["masked_lms"].map(lambda names: _kind(names, masked_lm, relatives))  # noqa: B023
        for name, of_group in kept.items():
            drawn = data.drawn(model, kinds == name)
            per_seed = drawn.groupby("seed")["variant"].nunique()
            enough = per_seed[per_seed >= 5].index
            rest = drawn[drawn["seed"].isin(enough)]
            groups.append(
                {
                    "model": model,
                    "masked_lm": masked_lm,
                    "group": name,
                    "variants": distinct(drawn),
                    "variants_per_subsample": len(drawn) / subsamples,
                    "seeds": len(enough),
                    "seeds_left_out": len(per_seed) - len(enough),
                    "pattern_accuracy": pattern_accuracy(rest),
                }
            )
            if len(enough):
                of_group[model] = rest, distinct(rest)
    curves = {
        name: curve({model: rest for model, (rest, _) in of_group.items()}, max(n for _, n in of_group.values()))
        for name, of_group in kept.items()
        if of_group
    }
    return {"minimum": 5, "masked_lms": counterparts, "curves": curves, "groups": groups}


def _kind(names: set[str], masked_lm: str, relatives: set[str]) -> str | None:
    if len(names) != 1:
        return "multi" if names else None
    if masked_lm in names:
        return "equiv"
    return "size" if names <= relatives else "arch"


def seed_correctness(data: Data, _: Json) -> Json:
    """Recompute PA on the variants of seeds answered right, and wrong."""
    models = {}
    for name in data.models:
        right = data.variants["seed"].map(data.on_seeds[name] == data.gold(name))
        parts = [data.drawn(name, mask) for mask in (right, ~right)]
        models[name] = {
            "seeds_right": parts[0]["seed"].nunique(),
            "seeds_wrong": parts[1]["seed"].nunique(),
            "right": pattern_accuracy(parts[0]),
            "wrong": pattern_accuracy(parts[1]),
        }
    return {
        "models": models,
        "mean_right": mean(row["right"] for row in models.values()),
        "mean_wrong": mean(row["wrong"] for row in models.values()),
    }


def hard_seeds(data: Data, _: Json) -> Json:
    """Recompute the list of hard seeds; all variants count, drawn or not."""
    by_model = pd.DataFrame(index=data.seeds.index)
    for name in data.models:
        answered = data.answers[name].notna()
        by_model[name] = data.right(name)[answered].groupby(data.variants["seed"][answered]).mean()
    accuracy = by_model.astype(float).mean(axis=1).dropna()
    hard = sorted((value, str(seed)) for seed, value in accuracy.items() if value < 0.05)
    rarely = [_hard_seed(data, seed, value) for value, seed in hard]
    return {
        "seeds": len(data.seeds),
        "never_right": [seed for seed in rarely if seed["mean_accuracy"] == 0],
        "rarely_right": rarely,
        "texts": ["premise", "hypothesis"],
    }


def _hard_seed(data: Data, seed: str, accuracy: float) -> Json:
    row = data.seeds.loc[seed]
    votes = Counter(filter(None, json.loads(row["annotator_labels"]))) if "annotator_labels" in row else None
    answers = data.on_seeds.loc[seed]
    return {
        "seed_id": seed,
        "premise": row["premise"],
        "hypothesis": row["hypothesis"],
        "gold": row["gold"],
        "votes": None if votes is None else dict(votes),
        "answers": {name: answers[name] if isinstance(answers[name], str) else None for name in data.models},
        "variants": int((data.variants["seed"] == seed).sum()),
        "mean_accuracy": float(accuracy),
    }


def word_counts(text: str) -> Counter[str]:
    """Count the words of a text in which spaces separate all words."""
    return Counter(text.lower().split())


def word_frequency(data: Data, words: Counter[str]) -> Json:
    """Recompute how much more frequent the replacements of right variants of wrong seeds are than the originals."""
    models: list[Json] = []
    for name in data.models:
        answered = data.on_seeds[name].dropna().index
        wrong = [seed for seed in answered if data.on_seeds[name][seed] != data.gold(name)[seed]]
        rows = data.variants[data.variants["seed"].isin(wrong) & data.right(name)]
        originals = _counts(rows["original"], words)
        replacements = _counts(rows["replacement"], words)
        ratios = ((replacements + 1) / (originals + 1)).groupby(rows["seed"]).mean()
        ratios = ratios.reindex(data.seeds.index).dropna().to_numpy(dtype=float)
        models.append(
            {
                "model": name,
                "wrong_seeds": len(wrong),
                "seeds": len(ratios),
                "pairs": len(rows),
                "zero_originals": int((originals == 0).sum()),
                "zero_replacements": int((replacements == 0).sum()),
                "zero_pairs": int(((originals == 0) | (replacements == 0)).sum()),
                "arithmetic_mean": _average(np.mean, ratios),
                "median": _average(np.median, ratios),
                "geometric_mean": _average(lambda values, axis: np.exp(np.log(values).mean(axis=axis)), ratios),
            }
        )
    means = [row["arithmetic_mean"]["value"] for row in models if row["seeds"]]
    return {
        "corpus_tokens": words.total(),
        "models": models,
        "mean_seeds": sum(row["seeds"] for row in models) / len(models),
        "snli_models": [],  # no model of the fixtures names its training data
        "mean_ratio_snli": None,
        "mean_ratio_all": sum(means) / len(means),
    }


def _counts(column: Series, words: Counter[str]) -> Series:
    return pd.Series([words[word.lower()] for word in column], index=column.index, dtype=float)


def _average(statistic: Series, ratios: Series) -> Json:
    if not len(ratios):
        return {"value": None, "interval": None}
    interval = None
    if len(ratios) > 1:
        low, high = bootstrap(statistic, ratios, resamples=RESAMPLES)
        interval = {"low": low, "high": high, "level": 0.95}
    return {"value": float(statistic(ratios, axis=-1)), "interval": interval}


def error_drivers(data: Data, words: Counter[str] | None, reported: Json) -> Json:
    """Recompute the logistic regressions with seeds as clusters, one per model, and pooled with fixed effects."""
    described, columns = _predictors(data, words)
    pooled = reported["pooled"]
    return {
        "predictors": described,
        "models": [_regression(data, columns, one) for one in reported["models"]],
        "pooled": None if pooled is None else _regression(data, columns, pooled),
    }


def _predictors(data: Data, words: Counter[str] | None) -> tuple[list[Json], Frame]:
    """Return the mean and deviation of each predictor, and the standardized numbers and indicators."""
    variants = data.variants
    lengths = (data.seeds["premise"] + " " + data.seeds["hypothesis"]).str.split().str.len()
    numbers = {
        "log_odds": variants["log_odds"].astype(float),
        "masked_lms": variants["masked_lms"].map(len).astype(float),
        "sentence_length": variants["seed"].map(lengths).astype(float),
    }
    if words is not None:
        numbers["log_count"] = np.log(1 + _counts(variants["replacement"], words))
    described, columns = [], pd.DataFrame(index=variants.index)
    for name, values in numbers.items():
        deviation = float(values.std(ddof=0))
        described.append({"name": name, "reference": None, "mean": float(values.mean()), "deviation": deviation})
        columns[name] = (values - values.mean()) / deviation if deviation else 0.0
    labels = next(iter(data.results.values()))["dataset"]["labels"]
    gold = variants["seed"].map(data.seeds["gold"])
    for factor, levels, values in (("word_class", CLASSES, variants["word_class"]), ("label", labels, gold)):
        present = [level for level in levels if (values == level).any()]
        for level in present[1:]:
            column = (values == level).astype(float)
            name = f"{factor}: {level}"
            deviation = float(column.std(ddof=0))
            described.append(
                {"name": name, "reference": present[0], "mean": float(column.mean()), "deviation": deviation}
            )
            columns[name] = column
    return described, columns


def _regression(data: Data, columns: Frame, reported: Json) -> Json:
    """Recompute a regression; if the report has none, only what it says about the answers."""
    parts, models = [], reported["models"]
    for name in models:
        answered = data.answers[name].notna()
        part = columns[answered].assign(**{f"model {other}": float(other == name) for other in models})
        parts.append(part.assign(right=data.right(name)[answered].astype(float), seed=data.variants["seed"][answered]))
    rows = pd.concat(parts)
    intercepts = [f"model {name}" for name in models]
    kept: list[str] = []
    for name in columns:
        if np.linalg.matrix_rank(rows[[*intercepts, *kept, name]].to_numpy()) == len(intercepts) + len(kept) + 1:
            kept.append(str(name))
    counted = {
        "models": [*models],
        "answers": len(rows),
        "seeds": int(rows["seed"].nunique()),
        "right": float(rows["right"].mean()),
        "left_out": [{"name": str(name)} for name in columns if name not in kept],
    }
    if reported["not_computed"] is not None:
        return {**counted, "coefficients": [], "intercepts": []}
    design = rows[[*kept, *intercepts]]
    groups = pd.factorize(rows["seed"])[0]
    fit = sm.Logit(rows["right"], design).fit(
        method="newton", maxiter=100, tol=1e-12, disp=0, cov_type="cluster", cov_kwds={"groups": groups}
    )
    ends = fit.conf_int(0.05)
    coefficients = [
        {
            "name": name.removeprefix("model "),
            "estimate": float(fit.params[name]),
            "standard_error": float(fit.bse[name]),
            "interval": {"low": float(ends.loc[name, 0]), "high": float(ends.loc[name, 1]), "level": 0.95},
            "p_value": float(fit.pvalues[name]),
        }
        for name in design
    ]
    return {**counted, "coefficients": coefficients[: len(kept)], "intercepts": coefficients[len(kept) :]}


# The analyses of one data set that need nothing else.
OF_ONE: dict[str, Callable[[Data, Json], Json]] = {
    "table_3": table_3,
    "seeds_against_variants": seeds_against_variants,
    "model_curves": model_curves,
    "majority": majority,
    "classes": classes,
    "class_pairs": class_pairs,
    "fine_tuned": fine_tuned,
    "seed_correctness": seed_correctness,
    "hard_seeds": hard_seeds,
}


# The options `sides`, `filters` and `scramble` of the sets of Figure 8.
SETS = {
    "plain": ("intersection", {"prob", "pos"}, False),
    "P∪H": ("union", {"prob", "pos"}, False),
    "pos": ("intersection", {"pos"}, False),
    "prob": ("intersection", {"prob"}, False),
    "none": ("intersection", set(), False),
    "scrambled": ("intersection", {"prob", "pos"}, True),
}


def recompute(
    reported: Json,
    folders: Sequence[Path],
    results: Sequence[Path],
    *,
    words: Counter[str] | None = None,
    without: Collection[str] = (),
) -> Json:
    """Return every number of `report.json`, computed again.

    Args:
        reported: The report. Only what cannot be computed twice is taken from it: the p-values of random permutations
            where they are adjusted, the letters where they are checked, and the counterparts of models.
        folders: The data sets.
        results: Result files, in the order of the report.
        words: Counts of the words of the corpus.
        without: Ids of seeds that a part of the report leaves out.
    """
    numbers = _parts(reported, folders, results, words, ())
    if without:
        numbers["without_seeds"] = {
            "seeds": [*without],
            **_parts(reported["without_seeds"], folders, results, words, without),
        }
    return numbers


def _parts(
    reported: Json,
    folders: Sequence[Path],
    results: Sequence[Path],
    words: Counter[str] | None,
    without: Collection[str],
) -> Json:
    groups = [group for folder in folders for config in read(folder, results, without) for group in by_labels(config)]
    data_sets = []
    for group, part in zip(groups, reported["data_sets"], strict=True):
        one = group.without(group.lacking())
        record = next(iter(one.results.values()))["dataset"]
        data_sets.append(
            {
                "title": part["title"],
                "digest": record["digest"],
                "config": record["config"],
                "models": one.models,
                "not_compared": {},
                "analyses": {name: _analysis(name, one, part["analyses"][name], words) for name in part["analyses"]},
            }
        )
    across = {
        name: value if "not_computed" in value else filter_sets(groups, value)
        for name, value in reported["across_data_sets"].items()
    }
    return {"data_sets": data_sets, "across_data_sets": across}


def by_labels(data: Data) -> list[Data]:
    """Return the data with the three-way models, then with the two-way models, if there are such models."""
    three = [name for name in data.models if len(data.results[name]["compared_labels"]) == 3]
    two = [name for name in data.models if name not in three]
    return [_only(data, models) for models in (three, two) if models]


def _analysis(name: str, data: Data, reported: Json, words: Counter[str] | None) -> Json:
    """Recompute an analysis; a reason for which it was not computed is taken over, and listed by the test."""
    if "not_computed" in reported:
        return reported
    if name == "word_frequency" and words is not None:
        return word_frequency(data, words)
    if name == "error_drivers":
        return error_drivers(data, words, reported)
    assert name in OF_ONE, f"{name} is not computed independently"
    return OF_ONE[name](data, reported)


def filter_sets(data: Sequence[Data], reported: Json) -> Json:
    """Recompute Figure 8: the largest group of data sets on the same seeds, with the models that all have."""
    groups: dict[tuple[int, frozenset[tuple[str, ...]]], list[Data]] = {}
    for one in data:
        problems = one.seeds[["premise", "hypothesis", "gold"]].itertuples(name=None)
        n_labels = len(next(iter(one.results.values()))["compared_labels"])
        groups.setdefault((n_labels, frozenset(problems)), []).append(one)
    on_all_seeds = max(groups.values(), key=len)
    chosen = on_all_seeds
    models = [name for name in chosen[0].models if all(name in one.models for one in chosen)]
    everyone = dict.fromkeys(name for one in chosen for name in one.models)
    lacking = {seed for one in chosen for seed in _only(one, models).lacking()}
    chosen = [one.without(lacking) for one in chosen]
    by_name = {_set_name(one): one for one in chosen}
    order = sorted(by_name, key=lambda name: [*SETS, name].index(name))
    values = pd.DataFrame(
        {name: mean_values(_only(by_name[name], models)).reindex(chosen[0].seeds.index) for name in order}
    ).dropna()
    return {
        "sets": [_set(name, by_name[name], models) for name in order],
        "models": models,
        "models_left_out": [name for name in everyone if name not in models],
        "seeds": len(chosen[0].seeds),
        "tested_seeds": len(values),
        "family": family(values, reported["family"]) if len(values) > 1 else None,
        "refused": [
            next((said for said in reported["refused"] if said.startswith(_not_compared(one))), None)
            for one in data
            if not any(one is other for other in on_all_seeds)
        ],
    }


def _set_name(data: Data) -> str:
    options = data.record["options"]
    own = options["sides"], {*options["filters"]}, options["scramble"]
    return next(name for name, option in SETS.items() if option == own)


def _only(data: Data, models: Sequence[str]) -> Data:
    return replace(
        data,
        results={name: data.results[name] for name in models},
        answers=data.answers[list(models)],
        on_seeds=data.on_seeds[list(models)],
    )


def _identity(data: Data) -> Json:
    record = next(iter(data.results.values()))["dataset"]
    return {"title": record["title"], "digest": record["digest"], "config": record["config"]}


def _not_compared(data: Data) -> str:
    """Return how the sentence begins that says why a data set is not compared."""
    return "{title}, config {config}, is not compared: ".format(**_identity(data))


def _set(name: str, data: Data, models: Sequence[str]) -> Json:
    drawn = {model: data.drawn(model) for model in models}
    return {
        "name": name,
        **_identity(data),
        "generated": len(data.variants),
        "curve": curve(drawn, max(map(distinct, drawn.values()))),
    }
