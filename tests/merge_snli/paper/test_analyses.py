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
from merge_snli.base.option import described
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.curves import averaged, model_curves
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.comparison.word_classes import classes
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.models.labels import Missing
from merge_snli.models.paper_models import ALBERT, BERT, PAPER_MODELS, PAPER_NAMES
from merge_snli.paper.error_drivers import error_drivers
from merge_snli.paper.filter_sets import MAY_DIFFER, filter_sets
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
from tests.merge_snli.comparison.made import Row, made_result, rows_of, scored_dataset
from tests.oracles import known, refused


def test_rows_are_the_scores_of_the_results_with_letters() -> None:
    rows = [row for number in range(8) for row in rows_of(f"s{number}", ["en", "en" if number else "ee"])]
    made = scored_dataset(rows, models=("right", "wrong"))
    found = table_3(made)
    right, wrong = found.rows
    assert (right["letters"], wrong["letters"]) == ("a", "b")
    assert wrong["on_variants"] == 1 / 16
    assert wrong["seeds"] == 8
    assert wrong["pattern_accuracy"] == 0
    assert wrong["qt"] == wrong["pattern_accuracy"] - wrong["on_seeds"]
    assert wrong["qt_interval"] == known(made.models[1].result.scores.intervals).qt
    assert found.family == compare_models({"right": [1.0] * 8, "wrong": [0.0] * 8})
    assert (found.level, found.method) == (0.95, "Wilson score or BCa bootstrap")


@pytest.mark.parametrize(
    ("right", "parts"),
    [
        (
            {"noun": 9, "verb": 9, "adj": 9},
            ["^PA(0.9) does not differ significantly between any two word classes (ind"],
        ),
        (
            {"noun": 9, "verb": 9, "adj": 1},
            [
                "^PA(0.9) is significantly higher on nouns than on adjectives (+80.0 points",
                "; PA(0.9) is significantly higher on verbs than on adjectives",
                "; PA(0.9) does not differ significantly between nouns and verbs (independent t-test over 20 seeds).",
            ],
        ),
        ({"noun": 9, "verb": 9}, ["^PA(0.9) does not differ significantly on nouns and on verbs (+0.0 points"]),
    ],
)
def test_the_finding_on_word_classes_names_those_that_differ(right: dict[str, int], parts: list[str]) -> None:
    rows = []
    for name, number in right.items():
        for seed in range(10):
            rows += rows_of(f"{name}{seed}", ["e" if seed < number else "n"] * 2, word_class=name)
    artifact = classes_artifact(classes(scored_dataset(rows)))
    for part in parts:
        if part.startswith("^"):
            assert artifact.finding.startswith(part[1:]), artifact.finding
        else:
            assert part in artifact.finding


def test_word_classes_are_tested_on_the_seeds_of_only_one() -> None:
    nouns = [*rows_of("n1", "e"), *rows_of("n2", "n"), *rows_of("both", "n")]
    verbs = []
    for seed, answer in (("v1", "e"), ("v2", "e"), ("both", "n")):
        verbs += rows_of(seed, answer, word_class="verb")
    [test] = classes(scored_dataset([*nouns, *verbs])).tests
    assert (test.first, test.second, test.result.n) == ("noun", "verb", 4)
    assert test.result == independent_t_test([1, 0], [1, 1], unit="seed")


def test_the_range_of_a_curve_is_that_of_the_mean_over_the_models_in_each_subsample() -> None:
    rows = [*rows_of("s1", ["en"], subsamples=(0,)), *rows_of("s1", ["ne"], subsamples=(1,))]
    rows += [*rows_of("s2", ["ee"], subsamples=(0, 1)), *rows_of("s1", ["--"])]
    scored = scored_dataset(rows, models=("a", "b"))
    curve, of_seeds = averaged(scored)
    assert curve.mean[90] == 0.75
    assert curve.low[90] == 0.75
    assert curve.high[90] == 0.75
    assert (curve.models, curve.seeds, curve.variants) == (("a", "b"), 2, 3)
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
        fields: dict[str, Any] = {"model": replace(model.result.model, **{part: value})} if of_model else {part: value}
        models.append(replace(model, result=replace(model.result, **fields)))
    return replace(scored, models=tuple(models))


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
    assert (row["seeds"], row["mt"]) == (1, 0.5), "the highest threshold that the seed passes"
    [row] = table_3(with_results(made, "source", source(3, 4))).rows
    assert (row["source"], row["source_problems"]) == (0.75, 4)
    assert row["source_interval"] == source(3, 4).overall.interval
    assert found.rows[0]["source"] is None


def test_the_source_is_compared_if_all_models_were_scored_on_it() -> None:
    made = scored_dataset([*rows_of("s1", ["en", "ee"]), *rows_of("s2", ["ee"])], models=("a", "b"))
    found = seeds_against_variants(with_results(made, "source", source(3, 4), source(2, 4)))
    assert found.over_seeds.difference == (1 - (1 + 1 / 2) / 2) / 2
    tests = found.over_models
    pairs = [(test.first, test.second) for test in tests]
    assert pairs == [("source", "seeds"), ("source", "variants"), ("seeds", "variants")]
    assert tests[0].result.difference == (0.75 + 0.5) / 2 - 1
    some = seeds_against_variants(with_results(made, "source", source(3, 4), None)).over_models
    assert [(test.first, test.second) for test in some] == [("seeds", "variants")]
    alone = seeds_against_variants(scored_dataset([*rows_of("s1", "en"), *rows_of("s2", "ee")]))
    assert (alone.over_models, alone.over_seeds.difference) == ((), 0.25)


def test_predictions_are_compared_with_the_gold_label_a_vote_and_the_most_frequent_label() -> None:
    """The vote on s1 is wrong, that on s3 is tied, so that the first label is taken."""
    rows = [*rows_of("s1", ["nec"]), *rows_of("s2", ["enc"]), *rows_of("s3", ["enc"])]
    on_seeds = {"s1": "nnc", "s2": "een", "s3": "nec"}
    found = majority(scored_dataset(rows, models=("a", "b", "c"), gold={"s3": "n"}, on_seeds=on_seeds))
    assert found.labels == NLI_LABELS
    assert found.tied_votes == 1
    assert found.vote_accuracy == 1 / 3
    assert (found.constant_label, found.constant_share) == ("entailment", 2 / 3)
    assert found.models["a"] == {"gold": 1 / 3, "own": 1, "vote": 1, "constant": 2 / 3}
    assert found.models["b"] == {"gold": 2 / 3, "own": 1, "vote": 0, "constant": 1 / 3}
    assert found.mean["vote"] == 1 / 3
    of_two = majority(scored_dataset(rows_of("s1", ["ec"]), models=("a", "b"), on_seeds={"s1": "nc"}))
    assert of_two.tied_votes == 1


def test_majority_labels_of_subsamples_and_of_two_labels() -> None:
    """A model's own majority label is that of each subsample."""
    rows = [*rows_of("s1", "n", subsamples=(0, 1)), *rows_of("s1", "c", subsamples=(0,))]
    rows += rows_of("s1", "c", subsamples=())
    assert majority(scored_dataset(rows)).models["a"]["own"] == 0.5
    rows = [*rows_of("s1", "nn"), *rows_of("s2", "en")]
    found = majority(scored_dataset(rows, gold={"s1": "n", "s2": "n"}, labels=("entailment", "not_entailment")))
    assert (found.constant_label, found.constant_share, found.mean["constant"]) == ("not_entailment", 1, 0.5)


def test_a_model_of_two_labels_makes_all_vote_in_two() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["nc", "c-"]), *rows_of("s2", ["ee"])],
        models=("a", "b"),
        gold={"s1": "n"},
        on_seeds={"s1": "cc"},
    )
    [a, b] = made.models
    b = replace(b, answers=b.answers.in_labels(TWO_WAY))
    found = majority(replace(made, models=(a, b)))
    assert (found.labels, found.tied_votes, found.vote_accuracy) == (TWO_WAY, 0, 1)
    assert found.models["a"]["gold"] == 0.5
    assert found.models["a"]["vote"] == 1
    assert found.models["b"]["gold"] == 1
    assert found.models["b"]["vote"] == 1
    assert found.constant_label == "entailment"


def test_hard_seeds_are_listed_with_votes_and_answers() -> None:
    rows = rows_of("s1", ["nn", "cc"], subsamples=())  # variants that were not drawn count, too
    rows += rows_of("r2", ["en"] + ["nn"] * 10)
    rows += rows_of("s3", ["en"] + ["nn"] * 9)
    rows += rows_of("s4", ["n-", "e-"])
    rows += rows_of("s0", ["nn"])
    on_seeds = {"s1": "nc", "r2": "en", "s4": "e-"}
    votes = np.zeros((5, 3), dtype=int)
    votes[0] = [1, 2, 0]
    votes[2, 0] = 3
    made = scored_dataset(rows, models=("a", "b"), on_seeds=on_seeds, annotators=votes.tolist())
    found = hard_seeds(made)
    assert mean_accuracy(made) == pytest.approx([0, 1 / 22, 1 / 20, 1 / 2, 0])
    assert found.seeds == 5
    assert [seed["seed_id"] for seed in found.never_right] == ["s0", "s1"]
    assert [seed["seed_id"] for seed in found.rarely_right] == ["s0", "s1", "r2"]
    s1 = found.never_right[1]
    assert s1["premise"] == "The premise of s1."
    assert s1["gold"] == "entailment"
    assert s1["variants"] == 2
    assert s1["mean_accuracy"] == 0
    assert list((s1["votes"] or {}).items()) == [("neutral", 2), ("entailment", 1)]
    assert s1["answers"] == {"a": "neutral", "b": "contradiction"}
    assert [seed["votes"] for seed in (found.never_right[0], found.rarely_right[2])] == [{}, {}]


def test_hard_seeds_without_predictions_or_with_exactly_five_percent() -> None:
    rows = [*rows_of("s1", ["n-"]), *rows_of("s2", ["-e"])]
    made = scored_dataset(rows, models=("a", "b"), on_seeds={"s1": "e-", "s2": "-e"})
    [seed] = hard_seeds(made).never_right
    assert seed["seed_id"] == "s1"
    assert seed["answers"] == {"a": "entailment", "b": None}
    assert seed["votes"] is None
    assert seed["variants"] == 1
    made = scored_dataset(rows_of("s1", ["nne"] * 3 + ["nnn"] * 17), models=("a", "b", "c"))
    assert mean_accuracy(made)[0] < 0.05  # 0.15 / 3 as a float
    assert hard_seeds(made).rarely_right == ()


def test_seeds_answered_right_and_wrong_have_the_scores_of_their_drawn_variants() -> None:
    """A model that is right on every seed has no score on wrong ones."""
    rows = [*rows_of("s1", ["eee"]), *rows_of("s2", ["nen"]), *rows_of("s3", ["nnn"], subsamples=())]
    on_seeds = {"s2": "nee", "s3": "nee"}
    found = seed_correctness(scored_dataset(rows, models=("a", "b", "c"), on_seeds=on_seeds))
    assert found.models["a"] == {"seeds_right": 1, "seeds_wrong": 1, "right": 1, "wrong": 0}
    assert found.models["b"]["seeds_right"] == 2
    assert found.models["b"]["seeds_wrong"] == 0
    assert math.isnan(found.models["b"]["wrong"])
    assert found.models["c"]["right"] == 0.5
    assert found.mean_right == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.mean_wrong == 0


BERT_B_S = "textattack/bert-base-uncased-snli"


MASKED_LMS = (*BERT, ALBERT[0])


def test_counterparts_of_the_papers_models_have_their_architecture_and_size() -> None:
    counterparts = {model.paper_name: PAPER_NAMES[model.masked_lm] for model in PAPER_MODELS if model.masked_lm}
    assert all(name.startswith(f"{masked_lm}-") for name, masked_lm in counterparts.items())
    in_the_paper = {"BERT-B-S", "BERT-L-S", "RoBERTa-B-S", "RoBERTa-L-SMFA", "Electra-L-SMFA", "ALBERT-XXL-SMFA"}
    assert set(counterparts) == in_the_paper | {"BART-B-S", "BART-L-SMFA"}  # the paper excluded BART


def test_counterparts_are_known_or_given() -> None:
    rows = [*rows_of("s1", ["ee"] * 5, masked_lms=(BERT[0],)), *rows_of("s2", ["nn"] * 5, masked_lms=(ALBERT[0],))]
    made = scored_dataset(rows, models=(BERT_B_S, "other"), masked_lms=MASKED_LMS)
    assert fine_tuned(made).masked_lms == {BERT_B_S: BERT[0]}
    both = fine_tuned(made, {"other": BERT[1]})
    assert both.masked_lms == {BERT_B_S: BERT[0], "other": BERT[1]}
    first, second = made.models
    renamed = replace(made, models=(replace(first, name="mine"), second))
    assert fine_tuned(renamed, {"mine": BERT[1], BERT_B_S: ALBERT[0]}).masked_lms == {"mine": BERT[1]}
    models = {group: curve.models for group, curve in both.curves.items()}
    assert models == {EQUIV: (BERT_B_S,), SIZE: ("other",), ARCH: (BERT_B_S, "other")}


def test_groups_of_variants_are_counted_from_the_counterpart() -> None:
    """Of s2, a fifth variant of the counterpart alone was not drawn; s4 has one variant of each other group."""
    equiv = {"masked_lms": (BERT[0],)}
    rows = [*rows_of("s1", "eeeee", subsamples=(0, 1), **equiv), *rows_of("s3", "nnnnn", **equiv)]
    rows += [*rows_of("s2", "nnnn", **equiv), *rows_of("s2", "n", subsamples=(), **equiv)]
    for names in ((BERT[1],), (ALBERT[0],), (BERT[0], ALBERT[0])):
        rows += rows_of("s4", "e", masked_lms=names)
    found = fine_tuned(scored_dataset(rows, models=(BERT_B_S,), masked_lms=MASKED_LMS))
    first, *others = found.groups
    assert first["model"] == BERT_B_S
    assert first["masked_lm"] == BERT[0]
    assert first["group"] == EQUIV
    assert first["variants"] == 5 + 5 + 4
    assert first["variants_per_subsample"] == (5 + 5 + 4 + 5) / 2
    assert (first["seeds"], first["seeds_left_out"]) == (2, 1)
    assert first["pattern_accuracy"] == (1 / 2 + 1) / 2
    curve = found.curves[EQUIV]
    assert curve.at(0.9) == first["pattern_accuracy"]
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


VARIANTS = [
    *variants_of("s1", "Dog", {"cat": "en", "man": "en", "zebra": "nn"}),
    *variants_of("s2", "yak", {"Boy": "en", "zebra": "en"}),
    *variants_of("s3", "dog", {"boy": "ee", "man": "nn"}),
    *variants_of("s4", "dog", {"cat": "e-", "boy": "e-"}),
]


ON_SEEDS = {"s1": "nn", "s2": "cn", "s3": "ne", "s4": "e-"}


def test_the_ratio_of_a_seed_is_the_mean_over_its_right_variants_drawn_or_not() -> None:
    found = word_frequency(scored_dataset(VARIANTS, models=("a", "b"), on_seeds=ON_SEEDS), CORPUS)
    first, second = found.models
    assert first["model"] == "a"
    assert first["wrong_seeds"] == 3
    assert first["seeds"] == 3
    assert first["pairs"] == 5
    assert (first["zero_originals"], first["zero_replacements"], first["zero_pairs"]) == (2, 1, 2)
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
    assert (second["wrong_seeds"], second["seeds"], second["pairs"]) == (2, 0, 0)
    assert math.isnan(second["arithmetic_mean"].value)
    assert second["arithmetic_mean"].interval is None
    assert found.corpus_tokens == 9 + 99 + 1 + 3
    assert found.mean_seeds == 1.5
    assert found.mean_ratio_all == first["arithmetic_mean"].value, "without the model that has no ratio"


def test_the_average_of_the_paper_is_over_models_trained_on_snli_alone() -> None:
    scored = scored_dataset(
        variants_of("s1", "dog", {"cat": "eee", "man": "-ee"}), models=("a", "b", "c"), on_seeds={"s1": "nnn"}
    )
    everyone = word_frequency(scored, CORPUS)
    assert (everyone.snli_models, everyone.mean_ratio_snli) == ((), None), "training data is unknown"
    trained = [("stanfordnlp/snli",), ("snli", "anli"), None]
    one = word_frequency(with_results(scored, "training_data", *trained), CORPUS)
    assert one.snli_models == ("a",)
    assert one.mean_ratio_snli == pytest.approx(100 / 10)
    assert one.mean_ratio_all == everyone.mean_ratio_all != one.mean_ratio_snli
    (model,) = word_frequency(
        scored_dataset(variants_of("s1", "dog", {"cat": "e"}), on_seeds={"s1": "n"}), CORPUS
    ).models
    assert (model["median"].value, model["median"].interval) == (10.0, None), "one seed has no interval"
    two_seeds = [*variants_of("s1", "dog", {"cat": "e"}), *variants_of("s2", "dog", {"man": "e"})]
    (model,) = word_frequency(scored_dataset(two_seeds, on_seeds={"s1": "n", "s2": "n"}), CORPUS).models
    assert model["median"].interval is not None


PLAIN: list[Row] = [*rows_of("s1", ["ee", "en"]), *rows_of("s2", ["nn"])]


def made(rows: list[Row], digit: str, models: tuple[str, ...] = ("a", "b"), **changes: Any) -> ScoredDataset:  # noqa: ANN401
    texts = changes.pop("texts", None)
    return scored_dataset(rows, models=models, digest=digit * 64, title=f"set {digit}", options=changes, texts=texts)


def test_sets_are_named_by_their_options_and_tested_over_seeds() -> None:
    union = made([*rows_of("s2", ["ee", "en"]), *rows_of("s1", ["ee"])], "2", sides="union")
    found = filter_sets([union, made(PLAIN, "1"), made(PLAIN, "3", filters=["pos"])])
    assert [each["name"] for each in found.sets] == ["plain", "P∪H", "pos"]
    assert [(each["title"], each["generated"]) for each in found.sets] == [("set 1", 3), ("set 2", 3), ("set 3", 3)]
    assert [each["curve"].at(0.9) for each in found.sets] == [0.25, 0.75, 0.25]
    assert found.models == ("a", "b")
    assert found.seeds == 2
    assert found.tested_seeds == 2
    assert found.refused == ()
    assert known(found.family).means == {"P∪H": 0.75, "plain": 0.25, "pos": 0.25}
    p_values = {(pair.first, pair.second): pair.result.p_value for pair in known(found.family).pairs}
    assert p_values == {("P∪H", "plain"): 0.5, ("P∪H", "pos"): 0.5, ("plain", "pos"): 1}


OTHER = {"title": "T", "seeds_from": "somewhere", "keep_column": ["votes"], "id_column": "number", "device": "cpu"}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([{}, {}, {"scramble": True}], ["scrambled", "set 1", "set 2"]),
        ([{"no_compounds": True}, {"sides": "union"}, {"filters": []}], ["P∪H", "none", "set 1"]),
        ([{"mask": "all"}, {"sides": "union"}, {"filters": []}], ["P∪H", "none", "set 1"]),
        ([{"inflation": 4}, {"sides": "union"}, {"filters": []}], ["P∪H", "none", "set 1"]),
        ([{"supersense": True}, {"sides": "union"}], ["set 1", "set 2"]),
        ([{}, {"sides": "union", **OTHER}], ["plain", "P∪H"]),
    ],
    ids=["equal options", "no compounds", "mask", "inflation", "no majority", "titles and sources are not compared"],
)
def test_sets_are_named_by_the_options_that_differ(options: list[dict[str, Any]], names: list[str]) -> None:
    sets = [made(PLAIN, str(number), **each) for number, each in enumerate(options, 1)]
    assert [each["name"] for each in filter_sets(sets).sets] == names


def test_every_option_that_changes_rows_is_compared() -> None:
    unchanged = {name for name, option in described(Options) if not option.changes_rows}
    assert MAY_DIFFER - unchanged == {"keep_column", "sides", "filters", "scramble"}
    assert unchanged <= MAY_DIFFER


@pytest.mark.parametrize(
    ("rows", "texts", "reason"),
    [
        ([*PLAIN, *rows_of("s3", ["ee"])], None, r"its seed s3 is not .*\(3 seeds, the others have 2\)"),
        (PLAIN[:2], None, r"seed s2 is missing"),
        (PLAIN, {"s2": ("Other.", "Text.")}, r"seed s2 has another premise"),
    ],
)
def test_sets_on_other_seeds_are_refused_by_name(rows: list[Row], texts: Any, reason: str) -> None:  # noqa: ANN401
    found = filter_sets([made(rows, "1", texts=texts), *[made(PLAIN, "2"), made(PLAIN, "3", filters=[])]])
    assert [each["name"] for each in found.sets] == ["plain", "none"]
    [refused] = found.refused
    assert refused.startswith("set 1, config all, is not compared: ")
    assert re.search(reason, refused)


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
    undrawn = rows_of("s3", ["ee"], subsamples=())
    found = filter_sets([made([*PLAIN, *undrawn], "1"), made([*PLAIN, *rows_of("s3", ["ee"])], "2", sides="union")])
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
    sets = [made(PLAIN, "1", models=("run1/a", "b")), made(PLAIN, "2", models=("a", "b"), sides="union")]
    found = filter_sets([with_results(scored, "digest", "a" * 64, "b" * 64) for scored in sets])
    assert (found.models, found.models_left_out) == (("run1/a", "b"), ())


WORD_CLASSES = ("noun", "verb", "adj")
THREE_MLMS = ("first", "second", "third")


WORDS = {f"word{number}": number for number in range(30)}


NUMBERED = CorpusCounts("made up", "c" * 64, WORDS)


NUMBERS = ("log_odds", "masked_lms", "sentence_length", "log_count")
PREDICTORS = (*NUMBERS, "word_class: verb", "word_class: adj", "label: neutral", "label: contradiction")


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
            if number == 0:
                answers[0] = "-"
            word_class = str(rng.choice(WORD_CLASSES))
            replacement = str(rng.choice(list(WORDS)))
            masked_lms = tuple(rng.choice(THREE_MLMS, size=rng.integers(1, 4), replace=False))
            columns: dict[str, Any] = {"word_class": word_class, "replacement": replacement, "masked_lms": masked_lms}
            rows += rows_of(seed, ["".join(answers)], log_odds=float(rng.exponential()), **columns)
    return scored_dataset(rows, models=models, gold=gold, texts=texts, masked_lms=THREE_MLMS)


def predictors_of(scored: ScoredDataset) -> pd.DataFrame:
    """Return the numbers and indicators of each variant, from their definitions."""
    lengths, labels = [], []
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
        assert (found.answers, found.seeds) == (expected.nobs, 40)
        assert found.right == pytest.approx(expected.model.endog.mean())
    assert pooled.models == ("a", "b")


def test_predictors_are_described_with_their_reference() -> None:
    scored = random_dataset()
    result = error_drivers(scored, NUMBERED)
    units = {each.name: each for each in result.predictors}
    assert [units[name].reference for name in PREDICTORS] == [None] * 4 + ["noun"] * 2 + ["entailment"] * 2
    verbs = scored.variants_by("word_class")["verb"]
    for name, values in (("log_odds", scored.log_odds.astype(float)), ("word_class: verb", verbs)):
        assert units[name].mean == pytest.approx(values.mean())
        assert units[name].deviation == pytest.approx(values.std(), rel=1e-9)
    assert json.loads(json.dumps(asdict(result)))["corpus"] == "made up"


def test_without_a_corpus_and_with_columns_that_do_not_vary() -> None:
    scored = random_dataset(models=("a",))
    by_all = {name: np.ones_like(mask) for name, mask in scored.variants_by("masked_lm").items()}
    result = error_drivers(replace(scored, data=replace(scored.data, masks={**scored.data.masks, "masked_lm": by_all})))
    assert result.pooled is None
    assert [each["name"] for each in result.models[0].left_out] == ["masked_lms"]
    assert [each.name for each in result.models[0].coefficients] == [
        name for name in PREDICTORS if name not in {"masked_lms", "log_count"}
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
    by_label = labels == "neutral"
    by_number = scored.log_odds > 1
    result = error_drivers(with_answers(scored, [by_label, by_number]))
    assert result.models[0].not_computed == "no variant with label entailment is answered right"
    assert "determine" in str(result.models[1].not_computed)
    assert known(result.pooled).not_computed is None


ONE_ROW = scored_dataset(rows_of("s1", "e"))


@pytest.mark.parametrize(
    ("analysis", "arguments", "message"),
    [
        (seeds_against_variants, [scored_dataset(rows_of("s1", "en"))], "1 seed"),
        (seed_correctness, [scored_dataset(rows_of("s1", "en"))], "no model"),
        (fine_tuned, [ONE_ROW], r"Figure 7 .*\(mlm\).*--fine-tuned-from MODEL=MLM"),
        (fine_tuned, [ONE_ROW, {"a": "elsewhere"}], "Figure 7"),
        (word_frequency, [ONE_ROW, None], "--corpus"),
        (word_frequency, [ONE_ROW, CORPUS], "no model answers a seed wrong"),
        (filter_sets, [[made(PLAIN, "1"), made(PLAIN[:2], "2")]], r"Figure 8 .*--seeds-from"),
        (filter_sets, [[made(PLAIN, "1"), made(PLAIN, "2", models=("c", "d"))]], r"Figure 8 .*model"),
        (filter_sets, [[]], "Figure 8"),
        (error_drivers, [random_dataset(seeds=6)], "no regression"),
        (error_drivers, [random_dataset(seeds=1, per_seed=2)], "no regression"),
        (error_drivers, [ONE_ROW], "every variant is answered right"),
    ],
)
def test_what_cannot_be_computed_is_named(analysis: Callable[..., object], arguments: list[Any], message: str) -> None:
    refused(message, analysis, *arguments, error=NotComputable)


@pytest.mark.parametrize(
    ("counterparts", "named"), [({"x": "mlm"}, "x is not a scored model"), ({"a": "y"}, "y is not a masked LM")]
)
def test_unknown_counterparts_are_refused(counterparts: dict[str, str], named: str) -> None:
    check_counterparts([ONE_ROW], {"a": "mlm"})
    refused(named, check_counterparts, [ONE_ROW], counterparts)
