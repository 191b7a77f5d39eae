"""Tests of the analyses of data sets, with numbers computed by hand, and of regressions."""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from generation.options import Options
from merge_snli.base.option import described
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.comparison.word_classes import classes
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.models.labels import Missing
from merge_snli.models.paper_models import ALBERT, BERT, PAPER_MODELS, PAPER_NAMES
from merge_snli.paper.error_drivers import error_drivers
from merge_snli.paper.filter_sets import MAY_DIFFER, filter_sets
from merge_snli.paper.fine_tuned import ARCH, EQUIV, SIZE, check_counterparts, fine_tuned
from merge_snli.paper.hard_seeds import hard_seeds, mean_accuracy
from merge_snli.paper.majority import majority
from merge_snli.paper.report.curve_artifacts import classes_artifact
from merge_snli.paper.seed_correctness import seed_correctness
from merge_snli.paper.table_3 import seeds_against_variants, table_3
from merge_snli.paper.word_frequency import word_frequency
from merge_snli.results.measure import source_accuracy
from merge_snli.results.scores import SourceScores
from merge_snli.statistics import compare_models
from tests.merge_snli.comparison.made import Row, rows_of, scored_dataset
from tests.oracles import known, refused


def test_rows_are_the_scores_of_the_results_with_letters() -> None:
    rows = [row for number in range(8) for row in rows_of(f"s{number}", ["en", "en" if number else "ee"])]
    made = scored_dataset(rows, models=("right", "wrong"))
    found = table_3(made)
    right, wrong = found.rows
    assert (right["letters"], wrong["letters"], wrong["on_variants"]) == ("a", "b", 1 / 16)
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
    assert (found.family, row["letters"], row["qt_interval"], found.level) == (None, "", None, None)
    [row] = table_3(with_results(made, "source", source(3, 4))).rows
    assert (row["source"], row["source_problems"]) == (0.75, 4)
    assert row["source_interval"] == source(3, 4).overall.interval
    assert found.rows[0]["source"] is None


def test_the_source_is_compared_if_all_models_were_scored_on_it() -> None:
    made = scored_dataset([*rows_of("s1", ["en", "ee"]), *rows_of("s2", ["ee"])], models=("a", "b"))
    tests = seeds_against_variants(with_results(made, "source", source(3, 4), source(2, 4))).over_models
    pairs = [(test.first, test.second) for test in tests]
    assert pairs == [("source", "seeds"), ("source", "variants"), ("seeds", "variants")]
    assert tests[0].result.difference == (0.75 + 0.5) / 2 - 1
    some = seeds_against_variants(with_results(made, "source", source(3, 4), None)).over_models
    assert [(test.first, test.second) for test in some] == [("seeds", "variants")]
    alone = seeds_against_variants(scored_dataset([*rows_of("s1", "en"), *rows_of("s2", "ee")]))
    assert (alone.over_models, alone.over_seeds.difference) == ((), 0.25)


def test_majority_labels_of_subsamples_and_of_two_labels() -> None:
    """A model's own majority label is that of each subsample."""
    rows = [*rows_of("s1", "e", subsamples=(0, 1)), *rows_of("s1", "n", subsamples=(0,))]
    rows += rows_of("s1", "n", subsamples=())
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
    assert (found.models["a"]["gold"], found.models["a"]["vote"]) == (0.5, 1)
    assert (found.models["b"]["gold"], found.models["b"]["vote"], found.constant_label) == (1, 1, "entailment")


def test_hard_seeds_are_listed_with_votes_and_answers() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["nn", "cc"], subsamples=()),  # variants that were not drawn count, too
            *rows_of("s2", ["en"] + ["nn"] * 10),
            *rows_of("s3", ["en"] + ["nn"] * 9),
            *rows_of("s4", ["n-", "e-"]),
            *rows_of("s0", ["nn"]),
        ],
        models=("a", "b"),
        on_seeds={"s1": "nc", "s2": "en", "s4": "e-"},
        annotators=[[1, 2, 0], [0, 0, 0], [3, 0, 0], [0, 0, 0], [0, 0, 0]],
    )
    found = hard_seeds(made)
    assert mean_accuracy(made) == pytest.approx([0, 1 / 22, 1 / 20, 1 / 2, 0])
    assert (found.seeds, [seed.seed_id for seed in found.never_right]) == (5, ["s0", "s1"])
    assert [seed.seed_id for seed in found.rarely_right] == ["s0", "s1", "s2"]
    s1 = found.never_right[1]
    assert (s1.premise, s1.gold, s1.variants, s1.mean_accuracy) == ("The premise of s1.", "entailment", 2, 0)
    assert list((s1.votes or {}).items()) == [("neutral", 2), ("entailment", 1)]
    assert s1.answers == {"a": "neutral", "b": "contradiction"}
    assert [seed.votes for seed in (found.never_right[0], found.rarely_right[2])] == [{}, {}]


def test_hard_seeds_without_predictions_or_with_exactly_five_percent() -> None:
    rows = [*rows_of("s1", ["n-"]), *rows_of("s2", ["-e"])]
    made = scored_dataset(rows, models=("a", "b"), on_seeds={"s1": "e-", "s2": "-e"})
    [seed] = hard_seeds(made).never_right
    assert (seed.seed_id, seed.answers, seed.votes) == ("s1", {"a": "entailment", "b": None}, None)
    made = scored_dataset(rows_of("s1", ["nne"] * 3 + ["nnn"] * 17), models=("a", "b", "c"))
    assert mean_accuracy(made)[0] < 0.05  # 0.15 / 3 as a float
    assert hard_seeds(made).rarely_right == ()


def test_a_model_that_is_right_on_every_seed_has_no_score_on_wrong_ones() -> None:
    rows = [*rows_of("s1", ["ee"]), *rows_of("s2", ["ne"])]
    found = seed_correctness(scored_dataset(rows, models=("a", "b"), on_seeds={"s2": "ne"}))
    assert (found.models["b"]["seeds_right"], found.models["b"]["seeds_wrong"]) == (2, 0)
    assert math.isnan(found.models["b"]["wrong"]) and found.mean_wrong == found.models["a"]["wrong"]


BERT_B_S = "textattack/bert-base-uncased-snli"


MASKED_LMS = (*BERT, ALBERT[0])


def test_counterparts_of_the_papers_models_have_their_architecture_and_size() -> None:
    counterparts = {model.paper_name: PAPER_NAMES[model.masked_lm] for model in PAPER_MODELS if model.masked_lm}
    assert all(name.startswith(f"{masked_lm}-") for name, masked_lm in counterparts.items())
    in_the_paper = {"BERT-B-S", "BERT-L-S", "RoBERTa-B-S", "RoBERTa-L-SMFA", "Electra-L-SMFA", "ALBERT-XXL-SMFA"}
    assert set(counterparts) == in_the_paper | {"BART-B-S", "BART-L-SMFA"}  # the paper excluded BART


def test_counterparts_are_known_or_given() -> None:
    """The numbers of the groups are computed independently."""
    rows = [*rows_of("s1", ["ee"] * 5, masked_lms=(BERT[0],)), *rows_of("s2", ["nn"] * 5, masked_lms=(ALBERT[0],))]
    made = scored_dataset(rows, models=(BERT_B_S, "other"), masked_lms=MASKED_LMS)
    assert fine_tuned(made).masked_lms == {BERT_B_S: BERT[0]}
    both = fine_tuned(made, {"other": BERT[1]})
    assert both.masked_lms == {BERT_B_S: BERT[0], "other": BERT[1]}
    models = {group: curve.models for group, curve in both.curves.items()}
    assert models == {EQUIV: (BERT_B_S,), SIZE: ("other",), ARCH: (BERT_B_S, "other")}


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
    *variants_of("s3", "dog", {"boy": "ne", "man": "nn"}),
    *variants_of("s4", "dog", {"cat": "e-", "boy": "e-"}),
]


ON_SEEDS = {"s1": "nn", "s2": "cn", "s3": "ne", "s4": "e-"}


def test_undrawn_variants_have_ratios_and_a_model_without_ratios_has_no_average() -> None:
    """The numbers are computed independently in the report."""
    first, second = word_frequency(scored_dataset(VARIANTS, models=("a", "b"), on_seeds=ON_SEEDS), CORPUS).models
    assert (first.model, first.wrong_seeds, first.seeds, first.pairs) == ("a", 3, 2, 4)
    assert known(first.median.interval).unit == "seed"
    assert (second.wrong_seeds, second.seeds, second.pairs) == (2, 0, 0)
    assert math.isnan(second.arithmetic_mean.value) and second.arithmetic_mean.interval is None


def test_the_average_of_the_paper_is_over_models_trained_on_snli_alone() -> None:
    scored = scored_dataset(
        variants_of("s1", "dog", {"cat": "eee", "man": "-ee"}), models=("a", "b", "c"), on_seeds={"s1": "nnn"}
    )
    everyone = word_frequency(scored, CORPUS)
    assert (everyone.snli_models, everyone.mean_ratio_snli) == ((), None), "training data is unknown"
    trained = [("stanfordnlp/snli",), ("snli", "anli"), None]
    one = word_frequency(with_results(scored, "training_data", *trained), CORPUS)
    assert one.snli_models == ("a",) and one.mean_ratio_snli == pytest.approx(100 / 10)
    assert one.mean_ratio_all == everyone.mean_ratio_all != one.mean_ratio_snli
    (model,) = word_frequency(
        scored_dataset(variants_of("s1", "dog", {"cat": "e"}), on_seeds={"s1": "n"}), CORPUS
    ).models
    assert (model.median.value, model.median.interval) == (10.0, None), "one seed has no interval"


PLAIN: list[Row] = [*rows_of("s1", ["ee", "en"]), *rows_of("s2", ["nn"])]


def made(rows: list[Row], digit: str, models: tuple[str, ...] = ("a", "b"), **changes: Any) -> ScoredDataset:  # noqa: ANN401
    texts = changes.pop("texts", None)
    return scored_dataset(rows, models=models, digest=digit * 64, title=f"set {digit}", options=changes, texts=texts)


def test_sets_are_named_by_their_options_and_tested_over_seeds() -> None:
    union = made([*rows_of("s2", ["ee", "ee"]), *rows_of("s1", ["ee"])], "2", sides="union")
    found = filter_sets([union, made(PLAIN, "1"), made(PLAIN, "3", filters=["pos"])])
    assert [each.name for each in found.sets] == ["plain", "P∪H", "pos"]
    assert [(each.title, each.generated) for each in found.sets] == [("set 1", 3), ("set 2", 3), ("set 3", 3)]
    assert [each.curve.at(0.9) for each in found.sets] == [(1 / 2 + 0) / 2, 1, 1 / 4]
    assert (found.models, found.seeds, found.tested_seeds, found.refused) == (("a", "b"), 2, 2, ())
    assert known(found.family).means == {"P∪H": 1, "plain": 0.25, "pos": 0.25}
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
    assert [each.name for each in filter_sets(sets).sets] == names


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
    assert [each.name for each in found.sets] == ["plain", "none"]
    [refused] = found.refused
    assert refused.startswith("set 1, config all, is not compared: ")
    assert re.search(reason, refused)


def test_models_of_only_some_sets_are_left_out() -> None:
    found = filter_sets([made(PLAIN, "1"), made(PLAIN, "2", models=("a", "c"), sides="union")])
    assert (found.models, found.models_left_out, found.sets[0].curve.models) == (("a",), ("b", "c"), ("a",))


def test_a_model_with_another_name_on_another_set_is_the_same_model() -> None:
    sets = [made(PLAIN, "1", models=("run1/a", "b")), made(PLAIN, "2", models=("a", "b"), sides="union")]
    found = filter_sets([with_results(scored, "digest", "a" * 64, "b" * 64) for scored in sets])
    assert (found.models, found.models_left_out) == (("run1/a", "b"), ())


WORD_CLASSES, THREE_MLMS = ("noun", "verb", "adj"), ("first", "second", "third")


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
            rows.append(
                Row(
                    seed=seed,
                    answers="".join("-" if at == 0 and number == 0 else each for at, each in enumerate(answers)),
                    word_class=str(rng.choice(WORD_CLASSES)),
                    replacement=str(rng.choice(list(WORDS))),
                    masked_lms=tuple(rng.choice(THREE_MLMS, size=rng.integers(1, 4), replace=False)),
                    log_odds=float(rng.exponential()),
                )
            )
    return scored_dataset(rows, models=models, gold=gold, texts=texts, masked_lms=THREE_MLMS)


def test_regressions_have_every_predictor_with_its_reference() -> None:
    """Their numbers are computed with statsmodels in the independent report."""
    scored = random_dataset()
    result = error_drivers(scored, NUMBERED)
    pooled = known(result.pooled)
    for model, found in zip(scored.models, result.models, strict=True):
        assert [each.name for each in found.coefficients] == [*PREDICTORS]
        assert [each.name for each in found.intercepts] == [model.name]
        assert found.answers == np.count_nonzero(model.answers.is_predicted)
    assert (pooled.models, [each.name for each in pooled.coefficients]) == (("a", "b"), [*PREDICTORS])
    units = {each.name: each for each in result.predictors}
    assert [units[name].reference for name in PREDICTORS] == [None] * 4 + ["noun"] * 2 + ["entailment"] * 2
    assert units["log_odds"].mean == pytest.approx(scored.log_odds.astype(float).mean())
    assert json.loads(json.dumps(asdict(result)))["corpus"] == "made up"


def test_without_a_corpus_and_with_columns_that_do_not_vary() -> None:
    scored = random_dataset(models=("a",))
    by_all = {name: np.ones_like(mask) for name, mask in scored.variants_by("masked_lm").items()}
    result = error_drivers(replace(scored, data=replace(scored.data, masks={**scored.data.masks, "masked_lm": by_all})))
    assert (result.pooled, [each["name"] for each in result.models[0].left_out]) == (None, ["masked_lms"])
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
    assert result.models[1].coefficients == () and result.pooled is not None
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
