"""Tests of the sentences that state a finding: every case says what its test supports, and no more."""

import math
from dataclasses import replace

import numpy as np
import pytest

from merge_snli import Result, score
from merge_snli.comparison.compare import Standings, compare_results, standings
from merge_snli.comparison.findings import difference, ranking
from merge_snli.models.labels import Pair
from merge_snli.scoring.grouping import distinct_names_of
from merge_snli.scoring.statistics import Family, compare_models, permutation_test
from tests.merge_snli.leaderboard.conftest import noisy
from tests.oracles import BUNDLED, gold_of

# The share of subsamples in which each of 40 seeds passes: a clear order, with two that are nearly equal.
VALUES = {
    "best": [1.0] * 38 + [0.0] * 2,
    "next": [1.0] * 37 + [0.0] * 3,
    "worst": [1.0] * 8 + [0.0] * 32,
}


def ranked(values: dict[str, list[float]], test: str = "permutation") -> tuple[dict[str, float], Family]:
    family = compare_models(values, test=test)
    return family.means, family


def text_of(values: dict[str, list[float]], kind: str = "model") -> str:
    means, family = ranked(values)
    return ranking(means, {name: (mean - 0.05, mean + 0.05) for name, mean in means.items()}, family, kind=kind)


BEST, NEXT, WORST = VALUES.values()
# Values, and what the sentence has: a text, one at its start (`^`), or one that it must not have (`!`).
SENTENCES: dict[str, tuple[dict[str, list[float]], list[str]]] = {
    "the best model has its interval, and those that it does not beat": (
        VALUES,
        [
            "^best has the highest PA(0.9), 95.0 (95% interval 90.0 to 100.0). ",
            "not significantly better than next, and significantly better than worst",
            "paired permutation test over 40 seeds, 5% level, Holm's method over 3 pairs",
        ],
    ),
    "two models without a significant difference": (
        {"best": BEST, "next": NEXT},
        ["It is not significantly better than next", "!Holm"],
    ),
    "two models with a significant difference": (
        {"best": BEST, "worst": WORST},
        ["It is significantly better than worst"],
    ),
    "the best of several beats every other": (
        {"a": BEST, "b": WORST, "c": [*WORST[:-1], 1.0]},
        ["It is significantly better than every other model"],
    ),
    # The best and the worst differ by chance alone, since the seeds on which they differ are few and even.
    "the best of several beats none while others differ": (
        {
            "best": [1.0] * 20 + [0.0] * 20,
            "near": [1.0] * 19 + [0.0] * 21,
            "opposite": [0.0] * 20 + [1.0] * 18 + [0.0] * 2,
            "low": [0.0] * 40,
        },
        ["not significantly better than near and opposite", "significantly better than low"],
    ),
    "many models are counted": (
        {"best": BEST, "next": NEXT, **{f"m{number}": WORST for number in range(5)}},
        ["significantly better than 5 of the 6 other models"],
    ),
    "models with equal scores are named together": (
        {"one": BEST, "two": BEST, "worst": WORST},
        ["^one and two have the highest PA(0.9), 95.0", "They are significantly better than worst"],
    ),
    "all models have the same score": (
        dict.fromkeys("abcd", BEST),
        ["^4 of the 4 models have PA(0.9) 95.0", "No two models differ significantly"],
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_the_sentence_says_what_the_tests_support(case: str) -> None:
    values, shown = SENTENCES[case]
    text = text_of(values)
    for part in shown:
        found = text.startswith(part[1:]) if part[0] == "^" else part.removeprefix("!") in text
        assert found != part.startswith("!"), part


def test_no_pair_of_several_differs() -> None:
    assert "No two prompts differ significantly" in text_of({"a": BEST, "b": NEXT, "c": NEXT}, kind="prompt")


def test_equal_scores_on_other_seeds_need_the_same_outcome() -> None:
    """Of two models with one score, only the first beats the third: the sentence says neither."""
    first, third = [1.0] * 30 + [0.0] * 10, [1.0] * 20 + [0.0] * 20
    second = [0.0] * 10 + [1.0] * 30
    means, family = ranked({"first": first, "second": second, "third": third})
    outcomes = {frozenset((pair.first, pair.second)): pair.differs for pair in family.pairs}
    assert outcomes[frozenset(("first", "third"))] is not outcomes[frozenset(("second", "third"))]
    assert "third" not in ranking(means, {}, family)


def test_without_tests_or_scores() -> None:
    assert ranking({"a": 0.5}, {"a": (0.4, 0.6)}, None) == "a has PA(0.9) 50.0 (95% interval 40.0 to 60.0)."
    text = ranking({"a": 0.5, "b": 0.25}, {}, None, threshold=0.8)
    assert text == "a has the highest PA(0.8), 50.0. The models are not tested."
    assert ranking({"a": math.nan}, {}, None) == "The models have no PA(0.9)."
    assert ranking({"a": math.nan, "b": 0.5}, {}, None).startswith("b has PA(0.9) 50.0.")
    text = ranking({"a": 0.5, "b": 0.0}, {}, None, permuted=["b"])
    assert text.endswith("The labels of b seem to be permuted.")


def test_an_undefined_test_supports_no_difference() -> None:
    means, family = ranked({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6], "c": [0.1, 0.4, 0.2]}, "t-test")
    text = ranking(means, {}, family)
    assert family.untested
    assert "better than c " in text
    assert "undefined for 1 pair" in text
    assert "subsamples overlap" in text


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ([0.0] * 30, "is significantly higher on nouns than on verbs (+100.0 points"),
        ([1.0] * 29 + [0.9], "does not differ significantly on nouns and on verbs (+0.3 points"),
    ],
)
def test_a_difference_has_its_test(second: list[float], expected: str) -> None:
    text = difference(permutation_test([1.0] * 30, second), "on nouns", "on verbs")
    assert expected in text
    assert "paired permutation test over 30 seeds" in text


def test_a_difference_takes_the_adjusted_p_value() -> None:
    test = permutation_test([1.0] * 30, [0.0] * 30)
    assert "does not differ" in difference(test, "a", "b", adjusted_p=0.2)
    undefined = replace(test, p_value=math.nan)
    assert "cannot be tested" in difference(undefined, "a", "b")


def named(results: list[Result]) -> dict[str, Result]:
    return dict(zip(distinct_names_of(results), results, strict=True))


@pytest.fixture(scope="module")
def gold() -> dict[Pair, int]:
    return gold_of(BUNDLED)


@pytest.fixture(scope="module")
def results(gold: dict[Pair, int]) -> list[Result]:
    return [score(noisy(name, gold, errors), BUNDLED, name=name) for name, errors in (("good", 0.04), ("bad", 0.4))]


def test_standings_are_those_of_compare_with_a_sentence_for_other_models(
    results: list[Result], gold: dict[Pair, int]
) -> None:
    [comparison], found = compare_results(results), standings(named(results))
    assert found.finding == comparison.finding
    assert found.letters == comparison.family.letters
    assert "worse than good" in found.models["bad"]
    assert "worse than no other model, and better than bad" in found.models["good"]
    answers = noisy("good", gold, 0.04)
    two, shifted = (
        score(lambda pairs, change=change: [change(label) for label in answers(pairs)], BUNDLED, name=name)  # type: ignore[misc]
        for name, change in (
            ("two", lambda label: "not_entailment" if label else "entailment"),
            ("shifted", lambda label: (label + 1) % 3),
        )
    )
    found = standings(named([*results, two]))
    assert "Two-way models: two has PA(0.9)" in found.finding
    assert "two" not in found.letters
    assert "significantly better than" not in found.models["two"]
    assert "The labels of shifted seem to be permuted." in standings(named([*results, shifted])).finding


def test_a_model_on_fewer_seeds_is_not_compared(results: list[Result]) -> None:
    good, bad = results
    kept = np.arange(len(bad.group_ids)) < len(bad.group_ids) // 2
    fewer = replace(bad, answers=bad.answers.take(groups=kept))
    found: Standings = standings({"good": good, "fewer": fewer})
    assert found.finding.startswith("good has PA(0.9)")
    assert found.finding.endswith("Not compared, with fewer seeds: fewer.")
    assert not found.letters


def test_groups_without_seeds() -> None:
    rows = [
        {"premise": f"p{n}", "hypothesis": f"h{n}", "label": "entailment", "pattern": f"g{n // 3}"} for n in range(30)
    ]
    grouped = [
        score(lambda pairs, answer=answer: [answer] * len(pairs), rows, group_column="pattern", name=name)  # type: ignore[misc]
        for answer, name in enumerate(("all", "none"))
    ]
    found = standings(named(grouped))
    assert "paired permutation test over 10 groups" in found.finding
    assert "QT" not in found.models["all"]
