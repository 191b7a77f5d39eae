"""The Croissant file: `mlcroissant` accepts it and reads the rows of the Parquet files through it."""

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
    """The Croissant file of the shipped data set, opened with `mlcroissant`."""
    folder = tmp_path_factory.mktemp("croissant") / "merge_snli"
    shutil.copytree(DATA_SET / "data", folder / "data")
    write_croissant(find_dataset(str(DATA_SET)), folder / "croissant.json", published=DAY)
    import mlcroissant as mlc

    return mlc.Dataset(jsonld=str(folder / "croissant.json"))


def test_no_errors_or_warnings(read: mlc.Dataset) -> None:
    issues = read.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings, issues.warnings


@pytest.mark.parametrize(("config", "split"), [("noun", "subsample_3"), ("seed", "test")])
def test_rows(read: mlc.Dataset, config: str, split: str) -> None:
    records = read.records(f"{config}/{split}")
    rows = pq.read_table(DATA_SET / data_file(config, split)).slice(0, 20).to_pylist()
    for record, row in zip(islice(records, 20), rows, strict=True):
        found = {name.rpartition("/")[2]: to_python(value) for name, value in record.items()}
        assert found.pop("log_odds", None) == pytest.approx(row.pop("log_odds", None))
        assert found == row


def to_python(value: object) -> object:
    """Convert bytes to strings and arrays to lists."""
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "tolist"):
        return to_python(value.tolist())
    return [to_python(each) for each in value] if isinstance(value, list) else value


def test_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    with pytest.raises(InputError, match="mlcroissant"):
        croissant(find_dataset(str(DATA_SET)), published=DAY)
