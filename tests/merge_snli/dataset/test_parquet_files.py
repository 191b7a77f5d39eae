"""Test checked Parquet files: names, and detection of damage."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.dataset.parquet_files import is_intact, write_checked

TABLE = pa.table({"number": [1, 2, 3]})


@pytest.mark.parametrize("prefix", ["", "key."])
def test_name_is_the_digest_of_the_bytes(tmp_path: Path, prefix: str) -> None:
    path = write_checked(tmp_path / "shards", TABLE, prefix=prefix, compression="zstd")
    assert path.name == f"{prefix}{hashlib.sha256(path.read_bytes()).hexdigest()}.parquet"
    assert pq.read_table(path).equals(TABLE)
    assert is_intact(path)
    assert write_checked(tmp_path / "shards", TABLE, prefix=prefix, compression="zstd") == path


@pytest.mark.parametrize("kept_bytes", [0, 100])
def test_damaged_file_is_deleted(tmp_path: Path, kept_bytes: int, caplog: pytest.LogCaptureFixture) -> None:
    path = write_checked(tmp_path, TABLE, prefix="key.")
    path.write_bytes(path.read_bytes()[:kept_bytes])
    assert not is_intact(path)
    assert not path.exists()
    assert not is_intact(path)
    assert str(path) in caplog.text
