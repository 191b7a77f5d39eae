"""Runs with the filters for readable variants: from stored answers, recorded, explained and validated."""

import json
import re
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from generation import Options
from generation.filters.definitions import FILTERS, FilterOptions
from generation.pipeline import run_pipeline
from merge_snli.base.files import read_json
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.tagger import find_tagger
from merge_snli.validation import validate
from tests.commands import Command
from tests.merge_snli.validation.digests import update_digests
from tests.oracles import missing_from, refused
from tests.records import first_problems

pytestmark = pytest.mark.slow  # runs of the whole pipeline

CHOICES = {
    "min_mlms": 2,
    "same_tag": True,
    "articles": True,
    "min_log_odds": 0.5,
    "max_rank": 150,
    "no_compounds": True,
    "supersense": True,
    "same_parse": True,
    "no_quantifiers": True,
    "pronouns": True,
    "veto": 100,
    "dissents": 1,
    "capitals": True,
}


PRONOUN = {
    "id": "pronoun",
    "premise": "A musician plays his guitar on a stage.",
    "hypothesis": "A musician is on a stage.",
    "label": "entailment",
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    folder = tmp_path_factory.mktemp("run")
    problems = first_problems(folder, 12, json.dumps(PRONOUN))
    mlm = ("demo:mlm-wordpiece", "demo:mlm-bpe")
    return run_pipeline(Options(problems=str(problems), id_column="id", mlm=mlm, inflation=3), folder / "merge_snli")


@pytest.fixture(scope="module")
def filtered(plain: MergeDataset, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    work = plain.folder.with_name("merge_snli.work")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generation.run.load_masked_lm", lambda *_, **__: pytest.fail("a masked LM was run"))
        return run_pipeline(
            Options(**plain.record.options | CHOICES), tmp_path_factory.mktemp("filtered") / "data", work=work
        )


def test_a_run_without_the_filters_does_not_mention_them(plain: MergeDataset) -> None:
    for name in ("run.json", "run.toml", "README.md"):
        text = (plain.folder / name).read_text(encoding="utf-8")
        assert missing_from(text, *CHOICES, "inflect") == [*CHOICES, "inflect"]


def test_a_filtered_run_records_its_filters_and_is_valid(filtered: MergeDataset, plain: MergeDataset) -> None:
    for name, value in CHOICES.items():
        assert filtered.record.options[name] == value
    assert filtered.record.versions["inflect"]
    report = validate(filtered.folder)
    assert report.findings == ()
    assert report.not_checked == ()
    all_rows = {row["variant_id"] for row in read_split(plain, "all").to_pylist()}
    rows = read_split(filtered, "all").to_pylist()
    assert {row["variant_id"] for row in rows} < all_rows
    for row in rows:
        assert len(row["premise_mlms"]) == len(row["hypothesis_mlms"]) == 2
    counted = {reason for record in generation_of(filtered.record).filters for reason in record.counts}
    assert {"too few masked LMs", "other article", "other tag", "low log-odds", "low rank"} <= counted
    assert {"in a compound", "other supersense", "other parse"} <= counted


def test_explain_names_the_filter_that_dropped_a_word(
    filtered: MergeDataset, plain: MergeDataset, command: Command
) -> None:
    work = plain.folder.with_name("merge_snli.work")
    seeds = read_split(filtered, "seed")["seed_id"].to_pylist()
    text = "".join(command("explain", filtered.folder, "--seed-id", seed, "--work", work).out for seed in seeds)
    for reason in ("too few masked LMs in the premise", "other article", "other tag", "low log-odds", "low rank"):
        assert re.search(rf"^ +{reason} \d+: \w", text, re.MULTILINE), reason


CLAIMED = {
    "min_mlms": (2, "premise_mlms"),
    "same_tag": (True, "replacement"),
    "articles": (True, "replacement"),
    "min_log_odds": (3.0, "log_odds"),
    "no_compounds": (True, "replacement"),
    "supersense": (True, "replacement"),
    "same_parse": (True, "replacement"),
    "no_quantifiers": (True, "replacement"),
    "pronouns": (True, "replacement"),
    "capitals": (True, "replacement"),
}
"""By option, a value that drops variants of the plain run, and the column in which they are found."""


def test_every_filter_that_rows_show_is_claimed() -> None:
    """Ranks and votes are not in the rows, and relations need WordNet: tests/merge_snli/validation/test_words.py."""
    options = {field.name for field in fields(FilterOptions)} - {"no_relations"}
    hidden = {filter_.name for filter_ in FILTERS if filter_.on_fillers or filter_.on_votes} | {"dissents"}
    assert options - hidden == CLAIMED.keys()


@pytest.mark.parametrize("option", CLAIMED)
def test_validation_finds_variants_that_a_filter_would_have_dropped(
    plain: MergeDataset, tmp_path: Path, option: str
) -> None:
    value, column = CLAIMED[option]
    out = Path(shutil.copytree(plain.folder, tmp_path / "merge_snli"))
    run = read_json(out / "run.json")
    run["options"][option] = value
    run["generation"]["tagger"]["digest"] = find_tagger(parser=option == "same_parse").digest
    (out / "run.toml").unlink()
    (out / "run.json").write_text(json.dumps(run), encoding="utf-8")
    update_digests(out)
    (reason,) = (filter_.reason for filter_ in FILTERS if filter_.name == option)
    found = [finding.message for finding in validate(out).findings if finding.column == column]
    assert any(option in message and reason in message for message in found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_mlms": 3}, r"min_mlms is 3.* 2"),
        ({"veto": 0}, r"veto is 0"),
        ({"veto": 201}, r"veto is 201.* 200 .*top_k"),
        ({"dissents": 1}, r"dissents is 1.*veto"),
        ({"veto": 20, "dissents": 2}, r"dissents is 2.* 2"),
        ({"min_log_odds": float("nan")}, r"min_log_odds is nan"),
        ({"min_log_odds": "1"}, r"min_log_odds is '1', not a number"),
    ],
)
def test_an_impossible_value_is_an_error(changes: dict[str, Any], message: str) -> None:
    refused(message, Options, problems="x", mlm=("m1", "m2"), **changes)
