"""Registration: the libraries load it by bare name from an empty folder, and undo removes it."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import datasets
import evaluate
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.base.files import read_json, sha256_of_file
from merge_snli.cli import main
from merge_snli.dataset.stored import find_dataset
from merge_snli.hub.register import datasets_cache, modules_cache, register, registered, undo
from merge_snli.schema import ALL, ANNOTATION, SEED, TEST, data_file
from tests.commands import Command
from tests.hub.server import Hub
from tests.merge_snli.hub.conftest import CONFIGS, part_of_the_bundled_data
from tests.oracles import BUNDLED, known, missing_from, refused, rows_of, written
from tests.records import files_in

SCORES = [{"variant_id": "v1", "annotator": "a1", "F": 5, "R": 4, "comment": ""}]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A missing folder that the libraries use as HF_HOME."""
    home = tmp_path / "home" / "huggingface"
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", home / "datasets")
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", home / "modules")
    return home


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the check in another process, for tests of what is written."""
    monkeypatch.setattr("merge_snli.hub.register.check_loading", lambda dataset, stage, name: None)


@pytest.fixture(scope="module")
def data_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All configs of the bundled data set with two splits, since the libraries take a second for all, and scores."""
    folder = part_of_the_bundled_data(tmp_path_factory.mktemp("two") / "merge_snli", (TEST, "subsample_0"))
    path = folder / data_file(ANNOTATION, TEST)
    path.parent.mkdir()
    pq.write_table(pa.Table.from_pylist(SCORES), path)
    change_run(folder, {ANNOTATION: {"digest": sha256_of_file(path), "rows": 1, "annotators": ["a1"]}})
    return folder


@pytest.fixture
def other_set(tmp_path: Path) -> Path:
    """A data set without nouns and verbs."""
    return part_of_the_bundled_data(tmp_path / "other" / "merge_snli", (TEST, "subsample_0"), (ALL, "adj", SEED))


def change_run(folder: Path, changes: Mapping[str, object]) -> None:
    run = read_json(folder / "run.json")
    (folder / "run.json").write_text(json.dumps(run | changes), encoding="utf-8")


def tree(folder: Path) -> dict[str, str]:
    """Return the files of a folder with their digests, and its subfolders, without the lock of registration."""
    found = {}
    for path in folder.rglob("*"):
        found[path.relative_to(folder).as_posix()] = "folder" if path.is_dir() else sha256_of_file(path)
    found.pop("datasets/.merge_snli.lock", None)
    return found


LOAD = """
import json, sys
sys.modules["transformers"] = None  # for speed: evaluate would import it, and torch
from datasets import load_dataset
import evaluate

wanted = json.loads(sys.argv[1])
found = {config: load_dataset("merge_snli", config, split=split).to_list() for config, split in wanted.items()}
streamed = list(load_dataset("merge_snli", "noun", split="subsample_0", streaming=True))
metric = evaluate.load("pattern_accuracy")
scores = metric.compute(predictions=[0, 0, 1], references=[0, 0, 0], groups=["a", "a", "b"], thresholds=0.9)
bare = {split: table.num_rows for split, table in load_dataset("merge_snli").items()}
print(json.dumps({"rows": found, "streamed": streamed, "scores": scores, "bare": bare}))
"""


def load_elsewhere(home: Path, empty: Path, wanted: dict[str, str]) -> dict[str, object]:
    """Load by bare name in another process, from another folder."""
    empty.mkdir(exist_ok=True)
    others = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment = {**others, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the cache of modules then has only files of ours
    command = [sys.executable, "-c", LOAD, json.dumps(wanted)]
    done = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded: dict[str, object] = json.loads(done.stdout)
    return loaded


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder that are not empty: locks and what the libraries make are."""
    return [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]


def assert_nothing_is_registered(home: Path) -> None:
    assert registered() is None
    assert files_of(home) == []


@pytest.fixture
def with_others(home: Path) -> dict[str, str]:
    """The files of caches that have an older registration of the metric, and others, with their digests."""
    metric = home / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--pattern_accuracy" / ("0" * 64)
    written(metric / "pattern_accuracy.py", "raise RuntimeError('the older one')\n")
    (metric.parent / "__init__.py").write_text("# of another\n")
    return {path.relative_to(home).as_posix(): sha256_of_file(path) for path in files_of(home)}


@pytest.mark.slow
def test_register_loads_from_anywhere_and_undo_removes_it(
    data_set: Path, home: Path, with_others: dict[str, str], tmp_path: Path
) -> None:
    """Registration itself loads each config in another process; here the rows are compared too."""
    registration = register(str(data_set))
    assert registered() == registration
    assert registration.is_complete
    assert registration.configs == (*CONFIGS, ANNOTATION)
    loaded = load_elsewhere(home, tmp_path / "empty", dict.fromkeys(registration.configs, TEST))
    rows = {config: rows_of(data_set, config, TEST) for config in CONFIGS}
    assert loaded["rows"] == rows | {ANNOTATION: SCORES}
    assert loaded["streamed"] == rows_of(data_set, "noun", "subsample_0")
    assert loaded["bare"] == find_dataset(str(data_set)).record.data_rows["all"]
    assert loaded["scores"] == {"sample_accuracy": 2 / 3, "pattern_accuracy": 0.5, "n_samples": 3, "n_groups": 2}
    assert undo() == registration
    assert registered() is None
    assert {path.relative_to(home).as_posix(): sha256_of_file(path) for path in files_of(home)} == with_others
    assert not (home / "datasets" / "merge_snli").exists()
    assert undo() is None


def test_changed_scores_of_annotators_are_refused(data_set: Path, home: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(data_set, tmp_path / "copy"))
    (copy / data_file(ANNOTATION, TEST)).write_bytes(b"torn")
    refused(r"annotation/test\.parquet is missing or was changed", register, str(copy))


@pytest.mark.usefixtures("unchecked")
def test_the_copies_have_the_date_of_the_registration(other_set: Path, home: Path) -> None:
    start = int(time.time())
    dates = {Path(folder): Path(folder).stat().st_mtime for folder in register(str(other_set)).folders}
    assert start <= min(dates.values())
    assert max(dates.values()) <= time.time() + 1
    assert max(dates, key=dates.__getitem__).parts[-3] == ALL


@pytest.mark.usefixtures("unchecked", "with_others")
def test_other_files_of_the_caches_are_kept_and_an_older_registration_is_replaced(
    data_set: Path, home: Path, other_set: Path
) -> None:
    datasets.load_dataset(str(BUNDLED), "noun", cache_dir=str(home / "datasets"))
    before = tree(home)
    register(str(data_set))
    assert register(str(other_set)) == registered()
    undo(str(other_set))
    assert tree(home) == before


@pytest.mark.usefixtures("unchecked")
def test_a_folder_that_register_did_not_write_is_not_overwritten(data_set: Path, home: Path, other_set: Path) -> None:
    registration = register(str(data_set))
    (home / "datasets" / "merge_snli" / "registered.json").unlink()
    before = tree(home)
    message = re.escape(f"{registration.folders[0]} exists and was not written by merge-snli register")
    refused(message, register, str(data_set))
    assert tree(home) == before


WITHOUT_FOLDERS = """
import os, os.path
found = os.path.isdir
os.path.isdir = lambda path: 'registered-' not in str(path) and found(path)
"""


def check_fails(customization: str, folder: Path, data_set: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the message if the process that checks what is loaded is customized so."""
    (folder / "sitecustomize.py").write_text(customization)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return str(refused("", register, str(data_set)))


@pytest.mark.slow
def test_a_changed_format_of_the_libraries_leaves_nothing(
    data_set: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = check_fails(WITHOUT_FOLDERS, tmp_path, data_set, monkeypatch)
    versions = f"datasets {datasets.__version__} and evaluate {evaluate.__version__} do not load"
    instead = (f"load_dataset({str(data_set)!r}, 'noun')", "evaluate.load('", "nothing was registered")
    assert not missing_from(message, versions, *instead)
    assert_nothing_is_registered(home)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("target", "fails_at"),
    [
        ("merge_snli.hub.register.shutil.move", 3),
        ("datasets.arrow_writer.ArrowWriter.write_table", 1),  # `datasets` wraps the error in one of its own
    ],
)
def test_a_full_disk_leaves_nothing(
    target: str, fails_at: int, data_set: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    move = shutil.move

    def write(*arguments: Any) -> None:  # noqa: ANN401
        calls.append(arguments)
        if len(calls) == fails_at:
            raise OSError(28, "No space left on device")
        move(*arguments)

    monkeypatch.setattr(target, write)
    refused(re.escape(f"the disk of {home / 'datasets'} is full"), register, str(data_set))
    assert_nothing_is_registered(home)


@pytest.mark.usefixtures("unchecked")
def test_an_incomplete_registration_is_reported_and_undone(data_set: Path, home: Path) -> None:
    shutil.rmtree(register(str(data_set)).folders[0])
    assert not known(registered()).is_complete
    undo()
    assert files_of(home) == []


@pytest.mark.usefixtures("unchecked")
def test_a_damaged_data_set_is_refused(data_set: Path, home: Path, other_set: Path) -> None:
    register(str(data_set))
    (other_set / data_file("adj", TEST)).write_bytes(b"torn")
    before = tree(home)
    refused(r"adj/test\.parquet is missing or was changed", register, str(other_set))
    run = (other_set / "run.json").read_text(encoding="utf-8")
    for part in ("label_names", "configs", "generation"):
        (other_set / "run.json").write_text(run, encoding="utf-8")
        change_run(other_set, {part: {}})
        refused(rf"run\.json.*{part}", register, str(other_set))
    assert tree(home) == before


@pytest.mark.usefixtures("unchecked")
def test_a_malformed_record_deletes_nothing(data_set: Path, home: Path, other_set: Path) -> None:
    register(str(data_set))
    before = tree(home)
    cache = datasets_cache()
    record = cache / "merge_snli" / "registered.json"
    outside = cache / "merge_snli" / ".." / "other"
    content = read_json(record)
    for path in (other_set, cache, modules_cache(), cache / "merge_snli", outside, Path("relative")):
        record.write_text(json.dumps(content | {"folders": [str(path)]}))
        refused("which merge-snli register does not write", undo)
    assert tree(home).keys() == before.keys()
    record.write_text("[]")
    refused(r"registered\.json was not written by merge-snli register", registered)


def test_a_relative_cache_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", Path("modules"))
    refused("set HF_HOME or HF_MODULES_CACHE to an absolute one", modules_cache)


@pytest.mark.usefixtures("unchecked")
def test_concurrent_registrations_wait_for_each_other(data_set: Path, home: Path, other_set: Path) -> None:
    with ThreadPoolExecutor() as pool:
        made = list(pool.map(register, [str(data_set), str(other_set)] * 2))
        registration = known(registered())
        assert registration in made
        assert registration.is_complete
        assert {path.name for path in (home / "datasets").iterdir()} == {"merge_snli", ".merge_snli.lock"}
        undone = list(pool.map(lambda _: undo(), range(3)))
    assert undone.count(None) == 2
    assert files_of(home) == []


@pytest.mark.usefixtures("unchecked")
def test_a_hub_data_set_is_named_by_its_id(hub: Hub, home: Path, other_set: Path) -> None:
    repo = hub.storage.create("dataset", "org/other")
    hub.storage.put(repo, files_in(other_set))
    assert register("org/other").dataset == f"org/other@{repo.branches['main']}"
    refused(r"org/othe is not registered, org/other@[0-9a-f]{40} is", undo, "org/othe")
    assert undo("org/other") is not None
    assert_nothing_is_registered(home)


def test_both_libraries_use_the_same_cache_of_modules() -> None:
    assert Path(evaluate.config.HF_MODULES_CACHE) == modules_cache()


@pytest.mark.usefixtures("unchecked")
def test_command(data_set: Path, home: Path, command: Command) -> None:
    assert command("register", "--list").out == f"nothing is registered in {home / 'datasets'}\n"
    output = command("register", data_set).out
    folders = known(registered()).folders
    assert not missing_from(output, *folders, 'load_dataset("merge_snli", "noun")', 'evaluate.load("pattern_accuracy")')
    shutil.rmtree(folders[-1])
    listed = command("register", "--list").out
    assert listed.startswith(output)
    assert "some folders are missing" in listed
    assert f"no longer registered: {data_set}" in command("register", "--undo").out
    assert_nothing_is_registered(home)
    assert "no data set given" in command("register", code=2).err


@pytest.mark.parametrize(
    "fixture", ["unchecked", pytest.param("home", marks=pytest.mark.slow, id="loaded by this name in another process")]
)
def test_another_name(
    fixture: str, home: Path, other_set: Path, command: Command, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(fixture)
    assert 'load_dataset("merge_sick", "adj")' in command("register", other_set, "--as", "merge_sick").out
    assert (home / "datasets" / "merge_sick" / "adj").is_dir()
    assert not (home / "datasets" / "merge_snli" / "adj").exists()
    assert undo() is not None
    assert_nothing_is_registered(home)
    assert not (home / "datasets" / "merge_sick").exists()


@pytest.mark.parametrize("name", ["", "..", "a/b", "Merge", "1", "merge-sick"])
def test_a_name_that_is_no_folder_name_is_refused(data_set: Path, name: str, home: Path) -> None:
    assert main(["register", str(data_set), "--as", name]) == 2
    assert not home.exists()
