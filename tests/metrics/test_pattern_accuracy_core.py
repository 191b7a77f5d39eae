"""`compute` compared with an independent reference made of dicts, lists and fractions."""

import json
import math
import random
import statistics
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from operator import eq
from typing import Any

import numpy as np
import pytest
import torch

from metrics.pattern_accuracy.core import CURVE, compute, parse_thresholds, required_correct

Row = dict[str, Any]


def plain_counts(rows: list[Row], against: str, seeds: dict[Any, Any]) -> dict[Any, tuple[int, int]]:
    """Return the numbers of correct rows and of all rows by group."""
    by_group: dict[Any, list[Row]] = {}
    for row in rows:
        by_group.setdefault(row["group"], []).append(row)
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


def plain_pattern_accuracy(counts: dict[Any, tuple[int, int]], threshold: float) -> Fraction:
    passing = [right >= plain_required(threshold, size) for right, size in counts.values()]
    return Fraction(sum(passing), len(passing))


@cache
def plain_required(threshold: float, size: int) -> int:
    return math.ceil(Fraction(str(round(threshold, 9))) * size)


def plain_sample_accuracy(counts: dict[Any, tuple[int, int]]) -> Fraction:
    return Fraction(sum(right for right, _ in counts.values()), sum(size for _, size in counts.values()))


def plain_spread(values: list[Fraction | None]) -> Row:
    some = [value for value in values if value is not None]
    return {
        "mean": float(sum(some) / len(some)) if some else None,
        "std": math.sqrt(statistics.variance(some)) if len(some) > 1 else None,
        "each": [None if value is None else float(value) for value in values],
    }


def plain_compute(rows: list[Row], options: Row, n_subsamples: int) -> Row:
    """Return the scores that `compute` must return for these rows."""
    against, seeds, gold = options["against"], options["seed_predictions"] or {}, options["seed_references"]
    counts = plain_counts(rows, against, seeds)
    single = isinstance(options["thresholds"], int | float)
    thresholds = [options["thresholds"]] if single else options["thresholds"]
    if thresholds == "curve":
        thresholds = CURVE

    def by_threshold(value_of: Callable[[float], Any]) -> Any:  # noqa: ANN401
        if single:
            return value_of(thresholds[0])
        return {round(threshold, 9): value_of(threshold) for threshold in thresholds}

    scores: Row = {
        "sample_accuracy": float(plain_sample_accuracy(counts)),
        "pattern_accuracy": by_threshold(lambda threshold: float(plain_pattern_accuracy(counts, threshold))),
        "n_samples": len(rows),
        "n_groups": len(counts),
    }
    draws = [counts]
    if n_subsamples:
        drawn = [[row for row in rows if k in row["subsamples"]] for k in range(n_subsamples)]
        every = [plain_counts(draw, against, seeds) for draw in drawn]
        draws = [draw for draw in every if draw]

        def spread_at(threshold: float) -> Row:
            return plain_spread([plain_pattern_accuracy(draw, threshold) if draw else None for draw in every])

        scores["subsamples"] = {
            "sample_accuracy": plain_spread([plain_sample_accuracy(draw) if draw else None for draw in every]),
            "pattern_accuracy": by_threshold(spread_at),
            "n_samples": [len(draw) for draw in drawn],
            "n_groups": [len(draw) for draw in every],
        }
    if gold and seeds:
        on_seeds = Fraction(sum(seeds[group] == gold[group] for group in counts), len(counts))
        scores["seed_sample_accuracy"] = float(on_seeds)
        if against == "gold":
            scores |= plain_differences(draws, on_seeds)
    return scores


def plain_differences(draws: list[dict[Any, tuple[int, int]]], on_seeds: Fraction) -> Row:
    """Return QT, MT and drop, from means over the draws; None without any."""
    if not draws:
        return {"qt": None, "mt": None, "drop": None}
    differences = {}
    for threshold in CURVE:
        accuracies = [plain_pattern_accuracy(draw, threshold) for draw in draws]
        differences[threshold] = sum(accuracies) / Fraction(len(draws)) - on_seeds
    nearest = min(map(abs, differences.values()))
    return {
        "qt": float(differences[0.9]),
        "mt": max(threshold for threshold, difference in differences.items() if abs(difference) == nearest),
        "drop": float(on_seeds - sum(map(plain_sample_accuracy, draws)) / len(draws)),
    }


LABELS: tuple[list[Any], ...] = ([0, 1, 2], ["0", "1", "2"], ["label 0", "label 1", "label 2"])
GROUPS: tuple[Any, ...] = (range(8), "01234567", [number * 10**15 - 7 for number in range(8)])


def random_input(rng: random.Random) -> tuple[list[Row], Row, int]:
    labels, groups = rng.choice(LABELS)[: rng.randint(1, 3)], rng.choice(GROUPS)[: rng.randint(1, 8)]
    against = rng.choice(["gold", "gold", "seed", "majority"])
    gold = {group: rng.choice(labels) for group in groups}
    n_rows, right = rng.randint(1, 40), rng.random()
    n_subsamples = rng.choice([0, 0, rng.randint(1, min(4, n_rows))])
    rows: list[Row] = []
    references: dict[Any, set[Any]] = {}
    for number in range(n_rows):
        group = rng.choice(groups)
        reference = gold[group]
        if against == "gold" and rng.random() < 0.1:
            reference = rng.choice(labels)
        references.setdefault(group, set()).add(reference)
        row = {"group": group, "reference": reference}
        row["prediction"] = reference if rng.random() < right else rng.choice(labels)
        row["subsamples"] = {k for k in range(n_subsamples) if number == k or rng.random() < 0.4}
        row["categories"] = set(rng.sample(["noun", "verb"], rng.randint(0, 2)))
        rows.append(row)
    rows[0]["categories"].add("noun")
    for group, of_group in references.items():
        if len(of_group) == 1:
            gold[group] = of_group.pop()
    several = [rng.randint(0, 100) * 0.01 for _ in range(rng.randint(1, 5))]
    options = {"thresholds": rng.choice(["curve", 0, 1, 0.9, rng.random(), several]), "against": against}
    with_seeds = against == "seed" or rng.random() < 0.5
    options["seed_predictions"] = {group: rng.choice(labels) for group in groups} if with_seeds else None
    options["seed_references"] = gold if with_seeds else None
    return rows, options, n_subsamples


def columns(rows: list[Row]) -> Row:
    return {f"{name}s": [row[name] for row in rows] for name in ("prediction", "reference", "group")}


def assert_same(actual: Any, expected: Any, at: str = "") -> None:  # noqa: ANN401
    if isinstance(expected, dict):
        assert list(actual) == list(expected), at
        for key, value in expected.items():
            assert_same(actual[key], value, f"{at}/{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), at
        for i, value in enumerate(expected):
            assert_same(actual[i], value, f"{at}/{i}")
    elif isinstance(expected, float):
        assert math.isclose(actual, expected, abs_tol=1e-12), at
    else:
        assert actual == expected, at


def quietly(**arguments: Any) -> Row:  # noqa: ANN401
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return compute(**arguments)


@pytest.mark.parametrize("inputs", [200, pytest.param(2_000, marks=pytest.mark.slow)])
def test_equals_the_plain_reference_on_random_inputs(inputs: int) -> None:
    rng = random.Random(20251028)
    for number in range(inputs):
        rows, options, n_subsamples = random_input(rng)
        given = columns(rows)
        if n_subsamples:
            given["subsamples"] = [rng.sample(sorted(row["subsamples"]), len(row["subsamples"])) for row in rows]
        actual = quietly(**given, **options, categories=[row["categories"] for row in rows])
        categories = actual.pop("categories")
        assert_same(actual, plain_compute(rows, options, n_subsamples), f"input {number}")
        for category in ("noun", "verb"):
            part = [row for row in rows if category in row["categories"]]
            assert (category in categories) == bool(part)
            if part:
                expected = plain_compute(part, options, n_subsamples)
                assert_same(categories[category], expected, f"input {number}/{category}")


def of_rights(rows: list[tuple[int, bool]]) -> Row:
    return {
        "predictions": [int(right) for _, right in rows],
        "references": [1] * len(rows),
        "groups": [group for group, _ in rows],
    }


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


def test_categories_by_name() -> None:
    arguments = of_rights([(0, True), (0, False), (1, True)])
    categories = {"class": ["noun", "verb", "noun"], "mlms": [["a", "b"], ["a"], []]}
    found = quietly(**arguments, categories=categories)["categories"]
    assert found["class"]["noun"]["sample_accuracy"] == 1
    assert found["mlms"].keys() == {"a", "b"}
    assert found["mlms"]["a"]["n_samples"] == 2


def test_scores_can_be_written_as_json() -> None:
    seeds = {0: 1, 1: 1}
    options: Row = {"thresholds": [0.5, 0.9], "seed_predictions": seeds, "seed_references": seeds}
    options |= {"subsamples": [[0], [1], [0]], "categories": ["a", "a", "b"]}
    scores = quietly(**of_rights([(0, True), (0, False), (1, True)]), **options)
    assert json.loads(json.dumps(scores, allow_nan=False))["pattern_accuracy"] == {"0.5": 1.0, "0.9": 0.5}


@pytest.mark.parametrize(
    ("predictions", "references"),
    [([1, 1, 1], [1, -1, 1]), ([0, -1, 2], [0, 2, -1]), (["-", "a", "b"], ["a", "-", "b"])],
)
def test_labels_that_may_stand_for_none_are_labels_if_models_predict_them_or_the_other_is_1(
    predictions: list[Any], references: list[Any]
) -> None:
    right = sum(map(eq, predictions, references)) / 3
    assert compute(predictions=predictions, references=references, groups=["a", "b", "c"])["sample_accuracy"] == right


@pytest.mark.parametrize(
    ("unknown", "listed"), [("UVW", "'U', 'V', 'W'; such"), ("UVWXYZ", "'U', 'V', 'W', 'X', 'Y', …; such")]
)
def test_at_most_five_unknown_labels_are_listed(unknown: str, listed: str) -> None:
    count = len(unknown)
    with pytest.warns(UserWarning, match=rf"references do not contain {listed}"):
        compute(predictions=list(unknown), references=["E"] * count, groups=list(range(count)))
