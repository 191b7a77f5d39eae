"""Files of others that become larger when they are read are refused before they fill the memory."""

import gzip
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import merge_snli
from merge_snli.base.limits import VARIABLE, check_gzip, check_zip, open_parquet
from tests.cases import slow
from tests.commands import Command
from tests.oracles import BUNDLED, guess, refused, written

MEGABYTES = 20
CONTENT = b" " * (MEGABYTES * 10**6)
BELOW, ABOVE = "0.019", "0.022"  # GB


def gzip_file(folder: Path) -> Path:
    return written(folder / "problems.jsonl.gz", gzip.compress(CONTENT))


def zip_file(folder: Path) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("first.json", CONTENT[: len(CONTENT) // 2])
        archive.writestr("second.json", CONTENT[len(CONTENT) // 2 :])
    return path


def zip_file_with_false_sizes(folder: Path) -> Path:
    path = zip_file(folder)
    content = bytearray(path.read_bytes())
    at = -1
    while (at := content.find(b"PK\x01\x02", at + 1)) >= 0:  # a file in the central directory
        struct.pack_into("<I", content, at + 24, 10)
    path.write_bytes(content)
    return path


def spreadsheet(folder: Path) -> Path:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet["A1"] = sheet["CZ1048576"] = "premise"
    workbook.save(folder / "problems.xlsx")
    return folder / "problems.xlsx"


def table_of(folder: Path, columns: dict[str, pa.Array]) -> Path:
    path = folder / "table.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def parquet_file(folder: Path) -> Path:
    rows = MEGABYTES * 10**6 // 16
    return table_of(folder, {"a": pa.repeat(1, rows), "b": pa.repeat("text", rows)})


def parquet_file_of_one_text(folder: Path) -> Path:
    """A text of 1 MB that is stored once and repeated in every row, and in lists."""
    rows = MEGABYTES // 2
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * 10**6]))
    lists = pa.ListArray.from_arrays(pa.array(range(rows + 1), pa.int32()), texts)
    path = folder / "table.parquet"
    pq.write_table(pa.table({"a": texts, "b": lists}), path, compression="zstd", store_schema=False)
    return path


def parquet_file_of_one_prefix(folder: Path) -> Path:
    """A text of 1 MB in every row, stored as having nothing but what the row before has."""
    path = folder / "table.parquet"
    table = pa.table({"a": ["x" * 10**6] * MEGABYTES})
    pq.write_table(table, path, compression="zstd", use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})
    return path


def parquet_file_of_one_row(folder: Path) -> Path:
    return table_of(folder, {"a": pa.array([[7] * (MEGABYTES * 10**6 // 8)])})


@pytest.mark.parametrize(
    "make",
    [
        gzip_file,
        zip_file,
        zip_file_with_false_sizes,
        parquet_file,
        parquet_file_of_one_text,
        parquet_file_of_one_prefix,
        parquet_file_of_one_row,
    ],
)
def test_a_file_that_becomes_larger_than_the_limit_is_refused(
    make: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path)
    readers: dict[str, Callable[[Path], object]] = {".gz": check_gzip, ".eval": check_zip, ".parquet": open_parquet}
    read = readers[path.suffix]
    assert path.stat().st_size < len(CONTENT) / 50
    monkeypatch.setenv(VARIABLE, BELOW)
    error = refused(f"{path.name} takes more than the limit of {BELOW} GB.*--read-limit", read, path)
    assert str(path) in str(error)
    if make is not zip_file_with_false_sizes:
        monkeypatch.setenv(VARIABLE, ABOVE)
        read(path)


@pytest.mark.parametrize("value", ["0", "-1", "much", "nan", ""])
def test_a_limit_is_a_positive_number(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    refused(f"{VARIABLE} is '{value}'", check_gzip, gzip_file(tmp_path))


GENERATE = "generate FILE --preset demo --dry-run"


@pytest.mark.parametrize(
    ("file", "command_line"),
    [
        (gzip_file, GENERATE),
        (spreadsheet, GENERATE),
        (parquet_file, "score demo:nli-a --dataset FILE --group-column a --out OUT"),
        (parquet_file, "import FILE --model m --dataset demo:dataset --out OUT"),
        (parquet_file, "annotate apply DATA FILE"),
        *slow(
            (zip_file, "import FILE --dataset demo:dataset --out OUT"),
            (zip_file, "annotate score FILE --dataset demo:dataset --out OUT"),
        ),
    ],
)
def test_a_command_refuses_it_in_one_sentence(
    file: Callable[[Path], Path], command_line: str, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")  # which the option overrides, and the test restores
    path = file(tmp_path)
    names = {"FILE": path, "OUT": tmp_path / "out", "DATA": BUNDLED}
    arguments = [names.get(word, word) for word in command_line.split()]
    printed = command("--read-limit", BELOW, *arguments, code=2)
    assert f"{path} takes more than the limit of {BELOW} GB" in printed.err
    assert len(printed.err.splitlines()) == 1
    assert printed.out == ""


def test_answers_of_a_result_and_files_of_a_data_set_are_limited(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_snli.score(guess, "demo:dataset", config="adj", out=tmp_path / "results")
    monkeypatch.setenv(VARIABLE, "0.00001")
    (answers,) = (tmp_path / "results").glob("*.parquet")
    refused_by = command("leaderboard", tmp_path / "results", "--format", "json", code=2)
    assert f"{answers} takes more than the limit of 1e-05 GB" in refused_by.err
    printed = command("validate", "demo:dataset", code=2)
    assert "data/all/test.parquet: cannot be read as Parquet" in printed.out
    assert "takes more than the limit" in printed.out
