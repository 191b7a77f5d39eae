"""Calibration: Brier score, expected calibration error and weakened answers, against a plain recount."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pyarrow as pa
import pytest

from merge_snli import Result, score, score_table
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.answers import Answers, Graded, join
from merge_snli.scoring.calibration import as_stored, calibration_of, label_probabilities
from merge_snli.scoring.check import differences
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.store import read_result, write_result

Row = tuple[list[float], int]
"""The probability of each label, and the number of the gold label."""


def brier(rows: list[Row]) -> float:
    return fmean(sum((p - (label == gold)) ** 2 for label, p in enumerate(each)) for each, gold in rows)


def error(rows: list[Row]) -> float:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for each, gold in rows:
        best = each.index(max(each))
        bins.setdefault(max(0, math.ceil(each[best] * 15) - 1), []).append((each[best], best == gold))
    gaps = (
        len(found) * abs(fmean(confidence for confidence, _ in found) - fmean(right for _, right in found))
        for found in bins.values()
    )
    return sum(gaps) / len(rows)


def random_rows(count: int, seed: int) -> list[Row]:
    drawn = random.Random(seed)
    weights = [[drawn.random() ** 3 for _ in NLI_LABELS] for _ in range(count)]
    return [([weight / sum(each) for weight in each], drawn.randrange(3)) for each in weights]


def answers_to(seeds: list[Row], rows: list[Row], subsamples: list[list[int]]) -> Answers:
    """Return answers with as many rows of each group."""
    groups = np.arange(len(rows)) % len(seeds)
    on_seeds, on_rows = (np.array([each for each, _ in part]) for part in (seeds, rows))
    return Answers(
        labels=NLI_LABELS,
        table=pa.table({"row_id": [f"v{at}" for at in range(len(rows))]}),
        group_ids=tuple(f"s{at}" for at in range(len(seeds))),
        groups=groups,
        gold=np.array([gold for _, gold in rows]),
        predicted=on_rows.argmax(axis=1),
        subsamples=np.array([[at in draw for at in range(len(rows))] for draw in subsamples]),
        seeds=Graded(on_seeds.argmax(axis=1), on_seeds, gold=np.array([gold for _, gold in seeds])),
        probabilities=on_rows,
    )


def test_calibration_is_that_of_a_plain_recount() -> None:
    seeds, rows = random_rows(20, 1), random_rows(200, 2)
    subsamples = [list(range(0, 120)), list(range(60, 200)), []]
    found = calibration_of(answers_to(seeds, rows, subsamples))
    assert found is not None
    drawn = [[rows[at] for at in draw] for draw in subsamples if draw]
    assert found.brier == pytest.approx(fmean(map(brier, drawn)))
    assert found.calibration_error == pytest.approx(fmean(map(error, drawn)))
    assert (found.seed_brier, found.seed_calibration_error) == pytest.approx((brier(seeds), error(seeds)))

    def weakened(at: int) -> bool:
        (before, _), (after, gold) = seeds[at % len(seeds)], rows[at]
        return before.index(max(before)) == after.index(max(after)) and after[gold] < before[gold]

    assert found.weakened == pytest.approx(fmean(fmean(map(weakened, draw)) for draw in subsamples if draw))
    assert 0.05 < (found.weakened or 0) < 0.5


def test_labels_that_count_as_one_have_the_sum_of_their_probabilities() -> None:
    logits = np.log(np.array([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]], dtype=np.float32))
    two_way = label_probabilities(logits, ("contradiction", "entailment", "neutral"), ("entailment", "not_entailment"))
    assert two_way == pytest.approx(np.array([[0.2, 0.8], [0.1, 0.9]]))


def test_stored_probabilities_are_near_those_of_the_model() -> None:
    logits = np.random.default_rng(0).normal(0, 8, (20_000, 3)).astype(np.float32)
    probabilities = label_probabilities(logits, NLI_LABELS, NLI_LABELS)
    stored = as_stored(probabilities)
    assert np.abs(stored - probabilities).max() < 1e-7
    surest = probabilities.max(axis=1) > 0.9999
    assert surest.sum() > 1000
    assert (1 - stored.max(axis=1))[surest] == pytest.approx(
        (1 - probabilities.max(axis=1))[surest], rel=1e-3, abs=1e-7
    )
    assert (as_stored(stored) == stored).all()
    assert as_stored(np.array([[1.0, 0.0], [np.nan, np.nan]]))[0] == pytest.approx([1, 0])


@pytest.fixture(scope="module")
def with_probabilities(bert: Path, dataset: Path) -> Result:
    return score(bert, dataset)


def test_results_keep_the_probabilities(with_probabilities: Result, dataset: Path, tmp_path: Path) -> None:
    result = read_result(write_result(with_probabilities, tmp_path))
    data = open_config(dataset, "all")
    answers = join(result.answers, data)
    assert answers.probabilities is not None
    of_predicted = answers.probabilities[np.arange(len(answers.predicted)), answers.predicted]
    assert (of_predicted == answers.probabilities.max(axis=1)).all()
    assert calibration_of(answers) == result.calibration
    assert list(differences(result, data)) == []
    assert (answers.probabilities == np.array(with_probabilities.answers.probabilities)).all()
    columns = [result.table[f"probability:{label}"].to_numpy() for label in NLI_LABELS]
    assert np.stack(columns, axis=1)[~result.table["is_seed"].to_numpy()] == pytest.approx(answers.probabilities)


def test_a_calibration_that_the_probabilities_do_not_give(with_probabilities: Result, dataset: Path) -> None:
    assert with_probabilities.calibration is not None
    better = replace(with_probabilities, calibration=replace(with_probabilities.calibration, brier=0.0))
    assert [each.split(" is ")[0] for each in differences(better, open_config(dataset, "all"))] == ["calibration.brier"]


def test_a_calibration_without_probabilities_is_found(with_probabilities: Result, dataset: Path) -> None:
    answers = with_probabilities.answers
    assert answers.seeds is not None
    without = replace(answers, probabilities=None, seeds=replace(answers.seeds, probabilities=None))
    forged = replace(with_probabilities, answers=without)
    assert [each.split(" is ")[0] for each in differences(forged, open_config(dataset, "all"))] == ["calibration"]


def test_parts_of_answers_keep_their_probabilities() -> None:
    answers = answers_to(random_rows(4, 3), random_rows(40, 4), [[*range(40)]])
    part = answers.take(groups=np.array([True, False, True, False]))
    assert part.probabilities is not None
    assert part.seeds is not None
    assert answers.seeds is not None
    assert part.seeds.probabilities is not None
    assert (part.probabilities == np.array(answers.probabilities)[::2]).all()
    assert (part.seeds.probabilities == np.array(answers.seeds.probabilities)[::2]).all()


def test_only_models_with_probabilities_have_a_calibration(bert: Path, dataset: Path) -> None:
    classified = score(bert, dataset, config="verb")
    by_length = score(lambda pairs: [len(premise) % 3 for premise, _ in pairs], dataset, config="verb")
    assert by_length.calibration is None
    assert classified.calibration is not None
    assert "ECE" not in score_table([by_length]).text()
    shown = f"{100 * (classified.calibration.calibration_error or 0):.1f}"
    first, second = score_table([classified, by_length]).rows
    assert (f"{first[-1]:.1f}", second[-1]) == (shown, None)
    rows = classified.as_rows()
    assert rows[0]["weakened"] == classified.calibration.weakened
    assert "weakened" not in rows[1]
