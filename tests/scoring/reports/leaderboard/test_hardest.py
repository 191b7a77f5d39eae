"""Which seeds are hard, against a plain count over the rows of the data set."""

import dataclasses

import pyarrow.parquet as pq

from scoring import Result, score
from scoring.reports.leaderboard.hardest import flips, seeds_by_hardness, undone
from tests.scoring.reports.leaderboard.conftest import SHIPPED, Pair, noisy

NAMES = ("entailment", "neutral", "contradiction")


def test_seeds_in_the_order_of_their_share(results: list[Result], gold: dict[Pair, int]) -> None:
    answer = noisy("hasty", gold, 0.2)
    of_seed: dict[str, list[bool]] = {}
    for row in pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist():
        pair = (row["premise"], row["hypothesis"])
        of_seed.setdefault(row["seed_id"], []).append(answer([pair])[0] == gold[pair])
    seeds = seeds_by_hardness(results[0])
    assert {seed.seed_id: (seed.right, seed.variants) for seed in seeds} == {
        seed_id: (sum(right), len(right)) for seed_id, right in of_seed.items()
    }
    shares = [seed.right / seed.variants for seed in seeds]
    assert shares == sorted(shares)


def test_flips_are_the_variants_that_change_the_answer(results: list[Result], gold: dict[Pair, int]) -> None:
    answer = noisy("hasty", gold, 0.2)
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    seed = undone(seeds_by_hardness(results[0]))[0]
    assert seed.predicted == seed.gold
    answers = [
        NAMES[answer([(row["premise"], row["hypothesis"])])[0]] for row in rows if row["seed_id"] == seed.seed_id
    ]
    expected = [(place, given) for place, given in enumerate(answers) if given != seed.predicted]
    assert flips(results[0], seed) == expected
    assert len(expected) == seed.variants - seed.right > 0


def test_a_model_that_never_changes_undoes_nothing(results: list[Result]) -> None:
    neutral = next(result for result in results if result.model.name == "always neutral")
    assert undone(seeds_by_hardness(neutral)) == []


def test_variants_left_out_do_not_count(results: list[Result]) -> None:
    table = results[0].seeds
    predictions = ("-" + table.variant_predictions[0][1:], *table.variant_predictions[1:])
    result = dataclasses.replace(results[0], seeds=dataclasses.replace(table, variant_predictions=predictions))
    [seed] = [seed for seed in seeds_by_hardness(result) if seed.place == 0]
    assert seed.variants == len(predictions[0]) - 1
    assert all(place > 0 for place, _ in flips(result, seed))


def test_two_way_models_are_compared_in_two_labels() -> None:
    result = score(lambda pairs: ["not_entailment"] * len(pairs), SHIPPED, name="never")
    for seed in seeds_by_hardness(result):
        assert seed.gold in ("entailment", "not_entailment")
        assert seed.right == (0 if seed.gold == "entailment" else seed.variants)
