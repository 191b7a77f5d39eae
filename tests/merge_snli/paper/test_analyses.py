"""Tests of the analyses of data sets, with numbers computed by hand, and of regressions."""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from generation.options import Options
from merge_snli.base.arrays import Bools
from merge_snli.base.option import described
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.curves import averaged, model_curves
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.comparison.testing import Significance
from merge_snli.comparison.word_classes import classes
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.models.labels import Missing
from merge_snli.models.paper_models import ALBERT, BERT, PAPER_MODELS, PAPER_NAMES
from merge_snli.paper.error_drivers import error_drivers
from merge_snli.paper.filter_sets import MAY_DIFFER, FilterSets, filter_sets
from merge_snli.paper.fine_tuned import ARCH, EQUIV, MULTI, SIZE, check_counterparts, fine_tuned
from merge_snli.paper.hard_seeds import hard_seeds, mean_accuracy
from merge_snli.paper.majority import majority
from merge_snli.paper.report.curve_artifacts import classes_artifact
from merge_snli.paper.seed_correctness import seed_correctness
from merge_snli.paper.table_3 import seeds_against_variants, table_3
from merge_snli.paper.word_frequency import word_frequency
from merge_snli.results.measure import source_accuracy
from merge_snli.results.scores import SourceScores
from merge_snli.schema import NLI_LABELS
from merge_snli.statistics import bootstrap_intervals, compare_models, independent_t_test
from tests.merge_snli.comparison.made import Row, answered, made_result, rows_of, scored_dataset
from tests.oracles import known, refused

TWO = ("a", "b")
THREE = ("a", "b", "c")


def test_rows_are_the_scores_of_the_results_with_letters() -> None:
    rows = answered("s0 en ee")
    for number in range(1, 8):
        rows += rows_of(f"s{number}", ["en", "en"])
    made = scored_dataset(rows, models=("right", "wrong"))
    found = table_3(made)
    right, wrong = found.rows
    assert right["letters"] == "a"
    assert wrong["letters"] == "b"
    assert wrong["on_variants"] == 1 / 16
    assert wrong["seeds"] == 8
    assert wrong["pattern_accuracy"] == 0
    assert wrong["qt"] == wrong["pattern_accuracy"] - wrong["on_seeds"]
    assert wrong["qt_interval"] == known(made.models[1].result.scores.intervals).qt
    assert found.family == compare_models({"right": [1.0] * 8, "wrong": [0.0] * 8})
    assert found.level == 0.95
    assert found.method == "Wilson score or BCa bootstrap"


def finding_on(**right: int) -> str:
    """Return the finding on word classes with ten seeds each, of which so many are answered right."""
    rows = []
    for name, number in right.items():
        for seed in range(10):
            rows += rows_of(f"{name}{seed}", "ee" if seed < number else "nn", word_class=name)
    return classes_artifact(classes(scored_dataset(rows))).finding


def test_the_finding_on_word_classes_names_those_that_differ() -> None:
    of_none = finding_on(noun=9, verb=9, adj=9)
    assert of_none.startswith("PA(0.9) does not differ significantly between any two word classes (ind")
    of_one = finding_on(noun=9, verb=9, adj=1)
    assert of_one.startswith("PA(0.9) is significantly higher on nouns than on adjectives (+80.0 points")
    assert "; PA(0.9) is significantly higher on verbs than on adjectives" in of_one
    end = "; PA(0.9) does not differ significantly between nouns and verbs (independent t-test over 20 seeds)."
    assert end in of_one
    of_two = finding_on(noun=9, verb=9)
    assert of_two.startswith("PA(0.9) does not differ significantly on nouns and on verbs (+0.0 points")


def test_word_classes_are_tested_on_the_seeds_of_only_one() -> None:
    rows = answered("n1 e", "n2 n", "both n")
    for seed, answer in {"v1": "e", "v2": "e", "both": "n"}.items():
        rows += rows_of(seed, answer, word_class="verb")
    [test] = classes(scored_dataset(rows)).tests
    assert test.first == "noun"
    assert test.second == "verb"
    assert test.result.n == 4
    assert test.result == independent_t_test([1, 0], [1, 1], unit="seed")


def test_the_range_of_a_curve_is_that_of_the_mean_over_the_models_in_each_subsample() -> None:
    rows = answered("s1 en --")
    rows += rows_of("s1", ["ne"], subsamples=(1,))
    rows += rows_of("s2", ["ee"], subsamples=(0, 1))
    scored = scored_dataset(rows, models=TWO)
    curve, of_seeds = averaged(scored)
    assert curve.mean[90] == 0.75
    assert curve.low[90] == 0.75
    assert curve.high[90] == 0.75
    assert curve.models == TWO
    assert curve.seeds == 2
    assert curve.variants == 3
    assert of_seeds.tolist() == [0.5, 1]
    first, _ = model_curves(scored).curves
    assert first.mean[90] == 0.75
    assert first.low[90] == 0.5
    assert first.high[90] == 1


def with_results(scored: ScoredDataset, part: str, *changes: Any) -> ScoredDataset:  # noqa: ANN401 - values of fields
    """Return a data set with another value of one field of the result of each model, or of the record of the model."""
    models = []
    for model, value in zip(scored.models, changes, strict=True):
        of_model = part in vars(model.result.model)
        fields = {"model": replace(model.result.model, **{part: value})} if of_model else {part: value}
        models.append(replace(model, result=replace(model.result, **fields)))
    return replace(scored, models=tuple(models))


def test_a_test_that_does_not_fit_the_data_is_refused_unless_there_is_nothing_to_test() -> None:
    significance = Significance("t-test")
    one_subsample = scored_dataset(answered("s1 en ee", "s2 ee"), models=TWO)
    refused("t-test.*at least 2", table_3, one_subsample, significance)
    one_seed = scored_dataset(answered("s1 en ee"), models=TWO)
    assert table_3(one_seed, significance).family is None


def source(right: int, problems: int) -> SourceScores:
    accuracy = source_accuracy(right, problems)
    return SourceScores("snli", "0" * 64, 0, 0, accuracy, {"entailment": accuracy})


def test_one_model_has_no_letters_and_its_source_is_the_first_column() -> None:
    made = scored_dataset(rows_of("s1", "en"))
    found = table_3(made)
    [row] = found.rows
    assert found.family is None
    assert row["letters"] == ""
    assert row["qt_interval"] is None
    assert found.level is None
    assert row["seeds"] == 1
    assert row["mt"] == 0.5, "the highest threshold that the seed passes"
    [row] = table_3(with_results(made, "source", source(3, 4))).rows
    assert row["source"] == 0.75
    assert row["source_problems"] == 4
    assert row["source_interval"] == source(3, 4).overall.interval
    assert found.rows[0]["source"] is None


def test_the_source_is_compared_if_all_models_were_scored_on_it() -> None:
    made = scored_dataset(answered("s1 en ee", "s2 ee"), models=TWO)
    found = seeds_against_variants(with_results(made, "source", source(3, 4), source(2, 4)))
    assert found.over_seeds.difference == (1 - (1 + 1 / 2) / 2) / 2
    on_seeds, on_variants, without_source = found.over_models
    assert on_seeds.first == "source"
    assert on_seeds.second == "seeds"
    assert on_seeds.result.difference == (0.75 + 0.5) / 2 - 1
    assert on_variants.first == "source"
    assert on_variants.second == "variants"
    assert without_source.first == "seeds"
    assert without_source.second == "variants"
    [test] = seeds_against_variants(with_results(made, "source", source(3, 4), None)).over_models
    assert test.first == "seeds"
    alone = seeds_against_variants(scored_dataset(answered("s1 e n", "s2 e e")))
    assert alone.over_models == ()
    assert alone.over_seeds.difference == 0.25


def test_predictions_are_compared_with_the_gold_label_a_vote_and_the_most_frequent_label() -> None:
    """The vote on s1 is wrong, that on s3 is tied, so that the first label is taken."""
    rows = answered("s1 nec", "s2 enc", "s3 enc")
    on_seeds = {"s1": "nnc", "s2": "een", "s3": "nec"}
    found = majority(scored_dataset(rows, models=THREE, gold={"s3": "n"}, on_seeds=on_seeds))
    assert found.labels == NLI_LABELS
    assert found.tied_votes == 1
    assert found.vote_accuracy == 1 / 3
    assert found.constant_label == "entailment"
    assert found.constant_share == 2 / 3
    assert found.models["a"] == {"gold": 1 / 3, "own": 1, "vote": 1, "constant": 2 / 3}
    assert found.models["b"] == {"gold": 2 / 3, "own": 1, "vote": 0, "constant": 1 / 3}
    assert found.mean["vote"] == 1 / 3
    of_two = majority(scored_dataset(answered("s1 ec"), models=TWO, on_seeds={"s1": "nc"}))
    assert of_two.tied_votes == 1


def test_majority_labels_of_subsamples_and_of_two_labels() -> None:
    """A model's own majority label is that of each subsample."""
    rows = rows_of("s1", "n", subsamples=(0, 1))
    rows += rows_of("s1", "c")
    rows += rows_of("s1", "c", subsamples=())
    assert majority(scored_dataset(rows)).models["a"]["own"] == 0.5
    rows = answered("s1 n n", "s2 e n")
    found = majority(scored_dataset(rows, gold={"s1": "n", "s2": "n"}, labels=("entailment", "not_entailment")))
    assert found.constant_label == "not_entailment"
    assert found.constant_share == 1
    assert found.mean["constant"] == 0.5


def test_a_model_of_two_labels_makes_all_vote_in_two() -> None:
    made = scored_dataset(answered("s1 nc c-", "s2 ee"), models=TWO, gold={"s1": "n"}, on_seeds={"s1": "cc"})
    a, b = made.models
    b = replace(b, answers=b.answers.in_labels(TWO_WAY))
    found = majority(replace(made, models=(a, b)))
    assert found.labels == TWO_WAY
    assert found.tied_votes == 0
    assert found.vote_accuracy == 1
    assert found.models["a"]["gold"] == 0.5
    assert found.models["a"]["vote"] == 1
    assert found.models["b"]["gold"] == 1
    assert found.models["b"]["vote"] == 1
    assert found.constant_label == "entailment"


def test_hard_seeds_are_listed_with_votes_and_answers() -> None:
    rows = rows_of("s1", ["nn", "cc"], subsamples=())  # variants that were not drawn count, too
    rows += answered("r2 en" + " nn" * 10, "s3 en" + " nn" * 9, "s4 n- e-", "s0 nn")
    on_seeds = {"s1": "nc", "r2": "en", "s4": "e-"}
    votes = np.zeros((5, 3), dtype=int)
    votes[0] = [1, 2, 0]
    votes[2, 0] = 3
    made = scored_dataset(rows, models=TWO, on_seeds=on_seeds, annotators=votes.tolist())
    found = hard_seeds(made)
    assert mean_accuracy(made) == pytest.approx([0, 1 / 22, 1 / 20, 1 / 2, 0])
    assert found.seeds == 5
    s0, s1 = found.never_right
    assert s0["seed_id"] == "s0"
    assert s0["votes"] == {}
    assert s1 == {
        "seed_id": "s1",
        "premise": "The premise of s1.",
        "hypothesis": "The hypothesis of s1.",
        "gold": "entailment",
        "votes": {"neutral": 2, "entailment": 1},
        "answers": {"a": "neutral", "b": "contradiction"},
        "variants": 2,
        "mean_accuracy": 0,
    }
    assert [*known(s1["votes"])] == ["neutral", "entailment"], "the most frequent first"
    *others, r2 = found.rarely_right
    assert others == [s0, s1]
    assert r2["seed_id"] == "r2"
    assert r2["votes"] == {}


def test_hard_seeds_without_predictions_or_with_exactly_five_percent() -> None:
    made = scored_dataset(answered("s1 n-", "s2 -e"), models=TWO, on_seeds={"s1": "e-", "s2": "-e"})
    [seed] = hard_seeds(made).never_right
    assert seed["seed_id"] == "s1"
    assert seed["answers"] == {"a": "entailment", "b": None}
    assert seed["votes"] is None
    assert seed["variants"] == 1
    made = scored_dataset(answered("s1" + " nne" * 3 + " nnn" * 17), models=THREE)
    assert mean_accuracy(made)[0] < 0.05  # 0.15 / 3 as a float
    assert hard_seeds(made).rarely_right == ()


def test_seeds_answered_right_and_wrong_have_the_scores_of_their_drawn_variants() -> None:
    """A model that is right on every seed has no score on wrong ones."""
    rows = answered("s1 eee", "s2 nen")
    rows += rows_of("s3", ["nnn"], subsamples=())
    found = seed_correctness(scored_dataset(rows, models=THREE, on_seeds={"s2": "nee", "s3": "nee"}))
    assert found.models["a"] == {"seeds_right": 1, "seeds_wrong": 1, "right": 1, "wrong": 0}
    b = found.models["b"]
    assert b["seeds_right"] == 2
    assert b["seeds_wrong"] == 0
    assert math.isnan(b["wrong"])
    assert found.models["c"]["right"] == 0.5
    assert found.mean_right == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.mean_wrong == 0


BERT_B_S = "textattack/bert-base-uncased-snli"


MASKED_LMS = (*BERT, ALBERT[0])


def test_counterparts_of_the_papers_models_have_their_architecture_and_size() -> None:
    counterparts = {model.paper_name: PAPER_NAMES[model.masked_lm] for model in PAPER_MODELS if model.masked_lm}
    for name, masked_lm in counterparts.items():
        assert name.startswith(f"{masked_lm}-")
    in_the_paper = {"BERT-B-S", "BERT-L-S", "RoBERTa-B-S", "RoBERTa-L-SMFA", "Electra-L-SMFA", "ALBERT-XXL-SMFA"}
    assert set(counterparts) == in_the_paper | {"BART-B-S", "BART-L-SMFA"}  # the paper excluded BART


def test_counterparts_are_known_or_given() -> None:
    rows = rows_of("s1", ["ee"] * 5, masked_lms=BERT[:1])
    rows += rows_of("s2", ["nn"] * 5, masked_lms=ALBERT[:1])
    made = scored_dataset(rows, models=(BERT_B_S, "other"), masked_lms=MASKED_LMS)
    known_alone = {BERT_B_S: BERT[0]}
    given = {"other": BERT[1]}
    assert fine_tuned(made, {}).masked_lms == known_alone
    both = fine_tuned(made, given)
    assert both.masked_lms == known_alone | given
    first, second = made.models
    renamed = replace(made, models=(replace(first, name="mine"), second))
    mine = {"mine": BERT[1]}
    assert fine_tuned(renamed, mine | {BERT_B_S: ALBERT[0]}).masked_lms == mine
    models = {group: curve.models for group, curve in both.curves.items()}
    assert models == {EQUIV: (BERT_B_S,), SIZE: ("other",), ARCH: (BERT_B_S, "other")}


def test_groups_of_variants_are_counted_from_the_counterpart() -> None:
    """Of s2, a fifth variant of the counterpart alone was not drawn; s4 has one variant of each other group."""
    equiv = BERT[:1]
    rows = rows_of("s1", "eeeee", subsamples=(0, 1), masked_lms=equiv)
    rows += rows_of("s3", "nnnnn", masked_lms=equiv)
    rows += rows_of("s2", "nnnn", masked_lms=equiv)
    rows += rows_of("s2", "n", subsamples=(), masked_lms=equiv)
    for names in ((BERT[1],), (ALBERT[0],), (BERT[0], ALBERT[0])):
        rows += rows_of("s4", "e", masked_lms=names)
    found = fine_tuned(scored_dataset(rows, models=(BERT_B_S,), masked_lms=MASKED_LMS), {})
    first, *others = found.groups
    assert first == {
        "model": BERT_B_S,
        "masked_lm": BERT[0],
        "group": EQUIV,
        "variants": 5 + 5 + 4,
        "variants_per_subsample": (5 + 5 + 4 + 5) / 2,
        "seeds": 2,
        "seeds_left_out": 1,
        "pattern_accuracy": 0.75,
    }
    curve = found.curves[EQUIV]
    assert curve.at(0.9) == 0.75
    assert curve.seeds == 2
    assert curve.variants == 10
    assert [group["group"] for group in others] == [SIZE, ARCH, MULTI]
    for group in others:
        assert group["variants"] == 1
        assert group["seeds"] == 0
        assert group["seeds_left_out"] == 1
        assert math.isnan(group["pattern_accuracy"])


CORPUS = CorpusCounts("made up", "c" * 64, {"dog": 9, "cat": 99, "man": 1, "boy": 3})


def variants_of(seed: str, original: str, answers: dict[str, str]) -> list[Row]:
    """Return variants with these replacements; those with "Boy" were not drawn."""
    rows = []
    for word, letters in answers.items():
        subsamples = () if word == "Boy" else (0,)
        rows += rows_of(seed, [letters], original=original, replacement=word, subsamples=subsamples)
    return rows


def test_the_ratio_of_a_seed_is_the_mean_over_its_right_variants_drawn_or_not() -> None:
    rows = variants_of("s1", "Dog", {"cat": "en", "man": "en", "zebra": "nn"})
    rows += variants_of("s2", "yak", {"Boy": "en", "zebra": "en"})
    rows += variants_of("s3", "dog", {"boy": "ee", "man": "nn"})
    rows += variants_of("s4", "dog", {"cat": "e-", "boy": "e-"})
    on_seeds = {"s1": "nn", "s2": "cn", "s3": "ne", "s4": "e-"}
    found = word_frequency(scored_dataset(rows, models=TWO, on_seeds=on_seeds), CORPUS)
    first, second = found.models
    assert first["model"] == "a"
    assert first["wrong_seeds"] == 3
    assert first["seeds"] == 3
    assert first["pairs"] == 5
    assert first["zero_originals"] == 2
    assert first["zero_replacements"] == 1
    assert first["zero_pairs"] == 2
    of_first = (100 / 10 + 2 / 10) / 2  # each count and 1: cat and man for dog
    of_second = (4 / 1 + 1 / 1) / 2
    ratios = np.array([of_first, of_second, 4 / 10])
    averages = (first["arithmetic_mean"], first["median"], first["geometric_mean"])
    statistics: list[Callable[..., Any]] = [np.mean, np.median, stats.gmean]
    for average, statistic in zip(averages, statistics, strict=True):
        [expected] = bootstrap_intervals([statistic], ratios)
        interval = known(average.interval)
        assert average.value == pytest.approx(statistic(ratios))
        assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
        assert interval.unit == "seed"
    assert second["wrong_seeds"] == 2
    assert second["seeds"] == 0
    assert second["pairs"] == 0
    assert math.isnan(second["arithmetic_mean"].value)
    assert second["arithmetic_mean"].interval is None
    assert found.corpus_tokens == 9 + 99 + 1 + 3
    assert found.mean_seeds == 1.5
    assert found.mean_ratio_all == first["arithmetic_mean"].value, "without the model that has no ratio"


def test_the_average_of_the_paper_is_over_models_trained_on_snli_alone() -> None:
    variants = variants_of("s1", "dog", {"cat": "eee", "man": "-ee"})
    scored = scored_dataset(variants, models=THREE, on_seeds={"s1": "nnn"})
    everyone = word_frequency(scored, CORPUS)
    assert everyone.snli_models == (), "training data is unknown"
    assert everyone.mean_ratio_snli is None
    trained = with_results(scored, "training_data", ("stanfordnlp/snli",), ("snli", "anli"), None)
    one = word_frequency(trained, CORPUS)
    assert one.snli_models == ("a",)
    assert one.mean_ratio_snli == pytest.approx(100 / 10)
    assert one.mean_ratio_all == everyone.mean_ratio_all != one.mean_ratio_snli


def test_one_seed_has_no_interval_and_two_have_one() -> None:
    rows = variants_of("s1", "dog", {"cat": "e"})
    on_seeds = {"s1": "n", "s2": "n"}
    [of_one] = word_frequency(scored_dataset(rows, on_seeds=on_seeds), CORPUS).models
    assert of_one["median"].value == 10
    assert of_one["median"].interval is None
    rows += variants_of("s2", "dog", {"man": "e"})
    [of_two] = word_frequency(scored_dataset(rows, on_seeds=on_seeds), CORPUS).models
    assert of_two["median"].interval is not None


PLAIN = answered("s1 ee en", "s2 nn")


def made(rows: list[Row], digit: str, models: Sequence[str] = TWO, texts: Any = None, **changes: Any) -> ScoredDataset:  # noqa: ANN401
    return scored_dataset(rows, models=models, digest=digit * 64, title=f"set {digit}", options=changes, texts=texts)


def names_of(found: FilterSets) -> list[str]:
    return [each["name"] for each in found.sets]


def test_sets_are_named_by_their_options_and_tested_over_seeds() -> None:
    union = made(answered("s2 ee en", "s1 ee"), "2", sides="union")
    found = filter_sets([union, made(PLAIN, "1"), made(PLAIN, "3", filters=["pos"])])
    assert names_of(found) == ["plain", "P∪H", "pos"]
    for number, each in enumerate(found.sets, start=1):
        assert each["title"] == f"set {number}"
        assert each["generated"] == 3
    assert [each["curve"].at(0.9) for each in found.sets] == [0.25, 0.75, 0.25]
    assert found.models == TWO
    assert found.seeds == 2
    assert found.tested_seeds == 2
    assert found.refused == ()
    family = known(found.family)
    assert family.means == {"P∪H": 0.75, "plain": 0.25, "pos": 0.25}
    p_values = {(pair.first, pair.second): pair.result.p_value for pair in family.pairs}
    assert p_values == {("P∪H", "plain"): 0.5, ("P∪H", "pos"): 0.5, ("plain", "pos"): 1}


OTHER = {"title": "T", "seeds_from": "somewhere", "keep_column": ["votes"], "id_column": "number", "device": "cpu"}


def names_with(*options: dict[str, Any]) -> list[str]:
    """Return the names of sets with some options."""
    sets = [made(PLAIN, str(number), **each) for number, each in enumerate(options, 1)]
    return names_of(filter_sets(sets))


def test_sets_are_named_by_the_options_that_differ() -> None:
    union = {"sides": "union"}
    assert names_with({}, {}, {"scramble": True}) == ["scrambled", "set 1", "set 2"]
    assert names_with({"no_compounds": True}, union, {"filters": []}) == ["P∪H", "none", "set 1"]
    assert names_with({"supersense": True}, union) == ["set 1", "set 2"], "neither is usual"
    assert names_with({}, union | OTHER) == ["plain", "P∪H"], "titles and sources are not compared"


def test_every_option_that_changes_rows_is_compared() -> None:
    unchanged = {name for name, option in described(Options) if not option.changes_rows}
    assert MAY_DIFFER - unchanged == {"keep_column", "sides", "filters", "scramble"}
    assert unchanged <= MAY_DIFFER


def reason_to_leave_out(scored: ScoredDataset) -> str:
    """Return why the first of three sets is not compared."""
    found = filter_sets([scored, made(PLAIN, "2"), made(PLAIN, "3", filters=[])])
    assert names_of(found) == ["plain", "none"]
    [reason] = found.refused
    assert reason.startswith("set 1, config all, is not compared: ")
    return reason


def test_sets_on_other_seeds_are_refused_by_name() -> None:
    more = reason_to_leave_out(made(PLAIN + answered("s3 ee"), "1"))
    assert re.search(r"seed s3 is not .*\(3 seeds, the others have 2\)", more)
    assert "seed s2 is not the same" in reason_to_leave_out(made(PLAIN[:2], "1"))
    changed = made(PLAIN, "1", texts={"s2": ("Other.", "Text.")})
    assert "seed s2 is not the same" in reason_to_leave_out(changed)


def test_two_way_models_are_not_averaged_with_the_others() -> None:
    third = made(PLAIN, "3")
    models = []
    for model in third.models:
        answers = model.answers.in_labels(TWO_WAY)
        models.append(ModelAnswers(model.name, made_result(model.name, third.data, answers), answers))
    two_way = replace(third, models=tuple(models))
    found = filter_sets([made(PLAIN, "1"), made(PLAIN, "2", sides="union"), two_way])
    assert [each["title"] for each in found.sets] == ["set 1", "set 2"]
    [reason] = found.refused
    assert reason.startswith("set 3, config all, is not compared: its models answer with other labels")


def test_seeds_without_a_drawn_variant_in_a_set_are_not_tested() -> None:
    undrawn = made(PLAIN + rows_of("s3", ["ee"], subsamples=()), "1")
    found = filter_sets([undrawn, made(PLAIN + answered("s3 ee"), "2", sides="union")])
    assert found.seeds == 3
    assert found.tested_seeds == 2
    assert known(found.family).pairs[0].result.n == 2
    assert [each["curve"].seeds for each in found.sets] == [2, 3]


def test_models_of_only_some_sets_are_left_out() -> None:
    found = filter_sets([made(PLAIN, "1"), made(PLAIN, "2", models=("a", "c"), sides="union")])
    assert found.models == ("a",)
    assert found.models_left_out == ("b", "c")
    assert found.sets[0]["curve"].models == ("a",)


def test_a_model_with_another_name_on_another_set_is_the_same_model() -> None:
    digests = ("a" * 64, "b" * 64)
    first = with_results(made(PLAIN, "1", models=("run1/a", "b")), "digest", *digests)
    second = with_results(made(PLAIN, "2", sides="union"), "digest", *digests)
    found = filter_sets([first, second])
    assert found.models == ("run1/a", "b")
    assert found.models_left_out == ()


WORD_CLASSES = ("noun", "verb", "adj")
THREE_MLMS = ("first", "second", "third")


WORDS = {f"word{number}": number for number in range(30)}


NUMBERED = CorpusCounts("made up", "c" * 64, WORDS)


NUMBERS = ("log_odds", "masked_lms", "sentence_length", "log_count")
PREDICTORS = (*NUMBERS, "word_class: verb", "word_class: adj", "label: neutral", "label: contradiction")


def random_dataset(*, seeds: int = 40, per_seed: int = 12, models: Sequence[str] = TWO) -> ScoredDataset:
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
            if number == 0:
                answers[0] = "-"
            row = Row(
                seed=seed,
                answers="".join(answers),
                word_class=str(rng.choice(WORD_CLASSES)),
                replacement=str(rng.choice(list(WORDS))),
                masked_lms=tuple(rng.choice(THREE_MLMS, size=rng.integers(1, 4), replace=False)),
                log_odds=float(rng.exponential()),
            )
            rows.append(row)
    return scored_dataset(rows, models=models, gold=gold, texts=texts, masked_lms=THREE_MLMS)


def predictors_of(scored: ScoredDataset) -> pd.DataFrame:
    """Return the numbers and indicators of each variant, from their definitions."""
    lengths = []
    labels = []
    for premise, hypothesis, label in scored.seeds:
        lengths.append(len(premise.split()) + len(hypothesis.split()))
        labels.append(label)
    counts = [WORDS[word] for word in scored.words["replacement"].to_pylist()]
    numbers = pd.DataFrame({"log_odds": scored.log_odds.astype(float)})
    numbers["masked_lms"] = np.sum([*scored.variants_by("masked_lm").values()], axis=0)
    numbers["sentence_length"] = np.array(lengths)[scored.groups]
    numbers["log_count"] = np.log(1 + np.array(counts))
    columns = (numbers - numbers.mean()) / numbers.std(ddof=0)
    for name in WORD_CLASSES[1:]:
        columns[f"word_class: {name}"] = scored.variants_by("word_class")[name].astype(float)
    for name in NLI_LABELS[1:]:
        columns[f"label: {name}"] = (np.array(labels)[scored.groups] == name).astype(float)
    return columns


def by_statsmodels(scored: ScoredDataset, models: Sequence[ModelAnswers]) -> sm.Logit:
    """Fit the answers of some models, with an intercept for each."""
    columns = predictors_of(scored)
    parts = []
    for model in models:
        intercepts = {other.name: float(other is model) for other in models}
        part = columns.assign(**intercepts, right=model.answers.correct.astype(float), seed=scored.groups)
        parts.append(part[model.answers.is_predicted])
    rows = pd.concat(parts)
    predictors = rows.drop(columns=["right", "seed"])
    groups = {"groups": rows["seed"].to_numpy()}
    return sm.Logit(rows["right"], predictors).fit(disp=False, tol=1e-12, cov_type="cluster", cov_kwds=groups)


def test_regressions_are_those_of_statsmodels_with_every_predictor() -> None:
    scored = random_dataset()
    result = error_drivers(scored, NUMBERED)
    pooled = known(result.pooled)
    for models, found in (((scored.models[0],), result.models[0]), (scored.models, pooled)):
        assert [each.name for each in found.coefficients] == [*PREDICTORS]
        assert [each.name for each in found.intercepts] == [model.name for model in models]
        expected = by_statsmodels(scored, models)
        ends = expected.conf_int()
        for own in (*found.coefficients, *found.intercepts):
            assert own.estimate == pytest.approx(expected.params[own.name], abs=1e-8)
            assert own.standard_error == pytest.approx(expected.bse[own.name], rel=1e-8)
            assert own.p_value == pytest.approx(expected.pvalues[own.name], rel=1e-6)
            assert (own.interval.low, own.interval.high) == pytest.approx(tuple(ends.loc[own.name]), abs=1e-8)
        assert found.answers == expected.nobs
        assert found.seeds == 40
        assert found.right == pytest.approx(expected.model.endog.mean())
    assert pooled.models == TWO


def test_predictors_are_described_with_their_reference() -> None:
    scored = random_dataset()
    result = error_drivers(scored, NUMBERED)
    units = {each.name: each for each in result.predictors}
    references = [units[name].reference for name in PREDICTORS]
    assert references == [None] * 4 + ["noun"] * 2 + ["entailment"] * 2
    verbs = scored.variants_by("word_class")["verb"]
    for name, values in (("log_odds", scored.log_odds.astype(float)), ("word_class: verb", verbs)):
        assert units[name].mean == pytest.approx(values.mean())
        assert units[name].deviation == pytest.approx(values.std(), rel=1e-9)
    assert json.loads(json.dumps(asdict(result)))["corpus"] == "made up"


def test_without_a_corpus_and_with_columns_that_do_not_vary() -> None:
    scored = random_dataset(models=("a",))
    by_all = {name: np.ones_like(mask) for name, mask in scored.variants_by("masked_lm").items()}
    data = replace(scored.data, masks={**scored.data.masks, "masked_lm": by_all})
    result = error_drivers(replace(scored, data=data))
    assert result.pooled is None
    [model] = result.models
    [left_out] = model.left_out
    assert left_out["name"] == "masked_lms"
    others = [name for name in PREDICTORS if name not in {"masked_lms", "log_count"}]
    assert [each.name for each in model.coefficients] == others


def with_answers(scored: ScoredDataset, right: Sequence[Bools]) -> ScoredDataset:
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
    first, second = result.models
    assert first.not_computed is None
    assert second.not_computed == "every variant is answered right"
    assert second.coefficients == ()
    pooled = known(result.pooled)
    assert pooled.models == ("a",)
    [left_out] = pooled.left_out
    assert left_out["name"] == "b"
    assert left_out["reason"] == "every variant is answered right"
    assert pooled.coefficients == first.coefficients


def test_answers_that_a_level_or_a_number_determines() -> None:
    scored = random_dataset()
    labels = np.array([label for *_, label in scored.seeds])[scored.groups]
    by_label = labels == "neutral"
    by_number = scored.log_odds > 1
    result = error_drivers(with_answers(scored, [by_label, by_number]))
    assert result.models[0].not_computed == "no variant with label entailment is answered right"
    assert "determine" in str(result.models[1].not_computed)
    assert known(result.pooled).not_computed is None


ONE_ROW = scored_dataset(rows_of("s1", "e"))


def not_computed(message: str, analysis: Callable[..., object], *arguments: Any) -> None:  # noqa: ANN401 - of an analysis
    refused(message, analysis, *arguments, error=NotComputable)


def test_comparisons_with_seeds_need_seeds_and_wrong_answers() -> None:
    scored = scored_dataset(rows_of("s1", "en"))
    not_computed("1 seed", seeds_against_variants, scored)
    not_computed("no model", seed_correctness, scored)


def test_curves_by_masked_lm_need_a_counterpart() -> None:
    not_computed(r"Figure 7 .*\(mlm\).*--fine-tuned-from MODEL=MLM", fine_tuned, ONE_ROW, {})
    not_computed("Figure 7", fine_tuned, ONE_ROW, {"a": "elsewhere"})


def test_word_frequencies_need_a_corpus_and_wrong_seeds() -> None:
    not_computed("--corpus", word_frequency, ONE_ROW, None)
    not_computed("no model answers a seed wrong", word_frequency, ONE_ROW, CORPUS)


def test_sets_need_common_seeds_and_a_common_model() -> None:
    plain = made(PLAIN, "1")
    not_computed(r"Figure 8 .*--seeds-from", filter_sets, [plain, made(PLAIN[:2], "2")])
    not_computed(r"Figure 8 .*model", filter_sets, [plain, made(PLAIN, "2", models=("c", "d"))])
    not_computed("Figure 8", filter_sets, [])


def test_regressions_need_seeds_and_answers_that_vary() -> None:
    not_computed("no regression", error_drivers, random_dataset(seeds=6))
    not_computed("no regression", error_drivers, random_dataset(seeds=1, per_seed=2))
    not_computed("every variant is answered right", error_drivers, ONE_ROW)


def test_unknown_counterparts_are_refused() -> None:
    check_counterparts([ONE_ROW], {"a": "mlm"})
    refused("x is not a scored model", check_counterparts, [ONE_ROW], {"x": "mlm"})
    refused("y is not a masked LM", check_counterparts, [ONE_ROW], {"a": "y"})
