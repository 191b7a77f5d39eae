"""Tests of the sentences that state a finding: every case says what its test supports, and no more."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from merge_snli import Result, score
from merge_snli.comparison.compare import Standings, compare_results, standings
from merge_snli.comparison.findings import difference, ranking
from merge_snli.scoring.grouping import distinct_names_of
from merge_snli.scoring.statistics import Family, compare_models, permutation_test
from tests.merge_snli.leaderboard.conftest import SHIPPED, Pair, gold_labels, noisy

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


def test_the_best_model_is_named_with_its_interval_and_those_it_does_not_beat() -> None:
    text = text_of(VALUES)
    assert text.startswith("best has the highest PA(0.9), 95.0 (95% interval 90.0 to 100.0). ")
    assert "not significantly better than next, and significantly better than worst" in text
    assert "paired permutation test over 40 seeds, 5% level, Holm's method over 3 pairs" in text


def test_two_models_without_a_significant_difference() -> None:
    text = text_of({name: VALUES[name] for name in ("best", "next")})
    assert "It is not significantly better than next" in text
    assert "Holm" not in text


def test_two_models_with_a_significant_difference() -> None:
    assert "It is significantly better than worst" in text_of({name: VALUES[name] for name in ("best", "worst")})


def test_no_pair_of_several_differs() -> None:
    values = {"a": VALUES["best"], "b": VALUES["next"], "c": VALUES["next"]}
    assert "No two prompts differ significantly" in text_of(values, kind="prompt")


def test_the_best_of_several_beats_every_other() -> None:
    values = {"a": VALUES["best"], "b": VALUES["worst"], "c": [*VALUES["worst"][:-1], 1.0]}
    assert "It is significantly better than every other model" in text_of(values)


def test_the_best_of_several_beats_none_while_others_differ() -> None:
    """The best and the worst differ by chance alone, since the seeds on which they differ are few and even."""
    best = [1.0] * 20 + [0.0] * 20
    noise = [0.0] * 20 + [1.0] * 18 + [0.0] * 2
    text = text_of({"best": best, "near": [1.0] * 19 + [0.0] * 21, "opposite": noise, "low": [0.0] * 40})
    assert "not significantly better than near and opposite" in text
    assert "significantly better than low" in text


def test_many_models_are_counted() -> None:
    values = {f"m{number}": VALUES["worst"] for number in range(5)}
    text = text_of({"best": VALUES["best"], "next": VALUES["next"], **values})
    assert "significantly better than 5 of the 6 other models" in text


def test_models_with_equal_scores_are_named_together() -> None:
    text = text_of({"one": VALUES["best"], "two": VALUES["best"], "worst": VALUES["worst"]})
    assert text.startswith("one and two have the highest PA(0.9), 95.0")
    assert "They are significantly better than worst" in text


def test_equal_scores_on_other_seeds_need_the_same_outcome() -> None:
    """Of two models with one score, only the first beats the third: the sentence says neither."""
    first, third = [1.0] * 30 + [0.0] * 10, [1.0] * 20 + [0.0] * 20
    second = [0.0] * 10 + [1.0] * 30
    means, family = ranked({"first": first, "second": second, "third": third})
    outcomes = {frozenset((pair.first, pair.second)): pair.differs for pair in family.pairs}
    assert outcomes[frozenset(("first", "third"))] is not outcomes[frozenset(("second", "third"))]
    assert "third" not in ranking(means, {}, family)


def test_all_models_have_the_same_score() -> None:
    text = text_of(dict.fromkeys("abcd", VALUES["best"]))
    assert text.startswith("4 of the 4 models have PA(0.9) 95.0")
    assert "No two models differ significantly" in text


def test_one_model_has_no_test() -> None:
    assert ranking({"a": 0.5}, {"a": (0.4, 0.6)}, None) == "a has PA(0.9) 50.0 (95% interval 40.0 to 60.0)."


def test_untested_models_and_another_threshold() -> None:
    text = ranking({"a": 0.5, "b": 0.25}, {}, None, threshold=0.8)
    assert text == "a has the highest PA(0.8), 50.0. The models are not tested."


def test_models_without_a_score() -> None:
    assert ranking({"a": math.nan}, {}, None) == "The models have no PA(0.9)."
    assert ranking({"a": math.nan, "b": 0.5}, {}, None).startswith("b has PA(0.9) 50.0.")


def test_an_undefined_test_supports_no_difference() -> None:
    means, family = ranked({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6], "c": [0.1, 0.4, 0.2]}, "t-test")
    text = ranking(means, {}, family)
    assert family.untested
    assert "better than c " in text
    assert "undefined for 1 pair" in text
    assert "subsamples overlap" in text


def test_permuted_labels_are_said() -> None:
    text = ranking({"a": 0.5, "b": 0.0}, {}, None, permuted=["b"])
    assert text.endswith("The labels of b seem to be permuted.")


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
    return gold_labels()


@pytest.fixture(scope="module")
def results(gold: dict[Pair, int]) -> list[Result]:
    return [score(noisy(name, gold, errors), SHIPPED, name=name) for name, errors in (("good", 0.04), ("bad", 0.4))]


def test_standings_are_those_of_compare(results: list[Result]) -> None:
    [comparison], found = compare_results(results), standings(named(results))
    assert found.finding == comparison.finding
    assert found.letters == comparison.family.letters
    assert "worse than good" in found.models["bad"]
    assert "worse than no other model, and better than bad" in found.models["good"]


def test_two_way_models_have_their_own_sentence(results: list[Result], gold: dict[Pair, int]) -> None:
    answers = noisy("good", gold, 0.04)

    def two_way(pairs: list[Pair]) -> list[str]:
        return ["entailment" if label == 0 else "not_entailment" for label in answers(pairs)]

    found = standings(named([*results, score(two_way, SHIPPED, name="two")]))
    assert "Two-way models: two has PA(0.9)" in found.finding
    assert "two" not in found.letters
    assert "significantly better than" not in found.models["two"]


def test_permuted_labels_stand_in_the_finding(results: list[Result], gold: dict[Pair, int]) -> None:
    answers = noisy("good", gold, 0.04)
    shifted = score(lambda pairs: [(label + 1) % 3 for label in answers(pairs)], SHIPPED, name="shifted")
    assert "The labels of shifted seem to be permuted." in standings(named([*results, shifted])).finding


def test_a_model_on_fewer_seeds_is_not_compared(results: list[Result]) -> None:
    good, bad = results
    kept = np.arange(len(bad.group_ids)) < len(bad.group_ids) // 2
    fewer = replace(bad, answers=bad.answers.take(groups=kept))
    found: Standings = standings({"good": good, "fewer": fewer})
    assert found.finding.startswith("good has PA(0.9)")
    assert found.finding.endswith("Not compared, with fewer seeds: fewer.")
    assert not found.letters


def test_groups_without_seeds(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    rows = [f"p{n},h{n},entailment,g{n // 3}\n" for n in range(30)]
    path.write_text("premise,hypothesis,label,pattern\n" + "".join(rows), encoding="utf-8")
    functions: dict[str, Callable[[list[Pair]], list[int]]] = {
        "all": lambda pairs: [0] * len(pairs),
        "none": lambda pairs: [1] * len(pairs),
    }
    grouped = [score(answer, path, group_column="pattern", name=name) for name, answer in functions.items()]
    found = standings(named(grouped))
    assert "paired permutation test over 10 groups" in found.finding
    assert "QT" not in found.models["all"]
