"""Presets: their options are valid, and their names and numbers are those of the papers."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from generation.options import Options
from generation.presets import PRESETS, preset_options
from merge_snli.base.errors import InputError
from merge_snli.models.paper_models import PAPER_MLMS

PAPERS = Path(__file__).parents[3] / "shared" / "seeds"


def paper_text(name: str) -> str:
    if not (PAPERS / name).is_file():
        pytest.skip(f"the paper's text {name} is not beside the project")
    return (PAPERS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_valid_options(name: str) -> None:
    chosen = preset_options(name)
    assert chosen.keys() <= {field.name for field in fields(Options)}
    options = Options(**{"problems": "demo:problems", "mlm": ("m1", "m2"), **chosen})
    assert {field: getattr(options, field) for field in chosen} == chosen
    assert PRESETS[name].source


def test_the_masked_lms_of_the_paper_are_those_of_its_table_5() -> None:
    table = re.findall(r"\) (\S+/\S+)\t(?:B|L|XXL)\t(E|E-D)\t", paper_text("merge-paper-pdf.txt"))
    assert len(table) == 10
    assert sorted(name for name, kind in table if kind == "E") == sorted(preset_options("paper")["mlm"])
    assert sorted(name for name, _ in table) == sorted(preset_options("paper-bart")["mlm"])


def test_the_numbers_are_those_of_section_4() -> None:
    text = paper_text("merge-paper-pdf.txt")
    for name in ("paper", "paper-bart"):
        chosen = preset_options(name)
        assert f"we generated {chosen['top_k']} suggestions" in text
        assert f"($d = {chosen['inflation']}$)" in text
        assert f"repeating subsampling {chosen['subsamples']} times" in text
        assert chosen["sides"] == "intersection"


def test_the_slides_use_two_masked_lms_and_the_union() -> None:
    text = paper_text("merge-slides-naloma.txt")
    assert "Roberta-base & Bert-base (both cased)" in text
    assert r"W_M(P, w_{>}^c) \cup W_M(H, w_{>}^c)" in text
    chosen = preset_options("slides")
    assert set(chosen["mlm"]) == {"google-bert/bert-base-cased", "FacebookAI/roberta-base"} < set(PAPER_MLMS)
    assert chosen["sides"] == "union"


def test_an_unknown_preset_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'papers'.* paper, paper-bart, slides, strict, demo"):
        preset_options("papers")
