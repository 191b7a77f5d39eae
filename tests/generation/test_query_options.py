"""Test runs that mask all occurrences, replace words of several pieces, or use bfloat16."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generation import Options
from generation.pipeline import run_pipeline
from merge_snli.dataset.record import generation_of, read_record
from merge_snli.schema import ALL, TEST, data_file

ONCE = {"premise": "A man near a dog watches the water.", "hypothesis": "A man is with a dog.", "label": "entailment"}
TWICE = {"premise": "A man and a man watch the water.", "hypothesis": "A man is here.", "label": "entailment"}
RARE = {"premise": "A xylograph hangs here.", "hypothesis": "The xylograph is here.", "label": "entailment"}


@pytest.fixture
def options(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> Options:
    problems = tmp_path / "problems.jsonl"
    problems.write_text("".join(json.dumps(problem) + "\n" for problem in (ONCE, TWICE, RARE)), encoding="utf-8")
    return Options(
        problems=str(problems), mlm=(str(tiny_mlm("bert")), str(tiny_mlm("roberta"))), inflation=1, device="cpu"
    )


def variants(options: Options, out: Path) -> dict[str, dict[tuple[str, str, str], float]]:
    """Return the variants of a run by premise: log-odds by class, original and replacement."""
    folder = run_pipeline(options, out).folder
    log_odds: dict[str, dict[tuple[str, str, str], float]] = {}
    for row in pq.read_table(folder / data_file(ALL, TEST)).to_pylist():
        key = row["word_class"], row["original"], row["replacement"]
        log_odds.setdefault(row["seed_premise"], {})[key] = row["log_odds"]
    return log_odds


def test_each_option_changes_only_the_affected_variants(options: Options, tmp_path: Path) -> None:
    default = variants(options, tmp_path / "default")
    assert default[ONCE["premise"]]
    assert RARE["premise"] not in default

    together = variants(replace(options, mask="all"), tmp_path / "all")
    assert together[ONCE["premise"]] == default[ONCE["premise"]]
    assert together.get(TWICE["premise"]) != default.get(TWICE["premise"])

    pieces = variants(replace(options, split_words=True), tmp_path / "pieces")
    assert pieces[ONCE["premise"]].items() >= default[ONCE["premise"]].items()
    assert pieces[RARE["premise"]]

    assert variants(replace(options, dtype="bfloat16"), tmp_path / "coarse")
    record = read_record(tmp_path / "coarse" / "run.json")
    assert (generation_of(record).device, record.options["dtype"]) == ("cpu", "bfloat16")
