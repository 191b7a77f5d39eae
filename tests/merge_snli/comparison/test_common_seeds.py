"""Models on fewer seeds, with fewer or permuted labels are not ranked above others, and not averaged with them."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from merge_snli import Result, analyze, import_files, score
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.power import power_of_results
from merge_snli.comparison.scored_dataset import NotComputable, on_common_seeds
from merge_snli.comparison.statistics_tables import to_json
from merge_snli.dataset.stored import find_dataset
from merge_snli.explorer.write import write_explorer
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.side_by_side import side_by_side
from merge_snli.leaderboard.tables import comma_separated, json_text, markdown
from merge_snli.models.labels import Pair
from merge_snli.paper.filter_sets import filter_sets
from merge_snli.results.grouping import coverage, permuted_labels, ranked, unranked_reasons, without_permuted
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.comparison.made import rows_of, scored_dataset
from tests.merge_snli.comparison.test_comparison import comparison_text
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.explorer.test_page import unpacked
from tests.oracles import BUNDLED, gold_of, known, missing_from, pair_of, refused
from tests.oracles import guess as answer_by_length
from tests.oracles import rows_of as read_rows

WHOLE, PART, WEAK, TWO_WAY = "whole", "part", "weak", "two-way"


@pytest.fixture(scope="module")
def folder(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("data") / "small", seeds=24)


@pytest.fixture(scope="module")
def gold(folder: Path) -> dict[Pair, str]:
    return {pair: NLI_LABELS[label] for pair, label in gold_of(folder).items()}


@pytest.fixture(scope="module")
def results(folder: Path, gold: dict[Pair, str], tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    """A model that is right on two thirds of the seeds, its answers on these alone, a weak and a two-way model."""

    def good(pairs: list[Pair]) -> list[str]:
        return [gold[pair] if sum(map(ord, of_pair[pair][1])) % 3 else guess(pair) for pair in pairs]

    def guess(pair: Pair) -> str:
        return NLI_LABELS[(NLI_LABELS.index(gold[pair]) + 1) % 3]

    of_pair = {pair_of(row): (row["variant_id"], row["seed_id"]) for row in read_rows(folder)}
    of_pair |= {pair_of(row): (row["seed_id"], row["seed_id"]) for row in read_rows(folder, "seed")}
    whole = score(good, folder, name=WHOLE)
    right = {seed for seed, correct in zip(whole.group_ids, whole.correct_seeds(), strict=True) if correct}
    assert 2 < len(right) < len(whole.group_ids)
    answers = [{"id": name, "label": good([pair])[0]} for pair, (name, seed) in of_pair.items() if seed in right]
    path = tmp_path_factory.mktemp("answers") / "part.csv"
    pd.DataFrame(answers).to_csv(path, index=False)
    [part] = import_files([path], str(folder), model=PART, partial=True)
    weak = score(answer_by_length, folder, name=WEAK)
    two_way = score(
        lambda pairs: ["entailment" if gold[pair] == "entailment" else "not_entailment" for pair in pairs],
        folder,
        name=TWO_WAY,
    )
    return [part, two_way, weak, whole]


@pytest.fixture(scope="module")
def n_part(results: list[Result]) -> int:
    return len(results[0].group_ids)


@pytest.fixture(scope="module")
def board(results: list[Result]) -> Board:
    [board] = make_boards(results)
    return board


def test_a_partial_and_a_two_way_model_are_listed_but_not_ranked(results: list[Result], n_part: int) -> None:
    assert results[0].scores.pattern_accuracy.mean == 1 > (results[3].scores.pattern_accuracy.mean or 0)
    assert [result.model.name for result in ranked(results)[:2]] == [WHOLE, WEAK]
    reasons = dict(zip((result.model.name for result in results), unranked_reasons(results), strict=True))
    assert reasons[WHOLE] is reasons[WEAK] is None
    assert reasons[PART] == coverage(results[0]) == f"{n_part} of 24 seeds, the others lack imported answers"
    assert "two-way" in str(reasons[TWO_WAY])
    assert unranked_reasons([results[1]]) == [None], "among themselves"


def test_the_board_and_its_page_give_the_reason(board: Board, n_part: int) -> None:
    assert [entry.name for entry in board.entries if entry.unranked is None] == [WHOLE, WEAK]
    text = markdown([board])
    assert text.index(f"| {WHOLE} ") < text.index(f"| {WEAK} ") < text.index(f"| {PART} (not ranked)")
    assert f"{PART} is not ranked: {n_part} of 24 seeds" in text
    assert f"{n_part} to 24 seeds" in text, "the heading claims no more seeds than the rows have"
    rows = {(row["model"], row["part"]): row for row in json.loads(json_text([board]))["rows"]}
    assert f"{n_part} of 24" in rows[PART, "all"]["not_ranked"]
    assert rows[WHOLE, "all"]["not_ranked"] is None
    cells = {row["model"]: row["not_ranked"] for row in csv.DictReader(comma_separated([board]).splitlines())}
    assert cells[WHOLE] == "" != cells[TWO_WAY]
    [data] = page_data([board], {})["boards"]
    assert data["seeds"] == 24
    models = {model["name"]: model for model in data["models"]}
    assert f"{n_part} of 24" in models[PART]["unranked"]
    assert any("not ranked" in note for note in models[PART]["notes"])
    assert models[WHOLE]["unranked"] is None


def test_side_by_side_does_not_rank_a_partial_model_first(
    results: list[Result], board: Board, make_dataset: MakeDataset, tmp_path: Path
) -> None:
    other = make_dataset(tmp_path / "other", seeds=4)
    elsewhere = make_boards([score(lambda pairs: ["neutral"] * len(pairs), other, name="elsewhere")])
    table = known(side_by_side([board, *elsewhere])).table
    assert [row[0] for row in table.rows][:2] == [WHOLE, WEAK]
    assert any(f"{PART} is not ranked" in note for note in table.notes)


def test_compare_uses_common_seeds_and_says_so(results: list[Result], folder: Path, n_part: int) -> None:
    [compared] = compare_results(results, datasets=[find_dataset(str(folder))])
    assert {*compared.family.models} == {WHOLE, PART, WEAK}, "two-way models are compared among themselves"
    assert (compared.seeds, compared.left_out) == (n_part, 24 - n_part)
    assert compared.pattern_accuracy[WHOLE] == compared.pattern_accuracy[PART]
    assert compared.seeds_against_variants is not None
    [same] = compare_results([results[0], results[3]])
    assert known(same.seeds_against_variants).difference == 0, "both models have the same answers on the common seeds"
    text = " ".join(comparison_text(compared).split())
    assert "too long" not in text
    assert not missing_from(
        text,
        "were imported",
        f"{TWO_WAY}: not compared, because no other model here answers with the labels entailment, ",
    )
    assert TWO_WAY in to_json(compared)["notes"]


def test_two_way_models_are_compared_with_each_other(results: list[Result], folder: Path) -> None:
    three, two = compare_results([*results, score(lambda pairs: ["not_entailment"] * len(pairs), folder, name="never")])
    assert ({*two.family.models}, two.title) == ({TWO_WAY, "never"}, f"{three.title}, two-way models")
    assert TWO_WAY not in three.notes


def test_analyse_uses_common_seeds_and_separates_two_way_models(
    results: list[Result], folder: Path, n_part: int, tmp_path: Path
) -> None:
    three, two = analyze(results, [folder], out=tmp_path / "report").as_dict()["data_sets"]
    assert (three["models"], two["models"]) == ([PART, WEAK, WHOLE], [TWO_WAY])
    rows = {row["model"]: row for row in three["analyses"]["table_3"]["rows"]}
    assert {row["seeds"] for row in rows.values()} == {n_part}
    assert rows[PART]["pattern_accuracy"] == rows[WHOLE]["pattern_accuracy"]
    assert rows[PART]["letters"] == rows[WHOLE]["letters"]
    assert two["analyses"]["table_3"]["rows"][0]["seeds"] == 24
    assert all(curve["seeds"] <= n_part for curve in three["analyses"]["classes"]["curves"].values())
    assert not missing_from(
        " ".join((tmp_path / "report" / "index.html").read_text(encoding="utf-8").split()),
        f"{n_part} common seeds",
        "for 1 data set.</p>",
        f"{PART}: {n_part} of 24 seeds, the others lack imported answers",
    )
    [table] = (tmp_path / "report" / "tables").glob("*-all-table-3.csv")
    with table.open(newline="", encoding="utf-8") as file:
        assert {row["n"] for row in csv.DictReader(file)} == {str(n_part)}


def test_models_without_a_common_seed_are_named() -> None:
    scored = scored_dataset(
        [*rows_of("s1", ["e-"] * 2), *rows_of("s2", ["-e"] * 2)],
        models=("first", "second"),
        on_seeds={"s1": "e-", "s2": "-e"},
    )
    refused("first, second have no seed", on_common_seeds, [scored], error=NotComputable)


def test_figure_8_is_on_seeds_that_every_model_has_in_every_set() -> None:
    """Without that, the mean over the models of a set would be over other seeds than that of the next set."""
    plain = scored_dataset(
        [*rows_of("s1", ["ee"] * 2), *rows_of("s2", ["e-"] * 2), *rows_of("s3", ["ee"] * 2)],
        models=("first", "second"),
        on_seeds={"s2": "e-"},
    )
    pos = scored_dataset(
        [*rows_of("s1", ["en"] * 2), *rows_of("s2", ["nn"] * 2), *rows_of("s3", ["ee"] * 2)],
        models=("first", "second"),
        options={"filters": ["pos"]},
        digest="e" * 64,
    )
    found = filter_sets([plain, pos])
    assert found.seeds == 2 and any("second: 2 of 3 seeds" in each for each in found.coverage)
    assert [each.curve.at(0.9) for each in found.sets] == [1, 0.75]


DATA = "demo:dataset"


ORDERS = {"good": (0, 1, 2), "fair": (0, 1, 2), "cyclic": (1, 2, 0), "swapped": (0, 2, 1), "constant": (1, 1, 1)}


@pytest.fixture(scope="module")
def permuted() -> dict[str, Result]:
    gold = gold_of(BUNDLED)

    def model(name: str) -> Callable[[list[Pair]], list[str]]:
        def answer(pair: Pair) -> str:
            return NLI_LABELS[ORDERS[name][(gold[pair] + (random.Random(f"{name}{pair}").random() < 0.1)) % 3]]

        return lambda pairs: [answer(pair) for pair in pairs]

    return {name: score(model(name), DATA, name=name) for name in ORDERS}


def test_only_permuted_labels_are_found(permuted: dict[str, Result], caplog: pytest.LogCaptureFixture) -> None:
    assert [name for name, result in permuted.items() if permuted_labels(result)] == ["cyclic", "swapped"]
    assert [result.title for result in without_permuted([*permuted.values()])] == ["good", "fair", "constant"]
    assert caplog.text.count("is left out of means over models: its labels") == 2
    assert without_permuted([permuted["cyclic"]]) == [permuted["cyclic"]]


@pytest.mark.slow
def test_a_comparison_leaves_it_out_of_tests_over_models(permuted: dict[str, Result]) -> None:
    data = [find_dataset(DATA)]
    good = [permuted["good"], permuted["fair"]]
    [without], [compared] = (compare_results(each, datasets=data) for each in (good, [*good, permuted["cyclic"]]))
    assert {*compared.family.models} == {"good", "fair", "cyclic"}
    assert (compared.classes, compared.seeds_against_variants) == (without.classes, without.seeds_against_variants)
    assert "left out of means over models" in compared.notes["cyclic"][-1]
    assert power_of_results([*good, permuted["cyclic"]]) == power_of_results(good)


@pytest.mark.slow
def test_a_report_leaves_it_out_of_means(permuted: dict[str, Result], tmp_path: Path) -> None:
    good = [permuted["good"], permuted["fair"]]
    [without] = analyze(good, [DATA]).as_dict()["data_sets"]
    [part] = analyze([*good, permuted["swapped"]], [DATA], out=tmp_path / "3").as_dict()["data_sets"]
    assert {row["model"] for row in part["analyses"]["table_3"]["rows"]} == {"good", "fair", "swapped"}
    for name in ("seeds_against_variants", "majority", "classes", "class_pairs", "hard_seeds", "seed_correctness"):
        assert part["analyses"][name] == without["analyses"][name], name
    page = " ".join((tmp_path / "3" / "index.html").read_text(encoding="utf-8").split())
    assert "<strong>swapped</strong>: left out of means over models, because its labels seem to be permuted" in page


def test_the_explorer_leaves_it_out_of_counts_over_models(permuted: dict[str, Result], tmp_path: Path) -> None:
    shown = [permuted[name] for name in ("good", "swapped", "fair")]
    data = unpacked(write_explorer(shown, find_dataset(DATA), tmp_path))
    assert (data["models"], data["averaged"]) == (["good", "swapped", "fair"], [0, 2])
    [note] = [note for note in data["notes"] if "permuted" in note]
    assert note.startswith("swapped: left out of means over models")
    assert unpacked(write_explorer(shown[1:2], find_dataset(DATA), tmp_path))["averaged"] == [0]


def test_a_leaderboard_names_it_and_does_not_rank_it(permuted: dict[str, Result]) -> None:
    listed = [*permuted.values()]
    assert [reason is None for reason in unranked_reasons(listed)] == [True, True, False, False, True]
    [board] = page_data(make_boards(listed), {})["boards"]
    flags = {model["name"]: model["flags"] for model in board["models"]}
    assert (flags["cyclic"], flags["constant"], flags["good"]) == (["labels permuted"], ["no better than chance"], [])
