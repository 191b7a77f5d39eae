"""The page as a file: names are escaped, nothing is fetched, fifty models fit; the hardest seeds and their texts."""

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import merge_snli.leaderboard
from merge_snli import Result, score
from merge_snli.answers.answers import Answers, Graded
from merge_snli.comparison.html_page import json_for_script, shared_style
from merge_snli.dataset.texts import TextNames
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.model_payload import CURVE_SCALE, _differences
from merge_snli.leaderboard.payload import page_data
from merge_snli.leaderboard.render import render_page
from merge_snli.leaderboard.seeds import inconsistent, seeds_by_hardness
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, SHIPPED, Pair, data_of, named, noisy, unchecked
from tests.oracles import always, missing_from, pair_of, rows_of

ASSETS = Path(merge_snli.leaderboard.__file__).parent / "page"
MAX_BYTES = 1_500_000


class Parsed(HTMLParser):
    """The elements, attributes and texts of a page, and the contents of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""
        self.in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        if ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"] or ""
        self.in_script = tag == "script"
        if self.in_script:
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        self.text.append(data)
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
    assert parsed.tags.count("script") == 3 and "img" not in parsed.tags
    assert not [name for _, name, _ in parsed.attributes if name.startswith("on")]
    assert [part for part in (SCRIPT, QUOTES) if part in page] == []
    assert page.count("</script") == 3 and "&lt;script&gt;" in page


def test_data_round_trips(parsed: Parsed) -> None:
    assert {SCRIPT, QUOTES} <= {model["name"] for model in json.loads(parsed.scripts[0])["boards"][0]["models"]}


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
    assert not {name for _, name, _ in parsed.attributes} & {"src", "srcset", "data", "action"}
    assert "url(" not in shared_style() + (ASSETS / "page.css").read_text(encoding="utf-8")
    links = {value for _, name, value in parsed.attributes if name == "href"}
    assert links == {"#", "#main", "data:,", "https://arxiv.org/abs/2510.24295"}


def test_chart_library_includes_its_license(page: str) -> None:
    assert not missing_from(page, "The MIT License (MIT)", "uPlot (v1.6.32)")


@pytest.mark.parametrize("path", sorted(ASSETS.glob("*.js")), ids=lambda path: path.name)
def test_scripts_insert_text_not_markup(path: Path) -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", path.read_text("utf-8"))


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "]]>", "&lt;", "\u2028\u2029", '"\\'])
def test_json_cannot_end_its_script_element(text: str) -> None:
    written = json_for_script({"name": text})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == {"name": text}


def test_no_texts_without_the_data_set(boards: tuple[Board, ...], texts: dict[int, dict[str, Any]]) -> None:
    page = render_page(boards, {})
    assert next(iter(texts[0]["seeds"].values()))[0] not in page
    assert [board["texts"] for board in data_of(page)["boards"]] == [None, None]


def paper_sized(result: Result, name: str, rng: np.random.Generator) -> Result:
    """Return a result with 2,222 seeds, 40 variants per seed and eight masked LMs."""
    n_seeds = 2222
    n_variants = 40
    n_rows = n_seeds * n_variants
    drawn = np.tile(np.arange(n_variants) < 20, n_seeds)
    answers = Answers(
        labels=result.compared_labels,
        table=pa.table({"row_id": [f"v{number}" for number in range(n_rows)]}),
        group_ids=tuple(f"{index}0552913.jpg#2r1n" for index in range(n_seeds)),
        groups=np.repeat(np.arange(n_seeds), n_variants),
        gold=np.ones(n_rows, dtype=np.int64),
        predicted=rng.choice(3, n_rows, p=(0.1, 0.8, 0.1)),
        subsamples=np.stack([drawn] * 10),
        seeds=Graded(rng.choice(2, n_seeds, p=(0.1, 0.9)), gold=np.ones(n_seeds, dtype=np.int64)),
    )
    masked_lms = {f"org/some-masked-lm-{index}": result.scores for index in range(8)}
    model = named(result, name, 110_000_000, ("snli",)).model
    return unchecked(result, stored=answers, parts={**result.parts, "masked_lm": masked_lms}, model=model)


@pytest.mark.parametrize("models", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_fifty_models_are_small_enough(results: list[Result], models: int) -> None:
    rng = np.random.default_rng(0)
    many = [paper_sized(results[0], f"organization/some-model-{index}", rng) for index in range(models)]
    words = [(word, (2,), (4,)) for word in ("woman", "street")]
    premise, hypothesis = "A sentence of some length about what people do. " * 2, "They do it here and now. " * 2
    texts = {
        "license": "cc-by-sa-4.0",
        "terms": "Terms. " * 20,
        "names": TextNames(),
        "seeds": dict.fromkeys(many[0].group_ids, (premise, hypothesis, words)),
        "variants": {f"v{row}": (row % 2, f"word{row % 40}") for row in range(len(many[0].answers.predicted))},
    }
    page = render_page(make_boards(many), {0: texts})
    assert len(page.encode()) < MAX_BYTES * (0.5 if models < 50 else 1)
    shown = data_of(page)["boards"][0]
    assert len(shown["models"]) == models
    for model in shown["models"]:
        assert model["inconsistent"][0]["flips"]
    assert len(shown["texts"]["seeds"]) > 8 * models


def test_a_curve_is_rounded_once() -> None:
    for of in range(1, 400):
        shares = [number / of for number in range(of, -1, -1)]
        values = [value / CURVE_SCALE for value in accumulate(_differences(shares))]
        assert [f"{100 * value:.1f}" for value in values] == [f"{100 * share:.1f}" for share in shares]


NAMES = ("entailment", "neutral", "contradiction")


@pytest.fixture(scope="module")
def variants() -> list[dict[str, Any]]:
    return rows_of(SHIPPED)


def test_hard_seeds_have_few_correct_variants_and_those_with_another_prediction(
    results: list[Result], gold: dict[Pair, int], variants: list[dict[str, Any]]
) -> None:
    predict = noisy("hasty", gold, 0.2)
    seeds = seeds_by_hardness(results[0])
    predicted_of = {seed.seed_id: seed.predicted for seed in seeds}
    correct = Counter[str]()
    flips: dict[str, list[tuple[str, str]]] = {name: [] for name in predicted_of}
    for row in variants:
        [predicted] = predict([pair_of(row)])
        correct[row["seed_id"]] += predicted == row["label"]
        if NAMES[predicted] != predicted_of[row["seed_id"]]:
            flips[row["seed_id"]].append((row["variant_id"], NAMES[predicted]))
    sizes = Counter(row["seed_id"] for row in variants)
    for seed in seeds:
        assert (seed.correct, seed.variants) == (correct[seed.seed_id], sizes[seed.seed_id])
        assert list(seed.flips) == flips[seed.seed_id]
    order = [(seed.correct / seed.variants, -seed.variants) for seed in seeds]
    assert order == sorted(order)
    first = inconsistent(seeds)[0]
    assert first.predicted == first.gold
    assert len(first.flips) == first.variants - first.correct > 0


def test_the_page_counts_all_seeds_and_shows_the_hardest(
    results: list[Result], texts: dict[int, dict[str, Any]]
) -> None:
    [board] = page_data(make_boards(results[:1]), {0: texts[0]})["boards"]
    [model] = board["models"]
    seeds = seeds_by_hardness(results[0])
    own = inconsistent(seeds)
    counts = model["counts"]
    assert counts["wrong"] == sum(seed.predicted != seed.gold for seed in seeds)
    assert counts["inconsistent"] == len(own) > 10
    hardest = [seed["seed_id"] for seed in model["hardest"]]
    shown = [seed["seed_id"] for seed in model["inconsistent"]]
    assert hardest == [seed.seed_id for seed in seeds[:10]]
    assert shown == [seed.seed_id for seed in own[:10]]
    assert {*board["texts"]["seeds"]} == {*hardest, *shown}
    for seed in model["inconsistent"]:
        assert len(seed["flips"]) == min(seed["flipped"], 12)
    assert board["drawn"] == 10
    assert board["quality"] == 90


def test_constant_predictions_are_consistent(results: list[Result]) -> None:
    assert inconsistent(seeds_by_hardness(results[4])) == []


def test_two_way_models_are_compared_in_two_labels() -> None:
    for seed in seeds_by_hardness(score(always("not_entailment"), SHIPPED, name="never")):
        assert seed.correct == {"entailment": 0, "not_entailment": seed.variants}[seed.gold]


def replace_at(sentence: str, offsets: tuple[int, ...], word: str, replacement: str) -> str:
    assert offsets
    for offset in reversed(offsets):
        sentence = sentence[:offset] + replacement + sentence[offset + len(word) :]
    return sentence


def test_variants_can_be_rebuilt_from_offsets(texts: dict[int, dict[str, Any]], variants: list[dict[str, Any]]) -> None:
    for row in variants:
        premise, hypothesis, words = texts[0]["seeds"][row["seed_id"]]
        word, replacement = texts[0]["variants"][row["variant_id"]]
        assert (word, replacement) == (row["original"], row["replacement"])
        offsets = {name: places for name, *places in words}
        in_premise, in_hypothesis = offsets[word]
        assert (premise, hypothesis) == (row["seed_premise"], row["seed_hypothesis"])
        assert replace_at(premise, in_premise, word, replacement) == row["premise"]
        assert replace_at(hypothesis, in_hypothesis, word, replacement) == row["hypothesis"]


def test_license(texts: dict[int, dict[str, Any]]) -> None:
    assert texts[0]["license"] == "apache-2.0" and "Apache-2.0" in texts[0]["terms"]
