"""Pairs in groups go through both harnesses: Simple Pair, and a file of two-way pairs as in HANS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from merge_snli.cli import main
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.result import Result
from tests.merge_snli.language_models.asking import Ask, Asked, ask_inspect, ask_lm_eval
from tests.merge_snli.language_models.server import Server, by_pair


@pytest.fixture(scope="module")
def simple_pair(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    out = tmp_path_factory.mktemp("pairs") / "simple_pair"
    assert main(["pairs", "simple", "--out", str(out), "--premises", "40"]) == 0
    return {"dataset": str(out), "config": "conjunction", "limit_seeds": 8}


@pytest.fixture(scope="module")
def hans(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    path = tmp_path_factory.mktemp("hans") / "heuristics.jsonl"
    rows = [
        {
            "sentence1": f"The {one} near the {other} saw judge {number} of court {template}.",
            "sentence2": f"The {(other, one)[template % 2]} saw judge {number} of court {template}.",
            "gold_label": ("non-entailment", "entailment")[template % 2],
            "template": f"t{template}",
        }
        for template in range(8)
        for number, (one, other) in enumerate([("poet", "baker"), ("king", "nurse"), ("guard", "clerk")])
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return {"dataset": str(path), "group_column": "template"}


@contextmanager
def served(asked: Asked, form: str) -> Iterator[Server]:
    """Serve the gold labels; for every fourth group another label."""
    scope = {name: value for name, value in asked.items() if name != "dataset"}
    questions = read_questions(asked["dataset"], Scope(**scope)).questions
    groups = list(dict.fromkeys(question.uses[0]["group_id"] for question in questions))
    labels = TWO_WAY if "group_column" in asked else NLI_LABELS
    answers = {
        (question.premise, question.hypothesis): labels[
            (labels.index(question.label) + (groups.index(question.uses[0]["group_id"]) % 4 == 0)) % len(labels)
        ]
        for question in questions
    }
    with Server(by_pair(lambda *pair: form.format(answers[pair]))) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def check(results: list[Result]) -> None:
    for result in results:
        assert result.run.no_answers == 0
        assert result.pattern_accuracy == 0.75


@pytest.mark.slow
@pytest.mark.parametrize("ask", [ask_inspect, ask_lm_eval])
@pytest.mark.parametrize("pairs", ["simple_pair", "hans"])
def test_pairs_in_groups(
    pairs: str,
    ask: Ask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    asked = request.getfixturevalue(pairs)
    with served(asked, "<think>Is it {0} or neutral?</think>\n\nAnswer: **{0}**") as server:
        logs = ask(server, asked, tmp_path, monkeypatch, 1_000)
    results = import_files(logs, asked["dataset"], model="rule", out=tmp_path / "results")
    check(results)
    paths = list((tmp_path / "results").glob("*.json"))
    check(import_files(paths, asked["dataset"], again=True))


def test_a_log_on_other_pairs_is_refused(hans: Asked, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    lines = Path(hans["dataset"]).read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[1:]), encoding="utf-8")
    scope = Scope(group_column="template")
    assert read_questions(hans["dataset"], scope).digest != read_questions(str(path), scope).digest
    assert [question.id for question in read_questions(str(path), scope).questions][:2] == ["row-1", "row-2"]
