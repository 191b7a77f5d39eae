"""Tests of models whose labels are permuted: they are found, named, and in no mean over models."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from merge_snli import Result, score
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.power import power_of_results
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.explorer.write import write_explorer
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.payload import page_data
from merge_snli.models.labels import Pair
from merge_snli.paper.report.analyze import analyze
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.grouping import permuted_labels, unranked_reasons, without_permuted
from tests.merge_snli.explorer.test_page import unpacked

DATA = "demo:dataset"

ORDERS = {"good": (0, 1, 2), "fair": (0, 1, 2), "cyclic": (1, 2, 0), "swapped": (0, 2, 1), "constant": (1, 1, 1)}


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    rows = read_split(find_dataset(DATA), "all").to_pylist()
    gold = {(row["premise"], row["hypothesis"]): row["label"] for row in rows}
    gold |= {(row["seed_premise"], row["seed_hypothesis"]): row["label"] for row in rows}

    def model(name: str) -> Callable[[list[Pair]], list[str]]:
        def answer(pair: Pair) -> str:
            wrong = random.Random(f"{name}{pair}").random() < 0.1
            return NLI_LABELS[ORDERS[name][(gold[pair] + wrong) % 3]]

        return lambda pairs: [answer(pair) for pair in pairs]

    return {name: score(model(name), DATA, name=name) for name in ORDERS}


def test_only_permuted_labels_are_found(results: dict[str, Result], caplog: pytest.LogCaptureFixture) -> None:
    assert [name for name, result in results.items() if permuted_labels(result)] == ["cyclic", "swapped"]
    assert [result.title for result in without_permuted([*results.values()])] == ["good", "fair", "constant"]
    assert caplog.text.count("is left out of means over models: its labels") == 2
    assert without_permuted([results["cyclic"]]) == [results["cyclic"]]


def test_a_comparison_leaves_it_out_of_tests_over_models(results: dict[str, Result]) -> None:
    data = [find_dataset(DATA)]
    good = [results["good"], results["fair"]]
    [without], [compared] = (compare_results(each, datasets=data) for each in (good, [*good, results["cyclic"]]))
    assert {*compared.family.models} == {"good", "fair", "cyclic"}
    assert (compared.classes, compared.seeds_against_variants) == (without.classes, without.seeds_against_variants)
    assert "left out of means over models" in compared.notes["cyclic"][-1]
    assert power_of_results([*good, results["cyclic"]]) == power_of_results(good)


def test_a_report_leaves_it_out_of_means(results: dict[str, Result], tmp_path: Path) -> None:
    good = [results["good"], results["fair"]]
    [without], [part] = (
        analyze(each, [DATA], out=tmp_path / str(len(each))).as_dict()["data_sets"]
        for each in (good, [*good, results["swapped"]])
    )
    assert {row["model"] for row in part["analyses"]["table_3"]["rows"]} == {"good", "fair", "swapped"}
    for name in ("seeds_against_variants", "majority", "classes", "class_pairs", "hard_seeds", "seed_correctness"):
        assert part["analyses"][name] == without["analyses"][name], name
    page = " ".join((tmp_path / "3" / "index.html").read_text(encoding="utf-8").split())
    assert "<strong>swapped</strong>: left out of means over models, because its labels seem to be permuted" in page


def test_the_explorer_leaves_it_out_of_counts_over_models(results: dict[str, Result], tmp_path: Path) -> None:
    shown = [results[name] for name in ("good", "swapped", "fair")]
    data = unpacked(write_explorer(shown, find_dataset(DATA), tmp_path))
    assert (data["models"], data["averaged"]) == (["good", "swapped", "fair"], [0, 2])
    [note] = [note for note in data["notes"] if "permuted" in note]
    assert note.startswith("swapped: left out of means over models")
    assert unpacked(write_explorer(shown[1:2], find_dataset(DATA), tmp_path))["averaged"] == [0]


def test_a_leaderboard_names_it_and_does_not_rank_it(results: dict[str, Result]) -> None:
    listed = [*results.values()]
    assert [reason is None for reason in unranked_reasons(listed)] == [True, True, False, False, True]
    [board] = page_data(make_boards(listed), {})["boards"]
    flags = {model["name"]: model["flags"] for model in board["models"]}
    assert (flags["cyclic"], flags["constant"], flags["good"]) == (["labels permuted"], ["no better than chance"], [])
