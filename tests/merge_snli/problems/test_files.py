"""Files as people have them: the same rows from every form of a table, and messages on what cannot be read."""

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars as pl
import pytest

from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token
from generation.sentences.words import PART_OF_WORD, shared_words
from merge_snli.base.errors import as_flags
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from tests.oracles import missing_from, refused, write_rows, written

# A text that looks like a missing value is a text, but in the column of the label.
ROWS: list[dict[str, Any]] = [
    {"premise": "A nurse opens a window.", "hypothesis": "A window is open.", "label": "entailment"},
    {"premise": "NA", "hypothesis": "null", "label": "neutral"},
    {"premise": "Two, or “three”, boats.", "hypothesis": "No boat; at all.", "label": None},
    {"premise": "A tall tree falls.", "hypothesis": "Nothing falls.", "label": "contradiction"},
]
FRAME = pd.DataFrame(ROWS)
EXPECTED = [tuple(row.values()) for row in ROWS if row["label"]]


def read(problems: object, **options: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401 - values of any option
    survey = read_problems(ProblemOptions(problems=problems, **options))
    return [(problem.premise, problem.hypothesis, survey.label_names[problem.label]) for problem in survey.problems]


COMMAS = FRAME.to_csv(index=False)
TABS = FRAME.to_csv(index=False, sep="\t", quoting=csv.QUOTE_NONE)
QUOTED = FRAME.to_csv(index=False, quoting=csv.QUOTE_ALL)
FILES = {
    "lines.jsonl": "\n".join(map(json.dumps, ROWS)),
    "array.json": json.dumps(ROWS),
    "objects.jsonl": "\n".join(json.dumps(row, indent=2) for row in ROWS),
    "wrapped.json": json.dumps({"version": 2, "examples": ROWS}, indent=4),
    "wrapped_line.json": json.dumps({"data": ROWS}),
    "lists.json": json.dumps({column: [row[column] for row in ROWS] for column in ROWS[0]}),
    "columns.json": FRAME.to_json(),
    "index.json": FRAME.to_json(orient="index"),
    "split.json": FRAME.to_json(orient="split"),
    "comma.csv": COMMAS,
    "numbered.csv": FRAME.to_csv(),
    "semicolon.csv": FRAME.to_csv(index=False, sep=";"),
    "tab.csv": TABS,
    "tab.tsv": TABS,
    "old_mac.csv": COMMAS.replace("\n", "\r"),
    "windows.csv": "\ufeff" + COMMAS.replace("\n", "\r\n"),
    "blanks.csv": QUOTED.replace('","', '",  "'),
}


@pytest.mark.parametrize("name", FILES)
def test_every_form_of_a_table_has_the_same_rows(name: str, tmp_path: Path) -> None:
    content = FILES[name].encode()
    assert read(written(tmp_path / name, content)) == EXPECTED
    assert read(written(tmp_path / f"{name}.gz", gzip.compress(content))) == EXPECTED


@pytest.mark.parametrize("name", ["comma.csv", "array.json", "tab.tsv", "data.parquet"])
def test_a_folder_has_the_rows_of_its_files(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "test" / name, FILES.get(name, ""))
    if name == "data.parquet":
        FRAME.to_parquet(path)
    assert read(path) == EXPECTED
    assert read(tmp_path, split="test") == EXPECTED


@pytest.mark.parametrize(
    "table",
    [
        FRAME.convert_dtypes(),
        FRAME.astype({"label": "category", "hypothesis": "category"}),
        FRAME.assign(note=pd.Series([1, "a", [2], {}], dtype=object)),
        pd.concat([FRAME, pd.DataFrame([[1, 2]] * len(FRAME), columns=["n", "n"])], axis=1),
        pl.DataFrame(ROWS).with_columns(pl.col("label", "premise").cast(pl.Categorical)),
        pl.DataFrame(ROWS).with_columns(pl.col("label").cast(pl.Enum(["neutral", "entailment", "contradiction"]))),
        datasets.Dataset.from_list(ROWS),
        ROWS,
    ],
    ids=["typed", "categories", "many types", "double columns", "polars categories", "enumeration", "datasets", "list"],
)
def test_every_table_in_memory_has_the_same_rows(table: object) -> None:
    assert read(table) == EXPECTED


def test_a_column_without_values_in_one_file_is_missing_there(tmp_path: Path) -> None:
    for number, row in enumerate(ROWS):
        rows = [row | {"note": "seen" if number else None}]
        write_rows(tmp_path / "rows" / f"train-{number}.jsonl", rows)
        datasets.Dataset.from_list(rows).to_parquet(written(tmp_path / "parts" / f"{number}.parquet", ""))
    assert read(f"{tmp_path}/parts/*.parquet") == EXPECTED
    assert read(tmp_path / "rows", split="train") == EXPECTED


def test_marks_within_a_cell_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text('premise;hypothesis;label\n "Come in," he said; he spoke ;neutral\n')
    assert read(path, data_labels=NLI_LABELS) == [(' "Come in," he said', " he spoke ", "neutral")]
    path.write_text('premise,hypothesis,label\n "Come" he said, he spoke ,neutral\n')
    assert read(path, data_labels=NLI_LABELS) == [(' "Come" he said', " he spoke ", "neutral")]


def test_a_comma_in_marks_within_a_cell_ends_no_cell(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    header = "premise,hypothesis,label\n"
    path.write_text(header + ' "Come in," he said, "He, too, spoke.",neutral\n"A ""b, c""", "d", neutral')
    first, second = read(path, data_labels=NLI_LABELS)
    assert first == (' "Come in," he said', "He, too, spoke.", "neutral")
    assert second == ('A "b, c"', "d", "neutral")


def test_long_cells_are_read_and_the_limit_of_the_process_stays(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    path = tmp_path / "p.csv"
    path.write_text(f"premise,hypothesis,label\n{'a word ' * 30_000},A word.,neutral\n")
    [(premise, _, _)] = read(path)
    assert len(premise) == 210_000
    path.write_text(f"premise,hypothesis,label\n{'a' * 1_000_001},A word.,neutral\n")
    message = refused("line 2 has a field of more than 1,000,000 characters", read, path)
    assert "quotation" not in str(message)
    assert csv.field_size_limit() == limit


def test_columns_that_nobody_asks_for_may_be_double_unnamed_or_broken(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(b"note,premise,hypothesis,label,,note\n\xe9,A,B,neutral,x,y\n")
    assert read(path) == [("A", "B", "neutral")]
    refused("'note' is there twice", read, path, id_column="note")
    path.write_bytes(b"premise,hypothesis,label\nA,caf\xe9,neutral\n")
    refused("line 2: byte 0xe9 in column 'hypothesis'", read, path)


@pytest.mark.parametrize("name", ["p.csv.gz", "p.tsv.gz", "p.jsonl.gz", "p.json.gz"])
def test_empty_compressed_files_have_no_rows(name: str, tmp_path: Path) -> None:
    refused(f"{name} has no rows", read, written(tmp_path / name, gzip.compress(b"")))


def message_on(problems: object) -> str:
    """Return the message with which problems are refused."""
    return as_flags(refused("", read, problems))


@pytest.mark.parametrize(
    "row",
    [
        dict.fromkeys(map(str, range(30_000)), "x"),
        {"premise": ["a"] * 20_000, "hypothesis": "B", "label": "neutral"},
        ["a"] * 50_000,
    ],
    ids=["columns", "a cell", "a row"],
)
def test_messages_on_long_rows_are_short(row: object, tmp_path: Path) -> None:
    path = written(tmp_path / "p.json", json.dumps([row]))
    assert len(message_on(path)) <= 1_000


def test_messages_on_long_labels_are_short() -> None:
    text = {"premise": "A text.", "hypothesis": "A text."}
    rows = [text | {"label": "very long " * 60 + str(number)} for number in range(40)]
    assert len(message_on(rows)) <= 1_000


def renamed(columns: str) -> list[dict[str, str]]:
    """Return the rows with other columns."""
    return [dict(zip(columns.split(","), row, strict=True)) for row in EXPECTED]


@pytest.mark.parametrize(
    "columns",
    [
        "SentenceA,SentenceB,corrected_label",
        "sent1,sent2,judgment",
        "Premise ,Hypothesis ,Gold-Label",
        "premise,conclusion,answer",
        "text,hypothesis,verdict",
        "sentence1,sentence2,gold_label",
        "sentence_A,sentence_B,entailment_label",
        "context,hypothesis,label",
    ],
)
def test_columns_of_published_data_sets_are_found(columns: str) -> None:
    assert read(renamed(columns)) == EXPECTED


def test_several_readings_of_the_columns_are_refused() -> None:
    rows = [row | {"judgment": "x"} for row in renamed("premise,hypothesis,verdict")]
    assert not missing_from(message_on(rows), "judgment, verdict", "--label-column")
    assert read(rows, label_column="verdict") == EXPECTED


def test_html_and_control_characters_are_counted_and_named(caplog: pytest.LogCaptureFixture) -> None:
    row = {"premise": "A bell", "hypothesis": "R&D; AT&T <3 >", "label": "neutral"}
    read([row | {"premise": premise} for premise in ("A &amp; B", "<i>A</i>", "A\x07 bell")])
    assert not missing_from(caplog.text, "2 texts with HTML, such as &amp;", "row 1", "1 text with control characters")


def test_words_within_html_are_not_replaced() -> None:
    text = "A dog sees a <b title=dog>bird</b>."
    found = [Token(match[0], match.start(), "NN") for match in re.finditer("dog|bird", text)]
    sentence = TaggedSentence(text, tuple(found))
    words = shared_words(TaggedProblem(Problem("p", text, text, 0), sentence, sentence))
    assert {word.text: word.left_out for word in words} == {"dog": PART_OF_WORD, "bird": None}
