"""Data sets restricted to the seeds of another one, and without related words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from generation import Options
from generation.filters.lexical import FOLDER_VARIABLE
from generation.pipeline import run_pipeline
from merge_snli.dataset.stored import read_split
from merge_snli.models.tagger import Tagger
from merge_snli.validation import validate
from merge_snli.validation.seeds import read_seeds
from tests.merge_snli.validation.digests import update_digests
from tests.tiny_wordnet import save_wordnet

PROBLEMS = (
    {"premise": "Two kids and a boy swim.", "hypothesis": "The kids and the boy swim.", "label": "entailment"},
    {"premise": "A girl walks a dog.", "hypothesis": "The girl has a dog.", "label": "neutral"},
)


@pytest.fixture
def options(masked_lms: list[Path], tmp_path: Path) -> Options:
    path = tmp_path / "problems.jsonl"
    path.write_text("".join(json.dumps(problem) + "\n" for problem in PROBLEMS), encoding="utf-8")
    mlms = tuple(map(str, masked_lms[:2]))
    return Options(problems=str(path), mlm=mlms, inflation=2, subsamples=2, classes=("noun",), top_k=40)


def change_options(folder: Path, **changes: object) -> None:
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    run["options"] |= changes
    (folder / "run.toml").unlink()
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    update_digests(folder)


def test_seeds_of_another_data_set(options: Options, tmp_path: Path) -> None:
    one = run_pipeline(replace(options, limit=1), tmp_path / "one")
    restricted = run_pipeline(replace(options, seeds_from=str(one.folder)), tmp_path / "restricted").folder
    assert validate(restricted).findings == ()
    run = json.loads((restricted / "run.json").read_text(encoding="utf-8"))
    run["generation"]["seeds"]["digest"] = "0" * 64
    (restricted / "run.json").write_text(json.dumps(run), encoding="utf-8")
    update_digests(restricted)
    assert [finding.column for finding in validate(restricted).findings] == ["generation.seeds.digest"]


def test_relations_are_checked_with_the_wordnet_of_the_run(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(save_wordnet(tmp_path / "dict")))
    unrelated = run_pipeline(replace(options, no_relations=True), tmp_path / "unrelated").folder
    report = validate(unrelated)
    assert (report.findings, report.not_checked) == ((), ())
    # A run without the filter, with a record that claims it: "child" replaces "boy" next to "kids".
    every = run_pipeline(options, tmp_path / "every").folder
    wordnet = json.loads((unrelated / "run.json").read_text(encoding="utf-8"))["generation"]["wordnet"]
    run = json.loads((every / "run.json").read_text(encoding="utf-8"))
    run["generation"]["wordnet"] = wordnet
    (every / "run.json").write_text(json.dumps(run), encoding="utf-8")
    change_options(every, no_relations=True)
    messages = {finding.message for finding in validate(every).findings}
    assert messages
    assert all("no_relations" in message and "related" in message for message in messages)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "nowhere"))
    assert validate(every).not_checked[0].startswith("relations to other words: ")


def test_words_of_seeds_have_no_accents_or_case(options: Options, tagger: Tagger, tmp_path: Path) -> None:
    path = tmp_path / "cafe.jsonl"
    path.write_text(json.dumps({**PROBLEMS[0], "premise": "Two kids, a boy and a CAFÉ."}) + "\n", encoding="utf-8")
    options = replace(options, problems=str(path))
    dataset = run_pipeline(options, tmp_path / "cafe")
    count = len(read_split(dataset, "all"))
    for tagger_of_run in (None, tagger):
        ((seed,),) = read_seeds(dataset.folder, [count], tagger_of_run, options)
        assert {"kids", "boy", "cafe", "the"} <= seed.words
