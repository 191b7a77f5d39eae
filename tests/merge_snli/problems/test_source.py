"""A source is opened once and can be iterated several times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation.options import Options
from merge_snli.base.errors import InputError
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import open_source, stream_problems, survey_problems

ROWS = [
    {"premise": f"A cat sees {number} dogs.", "hypothesis": "A cat sees dogs.", "label": "entailment"}
    for number in range(5)
]


def write_source(folder: Path, kind: str) -> str:
    path = folder / f"problems.{kind}"
    if kind == "folder":
        path.mkdir()
        pq.write_table(pa.Table.from_pylist(ROWS), path / "test.parquet")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        datasets.Dataset.from_list(ROWS).to_parquet(path)
    return str(path)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "folder"])
def test_each_iteration_starts_at_the_first_row(tmp_path: Path, kind: str) -> None:
    source = open_source(ProblemOptions(problems=write_source(tmp_path, kind), limit=3))
    passes = [[(problem.premise, location) for location, problem in source if problem] for _ in range(2)]
    assert passes[0] == passes[1]
    assert [premise for premise, _ in passes[0]] == [row["premise"] for row in ROWS[:3]]
    assert passes[0][0][1].endswith(("problems.jsonl line 1", "row 1"))
    first, second = next(zip(source, source, strict=True))
    assert first == second, "passes are independent"


def test_a_sample_depends_on_the_seed_and_not_on_the_order(tmp_path: Path) -> None:
    """A sorted data set, such as ANLI, needs a random sample; equal problems are different ones."""
    rows = [row | {"label": label} for row in (*ROWS, ROWS[0], ROWS[0]) for label in ("entailment", "neutral", "-")]

    def sampled(name: str, order: list[dict[str, str]], **options: Any) -> list[tuple[str, int]]:  # noqa: ANN401
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in order))
        given = Options(problems=str(path), mlm=("m",), **options)
        source = open_source(given)
        survey = survey_problems(source)
        problems = list(stream_problems(source, survey))
        assert (len(problems), survey.without_label) == (survey.with_label, 0)
        return sorted((problem.premise, problem.label) for problem in problems)

    first = sampled("a.jsonl", rows, sample=6)
    assert len(first) == 6
    assert sampled("b.jsonl", rows[::-1], sample=6) == first
    samples = {tuple(sampled("a.jsonl", rows, sample=6, random_seed=seed)) for seed in range(5)}
    assert len(samples) == 5
    assert set(sampled("a.jsonl", rows, sample=9)) > set(first), "a larger sample holds the smaller one"
    assert len(sampled("a.jsonl", rows, sample=99)) == 14
    assert len(sampled("a.jsonl", rows, sample=99, limit=9)) == 6


def test_a_data_set_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = datasets.load_dataset

    def counting(*positional: Any, **named: Any) -> Any:  # noqa: ANN401 - as load_dataset
        loads.append(positional)
        assert datasets.are_progress_bars_disabled()
        return load(*positional, **named)

    is_bar_hidden = datasets.are_progress_bars_disabled()
    monkeypatch.setattr(datasets, "load_dataset", counting)
    source = open_source(ProblemOptions(problems=write_source(tmp_path, "folder")))
    survey = survey_problems(source)
    assert len(list(stream_problems(source, survey))) == survey.with_label == len(ROWS)
    assert len(loads) == 1
    assert datasets.are_progress_bars_disabled() == is_bar_hidden


def test_a_file_that_changes_after_the_survey_is_an_error(tmp_path: Path) -> None:
    path = Path(write_source(tmp_path, "jsonl"))
    source = open_source(ProblemOptions(problems=str(path)))
    survey = survey_problems(source)
    path.write_text(json.dumps(ROWS[0]) + "\n")
    with pytest.raises(InputError, match=r"problems\.jsonl changed"):
        list(stream_problems(source, survey))
