"""Results of one model with several prompts: their mean, and what the prompt changes is a plain count."""

from __future__ import annotations

import csv
import json
import math
import random
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from merge_snli import Result
from merge_snli.base.errors import InputError
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.statistics_tables import comparison_tables, to_json
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.write import leaderboard_text
from merge_snli.scoring.prompts import PromptGroup, group_prompts, prompt_table
from merge_snli.scoring.records import GENERATED, RANKED, PromptRecord
from merge_snli.scoring.scores import Scores
from merge_snli.scoring.statistics import compare_models, passes_by_seed
from merge_snli.scoring.statistics.families import PAIRED_TESTS
from tests.merge_snli.comparison.made import Row, scored_dataset
from tests.oracles import answers_of_groups

SEEDS, VARIANTS, DRAWS = 8, 10, 2
CLASSES = ("noun", "verb")
PROMPTS = ("word", "letter", "plain")
RIGHT = {"word": 0.97, "letter": 0.9, "plain": 0.6, "other": 0.8}


def record(name: str, **changed: Any) -> PromptRecord:  # noqa: ANN401 - fields of the record
    values: dict[str, Any] = {
        "harness": "inspect_ai",
        "harness_version": "1",
        "provider": "openai",
        "prompt": name,
        "prompt_digest": name[0].encode().hex() * 32,
        "shots": 0,
        "answers": GENERATED,
        "temperature": 0.0,
        "calls": 100,
        "input_tokens": 5_000,
        "output_tokens": None,
        "retries": 1,
        "settings": {"max_tokens": str(len(name))},
    }
    return PromptRecord(**{**values, **changed})


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """The results of a model with three prompts, and of another model."""
    chosen = random.Random(1)
    columns = [*PROMPTS, "other"]

    def answers(gold: str) -> str:
        wrong = {"e": "n", "n": "c", "c": "e"}[gold]
        return "".join(chosen.choices([gold, wrong], [RIGHT[name], 1 - RIGHT[name]])[0] for name in columns)

    gold = {f"s{number}": "enc"[number % 3] for number in range(SEEDS)}
    rows = [
        Row(
            seed=seed,
            answers=answers(gold[seed]),
            subsamples=(number % DRAWS,),
            word_class=("noun", "verb")[number % 2],
        )
        for seed in gold
        for number in range(VARIANTS)
    ]
    on_seeds = {seed: answers(letter) for seed, letter in gold.items()}
    scored = scored_dataset(rows, models=columns, gold=gold, on_seeds=on_seeds)
    *prompted, other = (model.result for model in scored.models)
    named = [
        replace(
            result,
            model=replace(result.model, name="m", digest=name[0].encode().hex() * 32),
            run=replace(result.run, prompt=record(name), no_answers=number),
            notes=("shared", f"only {name}"),
        )
        for number, (name, result) in enumerate(zip(PROMPTS, prompted, strict=True))
    ]
    return [*named, replace(other, model=replace(other.model, name="other"))]


@pytest.fixture(scope="module")
def merged(results: list[Result]) -> PromptGroup:
    found, other = group_prompts(results)
    assert isinstance(found, PromptGroup)
    assert other is results[-1]
    return found


def right(result: Result) -> list[list[bool]]:
    """Return whether each variant of each seed is correct."""
    found = answers_of_groups(result)
    return [
        [digit == label for digit, label in zip(*of, strict=True)]
        for of in zip(found.predictions, found.gold, strict=True)
    ]


def test_every_score_is_the_mean_over_the_prompts(merged: PromptGroup, results: list[Result]) -> None:
    each = results[:3]
    assert merged.title == "m (3 prompts)"
    for threshold in (0.5, 0.8, 1.0):
        assert merged.row.curve.at(threshold) == pytest.approx(
            fmean(result.scores.curve.at(threshold) or 0.0 for result in each)
        )
    rows = zip(merged.as_rows(), *(result.as_rows() for result in each), strict=True)
    for row, *others in rows:
        assert {other["part"] for other in others} == {row["part"]}
        assert {*row} == {name for other in others for name in other}
        for name in {*row} - {"part", "mt"} - {name for name in row if name.endswith(("_low", "_high"))}:
            expected = None if others[0][name] is None else pytest.approx(fmean(other[name] for other in others))
            assert row[name] == expected, (row["part"], name)
        assert (row["groups"], row["rows"]) == (others[0]["groups"], others[0]["rows"])


def test_the_title_names_the_reasoning_effort() -> None:
    assert record("word", settings={"reasoning_effort": '"high"'}, shots=3).title == "word, 3 shots, effort high"


def test_models_are_compared_on_the_prompts_that_both_have(results: list[Result]) -> None:
    *prompted, other = results
    second = [
        replace(other, run=replace(other.run, prompt=record(name)), model=replace(other.model, digest="d" * 64))
        for name in ("word", "reasons")
    ]
    (comparison, *_) = compare_results([*prompted, *second])
    assert comparison.pattern_accuracy.keys() == {"m (word)", "other (word)"}
    assert comparison.pattern_accuracy["m (word)"] == results[0].pattern_accuracy
    assert any("of its 3 prompts" in note and note.endswith(": word") for note in comparison.notes["m (word)"])
    assert any("of its 2 prompts" in note for note in comparison.notes["other (word)"])
    (row,) = compare_with_baseline(prompted, second)
    assert (row.model, row.baseline) == ("m (word)", "other (word)")
    assert (row.pattern_accuracy, row.baseline_pattern_accuracy) == tuple(
        comparison.pattern_accuracy[name] for name in ("m (word)", "other (word)")
    )


def test_models_without_a_common_prompt_are_compared_as_they_are(results: list[Result]) -> None:
    *prompted, other = results
    reasons = replace(other, run=replace(other.run, prompt=record("reasons")))
    (comparison, *_) = compare_results([*prompted, reasons])
    assert comparison.pattern_accuracy.keys() == {"m (3 prompts)", "other (reasons)"}
    assert all(any("no prompt in common" in note for note in notes) for notes in comparison.notes.values())


def test_what_a_run_took_adds_up(merged: PromptGroup) -> None:
    prompt = merged.run.prompt
    assert prompt is not None
    assert (prompt.calls, prompt.input_tokens, prompt.output_tokens, prompt.retries) == (300, 15_000, None, 3)
    assert merged.run.no_answers == 3
    assert merged.notes == ("shared", "word: only word", "letter: only letter", "plain: only plain")


def test_the_interval_is_over_seeds(merged: PromptGroup, results: list[Result]) -> None:
    low, high = merged.row.ends("pattern_accuracy") or (1.0, 0.0)
    assert low <= merged.row.share("pattern_accuracy") <= high
    copies = group_prompts([replace(results[0], run=replace(results[0].run, prompt=record(name))) for name in PROMPTS])
    for name in ("seed_accuracy", "sample_accuracy", "pattern_accuracy", "qt"):
        assert copies[0].row.ends(name) == results[0].row.ends(name)  # equal answers add no certainty


def test_the_effect_is_a_plain_count(merged: PromptGroup, results: list[Result]) -> None:
    each, effect = results[:3], merged.effect
    assert (effect.lowest, effect.highest) == (
        min(result.pattern_accuracy for result in each),
        max(result.pattern_accuracy for result in each),
    )
    seeds = list(zip(*(answers_of_groups(result).seeds or () for result in each), strict=True))
    assert effect.changed_seeds == fmean(len({*answers}) > 1 for answers in seeds)
    answers = list(zip(*("".join(answers_of_groups(result).predictions) for result in each), strict=True))
    assert effect.changed_rows == fmean(len({*row}) > 1 for row in answers)
    by_prompt = [right(result) for result in each]
    joint = []
    for draw in range(DRAWS):
        of_seeds = [
            [rows[seed][number] for rows in by_prompt for number in range(VARIANTS) if number % DRAWS == draw]
            for seed in range(SEEDS)
        ]
        joint.append(fmean(sum(pairs) * 10 >= len(pairs) * 9 for pairs in of_seeds))
    assert effect.joint_pattern_accuracy == pytest.approx(fmean(joint))
    assert 0 < effect.changed_rows < 1


@pytest.mark.parametrize(
    "changed",
    [
        {"harness": "lm_eval"},
        {"provider": "hf"},
        {"answers": RANKED},
        {"temperature": 1.0},
        {"settings": {"reasoning_effort": '"low"'}},
    ],
)
def test_results_that_differ_in_more_than_the_prompt_stay_apart(results: list[Result], changed: dict[str, Any]) -> None:
    second = replace(results[1], run=replace(results[1].run, prompt=record("letter", **changed)))
    assert group_prompts([results[0], second]) == [results[0], second]


def test_results_on_other_seeds_stay_apart(results: list[Result]) -> None:
    data = replace(results[1].dataset, digest="0" * 64)
    other = replace(results[1], dataset=data)
    assert group_prompts([results[0], other]) == [results[0], other]


def test_prompts_of_one_title_are_named_with_their_digests(results: list[Result]) -> None:
    again = replace(results[0], run=replace(results[0].run, prompt=record("word", prompt_digest="ab" * 32)))
    (merged,) = group_prompts([results[0], again])
    assert isinstance(merged, PromptGroup)
    assert [*merged.prompts] == ["word [77777777]", "word [abababab]"]


def test_the_table_has_a_row_per_prompted_model(merged: PromptGroup, results: list[Result]) -> None:
    table = prompt_table([merged, results[-1]])
    assert table is not None
    ((name, *shares),) = table.rows
    assert name == "m (3 prompts)"
    assert shares[0] == pytest.approx(100 * merged.row.share("pattern_accuracy"), abs=0.05)
    assert any("word " in note and "plain " in note for note in table.notes)
    assert prompt_table(results[-1:]) is None


def test_prompts_are_compared_pairwise_and_models_by_their_means(results: list[Result], merged: PromptGroup) -> None:
    models, prompts = compare_results(results)
    assert [*models.pattern_accuracy] == ["m (3 prompts)", "other"]
    assert models.pattern_accuracy["m (3 prompts)"] == pytest.approx(merged.row["pattern_accuracy"])
    assert (models.subsamples, models.prompts) == (DRAWS, None)
    assert prompts.title.endswith(", prompts of m")
    assert prompts.prompts == merged.effect
    counts = {name: result.counts() for name, result in zip(PROMPTS, results, strict=False)}
    values = {name: passes_by_seed(each.correct, each.sizes) for name, each in counts.items()}
    expected = compare_models(values, unit="seed")
    assert {(pair.first, pair.second): pair.adjusted_p for pair in prompts.family.pairs} == {
        (pair.first, pair.second): pair.adjusted_p for pair in expected.pairs
    }
    text = "\n".join(table.text() for table in comparison_tables(prompts))
    assert "The answer changes with the prompt on" in " ".join(text.split())
    assert to_json(prompts)["prompts"]["joint_pattern_accuracy"] == merged.effect.joint_pattern_accuracy
    assert [each.title for each in compare_results(results[:3])] == [prompts.title]


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_every_test_compares_prompts_and_models(results: list[Result], test: str) -> None:
    models, prompts = compare_results(results, test=test)
    assert len(prompts.family.pairs) == 3
    assert all(math.isnan(pair.adjusted_p) or 0 <= pair.adjusted_p <= 1 for pair in models.family.pairs)


def test_one_prompt_has_nothing_to_be_compared_with(results: list[Result]) -> None:
    with pytest.raises(InputError, match="no two models"):
        compare_results(results[:1])


def test_a_leaderboard_has_one_row_per_model_and_its_prompts_in_the_details(
    results: list[Result], merged: PromptGroup
) -> None:
    (board,) = make_boards(results)
    assert {*board.names} == {"m (3 prompts)", "other"}
    assert board.size == f"{SEEDS} seeds, {SEEDS * VARIANTS} variants"
    page = page_data([board], {})["boards"][0]
    (model,) = [each for each in page["models"] if each["name"] == "m (3 prompts)"]
    assert (page["variants"], page["subsamples"]) == (SEEDS * VARIANTS, DRAWS)
    assert [name for name in model["parts"] if name.startswith("prompt:")] == [f"prompt:{name}" for name in PROMPTS]
    assert model["parts"]["prompt:plain"]["seeds"] == pytest.approx(results[2].scores.seed_accuracy)
    assert model["prompt"]["Prompt"].startswith("3 prompts [")
    assert any(f"from {100 * merged.effect.lowest:.1f}" in note for note in model["notes"])
    text = leaderboard_text(results, "md")
    assert "| m (3 prompts) |" in text
    assert "m (word)" not in text


def test_every_number_of_a_row_of_scores_is_in_json_csv_and_the_mean_over_prompts(
    results: list[Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Scores.as_row
    monkeypatch.setattr(Scores, "as_row", lambda scores: {**known(scores), "added": scores.sample_accuracy.std})
    fresh = [replace(result) for result in results]
    names = {*fresh[0].row.values}
    assert {"added", "qt", "mt", "seed_accuracy_low", "consistency_seed_sample_accuracy"} < names
    rows = json.loads(leaderboard_text(fresh, "json"))["rows"]
    table = list(csv.DictReader(leaderboard_text(fresh, "csv").splitlines()))
    for row, cells in zip(rows, table, strict=True):
        if row["part"] == "all":
            assert names <= {*row} <= {*cells}
            assert [name for name in names if row[name] is not None and float(cells[name]) != row[name]] == []
    [group, _] = group_prompts(fresh)
    assert isinstance(group, PromptGroup)
    assert {*group.row.values} == names == {*fresh[0].to_pandas().columns}
    assert group.row["added"] == pytest.approx(fmean(result.row.share("added") for result in group.results))
