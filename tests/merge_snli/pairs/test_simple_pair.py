"""Simple Pair: sizes of the paper, pairs read back into facts, the same bytes for the same options."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair, simple_pair_configs
from tests.merge_snli.pairs.conftest import Rows, files_of, rows_of
from tests.merge_snli.pairs.reading import Fact, are_apart, label, read

TESTS = ("simple", "relevance", "conjunction")


def test_the_default_has_the_sizes_of_the_paper() -> None:
    configs, _ = simple_pair_configs(SimplePairOptions())
    rows = {name: config.rows for name, config in configs.items()}
    assert {config: Counter(row["family"] for row in of_config) for config, of_config in rows.items()} == {
        "simple": {"n_is_a": 4_000 * 6, "svo": 4_000 * 8},
        "relevance": {"n_is_a": 1_000 * 6 * 2, "svo": 1_000 * 8 * 2},
        "conjunction": {"n_is_a": 4 * 4_000 * 4, "svo": 4 * 4_000 * 4},
        "augmentation": {"n_is_a": 600 + 2_400, "svo": 600 + 2_400},
    }
    pairs = {config: {(row["premise"], row["hypothesis"]) for row in of_config} for config, of_config in rows.items()}
    assert not any(pairs["augmentation"] & pairs[config] for config in TESTS)
    for config, of_config in rows.items():
        groups = {row["group_id"]: row["premise"] for row in of_config}
        assert len(set(groups.values())) == len(groups), config


@pytest.mark.parametrize("config", [*TESTS, "augmentation"])
def test_labels_follow_from_the_facts_of_the_sentences(rows: Rows, config: str) -> None:
    assert len(rows[config]) >= 1_000
    for row in rows[config]:
        premise, hypothesis = read(row["premise"]), read(row["hypothesis"])
        assert label(premise, hypothesis) == row["label"], row
        words = [word for fact in premise for word in fact.words]
        assert len(set(words)) == len(words), row  # nothing repeats in a premise
        assert not are_apart([*premise, *hypothesis]), row
        filled = {value for name, value in row.items() if name[0] in "nasvo" and name[1:] in {"1", "2", "3"}}
        assert {word for fact in (*premise, *hypothesis) for word in fact.words} <= filled, row


def test_hypotheses_of_each_premise(rows: Rows) -> None:
    for config, sizes in {"simple": {6, 8}, "relevance": {12, 16}, "conjunction": {4}, "augmentation": {3}}.items():
        groups = Counter(row["group_id"] for row in rows[config])
        assert set(groups.values()) == sizes
        premises = {(row["group_id"], row["premise"]) for row in rows[config]}
        assert len(premises) == len(groups) == len({premise for _, premise in premises})
        assert len({(row["group_id"], row["hypothesis"]) for row in rows[config]}) == len(rows[config])


def test_relevant_hypotheses_have_the_premise_and_irrelevant_ones_another_sentence(rows: Rows) -> None:
    for row in rows["relevance"]:
        (premise,), hypothesis = read(row["premise"]), read(row["hypothesis"])
        assert len(hypothesis) == 2
        assert (premise in hypothesis) == (row["relevance"] == "relevant"), row
        other = next(fact for fact in hypothesis if fact != premise)
        assert set(other.words) & set(premise.words) or row["relevance"] == "irrelevant" or "n2_is" in row["pair_id"]
        assert (" and " in row["hypothesis"]) == (row["joined_by"] == "and")
    for column in ("order", "joined_by"):
        share = Counter(row[column] for row in rows["relevance"])
        assert len(share) == 2
        assert min(share.values()) > 0.4 * len(rows["relevance"])


def test_relevance_keeps_the_first_quarter_of_the_premises_of_simple(rows: Rows) -> None:
    first = [row for row in rows["simple"] if int(row["group_id"][-5:]) < 250 // 4]
    slots = ("n1", "a1", "n2", "a2", "s1", "v1", "o1", "s2", "v2", "o2")
    found = {
        config: {
            (row["group_id"].partition("-")[2], row["hypothesis_template"]): [row[name] for name in ("premise", *slots)]
            for row in of_config
        }
        for config, of_config in (("simple", first), ("relevance", rows["relevance"]))
    }
    assert found["simple"] == found["relevance"]


def test_augmentation_swaps_the_labels_of_a_negated_clause(rows: Rows) -> None:
    negated = [row for row in rows["augmentation"] if "not" in row["template"] and row["label"] != "neutral"]
    assert {row["label"] for row in negated} == {"entailment", "contradiction"}
    found = {(row["label"], fact.is_true) for row in negated for fact in read(row["hypothesis"])}
    assert found == {(name, value) for name in ("entailment", "contradiction") for value in (True, False)}


def test_every_category_and_template_occurs(rows: Rows) -> None:
    assert {"fruits", "animals", "human", "names", "objects"} <= {row["category"] for row in rows["simple"]}
    assert len({row["template"] for row in rows["conjunction"]}) == 8


def test_same_options_give_the_same_bytes(simple_pair: MergeDataset, tmp_path: Path) -> None:
    again = make_simple_pair(tmp_path / simple_pair.folder.name, SimplePairOptions(premises=250))
    assert files_of(again.folder) == files_of(simple_pair.folder)
    other = make_simple_pair(tmp_path / "other", SimplePairOptions(premises=250, random_seed=1))
    assert other.record.data.files.keys() == simple_pair.record.data.files.keys()
    assert not set(other.record.data.files.values()) & set(simple_pair.record.data.files.values())


def test_fewer_premises_are_the_first_ones(rows: Rows, tmp_path: Path) -> None:
    few = rows_of(make_simple_pair(tmp_path / "few", SimplePairOptions(premises=8)))
    assert few["augmentation"] == rows["augmentation"]
    for config in TESTS:
        ids = {row["pair_id"] for row in few[config]}
        assert few[config] == [row for row in rows[config] if row["pair_id"] in ids]


def test_held_out_nouns(tmp_path: Path) -> None:
    rows = rows_of(make_simple_pair(tmp_path / "held", SimplePairOptions(premises=40, held_out_nouns=True)))
    nouns = {config: {word for row in of_config for word in _nouns(row)} for config, of_config in rows.items()}
    tested = set[str]().union(*(nouns[config] for config in TESTS))
    assert len(nouns["augmentation"]) > 150
    assert len(tested) > 150
    assert not nouns["augmentation"] & tested


def _nouns(row: dict[str, str]) -> list[str]:
    facts: list[Fact] = [*read(row["premise"]), *read(row["hypothesis"])]
    return [word for fact in facts for number, word in enumerate(fact.words) if number != 1]


def test_a_folder_with_other_options_needs_overwrite(tmp_path: Path) -> None:
    out = tmp_path / "simple_pair"
    make_simple_pair(out, SimplePairOptions(premises=4))
    before = files_of(out)
    make_simple_pair(out, SimplePairOptions(premises=4))
    with pytest.raises(InputError, match=r"overwrite"):
        make_simple_pair(out, SimplePairOptions(premises=5))
    assert files_of(out) == before
    assert make_simple_pair(out, SimplePairOptions(premises=5), overwrite=True).record.options["premises"] == 5
    assert [path.name for path in tmp_path.iterdir()] == ["simple_pair"]
