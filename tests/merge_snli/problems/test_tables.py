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
from generation.pipeline import run_pipeline
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from merge_snli.validation import validate
from tests.oracles import refused, write_rows, written

ROWS = [
    {"premise": f"A man rides the horse number {number}.", "hypothesis": "A man rides a horse.", "label": label}
    for number, label in enumerate([0.0, 2.0, None, 1.0])
]


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (list, "memory:list"),
        (datasets.Dataset.from_list, "memory:datasets.Dataset"),
        (pd.DataFrame, "memory:pandas.DataFrame"),
        (pl.DataFrame, "memory:polars.DataFrame"),
        (pa.Table.from_pylist, "memory:pyarrow.Table"),
    ],
)
def test_a_table_in_memory_is_recorded_by_its_type(make: Callable[[list[dict[str, Any]]], object], name: str) -> None:
    options = ProblemOptions(problems=make(ROWS))
    recorded = options.as_dict()["problems"]
    assert recorded == name
    assert type(recorded) is str
    assert options.split is None
    refused("were in memory", read_problems, ProblemOptions(problems=recorded))


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


def test_a_table_in_memory_has_no_splits() -> None:
    refused("'train'", read_problems, ProblemOptions(problems=ROWS, split="train"))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pd.DataFrame([["A.", "B.", "C.", "neutral"]], columns=["premise", "premise", "hypothesis", "label"]),
            "column 'premise' is there twice",
        ),
        (
            pd.DataFrame({"premise": "A.", "hypothesis": "B.", "label": [b"x", 1, "a"]}),
            "column 'label' cannot be converted to Arrow",
        ),
        (pd.DataFrame([ROWS[0], ROWS[1] | {"premise": ""}]), r"memory:pandas.DataFrame row 2: .*'premise'"),
    ],
    ids=["a double column", "labels of many types", "an invalid row"],
)
def test_what_frames_cannot_have_is_named(frame: pd.DataFrame, message: str) -> None:
    refused(message, read_problems, ProblemOptions(problems=frame))


@pytest.mark.slow
def test_a_run_of_problems_in_memory_is_valid(tiny_mlm: Callable[[str], Path], tmp_path: Path) -> None:
    options = Options(problems=pd.DataFrame(ROWS), mlm=(str(tiny_mlm("bert")),), inflation=1, subsamples=1)
    made = run_pipeline(options, tmp_path / "data", quiet=True)
    assert made.record.options["problems"] == "memory:pandas.DataFrame"
    assert "MERGE on problems in memory" in (made.folder / "README.md").read_text(encoding="utf-8")
    assert validate(made.folder).findings == ()


ODD = {
    "id": "001",
    "premise": 'A dog runs 5" far.',
    "hypothesis": "A dog runs.",
    "label": "neutral",
    "a": "None",
    "b": "NA",
    "empty": "",
}


def check_texts(problems: object) -> None:
    """Check that the texts of `ODD` are as they are."""
    options = ProblemOptions(problems=problems, id_column="id", keep_column=("a", "b", "empty"))
    (problem,) = read_problems(options).problems
    assert problem.id == "001"
    assert problem.premise == ODD["premise"]
    assert problem.extra == ("None", "NA", "")


def test_no_cell_is_taken_for_a_missing_value_or_a_number(tmp_path: Path) -> None:
    frame = pd.DataFrame([ODD])
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_parquet(tmp_path / "p.parquet")
    lines = "\t".join(ODD), "\t".join(ODD.values())
    tabs = written(tmp_path / "p.tsv", "\n".join(lines))
    for problems in (tmp_path / "p.csv", tmp_path / "p.parquet", tabs, frame, [ODD]):
        check_texts(problems)


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


def content_digest(row: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest()


def reference_digest(rows: Iterable[tuple[str, ...]]) -> str:
    """Return the digest of problems, each with its id without ordinal."""
    return format(sum(int(content_digest(row), 16) for row in rows) % 2**256, "064x")


def test_ids_and_digest_are_those_of_the_method(tmp_path: Path) -> None:
    rng = random.Random(0)
    texts = [f'A "{word}" runs.' for word in ("cat", "dog", "é", "日本", "a\\b")]
    rows = [(rng.choice(texts), texts[0], rng.choice(NLI_LABELS)) for _ in range(200)]
    names = ("premise", "hypothesis", "label")
    path = write_rows(tmp_path / "problems.jsonl", [dict(zip(names, row, strict=True)) for row in rows])
    read = read_problems(ProblemOptions(problems=path, data_labels=NLI_LABELS))
    of_content = [content_digest(row)[:12] for row in rows]
    seen: Counter[str] = Counter()
    for problem, identity in zip(read.problems, of_content, strict=True):
        seen[identity] += 1
        expected = identity if seen[identity] == 1 else f"{identity}-{seen[identity]}"
        assert problem.id == expected
    assert max(seen.values()) > 11
    assert read.digest == reference_digest((first, *row) for first, row in zip(of_content, rows, strict=True))


def test_ids_of_the_source_may_have_any_character(tmp_path: Path) -> None:
    ids = ['a"', "a", "a b", "a!", "a\\", "é", "a\u2028b", "[1, 2]"]
    read = read_problems(ProblemOptions(problems=write_ids(tmp_path / "problems.jsonl", ids), id_column="id"))
    assert [problem.id for problem in read.problems] == ids
    assert read.digest == reference_digest((identity, "A cat.", "A dog.", "neutral") for identity in ids)


def test_extra_columns_count_for_the_digest(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "problems.jsonl", ["a", "b"])
    plain = read_problems(ProblemOptions(problems=path))
    assert read_problems(ProblemOptions(problems=path, keep_column=("id",))).digest != plain.digest


def test_a_duplicate_id_is_named_with_its_first_place(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "p.jsonl", ["a", "b", "cd", "b"])
    refused("p.jsonl line 4: .*'b' .*p.jsonl line 2", read_problems, ProblemOptions(problems=path, id_column="id"))


def write_ids(path: Path, ids: list[str]) -> str:
    """Write problems that differ only in their ids."""
    row = {"premise": "A cat.", "hypothesis": "A dog.", "label": "neutral"}
    return str(write_rows(path, [row | {"id": identity} for identity in ids]))
