"""What travels with the package: problems, models, and the data set of the embedded problems (the golden run)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from merge_snli.dataset import MergeDataset, find_dataset
from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS, embedded_path
from merge_snli.errors import InputError
from merge_snli.schema import NLI_LABELS, SEED
from tests.conftest import DemoRun

PACKAGE = FOLDER.parent
MEBIBYTE = 2**20


@pytest.fixture
def regenerated(demo_run: DemoRun) -> MergeDataset:
    return find_dataset(str(demo_run.out / "merge_snli"))


def test_the_shipped_data_set_is_what_the_run_gives(regenerated: MergeDataset) -> None:
    """Ids and strings exactly, log-odds to 1e-3; a processor that rounds otherwise may turn one row in a thousand."""
    shipped = find_dataset(str(PACKAGE))
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


def test_the_data_set_keeps_at_least_60_seeds_of_all_labels_and_classes(regenerated: MergeDataset) -> None:
    composition = regenerated.record.composition
    assert composition["all"].seeds >= 60
    for config in ("all", "noun", "verb", "adj"):
        assert all(composition[config].labels[name] >= 4 for name in NLI_LABELS), config


def test_the_bare_name_loads_in_the_projects_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PACKAGE.parent)
    loaded = datasets.load_dataset("merge_snli", "noun", cache_dir=str(tmp_path))
    assert loaded["test"].num_rows == find_dataset(str(PACKAGE)).record.composition["noun"].variants


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
    path = embedded_path("demo:problems")
    assert path is not None
    problems = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    labels = Counter(problem["label"] for problem in problems)
    assert set(labels) == set(NLI_LABELS)
    assert max(labels.values()) - min(labels.values()) <= 1
    texts = [text for problem in problems for text in (problem["premise"], problem["hypothesis"])]
    for mark in ("-", "'s", '"', "n't", "not", "é"):
        assert sum(mark in text for text in texts) >= 5, mark
    assert sum(not text.rstrip().endswith((".", "!", "?", '"', ")")) for text in texts) >= 5
    assert len(texts) == len(set(texts))


def test_an_unknown_embedded_name_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"demo:x.*available: demo:problems, demo:mlm-wordpiece"):
        embedded_path("demo:x")
    assert embedded_path("google/bert") is None
