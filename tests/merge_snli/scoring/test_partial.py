"""Results on a part of a data set: its scores, its mark, and that it never meets a result on the whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from merge_snli import score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.comparison.scored_dataset import scored_dataset
from merge_snli.dataset.stored import find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.leaderboard.space import check_results
from merge_snli.paper.hard_seeds import hard_seeds
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.answer_table import to_bytes
from merge_snli.scoring.check import differences
from merge_snli.scoring.data import part_of_data
from merge_snli.scoring.grouping import on_same_data, titles_of, unranked_reasons
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.reading import read_config
from merge_snli.scoring.store import file_name, parse_result, read_result, read_results, to_json
from tests.oracles import answers_of_groups

BUNDLED = str(FOLDER.parent)
Pair = tuple[str, str]


def guess(pairs: list[Pair]) -> list[str]:
    return [NLI_LABELS[len(premise + hypothesis) % 3] for premise, hypothesis in pairs]


def test_some_seeds_and_one_subsample_are_scored_as_by_hand() -> None:
    result = score(guess, BUNDLED, config="noun", limit_seeds=9, subsample=4, name="guess")
    rows = pq.read_table(FOLDER.parent / "data/noun/subsample_4.parquet").to_pylist()
    kept = [row for row in rows if row["seed_id"] in {*result.group_ids}]
    right = [guess([(row["premise"], row["hypothesis"])])[0] == NLI_LABELS[row["label"]] for row in kept]
    assert len({*result.group_ids}) == 9
    assert len(kept) == 9 * 10 == result.scores.rows
    assert result.scores.sample_accuracy.mean == pytest.approx(sum(right) / len(right))
    assert result.scores.curve.groups == (9,)


def test_a_part_of_the_seeds_keeps_all_their_variants() -> None:
    whole, part = (score(guess, BUNDLED, limit_seeds=limit, name="guess") for limit in (None, 20))
    answers = dict(zip(whole.group_ids, answers_of_groups(whole).predictions, strict=True))
    assert dict(zip(part.group_ids, answers_of_groups(part).predictions, strict=True)) == {
        seed: answers[seed] for seed in part.group_ids
    }
    assert len(part.scores.curve.groups) == 10


def test_a_partial_result_is_marked_and_never_mixed_with_a_whole_one() -> None:
    results = [score(guess, BUNDLED, limit_seeds=limit, name="guess") for limit in (None, 20, 30, 10_000)]
    assert [len(group) for group in on_same_data(results)] == [2, 1, 1], "10,000 seeds are all"
    assert [result.dataset.partial is None for result in results] == [True, False, False, True]
    assert "(partial: 20 seeds), config all" in titles_of([result.dataset for result in results])[1]
    assert len({file_name(result) for result in results}) == 3


def test_the_command_writes_and_reads_partial_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results"
    command = [
        "score",
        "demo:nli-b",
        "--dataset",
        BUNDLED,
        "--limit-seeds",
        "4",
        "--subsample",
        "0",
        "--format",
        "json",
    ]
    assert main([*command, "--out", str(out)]) == 0
    [printed] = json.loads(capsys.readouterr().out)["results"]
    assert printed["dataset"]["partial"] == {
        "limit_seeds": 4,
        "subsample": 0,
        "min_agreement": None,
        "of": json.loads((FOLDER.parent / "run.json").read_text())["data"]["digest"],
    }
    assert read_result(next(out.glob("*.json"))).dataset.title.endswith("(partial: 4 seeds, subsample 0)")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"limit_seeds": 0}, "limit_seeds is 0"), ({"subsample": 10}, "subsample is 10: choose 0 to 9")],
)
def test_a_part_that_does_not_exist_is_named(options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(guess, BUNDLED, limit_seeds=options.get("limit_seeds"), subsample=options.get("subsample"))


@pytest.fixture(scope="module")
def two_draws(make_dataset: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A data set with two subsamples, which leave some variants out."""

    def first_draws(seed: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["subsamples"] = [number for number in row["subsamples"] if number < 2]

    return str(make_dataset(tmp_path_factory.mktemp("data") / "two_draws", change=first_draws))


def test_drawn_variants_alone_give_the_same_scores_and_are_compared(two_draws: str) -> None:
    asked: list[Pair] = []

    def ask(pairs: list[Pair]) -> list[str]:
        asked.extend(pairs)
        return guess(pairs)

    whole, drawn = score(guess, two_draws, name="a"), score(ask, two_draws, name="b", drawn=True)
    rows = pq.read_table(Path(two_draws) / "data/all/test.parquet").to_pylist()
    needed = [row for row in rows if row["subsamples"]]
    assert len(needed) < len(rows)
    assert {*asked} == {(row[f"{of}premise"], row[f"{of}hypothesis"]) for row in needed for of in ("", "seed_")}
    assert len(asked) == len({*asked})
    for name in ("pattern_accuracy", "sample_accuracy", "curve", "seed_accuracy", "qt", "mt", "intervals"):
        assert getattr(drawn.scores, name) == getattr(whole.scores, name)
    for column, values in whole.parts.items():
        for value, found in values.items():
            assert drawn.parts[column][value].pattern_accuracy == found.pattern_accuracy
    assert drawn.consistency is not None
    assert whole.consistency is not None
    for reference, against in whole.consistency.items():
        assert drawn.consistency[reference].pattern_accuracy == against.pattern_accuracy
    assert np.array_equal(drawn.counts().sizes, whole.counts().sizes)
    assert np.array_equal(drawn.counts().correct, whole.counts().correct)
    assert [len(group) for group in on_same_data([whole, drawn])] == [2]
    assert unranked_reasons([whole, drawn]) == [None, None]


def test_a_result_on_drawn_variants_says_what_it_lacks(two_draws: str) -> None:
    whole, drawn = (score(guess, two_draws, name="guess", drawn=only) for only in (False, True))
    undrawn = whole.scores.rows - drawn.scores.rows
    assert (drawn.left_out.rows, drawn.left_out.undrawn, whole.left_out.undrawn) == (0, undrawn, 0)
    assert drawn.scores.all_rows_accuracy is None
    assert whole.scores.all_rows_accuracy is not None
    assert any(note.startswith(f"{undrawn} variants that no subsample has") for note in drawn.notes)
    assert score(guess, BUNDLED, config="verb", drawn=True, name="guess").scores.all_rows_accuracy is not None


def test_a_result_on_drawn_variants_is_read_and_computed_again(two_draws: str, tmp_path: Path) -> None:
    result = score(guess, two_draws, drawn=True, name="guess", out=tmp_path / "results")
    assert read_results(tmp_path / "results") == [result]
    data = read_config(find_dataset(two_draws), "all")
    assert [*differences(result, data)] == []
    for undrawn in (result.left_out.undrawn - 1, 0):
        claimed = replace(result, left_out=replace(result.left_out, undrawn=undrawn))
        assert any(difference.startswith("left_out.undrawn") for difference in differences(claimed, data))


def test_seeds_of_drawn_variants_are_limited_too(two_draws: str) -> None:
    whole, drawn = (score(guess, two_draws, name="guess", drawn=only, limit_seeds=5) for only in (False, True))
    assert drawn.group_ids == whole.group_ids
    assert drawn.scores.curve == whole.scores.curve
    assert drawn.dataset == whole.dataset
    assert drawn.left_out.undrawn > 0


def test_results_without_a_number_of_undrawn_rows_are_read() -> None:
    result = score(guess, BUNDLED, config="verb", name="guess")
    value = to_json(result)
    del value["left_out"]["undrawn"]
    answers = to_bytes(result.table)
    value["answers_sha256"] = hashlib.sha256(answers).hexdigest()
    assert parse_result(json.dumps(value).encode(), answers, "old.json") == result


def test_an_analysis_has_only_drawn_variants_if_a_model_was_asked_no_others(two_draws: str) -> None:
    def wrong(pairs: list[Pair]) -> list[str | None]:
        return [None] * len(pairs)

    data = open_config(two_draws, "all")
    whole, drawn = score(wrong, two_draws, name="a"), score(wrong, two_draws, name="b", drawn=True)
    both, alone = scored_dataset(data, [whole, drawn]), scored_dataset(data, [whole])
    first, second = (model.answers.is_predicted for model in both.models)
    assert first.tolist() == second.tolist() == both.drawn.tolist()
    assert alone.models[0].answers.is_predicted.all()
    for scored, some in ((both, both.drawn), (alone, both.drawn | True)):
        variants = {seed.seed_id: seed.variants for seed in hard_seeds(scored).rarely_right}
        assert variants == {name: int(some[scored.groups == at].sum()) for at, name in enumerate(scored.ids)}


def test_a_leaderboard_needs_answers_to_all_variants(two_draws: str) -> None:
    result = score(guess, two_draws, name="guess", drawn=True)
    [wrong] = check_results({file_name(result): result}, {}, [find_dataset(two_draws)]).values()
    assert any(f"{result.left_out.undrawn} variants: all need an answer" in reason for reason in wrong)


def test_the_command_asks_drawn_variants_only(
    two_draws: str, bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["score", str(bert), "--dataset", two_draws, "--drawn", "--format", "json"]
    assert main([*command, "--out", str(tmp_path / "results")]) == 0
    [printed] = json.loads(capsys.readouterr().out)["results"]
    assert printed["scores"]["all_rows_accuracy"] is None
    assert printed["left_out"]["undrawn"] > 0


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    row = {"premise": "A dog runs.", "label": "entailment"}
    rows = [row | {"hypothesis": f"Dog {number} moves.", "group": f"g{number // 2}"} for number in range(8)]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_groups_without_seeds_are_limited_too(pairs: Path) -> None:
    whole, part = (score(guess, pairs, group_column="group", limit_seeds=limit) for limit in (None, 2))
    answers = dict(zip(whole.group_ids, answers_of_groups(whole).predictions, strict=True))
    assert len(part.group_ids) == 2
    assert dict(zip(part.group_ids, answers_of_groups(part).predictions, strict=True)).items() <= answers.items()
    assert part.dataset.partial is not None
    assert part.dataset.partial.of == whole.dataset.digest != part.dataset.digest


def test_data_without_subsamples_has_none_to_choose(pairs: Path) -> None:
    with pytest.raises(InputError, match=r"subsample.*p\.jsonl"):
        score(guess, pairs, group_column="group", subsample=0)
    with pytest.raises(InputError, match=r"drawn=True.*p\.jsonl"):
        score(guess, pairs, group_column="group", drawn=True)


def test_a_seed_without_a_drawn_variant_is_named() -> None:
    data = read_config(find_dataset(BUNDLED), "verb")
    assert data.subsamples is not None
    undrawn = replace(data, subsamples=data.subsamples & (data.row_groups != 1))
    with pytest.raises(InputError, match=rf"seed {data.group_ids[1]} .*drawn=True"):
        part_of_data(undrawn, drawn=True)
