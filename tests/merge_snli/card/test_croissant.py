"""The Croissant file: the reference library accepts it and reads from it the rows of the Parquet files."""

from __future__ import annotations

import shutil
import sys
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from merge_snli.card.croissant import croissant, write_croissant
from merge_snli.dataset import find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.errors import InputError
from merge_snli.schema import data_file

if TYPE_CHECKING:
    import mlcroissant as mlc

DATA_SET = FOLDER.parent
DAY = date(2026, 1, 2)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> mlc.Dataset:
    """The file of the shipped data set, as the reference library reads it."""
    folder = tmp_path_factory.mktemp("croissant") / "merge_snli"
    shutil.copytree(DATA_SET / "data", folder / "data")
    write_croissant(find_dataset(str(DATA_SET)), folder / "croissant.json", published=DAY)
    import mlcroissant as mlc

    return mlc.Dataset(jsonld=str(folder / "croissant.json"))


def test_the_reference_library_finds_no_fault(read: mlc.Dataset) -> None:
    issues = read.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings, issues.warnings


@pytest.mark.parametrize(("config", "split"), [("noun", "subsample_3"), ("seed", "test")])
def test_it_reads_the_rows_of_the_parquet_files(read: mlc.Dataset, config: str, split: str) -> None:
    records = read.records(f"{config}/{split}")
    rows = pq.read_table(DATA_SET / data_file(config, split)).slice(0, 20).to_pylist()
    for record, row in zip(islice(records, 20), rows, strict=True):
        found = {name.rpartition("/")[2]: plain(value) for name, value in record.items()}
        assert found.pop("log_odds", None) == pytest.approx(row.pop("log_odds", None))
        assert found == row


def plain(value: object) -> object:
    """Return a value of the library as Python has it: texts come as bytes, lists as arrays."""
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    with pytest.raises(InputError, match="pip install mlcroissant"):
        croissant(find_dataset(str(DATA_SET)), published=DAY)
