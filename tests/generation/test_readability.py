"""Runs with the filters for readable variants: from stored answers, recorded, explained and validated."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generation import Options, generate
from generation.options import READABILITY
from merge_snli.cli import main
from merge_snli.dataset import MergeDataset, read_split
from merge_snli.embedded import embedded_path
from merge_snli.errors import InputError
from merge_snli.record import generation_of
from merge_snli.validation import validate
from tests.merge_snli.validation.digests import update_digests

CHOICES: dict[str, Any] = {
    "min_mlms": 2,
    "same_tag": True,
    "articles": True,
    "min_log_odds": 0.5,
    "max_rank": 150,
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    embedded = embedded_path("demo:problems")
    assert embedded is not None
    folder = tmp_path_factory.mktemp("run")
    problems = folder / "problems.jsonl"
    problems.write_text("\n".join(embedded.read_text(encoding="utf-8").splitlines()[:12]), encoding="utf-8")
    mlm = ("demo:mlm-wordpiece", "demo:mlm-bpe")
    return generate(Options(problems=str(problems), id_column="id", mlm=mlm, inflation=3), folder / "merge_snli")


def options_of(dataset: MergeDataset, **changes: Any) -> Options:  # noqa: ANN401 - values of any option
    return replace(Options(**dataset.record.options), **changes)


@pytest.fixture
def filtered(plain: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MergeDataset:
    work = plain.folder.with_name("merge_snli.work")
    monkeypatch.setattr(
        "generation.answers.suggest.load_masked_lm", lambda *_, **__: pytest.fail("a masked LM was run")
    )
    return generate(options_of(plain, **CHOICES), tmp_path / "filtered", work=work)


def test_a_run_without_the_filters_does_not_mention_them(plain: MergeDataset) -> None:
    for name in ("run.json", "run.toml", "README.md"):
        text = (plain.folder / name).read_text(encoding="utf-8")
        assert not [option for option in (*READABILITY, "inflect") if option in text]


def test_a_filtered_run_records_its_filters_and_is_valid(filtered: MergeDataset, plain: MergeDataset) -> None:
    assert {name: filtered.record.options[name] for name in READABILITY} == CHOICES
    assert filtered.record.versions["inflect"]
    report = validate(filtered.folder)
    assert (report.findings, report.not_checked) == ((), ())
    rows, all_rows = (
        {row["variant_id"]: row for row in read_split(dataset, "all").to_pylist()} for dataset in (filtered, plain)
    )
    assert rows.keys() < all_rows.keys()
    assert all(len(row[f"{side}_mlms"]) == 2 for row in rows.values() for side in ("premise", "hypothesis"))
    dropped = {reason for each in generation_of(filtered.record).filters for reason in each.counts}
    assert {"too few masked LMs", "other article", "other tag", "low log-odds", "low rank"} <= dropped


def test_explain_names_the_filter_that_dropped_a_word(
    filtered: MergeDataset, plain: MergeDataset, capsys: pytest.CaptureFixture[str]
) -> None:
    work = str(plain.folder.with_name("merge_snli.work"))
    for seed in read_split(filtered, "seed")["seed_id"].to_pylist():
        assert main(["explain", str(filtered.folder), "--seed-id", seed, "--work", work]) == 0
    text = capsys.readouterr().out
    for reason in ("too few masked LMs in the premise", "other article", "other tag", "low log-odds", "low rank"):
        assert re.search(rf"^ +{reason} \d+: \w", text, re.MULTILINE), reason


@pytest.mark.parametrize(
    ("claimed", "column"),
    [
        ({"min_mlms": 2}, "premise_mlms"),
        ({"same_tag": True}, "replacement"),
        ({"articles": True}, "replacement"),
        ({"min_log_odds": 3.0}, "log_odds"),
    ],
)
def test_validation_finds_variants_that_a_filter_would_have_dropped(
    plain: MergeDataset, tmp_path: Path, claimed: dict[str, Any], column: str
) -> None:
    out = generate(options_of(plain), tmp_path / "copy", work=plain.folder.with_name("merge_snli.work")).folder
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    run["options"] |= claimed
    (out / "run.toml").unlink()
    (out / "run.json").write_text(json.dumps(run), encoding="utf-8")
    update_digests(out)
    assert column in {finding.column for finding in validate(out).findings}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_mlms": 3}, r"min_mlms is 3.* 2"),
        ({"min_mlms": 0}, r"min_mlms is 0"),
        ({"max_rank": 0}, r"max_rank is 0"),
        ({"min_log_odds": float("nan")}, r"min_log_odds is nan"),
        ({"min_log_odds": "1"}, r"min_log_odds is '1', not a number"),
    ],
)
def test_an_impossible_value_is_an_error(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Options(problems="x", mlm=("m1", "m2"), **changes)
