"""Rows of problems from tables in memory and in files, and their ids."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation import Options
from generation.options import RUN_TOML, read_run_file
from generation.pipeline import run_pipeline
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from merge_snli.validation import validate
from tests.merge_snli.problems.test_reading import parquet
from tests.oracles import refused, write_rows, written

ROWS: list[dict[str, Any]] = [
    {"premise": f"A man rides the horse number {number}.", "hypothesis": "A man rides a horse.", "label": label}
    for number, label in enumerate([0.0, 2.0, None, 1.0])
]


@pytest.mark.parametrize(
    ("name", "make"),
    {
        "memory:list": list,
        "memory:datasets.Dataset": datasets.Dataset.from_list,
        "memory:pandas.DataFrame": pd.DataFrame,
        "memory:polars.DataFrame": pl.DataFrame,
        "memory:pyarrow.Table": pa.Table.from_pylist,
    }.items(),
)
def test_a_table_in_memory_has_the_name_of_its_type(name: str, make: Callable[[list[dict[str, Any]]], object]) -> None:
    options = ProblemOptions(problems=make(ROWS))
    assert (options.as_dict()["problems"], options.split) == (name, None)
    assert type(options.as_dict()["problems"]) is str


def test_label_names_of_a_dataset_are_kept() -> None:
    labels = datasets.ClassLabel(names=["neutral", "entailment", "contradiction"])
    data = datasets.Dataset.from_list([ROWS[0] | {"label": 1}]).cast_column("label", labels)
    table = data.data.table.replace_schema_metadata(data.features.arrow_schema.metadata)
    for problems in (data, data.with_format("numpy"), table):
        assert read_problems(ProblemOptions(problems=problems)).label_names == tuple(labels.names)


@pytest.mark.parametrize(
    "problems",
    [
        datasets.DatasetDict(test=datasets.Dataset.from_list(ROWS)),
        datasets.IterableDataset.from_generator(lambda: iter(ROWS)),
        {"premise": ["A"]},
        [["A"]],
        3,
        pd.DataFrame({"premise": [object()]}),
    ],
    ids=lambda table: type(table).__name__,
)
def test_other_objects_are_refused_in_one_sentence(problems: object) -> None:
    assert "\n" not in str(refused(type(problems).__name__, ProblemOptions, problems=problems))


DOUBLE = ["premise", "premise", "hypothesis", "label"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": ROWS, "split": "train"}, "'train'"),
        (
            {"problems": pd.DataFrame([["A man.", "A dog.", "A cat.", "neutral"]], columns=DOUBLE)},
            "column 'premise' is there twice",
        ),
        (
            {"problems": pd.DataFrame({"premise": "A.", "hypothesis": "B.", "label": [b"x", 1, "a"]})},
            "column 'label' cannot be converted to Arrow",
        ),
        (
            {"problems": pd.DataFrame([ROWS[0], ROWS[1] | {"premise": ""}])},
            r"memory:pandas.DataFrame row 2: .*'premise'",
        ),
    ],
    ids=["a split", "a double column", "labels of many types", "an invalid row"],
)
def test_what_tables_in_memory_cannot_have_is_named(options: dict[str, Any], message: str) -> None:
    refused(message, read_problems, ProblemOptions(**options))


def test_a_run_records_the_type_and_is_valid(tiny_mlm: Callable[[str], Path], tmp_path: Path) -> None:
    options = Options(problems=pd.DataFrame(ROWS), mlm=(str(tiny_mlm("bert")),), inflation=1, subsamples=1)
    made = run_pipeline(options, tmp_path / "data", quiet=True)
    assert made.record.options["problems"] == "memory:pandas.DataFrame"
    assert "MERGE on problems in memory" in (made.folder / "README.md").read_text(encoding="utf-8")
    assert validate(made.folder).findings == ()
    values = read_run_file(made.folder / RUN_TOML)
    refused("were in memory", read_problems, Options(**values))
    again = run_pipeline(Options(**values | {"problems": ROWS}), tmp_path / "again", quiet=True)
    assert again.record.data.files == made.record.data.files


ODD = {
    "id": "001",
    "premise": 'A dog runs 5" far.',
    "hypothesis": "A dog runs.",
    "label": "neutral",
    "a": "None",
    "b": "NA",
}


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "pandas.DataFrame", "datasets.Dataset"])
def test_no_cell_is_taken_for_a_missing_value_or_a_number(kind: str, tmp_path: Path) -> None:
    row = ODD | {"empty": ""}
    quoted = [value.replace('"', '""').join('""') if '"' in value else value for value in row.values()]
    contents = {
        "csv": f"{','.join(row)}\n{','.join(quoted)}\n".encode(),
        "tsv": "{}\n{}\n".format("\t".join(row), "\t".join(row.values())).encode(),
        "jsonl": json.dumps(row).encode(),
        "parquet": parquet([row]),
    }
    path = written(tmp_path / f"problems.{kind}", contents.get(kind, b""))
    problems = {"pandas.DataFrame": pd.DataFrame([row]), "datasets.Dataset": datasets.Dataset.from_list([row])}
    (problem,) = read_problems(
        ProblemOptions(problems=problems.get(kind, path), id_column="id", keep_column=("a", "b", "empty"))
    ).problems
    assert (problem.id, problem.premise, problem.extra) == ("001", row["premise"], ("None", "NA", ""))


def test_an_unbalanced_quotation_mark_in_tsv_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "p.tsv", 'premise\thypothesis\tlabel\n"A dog runs.\tA dog runs.\tneutral\n')
    assert read_problems(ProblemOptions(problems=path)).problems[0].premise == '"A dog runs.'


def test_parquet_files_are_read_by_their_names_and_may_have_no_rows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = pa.Table.from_pylist([ODD])
    pq.write_table(table, tmp_path / "x[1]*.parquet")
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    (problem,) = read_problems(ProblemOptions(problems=tmp_path / "x[1]*.parquet")).problems
    assert problem.premise == ODD["premise"]
    empty = ProblemOptions(problems=tmp_path / "empty.parquet", premise_column="claim")
    refused(r"empty\.parquet has no rows", read_problems, empty)
    assert not caplog.messages


def reference_ids(rows: list[tuple[str, str, str]]) -> list[str]:
    """Return the ids of problems as docs/method.md defines them."""
    seen: Counter[str] = Counter()
    ids = []
    for row in rows:
        digest = hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest()[:12]
        seen[digest] += 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return ids


def reference_digest(rows: Iterable[tuple[str, ...]]) -> str:
    """Return the digest of problems, each with its id without ordinal."""
    digests = (hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest() for row in rows)
    return format(sum(int(digest, 16) for digest in digests) % 2**256, "064x")


def test_ids_and_digest_equal_the_reference(tmp_path: Path) -> None:
    rng = random.Random(0)
    texts = [f'A "{word}" runs.' for word in ("cat", "dog", "é", "日本", "a\\b")]
    rows = [(rng.choice(texts), texts[0], rng.choice(NLI_LABELS)) for _ in range(200)]
    path = tmp_path / "problems.jsonl"
    write_rows(path, [{"premise": premise, "hypothesis": other, "label": label} for premise, other, label in rows])
    ids = reference_ids(rows)
    read = read_problems(ProblemOptions(problems=str(path), data_labels=NLI_LABELS))
    assert [problem.id for problem in read.problems] == ids
    of_content = [identity.partition("-")[0] for identity in ids]
    assert max(Counter(of_content).values()) > 11
    assert read.digest == reference_digest((first, *row) for first, row in zip(of_content, rows, strict=True))


def test_ids_of_the_source_may_have_any_character(tmp_path: Path) -> None:
    ids = ['a"', "a", "a b", "a!", "a\\", "é", "a\u2028b", "[1, 2]"]
    read = read_problems(ProblemOptions(problems=write_ids(tmp_path / "problems.jsonl", ids), id_column="id"))
    assert [problem.id for problem in read.problems] == ids
    assert read.digest == reference_digest((identity, "A cat.", "A dog.", "neutral") for identity in ids)


def test_extra_columns_count_for_the_digest(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "problems.jsonl", ["a", "b"])
    digests = {read_problems(ProblemOptions(problems=path, keep_column=columns)).digest for columns in ((), ("id",))}
    assert len(digests) == 2


def test_a_duplicate_id_is_named_with_its_first_place(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "p.jsonl", ["a", "b", "cd", "b"])
    refused("p.jsonl line 4: .*'b' .*p.jsonl line 2", read_problems, ProblemOptions(problems=path, id_column="id"))


def write_ids(path: Path, ids: list[str]) -> str:
    """Write problems that differ only in their ids."""
    row = {"premise": "A cat.", "hypothesis": "A dog.", "label": "neutral"}
    return str(write_rows(path, [row | {"id": identity} for identity in ids]))
