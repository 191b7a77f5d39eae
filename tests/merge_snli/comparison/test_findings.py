"""Tests of sentences that state findings, of the power of comparisons, and of the gate."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli import Result, score
from merge_snli.cli import GATE_FAILED
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.detectable import too_few_note, too_few_notes
from merge_snli.comparison.findings import difference, ranking
from merge_snli.comparison.power import PowerAnalysis, assumed_power, power_of_results
from merge_snli.comparison.standings import standings
from merge_snli.comparison.statistics_tables import comparison_tables
from merge_snli.models.labels import Pair
from merge_snli.results.grouping import results_by_name
from merge_snli.statistics import compare_models, permutation_test
from tests.commands import Command
from tests.merge_snli.comparison.made import rows_of, scored_dataset
from tests.merge_snli.leaderboard.conftest import noisy
from tests.oracles import BUNDLED, known, refused, write_results


def passed(number: int) -> list[float]:
    """Return the share of subsamples in which each of 40 seeds passes: all for the first ones, none for the others."""
    return [1.0] * number + [0.0] * (40 - number)


# A clear order, with two that are nearly equal.
BEST = passed(38)
NEXT = passed(37)
WORST = passed(8)
VALUES = {"best": BEST, "next": NEXT, "worst": WORST}


def text_of(values: dict[str, list[float]], kind: str = "model") -> str:
    family = compare_models(values)
    intervals = {}
    for name, mean in family.means.items():
        intervals[name] = (mean - 0.05, mean + 0.05)
    return ranking(family.means, intervals, family, kind=kind)


def test_the_best_model_has_its_interval_and_those_that_it_does_not_beat() -> None:
    text = text_of(VALUES)
    assert "best has the highest PA(0.9), 95.0 (95% interval 90.0 to 100.0). " in text
    assert "not significantly better than next, and significantly better than worst" in text
    assert "paired permutation test over 40 seeds, 5% level, Holm's method over 3 pairs" in text


def test_two_models_have_one_test() -> None:
    text = text_of({"best": BEST, "next": NEXT})
    assert "It is not significantly better than next" in text
    assert "5% level)" in text


def test_the_best_of_several_beats_every_other() -> None:
    text = text_of({"a": BEST, "b": WORST, "c": [*WORST[:-1], 1.0]})
    assert "It is significantly better than every other model" in text


def test_the_best_of_several_beats_none_while_others_differ() -> None:
    """The best and the worst differ by chance alone, since the seeds on which they differ are few and even."""
    opposite = [0.0] * 20 + [1.0] * 18 + [0.0] * 2
    text = text_of({"best": passed(20), "near": passed(19), "opposite": opposite, "low": passed(0)})
    assert "not significantly better than near and opposite" in text
    assert "significantly better than low" in text


def test_many_models_are_counted() -> None:
    values = {"best": BEST, "next": NEXT}
    for number in range(5):
        values[f"m{number}"] = WORST
    assert "significantly better than 5 of the 6 other models" in text_of(values)


def test_models_with_equal_scores_are_named_together() -> None:
    text = text_of({"one": BEST, "two": BEST, "worst": WORST})
    assert "one and two have the highest PA(0.9), 95.0" in text
    assert "They are significantly better than worst" in text


def test_all_models_have_the_same_score() -> None:
    text = text_of(dict.fromkeys("abcd", BEST))
    assert "4 of the 4 models have PA(0.9) 95.0" in text
    assert "No two models differ significantly" in text


def test_no_pair_of_several_differs() -> None:
    assert "No two prompts differ significantly" in text_of({"a": BEST, "b": NEXT, "c": NEXT}, kind="prompt")


def test_of_equal_scores_on_other_seeds_one_may_beat_a_third() -> None:
    first = passed(30)
    family = compare_models({"first": first, "second": first[::-1], "third": passed(20)})
    assert [pair.first for pair in family.pairs if pair.second == "third" and pair.differs] == ["first"]
    text = ranking(family.means, {"first": (0.7, 0.8), "second": (0.6, 0.8)}, family)
    assert text.startswith("first (95% interval 70.0 to 80.0) and second (95% interval 60.0 to 80.0) have the highest")
    assert "They are not all significantly better than third (paired" in text


def test_many_tied_models_are_counted() -> None:
    family = compare_models(dict.fromkeys("abcde", BEST) | {"worst": WORST})
    text = ranking(family.means, dict.fromkeys("abcde", (0.5, 0.9)), family)
    assert text.startswith("5 of the 6 models have the highest PA(0.9), 95.0 (95% interval 50.0 to 90.0).")


def test_without_tests_or_scores() -> None:
    assert ranking({"a": 0.5}, {"a": (0.4, 0.6)}, None) == "a has PA(0.9) 50.0 (95% interval 40.0 to 60.0)."
    text = ranking({"a": 0.5, "b": 0.25}, {}, None, threshold=0.8)
    assert text == "a has the highest PA(0.8), 50.0. The models are not tested."
    assert ranking({"a": math.nan}, {}, None) == "The models have no PA(0.9)."
    text = ranking({"a": 0.5, "b": 0.0}, {}, None, permuted=["b"])
    assert text.endswith("The labels of b seem to be permuted.")


def test_an_undefined_test_supports_no_difference() -> None:
    values = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6], "c": [0.1, 0.4, 0.2]}
    family = compare_models(values, test="t-test")
    assert family.untested
    text = ranking(family.means, {}, family)
    assert "better than c " in text
    assert "undefined for 1 pair" in text
    assert "subsamples overlap" in text


def test_a_difference_has_its_test() -> None:
    ones = [1.0] * 30
    text = difference(permutation_test(ones, [0.0] * 30), "on nouns", "on verbs")
    assert "is significantly higher on nouns than on verbs (+100.0 points" in text
    assert "paired permutation test over 30 seeds" in text
    text = difference(permutation_test(ones, [*ones[1:], 0.9]), "on nouns", "on verbs")
    assert "does not differ significantly on nouns and on verbs (+0.3 points" in text


def test_a_difference_takes_the_adjusted_p_value() -> None:
    test = permutation_test([1.0] * 30, [0.0] * 30)
    assert "does not differ" in difference(test, "a", "b", adjusted_p=0.2)
    assert "cannot be tested" in difference(replace(test, p_value=math.nan), "a", "b")


@pytest.fixture(scope="module")
def two_results(gold: dict[Pair, int]) -> list[Result]:
    good = score(noisy("good", gold, 0.04), BUNDLED, name="good")
    bad = score(noisy("bad", gold, 0.4), BUNDLED, name="bad")
    return [good, bad]


def test_standings_are_those_of_compare_with_a_sentence_for_other_models(
    two_results: list[Result], gold: dict[Pair, int]
) -> None:
    [comparison] = compare_results(two_results)
    found = standings(results_by_name(two_results))
    assert found.finding == comparison.finding
    assert found.letters == comparison.family.letters
    assert "worse than good" in found.models["bad"]
    assert "It differs significantly from accuracy on the seeds" in found.models["bad"]
    assert "worse than no other model, and better than bad" in found.models["good"]
    labels = noisy("good", gold, 0.04)
    two_way = ("entailment", "not_entailment", "not_entailment")
    two = score(lambda pairs: [two_way[label] for label in labels(pairs)], BUNDLED, name="two")
    shifted = score(lambda pairs: [(label + 1) % 3 for label in labels(pairs)], BUNDLED, name="shifted")
    found = standings(results_by_name([*two_results, two, shifted]))
    assert "Two-way models: two has PA(0.9)" in found.finding
    assert "two" not in found.letters
    assert "significantly better than" not in found.models["two"]
    assert "The labels of shifted seem to be permuted." in found.finding


def test_models_with_one_seed_in_common_are_not_compared() -> None:
    refused("m0, m1 have 1 seed in common", compare_results, results_of("e", "n"))


def test_a_model_on_fewer_seeds_is_not_compared(two_results: list[Result]) -> None:
    good, bad = two_results
    fewer = replace(bad, stored=bad.answers.take(bad.answers.groups < len(bad.group_ids) // 2))
    found = standings({"good": good, "fewer": fewer})
    assert found.finding.startswith("good has PA(0.9)")
    assert "Not compared: fewer (39 of 78 seeds" in found.finding
    assert not found.letters


@pytest.fixture(autouse=True)
def two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_snli.comparison.power.SIZES", (50, 500))


def results_of(*answers: str) -> list[Result]:
    """Return one result per text: the answer to the ten variants of each seed is right (`e`) or wrong (`n`)."""
    rows = []
    for number, letters in enumerate(zip(*answers, strict=True)):
        rows += rows_of(f"s{number}", ["".join(letters)] * 10)
    names = [f"m{at}" for at in range(len(answers))]
    return [model.result for model in scored_dataset(rows, models=names).models]


def renamed(result: Result, name: str) -> Result:
    return replace(result, model=replace(result.model, name=name))


THREE = results_of("eeeneeeeeneeeeenneeee" * 4, "eeneeeeeeeeneeeneeeee" * 4, "eeeeeeeeeeneeeneeeeen" * 4)
TWO = THREE[:2]


@pytest.fixture
def of_two() -> PowerAnalysis:
    [found] = power_of_results(TWO)
    return found


def test_more_seeds_find_less_and_more_pairs_need_larger_differences(of_two: PowerAnalysis) -> None:
    assert [row["seeds"] for row in of_two.rows] == [50, 84, 500]
    for name in ("interval", "paired", "unpaired"):
        values = [row[name] for row in of_two.rows]
        assert values == sorted(values, reverse=True)
    for row in of_two.rows:
        assert known(row["paired"]) < known(row["unpaired"])
    [of_three] = power_of_results(THREE)
    assert of_two.pairs == 1
    assert of_three.pairs == 3
    assert known(of_three.rows[0]["unpaired"]) > known(of_two.rows[0]["unpaired"])


def test_compare_and_score_say_if_there_are_too_few_seeds(of_two: PowerAnalysis) -> None:
    [comparison] = compare_results(TWO)
    smallest = known(of_two.rows[1]["paired"])
    assert comparison.smallest_difference == smallest
    [note] = too_few_notes(TWO)
    assert note in comparison_tables(comparison)[0].notes
    assert "84 seeds" in note
    assert "80%" in note
    assert f"{100 * smallest:.1f} points" in note
    assert too_few_notes(results_of("ee")) == [too_few_note(2, "seed", None)]
    assert too_few_note(2_222, "seed", 0.02) is None


def test_assumptions_are_checked() -> None:
    found = assumed_power([0.6, 0.7])
    assert [row["seeds"] for row in found.rows] == [50, 500]
    assert found.title == "Assumed PA 0.6, 0.7, correlation 0.5"
    assert found.rows[0]["unpaired"] == assumed_power([0.7]).rows[0]["unpaired"], "of the upper of two models"


def test_the_command_prints_and_draws_it(tmp_path: Path, command: Command) -> None:
    options = ["--power", "--out", tmp_path / "figures", "--format", "json"]
    document = command("compare", write_results(tmp_path / "results", TWO), *options).json
    [found] = document["power"]
    assert [row["seeds"] for row in found["rows"]] == [50, 84, 500]
    png, svg = (path for path in document["figures"] if "power" in path)
    assert png.endswith(".png")
    assert svg.endswith(".svg")
    assert Path(png).stat().st_size > 10_000
    assumed = command("compare", "--power", "--assume", "0.6,0.7", "--correlation", "0.8").out
    assert "Assumed PA 0.6, 0.7, correlation 0.8" in assumed


N_SEEDS = 8


of_seeds = results_of("eeeeeeee", "nnnnnnnn", "eeeneeee")
GOOD = renamed(of_seeds[0], "good")
BAD = renamed(of_seeds[1], "bad")
ALIKE = renamed(of_seeds[2], "alike")


def test_the_permutation_test_is_that_over_all_signs() -> None:
    [row] = compare_with_baseline(BAD, GOOD)
    assert row.model == "bad"
    assert row.baseline == "good"
    assert row.seeds == N_SEEDS
    assert row.threshold == 0.9
    assert row.pattern_accuracy == 0
    assert row.baseline_pattern_accuracy == 1
    assert known(row.test).difference == -1
    assert row.adjusted_p == 2 / 2**N_SEEDS
    assert row.worse
    for model, baseline in ((GOOD, BAD), (ALIKE, GOOD), (GOOD, GOOD)):
        [row] = compare_with_baseline(model, baseline)
        assert not row.worse
        assert row.failures(fail_if_worse=True) == []


def test_p_values_are_adjusted_over_models_and_thresholds() -> None:
    models = [BAD, ALIKE]
    p = 2 * 2 / 2**N_SEEDS
    bad, at_quality, alike, _ = compare_with_baseline(models, GOOD, thresholds=(0.8, 0.9))
    # Both thresholds have the same differences, so there are two tests.
    for row in (bad, at_quality):
        assert row.adjusted_p == p
        assert row.tests == 2
        assert row.worse is True
    assert alike.adjusted_p == 1
    assert alike.tests == 2
    assert alike.worse is False
    strict, _ = compare_with_baseline(models, GOOD, alpha=p)
    assert not strict.worse
    failure, *_ = strict.failures(fail_if_worse=True)
    assert "bad" in failure
    assert "cannot be judged" in failure
    assert f"{N_SEEDS} seeds" in failure
    assert "alpha" in failure


def test_a_limit_needs_no_baseline() -> None:
    (row,) = compare_with_baseline(ALIKE)
    assert row.pattern_accuracy == 7 / N_SEEDS
    assert row.baseline is None
    assert row.test is None
    assert row.worse is False
    assert row.failures(min_pa=0.875) == []
    assert row.failures(min_pa=0.876)
    assert replace(row, pattern_accuracy=0.3).failures(min_pa=0.1 + 0.2) == []


def test_a_model_has_one_baseline() -> None:
    (row,) = compare_with_baseline(BAD, [GOOD, BAD, ALIKE])
    assert row.baseline == "bad"
    two = [GOOD, ALIKE]
    refused(r"(?s)baseline has 2 models.* of bad", compare_with_baseline, BAD, two)
    retrained = replace(BAD, model=replace(BAD.model, digest="f" * 64))
    refused("2 have its name", compare_with_baseline, BAD, [BAD, retrained])
    other = replace(GOOD, dataset=replace(GOOD.dataset, digest="e" * 64))
    refused(r"(?s)baseline has 0 models.* of bad", compare_with_baseline, BAD, other)


def test_the_command_fails_with_an_exit_code_of_its_own(tmp_path: Path, command: Command) -> None:
    bad = write_results(tmp_path / "bad", [BAD])
    good = write_results(tmp_path / "good", [GOOD])
    gate = ["compare", bad, "--baseline", good, "--format", "json"]
    assert command(*gate).json["failures"] == []
    printed = command(*gate, "--fail-if-worse", "--min-pa", "0.8", code=3)
    failures = printed.json["failures"]
    assert len(failures) == 2
    assert printed.err == f"merge-snli: {'; '.join(failures)}\n"
    assert ", 100.0 points below good" in printed.err
    assert "8 seeds" in printed.err
    assert "p 0.008" in printed.err
    assert "--min-pa 80%" in printed.err


def test_the_command_prints_one_row_per_model(tmp_path: Path, command: Command) -> None:
    folder = write_results(tmp_path / "models", [BAD, ALIKE])
    printed = command("compare", folder, "--min-pa", "0.5", "--format", "csv", code=GATE_FAILED)
    header, alike, bad = printed.out.splitlines()
    assert header.startswith("Model,")
    assert "Baseline" not in header
    assert alike.startswith("alike,")
    assert bad.startswith("bad,")


def test_a_copy_does_not_change_the_gate() -> None:
    best, second, third = results_of("eeeeeeee", "eeeeeeen", "nnnnnnnn")
    alone = compare_with_baseline([second, third], best)
    *among, of_best, of_third = compare_with_baseline(
        [second, third, renamed(best, "copy"), renamed(third, "copy")], best
    )
    for row, without_copies in zip(among, alone, strict=True):
        assert row.adjusted_p == without_copies.adjusted_p
        assert row.tests == 2
    assert of_best.adjusted_p == 1.0
    assert of_best.tests == 2
    assert of_third.adjusted_p == alone[1].adjusted_p
    assert of_third.tests == 2


def test_a_copy_is_said_to_be_one() -> None:
    best, second = results_of("eeeeeeee", "ennnnnnn")
    [alone] = compare_results([best, second])
    [among] = compare_results([best, renamed(best, "copy"), second])
    assert {pair.adjusted_p for pair in among.family.pairs} == {1.0, alone.family.pairs[0].adjusted_p}
    notes = " ".join(among.notes["copy"])
    assert best.title in notes
    assert "exactly the answers" in notes
    assert among.smallest_difference == alone.smallest_difference


def test_few_seeds_cannot_decide_and_say_so() -> None:
    [comparison] = compare_results(results_of("eeeee", "nnnnn", "eennn"))
    notes = " ".join(comparison_tables(comparison)[0].notes)
    assert "cannot decide" in comparison.finding
    assert "0.19" in comparison.finding
    assert "differ significantly" not in comparison.finding + notes
    assert not any(comparison.family.letters.values())
