"""Results of one model with several prompts: their mean, and what the prompt and the order of labels change."""

import csv
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from statistics import fmean
from typing import Any

import pandas as pd
import pytest

from merge_snli import Result
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.statistics_tables import comparison_tables, to_json
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.model_payload import SCORES
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.write import leaderboard_text
from merge_snli.models.filled_prompt import FilledPrompt, Shot, in_orders
from merge_snli.models.prompts import in_data_order, read_prompt
from merge_snli.results.orders import order_effects, order_table
from merge_snli.results.prompts import PromptGroup, group_prompts, prompt_table
from merge_snli.results.records import GENERATED, RANKED, PromptRecord
from merge_snli.results.scores import Scores
from merge_snli.schema import NLI_LABELS
from merge_snli.statistics import compare_models, passes_by_seed
from tests.merge_snli.comparison.made import rows_of, scored_dataset
from tests.oracles import answers_of_groups, known, missing_from, passing_shares, refused

SEEDS, VARIANTS, DRAWS = 8, 10, 2


PROMPTS = ("word", "letter", "plain")


RIGHT = {"word": 0.97, "letter": 0.9, "plain": 0.6, "other": 0.8}


RECORD = PromptRecord(
    harness="inspect_ai",
    harness_version="1",
    provider="openai",
    prompt="",
    prompt_digest="",
    shots=0,
    answers=GENERATED,
    temperature=0.0,
    calls=100,
    input_tokens=5_000,
    output_tokens=None,
    retries=1,
    settings={},
)


def record(name: str, **changed: Any) -> PromptRecord:  # noqa: ANN401 - fields of the record
    named = replace(RECORD, prompt=name, prompt_digest=digest_of(name), settings={"max_tokens": str(len(name))})
    return replace(named, **changed)


def digest_of(name: str) -> str:
    return name[0].encode().hex() * 32


def with_prompt(result: Result, name: str, **changed: Any) -> Result:  # noqa: ANN401 - fields of the record
    return replace(result, run=replace(result.run, prompt=record(name, **changed)))


def results_with(
    answers: Callable[[str], str], models: Iterable[str], seeds: int, variants: Sequence[dict[str, Any]]
) -> list[Result]:
    """Return results on seeds of each label in turn, each with variants of these columns, answered by its label."""
    gold = {f"s{number}": "enc"[number % 3] for number in range(seeds)}
    rows = []
    for seed, letter in gold.items():
        for columns in variants:
            rows += rows_of(seed, [answers(letter)], **columns)
    on_seeds = {seed: answers(letter) for seed, letter in gold.items()}
    scored = scored_dataset(rows, models=[*models], gold=gold, on_seeds=on_seeds)
    return [model.result for model in scored.models]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """The results of a model with three prompts, and of another model."""
    chosen = random.Random(1)
    columns = [*PROMPTS, "other"]

    def answers(gold: str) -> str:
        wrong = {"e": "n", "n": "c", "c": "e"}[gold]
        return "".join(chosen.choices([gold, wrong], [RIGHT[name], 1 - RIGHT[name]])[0] for name in columns)

    variants = []
    for number in range(VARIANTS):
        variants.append({"subsamples": (number % DRAWS,), "word_class": ("noun", "verb")[number % 2]})
    *prompted, other = results_with(answers, columns, SEEDS, variants)
    named = []
    for number, (name, result) in enumerate(zip(PROMPTS, prompted, strict=True)):
        model = replace(result.model, name="m", digest=digest_of(name))
        run = replace(result.run, prompt=record(name), no_answers=number)
        named.append(replace(result, model=model, run=run, notes=("shared", f"only {name}")))
    return [*named, other]


@pytest.fixture(scope="module")
def merged(results: list[Result]) -> PromptGroup:
    found, other = group_prompts(results)
    assert isinstance(found, PromptGroup)
    assert other is results[-1]
    return found


def test_every_score_is_the_mean_over_the_prompts(merged: PromptGroup, results: list[Result]) -> None:
    each = results[:3]
    assert merged.title == "m (3 prompts)"
    of_prompts = [known(result.scores.curve.at(0.8)) for result in each]
    assert merged.row.curve.at(0.8) == pytest.approx(fmean(of_prompts))
    means = pd.DataFrame(merged.as_rows()).set_index("part")
    tables = [pd.DataFrame(result.as_rows()).set_index("part") for result in each]
    expected = pd.concat(tables).groupby(level=0, sort=False).mean()
    averaged = [name for name in map(str, expected) if name != "mt" and not name.endswith(("_low", "_high"))]
    pd.testing.assert_frame_equal(means[averaged].astype(float), expected[averaged].astype(float))
    assert [*means] == [*tables[0]]


def test_models_are_compared_on_the_prompts_that_both_have_or_as_they_are(results: list[Result]) -> None:
    *prompted, other = results
    of_other = replace(other, model=replace(other.model, digest="d" * 64))
    second = [with_prompt(of_other, name) for name in ("word", "reasons")]
    (comparison, *_) = compare_results([*prompted, *second])
    assert comparison.pattern_accuracy.keys() == {"m (word)", "other (word)"}
    assert comparison.pattern_accuracy["m (word)"] == results[0].pattern_accuracy
    assert any("of its 3 prompts" in note and note.endswith(": word") for note in comparison.notes["m (word)"])
    assert any("of its 2 prompts" in note for note in comparison.notes["other (word)"])
    (row,) = compare_with_baseline(prompted, second)
    found = {row.model: row.pattern_accuracy, row.baseline: row.baseline_pattern_accuracy}
    assert found == comparison.pattern_accuracy
    (comparison, *_) = compare_results([*prompted, with_prompt(other, "reasons")])
    assert comparison.pattern_accuracy.keys() == {"m (3 prompts)", "other (reasons)"}
    assert all(any("no prompt in common" in note for note in notes) for notes in comparison.notes.values())
    refused("no two models", compare_results, results[:1])


def test_what_a_run_took_adds_up_and_the_interval_is_over_seeds(merged: PromptGroup, results: list[Result]) -> None:
    prompt = known(merged.run.prompt)
    assert prompt.calls == 300
    assert prompt.input_tokens == 15_000
    assert prompt.output_tokens is None
    assert prompt.retries == 3
    assert merged.run.no_answers == 3
    assert merged.notes == ("shared", "word: only word", "letter: only letter", "plain: only plain")
    low, high = merged.row.ends("pattern_accuracy") or (1.0, 0.0)
    assert low <= merged.row.share("pattern_accuracy") <= high
    copies = group_prompts([with_prompt(results[0], name) for name in PROMPTS])
    for name in ("seed_accuracy", "pattern_accuracy", "qt"):  # equal answers add no certainty
        assert copies[0].row.ends(name) == results[0].row.ends(name)


def changed_share(answers: Sequence[Sequence[object]]) -> float:
    """Return the share of the positions at which the answers differ."""
    return fmean(len({*given}) > 1 for given in zip(*answers, strict=True))


def test_the_effect_is_a_plain_count(merged: PromptGroup, results: list[Result]) -> None:
    each = results[:3]
    effect = merged.effect
    accuracies = [result.pattern_accuracy for result in each]
    assert (effect.lowest, effect.highest) == (min(accuracies), max(accuracies))
    tables = [answers_of_groups(result) for result in each]
    assert effect.changed_seeds == changed_share([known(table.seeds) for table in tables])
    assert effect.changed_rows == changed_share(["".join(table.predictions) for table in tables])
    joint = []
    for draw in range(DRAWS):
        drawn = []
        for table in tables:
            for seed, answers in enumerate(table.predictions):
                drawn += [(seed, answer == table.gold[seed][0]) for answer in answers[draw::DRAWS]]
        joint.append(passing_shares(drawn)[90])
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
        {},
    ],
)
def test_results_that_differ_in_more_than_the_prompt_stay_apart(results: list[Result], changed: dict[str, Any]) -> None:
    """Or that are on other data."""
    second = with_prompt(results[1], "letter", **changed)
    second = second if changed else replace(second, dataset=replace(second.dataset, digest="0" * 64))
    assert group_prompts([results[0], second]) == [results[0], second]


def test_titles_of_prompts(results: list[Result]) -> None:
    (merged,) = group_prompts([results[0], with_prompt(results[0], "word", prompt_digest="ab" * 32)])
    assert isinstance(merged, PromptGroup)
    assert [*merged.prompts] == ["word [77777777]", "word [abababab]"]
    assert record("word", settings={"reasoning_effort": '"high"'}, shots=3).title == "word, 3 shots, effort high"


def test_the_table_has_a_row_per_prompted_model(merged: PromptGroup, results: list[Result]) -> None:
    table = known(prompt_table([merged, results[-1]], ["m (3 prompts)", "other"]))
    ((name, *shares),) = table.rows
    assert name == "m (3 prompts)"
    assert shares[0] == pytest.approx(100 * merged.row.share("pattern_accuracy"), abs=0.05)
    assert any("word " in note and "plain " in note for note in table.notes)
    assert prompt_table(results[-1:], ["other"]) is None


def test_prompts_are_compared_pairwise_and_models_by_their_means(results: list[Result], merged: PromptGroup) -> None:
    models, prompts = compare_results(results)
    assert [*models.pattern_accuracy] == ["m (3 prompts)", "other"]
    assert models.pattern_accuracy["m (3 prompts)"] == pytest.approx(merged.row["pattern_accuracy"])
    assert (models.subsamples, models.prompts) == (DRAWS, None)
    assert prompts.title.endswith(", prompts of m")
    assert prompts.prompts == merged.effect
    counts = {name: result.counts() for name, result in zip(PROMPTS, results, strict=False)}
    values = {name: passes_by_seed(each.correct, each.sizes) for name, each in counts.items()}
    assert prompts.family.pairs == compare_models(values, unit="seed").pairs
    text = "\n".join(table.text() for table in comparison_tables(prompts))
    assert "The answer changes with the prompt on" in " ".join(text.split())
    assert to_json(prompts)["prompts"]["joint_pattern_accuracy"] == merged.effect.joint_pattern_accuracy
    assert [each.title for each in compare_results(results[:3])] == [prompts.title]


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
    plain = dict(zip(SCORES, model["parts"]["prompt:plain"]["scores"], strict=True))
    assert plain["seed_accuracy"] == pytest.approx(results[2].scores.seed_accuracy)
    assert model["prompt"]["title"] == "3 prompts"
    assert model["prompt"]["prompt_toml"] is None
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
    for row, cells in zip(rows, list(csv.DictReader(leaderboard_text(fresh, "csv").splitlines())), strict=True):
        if row["part"] == "all":
            assert names <= {*row} <= {*cells}
            for name in names:
                assert cells[name] == ("" if row[name] is None else str(row[name]))
    [group, _] = group_prompts(fresh)
    assert isinstance(group, PromptGroup)
    assert {*group.row.values} == names == {*fresh[0].to_pandas().columns}
    assert group.row["added"] == pytest.approx(fmean(result.row.share("added") for result in group.results))


ORDERS = {"letter": (1, 2, 3), "letter-2-3-1": (2, 3, 1), "letter-3-1-2": (3, 1, 2)}


N_SEEDS, N_VARIANTS = 9, 10


PROBLEM = ("A man sleeps.", "A man is awake.")


@pytest.fixture(scope="module")
def ordered() -> list[Result]:
    """A model that takes the label at the first position in half of its answers, and else is right."""
    chosen = random.Random(2)

    def answers(gold: str) -> str:
        if chosen.random() < 0.5:
            return gold * len(ORDERS)
        return "".join("enc"[order[0] - 1] for order in ORDERS.values())

    variants = [{"subsamples": (number % 2,) if number < 6 else ()} for number in range(N_VARIANTS)]
    prompts = {each.name: each.toml() for each in in_orders(read_prompt("letter"), NLI_LABELS, "balanced")}
    assert {*prompts} == {*ORDERS}

    found = []
    for number, result in enumerate(results_with(answers, ORDERS, N_SEEDS, variants)):
        digest = f"{number}" * 64
        name = result.model.name
        named = replace(result, model=replace(result.model, name="m", digest=digest))
        found.append(with_prompt(named, name, prompt_toml=prompts[name], prompt_digest=digest))
    return found


def test_the_effect_of_the_order_is_a_plain_count_and_shown(ordered: list[Result]) -> None:
    (merged,) = group_prompts(ordered)
    (effect,) = order_effects(merged)
    by_position: list[list[bool]] = [[], [], []]
    for order, result in zip(ORDERS.values(), ordered, strict=True):
        for gold, predicted in zip(result.answers.gold, result.answers.predicted, strict=True):
            by_position[order.index(int(gold) + 1)].append(gold == predicted)
    expected = [fmean(right) for right in by_position]
    assert effect.accuracy == pytest.approx(expected)
    assert effect.accuracy[0] == 1 > max(expected[1:])
    given = [result.answers.predicted.tolist() for result in ordered]
    assert effect.changed_rows == changed_share(given), "drawn or not"
    assert (effect.prompt, effect.orders) == ("letter", 3)
    ((model, prompt, orders, first, *_),) = known(order_table(group_prompts(ordered), ["m (3 prompts)"])).rows
    assert (model, prompt, orders, first) == ("m (3 prompts)", "letter", 3, 100.0)
    (comparison,) = compare_results(ordered)
    assert comparison.orders == order_effects(group_prompts(ordered)[0])
    [note] = [note for note in comparison_tables(comparison)[0].notes if note.startswith("letter in 3 orders of the")]
    assert not missing_from(note, *(f"{100 * share:.1f}" for share in expected))
    for one_order in ([ordered[0], with_prompt(ordered[1], "word")], ordered[:1]):
        assert order_table(group_prompts(one_order), ["m"]) is None
    [board] = make_boards(ordered)
    assert [len(table.rows) for table in board.prompts()] == [1, 1]


def test_prompts_list_the_labels_in_their_order_and_balanced_orders_have_each_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shown = FilledPrompt(read_prompt("letter-2-3-1"), NLI_LABELS, (Shot("It rains.", "It is wet.", "entailment"),))
    assert shown.options == (("A", "neutral"), ("B", "contradiction"), ("C", "entailment"))
    assert shown.answer_for("entailment") == "C"
    assert "Answer: C\n" in shown.text(*PROBLEM)
    assert shown.digest != FilledPrompt(read_prompt("letter"), NLI_LABELS).digest
    assert in_data_order(("n", "c", "e"), shown.prompt.order) == ("e", "n", "c")
    word = read_prompt("word")
    listed = [FilledPrompt(prompt, NLI_LABELS).labels for prompt in in_orders(word, NLI_LABELS, "balanced")]
    assert listed[0] == NLI_LABELS
    assert all(len({*labels}) == 3 for labels in zip(*listed, strict=True))
    every = [FilledPrompt(prompt, NLI_LABELS).labels for prompt in in_orders(word, NLI_LABELS, "all")]
    assert every == [*permutations(NLI_LABELS)]
    plain = replace(word, name="bare", system="")
    assert in_orders(plain, NLI_LABELS, "balanced") == [plain], "it lists no labels"
    assert "bare" in caplog.text


@pytest.mark.parametrize("name", ["letter-2-3", "letter-1-2-4", "letter-1-1-2"])
def test_an_order_has_each_label_once(name: str) -> None:
    refused(name.removeprefix("letter-"), FilledPrompt, read_prompt(name), NLI_LABELS)
    refused("some", in_orders, read_prompt("word"), NLI_LABELS, "some")
