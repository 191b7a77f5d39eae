"""Servers that give the same labels in different forms have the same scores in both harnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from merge_snli.cli import main
from merge_snli.dataset.stored import MergeDataset
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.result import Result
from tests.merge_snli.language_models.conftest import OWN, lm_eval_logs_of
from tests.merge_snli.language_models.server import Server, by_pair

pytestmark = pytest.mark.slow

SEEDS = 20
FORMS = {
    "label": "{label}",
    "reasoning": "<think>\nThe premise mentions the same event.\n\nSo maybe entailment, maybe not.\n</think>"
    "\n\n{label}",
    "reasoning without the opening tag": "Okay, let me see. The answer could be entailment at first sight. Wait, let "
    "me check each word again.\nThe premise is about the same event.</think>\n\n{label}",
    "reasons": "Let me compare the sentences.\nThe relationship hinges on one word: is it an entailment?\nAfter "
    "checking, I conclude:\n\n**{title}**",
    "base model runs on": "{label}\n\nPremise: A dog runs in a park.\nHypothesis: An animal runs.\nAnswer: "
    "entailment\n\nPremise: A man",
    "explanation": "{title}\n\nExplanation: The premise neither entails nor contradicts more than that.",
    "reasons with blank lines": "The premise is about a park.\n\nThe hypothesis adds a color.\n\nAnswer: {title}",
    "JSON with text around it": 'Here it is:\n\n```json\n{{"answer": "{label}"}}\n```\n\nIt is no contradiction.',
    "box": "It may be entailment.\n\nThe final answer is $\\boxed{{\\text{{{label}}}}}$.",
}


@pytest.fixture(scope="module")
def answers(bundled: MergeDataset) -> dict[tuple[str, str], str]:
    """The gold label of each pair; of every fourth seed and its variants another label."""
    asked = read_questions(bundled, Scope(config="noun", limit_seeds=SEEDS))
    seeds = [use["seed_id"] for question in asked.questions for use in question.uses if "variant_id" not in use]
    wrong = {*seeds[::4]}
    labels = {}
    for question in asked.questions:
        use = question.uses[0]
        number = NLI_LABELS.index(use["label"]) + (use["seed_id"] in wrong)
        labels[question.premise, question.hypothesis] = NLI_LABELS[number % 3]
    return labels


@contextmanager
def served(answer: Callable[[str, str], str]) -> Iterator[Server]:
    with Server(by_pair(answer)) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def in_form(answers: dict[tuple[str, str], str], form: str) -> Callable[[str, str], str]:
    def answer(premise: str, hypothesis: str) -> str:
        label = answers[premise, hypothesis]
        return FORMS[form].format(label=label, title=label.title())

    return answer


def check(result: Result) -> None:
    assert result.run.no_answers == 0
    assert result.scores.seed_accuracy == 0.75
    assert result.scores.pattern_accuracy.mean == 0.75


@pytest.mark.parametrize("form", FORMS)
def test_inspect(
    form: str, answers: dict[tuple[str, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    from merge_snli.language_models.inspect_task import nli

    with served(in_form(answers, form)) as server:
        monkeypatch.setenv("STANDIN_API_KEY", "none")
        monkeypatch.setenv("STANDIN_BASE_URL", server.address)
        task = nli(OWN, config="noun", limit_seeds=SEEDS)
        # Inspect keeps models, and this one would ask the server of another form.
        model = get_model("openai-api/standin/rule", memoize=False)
        (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    (result,) = import_files([log.location], OWN)
    check(result)
    (again,) = import_files([log.location], OWN, again=True)
    check(again)


@pytest.mark.parametrize("form", FORMS)
def test_lm_eval(
    form: str, answers: dict[tuple[str, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    tasks = tmp_path / "tasks"
    assert main(["harness", OWN, "--config", "noun", "--limit-seeds", str(SEEDS), "--out", str(tasks)]) == 0
    with served(in_form(answers, form)) as server:
        address = f"{server.address}/chat/completions"
        arguments = {"model": "rule", "base_url": address, "num_concurrent": 1, "max_retries": 1}
        tasks_of = ["merge_snli_noun_word_generate"]
        logs = lm_eval_logs_of(
            "local-chat-completions", tasks_of, tmp_path, model_args=arguments, apply_chat_template=True
        )
    (result,) = import_files(logs, OWN, model="rule")
    check(result)
    (again,) = import_files(logs, OWN, model="rule", again=True)
    check(again)
