"""Tests of matching results to data sets: all of them must have a partner."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, score
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.paper.report.analyze import match_results
from merge_snli.scoring.store import write_result
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.paper.report.conftest import SHIPPED


@pytest.fixture(scope="module")
def shipped() -> MergeDataset:
    return find_dataset(str(SHIPPED))


@pytest.fixture(scope="module")
def other(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    return find_dataset(str(make_dataset(tmp_path_factory.mktemp("other") / "other")))


def test_data_sets_keep_their_order_and_all_comes_first(
    results: list[Result], shipped: MergeDataset, other: MergeDataset
) -> None:
    nouns = score(lambda pairs: [0] * len(pairs), shipped, config="noun", name="zero")
    elsewhere = score(lambda pairs: [0] * len(pairs), other, name="zero")
    matched = match_results([nouns, *results, elsewhere], [other, shipped])
    assert [(each.data.stored.name, each.record.config, len(each.models)) for each in matched] == [
        (other.name, "all", 1),
        (shipped.name, "all", 2),
        (shipped.name, "noun", 1),
    ]


def test_a_result_without_its_data_set_is_refused(
    results: list[Result], shipped: MergeDataset, other: MergeDataset
) -> None:
    elsewhere = score(lambda pairs: [0] * len(pairs), other, name="elsewhere")
    with pytest.raises(InputError, match=rf"elsewhere.*{other.digest[:12]}.*dataset"):
        match_results([*results, elsewhere], [shipped])


def test_a_data_set_without_results_is_refused(
    results: list[Result], shipped: MergeDataset, other: MergeDataset
) -> None:
    with pytest.raises(InputError, match=rf"{other.name}.*{other.digest[:12]}"):
        match_results(results, [shipped, other])


def test_the_same_data_twice_is_refused(results: list[Result], shipped: MergeDataset) -> None:
    again = dataclasses.replace(shipped, name="copy", folder=Path("copy"))
    with pytest.raises(InputError, match=rf"{shipped.name}.*copy"):
        match_results(results, [shipped, again])


def test_two_results_of_a_model_are_refused(results: list[Result], shipped: MergeDataset) -> None:
    with pytest.raises(InputError, match="2 results of by 3"):
        match_results([*results, results[0]], [shipped])


@pytest.mark.parametrize("part", [{"subsample": 0}, {"limit_seeds": 3}])
def test_a_partial_result_is_refused_by_its_file(
    results: list[Result], shipped: MergeDataset, tmp_path: Path, part: dict[str, Any]
) -> None:
    partial = score(lambda pairs: [0] * len(pairs), shipped, name="part of it", **part)
    path = write_result(partial, tmp_path)
    with pytest.raises(InputError, match=rf"part of it.*on a part of config all.*remove {re.escape(path.name)}$"):
        match_results([*results, partial], [shipped])
