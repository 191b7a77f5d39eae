"""Fixtures: results of made-up models on the bundled data set, one of them with two labels and gaps."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import MergeDataset, Result, load, score
from merge_snli.answers.joining import join
from merge_snli.answers.opening import open_config
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.variants import ANNOTATOR_LABELS
from merge_snli.schema import NLI_LABELS, data_file
from tests.merge_snli.comparison.made import made_result
from tests.merge_snli.leaderboard.conftest import SHIPPED, Pair, chance, noisy
from tests.oracles import known, write_results
from tests.records import copy_bundled


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
    answers = join(result.answers, data)
    predicted = np.where((data.row_groups == 0) | (np.arange(len(answers.predicted)) % 50 == 49), -1, answers.predicted)
    on_seeds = np.where(np.arange(len(answers.group_ids)) == 0, -1, known(answers.seeds).predicted)
    partly = replace(answers, predicted=predicted, seeds=replace(known(answers.seeds), predicted=on_seeds))
    return made_result("two-way", data, partly)


@pytest.fixture(scope="session")
def folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results as files."""
    return write_results(tmp_path_factory.mktemp("results"), results)


@pytest.fixture(scope="session")
def bundled() -> MergeDataset:
    return load("demo:dataset")


@pytest.fixture(scope="session")
def with_annotators(
    gold: dict[Pair, int], tmp_path_factory: pytest.TempPathFactory
) -> tuple[MergeDataset, list[Result]]:
    """The data set with labels of annotators, of whom 5, 4 or 3 of 5 agree, or none labeled; and two models on it."""
    folder = copy_bundled(tmp_path_factory.mktemp("annotators") / "annotators")
    path = folder / data_file("all", "test")
    table = pq.read_table(path)
    before = sha256_of_file(path)
    seeds = []
    labels = []
    for row in table.select(["seed_id", "label"]).to_pylist():
        if row["seed_id"] not in seeds:
            seeds.append(row["seed_id"])
        votes = (5, 4, 3, 0)[seeds.index(row["seed_id"]) % 4]
        given = [NLI_LABELS[row["label"]]] * votes + [NLI_LABELS[row["label"] - 1]] * (5 - votes)
        labels.append(json.dumps(given) if votes else "")
    pq.write_table(table.append_column(ANNOTATOR_LABELS, pa.array(labels)), path)
    record = (folder / "run.json").read_text(encoding="utf-8")
    (folder / "run.json").write_text(record.replace(before, sha256_of_file(path)), encoding="utf-8")
    models = [score(noisy(name, gold, errors), folder, name=name) for name, errors in (("one", 0.1), ("two", 0.4))]
    return load(str(folder)), models
