"""Tests of the captions, with values made up for each case: ties, one model, no draw, nothing significant."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import pytest

from metrics.pattern_accuracy.core import CURVE
from scoring.analysis.class_pairs import ClassPairs, PairCurves
from scoring.analysis.classes import ClassCurve, Classes, ClassTest
from scoring.analysis.curves import MeanCurve
from scoring.analysis.error_drivers import Coefficient, ErrorDrivers, Regression
from scoring.analysis.filter_sets import FilterSet, FilterSets
from scoring.analysis.hard_seeds import HardSeed, HardSeeds
from scoring.analysis.kin import Kin, KinCurve
from scoring.analysis.majority import Majority, MajorityScores
from scoring.analysis.model_curves import ModelCurves
from scoring.analysis.predictors import Predictor
from scoring.analysis.seed_correctness import SeedCorrectness
from scoring.analysis.seeds_against_variants import ColumnTest, SeedsAgainstVariants
from scoring.analysis.table_3 import ModelRow, Table3
from scoring.analysis.word_frequency import Average, ModelWordFrequency, WordFrequency
from scoring.reports.analysis.captions import (
    class_pairs_caption,
    classes_caption,
    error_drivers_caption,
    filter_sets_caption,
    hard_seeds_caption,
    kin_caption,
    lowest_sentence,
    majority_caption,
    seed_correctness_caption,
    seeds_against_variants_caption,
    table_3_caption,
    upper_curves_caption,
    whole_curves_caption,
    word_frequency_caption,
)
from scoring.statistics import Interval, PairResult, TestResult, compare_models


def curve(shape: Callable[[float], float] | float, *models: str) -> MeanCurve:
    """Return a curve with these values by threshold, or the same value at every threshold but 0."""
    values = tuple(shape(t) if callable(shape) else shape if t else 1.0 for t in CURVE)
    return MeanCurve(models=models or ("org/a",), seeds=10, variants=200, mean=values, low=values, high=values)


def outcome(p: float, difference: float = -0.05, n: int = 10) -> TestResult:
    return TestResult(
        test="a test",
        statistic=1.0,
        p_value=p,
        n=n,
        unit="seed",
        difference=difference,
        interval=Interval(low=-1, high=1, level=0.95, method="t", unit="seed"),
        effect_size=0.1,
        effect="d",
    )


def class_curves(**shapes: Callable[[float], float] | float) -> tuple[ClassCurve, ...]:
    return tuple(ClassCurve(name=name, curve=curve(shape)) for name, shape in shapes.items())


def class_test(first: str, second: str, p: float) -> ClassTest:
    return ClassTest(first=first, second=second, result=outcome(p))


def crossing(t: float) -> float:
    """Return a curve that is above 0.5 below 82%, and below it from there on."""
    return 0.6 if t < 0.815 else 0.4


def test_classes_name_the_hardest_from_where_on_and_the_significant_pairs() -> None:
    value = Classes(
        curves=class_curves(noun=crossing, verb=0.7, adj=0.5),
        tests=(class_test("noun", "verb", 0.003), class_test("noun", "adj", 0.4), class_test("verb", "adj", 0.0001)),
    )
    assert classes_caption(value) == (
        "Nouns are hardest from 82% on; at 90%, nouns differ from verbs (p = 0.003) and verbs differ from adjectives "
        "(p < 0.001)."
    )


def test_classes_without_a_significant_pair() -> None:
    value = Classes(curves=class_curves(noun=0.5, verb=0.6), tests=(class_test("noun", "verb", 0.21),))
    assert classes_caption(value) == (
        "Nouns are hardest at every threshold; at 90%, no two classes differ significantly (smallest p = 0.210)."
    )


def test_classes_with_undefined_tests() -> None:
    value = Classes(curves=class_curves(noun=0.5, verb=0.6), tests=(class_test("noun", "verb", math.nan),))
    assert classes_caption(value).endswith("no two classes differ significantly.")
    assert classes_caption(dataclasses.replace(value, tests=())) == "Nouns are hardest at every threshold."


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        (0.5, "Nouns and verbs are equally hard at 90%"),
        (lambda t: 0.4 if 0.845 < t < 0.955 else 0.6, "Nouns are hardest from 85% to 95%"),
        (lambda t: 0.4 if 0.895 < t < 0.905 else 0.6, "Nouns are hardest at 90%"),
        (crossing, "Nouns are hardest from 82% on"),
        (0.6, "Verbs are hardest at every threshold"),
    ],
)
def test_the_span_of_the_lowest_curve(shape: Callable[[float], float] | float, sentence: str) -> None:
    assert lowest_sentence({"nouns": curve(shape), "verbs": curve(0.5)}) == sentence


def test_the_lowest_of_one_curve() -> None:
    assert lowest_sentence({"nouns": curve(0.5)}) == "Nouns reach 50.0% at 90%"


def model_curves(*curves: MeanCurve) -> ModelCurves:
    return ModelCurves(threshold=0.9, seeds=10, curves=curves)


def falling(top: float, slope: float, name: str) -> MeanCurve:
    return curve(lambda t: top - slope * t, name)


def test_curves_of_models() -> None:
    value = model_curves(falling(1, 0.2, "org/best"), falling(0.9, 0.5, "worst"))
    assert upper_curves_caption(value, 0.8) == (
        "best leads with 82.0% at 90%, and worst is last with 45.0%; from 80% to 100%, the curves fall by 4.0 to 10.0 "
        "points."
    )
    assert whole_curves_caption(value, 0.8) == (
        "From 1% to 80%, the curves fall by 15.8 to 39.5 points, and from 80% to 100% by 4.0 to 10.0 points."
    )


def test_curves_of_one_model() -> None:
    value = model_curves(falling(1, 0.2, "org/only"))
    assert upper_curves_caption(value, 0.8) == (
        "only reaches 82.0% at 90%; from 80% to 100%, its curve falls by 4.0 points."
    )
    assert whole_curves_caption(value, 0.8).startswith("From 1% to 80%, the curve falls by 15.8 points")


def test_curves_of_equal_models() -> None:
    value = model_curves(*(curve(0.5, name) for name in ("a", "b", "c", "d", "e")))
    assert upper_curves_caption(value, 0.8) == (
        "a, b, c and 2 others lead with 50.0% at 90%; from 80% to 100%, the curves fall by 0.0 points."
    )


def test_curves_without_a_draw() -> None:
    value = model_curves(curve(math.nan, "a"))
    assert upper_curves_caption(value, 0.8) == whole_curves_caption(value, 0.8) == "No subsample drew a variant."


def pair(first: str, second: str, *, p: float, difference: float) -> PairResult:
    return PairResult(first=first, second=second, result=outcome(p / 2, difference), adjusted_p=p, differs=p < 0.05)


def class_pairs(*tests: PairResult) -> ClassPairs:
    curves = PairCurves(first="noun", second="verb", seeds=4, first_curve=curve(0.5), second_curve=curve(0.6))
    return ClassPairs(pairs=(curves,), tests=tests, seeds_of_three=0)


def test_class_pairs() -> None:
    value = class_pairs(pair("noun", "verb", p=0.01, difference=-0.045), pair("noun", "adj", p=0.02, difference=0.1))
    assert class_pairs_caption(value) == (
        "On the same seeds at 90%, nouns are 4.5 points harder than verbs (adjusted p = 0.010) and adjectives are 10.0 "
        "points harder than nouns (adjusted p = 0.020)."
    )
    assert class_pairs_caption(class_pairs(pair("noun", "verb", p=0.5, difference=0))) == (
        "On seeds of two word classes, no two classes differ significantly at 90% (smallest p = 0.500)."
    )
    assert "enough common seeds" in class_pairs_caption(class_pairs())


GROUPS = {"equiv": "Equiv", "size": "Size", "arch": "Arch", "multi": "Multi"}


def kin(**shares: float) -> Kin:
    curves = tuple(KinCurve(group=group, curve=curve(share)) for group, share in shares.items())
    return Kin(minimum=5, masked_lms={"a": "m"}, curves=curves, groups=())


def test_kin_groups_are_not_called_better_or_worse() -> None:
    caption = kin_caption(kin(equiv=0.7, arch=0.6, multi=0.3), GROUPS)
    assert caption == "At 90%, PA is 70.0% on Equiv, 60.0% on Arch and 30.0% on Multi."


def test_kin_without_groups_to_compare() -> None:
    assert kin_caption(kin(multi=0.3), GROUPS) == "At 90%, PA is 30.0% on Multi."
    assert "at least 5 variants" in kin_caption(kin(), GROUPS)


def filter_sets(shares: dict[str, float]) -> FilterSets:
    sets = tuple(
        FilterSet(name=name, title=name, digest="d" * 64, config="all", generated=5, curve=curve(share))
        for name, share in shares.items()
    )
    drawn = {name: [share] * 20 for name, share in shares.items() if not math.isnan(share)}
    family = compare_models(drawn) if len(drawn) > 1 else None
    return FilterSets(
        sets=sets, models=("a",), models_left_out=(), seeds=20, coverage=(), tested_seeds=20, family=family, refused=()
    )


def test_filter_sets() -> None:
    assert filter_sets_caption(filter_sets({"plain": 0.8, "none": 0.3, "pos": 0.5})) == (
        "At 90%, none is hardest (30.0%) and plain easiest (80.0%); 3 of 3 pairs of sets differ significantly."
    )
    assert filter_sets_caption(filter_sets({"plain": 0.8, "none": 0.3})).endswith("the two sets differ significantly.")
    assert filter_sets_caption(filter_sets({"plain": 0.8, "none": 0.8})) == (
        "At 90%, all sets are equally hard (80.0%); no two sets differ significantly."
    )
    assert "Fewer than two" in filter_sets_caption(filter_sets({"plain": 0.8, "none": math.nan}))


def test_majority() -> None:
    mean = MajorityScores(gold=0.6, own=0.9, vote=0.7, constant=0.5)
    value = Majority(
        models={"a": mean},
        mean=mean,
        labels=("entailment", "neutral"),
        constant_label="entailment",
        constant_share=0.495,
        tied_votes=0,
        vote_accuracy=0.9,
    )
    assert majority_caption(value) == (
        "At 90%, mean PA is 50.0% against the constant label entailment (49.5% of the seeds), 70.0% against the vote "
        "of the models, 90.0% against each model's most frequent answer, and 60.0% against the gold label."
    )


def test_right_and_wrong_seeds() -> None:
    value = SeedCorrectness(models={}, mean_right=0.93, mean_wrong=0.09)
    assert seed_correctness_caption(value) == (
        "At 90%, mean PA is 93.0% on variants of seeds that a model answers right, and 9.0% on those of seeds that it "
        "answers wrong."
    )


def hard_seeds(never: int, rarely: int) -> HardSeeds:
    seed = HardSeed(
        seed_id="s",
        premise="p",
        hypothesis="h",
        gold="neutral",
        votes=None,
        answers={},
        variants=20,
        mean_accuracy=0.0,
    )
    return HardSeeds(seeds=2222, never_right=(seed,) * never, rarely_right=(seed,) * rarely)


def test_hard_seeds() -> None:
    assert hard_seeds_caption(hard_seeds(31, 32), 0.05) == (
        "31 of 2,222 seeds (1.4%) have no variant that any model answers right, and 32 a mean accuracy below 5%."
    )
    assert hard_seeds_caption(hard_seeds(1, 1), 0.05).startswith("1 of 2,222 seeds (0.0%) has no variant")


def table_3(**accuracies: float | None) -> Table3:
    rows = tuple(
        ModelRow(
            model=name,
            seeds=20,
            source=None,
            source_interval=None,
            source_problems=None,
            on_seeds=0.8,
            on_seeds_interval=None,
            on_variants=share,
            on_variants_interval=None,
            pattern_accuracy=share,
            pattern_accuracy_interval=None,
            qt=None if share is None else share - 0.8,
            qt_interval=None,
            mt=None,
            letters="",
        )
        for name, share in accuracies.items()
    )
    drawn = {name: [share] * 20 for name, share in accuracies.items() if share is not None}
    family = compare_models(drawn) if len(drawn) > 1 else None
    return Table3(rows=rows, coverage=(), level=None, method=None, family=family)


def test_table_3() -> None:
    assert table_3_caption(table_3(a=0.7, b=0.5)) == (
        "a leads with 70.0% at PA(0.9); QT is −30.0 to −10.0 points; the two models differ significantly."
    )
    assert table_3_caption(table_3(a=0.7, b=0.7)) == (
        "a and b lead with 70.0% at PA(0.9); QT is −10.0 points; no two models differ significantly."
    )
    assert table_3_caption(table_3(a=0.7)) == "QT of a is −10.0 points: PA(0.9) is 70.0%."
    assert table_3_caption(table_3(a=None)) == "No subsample drew a variant."


def seeds_against_variants(*tests: TestResult) -> SeedsAgainstVariants:
    over_models = tuple(ColumnTest(first="seeds", second="variants", result=test) for test in tests[1:])
    return SeedsAgainstVariants(over_models=over_models, over_seeds=tests[0])


def test_seeds_against_variants() -> None:
    assert seeds_against_variants_caption(seeds_against_variants(outcome(0.001, 0.02), outcome(0.2, -0.01))) == (
        "Sample accuracy over seeds is 2.0 points lower on variants than on seeds (p = 0.001); over models, 1.0 points "
        "higher on variants than on seeds (p = 0.200, not significant)."
    )
    assert seeds_against_variants_caption(seeds_against_variants(outcome(1, 0))) == (
        "Sample accuracy over seeds is the same on variants and on seeds to 0.1 points (p = 1.000, not significant)."
    )
    undefined = seeds_against_variants(outcome(0.01, 0.1), outcome(math.nan, 0.1))
    assert seeds_against_variants_caption(undefined).endswith(
        "over models, 10.0 points lower on variants than on seeds."
    )


def frequency(*medians: float) -> WordFrequency:
    models = tuple(
        ModelWordFrequency(
            model=f"m{number}",
            training_data=None,
            wrong_seeds=3,
            seeds=2,
            pairs=9,
            zero_originals=0,
            zero_replacements=0,
            zero_pairs=0,
            arithmetic_mean=Average(value=2000.0, interval=None),
            median=Average(value=median, interval=None),
            geometric_mean=Average(value=1.0, interval=None),
        )
        for number, median in enumerate(medians)
    )
    return WordFrequency(
        corpus="snli",
        corpus_digest="d",
        corpus_tokens=9,
        models=models,
        mean_seeds=2.0,
        snli_models=(),
        mean_ratio_snli=None,
        mean_ratio_all=2000.0,
    )


@pytest.mark.parametrize(("medians", "end"), [((1.5, 0.25), "0.25 to 1.50 times"), ((3.0,), "3.00 times")])
def test_word_frequency(medians: tuple[float, ...], end: str) -> None:
    assert word_frequency_caption(frequency(*medians)) == (
        "If a model answers a seed incorrectly and a variant correctly, the replacement is 2,000.0 times as frequent "
        f"as the original in snli by the arithmetic mean, and {end} by the median, over all models."
    )


def test_word_frequency_over_models_trained_on_snli_alone() -> None:
    value = dataclasses.replace(frequency(1.5, 0.25), snli_models=("m1",), mean_ratio_snli=70.0)
    caption = word_frequency_caption(value)
    assert "70.0 times" in caption
    assert "2,000" not in caption
    assert caption.endswith("0.25 times by the median, over models trained on SNLI alone.")


def coefficient(name: str, estimate: float, p: float) -> Coefficient:
    interval = Interval(low=estimate - 1, high=estimate + 1, level=0.95, method="Wald", unit="seed")
    return Coefficient(name=name, estimate=estimate, standard_error=0.1, interval=interval, p_value=p)


def drivers(*coefficients: Coefficient, pooled: bool = True, not_computed: str | None = None) -> ErrorDrivers:
    regression = Regression(
        models=("org/a", "b") if pooled else ("org/a",),
        answers=9,
        seeds=5,
        right=0.5,
        coefficients=coefficients,
        intercepts=(),
        left_out=(),
        not_computed=not_computed,
    )
    references = {"word_class: verb": "noun", "label: neutral": "entailment", "label: contradiction": "entailment"}
    predictors = tuple(
        Predictor(name=each.name, reference=references.get(each.name), mean=0.0, deviation=1.0) for each in coefficients
    )
    return ErrorDrivers(
        predictors=predictors,
        corpus=None,
        models=(regression,),
        pooled=regression if pooled else None,
    )


def test_error_drivers() -> None:
    value = drivers(
        coefficient("log_odds", 0.2, 0.001),
        coefficient("masked_lms", 0.2, 0.2),
        coefficient("word_class: verb", 0.1, 0.01),
        coefficient("label: neutral", -1, 0.01),
        coefficient("label: contradiction", -2, 0.01),
    )
    assert error_drivers_caption(value) == (
        "Over all models, right answers are more likely with higher log-odds of the replacement and for verbs than "
        "for nouns, and less likely for neutral and contradiction than for entailment (p < 0.05)."
    )


def test_error_drivers_without_a_finding() -> None:
    assert error_drivers_caption(drivers(coefficient("log_odds", 0.2, 0.5), pooled=False)) == (
        "For a, no property of a variant changes significantly how likely a right answer is."
    )
    undefined = drivers(coefficient("log_odds", 0.2, math.nan))
    assert "no property" in error_drivers_caption(undefined)
    assert error_drivers_caption(drivers(not_computed="Every variant is answered right.")) == (
        "Over all models, there are no coefficients: Every variant is answered right."
    )
