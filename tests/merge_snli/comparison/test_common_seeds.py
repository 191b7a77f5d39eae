"""Models on fewer seeds, with fewer or permuted labels are not ranked above others, and not averaged with them."""

import csv
import html
from collections.abc import Callable
from dataclasses import replace
from itertools import compress, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from merge_snli import Result, analyze, import_files, score
from merge_snli.answers.joining import join
from merge_snli.answers.opening import open_config
from merge_snli.cli import GATE_FAILED
from merge_snli.comparison.baseline import compare_with_baseline
from merge_snli.comparison.choice import NotComparable
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.detectable import too_few_notes
from merge_snli.comparison.power import power_of_results
from merge_snli.comparison.scored_dataset import NotComputable, on_common_seeds
from merge_snli.comparison.statistics_tables import to_json
from merge_snli.dataset.stored import find_dataset
from merge_snli.explorer.write import write_explorer
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.side_by_side import side_by_side
from merge_snli.leaderboard.tables import comma_separated, markdown
from merge_snli.models.labels import Pair
from merge_snli.paper.filter_sets import filter_sets
from merge_snli.paper.report.table_artifacts import table_3_artifact
from merge_snli.results.alignment import aligned, on_groups
from merge_snli.results.check import require_data
from merge_snli.results.evaluate import result_on
from merge_snli.results.grouping import coverage, permuted_labels, ranked, unranked_reasons, without_permuted
from merge_snli.schema import NLI_LABELS
from tests.commands import Command
from tests.merge_snli.comparison.made import answered, rows_of, scored_dataset
from tests.merge_snli.comparison.test_comparison import comparison_text
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.leaderboard.conftest import noisy
from tests.oracles import BUNDLED, always, gold_of, known, missing_from, pair_of, refused, write_results
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

    def answer(pair: Pair) -> str:
        _, seed = of_pair[pair]
        wrong = NLI_LABELS[(NLI_LABELS.index(gold[pair]) + 1) % 3]
        return gold[pair] if sum(map(ord, seed)) % 3 else wrong

    def good(pairs: list[Pair]) -> list[str]:
        return [*map(answer, pairs)]

    def two_labels(pairs: list[Pair]) -> list[str]:
        return ["entailment" if gold[pair] == "entailment" else "not_entailment" for pair in pairs]

    of_pair = {pair_of(row): (row["variant_id"], row["seed_id"]) for row in read_rows(folder)}
    of_pair |= {pair_of(row): (row["seed_id"], row["seed_id"]) for row in read_rows(folder, "seed")}
    whole = score(good, folder, name=WHOLE)
    right = {*compress(whole.group_ids, whole.correct_seeds())}
    answers = [{"id": name, "label": answer(pair)} for pair, (name, seed) in of_pair.items() if seed in right]
    path = tmp_path_factory.mktemp("answers") / "part.csv"
    pd.DataFrame(answers).to_csv(path, index=False)
    [part] = import_files([path], str(folder), model=PART, partial=True)
    weak = score(answer_by_length, folder, name=WEAK)
    two_way = score(two_labels, folder, name=TWO_WAY)
    return [part, two_way, weak, whole]


@pytest.fixture(scope="module")
def n_part(results: list[Result]) -> int:
    return len(results[0].group_ids)


@pytest.fixture(scope="module")
def board(results: list[Result]) -> Board:
    [board] = make_boards(results)
    return board


def test_a_partial_and_a_two_way_model_are_listed_but_not_ranked(results: list[Result], n_part: int) -> None:
    part, two_way, _, whole = results
    assert part.pattern_accuracy == 1 > whole.pattern_accuracy
    assert [result.model.name for result in ranked(results)[:2]] == [WHOLE, WEAK]
    of_part, of_two_way, of_weak, of_whole = unranked_reasons(results)
    assert of_weak is of_whole is None
    assert of_part == coverage(part) == f"{n_part} of 24 seeds, the others lack imported answers"
    assert "two-way" in str(of_two_way)
    assert unranked_reasons([two_way]) == [None], "among themselves"


def test_the_board_and_its_page_give_the_reason(board: Board, n_part: int) -> None:
    assert [entry.name for entry in board.entries if entry.unranked is None] == [WHOLE, WEAK]
    text = markdown([board])
    reason = f"{n_part} of 24 seeds"
    assert text.index(f"| {WHOLE} ") < text.index(f"| {WEAK} ") < text.index(f"| {PART} (not ranked)")
    assert f"{PART} is not ranked: {reason}" in text
    assert f"{n_part} to 24 seeds" in text, "the heading claims no more seeds than the rows have"
    reasons = {row["model"]: row["not_ranked"] for row in csv.DictReader(comma_separated([board]).splitlines())}
    assert reason in reasons[PART]
    assert reasons[TWO_WAY] and not reasons[WHOLE]
    [data] = page_data([board], {})["boards"]
    assert [model["unranked"] for model in data["models"]] == [entry.unranked for entry in board.entries]
    assert data["seeds"] == 24


def test_side_by_side_does_not_rank_a_partial_model_first(
    board: Board, make_dataset: MakeDataset, tmp_path: Path
) -> None:
    other = make_dataset(tmp_path / "other", seeds=4)
    elsewhere = make_boards([score(answer_by_length, other, name="elsewhere")])
    table = known(side_by_side([board, *elsewhere])).table
    assert [row[0] for row in table.rows][:2] == [WHOLE, WEAK]
    assert f"{PART} is not ranked" in " ".join(table.notes)


def three_way(results: list[Result]) -> list[Result]:
    return [result for result in results if result.model.name != TWO_WAY]


@pytest.mark.parametrize("common_seeds", [False, True])
def test_one_folder_has_one_finding(results: list[Result], folder: Path, tmp_path: Path, common_seeds: bool) -> None:
    """Compare, the leaderboard, the explorer and the report test the same models on the same seeds."""
    listed = three_way(results)
    [compared] = compare_results(listed, common_seeds=common_seeds)
    [board] = make_boards(listed, common_seeds=common_seeds)
    assert board.standings.finding == compared.finding
    assert board.standings.letters == compared.family.letters
    accuracies = {entry.name: entry.result.pattern_accuracy for entry in board.entries if entry.unranked is None}
    assert accuracies == compared.pattern_accuracy
    page = write_explorer(listed, find_dataset(str(folder)), tmp_path, common_seeds=common_seeds)
    assert compared.finding in html.unescape(html.unescape(page.read_text(encoding="utf-8")))
    report = analyze(listed, [folder], common_seeds=common_seeds)
    table = report.data_sets[0].analyses[0][1]
    assert table_3_artifact(table).finding == compared.finding
    assert [row["model"] for row in table.rows] == [*accuracies]
    assert [row["pattern_accuracy"] for row in table.rows] == pytest.approx([*accuracies.values()])


def test_a_partial_model_does_not_change_the_others(results: list[Result], folder: Path, n_part: int) -> None:
    data = find_dataset(str(folder))
    [compared] = compare_results(results, datasets=[data])
    [without] = compare_results([*results[2:]], datasets=[data])
    assert (compared.family, compared.seeds, compared.left_out) == (without.family, 24, 0)
    assert compared.apart == {PART: f"{n_part} of 24 seeds, the others lack imported answers"}
    text = " ".join(comparison_text(compared).split())
    assert not missing_from(text, f"Not compared: {PART} ({n_part} of 24 seeds", f"{TWO_WAY}: not compared, because no")
    assert TWO_WAY in to_json(compared)["notes"]
    assert power_of_results(results)[0] == power_of_results(results[2:])[0]
    assert too_few_notes(three_way(results)) == too_few_notes(results[2:])


def test_common_seeds_compare_all_models(results: list[Result], folder: Path, n_part: int) -> None:
    [compared] = compare_results(results, datasets=[find_dataset(str(folder))], common_seeds=True)
    assert {*compared.family.models} == {WHOLE, PART, WEAK}, "two-way models are compared among themselves"
    assert (compared.seeds, compared.left_out, compared.apart) == (n_part, 24 - n_part, {})
    assert compared.pattern_accuracy[WHOLE] == compared.pattern_accuracy[PART]
    text = " ".join(comparison_text(compared).split())
    assert not missing_from(text, "were imported", f"over {n_part} seeds ({24 - n_part} more")
    [same] = compare_results([results[0], results[3]], common_seeds=True)
    assert known(same.seeds_against_variants).difference == 0, "both models have the same answers on the common seeds"


def test_numbers_on_fewer_seeds_are_those_of_the_data(results: list[Result], folder: Path) -> None:
    """Every number of a result on some of its seeds is computed again, with the data or without it."""
    [part, _, _, whole] = results
    again, _ = aligned([whole, part], common_seeds=True)
    data = open_config(folder, "all")
    kept = np.isin(data.group_ids, part.group_ids)[data.row_groups]
    expected = result_on(whole, join(whole.answers, data).take(kept), data.take(kept))
    assert again.scores == expected.scores
    assert again.consistency == expected.consistency
    assert again.parts == {name: expected.parts[name] for name in ("word_class", "label")}
    require_data(again, data)
    assert f"{len(part.group_ids)} of its 24 seeds" in again.notes[-1]
    assert aligned([whole]) == [whole]


# The seeds that each of some models lacks, of eight.
LACKING = {"a": {6, 7}, "b": {6, 7}, "more": set[int](), "fewer": {1, 6, 7}, "other": {0}}


def lacking(*names: str) -> list[Result]:
    """Return results of models that lack seeds."""
    rows = []
    on_seeds = {}
    for seed in range(8):
        letters = "".join("-" if seed in LACKING[name] else "e" for name in names)
        rows += rows_of(f"s{seed}", [letters] * 10)
        on_seeds[f"s{seed}"] = letters
    return [model.result for model in scored_dataset(rows, models=names, on_seeds=on_seeds).models]


@pytest.mark.parametrize(
    ("names", "seeds", "apart"),
    [
        (("a", "b", "more", "fewer"), 6, ["fewer"]),
        (("a", "more"), 8, ["a"]),
        (("a", "b", "more"), 6, []),
        (("a", "b", "other"), 6, ["other"]),
        (("a", "other"), 7, ["a"]),
    ],
)
def test_the_seeds_are_those_that_most_models_have(names: tuple[str, ...], seeds: int, apart: list[str]) -> None:
    """Ties are for the larger set, whatever the order of the results; a model with more seeds is taken on these."""
    for order in permutations(lacking(*names)):
        found = aligned(order)
        assert len(found) == len(names)
        unranked = []
        for result, reason in zip(found, unranked_reasons(found), strict=True):
            if reason is None:
                assert len(result.group_ids) == seeds
            else:
                unranked.append(result.model.name)
        assert unranked == apart


def test_models_without_two_common_seeds_are_named() -> None:
    [one] = lacking("a")
    named = []
    for name, ids in {"m0": ["s0", "s1"], "m1": ["s1", "s2"]}.items():
        named.append(replace(on_groups(one, ids), model=replace(one.model, name=name)))
    refused("m0, m1 have 1 seed in common", aligned, named, common_seeds=True)
    refused("m0 on made up, config all with 2 of 8 seeds.*common_seeds", compare_results, named, error=NotComparable)


def test_a_gate_does_not_judge_a_model_that_lacks_seeds(
    results: list[Result], tmp_path: Path, command: Command
) -> None:
    [part, _, _, whole] = results
    [row] = compare_with_baseline(part, whole)
    assert (row.test, row.worse, row.missing) == (None, False, coverage(part))
    [failure] = row.failures(fail_if_worse=True, min_pa=0.1)
    assert not missing_from(failure, PART, "cannot be judged", "of 24 seeds", "common_seeds")
    assert row.failures() == []
    [common] = compare_with_baseline(part, whole, common_seeds=True)
    assert (common.seeds, known(common.test).difference) == (len(part.group_ids), 0)
    assert common.failures(fail_if_worse=True) == []
    [superset] = compare_with_baseline(whole, part)
    assert (superset.missing, superset.seeds) == (None, len(part.group_ids))
    model, baseline = (write_results(tmp_path / result.model.name, [result]) for result in (part, whole))
    gate = ["compare", model, "--baseline", baseline, "--fail-if-worse"]
    assert "cannot be judged" in command(*gate, code=GATE_FAILED).err
    assert command(*gate, "--common-seeds").err == ""


def test_two_way_models_are_compared_with_each_other(results: list[Result], folder: Path) -> None:
    never = score(always("not_entailment"), folder, name="never")
    three, two = compare_results([*results, never])
    assert {*two.family.models} == {TWO_WAY, "never"}
    assert two.title == f"{three.title}, two-way models"
    assert TWO_WAY not in three.notes


@pytest.mark.slow
def test_analyse_uses_common_seeds_and_separates_two_way_models(
    results: list[Result], folder: Path, n_part: int, tmp_path: Path
) -> None:
    analyzed = analyze(results, [folder], out=tmp_path / "report", common_seeds=True)
    three, two = analyzed.as_dict()["data_sets"]
    assert (three["models"], two["models"]) == ([PART, WEAK, WHOLE], [TWO_WAY])
    assert {row["seeds"] for row in three["analyses"]["table_3"]["rows"]} == {n_part}
    assert two["analyses"]["table_3"]["rows"][0]["seeds"] == 24
    page = " ".join((tmp_path / "report" / "index.html").read_text(encoding="utf-8").split())
    assert not missing_from(page, f"{n_part} common seeds", f"{PART}: {n_part} of 24 seeds, the others lack imported")


def test_models_without_a_common_seed_are_named() -> None:
    scored = scored_dataset(
        answered("s1 e- e-", "s2 -e -e"),
        models=("first", "second"),
        on_seeds={"s1": "e-", "s2": "-e"},
    )
    refused("first, second have no seed", on_common_seeds, [scored], error=NotComputable)


def test_figure_8_is_on_seeds_that_every_model_has_in_every_set() -> None:
    """Without that, the mean over the models of a set would be over other seeds than that of the next set."""
    plain = scored_dataset(
        answered("s1 ee ee", "s2 e- e-", "s3 ee ee"),
        models=("first", "second"),
        on_seeds={"s2": "e-"},
    )
    pos = scored_dataset(
        answered("s1 en en", "s2 nn nn", "s3 ee ee"),
        models=("first", "second"),
        options={"filters": ["pos"]},
        digest="e" * 64,
    )
    found = filter_sets([plain, pos])
    assert found.seeds == 2 and any("second: 2 of 3 seeds" in each for each in found.coverage)
    assert [each["curve"].at(0.9) for each in found.sets] == [1, 0.75]


DATA = "demo:dataset"


ORDERS = {"good": (0, 1, 2), "fair": (0, 1, 2), "cyclic": (1, 2, 0), "swapped": (0, 2, 1), "constant": (1, 1, 1)}


@pytest.fixture(scope="module")
def permuted() -> dict[str, Result]:
    gold = gold_of(BUNDLED)

    def model(name: str) -> Callable[[list[Pair]], list[int]]:
        usual = noisy(name, gold, 0.1)
        return lambda pairs: [ORDERS[name][label] for label in usual(pairs)]

    return {name: score(model(name), DATA, name=name) for name in ORDERS}


def test_only_permuted_labels_are_found(permuted: dict[str, Result], caplog: pytest.LogCaptureFixture) -> None:
    good, fair, cyclic, swapped, constant = permuted.values()
    assert without_permuted([*permuted.values()]) == [good, fair, constant]
    assert caplog.text.count("is left out of means over models: its labels") == 2
    assert permuted_labels(swapped) and not permuted_labels(constant)
    assert without_permuted([cyclic]) == [cyclic]


@pytest.mark.slow
def test_a_comparison_leaves_it_out_of_tests_over_models(permuted: dict[str, Result]) -> None:
    data = [find_dataset(DATA)]
    good = [permuted["good"], permuted["fair"]]
    [without] = compare_results(good, datasets=data)
    [compared] = compare_results([*good, permuted["cyclic"]], datasets=data)
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


def test_a_leaderboard_names_it_and_does_not_rank_it(permuted: dict[str, Result]) -> None:
    [board] = page_data(make_boards(permuted.values()), {})["boards"]
    models = {model["name"]: model for model in board["models"]}
    assert models["cyclic"]["flags"] == ["labels permuted"]
    assert models["constant"]["flags"] == ["no better than chance"]
    assert models["good"]["flags"] == []
    assert models["swapped"]["unranked"] and not models["constant"]["unranked"]
