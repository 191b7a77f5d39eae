"""Problems from every type of source, and errors that name the invalid value and its location."""

import gzip
import io
import json
from collections.abc import Mapping
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

ROWS: list[dict[str, Any]] = [
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


TABS = b'sentence_A\tsentence_B\tentailment_judgment\nA "cat" sits.\tA cat sits.\tNEUTRAL\n'


@pytest.mark.parametrize(
    ("content", "options", "premise"),
    [
        (TABS, {}, 'A "cat" sits.'),
        (TABS, {"delimiter": "tab"}, 'A "cat" sits.'),
        (TABS.replace(b"\t", b"|").replace(b'"', b""), {"delimiter": "|"}, "A cat sits."),
    ],
    ids=["tabs", "tabs, as given", "bars"],
)
def test_text_files_are_read_with_their_delimiter(
    tmp_path: Path, content: bytes, options: dict[str, str], premise: str
) -> None:
    found = read(written(tmp_path / "p.txt", content), **options)
    assert found.label_names == NLI_LABELS
    assert texts(found) == [(premise, "A cat sits.", 1)]


def test_the_first_sheet_of_a_spreadsheet_is_read(tmp_path: Path) -> None:
    book, path = pytest.importorskip("openpyxl").Workbook(), tmp_path / "p.xlsx"
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
    rows = [{"Premise": "A dog runs", "HYPOTHESIS": "A dog", "Label": "entailment", "label": "neutral"}]
    source = open_source(ProblemOptions(problems=rows))
    assert source.columns == {"premise_column": "Premise", "hypothesis_column": "HYPOTHESIS", "label_column": "label"}
    named = ProblemOptions(
        problems=rows, premise_column="premise", hypothesis_column="Hypothesis", label_column="LABEL"
    )
    assert open_source(named).columns == source.columns | {"label_column": "Label"}
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
    assert ProblemOptions(problems=path).split is None
    found = read(path, **columns, data_labels=("entailment", "not_entailment"))
    assert found.problems == (Problem("7#0", "A cat.", "A cat!", 1),)


@pytest.mark.parametrize("kind", ["saved", "files"])
def test_an_unknown_split_is_named_with_the_splits(tmp_path: Path, kind: str) -> None:
    dataset = datasets.Dataset.from_list(ROWS)
    if kind == "saved":
        datasets.DatasetDict(validation=dataset).save_to_disk(tmp_path / "d")
    else:
        (tmp_path / "d").mkdir()
        dataset.to_parquet(tmp_path / "d" / "validation.parquet")
    refused(r"d has no split 'zzz'.*'validation'", read, tmp_path / "d", split="zzz")


def test_a_pair_with_several_gold_labels_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    unlabeled, other = ROWS[0] | {"label": "-1"}, ROWS[1] | {"label": "neutral"}
    path = write(tmp_path / "problems.jsonl", unlabeled, *ROWS, ROWS[1], other, other)
    assert len(read(path).problems) == len(ROWS) + 3
    (message,) = [message for message in caplog.messages if "more than one gold label" in message]
    assert not missing_from(message, path, "1 pair(s)", f"line {len(ROWS) + 3})")
    caplog.clear()
    read(write(tmp_path / "two.jsonl", *ROWS, other, ROWS[0] | {"label": "neutral"}))
    assert "2 pair(s)" in caplog.text and f"line {len(ROWS) + 1})" in caplog.text
    caplog.clear()
    read(path, limit=len(ROWS) + 2)
    assert "more than one gold label" not in caplog.text, "equal rows have one label"


def test_rows_after_the_limit_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(lines(ROWS[0]) + b"no json\n")
    assert len(read(tmp_path / "p.jsonl", limit=1).problems) == 1


def test_a_folder_that_has_changed_gives_its_new_rows(tmp_path: Path) -> None:
    card = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n"
    (tmp_path / "README.md").write_text(card)
    for premise in ("A cat.", "A dog."):
        (tmp_path / "test.parquet").write_bytes(parquet([row | {"premise": premise} for row in ROWS]))
        assert {problem.premise for problem in read(tmp_path).problems} == {premise}


INVALID_LINES = {
    '{"premise": "A", "hypothesis": "B", "label": "perhaps"}': r"'label' has only the label 'perhaps': .*data_labels",
    '{"premise": "  ", "hypothesis": "B", "label": 0}': r"line 1: .*'premise' is empty",
    '{"premise": "A", "hypothesis": 3, "label": 0}': r"line 1: .*'hypothesis' is not text: 3",
    '{"sentence1": "A", "hypothesis": "B"}': r"line 1 .*'premise', 'label' .*premise_column, label_column",
    '{"premise": "A", "hypothesis": "B", "label": "no"}': r"'label' has only the labels no,.*data_labels",
    '{"premise": "A", ': r"line 1 is not valid JSON",
    '["A", "B", 0]': r"item 1 is not a JSON object: \"A\"",
    '{"premise": "A", "hypothesis": "B", "label": 7}': r"'label' has only the labels 7\. If they are graded scores",
    '{"premise": "A", "hypothesis": "B", "label": -1}': r"no row .*gold label.*'label'",
    '{"premise": "A", "hypothesis": "B", "label": 1}': r"'label' has only the labels 1\..*data_labels",
    "\n": "has no rows",
    '{"premise": "A \\ud800", "hypothesis": "B", "label": 0}': r"line 1: .*'premise' .*surrogate",
    '{"premise": "A", "hypothesis": "B", "label": "²"}': r"only the label '²'",
    "[" * 100_000: r"line 1 is not valid JSON",
}
NOT_UTF_8 = b'{"premise": "caf\xe9", "hypothesis": "A", "label": 0}\n'
CUT = gzip.compress(lines(ROWS[0]))[:-9]
LONG = b'premise,hypothesis,label\nA,B,neutral\n"A,B,neutral\n' + b"A,B,neutral\n" * 20_000
EMPTY_TEXTS = (
    b"premise,hypothesis,label\nA man.,A man.,entailment\n,A man.,neutral\nA man.,A man.,contradiction\n"
    b"A man.,,neutral\n,,neutral"
)
REFUSED: list[tuple[str, bytes | None, dict[str, Any], str]] = [
    *(("p.jsonl", f"{line}\n".encode(), {}, rf"(?s)(?=.*p\.jsonl).*{error}") for line, error in INVALID_LINES.items()),
    ("p.jsonl", lines(ROWS[0]) + NOT_UTF_8, {}, "line 2: byte 0xe9 in column 'premise'"),
    ("nowhere.jsonl", None, {}, "no such file"),
    ("empty.jsonl", b"", {}, "is empty"),
    ("p.ods", b"x", {}, r"'\.ods'; expected \.json, \.jsonl, \.csv, \.tsv, \.txt, \.xlsx, \.parquet"),
    ("p.parquet", b"x", {}, "cannot be read as Parquet"),
    ("p.csv", b"premise,hypothesis,label\nA,B\n", {}, "line 2 has 2 fields; the header has 3 columns"),
    ("quote.csv", b'premise,hypothesis,label\n"A,B,neutral\n', {}, "begins at line 2 "),
    ("long.csv", LONG, {}, "begins at line 3 "),
    ("gzip.jsonl", gzip.compress(b"{}"), {}, r"gzip\.jsonl is a gzip file"),
    ("zip.csv", b"PK\x03\x04rest", {}, r"zip\.csv is a zip file"),
    ("parquet.jsonl", parquet(ROWS), {}, r"rename it to \.parquet"),
    ("p.csv", b"premise,hypothesis,label,label\nA,B,neutral,entailment\n", {}, "line 1: column 'label' is there twice"),
    ("p.json", b'[{"premise": "A"},', {}, r"p\.json line 1 is not valid JSON"),
    ("p.json", json.dumps([ROWS[0], 3]).encode(), {}, r"p\.json item 2 is not a JSON object: 3"),
    ("p.jsonl.gz", CUT, {}, r"p\.jsonl\.gz is not a complete gzip file"),
    ("p.csv.gz", b"premise,hypothesis,label\n", {}, r"p\.csv\.gz is not a complete gzip file"),
    ("p.parquet.gz", b"PAR1", {}, r"unknown file type '\.parquet\.gz'"),
    ("p.jsonl", b"{}", {"delimiter": ";"}, r"delimiter is for \.csv, \.tsv, \.txt"),
    ("p.csv", b"a", {"delimiter": "; "}, r"delimiter is '; '"),
    ("p.csv", b"premise;hypothesis;label\nA;B;0\n", {"delimiter": ","}, r"premise;hypothesis;.* delimiter=';'"),
    ("p.csv", b"premise|hypothesis|label\nA|B|0\n", {}, r"premise|hypothesis|label.* delimiter='|'"),
    (
        "p.parquet",
        parquet([{"premise": ["A"], "hypothesis": "B", "label": "neutral"}]),
        {},
        r"row 1: column 'premise' is not text: \['A'\]",
    ),
    ("p.csv", EMPTY_TEXTS, {}, r"line 3: .*'premise' is empty.*2 more invalid rows: .*line 5, .*line 6"),
    ("p.csv", EMPTY_TEXTS, {"limit": 3}, r"line 3: (?!.*more)"),
    ("p.jsonl", lines(*ROWS), {"split": "train"}, r"split is 'train', but .*p.jsonl is a file"),
    (
        "p.csv",
        None,
        {"premise_column": "text", "hypothesis_column": "text"},
        r"premise_column and hypothesis_column are both 'text'",
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "options", "message"), REFUSED, ids=[f"{row[0]} {row[-1]}" for row in REFUSED]
)
def test_invalid_files_are_named_with_what_is_wrong(
    tmp_path: Path, name: str, content: bytes | None, options: dict[str, Any], message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(message, read, tmp_path / name, **options)


def test_a_hub_id_that_cannot_be_loaded_is_named() -> None:
    refused("nobody/nothing-there, split test", read, "nobody/nothing-there")


@pytest.mark.parametrize(
    ("limits", "numbers"),
    [({}, (2, 0, 3)), ({"limit": 3}, (2, 0, 1)), ({"limit": 1}, (1, 0, None)), ({"sample": 2}, (2, 0, 3))],
)
def test_invalid_rows_can_be_left_out(tmp_path: Path, limits: dict[str, Any], numbers: tuple[Any, ...]) -> None:
    (tmp_path / "p.csv").write_bytes(EMPTY_TEXTS)
    survey = read_problems(ProblemOptions(problems=str(tmp_path / "p.csv"), skip_invalid=True, **limits))
    assert (survey.with_label, survey.without_label, survey.invalid) == numbers
    assert len(survey.problems) == survey.with_label
