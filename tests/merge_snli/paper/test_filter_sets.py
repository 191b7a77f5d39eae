"""Tests of data sets side by side."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from generation.options import Options
from merge_snli.base.option import described
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.paper.filter_sets import MAY_DIFFER, filter_sets
from tests.merge_snli.comparison.made import Row, rows_of, scored_dataset

PLAIN: list[Row] = [*rows_of("s1", ["ee", "en"]), *rows_of("s2", ["nn"])]


def made(rows: list[Row], digit: str, models: tuple[str, ...] = ("a", "b"), **changes: Any) -> ScoredDataset:  # noqa: ANN401
    texts = changes.pop("texts", None)
    return scored_dataset(rows, models=models, digest=digit * 64, title=f"set {digit}", options=changes, texts=texts)


def test_sets_are_named_by_their_options_and_tested_over_seeds() -> None:
    union = made([*rows_of("s2", ["ee", "ee"]), *rows_of("s1", ["ee"])], "2", sides="union")
    found = filter_sets([union, made(PLAIN, "1"), made(PLAIN, "3", filters=["pos"])])
    assert [(each.name, each.title, each.generated) for each in found.sets] == [
        ("plain", "set 1", 3),
        ("P∪H", "set 2", 3),
        ("pos", "set 3", 3),
    ]
    assert [each.curve.at(0.9) for each in found.sets] == [(1 / 2 + 0) / 2, 1, 1 / 4]
    assert (found.models, found.seeds, found.tested_seeds, found.refused) == (("a", "b"), 2, 2, ())
    assert found.family is not None
    assert found.family.means == {"P∪H": 1, "plain": 0.25, "pos": 0.25}
    assert {(pair.first, pair.second): pair.result.p_value for pair in found.family.pairs} == {
        ("P∪H", "plain"): 0.5,
        ("P∪H", "pos"): 0.5,
        ("plain", "pos"): 1,
    }


def test_sets_of_equal_options_are_named_by_title() -> None:
    found = filter_sets([made(PLAIN, "1"), made(PLAIN, "2"), made(PLAIN, "3", scramble=True)])
    assert [each.name for each in found.sets] == ["scrambled", "set 1", "set 2"]


@pytest.mark.parametrize("other", [{"no_compounds": True}, {"mask": "all"}, {"inflation": 4}])
def test_a_set_that_differs_in_other_options_has_no_name_of_figure_8(other: dict[str, Any]) -> None:
    found = filter_sets([made(PLAIN, "1", **other), made(PLAIN, "2", sides="union"), made(PLAIN, "3", filters=[])])
    assert [each.name for each in found.sets] == ["P∪H", "none", "set 1"]


def test_without_a_majority_no_set_has_a_name_of_figure_8() -> None:
    found = filter_sets([made(PLAIN, "1", supersense=True), made(PLAIN, "2", sides="union")])
    assert [each.name for each in found.sets] == ["set 1", "set 2"]


def test_titles_and_sources_are_not_compared() -> None:
    other: dict[str, Any] = {
        "title": "T",
        "seeds_from": "somewhere",
        "keep_column": ["votes"],
        "id_column": "number",
        "device": "cpu",
    }
    found = filter_sets([made(PLAIN, "1"), made(PLAIN, "2", sides="union", **other)])
    assert [each.name for each in found.sets] == ["plain", "P∪H"]


def test_every_option_that_changes_rows_is_compared() -> None:
    unchanged = {name for name, option in described(Options) if not option.changes_rows}
    assert MAY_DIFFER - unchanged == {"keep_column", "sides", "filters", "scramble"}
    assert unchanged <= MAY_DIFFER


@pytest.mark.parametrize(
    ("rows", "texts", "reason"),
    [
        ([*PLAIN, *rows_of("s3", ["ee"])], None, r"its seed s3 is not .*\(3 seeds, the others have 2\)"),
        (PLAIN[:2], None, r"seed s2 is missing"),
        (PLAIN, {"s2": ("Other.", "Text.")}, r"seed s2 has another premise"),
    ],
)
def test_sets_on_other_seeds_are_refused_by_name(rows: list[Row], texts: Any, reason: str) -> None:  # noqa: ANN401
    others = [made(PLAIN, "2"), made(PLAIN, "3", filters=[])]
    found = filter_sets([made(rows, "1", texts=texts), *others])
    assert [each.name for each in found.sets] == ["plain", "none"]
    [refused] = found.refused
    assert refused.startswith("set 1, config all, is not compared: ")
    assert re.search(reason, refused)


def test_models_of_only_some_sets_are_left_out() -> None:
    found = filter_sets([made(PLAIN, "1"), made(PLAIN, "2", models=("a", "c"), sides="union")])
    assert (found.models, found.models_left_out) == (("a",), ("b", "c"))
    assert found.sets[0].curve.models == ("a",)


def test_a_model_with_another_name_on_another_set_is_the_same_model() -> None:
    sets = [made(PLAIN, "1", models=("run1/a", "b")), made(PLAIN, "2", models=("a", "b"), sides="union")]
    digests = {"run1/a": "a" * 64, "a": "a" * 64, "b": "b" * 64}
    found = filter_sets([with_digests(scored, digests) for scored in sets])
    assert (found.models, found.models_left_out) == (("run1/a", "b"), ())


def with_digests(scored: ScoredDataset, digests: dict[str, str]) -> ScoredDataset:
    def of(model: ModelAnswers) -> ModelAnswers:
        record = replace(model.result.model, digest=digests[model.name])
        return replace(model, result=replace(model.result, model=record))

    return replace(scored, models=tuple(map(of, scored.models)))


def test_other_seeds_or_models_alone_are_not_computable() -> None:
    with pytest.raises(NotComputable, match=r"Figure 8 .*--seeds-from"):
        filter_sets([made(PLAIN, "1"), made(PLAIN[:2], "2")])
    with pytest.raises(NotComputable, match=r"Figure 8 .*model"):
        filter_sets([made(PLAIN, "1"), made(PLAIN, "2", models=("c", "d"))])
    with pytest.raises(NotComputable, match=r"Figure 8"):
        filter_sets([])
