"""Registration: the plain libraries find it from an empty folder, and the caches are as before once it is undone."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import datasets
import evaluate
import pyarrow.parquet as pq
import pytest

from merge_snli.cli import main
from merge_snli.dataset import find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_file
from merge_snli.registration import find_caches, register, registered, undo
from merge_snli.schema import ALL, SEED, TEST, data_file

if TYPE_CHECKING:
    from tests.hub.server import Hub

DATA_SET = FOLDER.parent
REGISTER = importlib.import_module("merge_snli.registration.register")
"""The module, whose name in the package is its function's."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the libraries' caches that is not there yet."""
    home = tmp_path / "home" / "huggingface"
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", home / "datasets")
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", home / "modules")
    return home


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registration without the process that tries it, for tests of what is written only."""
    monkeypatch.setattr(REGISTER, "check_loading", lambda source, stage: None)


@pytest.fixture
def other_set(tmp_path: Path) -> Path:
    """A data set of the seeds and of the adjectives' variants alone."""
    folder = tmp_path / "other" / "merge_snli"
    source = find_dataset(str(DATA_SET))
    run = json.loads((DATA_SET / "run.json").read_text(encoding="utf-8"))
    run["data"]["files"], run["data"]["rows"] = {}, {}
    for config, of in ((ALL, "adj"), ("adj", "adj"), (SEED, SEED)):
        for split, rows in source.record.data.rows[of].items():
            path = folder / data_file(config, split)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(DATA_SET / data_file(of, split), path)
            run["data"]["files"][data_file(config, split)] = sha256_of_file(path)
            run["data"]["rows"].setdefault(config, {})[split] = rows
    run["data"]["digest"] = hashlib.sha256(b"other").hexdigest()
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def tree(folder: Path) -> dict[str, str]:
    """Return what a folder holds: digests of its files, and its folders."""
    return {
        str(path.relative_to(folder)): "folder" if path.is_dir() else sha256_of_file(path)
        for path in sorted(folder.rglob("*"))
    }


LOAD = """
import json, sys
sys.modules["transformers"] = None  # for speed: evaluate imports it, and torch, where it is there
from datasets import load_dataset
import evaluate

wanted = json.loads(sys.argv[1])
found = {config: load_dataset("merge_snli", config, split=split).to_list() for config, split in wanted.items()}
streamed = list(load_dataset("merge_snli", "noun" if "noun" in wanted else "adj", split="subsample_3", streaming=True))
metric = evaluate.load("pattern_accuracy")
scores = metric.compute(predictions=[0, 0, 1], references=[0, 0, 0], groups=["a", "a", "b"], thresholds=0.9)
bare = {split: table.num_rows for split, table in load_dataset("merge_snli").items()}
print(json.dumps({"rows": found, "streamed": streamed, "scores": scores, "bare": bare}))
"""


def load_elsewhere(home: Path, empty: Path, wanted: dict[str, str]) -> dict[str, object]:
    """Load by bare name with the plain libraries, in another process, from another folder."""
    empty.mkdir(exist_ok=True)
    others = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment = {**others, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, json.dumps(wanted)]
    done = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded: dict[str, object] = json.loads(done.stdout)
    return loaded


def rows_of(folder: Path, config: str, split: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = pq.read_table(folder / data_file(config, split)).to_pylist()
    return rows


def test_registered_once_it_loads_from_anywhere_and_undone_nothing_is_left(home: Path, tmp_path: Path) -> None:
    made = register(str(DATA_SET))
    assert registered() == made
    assert made.is_whole
    assert made.configs == ("all", "noun", "verb", "adj", "seed")
    wanted = dict.fromkeys(made.configs, TEST)
    loaded = load_elsewhere(home, tmp_path / "empty", wanted)
    assert loaded["rows"] == {config: rows_of(DATA_SET, config, TEST) for config in wanted}
    assert loaded["streamed"] == rows_of(DATA_SET, "noun", "subsample_3")
    assert loaded["bare"] == find_dataset(str(DATA_SET)).record.data.rows["all"]
    assert loaded["scores"] == {"sample_accuracy": 2 / 3, "pattern_accuracy": 0.5, "n_samples": 3, "n_groups": 2}
    assert undo() == made
    assert registered() is None
    # What is left was made by the libraries in the process that loaded.
    assert not [path for path in home.rglob("*") if path.is_file() and path.stat().st_size]
    assert not list(home.rglob("*merge_snli*"))


@pytest.mark.usefixtures("unchecked")
def test_what_was_there_before_is_there_after_and_an_older_registration_is_replaced(
    home: Path, tmp_path: Path, other_set: Path
) -> None:
    metric = home / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--pattern_accuracy" / ("0" * 64)
    metric.mkdir(parents=True)
    (metric / "pattern_accuracy.py").write_text("raise RuntimeError('the older one')\n")
    (metric.parent / "__init__.py").write_text("# of another\n")
    datasets.load_dataset(str(DATA_SET), "noun", cache_dir=str(home / "datasets"))
    before = tree(home)
    register(str(DATA_SET))
    second = register(str(other_set))
    assert registered() == second
    loaded = load_elsewhere(home, tmp_path / "empty", {ALL: TEST, "adj": TEST})
    assert loaded["rows"] == {config: rows_of(other_set, config, TEST) for config in (ALL, "adj")}
    undo()
    after = {name: digest for name, digest in tree(home).items() if not made_by_use(name)}
    assert after == before


def made_by_use(name: str) -> bool:
    """Tell what `evaluate` makes in its home by itself when it is imported and used."""
    return name.startswith(("evaluate", "metrics")) or name in USED


USED = {"modules/__init__.py", "modules/evaluate_modules/__init__.py", "modules/evaluate_modules/metrics/__init__.py"}


@pytest.mark.usefixtures("unchecked")
def test_written_and_undone_without_use_the_caches_are_the_same_byte_for_byte(home: Path, other_set: Path) -> None:
    register(str(DATA_SET))
    undo()
    assert not home.parent.exists()
    (home / "datasets" / "merge_snli" / "noun").mkdir(parents=True)
    (home / "modules").mkdir()
    (home / "modules" / "__init__.py").write_text("# mine\n")
    before = tree(home)
    register(str(other_set))
    register(str(DATA_SET))
    register(str(DATA_SET))
    undo(str(DATA_SET))
    assert tree(home) == before
    assert undo() is None


@pytest.mark.usefixtures("unchecked")
def test_what_others_put_beside_it_since_stays(home: Path) -> None:
    register(str(DATA_SET))
    other = home / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--accuracy"
    other.mkdir()
    undo()
    assert other.is_dir()
    assert (other.parent / "__init__.py").is_file()
    assert not (other.parent / "evaluate-metric--pattern_accuracy").exists()


def test_a_library_that_changed_its_cache_is_noticed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "changed").mkdir()
    (tmp_path / "changed" / "sitecustomize.py").write_text(
        "import os, os.path\n"
        "found = os.path.isdir\n"
        "os.path.isdir = lambda path: 'registered-' not in str(path) and found(path)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "changed"))
    with pytest.raises(InputError) as caught:
        register(str(DATA_SET))
    message = str(caught.value)
    assert (
        f"datasets {datasets.__version__} and evaluate {evaluate.__version__} do not load from their caches" in message
    )
    assert f"load_dataset({str(DATA_SET)!r}, 'noun')" in message
    assert "evaluate.load('" in message
    assert "nothing was registered" in message
    assert not home.parent.exists()


@pytest.mark.usefixtures("unchecked")
def test_a_write_that_fails_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = []
    really_move = shutil.move

    def move(source: Path | str, target: Path | str) -> None:
        if isinstance(target, Path):
            moved.append(target)
        if len(moved) == 3:
            raise OSError(28, "No space left on device")
        really_move(source, target)

    monkeypatch.setattr(REGISTER.shutil, "move", move)
    with pytest.raises(InputError, match="is full"):
        register(str(DATA_SET))
    assert not home.parent.exists()


@pytest.mark.usefixtures("unchecked")
def test_what_a_kill_left_is_told_and_undone(home: Path) -> None:
    made = register(str(DATA_SET))
    shutil.rmtree(made.trees[0])
    there = registered()
    assert there is not None
    assert not there.is_whole
    undo()
    assert not home.parent.exists()


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_registered_or_undone(home: Path, other_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(str(DATA_SET))
    with pytest.raises(InputError, match=r"is not registered, .*merge_snli is: undo that"):
        undo(str(other_set))
    (other_set / data_file("adj", TEST)).write_bytes(b"torn")
    before = tree(home)
    with pytest.raises(InputError, match=r"adj/test\.parquet is not the file that the run wrote"):
        register(str(other_set))
    assert tree(home) == before
    record = home / "datasets" / "merge_snli" / "registered.json"
    said = json.loads(record.read_text())
    run = json.loads((other_set / "run.json").read_text(encoding="utf-8"))
    for part in ("problems", "options", "masked_lms"):
        (other_set / "run.json").write_text(json.dumps(run | {part: {}}))
        with pytest.raises(InputError, match=rf"run\.json.*{part}"):
            register(str(other_set))
    assert tree(home) == before
    caches = find_caches()
    named: list[tuple[str, Path]] = [("trees", other_set), ("trees", caches.datasets), ("trees", caches.modules)]
    named += [("places", other_set / "__init__.py"), ("places", other_set), ("places", Path("__init__.py"))]
    for kind, path in named:
        record.write_text(json.dumps(said | {kind: [str(path)]}))
        with pytest.raises(InputError, match="which no registration writes"):
            undo()
    assert tree(home).keys() == before.keys()
    record.write_text("[]")
    with pytest.raises(InputError, match=r"registered\.json is not what a registration wrote"):
        registered()
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", Path("modules"))
    with pytest.raises(InputError, match="give HF_HOME or HF_MODULES_CACHE an absolute path"):
        find_caches()


@pytest.mark.usefixtures("unchecked")
def test_registrations_at_once_wait_for_each_other(home: Path, other_set: Path) -> None:
    with ThreadPoolExecutor() as pool:
        made = list(pool.map(register, [str(DATA_SET), str(other_set)] * 2))
        there = registered()
        assert there in made
        assert there is not None
        assert there.is_whole
        assert [path.name for path in (home / "datasets").iterdir()] == ["merge_snli"]
        undone = list(pool.map(lambda _: undo(), range(3)))
    assert undone.count(None) == 2
    assert not home.parent.exists()


@pytest.mark.usefixtures("unchecked")
def test_a_data_set_of_the_hub_is_named_by_its_id(hub: Hub, home: Path, other_set: Path) -> None:
    repo = hub.storage.create("dataset", "org/other")
    files = {str(path.relative_to(other_set)): path.read_bytes() for path in other_set.rglob("*") if path.is_file()}
    hub.storage.put(repo, files)
    assert register("org/other").data_set == f"org/other@{repo.branches['main']}"
    with pytest.raises(InputError, match=r"org/othe is not registered, org/other@[0-9a-f]{40} is: undo that"):
        undo("org/othe")
    assert undo("org/other") is not None
    assert not home.parent.exists()


def test_both_libraries_name_the_same_cache_of_modules() -> None:
    assert Path(evaluate.config.HF_MODULES_CACHE) == find_caches().modules


@pytest.mark.usefixtures("unchecked")
def test_the_command_says_what_it_wrote_where(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["register", "--list"]) == 0
    assert capsys.readouterr().out == f"nothing is registered in {home / 'datasets'}\n"
    assert main(["register", str(DATA_SET)]) == 0
    said = capsys.readouterr().out
    made = registered()
    assert made is not None
    for written in (*made.trees, 'load_dataset("merge_snli", "noun")', 'evaluate.load("pattern_accuracy")'):
        assert written in said
    shutil.rmtree(made.trees[-1])
    assert main(["register", "--list"]) == 0
    assert capsys.readouterr().out == f"{said}parts of it are missing: register it again, or take it away with --undo\n"
    assert main(["register", "--undo"]) == 0
    assert f"no longer registered: {DATA_SET}" in capsys.readouterr().out
    assert not home.parent.exists()
    assert main(["register"]) == 2
    assert "register needs a data set" in capsys.readouterr().err
