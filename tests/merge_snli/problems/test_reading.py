"""Problems from every type of source, and errors that name the invalid value and its location."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.base.errors import InputError
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import open_source, read_problems

ROWS = [
    {"premise": "A cat sleeps.", "hypothesis": "A cat rests.", "label": "entailment"},
    {"premise": 'The "cat" ran, fast.', "hypothesis": "The cat sat.", "label": "contradiction"},
]


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def texts(problems: tuple[Problem, ...]) -> list[tuple[str, str, int]]:
    return [(problem.premise, problem.hypothesis, problem.label) for problem in problems]


EXPECTED = [(ROWS[0]["premise"], ROWS[0]["hypothesis"], 0), (ROWS[1]["premise"], ROWS[1]["hypothesis"], 2)]


def test_json_lines(tmp_path: Path) -> None:
    read = read_problems(ProblemOptions(problems=write_jsonl(tmp_path / "p.jsonl", ROWS)))
    assert texts(read.problems) == EXPECTED
    assert read.label_names == ("entailment", "neutral", "contradiction")


def test_csv_and_tsv_give_the_same_problems(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(
        'premise,hypothesis,label\nA cat sleeps.,A cat rests.,entailment\n"The ""cat"" ran, fast.",The cat sat.,2\n'
    )
    (tmp_path / "p.tsv").write_text(
        "premise\thypothesis\tlabel\nA cat sleeps.\tA cat rests.\t0\n"
        'The "cat" ran, fast.\tThe cat sat.\tcontradiction\n'
    )
    for name in ("p.csv", "p.tsv"):
        assert texts(read_problems(ProblemOptions(problems=str(tmp_path / name))).problems) == EXPECTED


def test_a_json_array_and_compressed_texts_are_read_like_json_lines(tmp_path: Path) -> None:
    """Data sets on the Hub often have JSON lines in a file that ends in .json."""
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    (tmp_path / "array.json").write_text(json.dumps(ROWS, indent=2))
    (tmp_path / "lines.json").write_text(lines)
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "array.json.gz").write_bytes(gzip.compress(json.dumps(ROWS).encode()))
    for name in ("array.json", "lines.json", "p.jsonl.gz", "array.json.gz"):
        assert texts(read_problems(ProblemOptions(problems=str(tmp_path / name))).problems) == EXPECTED, name


def test_text_files_are_read_with_their_delimiter(tmp_path: Path) -> None:
    tabs = 'sentence_A\tsentence_B\tentailment_judgment\nA "cat" sits.\tA cat sits.\tNEUTRAL\n'
    (tmp_path / "SICK.txt").write_text(tabs)
    (tmp_path / "bars.txt").write_text(tabs.replace("\t", "|").replace('"', ""))
    semicolons = gzip.compress(b'premise;hypothesis;label\n"A cat; sits.";A cat sits.;neutral\n')
    (tmp_path / "p.csv.gz").write_bytes(semicolons)
    read = {
        name: texts(read_problems(ProblemOptions(problems=str(tmp_path / name), delimiter=delimiter)).problems)
        for name, delimiter in (("SICK.txt", None), ("SICK.txt", "tab"), ("bars.txt", "|"), ("p.csv.gz", None))
    }
    assert read["SICK.txt"] == [('A "cat" sits.', "A cat sits.", 1)]
    assert read["bars.txt"] == [("A cat sits.", "A cat sits.", 1)]
    assert read["p.csv.gz"] == [("A cat; sits.", "A cat sits.", 1)]


def test_the_first_sheet_of_a_spreadsheet_is_read(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "p.xlsx"
    for cells in (["premise", "hypothesis", "label", None], *([*row.values(), "note"] for row in ROWS), [None] * 4):
        book.active.append(cells)
    book.create_sheet("other").append(["nothing"])
    book.save(path)
    assert texts(read_problems(ProblemOptions(problems=str(path))).problems) == EXPECTED
    book.active["B1"] = "premise"
    book.save(path)
    with pytest.raises(InputError, match=r"p\.xlsx row 1: duplicate column 'premise'"):
        read_problems(ProblemOptions(problems=str(path)))


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("p.json", b'[{"premise": "A"},', {}, r"p\.json is not valid JSON"),
        ("p.json", json.dumps([ROWS[0], 3]).encode(), {}, r"p\.json item 2 is not a JSON object: 3"),
        (
            "p.jsonl.gz",
            gzip.compress(json.dumps(ROWS[0]).encode() + b"\n")[:-9],
            {},
            r"p\.jsonl\.gz is not a complete gzip file",
        ),
        ("p.csv.gz", b"premise,hypothesis,label\n", {}, r"p\.csv\.gz is not a complete gzip file"),
        ("p.parquet.gz", b"PAR1", {}, r"unknown file type '\.parquet\.gz'"),
        ("p.jsonl", b"{}", {"delimiter": ";"}, r"delimiter is for \.csv, \.tsv, \.txt"),
        ("p.csv", b"a", {"delimiter": "; "}, r"delimiter is '; '"),
        ("p.csv", b"premise;hypothesis;label\nA;B;0\n", {"delimiter": ","}, r"premise;hypothesis;.* delimiter=';'"),
        ("p.csv", b"premise|hypothesis|label\nA|B|0\n", {}, r"premise|hypothesis|label.* delimiter='|'"),
    ],
    ids=["array", "item", "cut", "not gzip", "parquet", "not delimited", "two characters", "semicolons", "bars"],
)
def test_invalid_arrays_archives_and_delimiters_are_named(
    tmp_path: Path, name: str, content: bytes, options: dict[str, str], message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_problems(ProblemOptions(problems=str(tmp_path / name), delimiter=options.get("delimiter")))


def test_parquet_and_folders_keep_the_label_names_of_their_source(tmp_path: Path) -> None:
    names = ["contradiction", "entailment", "neutral"]
    features = datasets.Features(
        premise=datasets.Value("string"), hypothesis=datasets.Value("string"), label=datasets.ClassLabel(names=names)
    )
    dataset = datasets.Dataset.from_list(ROWS, features=features)
    dataset.to_parquet(tmp_path / "p.parquet")
    datasets.DatasetDict(test=dataset).save_to_disk(tmp_path / "saved")
    (tmp_path / "folder").mkdir()
    dataset.to_parquet(tmp_path / "folder" / "test.parquet")
    for name in ("p.parquet", "saved", "folder"):
        read = read_problems(ProblemOptions(problems=str(tmp_path / name)))
        assert read.label_names == tuple(names)
        assert [label for _, _, label in texts(read.problems)] == [1, 0]


@pytest.mark.parametrize(
    "columns",
    [
        ("sentence1", "sentence2", "gold_label"),
        ("sentence_A", "sentence_B", "entailment_label"),
        ("text", "hypothesis", "label"),
        ("context", "hypothesis", "label"),
    ],
)
@pytest.mark.parametrize("kind", ["jsonl", "tsv", "parquet", "folder"])
def test_usual_column_names_and_spellings_of_labels_need_no_options(
    tmp_path: Path, columns: tuple[str, ...], kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    values = [(*EXPECTED[0][:2], "ENTAILMENT"), (*EXPECTED[1][:2], "c")]
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    path = tmp_path / f"p.{kind}"
    if kind == "jsonl":
        write_jsonl(path, rows)
    elif kind == "tsv":
        path.write_text("".join("\t".join(line) + "\n" for line in (columns, *(row.values() for row in rows))))
    elif kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.mkdir()
        pq.write_table(pa.Table.from_pylist(rows), path / "test.parquet")
    assert texts(read_problems(ProblemOptions(problems=str(path))).problems) == EXPECTED
    assert [name for name in (str(path), *columns) if name not in caplog.text] == []


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
    rows = [{"premise": "no", "sentence1": "A cat.", "sentence2": "A cat!", "gold_label": "n", "label": "e"}]
    path = write_jsonl(tmp_path / "p.jsonl", rows)
    options = ProblemOptions(problems=path, premise_column="sentence1", label_column="gold_label")
    assert texts(read_problems(options).problems) == [("A cat.", "A cat!", 1)]
    with pytest.raises(InputError, match=r"'premise1'.*premise_column"):
        read_problems(ProblemOptions(problems=path, premise_column="premise1"))
    assert "sentence2 (hypothesis)" in caplog.text


def test_one_column_is_not_two_texts() -> None:
    with pytest.raises(InputError, match=r"premise_column and hypothesis_column are both 'text'"):
        ProblemOptions(problems="one.csv", premise_column="text", hypothesis_column="text")


def test_a_file_has_no_splits(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "p.jsonl", ROWS)
    assert ProblemOptions(problems=path).split is None
    with pytest.raises(InputError, match=r"split is 'train', but .*p.jsonl is a file"):
        read_problems(ProblemOptions(problems=path, split="train"))


def test_column_names_can_be_set(tmp_path: Path) -> None:
    rows = [{"s1": "A cat.", "s2": "A cat!", "gold": 1, "pairID": "7#0"}]
    options = ProblemOptions(
        problems=write_jsonl(tmp_path / "p.jsonl", rows),
        premise_column="s1",
        hypothesis_column="s2",
        label_column="gold",
        id_column="pairID",
        data_labels=("entailment", "not_entailment"),
    )
    assert read_problems(options).problems == (Problem("7#0", "A cat.", "A cat!", 1),)


def test_problems_without_a_gold_label_are_left_out_and_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [*ROWS, ROWS[0] | {"label": -1}, ROWS[1] | {"label": "-"}, ROWS[1] | {"label": None}]
    read = read_problems(ProblemOptions(problems=write_jsonl(tmp_path / "p.jsonl", rows)))
    assert (len(read.problems), read.without_label) == (2, 3)


@pytest.mark.parametrize("labels", [("0.0", "2.0", "-1.0"), (0.0, 2.0, float("nan"))])
def test_whole_numbers_with_decimals_are_labels(tmp_path: Path, labels: tuple[object, ...]) -> None:
    rows = [row | {"label": label} for row, label in zip([*ROWS, ROWS[0]], labels, strict=True)]
    with (tmp_path / "p.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(row | {"label": "" if row["label"] != row["label"] else row["label"]} for row in rows)
    for path in (str(tmp_path / "p.csv"), write_jsonl(tmp_path / "p.jsonl", rows)):
        read = read_problems(ProblemOptions(problems=path))
        assert (texts(read.problems), read.without_label) == (EXPECTED, 1)


@pytest.mark.parametrize("kind", ["saved", "files"])
def test_an_unknown_split_is_named_with_the_splits(tmp_path: Path, kind: str) -> None:
    dataset = datasets.Dataset.from_list(ROWS)
    if kind == "saved":
        datasets.DatasetDict(validation=dataset).save_to_disk(tmp_path / "d")
    else:
        (tmp_path / "d").mkdir()
        dataset.to_parquet(tmp_path / "d" / "validation.parquet")
    with pytest.raises(InputError, match=r"d has no split 'zzz'.*'validation'"):
        read_problems(ProblemOptions(problems=str(tmp_path / "d"), split="zzz"))


def test_two_way_labels(tmp_path: Path) -> None:
    rows = [ROWS[0], ROWS[1] | {"label": "not_entailment"}]
    read = read_problems(ProblemOptions(problems=write_jsonl(tmp_path / "p.jsonl", rows)))
    assert read.label_names == ("entailment", "not_entailment")
    assert [problem.label for problem in read.problems] == [0, 1]


def test_equal_problems_stay_two_with_ids_that_do_not_depend_on_the_order(tmp_path: Path) -> None:
    first = read_problems(ProblemOptions(problems=write_jsonl(tmp_path / "a.jsonl", [*ROWS, ROWS[0]])))
    reversed_rows = read_problems(ProblemOptions(problems=write_jsonl(tmp_path / "b.jsonl", [ROWS[0], *ROWS][::-1])))
    ids = [problem.id for problem in first.problems]
    assert ids[2] == f"{ids[0]}-2"
    assert sorted(ids) == sorted(problem.id for problem in reversed_rows.problems)
    assert first.digest == reversed_rows.digest


def test_a_pair_with_several_gold_labels_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    unlabeled, other = ROWS[0] | {"label": "-1"}, ROWS[1] | {"label": "neutral"}
    path = write_jsonl(tmp_path / "problems.jsonl", [unlabeled, *ROWS, ROWS[1], other, other])
    assert len(read_problems(ProblemOptions(problems=path)).problems) == len(ROWS) + 3
    (message,) = caplog.messages
    assert path in message
    assert "1 pair(s)" in message
    assert "line 3" in message, "the first row of the pair"
    caplog.clear()
    read_problems(ProblemOptions(problems=path, limit=len(ROWS) + 2))
    assert caplog.messages == [], "equal rows have one label"


def test_rows_after_the_limit_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "\nno json\n")
    assert len(read_problems(ProblemOptions(problems=str(path), limit=1)).problems) == 1


def test_embedded_problems_can_be_read() -> None:
    read = read_problems(ProblemOptions(problems="demo:problems", id_column="id"))
    assert len({problem.id for problem in read.problems}) == len(read.problems) >= 200


INVALID_LINES = {
    '{"premise": "A", "hypothesis": "B", "label": "perhaps"}': r"'label' has only the label 'perhaps': .*data_labels",
    '{"premise": "  ", "hypothesis": "B", "label": 0}': r"line 1: .*'premise' is empty",
    '{"premise": "A", "hypothesis": 3, "label": 0}': r"line 1: .*'hypothesis' is not text: 3",
    '{"sentence1": "A", "hypothesis": "B"}': r"line 1 .*'premise', 'label' .*premise_column, label_column",
    '{"premise": "A", "hypothesis": "B", "label": "no"}': r"'label' has only the labels no,.*data_labels",
    '{"premise": "A", ': r"line 1 is not valid JSON",
    '["A", "B", 0]': r"line 1 is not a JSON object: \[",
    '{"premise": "A", "hypothesis": "B", "label": 7}': r"'label' has only the labels 7\. If they are graded scores",
    '{"premise": "A", "hypothesis": "B", "label": -1}': r"no row .*gold label.*'label'",
    '{"premise": "A", "hypothesis": "B", "label": 1}': r"'label' has only the labels 1\..*data_labels",
    "\n": "has no rows",
    '{"premise": "A \\ud800", "hypothesis": "B", "label": 0}': r"line 1: .*'premise' .*surrogate",
    '{"premise": "A", "hypothesis": "B", "label": "²"}': r"only the label '²'",
    "[" * 100_000: r"line 1 is not valid JSON",
}


@pytest.mark.parametrize(("line", "message"), INVALID_LINES.items())
def test_an_invalid_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=message) as caught:
        read_problems(ProblemOptions(problems=str(path)))
    assert "p.jsonl" in str(caught.value)


def test_text_that_is_not_utf8_is_named_with_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(json.dumps(ROWS[0]).encode() + b'\n{"premise": "caf\xe9"}\n')
    with pytest.raises(InputError, match=r"p.jsonl line 2: byte 17 \(0xe9\)"):
        read_problems(ProblemOptions(problems=str(path)))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "p.ods").write_text("x")
    (tmp_path / "p.parquet").write_text("x")
    (tmp_path / "p.csv").write_text("premise,hypothesis,label\nA,B\n")
    (tmp_path / "quote.csv").write_text('premise,hypothesis,label\n"A,B,neutral\n')
    (tmp_path / "long.csv").write_text(
        'premise,hypothesis,label\nA,B,neutral\n"A,B,neutral\n' + "A,B,neutral\n" * 20_000
    )
    (tmp_path / "gzip.jsonl").write_bytes(gzip.compress(b"{}"))
    (tmp_path / "zip.csv").write_bytes(b"PK\x03\x04rest")
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "parquet.jsonl")
    (tmp_path / "twice.csv").write_text("premise,hypothesis,label,label\nA,B,neutral,entailment\n")
    cases = {
        "nowhere.jsonl": "no such file",
        "empty.jsonl": "is empty",
        "p.ods": "'.ods'; expected .json, .jsonl, .csv, .tsv, .txt, .xlsx, .parquet",
        "p.parquet": "cannot be read as Parquet",
        "p.csv": "line 2 has 2 fields; the header has 3 columns",
        "quote.csv": "begins at line 2 ",
        "long.csv": "begins at line 3 ",
        "gzip.jsonl": "gzip.jsonl is a gzip file",
        "zip.csv": "zip.csv is a zip file",
        "parquet.jsonl": "rename it to .parquet",
        "twice.csv": "line 1: duplicate column 'label'",
    }
    for name, message in cases.items():
        with pytest.raises(InputError) as caught:
            read_problems(ProblemOptions(problems=str(tmp_path / name)))
        assert message in str(caught.value)


def test_a_duplicate_id_is_an_error_that_names_both_locations(tmp_path: Path) -> None:
    rows = [row | {"id": "x"} for row in ROWS]
    with pytest.raises(InputError, match=r"p.jsonl line 2: duplicate id 'x' \(first seen at .*p.jsonl line 1\)"):
        read_problems(ProblemOptions(problems=write_jsonl(tmp_path / "p.jsonl", rows), id_column="id"))


def test_a_folder_that_has_changed_gives_its_new_rows(tmp_path: Path) -> None:
    card = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n"
    (tmp_path / "README.md").write_text(card)
    for premise in ("A cat.", "A dog."):
        rows = [row | {"premise": premise} for row in ROWS]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "test.parquet")
        read = read_problems(ProblemOptions(problems=str(tmp_path)))
        assert {problem.premise for problem in read.problems} == {premise}


def test_a_hub_id_that_cannot_be_loaded_is_named() -> None:
    with pytest.raises(InputError, match="nobody/nothing-there, split test"):
        read_problems(ProblemOptions(problems="nobody/nothing-there"))


def test_a_nested_parquet_column_is_not_text(tmp_path: Path) -> None:
    table = pa.table({"premise": [["A"]], "hypothesis": ["B"], "label": ["neutral"]})
    pq.write_table(table, tmp_path / "p.parquet")
    with pytest.raises(InputError, match=r"row 1: column 'premise' is not text: \['A'\]"):
        read_problems(ProblemOptions(problems=str(tmp_path / "p.parquet")))


def test_all_invalid_rows_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    rows = [
        "A man.,A man.,entailment",
        ",A man.,neutral",
        "A man.,A man.,contradiction",
        "A man.,,neutral",
        ",,neutral",
    ]
    path.write_text("\n".join(["premise,hypothesis,label", *rows]), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3: .*'premise' is empty.*2 more invalid rows: .*line 5, .*line 6"):
        read_problems(ProblemOptions(problems=str(path)))
    with pytest.raises(InputError, match=r"line 3: (?!.*more)"):
        read_problems(ProblemOptions(problems=str(path), limit=3))
    everything = ProblemOptions(problems=str(path), skip_invalid=True)
    for limit, sample, numbers in (
        (None, None, (2, 0, 3)),
        (3, None, (2, 0, 1)),
        (1, None, (1, 0, None)),
        (None, 2, (2, 0, 3)),
    ):
        survey = read_problems(replace(everything, limit=limit, sample=sample))
        assert (survey.with_label, survey.without_label, survey.invalid) == numbers
        assert len(survey.problems) == survey.with_label
