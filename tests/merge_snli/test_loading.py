"""Loading the data sets and models that are bundled, with and without the builder."""

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from merge_snli.base.templates import printed
from merge_snli.builder import MergeSnli
from merge_snli.card import render_card
from merge_snli.dataset.stored import find_dataset
from merge_snli.embedded import embedded_path
from merge_snli.schema import NLI_LABELS, SEED, TEST, columns, data_file, features, splits
from tests.cases import first_fast
from tests.conftest import DemoRun
from tests.merge_snli.ways_of_loading import (
    LINES,
    OLD_DATASETS,
    Line,
    empty_caches,
    run_line,
    run_old,
    script_folder,
    working_in,
)
from tests.oracles import BUNDLED, Row, refused, rows_of
from tests.records import bundled, copy_bundled, save_record

DATASET = find_dataset(str(BUNDLED))


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the check of a registration in another process; these tests load the data themselves."""
    monkeypatch.setattr("merge_snli.hub.register.check_loading", lambda dataset, stage, name: None)


def digest_of(rows: list[Row]) -> str:
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("line", LINES, ids=[line.name for line in LINES])
def test_every_way_of_loading(line: Line) -> None:
    rows = run_line(line, BUNDLED)
    expected = line.expected(rows_of(BUNDLED, "noun", "subsample_3"))
    assert len(expected) > 0
    assert digest_of(rows) == digest_of(expected)


def test_readme_example_in_the_project_root() -> None:
    with empty_caches(), working_in(BUNDLED.parent):
        assert datasets.load_dataset("merge_snli", "noun")["subsample_9"].to_list() == rows_of(
            BUNDLED, "noun", "subsample_9"
        )
        assert datasets.get_dataset_config_names("merge_snli") == list(DATASET.configs)
        assert datasets.load_dataset("merge_snli", split=TEST).num_rows == len(rows_of(BUNDLED, "all", TEST))


@pytest.mark.slow
def test_local_data_set_takes_precedence_over_registered_one(tmp_path: Path) -> None:
    from merge_snli.hub.register import REGISTERED, register

    def noun() -> list[Row]:
        rows: list[Row] = datasets.load_dataset("merge_snli", "noun", split=TEST).to_list()
        return rows

    half = halved(tmp_path / "merge_snli")
    with empty_caches() as empty:
        registration = register(str(BUNDLED))
        with working_in(empty):
            assert noun() == rows_of(BUNDLED, "noun", TEST)
        forged = replace(registration, dataset="a\nregistered: b\x1b[2J")
        assert (
            printed(REGISTERED, registration=forged).splitlines()[0].startswith(r"registered: a\nregistered: b\x1b[2J")
        )
        time.sleep(1)  # the default config has the date of the next second
        with working_in(half.parent):
            assert noun() == rows_of(half, "noun", TEST)
        register(str(BUNDLED))
        with working_in(empty):
            assert noun() == rows_of(BUNDLED, "noun", TEST)


@pytest.mark.parametrize("config", first_fast(DATASET.configs))
def test_builder_has_every_split_of_every_config(config: str, tmp_path: Path) -> None:
    builder = MergeSnli(config_name=config, cache_dir=str(tmp_path))
    builder.download_and_prepare(output_dir=str(tmp_path / "parquet"), file_format="parquet")
    assert set(builder.info.splits) == set(DATASET.record.data_rows[config])
    for split in builder.info.splits:
        (written,) = (tmp_path / "parquet").glob(f"*-{split}*.parquet")
        table = pq.read_table(written)
        assert table.to_pylist() == rows_of(BUNDLED, config, split)
        assert table.schema.metadata == pq.read_schema(BUNDLED / data_file(config, split)).metadata


@pytest.mark.parametrize(
    ("config", "subsample", "message"),
    [
        ("adv", None, r"'adv'.* all, noun, verb, adj, seed"),
        *(("noun", subsample, rf"from 0 to 9 .*{subsample!r}") for subsample in (10, -1, True, "3")),
    ],
)
def test_builder_rejects_unknown_config_and_subsample(
    config: str,
    subsample: Any,  # noqa: ANN401 - of any type
    message: str,
    tmp_path: Path,
) -> None:
    refused(
        message,
        MergeSnli(config_name=config, subsample=subsample, cache_dir=str(tmp_path)).download_and_prepare,
        error=ValueError,
    )


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of branch `script`, for `datasets` 3."""
    if not OLD_DATASETS.is_file():
        pytest.skip("there is no environment with datasets 3.6.0: make test-all")
    return script_folder(BUNDLED, tmp_path_factory.mktemp("branch"))


@pytest.mark.parametrize("subsample", [3, None])
def test_loading_script(branch: Path, tmp_path: Path, subsample: int | None) -> None:
    printed = run_old(branch, tmp_path, subsample)
    assert printed["version"] == "3.6.0"
    assert list(printed["loaded"]) == list(DATASET.configs)
    for config, digests in printed["loaded"].items():
        if subsample is None:
            splits = {split: split for split in DATASET.record.data_rows[config]}
        else:
            splits = {TEST: TEST if config == SEED else f"subsample_{subsample}"}
        assert digests.keys() == splits.keys()
        for split, stored in splits.items():
            assert digests[split] == digest_of(rows_of(BUNDLED, config, stored))


def test_loading_script_does_not_import_the_package(tmp_path: Path) -> None:
    for path in script_folder(BUNDLED, tmp_path).glob("*.py"):
        imported = re.findall(r"^\s*(?:import|from) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert imported
        assert "merge_snli" not in imported


def halved(folder: Path) -> Path:
    """Write a data set with the first half of each file's rows."""
    files = {}
    for name in DATASET.record.data.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pq.read_table(BUNDLED / name)
        pq.write_table(table.slice(0, max(1, table.num_rows // 2)), path)
        files[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    record = save_record(folder, data=replace(DATASET.record.data, files=files, digest=digest))
    (folder / "README.md").write_text(render_card(record, folder), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_rewritten_folder_gives_new_rows(tmp_path: Path) -> None:
    folder = copy_bundled(tmp_path / "merge_snli")
    with empty_caches():
        assert loaded(folder) == [rows_of(BUNDLED, "noun", TEST)] * 3
        halved(folder)
        assert loaded(folder) == [rows_of(folder, "noun", TEST)] * 3
        assert len(rows_of(folder, "noun", TEST)) < len(rows_of(BUNDLED, "noun", TEST))


def loaded(folder: Path) -> list[list[Row]]:
    """Load a folder by its path, by its bare name, and with the builder."""
    with working_in(folder.parent):
        by_name = datasets.load_dataset("merge_snli", "noun", split=TEST)
    builder = MergeSnli(config_name="noun", data_dir=str(folder))
    builder.download_and_prepare()
    by_path = datasets.load_dataset(str(folder), "noun", split=TEST)
    return [by_path.to_list(), by_name.to_list(), builder.as_dataset(split=TEST).to_list()]


@pytest.mark.slow
def test_the_shipped_data_set_is_what_the_run_gives(demo_run: DemoRun) -> None:
    """Ids and strings exactly, log-odds to 1e-3; a processor that rounds otherwise may turn one row in a thousand."""
    regenerated = find_dataset(str(demo_run.out / "merge_snli"))
    assert DATASET.record.options == regenerated.record.options
    assert DATASET.record.data.files.keys() == regenerated.record.data.files.keys()
    for name in DATASET.record.data.files:
        ours = log_odds_of_rows(BUNDLED / name)
        theirs = log_odds_of_rows(regenerated.folder / name)
        differing = ours.keys() ^ theirs.keys()
        for row in ours.keys() & theirs.keys():
            if abs(ours[row] - theirs[row]) > 1e-3:
                differing.add(row)
        assert len(differing) <= len(ours) / 1_000, name


def log_odds_of_rows(path: Path) -> dict[str, float]:
    """Return the log-odds, or else 0, of each row of a file, by the text of its other columns."""
    found = {}
    for row in pq.read_table(path).to_pylist():
        log_odds = row.pop("log_odds", 0.0)
        found[str(row)] = log_odds
    return found


def test_the_data_set_keeps_at_least_60_seeds_of_all_labels_and_classes() -> None:
    configs = DATASET.record.configs
    assert configs["all"].groups >= 60
    assert min((configs["all"].group_labels or {}).get(name, 0) for name in NLI_LABELS) >= 20
    assert min(configs[config].groups for config in ("noun", "verb", "adj")) >= 10


def test_the_data_is_small() -> None:
    assert sum(path.stat().st_size for path in (BUNDLED / "data").rglob("*.parquet")) <= 2 * 2**20


def test_no_script_bears_the_folders_name() -> None:
    """`datasets` 4 and newer cannot load a folder NAME that holds NAME.py."""
    assert not (BUNDLED / "merge_snli.py").exists()


def texts_of(line: str) -> list[str]:
    """Return the words of premise and hypothesis."""
    problem = json.loads(line)
    return [" ".join(re.findall(r"\w+", problem[side].lower())) for side in ("premise", "hypothesis")]


def test_no_sentence_is_one_of_a_corpus(corpus: Callable[[str], Path]) -> None:
    ours = {text for line in lines_of(bundled("demo:problems")) for text in texts_of(line)}
    for name in ("snli/dev.jsonl", "snli/test.jsonl", "mnli/dev_matched.jsonl"):
        for line in lines_of(corpus(name)):
            assert ours.isdisjoint(texts_of(line)), line


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_an_unknown_embedded_name_lists_those_there_are() -> None:
    refused(r"demo:x.*choose from demo:problems, demo:mlm-wordpiece", embedded_path, "demo:x")
    assert embedded_path("google/bert") is None


@pytest.mark.parametrize("config", ["all", "seed"])
def test_features_are_those_of_the_columns(config: str) -> None:
    found = features(config, extra=("genre", "pairID"))
    assert list(found) == [column.name for column in columns(config, extra=("genre", "pairID"))]
    assert list(found)[-2:] == ["genre", "pairID"]
    assert found["genre"] == datasets.Value("string")
    assert [found["label"].str2int(name) for name in NLI_LABELS] == [0, 1, 2], "the numbers of SNLI"


def test_types_of_features() -> None:
    noun = features("noun", ("entailment", "not_entailment"))
    assert noun["label"] == datasets.ClassLabel(names=["entailment", "not_entailment"])
    assert (noun["subsamples"].feature, noun["log_odds"]) == (datasets.Value("int32"), datasets.Value("float32"))


def test_splits() -> None:
    assert splits("noun", 2) == ("test", "subsample_0", "subsample_1")
    assert splits("seed") == ("test",)
    assert data_file("noun", "subsample_1") == "data/noun/subsample_1.parquet"
    assert [column.name for column in columns("seed", ("adv",))][-2:] == ["adv_words", "adv_variants"]


def test_descriptions_name_the_texts() -> None:
    described = {each.name: each.description for each in columns("all", texts=("question", "sentence"))}
    assert described["premise"] == "question of the variant"
    assert described["hypothesis_mlms"] == "masked LMs that validated it in the sentence"
    assert not re.search("premise|hypothesis", " ".join(described.values()))
    words = columns("seed", ("noun",), texts=("question", "sentence"))[-2]
    assert words.description == "shared words of class noun, in the order of the question"
