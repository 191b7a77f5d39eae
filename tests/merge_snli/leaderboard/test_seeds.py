"""Tests of the hardest seeds and their texts."""

import dataclasses
import json
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from merge_snli import Result, score
from merge_snli.dataset.stored import find_dataset
from merge_snli.leaderboard.seeds import inconsistent, seeds_by_hardness
from merge_snli.leaderboard.write import leaderboard_text
from tests.merge_snli.leaderboard.conftest import SHIPPED, Pair, noisy
from tests.oracles import with_answers

NAMES = ("entailment", "neutral", "contradiction")


def test_seeds_are_sorted_by_their_share_of_correct_variants(results: list[Result], gold: dict[Pair, int]) -> None:
    predict = noisy("hasty", gold, 0.2)
    correct: dict[str, list[bool]] = {}
    for row in pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist():
        pair = (row["premise"], row["hypothesis"])
        correct.setdefault(row["seed_id"], []).append(predict([pair])[0] == gold[pair])
    seeds = seeds_by_hardness(results[0])
    assert {seed.seed_id: (seed.correct, seed.variants) for seed in seeds} == {
        seed_id: (sum(of_seed), len(of_seed)) for seed_id, of_seed in correct.items()
    }
    shares = [seed.correct / seed.variants for seed in seeds]
    assert shares == sorted(shares)


def test_flips_are_the_variants_with_another_prediction(results: list[Result], gold: dict[Pair, int]) -> None:
    predict = noisy("hasty", gold, 0.2)
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    seed = inconsistent(seeds_by_hardness(results[0]))[0]
    assert seed.predicted == seed.gold
    predictions = {
        row["variant_id"]: NAMES[predict([(row["premise"], row["hypothesis"])])[0]]
        for row in rows
        if row["seed_id"] == seed.seed_id
    }
    expected = [(name, label) for name, label in predictions.items() if label != seed.predicted]
    assert list(seed.flips) == expected
    assert len(expected) == seed.variants - seed.correct > 0


def test_constant_predictions_are_consistent(results: list[Result]) -> None:
    neutral = next(result for result in results if result.model.name == "always neutral")
    assert inconsistent(seeds_by_hardness(neutral)) == []


def test_skipped_variants_are_not_counted(results: list[Result]) -> None:
    answers = results[0].answers
    kept = np.arange(len(answers.predicted)) != np.flatnonzero(answers.groups == 0)[0]
    [seed] = [
        seed
        for seed in seeds_by_hardness(with_answers(results[0], answers.take(rows=kept)))
        if seed.seed_id == answers.group_ids[0]
    ]
    assert seed.variants == np.count_nonzero(answers.groups == 0) - 1


def test_two_way_models_are_compared_in_two_labels() -> None:
    result = score(lambda pairs: ["not_entailment"] * len(pairs), SHIPPED, name="never")
    for seed in seeds_by_hardness(result):
        assert seed.gold in ("entailment", "not_entailment")
        assert seed.correct == (0 if seed.gold == "entailment" else seed.variants)


def replace_at(sentence: str, offsets: tuple[int, ...], word: str, replacement: str) -> str:
    assert offsets
    for offset in reversed(offsets):
        sentence = sentence[:offset] + replacement + sentence[offset + len(word) :]
    return sentence


def test_variants_can_be_rebuilt_from_offsets(texts: dict[int, dict[str, Any]]) -> None:
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    for row in rows:
        text = texts[0]["seeds"][row["seed_id"]]
        number, replacement = texts[0]["variants"][row["variant_id"]]
        word = text["words"][number]
        assert (word["w"], replacement) == (row["original"], row["replacement"])
        assert (text["p"], text["h"]) == (row["seed_premise"], row["seed_hypothesis"])
        assert replace_at(text["p"], word["p"], word["w"], replacement) == row["premise"]
        assert replace_at(text["h"], word["h"], word["w"], replacement) == row["hypothesis"]


def test_license(texts: dict[int, dict[str, Any]]) -> None:
    assert texts[0]["license"] == "apache-2.0"
    assert "Apache-2.0" in texts[0]["terms"]


@pytest.mark.parametrize(
    ("license_id", "with_text", "shown"), [("cc-by-sa-4.0", False, True), ("other", False, False), (None, True, True)]
)
def test_the_page_has_sentences_if_the_license_allows_or_on_request(
    results: list[Result], license_id: str | None, with_text: bool, shown: bool
) -> None:
    dataset = find_dataset(str(SHIPPED))
    terms = dataclasses.replace(dataset.record.terms, license=license_id)
    record = dataclasses.replace(dataset.record, terms=terms)
    page = leaderboard_text(results, "html", [dataclasses.replace(dataset, record=record)], with_text=with_text)
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert any(board.get("texts") for board in data["boards"]) == shown
