"""Questions: each distinct pair of a scope once, with all its uses; shots from other problems, always the same ones."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from merge_snli.answers.reading import read_config
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.language_models.questions import Question, Scope, read_questions, uses_of
from merge_snli.language_models.shots import shots_for
from merge_snli.models.labels import Pair
from merge_snli.schema import NLI_LABELS
from tests.oracles import Row, refused, write_rows

PROBLEMS = "demo:problems"
Questions = tuple[Question, ...]


def asked(bundled: MergeDataset, **scope: Any) -> Questions:  # noqa: ANN401 - the fields of `Scope`
    return read_questions(bundled, Scope(**scope)).questions


def pairs_of(questions: Questions) -> list[Pair]:
    return [(question.premise, question.hypothesis) for question in questions]


def pairs_in(rows: list[Row], prefix: str = "") -> set[Pair]:
    premise = f"{prefix}premise"
    hypothesis = f"{prefix}hypothesis"
    return {(row[premise], row[hypothesis]) for row in rows}


@pytest.mark.parametrize(("subsample", "split"), [(0, "subsample_0"), (3, "subsample_3"), ("all", "test")])
def test_each_pair_of_a_subsample_is_asked_once(bundled: MergeDataset, subsample: int | str, split: str) -> None:
    questions = asked(bundled, config="noun", subsample=subsample)
    rows = read_split(bundled, "noun", split).to_pylist()
    pairs = pairs_of(questions)
    distinct = set(pairs)
    assert len(pairs) == len(distinct)
    assert distinct == pairs_in(rows) | pairs_in(rows, "seed_")
    ids = {question.id for question in questions}
    assert len(ids) == len(pairs)
    variants = []
    for question in questions:
        variants += [use["variant_id"] for use in question.uses if "variant_id" in use]
    assert sorted(variants) == sorted(row["variant_id"] for row in rows)


def test_scopes_without_and_with_only_seeds(bundled: MergeDataset) -> None:
    both = {*pairs_of(asked(bundled, config="verb"))}
    without = {*pairs_of(asked(bundled, config="verb", seeds="without"))}
    only = {*pairs_of(asked(bundled, config="verb", seeds="only"))}
    assert without | only == both
    assert only == pairs_in(read_split(bundled, "verb", "subsample_0").to_pylist(), "seed_")


def seeds_of(questions: Questions) -> Counter[str]:
    """Return the number of uses for each seed."""
    return Counter(use["seed_id"] for question in questions for use in question.uses)


def test_a_limit_keeps_whole_seeds_and_larger_limits_add_to_it(bundled: MergeDataset) -> None:
    few = seeds_of(asked(bundled, config="noun", limit_seeds=3))
    more = seeds_of(asked(bundled, config="noun", limit_seeds=5))
    assert len(few) == 3
    assert len(more) == 5
    assert few.keys() < more.keys()
    assert {*few.values()} == {11}
    assert asked(bundled, config="noun", limit_seeds=10**6) == asked(bundled, config="noun")


def test_metadata_holds_every_use(bundled: MergeDataset) -> None:
    for question in asked(bundled, config="all", limit_seeds=4):
        assert uses_of(question.metadata()) == list(question.uses)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("subsample", 10, "is 10: .* 0 to 9"),
        ("subsample", -1, "is -1"),
        ("subsample", "some", "is 'some'"),
        ("seeds", "no", "is 'no'.*without"),
        ("limit_seeds", 0, "is 0"),
        ("limit_seeds", True, "is True"),
        ("config", "seed", "seed of"),
        ("config", "adverb", "adverb of"),
    ],
)
def test_wrong_scopes(bundled: MergeDataset, field: str, value: Any, message: str) -> None:  # noqa: ANN401 - of a field
    refused(f"{field} {message}", asked, bundled, **{field: value})


def test_shots_are_reproducible_balanced_and_never_asked(bundled: MergeDataset) -> None:
    data = read_config(bundled, "all")
    shots = shots_for(data, PROBLEMS, 6)
    assert shots == shots_for(data, PROBLEMS, 6)
    assert shots != shots_for(data, PROBLEMS, 6, random_seed=1)
    assert [shot.label for shot in shots] == [*NLI_LABELS, *NLI_LABELS]
    premises = {premise for premise, _ in data.pairs}
    for shot in shots:
        assert shot.premise not in premises
    assert shots[:3] == shots_for(data, PROBLEMS, 3)


def save_rows(path: Path, *premises: str, gold: str = "label", label: str = "neutral") -> str:
    rows = [{"premise": premise, "hypothesis": "c d", gold: label} for premise in premises]
    return str(write_rows(path, rows))


def test_premises_of_other_configs_and_in_other_spellings_are_no_shots(
    bundled: MergeDataset, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole = read_config(bundled, "all")
    verb = read_config(bundled, "verb")
    own = {premise for premise, _ in verb.pairs}
    premise = next(premise for premise, _ in whole.pairs if premise not in own)
    without_end = premise.rstrip(".")
    leaks = [premise, premise.upper(), f" {without_end} ", premise.replace(" ", "  ").replace(".", " !")]
    path = tmp_path / "leaking.jsonl"
    leaking = save_rows(path, *leaks, label="entailment")
    refused("0 problems for 1 shots", shots_for, verb, leaking, 1)
    save_rows(path, "A new one.", *leaks, label="entailment")
    (shot,) = shots_for(verb, leaking, 1)
    assert shot.premise == "A new one."
    assert "leaking.jsonl has 1 of 1 shots whose premises are not in the data set; 4 " in caplog.text
    refused("1 problems for 2 shots", shots_for, verb, leaking, 2, at_least=1)


def test_wrong_shots(bundled: MergeDataset, tmp_path: Path) -> None:
    data = read_config(bundled, "noun")
    two_way = save_rows(tmp_path / "two.jsonl", "a b", label="not_entailment")
    other_column = save_rows(tmp_path / "b.jsonl", "a b", gold="outcome")
    refused("shots is -1", shots_for, data, PROBLEMS, -1)
    refused("has only [0-9]+ problems for 1000000 shots", shots_for, data, PROBLEMS, 10**6)
    refused("labels of .*two.jsonl are .*not_entailment", shots_for, data, two_way, 1)
    refused("none.jsonl", shots_for, data, str(tmp_path / "none.jsonl"), 1)
    refused("no column 'label' .*label_column, which shots_from does not take", shots_for, data, other_column, 1)
