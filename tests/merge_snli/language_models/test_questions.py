"""Questions: each distinct pair of a scope once, with all its uses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.language_models.questions import Scope, read_questions, uses_of


def pairs_of(rows: list[dict[str, Any]], prefix: str = "") -> set[tuple[str, str]]:
    return {(row[f"{prefix}premise"], row[f"{prefix}hypothesis"]) for row in rows}


@pytest.mark.parametrize("subsample", [0, 3, "all"])
def test_each_pair_of_a_subsample_is_asked_once(bundled: MergeDataset, subsample: int | str) -> None:
    asked = read_questions(bundled, Scope(config="noun", subsample=subsample))
    split = "test" if subsample == "all" else f"subsample_{subsample}"
    rows = read_split(bundled, "noun", split).to_pylist()
    pairs = [(question.premise, question.hypothesis) for question in asked.questions]
    assert Counter(pairs).most_common(1)[0][1] == 1
    assert set(pairs) == pairs_of(rows) | pairs_of(rows, "seed_")
    variants = [use["variant_id"] for question in asked.questions for use in question.uses if "variant_id" in use]
    assert sorted(variants) == sorted(row["variant_id"] for row in rows)
    assert len({question.id for question in asked.questions}) == len(pairs)


def test_scopes_without_and_with_only_seeds(bundled: MergeDataset) -> None:
    both, without, only = (
        {
            (question.premise, question.hypothesis)
            for question in read_questions(bundled, Scope(config="verb", seeds=seeds)).questions
        }
        for seeds in ("with", "without", "only")
    )
    assert without | only == both
    rows = read_split(bundled, "verb", "subsample_0").to_pylist()
    assert len(only) == len(pairs_of(rows, "seed_"))


def test_a_limit_keeps_whole_seeds_and_larger_limits_add_to_it(bundled: MergeDataset) -> None:
    few, more = (read_questions(bundled, Scope(config="noun", limit_seeds=limit)) for limit in (3, 5))
    seeds = [{use["seed_id"] for question in each.questions for use in question.uses} for each in (few, more)]
    assert [len(each) for each in seeds] == [3, 5]
    assert seeds[0] < seeds[1]
    counts = Counter(use["seed_id"] for question in few.questions for use in question.uses)
    assert set(counts.values()) == {11}


def test_a_limit_above_the_number_of_seeds_is_all_of_them(bundled: MergeDataset) -> None:
    every, limited = (read_questions(bundled, Scope(config="noun", limit_seeds=limit)) for limit in (None, 10**6))
    assert limited.questions == every.questions


def test_metadata_holds_every_use(bundled: MergeDataset) -> None:
    for question in read_questions(bundled, Scope(config="all", limit_seeds=4)).questions:
        assert uses_of(question.metadata()) == list(question.uses)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"subsample": 10}, "subsample is 10: .* 0 to 9"),
        ({"subsample": -1}, "subsample is -1"),
        ({"subsample": "some"}, "subsample is 'some'"),
        ({"seeds": "no"}, "seeds is 'no'.*without"),
        ({"limit_seeds": 0}, "limit_seeds is 0"),
        ({"limit_seeds": "3"}, "limit_seeds is '3'"),
        ({"limit_seeds": True}, "limit_seeds is True"),
        ({"config": "seed"}, "config seed of"),
        ({"config": "adverb"}, "config adverb of"),
    ],
)
def test_wrong_scopes(bundled: MergeDataset, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_questions(bundled, Scope(**values))
