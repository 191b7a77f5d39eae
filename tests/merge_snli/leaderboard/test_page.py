"""Tests of the page as a file: names are escaped, nothing is fetched, and fifty models fit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import merge_snli.leaderboard
from merge_snli import Result
from merge_snli.base.files import sha256_of_json
from merge_snli.comparison.html_page import json_for_script, shared_style
from merge_snli.dataset.texts import TextNames
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.payload import CURVE_SCALE, _differences, page_data
from merge_snli.leaderboard.write import render_page
from merge_snli.scoring.answers import Answers, Graded
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, named, unchecked

ASSETS = Path(merge_snli.leaderboard.__file__).parent / "page"
MAX_BYTES = 1_500_000


class Parsed(HTMLParser):
    """The elements of a page and the contents of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.policy = ""
        self.in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes
        if ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"] or ""
        self.in_script = tag == "script"
        if self.in_script:
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False


@pytest.fixture(scope="module")
def page(boards: tuple[Board, ...], texts: dict[int, dict[str, Any]]) -> str:
    return render_page(boards, texts)


@pytest.fixture(scope="module")
def parsed(page: str) -> Parsed:
    return Parsed(page)


def test_names_are_escaped(page: str, parsed: Parsed) -> None:
    assert parsed.tags.count("script") == 3
    assert "img" not in parsed.tags
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert SCRIPT not in page
    assert QUOTES not in page
    assert page.count("</script") == 3
    assert "&lt;script&gt;" in page


def test_data_round_trips(parsed: Parsed) -> None:
    data = json.loads(parsed.scripts[0])
    names = {model["name"] for model in data["boards"][0]["models"]}
    assert {SCRIPT, QUOTES} <= names


def test_checkpoints_of_two_runs_have_different_labels(results: list[Result]) -> None:
    runs = [named(result, f"run{at}/checkpoint-500", None, None) for at, result in enumerate(results[:2])]
    [board] = page_data(make_boards(runs), {})["boards"]
    assert {model["label"] for model in board["models"]} == {"run0/checkpoint-500", "run1/checkpoint-500"}


def test_policy_allows_only_the_scripts_of_the_page(parsed: Parsed) -> None:
    for script in parsed.scripts[1:]:
        digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in parsed.policy
    assert parsed.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in parsed.policy.split("style-src")[0]


def test_nothing_is_fetched(parsed: Parsed) -> None:
    sources = [value for name, value in parsed.attributes if name in ("src", "srcset", "data", "action")]
    assert sources == []
    assert "url(" not in shared_style() + (ASSETS / "page.css").read_text(encoding="utf-8")
    links = {value for name, value in parsed.attributes if name == "href"}
    assert links == {"#", "#main", "data:,", "https://arxiv.org/abs/2510.24295"}


def test_chart_library_includes_its_license(page: str) -> None:
    assert "The MIT License (MIT)" in page
    assert "uPlot (v1.6.32)" in page


@pytest.mark.parametrize("path", sorted(ASSETS.glob("*.js")), ids=lambda path: path.name)
def test_scripts_insert_text_not_markup(path: Path) -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", path.read_text("utf-8"))


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "]]>", "&lt;", "\u2028\u2029", '"\\'])
def test_json_cannot_end_its_script_element(text: str) -> None:
    written = json_for_script({"name": text})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == {"name": text}


def test_no_texts_without_the_data_set(boards: tuple[Board, ...], texts: dict[int, dict[str, Any]]) -> None:
    sentence = next(iter(texts[0]["seeds"].values()))["p"]
    assert sentence not in render_page(boards)
    data = json.loads(Parsed(render_page(boards)).scripts[0])
    assert [board["texts"] for board in data["boards"]] == [{}, {}]


def paper_sized(result: Result, name: str, rng: np.random.Generator) -> Result:
    """Return a result with 2,222 seeds, 40 variants per seed and eight masked LMs."""
    n_seeds, n_variants = 2222, 40
    groups = np.repeat(np.arange(n_seeds), n_variants)
    seeds = Graded(rng.choice(2, n_seeds, p=(0.1, 0.9)), gold=np.ones(n_seeds, dtype=np.int64))
    answers = Answers(
        labels=result.compared_labels,
        table=pa.table({"row_id": [f"v{number}" for number in range(len(groups))]}),
        group_ids=tuple(f"{index}0552913.jpg#2r1n" for index in range(n_seeds)),
        groups=groups,
        gold=np.ones(len(groups), dtype=np.int64),
        predicted=rng.choice(3, len(groups), p=(0.1, 0.8, 0.1)),
        subsamples=np.tile(np.arange(n_variants) < 20, n_seeds)[np.newaxis].repeat(10, axis=0),
        seeds=seeds,
    )
    parts = {**result.parts, "masked_lm": {f"org/some-masked-lm-{index}": result.scores for index in range(8)}}
    model = dataclasses.replace(
        result.model, name=name, digest=sha256_of_json(name), parameters=110_000_000, training_data=("snli",)
    )
    return unchecked(result, answers=answers, parts=parts, model=model)


def test_fifty_models_are_small_enough(results: list[Result]) -> None:
    rng = np.random.default_rng(0)
    many = [paper_sized(results[0], f"organization/some-model-{index}", rng) for index in range(50)]
    words = [{"w": word, "p": (2,), "h": (4,)} for word in ("woman", "street")]
    sentences = ("A sentence of some length about what people do. " * 2, "They do it here and now. " * 2)
    texts = {
        "license": "cc-by-sa-4.0",
        "terms": "Terms. " * 20,
        "names": TextNames(),
        "seeds": {seed: {"p": sentences[0], "h": sentences[1], "words": words} for seed in many[0].group_ids},
        "variants": {f"v{row}": (row % 2, f"word{row % 40}") for row in range(40 * len(many[0].group_ids))},
    }
    page = render_page(make_boards(many), {0: texts})
    assert len(page.encode()) < MAX_BYTES
    shown: dict[str, Any] = json.loads(Parsed(page).scripts[0])["boards"][0]
    assert len(shown["models"]) == 50
    assert all(model["inconsistent"] and model["inconsistent"][0]["flips"] for model in shown["models"])
    assert len(shown["texts"]) > 400


def test_a_curve_is_rounded_once() -> None:
    for of in range(1, 400):
        shares = [number / of for number in range(of, -1, -1)]
        values = [value / CURVE_SCALE for value in accumulate(_differences(shares))]
        assert [f"{100 * value:.1f}" for value in values] == [f"{100 * share:.1f}" for share in shares]
