"""`compute` compared with an independent reference made of dicts, lists and fractions."""

import json
import math
import random
import statistics
import warnings
from collections import Counter
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
        if against == "gold":
            right = sum(row["prediction"] == row["reference"] for row in members)
        elif against == "seed":
            right = sum(row["prediction"] == seeds[group] for row in members)
        else:
            right = Counter(row["prediction"] for row in members).most_common(1)[0][1]
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
    thresholds = CURVE if thresholds == "curve" else thresholds

    def by_threshold(values: list[Any]) -> Any:  # noqa: ANN401
        return values[0] if single else {round(t, 9): value for t, value in zip(thresholds, values, strict=True)}

    scores: Row = {
        "sample_accuracy": float(plain_sample_accuracy(counts)),
        "pattern_accuracy": by_threshold([float(plain_pattern_accuracy(counts, t)) for t in thresholds]),
        "n_samples": len(rows),
        "n_groups": len(counts),
    }
    draws = [counts]
    if n_subsamples:
        drawn = [[row for row in rows if k in row["subsamples"]] for k in range(n_subsamples)]
        maybe = [plain_counts(draw, against, seeds) if draw else None for draw in drawn]
        draws = [draw for draw in maybe if draw]
        curves = [[plain_pattern_accuracy(draw, t) if draw else None for draw in maybe] for t in thresholds]
        scores["subsamples"] = {
            "sample_accuracy": plain_spread([plain_sample_accuracy(draw) if draw else None for draw in maybe]),
            "pattern_accuracy": by_threshold([plain_spread(values) for values in curves]),
            "n_samples": [len(draw) for draw in drawn],
            "n_groups": [len({row["group"] for row in draw}) for draw in drawn],
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
    curve = {t: sum((plain_pattern_accuracy(x, t) for x in draws), Fraction(0)) / len(draws) for t in CURVE}
    distances = {t: abs(accuracy - on_seeds) for t, accuracy in curve.items()}
    nearest = min(distances.values())
    return {
        "qt": float(curve[0.9] - on_seeds),
        "mt": max(t for t, distance in distances.items() if distance == nearest),
        "drop": float(on_seeds - sum(map(plain_sample_accuracy, draws)) / len(draws)),
    }


def random_input(rng: random.Random) -> tuple[list[Row], Row, int]:
    n_rows, n_groups, n_labels = rng.randint(1, 40), rng.randint(1, 8), rng.randint(1, 3)
    name: Any = rng.choice([int, str, "label {}".format])
    group_name: Any = rng.choice([int, str, lambda i: i * 10**15 - 7])
    against = rng.choice(["gold", "gold", "seed", "majority"])
    gold = {group_name(g): name(rng.randrange(n_labels)) for g in range(n_groups)}
    right = rng.random()
    rows: list[Row] = []
    for _ in range(n_rows):
        group = group_name(rng.randrange(n_groups))
        reference = name(rng.randrange(n_labels)) if against == "gold" and rng.random() < 0.1 else gold[group]
        prediction = reference if rng.random() < right else name(rng.randrange(n_labels))
        rows.append({"group": group, "reference": reference, "prediction": prediction})
    for group in gold:
        references = {row["reference"] for row in rows if row["group"] == group}
        gold[group] = references.pop() if len(references) == 1 else gold[group]
    n_subsamples = rng.choice([0, 0, rng.randint(1, min(4, n_rows))])
    for i, row in enumerate(rows):
        row["subsamples"] = {k for k in range(n_subsamples) if i == k or rng.random() < 0.4}
        row["categories"] = set(rng.sample(["noun", "verb"], rng.randint(0, 2)))
    rows[0]["categories"].add("noun")
    with_seeds = against == "seed" or rng.random() < 0.5
    thresholds: Any = rng.choice(
        ["curve", 0, 1, 0.9, rng.random(), [rng.randint(0, 100) * 0.01 for _ in range(rng.randint(1, 5))]]
    )
    options = {
        "thresholds": thresholds,
        "against": against,
        "seed_predictions": {g: name(rng.randrange(n_labels)) for g in gold} if with_seeds else None,
        "seed_references": gold if with_seeds else None,
    }
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
        subsamples = [rng.sample(sorted(row["subsamples"]), len(row["subsamples"])) for row in rows]
        actual = quietly(
            **columns(rows),
            **options,
            subsamples=subsamples if n_subsamples else None,
            categories=[row["categories"] for row in rows],
        )
        categories = actual.pop("categories")
        assert_same(actual, plain_compute(rows, options, n_subsamples), f"input {number}")
        assert set(categories) == set().union(*(row["categories"] for row in rows))
        for category, scores in categories.items():
            part = [row for row in rows if category in row["categories"]]
            assert_same(scores, plain_compute(part, options, n_subsamples), f"input {number}/{category}")


def of_rights(rows: list[tuple[int, bool]]) -> Row:
    return {
        "predictions": [int(right) for _, right in rows],
        "references": [1] * len(rows),
        "groups": [group for group, _ in rows],
    }


def test_four_variants_of_the_slides() -> None:
    with pytest.warns(UserWarning, match=r"predictions\[2\] is 'N'"):
        scores = compute(
            predictions=["E", "E", "N", "E"],
            references=["E"] * 4,
            groups=["A small girl carries a girl"] * 4,
            thresholds=[0.5, 0.75, 0.95],
        )
    assert scores == {
        "sample_accuracy": 0.75,
        "pattern_accuracy": {0.5: 1.0, 0.75: 1.0, 0.95: 0.0},
        "n_samples": 4,
        "n_groups": 1,
    }


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
    scores = quietly(**arguments, categories={"class": ["noun", "verb", "noun"], "mlms": [["a", "b"], ["a"], []]})
    assert scores["categories"]["class"]["noun"]["sample_accuracy"] == 1
    assert {mlm: part["n_samples"] for mlm, part in scores["categories"]["mlms"].items()} == {"a": 2, "b": 1}


def test_scores_can_be_written_as_json() -> None:
    scores = quietly(
        **of_rights([(0, True), (0, False), (1, True)]),
        thresholds=[0.5, 0.9],
        seed_predictions={0: 1, 1: 1},
        seed_references={0: 1, 1: 1},
        subsamples=[[0], [1], [0]],
        categories=["a", "a", "b"],
    )
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
