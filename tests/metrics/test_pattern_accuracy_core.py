"""`compute` compared with an independent reference made of dicts, lists and fractions."""

import json
import math
import random
import statistics
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
import torch

from metrics.pattern_accuracy.core import CURVE, compute, parse_thresholds, required_correct
from tests.oracles import refused

Row = dict[str, Any]
Counts = dict[Any, tuple[int, int]]


def plain_counts(rows: list[Row], against: str, seeds: dict[Any, Any]) -> Counts:
    """Return the numbers of correct rows and of all rows by group."""
    by_group = defaultdict(list)
    for row in rows:
        by_group[row["group"]].append(row)
    counts = {}
    for group, members in by_group.items():
        predicted = [row["prediction"] for row in members]
        if against == "gold":
            right = sum(row["prediction"] == row["reference"] for row in members)
        elif against == "seed":
            right = predicted.count(seeds[group])
        else:
            right = max(map(predicted.count, predicted))
        counts[group] = (right, len(members))
    return counts


def plain_pattern_accuracy(counts: Counts, threshold: float) -> Fraction:
    passing = sum(right >= plain_required(threshold, size) for right, size in counts.values())
    return Fraction(passing, len(counts))


@cache
def plain_required(threshold: float, size: int) -> int:
    return math.ceil(Fraction(str(round(threshold, 9))) * size)


def plain_sample_accuracy(counts: Counts) -> Fraction:
    rights = 0
    rows = 0
    for right, size in counts.values():
        rights += right
        rows += size
    return Fraction(rights, rows)


def plain_spread(draws: list[Counts], accuracy_of: Callable[[Counts], Fraction]) -> Row:
    each = [accuracy_of(draw) if draw else None for draw in draws]
    some = [value for value in each if value is not None]
    mean = sum(some) / len(some) if some else None
    std = math.sqrt(statistics.variance(some)) if len(some) > 1 else None
    return {"mean": mean, "std": std, "each": each}


def plain_compute(rows: list[Row], options: Row, n_subsamples: int) -> Row:
    """Return the scores that `compute` must return for these rows."""
    against = options["against"]
    seeds = options["seed_predictions"] or {}
    counts = plain_counts(rows, against, seeds)
    thresholds = options["thresholds"]
    if thresholds == "curve":
        thresholds = CURVE

    def by_threshold(value_of: Callable[[float], Any]) -> Any:  # noqa: ANN401
        if isinstance(thresholds, int | float):
            return value_of(thresholds)
        return {round(threshold, 9): value_of(threshold) for threshold in thresholds}

    scores: Row = {
        "sample_accuracy": plain_sample_accuracy(counts),
        "pattern_accuracy": by_threshold(partial(plain_pattern_accuracy, counts)),
        "n_samples": len(rows),
        "n_groups": len(counts),
    }
    draws = [counts]
    if n_subsamples:
        draws = []
        for k in range(n_subsamples):
            drawn = [row for row in rows if k in row["subsamples"]]
            draws.append(plain_counts(drawn, against, seeds))

        def spread_at(threshold: float) -> Row:
            return plain_spread(draws, partial(plain_pattern_accuracy, threshold=threshold))

        scores["subsamples"] = {
            "sample_accuracy": plain_spread(draws, plain_sample_accuracy),
            "pattern_accuracy": by_threshold(spread_at),
            "n_samples": [sum(k in row["subsamples"] for row in rows) for k in range(n_subsamples)],
            "n_groups": [len(draw) for draw in draws],
        }
    if seeds:
        right = sum(seeds[group] == options["seed_references"][group] for group in counts)
        on_seeds = Fraction(right, len(counts))
        scores["seed_sample_accuracy"] = on_seeds
        if against == "gold":
            scores |= plain_differences([draw for draw in draws if draw], on_seeds)
    return scores


def plain_differences(draws: list[Counts], on_seeds: Fraction) -> Row:
    """Return QT, MT and drop, from means over the draws; None without any."""
    if not draws:
        return {"qt": None, "mt": None, "drop": None}
    differences = {}
    for threshold in CURVE:
        accuracies = sum(plain_pattern_accuracy(draw, threshold) for draw in draws)
        differences[threshold] = accuracies / Fraction(len(draws)) - on_seeds
    nearest = min(map(abs, differences.values()))
    mt = max(threshold for threshold, difference in differences.items() if abs(difference) == nearest)
    drop = on_seeds - sum(map(plain_sample_accuracy, draws)) / len(draws)
    return {"qt": differences[0.9], "mt": mt, "drop": drop}


LABELS: tuple[Any, ...] = (range(3), "012", ["label 0", "label 1", "label 2"])
GROUPS: tuple[Any, ...] = (range(8), "01234567", range(-7, 7 * 10**15, 10**15))


def random_input(rng: random.Random) -> tuple[list[Row], Row, int]:
    labels = rng.choice(LABELS)[: rng.randint(1, 3)]
    groups = rng.choice(GROUPS)[: rng.randint(1, 8)]
    against = rng.choice(["gold", "gold", "seed", "majority"])
    gold = {group: rng.choice(labels) for group in groups}
    n_rows = rng.randint(1, 40)
    right = rng.random()
    n_subsamples = rng.choice([0, 0, rng.randint(1, min(4, n_rows))])
    rows: list[Row] = []
    for number in range(n_rows):
        group = rng.choice(groups)
        reference = gold[group]
        if against == "gold" and rng.random() < 0.1:
            reference = rng.choice(labels)
        row = {"group": group, "reference": reference}
        row["prediction"] = reference if rng.random() < right else rng.choice(labels)
        row["subsamples"] = {k for k in range(n_subsamples) if number == k or rng.random() < 0.4}
        row["categories"] = set(rng.sample(["noun", "verb"], rng.randint(0, 2)))
        rows.append(row)
    rows[0]["categories"].add("noun")
    several = [rng.randint(0, 100) * 0.01 for _ in range(rng.randint(1, 5))]
    thresholds = rng.choice(["curve", 0, 1, 0.9, rng.random(), several])
    options = {"thresholds": thresholds, "against": against, "seed_predictions": None, "seed_references": None}
    if against == "seed" or rng.random() < 0.5:
        options["seed_predictions"] = {group: rng.choice(labels) for group in groups}
        options["seed_references"] = gold | {row["group"]: row["reference"] for row in rows}
    return rows, options, n_subsamples


def assert_same(actual: Any, expected: Any, at: str = "") -> None:  # noqa: ANN401
    if isinstance(expected, dict):
        assert list(actual) == list(expected), at
        for key, value in expected.items():
            assert_same(actual[key], value, f"{at}/{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), at
        for i, value in enumerate(expected):
            assert_same(actual[i], value, f"{at}/{i}")
    elif isinstance(expected, float | Fraction):
        assert isinstance(actual, float), at
        assert math.isclose(actual, expected, abs_tol=1e-12), at
    else:
        assert actual == expected, at


@pytest.mark.parametrize("inputs", [200, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_equals_the_plain_reference_on_random_inputs(inputs: int) -> None:
    rng = random.Random(20251028)
    for number in range(inputs):
        rows, options, n_subsamples = random_input(rng)
        given: Row = {f"{name}s": [row[name] for row in rows] for name in ("prediction", "reference", "group")}
        given["categories"] = [row["categories"] for row in rows]
        if n_subsamples:
            given["subsamples"] = [rng.sample(sorted(row["subsamples"]), len(row["subsamples"])) for row in rows]
        actual = compute(**given, **options)
        categories = actual.pop("categories")
        assert_same(actual, plain_compute(rows, options, n_subsamples), f"input {number}")
        expected = {}
        for category in ("noun", "verb"):
            part = [row for row in rows if category in row["categories"]]
            if part:
                expected[category] = plain_compute(part, options, n_subsamples)
        assert_same(dict(sorted(categories.items())), expected, f"input {number}")


THREE_ROWS: Row = {"predictions": [1, 0, 1], "references": [1, 1, 1], "groups": [0, 0, 1]}


def test_four_variants_of_the_slides() -> None:
    with pytest.warns(UserWarning, match=r"predictions\[2\] is 'N'"):
        scores = compute(predictions=list("EENE"), references=["E"] * 4, groups=["girl"] * 4, thresholds=[0.75, 0.95])
    assert scores["sample_accuracy"] == 0.75
    assert scores["pattern_accuracy"] == {0.75: 1.0, 0.95: 0.0}
    assert scores["n_samples"] == 4
    assert scores["n_groups"] == 1


@pytest.mark.parametrize("number", [np.float16, np.float32, np.float64, torch.tensor, np.array])
def test_a_threshold_of_any_type_is_read_as_its_shortest_decimal(number: Callable[[float], Any]) -> None:
    threshold = number(0.35)
    assert parse_thresholds(threshold) == (0.35,)
    assert required_correct(threshold, 20) == 7


@pytest.mark.parametrize("several", [np.array(CURVE, dtype=np.float32), torch.tensor(CURVE), [*torch.tensor(CURVE)]])
def test_arrays_and_tensors_of_thresholds(several: Any) -> None:  # noqa: ANN401 - of any type
    assert parse_thresholds(several) == CURVE


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_categories_by_name() -> None:
    categories = {"class": ["noun", "verb", "noun"], "mlms": [["a", "b"], ["a"], []]}
    found = compute(**THREE_ROWS, categories=categories)["categories"]
    assert found["class"]["noun"]["sample_accuracy"] == 1
    assert found["mlms"].keys() == {"a", "b"}
    assert found["mlms"]["a"]["n_samples"] == 2
    refused(
        "categories has a column without a name",
        compute,
        **THREE_ROWS,
        categories={None: list("abc")},
        error=ValueError,
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scores_can_be_written_as_json() -> None:
    options: Row = {"thresholds": [0.5, 0.9], "subsamples": [[0], [1], [0]], "categories": ["a", "a", "b"]}
    seeds = {0: 1, 1: 1}
    scores = compute(**THREE_ROWS, **options, seed_predictions=seeds, seed_references=seeds)
    read = json.loads(json.dumps(scores, allow_nan=False))
    assert read["pattern_accuracy"] == {"0.5": 1.0, "0.9": 0.5}


@pytest.mark.parametrize(
    ("predictions", "references", "right"),
    [([1, 1, 1], [1, -1, 1], 2), ([0, -1, 2], [0, 2, -1], 1), (["-", "a", "b"], ["a", "-", "b"], 1)],
)
def test_labels_that_may_stand_for_none_are_labels_if_models_predict_them_or_the_other_is_1(
    predictions: list[Any], references: list[Any], right: int
) -> None:
    scores = compute(predictions=predictions, references=references, groups=["a", "b", "c"])
    assert scores["sample_accuracy"] == right / 3


@pytest.mark.parametrize(
    ("unknown", "listed"), [("UVW", "'U', 'V', 'W'; such"), ("UVWXYZ", "'U', 'V', 'W', 'X', 'Y', …; such")]
)
def test_at_most_five_unknown_labels_are_listed(unknown: str, listed: str) -> None:
    known = "E" * len(unknown)
    with pytest.warns(UserWarning, match=f"references do not contain {listed}"):
        compute(predictions=list(unknown), references=list(known), groups=list(known))
