"""The parts that data sets of pairs share with MERGE data sets: loading, validation, card, publishing, registration."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation.output.dataset import find_finished
from generation.report.explain import explain
from generation.report.seed_list import seed_table
from generation.report.tables import table_2
from generation.seeds_from import read_seeds
from merge_snli.annotation.sample import draw_sample
from merge_snli.builder import builder_of
from merge_snli.card import render_card
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.hub.plan import plan
from merge_snli.hub.prepare import prepare_dataset
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.schema import data_file
from merge_snli.validation import validate
from tests.oracles import refused, written

CONFIGS = {"simple": "test", "relevance": "test", "conjunction": "test", "augmentation": "train"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    """Simple Pair with 8 premises per family or template."""
    return make_simple_pair(tmp_path_factory.mktemp("small") / "simple_pair", SimplePairOptions(premises=8))


@pytest.fixture
def copy(small: MergeDataset, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small.folder, tmp_path / "simple_pair"))


@contextmanager
def changed_record(folder: Path) -> Iterator[dict[str, Any]]:
    """Read the record of a data set, and write it back after it was changed."""
    record = json.loads((folder / "run.json").read_text())
    yield record
    (folder / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize(("config", "split"), CONFIGS.items())
def test_load_dataset_from_the_parent_folder(
    small: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, split: str
) -> None:
    monkeypatch.chdir(small.folder.parent)
    loaded = datasets.load_dataset("simple_pair", config, cache_dir=str(tmp_path))
    assert list(loaded) == [split]
    assert loaded[split].features["label"].names == ["entailment", "neutral", "contradiction"]
    assert loaded[split].to_list() == read_split(small, config, split).to_pylist()
    assert loaded[split].column_names[:5] == ["pair_id", "group_id", "premise", "hypothesis", "label"]


def test_the_builder_knows_no_subsamples(small: MergeDataset, tmp_path: Path) -> None:
    builder = builder_of(small.configs)(
        config_name="simple", data_dir=str(small.folder), subsample=0, cache_dir=str(tmp_path)
    )
    refused("no subsamples", builder.download_and_prepare, error=ValueError)


def test_only_the_columns_of_a_config(small: MergeDataset) -> None:
    names = {config: {column.name for column in small.record.columns(config)} for config in CONFIGS}
    assert names["relevance"] - names["simple"] == {"relevance", "order", "joined_by", "n3", "a3", "s3", "v3", "o3"}
    assert names["simple"] == names["conjunction"] == names["augmentation"]


NEED_SEEDS: dict[str, Callable[[MergeDataset], object]] = {
    "seeds": lambda small: read_seeds(str(small.folder), ["noun"]),
    "table 2": table_2,
    "explain": lambda small: explain(small, "a", small.folder),
    "a list of seeds": seed_table,
    "a sample": lambda small: draw_sample([small], sizes=[1], annotators=["a"]),
}


@pytest.mark.parametrize("name", NEED_SEEDS)
def test_what_needs_seeds_or_masked_lms_is_refused_with_one_sentence(small: MergeDataset, name: str) -> None:
    refused(r"Simple Pair has no .*pairs simple.*merge-snli generate", NEED_SEEDS[name], small)


def test_the_record_has_no_seeds_and_no_masked_lms(small: MergeDataset) -> None:
    assert find_dataset(str(small.folder)) == small
    assert (small.record.subsamples, small.record.has_seeds, small.record.generation) == (None, False, None)


def test_a_run_of_generate_does_not_replace_pairs(small: MergeDataset, copy: Path) -> None:
    inputs: Any = None  # they are not read
    refused(r"made by merge-snli pairs simple.*overwrite", find_finished, copy, inputs, overwrite=False)
    assert find_finished(copy, inputs, overwrite=True) is None


def test_labels_of_groups_are_recorded_if_a_group_has_one_label(small: MergeDataset) -> None:
    simple, augmentation = (small.record.configs[name] for name in ("simple", "augmentation"))
    assert simple.group_labels == {"entailment": 0, "neutral": simple.groups, "contradiction": 0}
    assert augmentation.group_labels is None
    assert sum(augmentation.labels.values()) == augmentation.rows == augmentation.splits["train"]
    assert list(small.record.test_configs) == ["simple", "relevance", "conjunction"]


def test_validation_makes_the_rows_again(small: MergeDataset) -> None:
    report = validate(small)
    assert (report.findings, report.not_checked) == ((), ())
    rows = sum(sum(splits.values()) for splits in small.record.rows.values())
    assert report.checked == {"data files": 4, "rows": rows, "regenerated rows": rows}


def places(folder: Path) -> set[tuple[str, int | None, str | None]]:
    """Return where validation finds something."""
    return {(finding.file, finding.row, finding.column) for finding in validate(folder).findings}


@pytest.mark.parametrize(
    ("config", "row", "column", "value"),
    [
        ("conjunction", 3, "hypothesis", "The moon is round."),
        pytest.param("simple", 0, "group_id", "simple-n_is_a-00001", marks=pytest.mark.slow),
        pytest.param("relevance", 5, "pair_id", "simple-n_is_a-00000:n2_is_a1", marks=pytest.mark.slow),
    ],
)
def test_validation_finds_a_changed_value(copy: Path, config: str, row: int, column: str, value: str) -> None:
    path = copy / data_file(config, CONFIGS[config])
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[row] = value
    pq.write_table(table.set_column(table.column_names.index(column), column, pa.array(values)), path)
    file = data_file(config, CONFIGS[config])
    assert (file, None, None) in places(copy)
    assert any(place[::2] == (file, column) and place[1] is not None for place in places(copy))


def test_validation_finds_a_changed_record_and_card(copy: Path) -> None:
    with changed_record(copy) as record:
        record["configs"]["simple"]["labels"]["neutral"] += 1
    (copy / "README.md").write_text((copy / "README.md").read_text().replace("Simple Pair", "Simple Pairs"))
    found = {(file, column) for file, _, column in places(copy)}
    assert {("run.json", "configs.simple.labels.neutral"), ("run.json", "digest")} <= found
    assert "README.md" in {file for file, _ in found}


@pytest.mark.parametrize("change", [{"configs": []}, {"group_column": 3}, {"data": None}])
def test_malformed_record(change: dict[str, object], copy: Path) -> None:
    with changed_record(copy) as record:
        record.update(change)
    (place,) = change
    assert any(column and column.startswith(place) for _, _, column in places(copy))
    refused(rf"run\.json.*{place}", find_dataset, str(copy))


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        (["group_column"], "unknown", "no column unknown"),
        (["label_names"], ["entailment", "neutral", "neutral"], "label_names"),
        (["configs"], {}, "configs"),
        (["configs", "simple", "columns", 0, "type"], "blob", "Input should be 'string'"),
    ],
)
def test_a_record_whose_data_cannot_be_read(place: list[Any], value: object, named: str, copy: Path) -> None:
    with changed_record(copy) as record:
        reduce(getitem, place[:-1], record)[place[-1]] = value
    assert any(finding.file == "run.json" and named in finding.message for finding in validate(copy).findings)


def test_card_shows_every_config_and_column(small: MergeDataset) -> None:
    card = render_card(small.record, small.folder)
    assert card == (small.folder / "README.md").read_text() and "{{" not in card
    assert 'load_dataset("./simple_pair", "simple", split="test")' in card
    for config in CONFIGS:
        assert f"| `{config}`" in card
        assert [column for column in small.record.columns(config) if f"| `{column.name}` |" not in card] == []


def test_publishing_plan(small: MergeDataset) -> None:
    planned = plan(small, "org/simple_pair")
    (branch,) = planned.branches
    assert set(branch.files) == {"README.md", "run.json", *small.record.files}
    assert planned.tag is not None
    card, run = (content for name in ("README.md", "run.json") if isinstance(content := branch.files[name], bytes))
    assert 'load_dataset("org/simple_pair", "simple", split="test")' in card.decode()
    assert json.loads(run)["published"] == {"dataset": "org/simple_pair", "metric": None}


def test_a_published_data_set_is_valid(small: MergeDataset, tmp_path: Path) -> None:
    for path, content in plan(small, "org/simple_pair").branches[0].files.items():
        written(tmp_path / path, content if isinstance(content, bytes) else content.read_bytes())
    assert validate(tmp_path).findings == ()


def test_prepared_for_registration(small: MergeDataset, tmp_path: Path) -> None:
    folders = prepare_dataset(small, tmp_path, "simple_pair")
    assert [folder.parts[1] for folder in folders] == list(CONFIGS)
    times = {folder.parts[1]: (tmp_path / folder).stat().st_mtime for folder in folders}
    assert max(times, key=times.__getitem__) == "simple"
    table = datasets.Dataset.from_file(str(next((tmp_path / folders[0]).glob("*.arrow"))))
    assert table.to_list() == read_split(small, "simple").to_pylist()
