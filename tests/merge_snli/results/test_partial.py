"""Results on a part of a data set, by the agreement of annotators or not: scores, marks, and no mix with the whole."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import Result, analyze, compare, load, read_result, read_results, score, score_table
from merge_snli.answers.opening import open_config
from merge_snli.answers.part import part_of_data
from merge_snli.answers.sentences import pair_digest
from merge_snli.comparison.scored_dataset import scored_dataset
from merge_snli.dataset.stored import find_dataset
from merge_snli.dataset.variants import ANNOTATOR_LABELS, label_counts
from merge_snli.models.labels import Pair
from merge_snli.paper.hard_seeds import hard_seeds
from merge_snli.results.check import require_data
from merge_snli.results.grouping import on_same_data, titles_of, unranked_reasons
from merge_snli.results.naming import file_name, work_folder
from merge_snli.results.parts import on_part, with_parts
from merge_snli.schema import NLI_LABELS, data_file
from merge_snli.scoring.predict import read_shards
from tests.commands import Command
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import (
    BUNDLED,
    always,
    answers_of_groups,
    by_length,
    check_scores,
    guess,
    known,
    missing_from,
    pair_of,
    refused,
    rows_of,
    without_seconds,
    write_rows,
)
from tests.text_tables import rows_of as table_rows


def score_guess(dataset: object = BUNDLED, **options: Any) -> Result:  # noqa: ANN401
    return score(guess, dataset, name="guess", **options)


def test_some_seeds_and_one_subsample_are_scored_as_by_hand() -> None:
    result = score_guess(config="noun", limit_seeds=9, subsample=4)
    kept = [row for row in rows_of(BUNDLED, "noun", "subsample_4") if row["seed_id"] in {*result.group_ids}]
    right = [(row["seed_id"], by_length([pair_of(row)])[0] == row["label"]) for row in kept]
    check_scores(result.scores, right, [right])
    seeds = {row["seed_id"] for row in rows_of(BUNDLED, "noun")}
    by_digest = sorted(seeds, key=lambda seed: hashlib.sha256(seed.encode()).hexdigest())
    assert {*result.group_ids} == {*by_digest[:9]}
    assert len({*result.group_ids}) == 9
    assert len(kept) == 9 * 10
    assert result.scores.curve.groups == (9,)


def test_the_rows_of_one_subsample_keep_its_number(tmp_path: Path) -> None:
    result = score_guess(config="noun", limit_seeds=9, subsample=4, out=tmp_path)
    [path] = tmp_path.glob("*.json")
    for table in (result.table, read_result(path).table):
        assert {tuple(row) for row in table["subsamples"].to_pylist() if row is not None} == {(4,)}
    whole = open_config("demo:dataset", "noun")
    require_data(read_result(path), part_of_data(whole, limit_seeds=9, subsample=4))


def answers_by_group(result: Result) -> dict[str, str]:
    return dict(zip(result.group_ids, answers_of_groups(result).predictions, strict=True))


def test_a_part_of_the_seeds_keeps_all_their_variants_and_is_never_mixed_with_the_whole() -> None:
    whole, part, _, all_seeds = results = [score_guess(limit_seeds=limit) for limit in (None, 20, 30, 10_000)]
    answers = answers_by_group(part)
    assert answers.items() <= answers_by_group(whole).items()
    assert len(answers) == 20
    assert len(part.scores.curve.groups) == 10
    assert on_same_data(results) == [[whole, all_seeds], [part], results[2:3]], "10,000 seeds are all"
    assert [result.dataset.partial is None for result in results] == [True, False, False, True]
    assert "(partial: 20 seeds), config all" in titles_of([result.dataset for result in results])[1]
    assert len({file_name(result) for result in results}) == 3


def test_the_command_writes_and_reads_partial_results(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "results"
    options = ["--limit-seeds", "4", "--subsample", "0", "--format", "json", "--out", out]
    [printed] = command("score", "demo:nli-b", "--dataset", BUNDLED, *options).json["results"]
    partial = printed["dataset"]["partial"]
    assert partial["limit_seeds"] == 4
    assert partial["subsample"] == 0
    assert partial["min_agreement"] is None
    assert partial["of"] == find_dataset(str(BUNDLED)).digest
    assert read_result(next(out.glob("*.json"))).dataset.title.endswith("(partial: 4 seeds, subsample 0)")


def test_a_part_that_does_not_exist_is_named() -> None:
    refused("subsample is 10: choose 0 to 9", score, guess, BUNDLED, subsample=10)


@pytest.fixture(scope="module")
def two_draws(make_dataset: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A data set with two subsamples, which leave some variants out."""

    def first_draws(seed: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["subsamples"] = [number for number in row["subsamples"] if number < 2]

    return str(make_dataset(tmp_path_factory.mktemp("data") / "two_draws", change=first_draws))


def test_drawn_variants_alone_give_the_same_scores_also_of_some_seeds(two_draws: str) -> None:
    asked = []

    def ask(pairs: list[Pair]) -> list[str]:
        asked.extend(pairs)
        return guess(pairs)

    whole = score(guess, two_draws, name="a")
    drawn = score(ask, two_draws, name="b", drawn=True)
    rows = rows_of(Path(two_draws))
    needed = [row for row in rows if row["subsamples"]]
    assert len(needed) < len(rows)
    seeds = {(row["seed_premise"], row["seed_hypothesis"]) for row in needed}
    assert {*asked} == seeds.union(map(pair_of, needed))
    assert len(asked) == len({*asked})
    of_drawn = drawn.to_pandas()
    of_whole = whole.to_pandas()
    same = of_whole.filter(regex="^(?!.*all_rows)(sample|pattern|seed|qt|mt|consistency)").columns
    pd.testing.assert_frame_equal(of_drawn[same], of_whole[same])
    assert drawn.scores.curve == whole.scores.curve
    assert [len(group) for group in on_same_data([whole, drawn])] == [2]
    assert unranked_reasons([whole, drawn]) == [None, None]
    whole, drawn = (score_guess(two_draws, drawn=only, limit_seeds=5) for only in (False, True))
    assert (drawn.group_ids, drawn.scores.curve) == (whole.group_ids, whole.scores.curve)
    assert drawn.dataset == whole.dataset
    assert drawn.left_out.undrawn > 0


def test_a_result_on_drawn_variants_says_what_it_lacks_and_is_read_and_computed_again(
    two_draws: str, tmp_path: Path
) -> None:
    whole = score_guess(two_draws)
    drawn = score_guess(two_draws, drawn=True, out=tmp_path / "results")
    undrawn = whole.scores.rows - drawn.scores.rows
    assert drawn.left_out.rows == 0
    assert drawn.left_out.undrawn == undrawn
    assert whole.left_out.undrawn == 0
    assert drawn.scores.all_rows_accuracy is None
    assert whole.scores.all_rows_accuracy is not None
    assert any(note.startswith(f"{undrawn} variants that no subsample has") for note in drawn.notes)
    assert score_guess(config="verb", drawn=True).scores.all_rows_accuracy is not None
    assert read_results(tmp_path / "results") == [drawn]
    data = open_config(two_draws, "all")
    require_data(drawn, data)
    for claimed in (undrawn - 1, 0):
        forged = replace(drawn, left_out=replace(drawn.left_out, undrawn=claimed))
        refused(f"left_out.rows is 0, and {undrawn} variants", require_data, forged, data)


def test_an_analysis_has_only_drawn_variants_if_a_model_was_asked_no_others(two_draws: str) -> None:
    wrong = always(None)
    data = open_config(two_draws, "all")
    whole = score(wrong, two_draws, name="a")
    drawn = score(wrong, two_draws, name="b", drawn=True)
    both = scored_dataset(data, [whole, drawn])
    alone = scored_dataset(data, [whole])
    first, second = (model.answers.is_predicted for model in both.models)
    assert first.tolist() == second.tolist() == both.drawn.tolist()
    assert alone.models[0].answers.is_predicted.all()
    for scored, some in ((both, both.drawn), (alone, both.drawn | True)):
        variants = {seed["seed_id"]: seed["variants"] for seed in hard_seeds(scored).rarely_right}
        counts = np.bincount(scored.groups[some], minlength=len(scored.ids)).tolist()
        assert variants == dict(zip(scored.ids, counts, strict=True))


def test_groups_without_seeds_are_limited_too_and_have_no_subsamples(tmp_path: Path) -> None:
    row = {"premise": "A dog runs.", "label": "entailment"}
    rows = [row | {"hypothesis": f"Dog {number} moves.", "group": f"g{number // 2}"} for number in range(8)]
    pairs = write_rows(tmp_path / "p.jsonl", rows)
    whole, part = (score_guess(pairs, group_column="group", limit_seeds=limit) for limit in (None, 2))
    assert len(part.group_ids) == 2
    assert answers_by_group(part).items() <= answers_by_group(whole).items()
    assert known(part.dataset.partial).of == whole.dataset.digest != part.dataset.digest
    refused(r"subsample.*p\.jsonl", score_guess, pairs, group_column="group", subsample=0)
    refused(r"drawn=True.*p\.jsonl", score_guess, pairs, group_column="group", drawn=True)


def test_a_seed_without_a_drawn_variant_is_named() -> None:
    data = open_config(BUNDLED, "verb")
    undrawn = replace(data, subsamples=known(data.subsamples) & (data.row_groups != 1))
    refused(rf"seed {data.group_ids[1]} .*drawn=True", part_of_data, undrawn, drawn=True)


def sometimes(pairs: list[Pair]) -> list[int | None]:
    """Give no answer to some pairs."""
    return [None if sum(map(len, pair)) % 7 == 0 else by_length([pair])[0] for pair in pairs]


def other(pairs: list[Pair]) -> list[int]:
    return [len(premise) % 3 for premise, _ in pairs]


def plain(result: Result) -> Result:
    """Return a result without what answers do not determine."""
    return replace(without_seconds(result), notes=())


@pytest.mark.parametrize(("subsample", "limit_seeds"), [(3, None), (0, 5), (None, 4)])
def test_a_part_of_a_result_is_the_result_on_the_part(
    dataset: Path, subsample: int | None, limit_seeds: int | None
) -> None:
    whole = score(sometimes, dataset)
    of_other, expected = (
        score(model, dataset, subsample=subsample, limit_seeds=limit_seeds) for model in (other, sometimes)
    )
    found = with_parts([whole, of_other], [find_dataset(str(dataset))])
    assert found[:2] == [whole, of_other]
    (added,) = found[2:]
    assert plain(added) == plain(expected)
    assert added.notes == (*expected.notes, f"from the answers to all {whole.scores.rows} variants")
    assert on_same_data(found) == [[whole], [of_other, added]]
    assert [row["Model"] for row in table_rows(score_table([of_other, added]).text())] == ["other", "sometimes"]
    assert with_parts(found, [find_dataset(str(dataset))]) == found


def test_parts_of_an_unknown_data_set_are_left_alone(dataset: Path) -> None:
    results = [score(sometimes, dataset, config="verb"), score(other, dataset, config="verb", subsample=0)]
    assert with_parts(results, []) == results


def test_the_leaderboard_and_compare_show_both(dataset: Path, tmp_path: Path, command: Command) -> None:
    score(sometimes, dataset, config="verb", out=tmp_path)
    score(other, dataset, config="verb", subsample=0, out=tmp_path)
    of_part = command("leaderboard", tmp_path, "--format", "md", "--dataset", dataset).out.partition("subsample 0")[2]
    assert not missing_from(of_part, "| sometimes |", "from the answers to all")
    printed = command("compare", tmp_path, "--dataset", dataset).out
    assert "subsample 0" in printed
    assert all(re.search(rf"^[12]  {name} ", printed, re.MULTILINE) for name in ("sometimes", "other"))
    assert "cannot decide which models differ" in " ".join(printed.split())  # with four seeds


# How many of five annotators gave the gold label to the first seed, the second, the third, the fourth, …
VOTES = (5, 4, 3)


def given(seed: int) -> str:
    """Return what the files have for a seed; the eleventh has no labels of annotators."""
    gold = NLI_LABELS[seed % 3]
    other = NLI_LABELS[(seed + 1) % 3]
    votes = VOTES[seed % 4 % 3]
    labels = [gold] * votes + [other] * (5 - votes)
    return "" if seed == 10 else json.dumps(labels)


@pytest.fixture(scope="module")
def annotators(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set whose twelve seeds have labels of annotators, as `--keep-column` keeps them."""
    folder = make_dataset(tmp_path_factory.mktemp("data") / "merge_people")
    path = folder / data_file("all", "test")
    table = pq.read_table(path)
    labels = [given(int(seed[1:])) for seed in table["seed_id"].to_pylist()]
    pq.write_table(table.append_column(ANNOTATOR_LABELS, pa.array(labels)), path)
    return folder


neutral = always("neutral")


@pytest.mark.slow
def test_results_have_scores_by_agreement_and_leave_seeds_out(annotators: Path, command: Command) -> None:
    found = score(neutral, annotators, name="neutral").parts["agreement"]
    assert {name: part.groups for name, part in found.items()} == {"5/5": 6, "4/5": 3, "3/5": 2}
    assert found["5/5"].seed_accuracy == 2 / 6  # seeds 4 and 7 of 0, 3, 4, 7, 8 and 11
    result = score(neutral, annotators, name="neutral", min_agreement=4 / 5)
    assert result.group_ids == tuple(f"s{seed:03}" for seed in (0, 1, 3, 4, 5, 7, 8, 9, 11))
    assert known(result.dataset.partial).min_agreement == 0.8
    assert "agreement of at least 0.8" in result.dataset.title
    arguments = ["--dataset", str(annotators), "--out", str(annotators.parent / "results"), "--min-agreement", "4/5"]
    printed = command("score", "demo:nli-a", *arguments, "--subsample", "0").out
    assert not missing_from(printed, "by agreement", "4/5")
    assert "3/5" not in printed


def test_compare_and_analyze_leave_them_out(annotators: Path) -> None:
    results = [score(neutral, annotators, name="neutral"), score(other, annotators, name="by length")]
    [comparison] = compare(results, datasets=[load(str(annotators))], min_agreement=4 / 5)
    assert (comparison.seeds, comparison.left_out) == (9, 0), "those without agreement are named in the title"
    assert "agreement of at least 0.8" in comparison.title
    drawn = [score(model, annotators, subsample=0) for model in (neutral, other)]
    assert [each.seeds for each in compare(drawn, datasets=[load(str(annotators))], min_agreement=4 / 5)] == [9]
    part = [score(model, annotators, min_agreement=4 / 5) for model in (neutral, other)]
    [of_part] = compare(part)
    assert [*of_part.pattern_accuracy.values()] == [*comparison.pattern_accuracy.values()]
    refused("dataset", compare, results, min_agreement=4 / 5)
    refused("min_agreement", score, neutral, annotators, min_agreement=1.1)
    [scored] = analyze(results, [load(str(annotators))], min_agreement=4 / 5).data_sets[0].scored
    assert len(scored.ids) == 9
    assert scored.models[0].result.scores.seed_accuracy == part[0].scores.seed_accuracy


def test_probabilities_are_compared_with_the_labels_of_people(annotators: Path, bert: Path, tmp_path: Path) -> None:
    result = score(bert, annotators, out=tmp_path / "results")
    data = open_config(annotators, "all")
    [folder] = {path.parent for path in work_folder(tmp_path / "results").rglob("*.parquet")}
    logits = {}
    for shard in read_shards(folder):
        for pair, values in zip(shard["pair"].to_pylist(), shard["logits"].to_pylist(), strict=True):
            logits[pair] = np.array(values)

    def distance(pair: int, seed: int) -> float:
        values = np.exp(logits[pair_digest(data.pairs[pair])])
        shown = dict(zip(result.model.labels, values / values.sum(), strict=True))
        labels = json.loads(given(seed))
        return float(sum(abs(shown[name] - labels.count(name) / 5) for name in NLI_LABELS)) / 2

    on_seeds = [distance(pair, seed) for seed, pair in enumerate(data.seed_pairs.tolist()) if seed != 10]
    assert known(result.calibration).seed_annotator_distance == pytest.approx(np.mean(on_seeds), abs=2e-4)
    of_draws = []
    for draw in known(data.subsamples):
        rows = np.flatnonzero(draw & (data.row_groups != 10)).tolist()
        of_draws.append(np.mean([distance(int(data.row_pairs[row]), int(data.row_groups[row])) for row in rows]))
    assert known(result.calibration).annotator_distance == pytest.approx(np.mean(of_draws), abs=2e-4)


def test_stored_probabilities_give_the_distance_on_a_part(annotators: Path, bert: Path, tmp_path: Path) -> None:
    score(bert, annotators, out=tmp_path)
    [stored] = read_results(tmp_path)
    part = score(bert, annotators, min_agreement=4 / 5)
    data = open_config(annotators, "all")
    again = on_part(stored, data, part_of_data(data, min_agreement=4 / 5))
    assert asdict(known(again.calibration)) == pytest.approx(asdict(known(part.calibration)), abs=1e-4)


def test_without_labels_of_annotators(dataset: Path, bert: Path) -> None:
    result = score(bert, dataset, subsample=0)
    assert "agreement" not in result.parts
    assert known(result.calibration).annotator_distance is None
    refused(r"min_agreement.*annotator_labels", score, neutral, dataset, min_agreement=0.8)
    assert label_counts('["Entailment", "", "c"]', NLI_LABELS, "s1") == [1, 0, 1], "empty labels do not count"
    assert label_counts(None, NLI_LABELS, "s1") == [0, 0, 0]


@pytest.mark.parametrize("text", ["neutral", '{"a": 1}', '["unclear"]', "3"])
def test_other_values_are_refused(text: str) -> None:
    refused(r"s1.*annotator_labels", label_counts, text, NLI_LABELS, "s1")
