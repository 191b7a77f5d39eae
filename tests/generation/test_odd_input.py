"""Runs on unusual input, and runs that mask all occurrences, replace words of several pieces, or use bfloat16."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from tests.oracles import pair_of

pytestmark = pytest.mark.slow  # a run of the whole pipeline with three masked LMs

LONG = " ".join(
    f"The {size} dog sleeps near the house number {number}." for number in range(20) for size in ["old", "big"]
)

PROBLEMS = {
    "several sentences": (
        "The committee met on Monday. It read the report, and then, well, it went back! Nobody liked the report.",
        "The committee read the report.",
    ),
    "quotes and ellipses": (
        'He said: "The teacher … gave the children a book ... a good book," and left.',
        "“The teacher gave the children a book…”",
    ),
    "numbers": ("In 1999 the 2 dogs ran 3.5 miles for $5,000 (or 12%).", "2 dogs ran 3.5 miles in 1999."),
    "emoji": ("A happy dog 🐶 runs on the beach 🏖️ with a man 👨‍👩‍👧.", "A dog 🐶 runs with a man 👨‍👩‍👧."),
    "long premise": (LONG, "The dog sleeps near the house."),
    "non-breaking spaces": (
        "A man\u00a0rides a\u00a0horse on\u202fthe beach\u00a0.",
        "A\u00a0man rides a horse\u00a0on the beach.",
    ),
    "right to left": (
        "The man said \u202bשלום לכולם\u202c to the woman near the مدرسة كبيرة.",  # noqa: RUF001
        "The man said שלום to a woman.",
    ),
    "right to left only": ("الرجل يركب الحصان في المدينة.", "الرجل يركب الحصان."),
    "long hypothesis": ("A dog sleeps in the house.", " ".join(["The dog sleeps in the house today"] * 40)),
    "breaks and tabs": ("A man\trides a bike.\n\n  A dog runs.  ", "\u2028A dog runs\twith a man\r\n"),
    "combining marks": ("A man drinks in the cafe\u0301 with a dog\u200b.", "A man with a dog drinks."),
    "no letters": ("??? !!! 123", "123 ..."),
    "hyphens and possessives": ("The dog's well-known owner walks the dog-friendly street.", "The dog's owner walks."),
    "capitals": ("THE MAN RIDES A HORSE ON THE BEACH", "THE MAN RIDES A HORSE"),
}


@pytest.fixture(scope="module")
def made(tiny_mlm: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    folder = tmp_path_factory.mktemp("odd")
    lines = (
        json.dumps({"id": name, "premise": premise, "hypothesis": hypothesis, "label": "neutral"})
        for name, (premise, hypothesis) in PROBLEMS.items()
    )
    (folder / "odd.jsonl").write_text("\n".join(lines), encoding="utf-8")
    mlms = tuple(str(tiny_mlm(kind)) for kind in ("bert", "roberta", "albert"))
    options = Options(problems=str(folder / "odd.jsonl"), id_column="id", mlm=mlms, inflation=1, subsamples=1)
    return run_pipeline(options, folder / "merge_snli")


@pytest.fixture(scope="module")
def rows(made: MergeDataset) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_split(made, "all").to_pylist()
    return rows


def test_a_variant_differs_from_its_seed_only_in_the_replaced_word(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        premise, hypothesis = PROBLEMS[row["seed_id"]]
        assert (row["seed_premise"], row["seed_hypothesis"]) == (premise, hypothesis)
        word = re.compile(rf"(?<!\w){re.escape(row['original'])}(?!\w)")
        assert pair_of(row) == tuple(word.sub(row["replacement"], text) for text in (premise, hypothesis))
        assert row["replacement"].isprintable()


@pytest.mark.parametrize(
    "name",
    [
        *("several sentences", "quotes and ellipses", "numbers", "emoji", "non-breaking spaces", "right to left"),
        "long premise",
    ],
)
def test_unusual_text_gets_variants(name: str, rows: list[dict[str, Any]]) -> None:
    assert any(row["seed_id"] == name for row in rows)


@pytest.mark.parametrize("name", ["long hypothesis", "right to left only", "no letters"])
def test_problems_without_usable_forms_get_no_variants(name: str, rows: list[dict[str, Any]]) -> None:
    assert not any(row["seed_id"] == name for row in rows)


def test_forms_of_long_texts_are_counted(made: MergeDataset) -> None:
    """The premise has sentences, of which windows are masked; the hypothesis is one sentence that is too long."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for of in generation_of(made.record).filters:
        for reason in ("in a window", "too long"):
            counts[of.masked_lm, of.side, reason] += of.counts.get(reason, 0)
    for mlm in generation_of(made.record).masked_lms:
        assert counts[mlm.name, "premise", "in a window"] >= 40, "a word of each of 40 sentences"
        assert counts[mlm.name, "premise", "too long"] == counts[mlm.name, "hypothesis", "in a window"] == 0
        assert counts[mlm.name, "hypothesis", "too long"] >= 2 * 40


def test_extra_columns_come_last_as_text(tiny_mlm: Callable[[str], Path], tmp_path: Path) -> None:
    extra = {"genre": "fiction", "round": 3, "notes": ["a", "ü"], "empty": None}
    premise, hypothesis = PROBLEMS["several sentences"]
    line = {"premise": premise, "hypothesis": hypothesis, "label": "neutral", **extra}
    (tmp_path / "p.jsonl").write_text(json.dumps(line), encoding="utf-8")
    options = Options(
        problems=str(tmp_path / "p.jsonl"),
        mlm=(str(tiny_mlm("bert")),),
        inflation=1,
        subsamples=1,
        keep_column=tuple(extra),
    )
    made = run_pipeline(options, tmp_path / "merge_snli")
    for config in ("all", "seed"):
        table = read_split(made, config)
        assert table.column_names[-4:] == list(extra) and table.num_rows > 0
        for row in table.select(list(extra)).to_pylist():
            assert row == {"genre": "fiction", "round": "3", "notes": '["a", "ü"]', "empty": ""}
