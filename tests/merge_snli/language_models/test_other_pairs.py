"""Pairs in groups go through both harnesses: Simple Pair, and a file of two-way pairs as in HANS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from merge_snli.cli import main
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.results.result import Result
from tests.merge_snli.language_models.conftest import lm_eval_logs_of
from tests.merge_snli.language_models.server import Server

Asked = dict[str, Any]
"""The data set and the scope, as the arguments of the Inspect task."""


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
    with Server(lambda premise, hypothesis: form.format(answers[premise, hypothesis])) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def check(results: list[Result]) -> None:
    for result in results:
        assert result.run.no_answers == 0
        assert result.pattern_accuracy == 0.75


def ask_inspect(asked: Asked, form: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    with served(asked, form) as server:
        monkeypatch.setenv("STANDIN_API_KEY", "none")
        monkeypatch.setenv("STANDIN_BASE_URL", server.address)
        model = get_model("openai-api/standin/rule", memoize=False)
        (log,) = inspect_eval("merge_snli/nli", model=model, task_args=asked, log_dir=str(folder), display="none")
    assert log.status == "success"
    return [log.location]


def ask_lm_eval(asked: Asked, form: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    tasks = folder / "tasks"
    options = [
        text
        for name, value in asked.items()
        if name != "dataset"
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    assert main(["harness", asked["dataset"], *options, "--prompt", "word", "--out", str(tasks)]) == 0
    (task,) = (path.stem for path in tasks.glob("*_word_generate.yaml"))
    with served(asked, form) as server:
        arguments = {"model": "rule", "base_url": f"{server.address}/chat/completions", "num_concurrent": 1}
        logs = lm_eval_logs_of("local-chat-completions", [task], folder, model_args=arguments, apply_chat_template=True)
    return [str(path) for path in logs]


@pytest.mark.slow
@pytest.mark.parametrize("ask", [ask_inspect, ask_lm_eval])
@pytest.mark.parametrize("pairs", ["simple_pair", "hans"])
def test_pairs_in_groups(
    pairs: str,
    ask: Callable[[Asked, str, Path, pytest.MonkeyPatch], list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    asked = request.getfixturevalue(pairs)
    logs = ask(asked, "<think>Is it {0} or neutral?</think>\n\nAnswer: **{0}**", tmp_path, monkeypatch)
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
