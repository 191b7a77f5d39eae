"""Tests of comparing models: against plain counts, and the output of `merge-snli compare`."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from merge_snli import Result, score
from merge_snli.answers.opening import open_config
from merge_snli.comparison.bar_charts import LABEL_COLORS
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.comparison import Comparison
from merge_snli.comparison.figures import draw_figures
from merge_snli.comparison.scored_dataset import scored_dataset
from merge_snli.comparison.statistics_tables import comparison_tables, to_json
from merge_snli.comparison.word_classes import classes
from merge_snli.dataset.stored import find_dataset
from merge_snli.leaderboard.boards import make_boards
from merge_snli.schema import NLI_LABELS
from merge_snli.statistics import OVERLAP_WARNING
from merge_snli.statistics.families import PAIRED_TESTS
from tests.commands import Command
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.leaderboard.conftest import noisy
from tests.oracles import (
    answers_of_groups,
    gold_of,
    known,
    missing_from,
    refused,
    with_answers,
    write_results,
)


def comparison_text(comparison: Comparison) -> str:
    return "\n".join(table.text() for table in comparison_tables(comparison))


ERRORS = {"best": 0.01, "good": 0.05, "fair": 0.1, "poor": 0.5}


@pytest.fixture(scope="module")
def results(dataset: Path) -> list[Result]:
    gold = gold_of(dataset)
    return [score(noisy(name, gold, errors), dataset, name=name) for name, errors in ERRORS.items()]


@pytest.fixture(scope="module")
def comparison(results: list[Result]) -> Comparison:
    return compare_results(results)[0]


def changed(result: Result, part: str, **values: Any) -> Result:  # noqa: ANN401 - fields of the record
    """Return a result with other values of one of its records: `model`, `dataset` or `run`."""
    record = replace(getattr(result, part), **values)
    return replace(result, **{part: record})


def plain_pattern_accuracy(result: Result) -> float:
    """Return the mean over the seeds of the share of the subsamples with variants of a seed in which it passes."""
    table = answers_of_groups(result)
    correct = np.array(table.correct)
    sizes = np.array(table.sizes)
    passing = (sizes > 0) & (10 * correct >= 9 * sizes)
    return float((passing.sum(axis=0) / (sizes > 0).sum(axis=0)).mean())


def test_pattern_accuracy_equals_a_plain_count_and_has_the_interval_of_score(
    comparison: Comparison, results: list[Result]
) -> None:
    for result in results:
        name = result.model.name
        accuracy = comparison.pattern_accuracy[name]
        interval = comparison.intervals[name]
        assert accuracy == pytest.approx(plain_pattern_accuracy(result))
        assert accuracy == result.pattern_accuracy
        assert interval.low <= accuracy <= interval.high
        intervals = known(result.scores.intervals)
        assert (interval.low, interval.high) == intervals.pattern_accuracy
        assert interval.unit == "seed"
        assert interval.method == intervals.methods["pattern_accuracy"]
    assert comparison.seeds == 12
    assert comparison.left_out == 0
    assert comparison.subsamples == 10


def test_seeds_and_variants_and_word_classes_are_tested(results: list[Result], dataset: Path) -> None:
    """The numbers of both analyses are computed independently for reports."""
    [compared] = compare_results(results, datasets=[find_dataset(str(dataset))])
    on_seeds = [result.row.share("seed_accuracy") for result in results]
    expected = stats.ttest_rel(on_seeds, [result.row.share("sample_accuracy") for result in results])
    against = known(compared.seeds_against_variants)
    assert against.p_value == pytest.approx(float(expected.pvalue))
    assert against.unit == "model"
    scored = scored_dataset(open_config(dataset, "all"), results)
    nouns, adjectives = known(compared.classes)
    assert nouns.first == "noun"
    assert nouns.second == "verb"
    assert adjectives.first == "verb"
    assert adjectives.second == "adj"
    assert nouns.result.unit == "seed"
    assert [nouns.result, adjectives.result] == [test.result for test in classes(scored).tests]
    text = comparison_text(compared)
    assert "\nPA, noun − verb " in text
    assert "over seeds, effect size" in " ".join(text.split())


def test_order_of_seeds_does_not_matter(results: list[Result], comparison: Comparison) -> None:
    best, good, *others = results
    answers = good.answers
    ids = answers.group_ids[::-1]
    seeds = known(answers.seeds)
    of_seeds = replace(seeds, gold=seeds.gold[::-1], predicted=seeds.predicted[::-1])
    last_first = np.arange(len(ids))[::-1]
    reordered = replace(answers, group_ids=ids, groups=last_first[answers.groups], seeds=of_seeds)
    [compared] = compare_results([best, with_answers(good, reordered), *others])
    assert compared == comparison


def test_a_model_with_two_names_counts_once(results: list[Result], caplog: pytest.LogCaptureFixture) -> None:
    best, *others = results
    one = changed(best, "model", name="one name", digest="a" * 64)
    [compared] = compare_results([one, changed(one, "model", name="another name"), *others])
    assert {*compared.family.models} == {"one name", "good", "fair", "poor"}
    assert re.search("one name.*another name", caplog.text)


def test_results_on_the_same_data_and_config_are_compared(results: list[Result]) -> None:
    two = [changed(results[0], "dataset", title="another title"), results[1]]
    [compared] = compare_results(two)
    assert len(compared.family.models) == 2
    assert len(make_boards(two)) == 1
    on_nouns = [changed(result, "dataset", config="noun") for result in results[:2]]
    every, nouns = compare_results([*results, *on_nouns])
    assert every.config == "all"
    assert every.title == "merge_small, config all"
    assert len(every.family.models) == 4
    assert nouns.config == "noun"
    assert nouns.title == "merge_small, config noun"
    assert len(nouns.family.models) == 2


def test_equal_names_are_told_apart(results: list[Result]) -> None:
    others = [changed(result, "dataset", digest="0" * 64) for result in results[:2]]
    first, second = compare_results([*results, *others])
    best = results[0]
    assert first.title == f"merge_small [{best.dataset.digest[:8]}], config all"
    assert second.title == "merge_small [00000000], config all"
    low = changed(best, "run", dtype="int8")
    high = changed(best, "run", dtype="float32")
    [compared] = compare_results([low, high])
    assert {*compared.pattern_accuracy} == {low.title, high.title}
    one = changed(best, "model", name="one\nname", digest="a" * 64)
    [compared] = compare_results([one, changed(one, "model", digest="b" * 64)])
    assert {*compared.pattern_accuracy} == {"one\nname [aaaaaaaa]", "one\nname [bbbbbbbb]"}
    assert "\n1  one name [" in comparison_text(compared)


def test_notes_are_shown(results: list[Result]) -> None:
    best, *others = results
    [compared] = compare_results([replace(best, notes=("labels inferred",)), *others])
    assert comparison_text(compared).count("best: labels inferred\n") == 1
    assert to_json(compared)["notes"]["best"] == ["labels inferred"]


def test_constant_differences_have_no_test(results: list[Result]) -> None:
    best = results[0]
    [compared] = compare_results([best, changed(best, "model", name="copy")])
    text = comparison_text(compared)
    row = best.row
    difference = 100 * (row.share("seed_accuracy") - row.share("sample_accuracy"))
    shown = next(line for line in text.splitlines() if line.startswith("SA, seeds"))
    assert shown.split()[4:] == [f"{difference:+.1f}", "–", "–", "2", "–"]
    notes = " ".join(text.split())
    assert "With 2 models, a test over models says little. SA, seeds − variants: the t-test is not defined" in notes
    assert "inf" not in text
    assert to_json(compared)["seeds_against_variants"]["p_value"] == "NaN"


def test_pairs_without_a_defined_test_are_named(results: list[Result]) -> None:
    best, good, _, poor = results
    [compared] = compare_results([best, good, poor], test="t-test")
    [pair] = compared.family.untested  # 1 and 0 in every subsample
    assert pair.first == "best"
    assert pair.second == "poor"
    assert pair.result.difference == 1
    letters = compared.family.letters
    assert {*letters["best"]}.isdisjoint(letters["poor"])
    text = " ".join(comparison_text(compared).split())
    assert "best and poor: the t-test is not defined, because the difference is 100.0 points" in text
    assert "Holm's method over 2 of 3 pairs" in text


def test_results_that_cannot_be_compared_are_named(
    results: list[Result], make_dataset: MakeDataset, tmp_path: Path
) -> None:
    other = find_dataset(str(make_dataset(tmp_path / "other", seeds=4)))
    refused(r"\(best on merge_small, config all\)", compare_results, results[:1])
    refused(r"2 results of best \[function\]", compare_results, [changed(results[0], "run", dtype="float32")] * 2)
    refused(rf"other \({other.digest[:8]}\)", compare_results, results, datasets=[other])


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_only_the_t_test_warns_of_overlapping_subsamples_and_json_has_no_infinite_numbers(
    results: list[Result], test: str
) -> None:
    [compared] = compare_results(results, test=test)
    is_over_subsamples = test == "t-test"
    assert (compared.family.warning is not None) == is_over_subsamples
    assert (OVERLAP_WARNING in " ".join(comparison_text(compared).split())) == is_over_subsamples
    assert compared.family.pairs[0].result.unit == ("subsample" if is_over_subsamples else "seed")
    value = to_json(compared)
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert {*value["family"]["letters"]} == {*ERRORS}


@pytest.fixture(scope="module")
def folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("results"), results)


def test_command_prints_models_letters_and_p_values(folder: Path, dataset: Path, command: Command) -> None:
    assert "--dataset" in command("compare", folder).out
    out = command("compare", folder, "--dataset", dataset).out
    assert out.startswith("merge_small, config all: PA at 0.9 over ")
    assert not missing_from(out, "\nbest has the highest PA(0.9), ", "\n1  best ", "over 6 pairs")
    assert not missing_from(out, "\nSA, seeds − variants ", "\nPA, noun − verb ")


def test_models_are_compared_at_each_threshold_and_with_each_test(
    folder: Path, dataset: Path, results: list[Result], command: Command
) -> None:
    arguments = ["compare", folder, "--test", "mcnemar", "--dataset", dataset, "--threshold"]
    low, quality = command(*arguments, "0.8,0.9", "--format", "json").json["comparisons"]
    assert low["threshold"] == 0.8
    assert quality["threshold"] == 0.9
    for result in results:
        assert low["pattern_accuracy"][result.model.name] == pytest.approx(result.scores.curve.at(0.8))
    assert low["classes"] is low["seeds_against_variants"] is None
    assert len(quality["classes"]) == 2
    assert quality["family"]["test"].startswith("McNemar")
    assert "add it to --threshold" in command(*arguments, "0.8", code=2).err


def test_thresholds_at_which_models_differ(results: list[Result], tmp_path: Path, command: Command) -> None:
    arguments = ["compare", write_results(tmp_path, [results[0], results[3]]), "--all-thresholds"]
    out = command(*arguments, "--threshold", "0.8", "0.9").out
    assert out.count("Thresholds at which two models differ") == 1
    [comparison] = command(*arguments, "--format", "json").json["comparisons"]
    [pair] = comparison["all_thresholds"]
    assert pair["first"] == "best"
    assert pair["second"] == "poor"
    differs = pair["differs"]
    assert differs[90]
    assert not differs[0]


ROWS = []
for group, size in enumerate([2, 3, 5, 10] * 10):
    for number in range(size):
        ROWS.append(
            {
                "premise": f"Group {group} has {size} boxes.",
                "hypothesis": f"Box {number} is in group {group}.",
                "label": NLI_LABELS[(group + number) % 3],
                "set": group,
                "kind": f"kind {number % 3} $x^2$",
            }
        )


GOLD = {(row["premise"], row["hypothesis"]): row["label"] for row in ROWS}


def predict_in_groups(pairs: Sequence[tuple[str, str]], wrong: int) -> list[str]:
    """Predict the gold label, but neutral in every group whose number is divisible by `wrong`."""
    return ["neutral" if int(pair[0].split()[1]) % wrong == 0 else str(GOLD[pair]) for pair in pairs]


@pytest.fixture(scope="module")
def grouped_results() -> list[Result]:
    results = []
    for name, wrong in {"poor": 2, "fair": 5, "good": 20}.items():
        predict = partial(predict_in_groups, wrong=wrong)
        results.append(score(predict, ROWS, group_column="set", by=["kind"], name=f"{name} <$a$>"))
    return results


def test_models_are_compared_over_groups(grouped_results: list[Result]) -> None:
    [comparison] = compare_results(grouped_results, test="mcnemar")
    assert comparison.unit == "group"
    assert comparison.seeds == 40
    assert comparison.left_out == 0
    assert comparison.family.models == ("good <$a$>", "fair <$a$>", "poor <$a$>")
    assert comparison.pattern_accuracy == {result.title: result.pattern_accuracy for result in grouped_results}
    assert comparison.family.pairs[0].result.unit == "group"
    text = comparison_text(comparison)
    assert "over 40 groups, in percent" in text
    assert "subsample" not in text


def test_a_test_over_subsamples_is_refused(grouped_results: list[Result]) -> None:
    refused(r"t-test.*memory:list.*permutation or mcnemar", compare_results, grouped_results, test="t-test")
    refused(r"poor.* on memory:list", compare_results, grouped_results[:1])


def test_figures_have_a_panel_per_value_and_equal_bytes(grouped_results: list[Result], tmp_path: Path) -> None:
    first = draw_figures(grouped_results, tmp_path / "a")
    second = draw_figures(grouped_results[::-1], tmp_path / "b")
    for path, other in zip(first, second, strict=True):
        assert path.read_bytes() == other.read_bytes()
    [bars] = [path for path in first if "by-kind" in path.name and path.suffix == ".svg"]
    text = bars.read_text(encoding="utf-8")
    for number, label in enumerate(NLI_LABELS):
        assert f"<!-- kind {number} $x^2$ -->" in text
        assert LABEL_COLORS[label] in text


def test_columns_with_too_many_values_are_not_drawn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = [row | {"many": number} for number, row in enumerate(ROWS[:100])]
    result = score(partial(predict_in_groups, wrong=2), rows, group_column="set", by=["many", "kind"], name="poor")
    assert not any("many" in path.name for path in draw_figures([result], tmp_path))
    assert "many has 100 values" in caplog.text
