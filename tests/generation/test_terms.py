"""The title of a data set, and the license and attribution of its problems, in the record of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generation.options import Options
from generation.output.dataset import terms_of, title_of
from merge_snli.base.errors import InputError
from merge_snli.dataset.record import TermsRecord
from merge_snli.problems.known_datasets import known_dataset


def test_terms_come_from_the_known_data_set_or_from_the_option() -> None:
    snli = known_dataset("stanfordnlp/snli")
    assert snli is not None
    known = Options(problems="stanfordnlp/snli", mlm=("demo:mlm-bpe",))
    assert terms_of(known) == TermsRecord("cc-by-sa-4.0", snli.attribution)
    assert terms_of(Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",))) == TermsRecord(None, None)
    licensed = Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",), license="cc-by-4.0")
    assert terms_of(licensed) == TermsRecord("cc-by-4.0", None)


def test_title_from_the_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "saved").mkdir(parents=True)
    (tmp_path / "data" / "SICK.tsv").touch()
    titles = {
        "stanfordnlp/snli@main": "MERGE on SNLI (test)",
        "nyu-mll/multi_nli": "MERGE on MultiNLI (validation_matched)",
        "org/mine": "MERGE on org/mine (test)",
        "data/SICK.tsv": "MERGE on SICK",
        str(tmp_path / "data" / "saved"): "MERGE on saved (test)",
        "data/saved": "MERGE on saved (test)",
        "demo:problems": "MERGE on its bundled problems",
    }
    assert {name: title_of(Options(problems=name, mlm=("demo:mlm-bpe",))) for name in titles} == titles
    changed = Options(problems="data/SICK.tsv", mlm=("demo:mlm-bpe",), scramble=True, filters=(), sides="union")
    assert title_of(changed) == "MERGE on SICK, scrambled, no filters, union"
    one = {filters: title_of(replace(changed, scramble=False, filters=filters)) for filters in (("pos",), ("prob",))}
    assert one == {(name,): f"MERGE on SICK, filter {name} only, union" for name in ("pos", "prob")}


def test_title_from_the_options() -> None:
    assert title_of(Options(problems="org/mine", mlm=("demo:mlm-bpe",), title="MERGE on mine")) == "MERGE on mine"
    for title in ("", " ", "two\nlines"):
        with pytest.raises(InputError, match="title"):
            Options(problems="org/mine", mlm=("demo:mlm-bpe",), title=title)
