"""Tests of comparing models: against plain counts, and the output of `merge-snli compare`."""

import dataclasses
import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

from merge_snli import Result, score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.comparison.compare import Comparison, compare_results
from merge_snli.comparison.statistics_tables import comparison_tables, to_json
from merge_snli.dataset.stored import find_dataset
from merge_snli.leaderboard.boards import make_boards
from merge_snli.scoring.reading import read_config
from merge_snli.scoring.statistics import OVERLAP_WARNING
from merge_snli.scoring.statistics.families import PAIRED_TESTS
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import AnswersOfGroups, answers_of_groups, scored_again, with_answers


def comparison_text(comparison: Comparison) -> str:
    return "\n".join(table.text() for table in comparison_tables(comparison))


CLASSES = ("noun", "verb", "adj")
ACCURACIES = {"best": 0.99, "good": 0.95, "fair": 0.90, "poor": 0.5}


def predictor(accuracy: float, gold: dict[tuple[str, str], int]) -> Any:  # noqa: ANN401 - a function of pairs
    """Return a function that predicts each pair correctly with a probability, always the same way."""

    def predict(pairs: list[tuple[str, str]]) -> list[int]:
        correct = (random.Random(f"{accuracy}{pair}").random() < accuracy for pair in pairs)
        return [gold[pair] if right else (gold[pair] + 1) % 3 for pair, right in zip(pairs, correct, strict=True)]

    return predict


@pytest.fixture(scope="module")
def results(dataset: Path) -> list[Result]:
    rows = pq.read_table(dataset / "data" / "all" / "test.parquet").to_pylist()
    gold = {(row["premise"], row["hypothesis"]): row["label"] for row in rows}
    gold |= {(row["seed_premise"], row["seed_hypothesis"]): row["label"] for row in rows}
    return [score(predictor(accuracy, gold), dataset, name=name) for name, accuracy in ACCURACIES.items()]


@pytest.fixture(scope="module")
def comparison(results: list[Result]) -> Comparison:
    return compare_results(results)[0]


def passes(table: AnswersOfGroups, seed: int) -> Fraction:
    counts = [(correct[seed], size[seed]) for correct, size in zip(table.correct, table.sizes, strict=True)]
    drawn = [(correct, size) for correct, size in counts if size]
    return Fraction(sum(correct * 10 >= size * 9 for correct, size in drawn), len(drawn))


def test_pattern_accuracy_equals_a_plain_count(comparison: Comparison, results: list[Result]) -> None:
    for result in results:
        n = len(result.group_ids)
        expected = sum(passes(answers_of_groups(result), seed) for seed in range(n)) / n
        assert comparison.pattern_accuracy[result.model.name] == pytest.approx(float(expected))
        interval = comparison.intervals[result.model.name]
        assert interval.low <= comparison.pattern_accuracy[result.model.name] <= interval.high
        assert interval.unit == "seed"
    assert comparison.seeds == len(results[0].group_ids)
    assert (comparison.left_out, comparison.subsamples) == (0, 10)


def test_score_and_compare_have_the_same_interval_of_the_same_number(
    comparison: Comparison, results: list[Result]
) -> None:
    for result in results:
        intervals = result.scores.intervals
        assert intervals is not None
        compared = comparison.intervals[result.model.name]
        assert (compared.low, compared.high) == intervals.pattern_accuracy
        assert compared.method == intervals.methods["pattern_accuracy"]
        assert comparison.pattern_accuracy[result.model.name] == result.scores.pattern_accuracy.mean


def test_models_are_ranked_and_letters_show_differences(comparison: Comparison) -> None:
    accuracies = [comparison.pattern_accuracy[model] for model in comparison.family.models]
    assert accuracies == sorted(accuracies, reverse=True)
    differing = {frozenset((pair.first, pair.second)) for pair in comparison.family.pairs if pair.differs}
    assert frozenset(("best", "poor")) in differing
    for pair in comparison.family.pairs:
        shared = set(comparison.family.letters[pair.first]) & set(comparison.family.letters[pair.second])
        assert bool(shared) != pair.differs


def test_seeds_against_variants_is_the_paired_t_test_over_models(comparison: Comparison, results: list[Result]) -> None:
    on_seeds = [result.scores.seed_accuracy or 0.0 for result in results]
    on_variants = [result.scores.sample_accuracy.mean or 0.0 for result in results]
    expected = stats.ttest_rel(on_seeds, on_variants)
    assert comparison.seeds_against_variants is not None
    assert comparison.seeds_against_variants.p_value == pytest.approx(float(expected.pvalue))
    assert comparison.seeds_against_variants.unit == "model"


def test_word_classes_are_compared_over_seeds(results: list[Result], dataset: Path) -> None:
    [compared] = compare_results(results, datasets=[find_dataset(str(dataset))])
    assert compared.classes is not None
    pairs = [(pair.first, pair.second) for pair in compared.classes]
    assert pairs == [("noun", "verb"), ("noun", "adj"), ("verb", "adj")]
    rows = pq.read_table(dataset / "data" / "all" / "test.parquet").to_pylist()
    values = {name: [class_value(results, rows, seed, name) for seed in seeds_of(rows, name)] for name in CLASSES}
    for pair in compared.classes:
        expected = stats.ttest_ind(values[pair.first], values[pair.second], equal_var=False)
        assert pair.result.p_value == pytest.approx(float(expected.pvalue))
        assert (pair.result.unit, pair.result.n) == ("seed", len(values[pair.first]) + len(values[pair.second]))
    text = comparison_text(compared)
    assert "\nPA, noun − verb " in text
    assert "over seeds, effect size" in " ".join(text.split())


def seeds_of(rows: list[dict[str, Any]], word_class: str) -> list[str]:
    return list(dict.fromkeys(row["seed_id"] for row in rows if row["word_class"] == word_class))


def class_value(results: list[Result], rows: list[dict[str, Any]], seed: str, word_class: str) -> float:
    """Return the mean over models of the share of subsamples in which a seed passes with its variants of a class."""
    shares = []
    for result in results:
        table = answers_of_groups(result)
        index = table.id.index(seed)
        own = [row for row in rows if row["seed_id"] == seed]
        right = [answer == gold for answer, gold in zip(table.predictions[index], table.gold[index], strict=True)]
        answers = [(row, correct) for row, correct in zip(own, right, strict=True) if row["word_class"] == word_class]
        drawn = [[correct for row, correct in answers if subsample in row["subsamples"]] for subsample in range(10)]
        shares.append(sum(10 * sum(each) >= 9 * len(each) for each in drawn if each) / sum(map(bool, drawn)))
    return sum(shares) / len(shares)


def test_a_data_set_without_results_is_named(results: list[Result], make_dataset: MakeDataset, tmp_path: Path) -> None:
    other = find_dataset(str(make_dataset(tmp_path / "other", seeds=4)))
    with pytest.raises(InputError, match=rf"other \({other.digest[:8]}\)"):
        compare_results(results, datasets=[other])


def on_seeds(result: Result, dataset: Path, seeds: slice, name: str) -> Result:
    """Return the result of the same answers to some seeds only."""
    data = read_config(find_dataset(str(dataset)), "all")
    kept = np.zeros(len(data.group_ids), dtype=bool)
    kept[seeds] = True
    short = scored_again(result, result.answers.take(groups=kept), data)
    return dataclasses.replace(short, model=dataclasses.replace(result.model, name=name))


def test_models_are_compared_on_their_common_seeds(results: list[Result], dataset: Path) -> None:
    short = on_seeds(results[0], dataset, slice(1, None), "short")
    compared = compare_results([*results, short])[0]
    whole = compare_results(results)[0]
    assert (compared.seeds, compared.left_out) == (whole.seeds - 1, 1)
    assert compared.pattern_accuracy["short"] == compared.pattern_accuracy["best"]
    assert compared.family.letters["short"] == compared.family.letters["best"]
    assert "(1 more" in comparison_text(compared)


def test_order_of_seeds_does_not_matter(results: list[Result], comparison: Comparison) -> None:
    answers = results[1].answers
    assert answers.seeds is not None
    last_first = np.arange(len(answers.group_ids))[::-1]
    reordered_answers = dataclasses.replace(
        answers,
        group_ids=answers.group_ids[::-1],
        groups=last_first[answers.groups],
        seeds=dataclasses.replace(
            answers.seeds,
            gold=answers.seeds.gold[::-1],
            predicted=answers.seeds.predicted[::-1],
        ),
    )
    reordered = [results[0], with_answers(results[1], reordered_answers), *results[2:]]
    assert compare_results(reordered)[0] == comparison


def test_a_model_with_two_names_counts_once(results: list[Result], caplog: pytest.LogCaptureFixture) -> None:
    first, second = (
        dataclasses.replace(results[0], model=dataclasses.replace(results[0].model, name=name, digest="a" * 64))
        for name in ("one name", "another name")
    )
    [compared] = compare_results([first, second, *results[1:]])
    assert "one name" in compared.family.models
    assert "another name" not in compared.family.models
    assert len(compared.family.pairs) == 6
    assert re.search("one name.*another name", caplog.text)


def test_the_same_data_under_another_title_is_compared(results: list[Result]) -> None:
    renamed = dataclasses.replace(results[0], dataset=dataclasses.replace(results[0].dataset, title="another title"))
    [compared] = compare_results([renamed, results[1]])
    assert len(compared.family.models) == 2
    assert len(make_boards([renamed, results[1]])) == 1


def test_each_config_is_compared_separately(results: list[Result]) -> None:
    on_nouns = [
        dataclasses.replace(result, dataset=dataclasses.replace(result.dataset, config="noun"))
        for result in results[:2]
    ]
    compared = compare_results([*results, *on_nouns])
    assert [(each.config, len(each.family.models)) for each in compared] == [("all", 4), ("noun", 2)]
    assert [each.title for each in compared] == ["merge_small, config all", "merge_small, config noun"]


def test_data_sets_with_the_same_name_show_their_digest(results: list[Result]) -> None:
    others = [
        dataclasses.replace(result, dataset=dataclasses.replace(result.dataset, digest="0" * 64))
        for result in results[:2]
    ]
    first, second = map(comparison_text, compare_results([*results, *others]))
    assert first.startswith(f"merge_small [{results[0].dataset.digest[:8]}], config all: PA at ")
    assert second.startswith("merge_small [00000000], config all: PA at ")


def test_one_model_in_two_dtypes_shows_its_dtype(results: list[Result]) -> None:
    first, second = (
        dataclasses.replace(results[0], run=dataclasses.replace(results[0].run, dtype=dtype))
        for dtype in ("float32", "int8")
    )
    assert set(compare_results([first, second])[0].pattern_accuracy) == {first.title, second.title}
    with pytest.raises(InputError, match=r"2 results of best \[function\]"):
        compare_results([first, first])


def test_models_with_the_same_name_show_their_digest(results: list[Result]) -> None:
    first, second = (
        dataclasses.replace(result, model=dataclasses.replace(result.model, name="one\nname", digest=digit * 64))
        for result, digit in zip(results[:2], "ab", strict=True)
    )
    [compared] = compare_results([first, second])
    assert set(compared.pattern_accuracy) == {"one\nname [aaaaaaaa]", "one\nname [bbbbbbbb]"}
    assert "\n1  one name [" in comparison_text(compared)


def test_notes_are_shown(results: list[Result]) -> None:
    noted = dataclasses.replace(results[0], notes=("labels inferred from the seeds",))
    [compared] = compare_results([noted, *results[1:]])
    assert comparison_text(compared).count("best: labels inferred from the seeds\n") == 1
    assert to_json(compared)["notes"]["best"] == ["labels inferred from the seeds"]


def test_constant_differences_have_no_test(results: list[Result]) -> None:
    copy = dataclasses.replace(results[0], model=dataclasses.replace(results[0].model, name="copy"))
    [compared] = compare_results([results[0], copy])
    text = comparison_text(compared)
    scores = results[0].scores
    difference = 100 * ((scores.seed_accuracy or 0.0) - (scores.sample_accuracy.mean or 0.0))
    row = next(line for line in text.splitlines() if line.startswith("SA, seeds"))
    assert row.split()[4:] == [f"{difference:+.1f}", "–", "–", "–", "2", "–"]
    assert "SA, seeds − variants: the t-test is not defined" in " ".join(text.split())
    assert "inf" not in text
    assert to_json(compared)["seeds_against_variants"]["p_value"] == "NaN"


def test_pairs_without_a_defined_test_are_named(results: list[Result]) -> None:
    compared = compare_results([results[0], results[1], results[-1]], test="t-test")[0]
    [pair] = compared.family.untested  # 1 and 0 in every subsample
    assert (pair.first, pair.second, pair.result.difference) == ("best", "poor", 1)
    assert {*compared.family.letters["best"]}.isdisjoint(compared.family.letters["poor"])
    text = " ".join(comparison_text(compared).split())
    assert "best and poor: the t-test is not defined, because the difference is 100.0 points" in text
    assert "Holm's method over 2 of 3 pairs" in text


def test_one_model_is_an_input_error(results: list[Result]) -> None:
    with pytest.raises(InputError, match=r"\(best on all\)"):
        compare_results(results[:1])


def test_only_the_t_test_warns_of_overlapping_subsamples(results: list[Result]) -> None:
    warned = {test: compare_results(results, test=test)[0] for test in PAIRED_TESTS}
    assert [test for test, each in warned.items() if each.family.warning] == ["t-test"]
    assert OVERLAP_WARNING in " ".join(comparison_text(warned["t-test"]).split())
    units = {test: each.family.pairs[0].result.unit for test, each in warned.items()}
    assert units == {test: unit for test, (_, unit) in PAIRED_TESTS.items()}


def test_json_has_no_infinite_numbers(results: list[Result]) -> None:
    for test in PAIRED_TESTS:
        value = to_json(compare_results(results, test=test)[0])
        assert json.loads(json.dumps(value, allow_nan=False)) == value
        assert set(value["family"]["letters"]) == set(ACCURACIES)


@pytest.fixture
def folder(results: list[Result], tmp_path: Path) -> Path:
    from merge_snli.scoring.store import write_result

    for result in results:
        write_result(result, tmp_path / "results")
    return tmp_path / "results"


def test_command_prints_models_letters_and_p_values(
    folder: Path, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(folder)]) == 0
    assert "--dataset" in capsys.readouterr().out
    assert main(["compare", str(folder), "--dataset", str(dataset)]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0].startswith("merge_small, config all: PA at 0.9 over ")
    assert lines[1].startswith("best has the highest PA(0.9), ")
    assert any(line.split()[:2] == ["1", "best"] for line in lines)
    assert "over 6 pairs" in out
    assert "\nSA, seeds − variants " in out
    assert "\nPA, noun − verb " in out


def test_command_prints_one_json_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder), "--test", "mcnemar", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["config"] for each in document["comparisons"]] == ["all"]
    assert len(document["comparisons"][0]["family"]["pairs"]) == 6


def test_models_are_compared_at_each_threshold(
    folder: Path, dataset: Path, results: list[Result], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(folder), "--threshold", "0.8,0.9", "--dataset", str(dataset), "--format", "json"]) == 0
    low, quality = json.loads(capsys.readouterr().out)["comparisons"]
    assert (low["threshold"], quality["threshold"]) == (0.8, 0.9)
    for result in results:
        at = {result.model.name: result.scores.curve.at(0.8)}
        assert low["pattern_accuracy"][result.model.name] == pytest.approx(at[result.model.name])
    assert low["classes"] is low["seeds_against_variants"] is None
    assert len(quality["classes"]) == 3
    assert main(["compare", str(folder), "--threshold", "0.8", "--dataset", str(dataset)]) == 2
    assert "add it to --threshold" in capsys.readouterr().err


def test_thresholds_at_which_models_differ(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder), "--all-thresholds", "--threshold", "0.8", "0.9"]) == 0
    out = capsys.readouterr().out
    assert out.count("Thresholds at which two models differ") == 1
    _, _, table = out.partition("Thresholds at which two models differ")
    row = next(line for line in table.splitlines() if line.split()[:2] == ["best", "poor"])
    _, _, better, worse = re.split(" {2,}", row.strip())
    assert main(["compare", str(folder), "--all-thresholds", "--format", "json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["comparisons"][0]["all_thresholds"]
    [differs] = [pair["differs"] for pair in pairs if (pair["first"], pair["second"]) == ("best", "poor")]
    ranges = [list(map(int, each.split(" to "))) for each in better.split(", ")]
    expected = [any(ends[0] <= percent <= ends[-1] for ends in ranges) for percent in range(101)]
    assert (differs, worse) == (expected, "–")
    assert differs[90]
    assert not differs[0]


def test_results_of_several_folders_are_compared(
    results: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from merge_snli.scoring.store import write_result

    for result, folder in zip((*results, results[0]), ("a", "a", "b", "b", "b"), strict=True):
        write_result(result, tmp_path / folder)
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["comparisons"]
    assert set(found["pattern_accuracy"]) == set(ACCURACIES)


@pytest.mark.parametrize("value", ["0.855", "90", "x", "0.8,x"])
def test_an_invalid_threshold_is_named(folder: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    with pytest.raises(SystemExit):
        main(["compare", str(folder), "--threshold", value])
    assert "--threshold: " in capsys.readouterr().err


@pytest.mark.parametrize("value", ["1", "x"])
def test_an_invalid_level_is_named(folder: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    with pytest.raises(SystemExit):
        main(["compare", str(folder), "--alpha", value])
    assert f"--alpha: {value!r}" in capsys.readouterr().err


def test_folder_without_results_is_an_input_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
