"""The curve as files: there, whole, the same every time, and readable."""

import dataclasses
import re
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from merge_snli.errors import InputError
from scoring import Result, draw_curves, score
from scoring.figures import LABEL_GAP, LABEL_LETTERS, _apart, _short
from scoring.pairs import Pair


def by_length(pairs: list[Pair], by: int) -> list[int]:
    return [len(premise) % by % 3 for premise, _ in pairs]


@pytest.fixture(scope="module")
def results(dataset: Path) -> list[Result]:
    of_lengths = [score(partial(by_length, by=by), dataset, name=f"by {by}") for by in (2, 3, 5)]
    named = dataclasses.replace(of_lengths[0].model, name="org/$x^2$ <b>")
    return [dataclasses.replace(of_lengths[0], model=named), *of_lengths[1:]]


def test_png_and_svg_are_written(results: list[Result], tmp_path: Path) -> None:
    png, svg = draw_curves(results, tmp_path / "new" / "curve")
    assert (png.name, svg.name) == ("curve.png", "curve.svg")
    assert draw_curves(results, tmp_path / "new" / "curve.svg") == [png, svg]
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</svg>")
    assert len(set(re.findall(r"stroke: (#[0-9a-f]{6})", text))) >= len(results)


def test_same_results_give_the_same_bytes(results: list[Result], tmp_path: Path) -> None:
    first, second = (draw_curves(results, tmp_path / name / "curve") for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_nothing_to_draw_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no result to draw"):
        draw_curves([], tmp_path / "curve")


def test_labels_stand_apart() -> None:
    places = _apart([50.0, 49.0, 10.0, 50.5])
    ordered = sorted(places)
    assert all(above - below >= LABEL_GAP for below, above in pairwise(ordered))
    assert places[2] == 10.0
    assert places[1] < places[0] < places[3]


def test_long_names_lose_owner_and_middle() -> None:
    assert _short("org/model") == "model"
    short = _short("ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli")
    assert (len(short), short[:7], short[-3:]) == (LABEL_LETTERS, "roberta", "nli")
