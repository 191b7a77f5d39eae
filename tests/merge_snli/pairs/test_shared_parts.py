"""The parts that data sets of pairs share with MERGE data sets: loading, validation, card, publishing, registration."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from merge_snli.base.files import read_json
from merge_snli.builder import builder_of
from merge_snli.card import render_card
from merge_snli.dataset.record import PublishedRecord
from merge_snli.dataset.record_file import read_record
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.hub.plan import Target, plan
from merge_snli.hub.prepare import prepare_dataset
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.schema import data_file
from merge_snli.validation import validate
from tests.cases import slow
from tests.oracles import missing_from, refused, written

CONFIGS = ("simple", "relevance", "conjunction", "augmentation")


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
    record = read_json(folder / "run.json")
    yield record
    (folder / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize(("config", "split"), [("simple", "test"), ("augmentation", "train")])
def test_load_dataset_from_the_parent_folder(
    small: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, split: str
) -> None:
    monkeypatch.chdir(small.folder.parent)
    loaded = datasets.load_dataset("simple_pair", config, cache_dir=str(tmp_path))
    rows = loaded[split]
    assert rows.features["label"].names == ["entailment", "neutral", "contradiction"]
    assert rows.to_list() == read_split(small, config, split).to_pylist()
    assert rows.column_names[:5] == ["pair_id", "group_id", "premise", "hypothesis", "label"]


def test_the_builder_knows_no_subsamples(small: MergeDataset, tmp_path: Path) -> None:
    builder = builder_of(small.configs)(
        config_name="simple", data_dir=str(small.folder), subsample=0, cache_dir=str(tmp_path)
    )
    refused("no subsamples", builder.download_and_prepare, error=ValueError)


def test_only_the_columns_of_a_config(small: MergeDataset) -> None:
    simple = small.record.columns("simple")
    assert small.record.columns("conjunction") == simple
    assert small.record.columns("augmentation") == simple
    more = {column.name for column in small.record.columns("relevance") if column not in simple}
    assert more == {"relevance", "order", "joined_by", "n3", "a3", "s3", "v3", "o3"}


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
    assert small.record.subsamples is None
    assert not small.record.has_seeds
    assert small.record.generation is None


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
    assert report.findings == ()
    assert report.not_checked == ()
    rows = sum(config.rows for config in small.record.configs.values())
    assert report.checked == {"data files": 4, "rows": rows, "regenerated rows": rows}


@pytest.mark.parametrize(
    ("config", "row", "column", "value"),
    [
        ("conjunction", 3, "hypothesis", "The moon is round."),
        *slow(("simple", 0, "group_id", "simple-n_is_a-00001")),
        *slow(("relevance", 5, "pair_id", "simple-n_is_a-00000:n2_is_a1")),
    ],
)
def test_validation_finds_a_changed_value(copy: Path, config: str, row: int, column: str, value: str) -> None:
    file = data_file(config, "test")
    table = pq.read_table(copy / file)
    rows = table.to_pylist()
    rows[row][column] = value
    pq.write_table(pa.Table.from_pylist(rows, table.schema), copy / file)
    findings = [finding for finding in validate(copy).findings if finding.file == file]
    assert None in {finding.column for finding in findings}
    assert column in {finding.column for finding in findings if finding.row is not None}


def test_validation_finds_a_changed_record_and_card(copy: Path) -> None:
    with changed_record(copy) as record:
        record["configs"]["simple"]["labels"]["neutral"] += 1
    (copy / "README.md").write_text((copy / "README.md").read_text().replace("Simple Pair", "Simple Pairs"))
    findings = validate(copy).findings
    assert {"configs.simple.labels.neutral", "digest"} <= {finding.column for finding in findings}
    assert "README.md" in {finding.file for finding in findings}


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        ("group_column", "unknown", "no column unknown"),
        ("label_names", ["entailment", "neutral", "neutral"], "label_names"),
        ("configs", {}, "configs"),
        ("data", None, "an object"),
    ],
)
def test_a_record_whose_data_cannot_be_read(place: str, value: object, named: str, copy: Path) -> None:
    with changed_record(copy) as record:
        record[place] = value
    (finding,) = (finding for finding in validate(copy).findings if finding.file == "run.json")
    assert named in finding.message


def test_card_shows_every_config_and_column(small: MergeDataset) -> None:
    card = render_card(small.record, small.folder)
    assert card == (small.folder / "README.md").read_text()
    assert "{{" not in card
    assert 'load_dataset("./simple_pair", "simple", split="test")' in card
    for config in CONFIGS:
        names = [f"| `{column.name}` |" for column in small.record.columns(config)]
        assert not missing_from(card, f"| `{config}`", *names)


def test_what_is_published_is_valid(small: MergeDataset, tmp_path: Path) -> None:
    planned = plan(small, Target("org/simple_pair"))
    (branch,) = planned.branches
    assert set(branch.files) == {"README.md", "run.json", *small.record.files}
    assert planned.tag is not None
    for path, content in branch.files.items():
        written(tmp_path / path, content if isinstance(content, bytes) else content.read_bytes())
    assert 'load_dataset("org/simple_pair", "simple", split="test")' in (tmp_path / "README.md").read_text()
    assert read_record(tmp_path / "run.json").published == PublishedRecord("org/simple_pair", None)
    assert validate(tmp_path).findings == ()


def test_prepared_for_registration(small: MergeDataset, tmp_path: Path) -> None:
    folders = prepare_dataset(small, tmp_path, "simple_pair")
    assert [folder.parts[1] for folder in folders] == list(CONFIGS)

    table = datasets.Dataset.from_file(str(next((tmp_path / folders[0]).glob("*.arrow"))))
    assert table.to_list() == read_split(small, "simple").to_pylist()
