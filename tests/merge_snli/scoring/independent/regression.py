"""The regression of right answers with statsmodels, and the frequency of words, each from its definition."""

from collections import Counter

import numpy as np
import pandas as pd
import statsmodels.api as sm

from tests.merge_snli.scoring.independent.analyses import CLASSES
from tests.merge_snli.scoring.independent.data import Data, Frame, Json, Series
from tests.merge_snli.scoring.independent.numbers import RESAMPLES, bootstrap


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
    snli = [name for name in data.models if data.results[name]["model"]["training_data"] == ["snli"]]
    snli_means = [row["arithmetic_mean"]["value"] for row in models if row["seeds"] and row["model"] in snli]
    return {
        "corpus_tokens": words.total(),
        "models": models,
        "mean_seeds": sum(row["seeds"] for row in models) / len(models),
        "snli_models": snli,
        "mean_ratio_snli": sum(snli_means) / len(snli_means) if snli_means else None,
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
