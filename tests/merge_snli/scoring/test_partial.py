"""Results on a part of a data set: its scores, its mark, and that it never meets a result on the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from merge_snli import score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.embedded import FOLDER
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.results.files import file_name, read_result
from merge_snli.scoring.results.grouping import on_same_data, titles_of

BUNDLED = str(FOLDER.parent)
Pair = tuple[str, str]


def guess(pairs: list[Pair]) -> list[str]:
    return [NLI_LABELS[len(premise + hypothesis) % 3] for premise, hypothesis in pairs]


def test_some_seeds_and_one_subsample_are_scored_as_by_hand() -> None:
    result = score(guess, BUNDLED, config="noun", limit_seeds=9, subsample=4, name="guess")
    rows = pq.read_table(FOLDER.parent / "data/noun/subsample_4.parquet").to_pylist()
    kept = [row for row in rows if row["seed_id"] in {*result.groups.id}]
    right = [guess([(row["premise"], row["hypothesis"])])[0] == NLI_LABELS[row["label"]] for row in kept]
    assert len({*result.groups.id}) == 9
    assert len(kept) == 9 * 10 == result.scores.rows
    assert result.scores.sample_accuracy.mean == pytest.approx(sum(right) / len(right))
    assert result.scores.curve.groups == (9,)


def test_a_part_of_the_seeds_keeps_all_their_variants() -> None:
    whole, part = (score(guess, BUNDLED, limit_seeds=limit, name="guess") for limit in (None, 20))
    answers = dict(zip(whole.groups.id, whole.groups.predictions, strict=True))
    assert dict(zip(part.groups.id, part.groups.predictions, strict=True)) == {
        seed: answers[seed] for seed in part.groups.id
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


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    row = {"premise": "A dog runs.", "label": "entailment"}
    rows = [row | {"hypothesis": f"Dog {number} moves.", "group": f"g{number // 2}"} for number in range(8)]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_groups_without_seeds_are_limited_too(pairs: Path) -> None:
    whole, part = (score(guess, pairs, group_column="group", limit_seeds=limit) for limit in (None, 2))
    answers = dict(zip(whole.groups.id, whole.groups.predictions, strict=True))
    assert len(part.groups.id) == 2
    assert dict(zip(part.groups.id, part.groups.predictions, strict=True)).items() <= answers.items()
    assert part.dataset.partial is not None
    assert part.dataset.partial.of == whole.dataset.digest != part.dataset.digest


def test_data_without_subsamples_has_none_to_choose(pairs: Path) -> None:
    with pytest.raises(InputError, match=r"subsample.*p\.jsonl"):
        score(guess, pairs, group_column="group", subsample=0)
