"""Problems from every type of source, and errors that name the invalid value and its location."""

import gzip
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import Survey, read_problems
from merge_snli.problems.source import open_source
from merge_snli.schema import NLI_LABELS
from tests.oracles import missing_from, refused, written

ROWS = [
    {"premise": "A cat sleeps.", "hypothesis": "A cat rests.", "label": "entailment"},
    {"premise": 'The "cat" ran, fast.', "hypothesis": "The cat sat.", "label": "contradiction"},
]
EXPECTED = [(ROWS[0]["premise"], ROWS[0]["hypothesis"], 0), (ROWS[1]["premise"], ROWS[1]["hypothesis"], 2)]


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def write(path: Path, *rows: Mapping[str, Any]) -> str:
    path.write_bytes(lines(*rows))
    return str(path)


def read(path: object, **options: Any) -> Survey:  # noqa: ANN401 - values of any option
    return read_problems(ProblemOptions(problems=str(path), **options))


def texts(read: Survey) -> list[tuple[str, str, int]]:
    return [(problem.premise, problem.hypothesis, problem.label) for problem in read.problems]


@pytest.mark.parametrize(("delimiter", "given"), [("\t", None), ("\t", "tab"), ("|", "|")])
def test_text_files_are_read_with_their_delimiter(tmp_path: Path, delimiter: str, given: str | None) -> None:
    names = ("sentence_A", "sentence_B", "entailment_judgment")
    cells = ('A "cat" sits.' if delimiter == "\t" else "A cat sits.", "A cat sits.", "NEUTRAL")
    content = "".join(delimiter.join(row) + "\n" for row in (names, cells))
    found = read(written(tmp_path / "p.txt", content), delimiter=given)
    assert found.label_names == NLI_LABELS
    assert texts(found) == [(cells[0], cells[1], 1)]


def test_the_first_sheet_of_a_spreadsheet_is_read(tmp_path: Path) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    path = tmp_path / "p.xlsx"
    book.active.append(["premise", "hypothesis", "label", None])
    for row in ROWS:
        book.active.append([*row.values(), "note"])
    book.active.append([None] * 4)
    book.create_sheet("other").append(["nothing"])
    book.save(path)
    assert texts(read(path)) == EXPECTED
    book.active["B1"] = "premise"
    book.save(path)
    refused(r"p\.xlsx row 1: column 'premise' is there twice", read, path)


def test_names_of_columns_ignore_case(caplog: pytest.LogCaptureFixture) -> None:
    options = ProblemOptions(
        problems=[{"Premise": "A dog runs", "HYPOTHESIS": "A dog", "Label": "entailment", "label": "neutral"}]
    )
    found = open_source(options).columns
    assert found == {"premise_column": "Premise", "hypothesis_column": "HYPOTHESIS", "label_column": "label"}
    named = replace(options, premise_column="premise", hypothesis_column="Hypothesis", label_column="LABEL")
    assert open_source(named).columns == found | {"label_column": "Label"}
    assert not caplog.messages


def test_columns_that_are_given_are_not_replaced_by_a_guess(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    row = {"premise": "no", "sentence1": "A cat.", "sentence2": "A cat!", "gold_label": "n", "label": "e"}
    path = write(tmp_path / "p.jsonl", row)
    assert texts(read(path, premise_column="sentence1", label_column="gold_label")) == [("A cat.", "A cat!", 1)]
    refused(r"'premise1'.*premise_column", read, path, premise_column="premise1")
    assert "sentence2 (hypothesis)" in caplog.text


def test_column_names_can_be_set(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", {"s1": "A cat.", "s2": "A cat!", "gold": 1, "pairID": "7#0"})
    columns = {"premise_column": "s1", "hypothesis_column": "s2", "label_column": "gold", "id_column": "pairID"}
    (problem,) = read(path, **columns, data_labels=("entailment", "not_entailment")).problems
    assert problem == Problem("7#0", "A cat.", "A cat!", 1)


@pytest.mark.parametrize("kind", ["saved", "files"])
def test_an_unknown_split_is_named_with_the_splits(tmp_path: Path, kind: str) -> None:
    dataset = datasets.Dataset.from_list(ROWS)
    if kind == "saved":
        datasets.DatasetDict(validation=dataset).save_to_disk(tmp_path / "d")
    else:
        (tmp_path / "d").mkdir()
        dataset.to_parquet(tmp_path / "d" / "validation.parquet")
    refused(r"d has no split 'zzz'.*'validation'", read, tmp_path / "d", split="zzz")


SEVERAL = "more than one gold label"


def test_a_pair_with_several_gold_labels_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, second = ROWS
    other = second | {"label": "neutral"}
    path = write(tmp_path / "p.jsonl", first | {"label": "-1"}, first, second, second, other, other)
    assert len(read(path).problems) == 5
    (message,) = [message for message in caplog.messages if SEVERAL in message]
    assert not missing_from(message, path, "1 pair(s)", "line 5)")
    assert not missing_from(caplog.text, "2 of 5 problems are exact copies", "line 4)")
    caplog.clear()
    read(write(tmp_path / "two.jsonl", first, second, other, first | {"label": "neutral"}))
    assert not missing_from(caplog.text, "2 pair(s)", "line 3)")
    assert "copies" not in caplog.text
    caplog.clear()
    read(path, limit=4)
    assert SEVERAL not in caplog.text, "equal rows have one label"


def test_rows_after_the_limit_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(lines(ROWS[0]) + b"no json\n")
    assert len(read(tmp_path / "p.jsonl", limit=1).problems) == 1


def test_a_folder_that_has_changed_gives_its_new_rows(tmp_path: Path) -> None:
    card = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n"
    (tmp_path / "README.md").write_text(card)
    for premise in ("A cat.", "A dog."):
        (tmp_path / "test.parquet").write_bytes(parquet([row | {"premise": premise} for row in ROWS]))
        assert {problem.premise for problem in read(tmp_path).problems} == {premise}


NOT_UTF_8 = b'{"premise": "caf\xe9", "hypothesis": "A", "label": 0}\n'
EMPTY_TEXTS = (
    b"premise,hypothesis,label\nA man.,A man.,entailment\n,A man.,neutral\nA man.,A man.,contradiction\n"
    b"A man.,,neutral\n,,neutral"
)
LONG = b'premise,hypothesis,label\nA,B,neutral\n"A,B,neutral\n' + b"A,B,neutral\n" * 20_000
# Files that are no plain texts, or very long.
REFUSED = {
    "deep.jsonl": (b"[" * 100_000, "line 1 is not valid JSON"),
    "latin.jsonl": (lines(ROWS[0]) + NOT_UTF_8, "line 2: byte 0xe9 in column 'premise'"),
    "long.csv": (LONG, "begins at line 3 "),
    "gzip.jsonl": (gzip.compress(b"{}"), "is a gzip file"),
    "parquet.jsonl": (parquet(ROWS), r"rename it to \.parquet"),
    "cut.jsonl.gz": (gzip.compress(lines(ROWS[0]))[:-9], "is not a complete gzip file"),
    "empty.csv": (EMPTY_TEXTS, "line 3: .*'premise' is empty.*2 more invalid rows: .*line 5, .*line 6"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_files_are_named_with_what_is_wrong(tmp_path: Path, name: str) -> None:
    content, message = REFUSED[name]
    refused(f"{name}.*{message}", read, written(tmp_path / name, content))


def test_only_the_invalid_rows_within_the_limit_are_named(tmp_path: Path) -> None:
    refused("line 3: (?!.*more)", read, written(tmp_path / "p.csv", EMPTY_TEXTS), limit=3)


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    refused("no such file", read, tmp_path / "nowhere.jsonl")


def test_a_hub_id_that_cannot_be_loaded_is_named() -> None:
    refused("nobody/nothing-there, split test", read, "nobody/nothing-there")


@pytest.mark.parametrize(
    ("limits", "with_label", "invalid"),
    [({}, 2, 3), ({"limit": 3}, 2, 1), ({"limit": 1}, 1, None), ({"sample": 2}, 2, 3)],
)
def test_invalid_rows_can_be_left_out(
    tmp_path: Path, limits: dict[str, int], with_label: int, invalid: int | None
) -> None:
    found = read(written(tmp_path / "p.csv", EMPTY_TEXTS), skip_invalid=True, **limits)
    assert len(found.problems) == found.with_label == with_label
    assert found.without_label == 0
    assert found.invalid == invalid
