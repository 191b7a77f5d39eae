"""How frequent replacements and originals are, with ratios computed by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.paper.word_frequency import word_frequency
from tests.merge_snli.comparison.made import Row, scored_dataset

CORPUS = CorpusCounts("made up", "c" * 64, {"dog": 9, "cat": 99, "man": 1, "boy": 3})


def rows(seed: str, original: str, answers: dict[str, str]) -> list[Row]:
    """Return variants with these replacements; those with "Boy" were not drawn."""
    return [
        Row(
            seed=seed,
            original=original,
            replacement=word,
            answers=letters,
            subsamples=() if word == "Boy" else (0,),
        )
        for word, letters in answers.items()
    ]


def with_training_data(scored: ScoredDataset, training_data: Sequence[tuple[str, ...] | None]) -> ScoredDataset:
    models = [
        replace(model, result=replace(model.result, model=replace(model.result.model, training_data=names)))
        for model, names in zip(scored.models, training_data, strict=True)
    ]
    return replace(scored, models=tuple(models))


VARIANTS = [
    *rows("s1", "Dog", {"cat": "en", "man": "en", "zebra": "nn"}),
    *rows("s2", "yak", {"Boy": "en", "zebra": "en"}),
    *rows("s3", "dog", {"boy": "ne", "man": "nn"}),
    *rows("s4", "dog", {"cat": "e-", "boy": "e-"}),
]
ON_SEEDS = {"s1": "nn", "s2": "cn", "s3": "ne", "s4": "e-"}


def test_ratios_are_averaged_within_seeds_then_over_seeds() -> None:
    scored = scored_dataset(VARIANTS, models=("a", "b"), on_seeds=ON_SEEDS)
    result = word_frequency(scored, CORPUS)
    first, second = result.models
    assert (first.model, first.wrong_seeds, first.seeds, first.pairs) == ("a", 3, 2, 4)
    ratios = [(100 / 10 + 2 / 10) / 2, (4 / 1 + 1 / 1) / 2]
    assert first.arithmetic_mean.value == pytest.approx(sum(ratios) / 2)
    assert first.median.value == pytest.approx(sum(ratios) / 2)
    assert first.geometric_mean.value == pytest.approx(math.sqrt(ratios[0] * ratios[1]))
    assert (first.zero_originals, first.zero_replacements, first.zero_pairs) == (2, 1, 2)
    for average in (first.arithmetic_mean, first.median, first.geometric_mean):
        assert average.interval is not None
        assert (average.interval.low, average.interval.high) == pytest.approx((min(ratios), max(ratios)))
        assert average.interval.unit == "seed"
    assert (second.wrong_seeds, second.seeds, second.pairs) == (2, 0, 0)
    assert math.isnan(second.arithmetic_mean.value)
    assert second.arithmetic_mean.interval is None
    assert (result.mean_seeds, result.mean_ratio_all) == pytest.approx((1.0, sum(ratios) / 2))
    assert (result.corpus, result.corpus_tokens) == ("made up", 112)


def test_the_average_of_the_paper_is_over_models_trained_on_snli_alone() -> None:
    scored = scored_dataset(
        rows("s1", "dog", {"cat": "eee", "man": "-ee"}), models=("a", "b", "c"), on_seeds={"s1": "nnn"}
    )
    everyone = word_frequency(scored, CORPUS)
    assert (everyone.snli_models, everyone.mean_ratio_snli) == ((), None), "training data is unknown"
    trained = [("stanfordnlp/snli",), ("snli", "anli"), None]
    one = word_frequency(with_training_data(scored, trained), CORPUS)
    assert one.snli_models == ("a",)
    assert one.mean_ratio_snli == pytest.approx(100 / 10)
    assert one.mean_ratio_all == everyone.mean_ratio_all != one.mean_ratio_snli


def test_one_seed_has_no_interval() -> None:
    scored = scored_dataset(rows("s1", "dog", {"cat": "e"}), on_seeds={"s1": "n"})
    (model,) = word_frequency(scored, CORPUS).models
    assert (model.median.value, model.median.interval) == (10.0, None)


def test_without_a_corpus_or_without_right_variants_of_wrong_seeds() -> None:
    scored = scored_dataset(rows("s1", "dog", {"cat": "e"}))
    with pytest.raises(NotComputable, match="--corpus"):
        word_frequency(scored, None)
    with pytest.raises(NotComputable, match="no model answers a seed wrong"):
        word_frequency(scored, CORPUS)
