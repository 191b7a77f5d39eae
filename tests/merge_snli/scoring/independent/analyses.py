"""The analyses of one data set, each from its definition, as plain JSON values."""

import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from tests.merge_snli.scoring.independent.data import Data, Frame, Json, Series
from tests.merge_snli.scoring.independent.numbers import (
    QUALITY,
    RESAMPLES,
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
    sample_accuracy,
    seed_value,
    welch_test,
)

CLASSES = ("noun", "verb", "adj", "adv")
# The two sizes of each family of the paper's masked LMs.
FAMILIES = (
    {"google-bert/bert-base-cased", "google-bert/bert-large-cased"},
    {"FacebookAI/roberta-base", "FacebookAI/roberta-large"},
    {"albert/albert-base-v2", "albert/albert-xxlarge-v2"},
    {"google/electra-base-generator", "google/electra-large-generator"},
    {"facebook/bart-base", "facebook/bart-large"},
)
# What predictions on variants are compared with in the analysis of majority labels.
KINDS = ("gold", "own", "vote", "constant")


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
    letters = reported["family"]["letters"] if reported["family"] else {}
    return {
        "rows": [row | {"letters": letters.get(row["model"], "")} for row in rows],
        "level": 0.95 if any(row["qt_interval"] for row in rows) else None,
        "family": family(values.dropna(), reported["family"]) if reported["family"] else None,
    }


def _row(data: Data, model: str) -> Json:
    drawn, seeds = data.drawn(model), scored_seeds(data, model)
    on_seeds = Fraction(int(seeds["right"].sum()), len(seeds))
    ends = _intervals(drawn, seeds["right"])
    names = ("on_seeds_interval", "on_variants_interval", "pattern_accuracy_interval", "qt_interval")
    return {
        "model": model,
        "seeds": len(seeds),
        **dict(zip(("source", "source_interval", "source_problems"), _on_source(data, model), strict=True)),
        "on_seeds": float(on_seeds),
        "on_variants": sample_accuracy(drawn),
        "pattern_accuracy": pattern_accuracy(drawn),
        "qt": pattern_accuracy(drawn) - float(on_seeds),
        "mt": matching_threshold(drawn, on_seeds),
        **{name: None if ends is None else ends[at] for at, name in enumerate(names)},
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
    z, share = float(stats.norm.isf(0.025)), right / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return share, [round(middle - half, 5), round(middle + half, 5)], n


def _intervals(drawn: Frame, on_seeds: Series) -> list[list[float]] | None:
    """Return the intervals of SA on seeds, SA and PA on variants, and QT.

    SA and PA are means of shares over the subsamples that have any of the resampled seeds. Seeds that no subsample
    drew are resampled for the other two only.
    """
    table = cells(drawn).unstack("subsample").reindex(on_seeds.index)
    size = table["size"].fillna(0).to_numpy()
    right = table["right"].fillna(0).to_numpy()
    some = size.any(axis=1)
    if some.sum() < 2:
        return None
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
        return None
    return [[round(round(end, 11), 5) for end in pair] for pair in ends]


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
        table = cells(data.drawn(name))
        by_model[name] = (table["right"] / table["size"]).groupby("seed").mean()
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
    own = next(iter(data.results.values()))["compared_labels"]
    labels = ["entailment", "not_entailment"] if two_way else [*own]

    def common(label: Series) -> Series:
        return label if label is None or label in labels or label != label else "not_entailment"

    votes = data.on_seeds.map(common).apply(lambda row: Counter(row.dropna()), axis=1)
    vote = votes.map(lambda counter: max(labels, key=lambda label: counter[label]))
    ties = votes.map(lambda counter: sum(counter[label] == max(counter.values(), default=0) for label in labels) > 1)
    gold = data.seeds["gold"]
    names = next(iter(data.results.values()))["dataset"]["labels"]
    constant = max(names, key=lambda label: int((gold == label).sum()))
    models = {}
    for name in data.models:
        answers = data.answers[name]
        against_vote = answers.map(common) == data.variants["seed"].map(vote)
        against_constant = answers == data.compared(constant, name)
        models[name] = {
            "gold": pattern_accuracy(data.drawn(name)),
            "own": _against_own(data, name),
            "vote": pattern_accuracy(data.drawn(name, right=against_vote)),
            "constant": pattern_accuracy(data.drawn(name, right=against_constant)),
        }
    return {
        "models": models,
        "mean": {
            key: sum(row[key] for row in models.values()) / len(models) for key in ("gold", "own", "vote", "constant")
        },
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
    """Recompute Figure 5: the curve of each class, and Welch's test between any two over seeds."""
    masks = _classes(data)
    values = {name: mean_values(data, mask).dropna() for name, mask in masks.items()}
    return {
        "curves": {name: _averaged(data, mask) for name, mask in masks.items()},
        "tests": [
            {"first": first, "second": second, "result": welch_test(values[first], values[second])}
            for first, second in combinations([name for name in values if len(values[name]) > 1], 2)
        ],
    }


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
    known = [entry["name"] for entry in data.record["generation"]["masked_lms"]]
    assert {*counterparts} <= {*data.models}
    assert {*counterparts.values()} <= {*known}
    subsamples = int(data.subsamples["subsample"].max()) + 1
    groups: list[Json] = []
    kept: dict[str, dict[str, Any]] = {name: {} for name in ("equiv", "size", "arch", "multi")}
    for model in data.models:
        if model not in counterparts:
            continue
        masked_lm = counterparts[model]
        relatives = next((names for names in FAMILIES if masked_lm in names), {masked_lm})
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
    [only] = names
    return "equiv" if only == masked_lm else "size" if only in relatives else "arch"


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
    rarely = [
        _hard_seed(data, seed, value)
        for value, seed in sorted(zip(accuracy, accuracy.index, strict=True))
        if value < 0.05
    ]
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
