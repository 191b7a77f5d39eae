"""The data sets of section 5.4: the same seeds from one pass over the masked LMs, and errors for other seeds."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.seeds_from import Seeds, read_seeds, require_every_seed
from merge_snli.dataset.record import SeedsRecord, generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.problems.problem import Problem
from tests.oracles import missing_from, refused
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
    """The options of a default run, its data set and those of section 5.4."""

    options: Options
    plain: MergeDataset
    sets: Mapping[str, MergeDataset]


def write(path: Path, problems: Iterable[Mapping[str, str]]) -> str:
    path.write_text("".join(json.dumps({"label": "neutral", **problem}) + "\n" for problem in problems))
    return str(path)


def options_in(folder: Path) -> Options:
    """Return the options of a run on the problems, with a masked LM that is saved in the folder."""
    others = ("the", "a", "and", "is", "there", "run", "sleeps", "rain", "fell", "it")
    return Options(
        problems=write(folder / "problems.jsonl", PROBLEMS),
        id_column="id",
        mlm=(str(scripted.save(folder / "mlm", scripted.wordpiece([*WORDS, *others, "."], lowercase=True), WORDS)),),
        classes=("noun", "adj"),
        inflation=2,
        subsamples=2,
        device="cpu",
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("five")
    options = options_in(folder)
    plain = run_pipeline(options, folder / "plain", work=folder / "work", quiet=True)
    sets = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generation.run.load_masked_lm", None)  # all answers come from the cache
        for name, choices in SETS.items():
            chosen = options_with(options, seeds_from=str(plain.folder), **choices)
            sets[name] = run_pipeline(chosen, folder / name, work=folder / "work", quiet=True)
    return Made(options, plain, sets)


def options_with(options: Options, **choices: Any) -> Options:  # noqa: ANN401 - values of any option
    return Options(**{**options.as_dict(), **choices})


def keys(dataset: MergeDataset, *columns: str) -> set[tuple[str, ...]]:
    return {tuple(row[name] for name in columns) for row in read_split(dataset, "all").select(columns).to_pylist()}


def test_every_set_has_the_same_seeds(made: Made) -> None:
    seeds = keys(made.plain, "seed_id", "word_class")
    assert seeds == {("a", "noun"), ("b", "noun"), ("b", "adj")}
    read = read_seeds(str(made.plain.folder), ("noun", "adj"))
    for dataset in made.sets.values():
        assert keys(dataset, "seed_id", "word_class") == seeds
        assert generation_of(dataset.record).seeds == SeedsRecord(digest=read.digest, problems=2)


def test_the_filters_relate_the_sets_to_each_other(made: Made) -> None:
    every = {**made.sets, "plain": made.plain}
    ids = {}
    for name, dataset in every.items():
        rows = read_split(dataset, "all").to_pylist()
        ids[name] = {row["variant_id"] for row in rows}
        for row in rows:
            text = f"{row['seed_premise']} {row['seed_hypothesis']}".lower()
            assert row["replacement"].lower() not in text.replace(".", "").split()
    assert ids["plain"] <= ids["union"]
    assert ids["plain"] == ids["pos"] & ids["prob"]
    assert ids["pos"] | ids["prob"] <= ids["none"]
    assert "a:noun:girl:happy" in ids["prob"] - ids["pos"]
    assert "a:noun:girl:teacher" in ids["pos"] - ids["prob"]
    assert not ids["plain"] & ids["scrambled"]


def test_the_scrambled_set_has_the_same_variants_with_shuffled_letters(made: Made) -> None:
    plain = sorted_letters(made.plain)
    scrambled = sorted_letters(made.sets["scrambled"])
    assert scrambled == plain


def sorted_letters(dataset: MergeDataset) -> list[tuple[str, ...]]:
    """Return the variants with the letters of their replacements in alphabetical order."""
    variants = keys(dataset, "seed_id", "word_class", "original", "replacement")
    return sorted((*group, "".join(sorted(replacement))) for *group, replacement in variants)


def test_the_same_seeds_in_another_folder_are_the_same_run(made: Made, tmp_path: Path) -> None:
    copy = shutil.copytree(made.plain.folder, tmp_path / "copy")
    out = made.sets["pos"].folder
    before = (out / "run.json").stat().st_mtime_ns
    run_pipeline(options_with(made.options, seeds_from=str(copy), filters="pos"), out, quiet=True)
    assert (out / "run.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"top_k": 2}, r"3 seeds and classes have fewer than 2 variants \(a has 1 of class noun, .*\)"),
        ({"classes": ("verb",)}, r"no seed of class verb: .* classes$"),
        ({"limit": 1}, r"1 of 2 seeds are not among the problems \(b\)"),
        ({"seeds_from": "./nowhere"}, "no data set at ./nowhere: the folder does not exist"),
    ],
)
def test_unusable_seeds_are_an_error(made: Made, tmp_path: Path, choices: dict[str, Any], message: str) -> None:
    chosen = options_with(made.options, **{"seeds_from": str(made.plain.folder), **choices})
    refused(message, run_pipeline, chosen, tmp_path / "out", quiet=True)
    assert not (tmp_path / "out").exists()


def test_a_seed_with_another_text_is_an_error() -> None:
    seeds = Seeds("d", {"a": frozenset({"noun"})}, {"a": ("A dog.", "The dog.")})
    assert list(seeds.select([Problem("a", "A dog.", "The dog.", 0), Problem("b", "x", "y", 0)]))
    refused("seeds_from d: seed 'a'", list, seeds.select([Problem("a", "A cat.", "The dog.", 0)]))


THREE = Seeds("d", {name: frozenset({"noun", "verb"}) for name in "abc"}, {})
ENOUGH = {(name, word_class): 5 for name in "abc" for word_class in ("noun", "verb")}


def test_short_seeds_are_counted_and_the_first_are_named() -> None:
    require_every_seed(THREE, ENOUGH, 5)
    some = {("a", "verb"): 3, ("b", "noun"): 4, ("b", "verb"): 4, ("c", "noun"): 4}
    message = str(refused("4 seeds and classes", require_every_seed, THREE, ENOUGH | some, 5))
    assert not missing_from(message, "seeds_from d:", "(a has 3 of class verb, b has 4 of class noun, ", "and 1 more)")
    assert "inflation to 3" in message
    none = refused("c has 0 of class verb", require_every_seed, THREE, ENOUGH | {("c", "verb"): 0}, 5)
    assert "inflation" not in str(none)
