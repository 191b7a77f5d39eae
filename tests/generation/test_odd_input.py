"""Texts that are longer than a masked LM accepts, and other columns of the problems.

tests/reference/odd_texts.toml has texts with unusual characters.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from tests.oracles import write_rows

pytestmark = pytest.mark.slow  # a run of the whole pipeline with three masked LMs

LONG = " ".join(
    f"The {size} dog sleeps near the house number {number}." for number in range(20) for size in ["old", "big"]
)

PROBLEMS = {
    "long premise": (LONG, "The dog sleeps near the house."),
    "long hypothesis": ("A dog sleeps in the house.", " ".join(["The dog sleeps in the house today"] * 40)),
}


@pytest.fixture(scope="module")
def made(tiny_mlm: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    folder = tmp_path_factory.mktemp("odd")
    rows = []
    for name, (premise, hypothesis) in PROBLEMS.items():
        rows.append({"id": name, "premise": premise, "hypothesis": hypothesis, "label": "neutral"})
    problems = str(write_rows(folder / "odd.jsonl", rows))
    mlms = tuple(str(tiny_mlm(kind)) for kind in ("bert", "roberta", "albert"))
    return run_pipeline(
        Options(problems=problems, id_column="id", mlm=mlms, inflation=1, subsamples=1), folder / "merge_snli"
    )


def test_forms_of_long_texts_are_counted(made: MergeDataset) -> None:
    """The premise has sentences, of which windows are masked; the hypothesis is one sentence that is too long."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for of in generation_of(made.record).filters:
        for reason in ("in a window", "too long"):
            counts[of.masked_lm, of.side, reason] += of.counts.get(reason, 0)
    for mlm in generation_of(made.record).masked_lms:
        assert counts[mlm.name, "premise", "in a window"] >= 40, "a word of each of 40 sentences"
        assert counts[mlm.name, "premise", "too long"] == 0
        assert counts[mlm.name, "hypothesis", "in a window"] == 0
        assert counts[mlm.name, "hypothesis", "too long"] >= 2 * 40


def test_extra_columns_come_last_as_text(tiny_mlm: Callable[[str], Path], tmp_path: Path) -> None:
    extra = {"genre": "fiction", "round": 3, "notes": ["a", "ü"], "empty": None}
    texts = {"premise": "The committee met. It read the report.", "hypothesis": "The committee read the report."}
    problems = str(write_rows(tmp_path / "p.jsonl", [{**texts, "label": "neutral", **extra}]))
    mlm = (str(tiny_mlm("bert")),)
    options = Options(problems=problems, mlm=mlm, inflation=1, subsamples=1, keep_column=tuple(extra))
    made = run_pipeline(options, tmp_path / "merge_snli")
    for config in ("all", "seed"):
        table = read_split(made, config)
        assert table.column_names[-4:] == list(extra)
        first, *_ = table.select(list(extra)).to_pylist()
        assert first == {"genre": "fiction", "round": "3", "notes": '["a", "ü"]', "empty": ""}
