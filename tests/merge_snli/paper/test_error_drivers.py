"""What drives errors: regressions against statsmodels, and data that allow none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.models.labels import Missing
from merge_snli.paper.error_drivers import Regression, error_drivers
from tests.merge_snli.comparison.made import Row, scored_dataset

CLASSES, MASKED_LMS = ("noun", "verb", "adj"), ("first", "second", "third")
WORDS = {f"word{number}": number for number in range(30)}
CORPUS = CorpusCounts("made up", "c" * 64, WORDS)
COLUMNS = {
    "log_odds": "log_odds",
    "masked_lms": "masked_lms",
    "sentence_length": "sentence_length",
    "log_count": "log_count",
    "word_class: verb": "C(word_class, Treatment('noun'))[T.verb]",
    "word_class: adj": "C(word_class, Treatment('noun'))[T.adj]",
    "label: neutral": "C(label, Treatment('entailment'))[T.neutral]",
    "label: contradiction": "C(label, Treatment('entailment'))[T.contradiction]",
}


def random_dataset(*, seeds: int = 40, per_seed: int = 12, models: Sequence[str] = ("a", "b")) -> ScoredDataset:
    """Make up random variants and answers, of which the first model leaves out one per seed."""
    rng = np.random.default_rng(0)
    gold = {f"s{seed}": str(rng.choice(["e", "n", "c"])) for seed in range(seeds)}
    texts = {seed: ("the " * int(rng.integers(3, 20)) + "dog", "the dog") for seed in gold}
    rows = []
    for seed, label in gold.items():
        chance = rng.uniform(0.3, 0.9)
        for number in range(per_seed):
            others = [letter for letter in "enc" if letter != label]
            answers = [label if rng.random() < chance else str(rng.choice(others)) for _ in models]
            rows.append(
                Row(
                    seed=seed,
                    answers="".join("-" if at == 0 and number == 0 else each for at, each in enumerate(answers)),
                    word_class=str(rng.choice(CLASSES)),
                    replacement=str(rng.choice(list(WORDS))),
                    masked_lms=tuple(rng.choice(MASKED_LMS, size=rng.integers(1, 4), replace=False)),
                    log_odds=float(rng.exponential()),
                )
            )
    return scored_dataset(rows, models=models, gold=gold, texts=texts, masked_lms=MASKED_LMS)


def frame(scored: ScoredDataset) -> pd.DataFrame:
    """Return one row per variant, with standardized numbers."""
    words, seeds = scored.words, scored.seeds
    table = pd.DataFrame(
        {
            "seed": scored.groups,
            "log_odds": scored.log_odds.astype(float),
            "masked_lms": np.sum(list(scored.variants_by("masked_lm").values()), axis=0),
            "sentence_length": [len(seeds[seed][0].split()) + 2 for seed in scored.groups],
            "log_count": np.log1p([WORDS[word] for word in words["replacement"].to_pylist()]),
        }
    )
    numbers = list(COLUMNS.values())[:4]
    table[numbers] = (table[numbers] - table[numbers].mean()) / table[numbers].std(ddof=0)
    table["word_class"] = words["word_class"].to_pylist()
    table["label"] = [seeds[seed][2] for seed in scored.groups]
    return table


def assert_as_in_statsmodels(found: Regression, answers: pd.DataFrame, fixed_effects: str) -> None:
    formula = " + ".join(
        [*list(COLUMNS.values())[:4], "C(word_class, Treatment('noun'))", "C(label, Treatment('entailment'))"]
    )
    expected = smf.logit(f"right ~ {formula} {fixed_effects}", answers).fit(
        disp=False, tol=1e-12, cov_type="cluster", cov_kwds={"groups": answers["seed"]}
    )
    assert [each.name for each in found.coefficients] == list(COLUMNS)
    intervals = expected.conf_int()
    for each in found.coefficients:
        column = COLUMNS[each.name]
        assert each.estimate == pytest.approx(expected.params[column], abs=1e-6)
        assert each.standard_error == pytest.approx(expected.bse[column], abs=1e-6)
        assert (each.interval.low, each.interval.high) == pytest.approx(tuple(intervals.loc[column]), abs=1e-6)
        assert each.p_value == pytest.approx(expected.pvalues[column], abs=1e-6)
    assert (found.answers, found.seeds) == (len(answers), answers["seed"].nunique())
    assert found.right == pytest.approx(answers["right"].mean())


def test_regressions_are_those_of_statsmodels() -> None:
    scored = random_dataset()
    result = error_drivers(scored, CORPUS)
    table = frame(scored)
    stacked = []
    for model, found in zip(scored.models, result.models, strict=True):
        answers = table.assign(right=model.answers.correct.astype(int), model=model.name)[model.answers.is_predicted]
        assert_as_in_statsmodels(found, answers, "")
        assert [each.name for each in found.intercepts] == [model.name]
        stacked.append(answers)
    assert result.pooled is not None
    assert_as_in_statsmodels(result.pooled, pd.concat(stacked, ignore_index=True), "+ C(model)")
    assert result.pooled.models == ("a", "b")
    units = {each.name: each for each in result.predictors}
    assert units["word_class: adj"].reference == "noun"
    assert units["label: neutral"].reference == "entailment"
    assert units["log_odds"].mean == pytest.approx(scored.log_odds.astype(float).mean())
    assert json.loads(json.dumps(asdict(result)))["corpus"] == "made up"


def test_without_a_corpus_and_with_columns_that_do_not_vary() -> None:
    scored = random_dataset(models=("a",))
    by_all = {name: np.ones_like(mask) for name, mask in scored.variants_by("masked_lm").items()}
    same = replace(scored, data=replace(scored.data, masks={**scored.data.masks, "masked_lm": by_all}))
    result = error_drivers(same)
    assert result.pooled is None
    assert [each["name"] for each in result.models[0].left_out] == ["masked_lms"]
    assert [each.name for each in result.models[0].coefficients] == [
        name for name in COLUMNS if name not in {"masked_lms", "log_count"}
    ]


def with_answers(scored: ScoredDataset, right: Sequence[np.ndarray[tuple[int], np.dtype[np.bool_]]]) -> ScoredDataset:
    """Return the data set with other answers, without changing which variants have one."""
    models = []
    for model, each in zip(scored.models, right, strict=True):
        answers = model.answers
        predicted = np.where(each, answers.gold, (answers.gold + 1) % len(answers.labels))
        predicted[~answers.is_predicted] = Missing.NOT_PREDICTED
        models.append(replace(model, answers=replace(answers, predicted=predicted)))
    return replace(scored, models=tuple(models))


def test_a_model_that_is_always_right_has_no_regression_and_is_left_out_of_the_pooled_one() -> None:
    scored = random_dataset()
    always = np.ones(len(scored.groups), dtype=bool)
    result = error_drivers(with_answers(scored, [scored.models[0].answers.correct, always]))
    assert result.models[0].not_computed is None
    assert result.models[1].not_computed == "every variant is answered right"
    assert result.models[1].coefficients == ()
    assert result.pooled is not None
    assert result.pooled.models == ("a",)
    assert [(each["name"], each["reason"]) for each in result.pooled.left_out] == [
        ("b", "every variant is answered right")
    ]
    assert result.pooled.coefficients == result.models[0].coefficients


def test_answers_that_a_level_or_a_number_determines() -> None:
    scored = random_dataset()
    labels = np.array([label for *_, label in scored.seeds])[scored.groups]
    by_label, by_number = labels == "neutral", scored.log_odds > 1
    result = error_drivers(with_answers(scored, [by_label, by_number]))
    assert result.models[0].not_computed == "no variant with label entailment is answered right"
    assert "determine" in str(result.models[1].not_computed)
    assert result.pooled is not None
    assert result.pooled.not_computed is None


@pytest.mark.parametrize("scored", [random_dataset(seeds=6), random_dataset(seeds=1, per_seed=2)])
def test_too_few_seeds(scored: ScoredDataset) -> None:
    with pytest.raises(NotComputable, match="no regression"):
        error_drivers(scored)


def test_one_variant() -> None:
    with pytest.raises(NotComputable, match="every variant is answered right"):
        error_drivers(scored_dataset([Row(seed="s1", answers="e")]))
