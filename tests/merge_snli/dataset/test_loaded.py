"""Test that what `load_dataset` returned is a data set: scored, validated and explored as it is."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from datasets import Dataset, DatasetDict, IterableDataset, load_dataset

import merge_snli as merge
from merge_snli.card.dataset_folder import card_and_record, write_files
from merge_snli.dataset.record_file import read_record
from merge_snli.dataset.stored import RUN_FILE, find_local
from merge_snli.explorer.write import write_explorer
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import BUNDLED, guess, known, refused


def scored(data: object, config: str | None = None, subsample: int | None = None) -> merge.Result:
    return merge.score(guess, data, name="lengths", config=config, subsample=subsample)


@pytest.fixture(scope="module")
def nouns() -> DatasetDict:
    loaded = load_dataset(str(BUNDLED), "noun")
    assert isinstance(loaded, DatasetDict)
    return loaded


@pytest.fixture(scope="module")
def whole() -> merge.Result:
    return scored("demo:dataset", config="noun")


def unknown(rows: Dataset) -> Dataset:
    """Return the same rows without what `datasets` knows of their folder."""
    return Dataset.from_list([*rows], features=rows.features)


def test_a_config_has_the_result_of_its_folder(nouns: DatasetDict, whole: merge.Result) -> None:
    for given in (nouns, nouns["test"], nouns["test"].shuffle(seed=1), merge.load(nouns)):
        result = scored(given)
        assert result.dataset == whole.dataset
        assert result.scores == whole.scores


def test_a_stream_has_the_result_of_its_folder(whole: merge.Result) -> None:
    stream = load_dataset(str(BUNDLED), "noun", split="test", streaming=True)
    assert isinstance(stream, IterableDataset)
    assert scored(stream).dataset == whole.dataset


def test_a_subsample_is_that_part(nouns: DatasetDict) -> None:
    given = scored(nouns["subsample_3"])
    expected = scored("demo:dataset", config="noun", subsample=3)
    assert given.dataset == expected.dataset
    assert given.scores == expected.scores


def test_a_filtered_part_is_partial(nouns: DatasetDict, whole: merge.Result) -> None:
    neutral = nouns["test"].filter(lambda row: row["label"] == 1)
    result = scored(neutral)
    part = known(result.dataset.partial)
    assert part.limit_seeds == len(set(neutral["seed_id"]))
    assert part.of == whole.dataset.digest
    assert len(result.answers.predicted) == len(neutral)
    first = scored(nouns["test"].select(range(len(neutral))))
    assert len({whole.dataset.digest, result.dataset.digest, first.dataset.digest}) == 3
    of_subsample = scored(nouns["subsample_3"].select(range(30)))
    assert known(of_subsample.dataset.partial).subsample == 3


def test_rows_without_a_folder_are_scored_validated_and_explored(
    nouns: DatasetDict, whole: merge.Result, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = unknown(nouns["test"])
    result = scored(rows)
    assert "is not known" in caplog.text
    assert result.scores == whole.scores
    assert merge.load(rows).record.subsamples == 10
    assert result.dataset.digest not in {whole.dataset.digest, scored(rows.select(range(50))).dataset.digest}
    assert result.dataset.digest == scored(rows.shuffle(seed=2)).dataset.digest
    report = merge.validate(rows)
    assert report.findings == ()
    assert report.checked["variants"] == len(rows)
    assert write_explorer([result], rows, tmp_path / "page").is_file()
    refused("no folder", find_local, merge.load(rows))


def test_changed_rows_are_found(nouns: DatasetDict) -> None:
    with_text = nouns["test"].map(lambda row: {"premise": row["premise"] + " Now."})
    with_labels = nouns["test"].map(lambda row, at: {"label": at % 3}, with_indices=True)
    without_labels = nouns["test"].map(lambda row: {"label": -1})
    assert {finding.column for finding in merge.validate(with_text).findings} == {"premise"}
    assert {finding.column for finding in merge.validate(with_labels).findings} == {"label"}
    assert {finding.column for finding in merge.validate(without_labels).findings} == {"label"}


def test_a_folder_below_the_working_directory_is_found(
    make_dataset: MakeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_dataset(tmp_path / "my_data" / "mine")
    write_files(folder, card_and_record(read_record(folder / RUN_FILE), folder))
    monkeypatch.chdir(tmp_path)
    loaded = load_dataset(str(folder), "noun", cache_dir=str(tmp_path / "cache"))
    assert merge.load(loaded).digest == merge.load(str(folder)).digest
    assert merge.validate(loaded).name == merge.load(loaded).name


def test_the_split_of_a_subsample_needs_no_numbers(nouns: DatasetDict) -> None:
    without = nouns["subsample_3"].remove_columns("subsamples")
    assert len(merge.load(without).to_pandas("noun")) == len(without)


@pytest.mark.parametrize("opened", [merge.load, scored, merge.validate])
def test_other_objects_are_refused_in_a_short_sentence(opened: Callable[[object], object], nouns: DatasetDict) -> None:
    seeds = load_dataset(str(BUNDLED), "seed")
    without = nouns["test"].remove_columns("seed_premise")
    for given in (None, {}, {"test": 1}, pd.DataFrame({"a": [1]}), seeds, without):
        assert len(str(refused(type(given).__name__, opened, given))) <= 200
    refused("seed_premise", opened, without)
