"""What travels with the package: problems, models, and the data set of the bundled problems (the golden run)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from generation.options import Options, preset_options
from generation.pipeline import run_pipeline
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import find_dataset
from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS, embedded_path
from merge_snli.models.tagger import Tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import ALL, DEFAULT_CLASSES, NLI_LABELS, SEED, TEST, data_file
from tests.conftest import DemoRun

PACKAGE = FOLDER.parent
MEBIBYTE = 2**20
ROWS = ((data_file(ALL, TEST), "variant_id"), (data_file(SEED, TEST), "seed_id"))


def test_a_run_on_some_problems_gives_their_rows_of_the_shipped_data_set(tmp_path: Path) -> None:
    """The rows of a seed depend on no other problem."""
    variants, seeds = (rows_by(PACKAGE / name, key) for name, key in ROWS)
    of_classes = [
        sorted({row["seed_id"] for row in variants.values() if row["word_class"] == name})[:2]
        for name in DEFAULT_CLASSES
    ]
    chosen = {*chain(*of_classes)}
    lines = (FOLDER / "problems.jsonl").read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if json.loads(line)["id"] not in seeds][:4]
    problems = [line for line in lines if json.loads(line)["id"] in chosen] + others
    (tmp_path / "problems.jsonl").write_text("\n".join(problems), encoding="utf-8")
    options = Options(problems=str(tmp_path / "problems.jsonl"), id_column="id", **preset_options("demo"))
    made = run_pipeline(options, tmp_path / "made", quiet=True)
    for shipped, (name, key) in zip((variants, seeds), ROWS, strict=True):
        found = rows_by(made.folder / name, key)
        expected = {id_: row for id_, row in shipped.items() if row["seed_id"] in chosen}
        assert {*found} == {*expected}
        assert all(same(row, found[id_]) for id_, row in expected.items())


@pytest.mark.slow
def test_the_shipped_data_set_is_what_the_run_gives(demo_run: DemoRun) -> None:
    """Ids and strings exactly, log-odds to 1e-3; a processor that rounds otherwise may turn one row in a thousand."""
    shipped, regenerated = (find_dataset(str(folder)) for folder in (PACKAGE, demo_run.out / "merge_snli"))
    assert shipped.record.options == regenerated.record.options
    names = sorted(shipped.record.data.files)
    assert names == sorted(regenerated.record.data.files)
    for name in names:
        key = "seed_id" if name.startswith(f"data/{SEED}/") else "variant_id"
        ours, theirs = (rows_by(source.folder / name, key) for source in (shipped, regenerated))
        differing = [each for each in ours.keys() | theirs.keys() if not same(ours.get(each), theirs.get(each))]
        assert len(differing) <= len(ours) / 1_000, f"{name}: {differing[:5]}"


def rows_by(path: Path, key: str) -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in pq.read_table(path).to_pylist()}


def same(ours: dict[str, Any] | None, theirs: dict[str, Any] | None) -> bool:
    if ours is None or theirs is None:
        return False
    close = abs(ours.get("log_odds", 0) - theirs.get("log_odds", 0)) <= 1e-3
    return close and {**ours, "log_odds": 0} == {**theirs, "log_odds": 0}


def test_the_data_set_keeps_at_least_60_seeds_of_all_labels_and_classes() -> None:
    configs = find_dataset(str(PACKAGE)).record.configs
    assert configs["all"].groups >= 60
    labels = configs["all"].group_labels
    assert labels is not None
    assert all(labels[name] >= 20 for name in NLI_LABELS)
    assert all(configs[config].groups >= 10 for config in ("noun", "verb", "adj"))


def test_the_bare_name_loads_in_the_projects_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PACKAGE.parent)
    loaded = datasets.load_dataset("merge_snli", "noun", cache_dir=str(tmp_path))
    assert loaded["test"].num_rows == find_dataset(str(PACKAGE)).record.configs["noun"].rows


def test_sizes() -> None:
    assert folder_size(PACKAGE / "data") <= 2 * MEBIBYTE
    models = [folder_size(FOLDER / name) for name in (*MASKED_LMS, *NLI_MODELS)]
    assert max(models) <= 24e6
    assert sum(models) <= 64e6


def folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_no_script_bears_the_folders_name() -> None:
    """`datasets` 4 and newer cannot load a folder NAME that holds NAME.py."""
    assert not (PACKAGE / "merge_snli.py").exists()


def test_problems_are_even_in_labels_and_have_the_hard_shapes() -> None:
    problems = embedded_problems()
    labels = Counter(problem["label"] for problem in problems)
    assert set(labels) == set(NLI_LABELS)
    assert max(labels.values()) - min(labels.values()) <= len(problems) / 60
    texts = [text for problem in problems for text in texts_of(problem)]
    for mark in ("-", "'s", '"', "n't", "not", "é"):
        assert sum(mark in text for text in texts) >= 5, mark
    assert sum(not text.rstrip().endswith((".", "!", "?", '"', ")")) for text in texts) >= 5
    assert len(texts) == len(set(map(words_in, texts)))
    assert {character for text in texts for character in text if not character.isascii()} <= set("éèãñû")
    ids = [problem["id"] for problem in problems]
    assert ids == sorted(set(ids))


def embedded_problems() -> list[dict[str, str]]:
    path = embedded_path("demo:problems")
    assert path is not None
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts_of(problem: dict[str, str]) -> tuple[str, str]:
    return problem["premise"], problem["hypothesis"]


def test_all_problems_share_a_word_but_one(tagger: Tagger) -> None:
    """In demo-142, the shared word is "Acrobats" in one sentence and "acrobats" in the other, on purpose."""
    problems = list(read_problems(ProblemOptions(problems="demo:problems", id_column="id")).problems)
    without = [
        problem.id
        for problem, tagged in zip(problems, tag(problems, tagger), strict=True)
        if not any(word.word_class in DEFAULT_CLASSES for word in shared_words(tagged))
    ]
    assert without == ["demo-142"]


def test_no_sentence_is_one_of_a_corpus(corpus: Callable[[str], Path]) -> None:
    ours = {words_in(text): problem["id"] for problem in embedded_problems() for text in texts_of(problem)}
    for name in ("snli/dev.jsonl", "snli/test.jsonl", "mnli/dev_matched.jsonl"):
        for line in corpus(name).read_text(encoding="utf-8").splitlines():
            for text in texts_of(json.loads(line)):
                assert words_in(text) not in ours, ours[words_in(text)]


def words_in(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def test_an_unknown_embedded_name_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"demo:x.*choose from demo:problems, demo:mlm-wordpiece"):
        embedded_path("demo:x")
    assert embedded_path("google/bert") is None
