"""Compare how frequent replacements and originals are in training data, for wrong seeds with right variants (5.5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.base.arrays import Floats, Ints
from merge_snli.base.files import JsonObject
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.models.labels import Missing
from merge_snli.statistics import Interval, bootstrap_intervals


@dataclass(frozen=True, kw_only=True)
class Average:
    """An average over seeds.

    Attributes:
        value: NaN without seeds.
        interval: Bootstrap interval; None with fewer than two seeds.
    """

    value: float
    interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class WordFrequency:
    """How much more frequent the replacements of right variants are than the originals of each model's wrong seeds.

    The ratio of a variant is (count of the replacement + 1) / (count of the original + 1). The ratio of a seed is the
    arithmetic mean over its right variants.

    Attributes:
        corpus: Name of the corpus.
        corpus_digest: Digest of its content.
        corpus_tokens: Number of its tokens.
        models: Of each model its name, `model`; the data sets that it was trained on, `training_data`, None if unknown;
            the number of seeds that it answers wrong, `wrong_seeds`; of these with a right variant, `seeds`; the right
            variants of these, `pairs`; of these those whose original does not occur in the corpus, `zero_originals`,
            whose replacement does not, `zero_replacements`, and of which one of the two does not, `zero_pairs`; and
            an `Average` of the ratios of the seeds for each of `STATISTICS`: `arithmetic_mean` is the paper's "2,000
            times".
        mean_seeds: Mean over the models of `seeds` (the paper: about 90).
        snli_models: Names of the models whose record says that SNLI is their only training data.
        mean_ratio_snli: Mean of `arithmetic_mean` over those of `snli_models` with such seeds, the paper's number; None
            if there is no such model.
        mean_ratio_all: The same mean over all models with such seeds.
    """

    corpus: str
    corpus_digest: str
    corpus_tokens: int
    models: tuple[JsonObject, ...]
    mean_seeds: float
    snli_models: tuple[str, ...]
    mean_ratio_snli: float | None
    mean_ratio_all: float


def word_frequency(scored: ScoredDataset, corpus: CorpusCounts | None) -> WordFrequency:
    """Compute how much more frequent replacements are than originals where only the variant is answered right.

    All variants of split `test` count, not only the drawn ones, so that each right variant counts once.

    Args:
        scored: The data set.
        corpus: Counts of the words in training data.

    Raises:
        NotComputable: If there is no corpus, or no model has a wrong seed with a right variant.
    """
    if corpus is None:
        raise NotComputable("the frequency of words needs the training data of the models: give --corpus")
    originals = corpus.of(scored.words["original"])
    replacements = corpus.of(scored.words["replacement"])
    models = tuple(_of_model(scored, model, originals, replacements) for model in scored.models)
    mean_ratio_all = _mean_ratio(models)
    if mean_ratio_all is None:
        raise NotComputable("no model answers a seed wrong and one of its variants right")
    snli_models = [model for model in models if trained_on_snli_alone(model["training_data"])]
    return WordFrequency(
        corpus=corpus.corpus,
        corpus_digest=corpus.digest,
        corpus_tokens=corpus.tokens,
        models=models,
        mean_seeds=float(np.mean([model["seeds"] for model in models])),
        snli_models=tuple(model["model"] for model in snli_models),
        mean_ratio_snli=_mean_ratio(snli_models),
        mean_ratio_all=mean_ratio_all,
    )


def trained_on_snli_alone(training_data: Sequence[str] | None) -> bool:
    """Return whether SNLI is the only training data of a model; False if the training data is unknown.

    Examples:
        >>> trained_on_snli_alone(["stanfordnlp/snli"]), trained_on_snli_alone(["snli", "anli"])
        (True, False)
    """
    if training_data is None:
        return False
    return {name.rpartition("/")[2].lower() for name in training_data} == {"snli"}


def _mean_ratio(models: Sequence[JsonObject]) -> float | None:
    """Return the mean over the models with such seeds; None without any."""
    ratios = [model["arithmetic_mean"].value for model in models if model["seeds"]]
    return float(np.mean(ratios)) if ratios else None


def _of_model(scored: ScoredDataset, model: ModelAnswers, originals: Ints, replacements: Ints) -> JsonObject:
    wrong = (model.seeds.predicted != Missing.NOT_PREDICTED) & ~model.seeds.correct
    pairs = np.flatnonzero(model.answers.correct & wrong[scored.groups])
    of_original = originals[pairs]
    of_replacement = replacements[pairs]
    _, seeds = np.unique(scored.groups[pairs], return_inverse=True)
    totals = np.bincount(seeds, (of_replacement + 1) / (of_original + 1))
    ratios = totals / np.bincount(seeds)
    no_original = of_original == 0
    no_replacement = of_replacement == 0
    return {
        "model": model.name,
        "training_data": model.result.model.training_data,
        "wrong_seeds": int(wrong.sum()),
        "seeds": len(ratios),
        "pairs": len(pairs),
        "zero_originals": int(no_original.sum()),
        "zero_replacements": int(no_replacement.sum()),
        "zero_pairs": int((no_original | no_replacement).sum()),
        **_averages(ratios),
    }


def _geometric_mean(ratios: Floats, axis: int) -> Floats:
    return np.asarray(np.exp(np.log(ratios).mean(axis=axis)))


STATISTICS: dict[str, Callable[..., Floats]] = {
    "arithmetic_mean": np.mean,
    "median": np.median,
    "geometric_mean": _geometric_mean,
}


def _averages(ratios: Floats) -> dict[str, Average]:
    """Return the averages of `STATISTICS`."""
    intervals: Sequence[Interval | None] = [None] * len(STATISTICS)
    if len(ratios) > 1:
        intervals = bootstrap_intervals([*STATISTICS.values()], ratios)
    averages = {}
    for (name, statistic), interval in zip(STATISTICS.items(), intervals, strict=True):
        value = float(statistic(ratios, axis=-1)) if len(ratios) else float("nan")
        averages[name] = Average(value=value, interval=interval)
    return averages
