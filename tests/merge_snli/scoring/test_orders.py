"""What the order of the labels changes is a plain count, and prompts ask in every order."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from merge_snli.base.errors import InputError
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.statistics_tables import comparison_tables
from merge_snli.models.prompts import FilledPrompt, Shot, in_data_order, in_orders, read_prompt
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.orders import order_effects, order_table
from merge_snli.scoring.prompts import group_prompts
from merge_snli.scoring.result import Result
from tests.merge_snli.comparison.made import rows_of, scored_dataset
from tests.merge_snli.scoring.test_prompts_group import record

ORDERS = {"letter": (1, 2, 3), "letter-2-3-1": (2, 3, 1), "letter-3-1-2": (3, 1, 2)}
SEEDS, VARIANTS = 9, 10
PROBLEM = ("A man sleeps.", "A man is awake.")


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """A model that takes the label at the first position in half of its answers, and else is right."""
    chosen = random.Random(2)

    def answers(gold: str) -> str:
        if chosen.random() < 0.5:
            return gold * len(ORDERS)
        return "".join("enc"[order[0] - 1] for order in ORDERS.values())

    gold = {f"s{number}": "enc"[number % 3] for number in range(SEEDS)}
    rows = [row for seed in gold for row in rows_of(seed, [answers(gold[seed]) for _ in range(VARIANTS)])]
    on_seeds = {seed: answers(letter) for seed, letter in gold.items()}
    scored = scored_dataset(rows, models=[*ORDERS], gold=gold, on_seeds=on_seeds)
    labels, prompt = tuple(scored.data.label_names), read_prompt("letter")
    prompts = {each.name: each.toml() for each in in_orders(prompt, labels, "balanced")}
    assert {*prompts} == {*ORDERS}

    def of(name: str, result: Result) -> Result:
        digest = f"{[*ORDERS].index(name)}" * 64
        about: Any = {"prompt_toml": prompts[name], "prompt_digest": digest}
        model = replace(result.model, name="m", digest=digest)
        return replace(result, model=model, run=replace(result.run, prompt=record(name, **about)))

    return [of(model.name, model.result) for model in scored.models]


def test_the_effect_is_a_plain_count(results: list[Result]) -> None:
    (merged,) = group_prompts(results)
    (effect,) = order_effects(merged)
    by_position: dict[int, list[bool]] = {0: [], 1: [], 2: []}
    for order, result in zip(ORDERS.values(), results, strict=True):
        for gold, predicted in zip(result.answers.gold, result.answers.predicted, strict=True):
            by_position[order.index(int(gold) + 1)].append(gold == predicted)
    expected = [sum(right) / len(right) for right in by_position.values()]
    assert effect.accuracy == pytest.approx(expected)
    assert effect.accuracy[0] == 1 > max(expected[1:])
    given = zip(*(result.answers.predicted.tolist() for result in results), strict=True)
    assert effect.changed_rows == sum(len({*row}) > 1 for row in given) / (SEEDS * VARIANTS)
    assert (effect.prompt, effect.orders) == ("letter", 3)


def test_the_effect_is_shown_in_tables_and_by_compare(results: list[Result]) -> None:
    table = order_table(group_prompts(results))
    assert table is not None
    ((model, prompt, orders, first, *_),) = table.rows
    assert (model, prompt, orders, first) == ("m (3 prompts)", "letter", 3, 100.0)
    (comparison,) = compare_results(results)
    assert comparison.orders == order_effects(group_prompts(results)[0])
    assert "letter in 3 orders of the labels" in " ".join(comparison_tables(comparison)[0].notes)


def test_there_is_no_effect_of_one_order(results: list[Result]) -> None:
    word = replace(results[1], run=replace(results[1].run, prompt=record("word")))
    assert order_table(group_prompts([results[0], word])) is None
    assert order_table(results[:1]) is None


def test_a_prompt_lists_the_labels_in_its_order() -> None:
    shown = FilledPrompt(read_prompt("letter-2-3-1"), NLI_LABELS, (Shot("It rains.", "It is wet.", "entailment"),))
    assert shown.options == (("A", "neutral"), ("B", "contradiction"), ("C", "entailment"))
    assert shown.answer_for("entailment") == "C"
    assert "Answer: C\n" in shown.text(*PROBLEM)
    assert shown.digest != FilledPrompt(read_prompt("letter"), NLI_LABELS).digest
    assert in_data_order(("n", "c", "e"), shown.prompt.order) == ("e", "n", "c")


def test_balanced_orders_have_each_label_once_at_each_position() -> None:
    word = read_prompt("word")
    shown = [FilledPrompt(prompt, NLI_LABELS).labels for prompt in in_orders(word, NLI_LABELS, "balanced")]
    assert shown[0] == NLI_LABELS
    assert all(len({*labels}) == 3 for labels in zip(*shown, strict=True))
    every = [FilledPrompt(prompt, NLI_LABELS).labels for prompt in in_orders(word, NLI_LABELS, "all")]
    assert every == [*permutations(NLI_LABELS)]


def test_a_prompt_that_lists_no_labels_has_one_order(caplog: pytest.LogCaptureFixture) -> None:
    plain = replace(read_prompt("word"), name="bare", system="")
    assert in_orders(plain, NLI_LABELS, "balanced") == [plain]
    assert "bare" in caplog.text
    assert in_orders(plain, NLI_LABELS, None) == [plain]


@pytest.mark.parametrize("name", ["letter-2-3", "letter-1-2-4", "letter-1-1-2"])
def test_an_order_has_each_label_once(name: str) -> None:
    with pytest.raises(InputError, match=name.removeprefix("letter-")):
        FilledPrompt(read_prompt(name), NLI_LABELS)


def test_unknown_orders_are_refused() -> None:
    with pytest.raises(InputError, match="some"):
        in_orders(read_prompt("word"), NLI_LABELS, "some")
