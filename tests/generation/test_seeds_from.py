"""The data sets of section 5.4: the same seeds, from one pass over the masked LMs; and what cannot be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from generation import Options, generate
from generation.seeds_from import Seeds, read_seeds, require_every_seed
from merge_snli.dataset import MergeDataset, read_split
from merge_snli.errors import InputError
from merge_snli.problems.reading import Problem
from merge_snli.record import SeedsRecord
from tests.reference import scripted

PROBLEMS = (
    {"id": "a", "premise": "A girl and a dog run.", "hypothesis": "A girl is there."},
    {"id": "b", "premise": "The small dog sleeps.", "hypothesis": "A dog is small."},
    {"id": "c", "premise": "The rain fell.", "hypothesis": "It fell."},
)
WORDS = ("woman", "on", "happy", "red", "horse", "man", "girl", "dog", "small", "quickly", "teacher", "cat", "old")
SETS: dict[str, dict[str, Any]] = {
    "union": {"sides": "union"},
    "pos": {"filters": "pos"},
    "prob": {"filters": "prob"},
    "none": {"filters": "none"},
    "scrambled": {"scramble": True},
}


class Made(NamedTuple):
    """The options of a default run, and what it and those of section 5.4 made."""

    options: Options
    plain: MergeDataset
    sets: Mapping[str, MergeDataset]


def write(path: Path, problems: object) -> str:
    assert isinstance(problems, list | tuple)
    path.write_text("".join(json.dumps({"label": "neutral", **problem}) + "\n" for problem in problems))
    return str(path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("five")
    others = ("the", "a", "and", "is", "there", "run", "sleeps", "rain", "fell", "it")
    tokenizer = scripted.wordpiece([*WORDS, *others, "."], lowercase=True)
    options = Options(
        problems=write(folder / "problems.jsonl", PROBLEMS),
        id_column="id",
        mlm=(str(scripted.save(folder / "mlm", tokenizer, WORDS)),),
        classes=("noun", "adj"),
        inflation=2,
        subsamples=2,
        device="cpu",
    )
    plain = generate(options, folder / "plain", work=folder / "work", quiet=True)
    sets = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generation.answers.asking.load_masked_lm", None)  # nothing is asked again
        for name, choices in SETS.items():
            chosen = options_with(options, seeds_from=str(plain.folder), **choices)
            sets[name] = generate(chosen, folder / name, work=folder / "work", quiet=True)
    return Made(options, plain, sets)


def options_with(options: Options, **choices: Any) -> Options:  # noqa: ANN401 - values of any option
    return Options(**{**options.as_dict(), **choices})


def keys(dataset: MergeDataset, *columns: str) -> set[tuple[str, ...]]:
    rows = read_split(dataset, "all").select(columns).to_pylist()
    return {tuple(row[name] for name in columns) for row in rows}


def test_every_set_has_the_same_seeds(made: Made) -> None:
    seeds = keys(made.plain, "seed_id", "word_class")
    assert seeds == {("a", "noun"), ("b", "noun"), ("b", "adj")}
    for dataset in made.sets.values():
        assert keys(dataset, "seed_id", "word_class") == seeds
        assert dataset.record.seeds == SeedsRecord(
            digest=read_seeds(str(made.plain.folder), ("noun", "adj")).digest, problems=2
        )


def test_each_set_has_what_the_others_say_it_has(made: Made) -> None:
    ids = {name: {key for (key,) in keys(dataset, "variant_id")} for name, dataset in made.sets.items()}
    plain = {key for (key,) in keys(made.plain, "variant_id")}
    assert plain <= ids["union"]
    assert plain == ids["pos"] & ids["prob"]
    assert ids["pos"] | ids["prob"] <= ids["none"]
    assert "a:noun:girl:happy" in ids["prob"] - ids["pos"]
    assert "a:noun:girl:teacher" in ids["pos"] - ids["prob"]
    assert not plain & ids["scrambled"]
    for dataset in (made.plain, *made.sets.values()):
        for row in read_split(dataset, "all").to_pylist():
            text = f"{row['seed_premise']} {row['seed_hypothesis']}".lower()
            assert row["replacement"].lower() not in text.replace(".", "").split()


def test_the_scrambled_set_has_a_variant_for_each_that_can_be(made: Made) -> None:
    plain, scrambled = (
        sorted(
            (*key[:3], "".join(sorted(key[3])))
            for key in keys(dataset, "seed_id", "word_class", "original", "replacement")
        )
        for dataset in (made.plain, made.sets["scrambled"])
    )
    assert scrambled == plain


def test_the_same_seeds_in_another_folder_are_the_same_run(made: Made, tmp_path: Path) -> None:
    """What counts is which seeds, not where they were read."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in made.plain.folder.rglob("*"):
        if path.is_file():
            (copy / path.relative_to(made.plain.folder)).parent.mkdir(parents=True, exist_ok=True)
            (copy / path.relative_to(made.plain.folder)).write_bytes(path.read_bytes())
    options = options_with(made.options, seeds_from=str(copy), filters="pos")
    out = made.sets["pos"].folder
    before = (out / "run.json").stat().st_mtime_ns
    generate(options, out, quiet=True)
    assert (out / "run.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"top_k": 2}, r"of its 3 seeds and classes 3 have fewer than 2 variants here \(a has 1 of class noun, .*\): "),
        ({"classes": ("verb",)}, r"has no seed of class verb: give --classes of those it has \(noun, adj\)"),
        ({"limit": 1}, r"of its 2 seeds 1 are not among the problems \(b\): give the problems"),
        ({"seeds_from": "./nowhere"}, "no data set at ./nowhere: the folder does not exist"),
    ],
)
def test_what_cannot_be_is_said(made: Made, tmp_path: Path, choices: dict[str, Any], message: str) -> None:
    chosen = options_with(made.options, **{"seeds_from": str(made.plain.folder), **choices})
    with pytest.raises(InputError, match=message):
        generate(chosen, tmp_path / "out", quiet=True)
    assert not (tmp_path / "out").exists()


def test_a_seed_of_another_text_is_no_seed() -> None:
    seeds = Seeds("d", {"a": frozenset({"noun"})}, {"a": ("A dog.", "The dog.")})
    assert list(seeds.only([Problem("a", "A dog.", "The dog.", 0), Problem("b", "x", "y", 0)]))
    with pytest.raises(InputError, match="its seed a has another text than the problem of that id"):
        list(seeds.only([Problem("a", "A cat.", "The dog.", 0)]))


def test_short_seeds_are_counted_and_the_first_are_named() -> None:
    seeds = Seeds("d", {name: frozenset({"noun", "verb"}) for name in "abc"}, {})
    enough = {(name, word_class): 5 for name in "abc" for word_class in ("noun", "verb")}
    require_every_seed(seeds, enough, 5)
    some = {**enough, ("a", "verb"): 3, ("b", "noun"): 4, ("b", "verb"): 4, ("c", "noun"): 4}
    with pytest.raises(InputError) as caught:
        require_every_seed(seeds, some, 5)
    assert str(caught.value) == (
        "--seeds-from d: of its 6 seeds and classes 4 have fewer than 5 variants here (a has 3 of class verb, b has 4 "
        "of class noun, b has 4 of class verb, …): lower --inflation to 3, or make this data set without --seeds-from "
        "and the others with its seeds"
    )
    with pytest.raises(InputError, match=r"\(c has 0 of class verb\): make this data set without"):
        require_every_seed(seeds, {**enough, ("c", "verb"): 0}, 5)
