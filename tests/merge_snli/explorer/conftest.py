"""Fixtures: results of made-up models on the bundled data set, one of them with two labels and gaps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from merge_snli import MergeDataset, Result, load, score
from merge_snli.scoring.predictions.opening import open_config
from merge_snli.scoring.results.files import write_result
from merge_snli.scoring.results.recompute import answers_of
from tests.merge_snli.analysis.made import made_result
from tests.merge_snli.leaderboard.conftest import SHIPPED, Pair, chance, noisy


@pytest.fixture(scope="session")
def gold() -> dict[Pair, int]:
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    of_variants = {(row["premise"], row["hypothesis"]): row["label"] for row in rows}
    return of_variants | {(row["seed_premise"], row["seed_hypothesis"]): row["label"] for row in rows}


@pytest.fixture(scope="session")
def results(gold: dict[Pair, int]) -> list[Result]:
    """Three models: a good one; one that gives no answer to some pairs; one that knows entailment only."""
    hasty = noisy("hasty", gold, 0.3)

    def unsure(pairs: list[Pair]) -> list[int | None]:
        return [None if chance(*pair) < 0.1 else label for pair, label in zip(pairs, hasty(pairs), strict=True)]

    def two_way(pairs: list[Pair]) -> list[str]:
        return ["not_entailment" if label else "entailment" for label in noisy("two", gold, 0.1)(pairs)]

    return [
        score(noisy("careful", gold, 0.05), SHIPPED, name="org/careful"),
        score(unsure, SHIPPED, name="unsure"),
        _with_gaps(score(two_way, SHIPPED, name="two-way")),
    ]


def _with_gaps(result: Result) -> Result:
    """Return the result without the answers to the first seed and to some variants of the others."""
    data = open_config(SHIPPED, "all")
    answers = answers_of(result, data)
    predicted = np.where((data.row_groups == 0) | (np.arange(len(answers.rows)) % 50 == 49), -1, answers.predicted)
    assert answers.anchors is not None
    on_seeds = np.where(np.arange(len(answers.group_index)) == 0, -1, answers.anchors.predicted)
    partly = replace(answers, predicted=predicted, anchors=replace(answers.anchors, predicted=on_seeds))
    return made_result("two-way", data, partly)


@pytest.fixture(scope="session")
def folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results as files."""
    folder = tmp_path_factory.mktemp("results")
    for result in results:
        write_result(result, folder)
    return folder


@pytest.fixture(scope="session")
def bundled() -> MergeDataset:
    return load("demo:dataset")
