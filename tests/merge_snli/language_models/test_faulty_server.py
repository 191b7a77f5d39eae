"""Every bundled prompt, on a server that reasons first, adds text, refuses, is cut at the limit and often fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Question, Scope, read_questions
from merge_snli.models.prompts import PROMPTS, FilledPrompt, read_prompt
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.result import Result
from tests.merge_snli.language_models.asking import Ask, ask_inspect, ask_lm_eval
from tests.merge_snli.language_models.conftest import OWN
from tests.merge_snli.language_models.server import Server

pytestmark = pytest.mark.slow

SCOPE = {"config": "verb", "limit_seeds": 4}
FAILURES = {4: "error", 13: "rate limit", 19: "time-out"}
MAX_TOKENS = 60
# 0 is the answer, 1 another label in the form of an answer, and 2 the word for it: two JSON objects are two answers.
FORMS = (
    "{0}",
    "<think>\nThe premise mentions the same event.\n\nSo maybe {2}, maybe not.\n</think>\n\n{0}",
    "Okay, let me see. The answer could be {2} at first sight. Wait, let me check each word again.</think>\n\n{0}",
    "Let me compare the sentences.\nThe relationship hinges on one word: is it {2}?\nI conclude:\n\n**{0}**",
    "{0}\n\nPremise: A dog runs in a park.\nHypothesis: An animal runs.\nAnswer: {1}\n\nPremise: A cat",
    "The two sentences are about one event.\n\nAnswer: {0}",
)
REFUSAL = "I am sorry, but I cannot assist with that."
ENDLESS = "<think>" + " It may be so, or not." * MAX_TOKENS


def questions() -> tuple[Question, ...]:
    return read_questions(OWN, Scope(**SCOPE)).questions  # type: ignore[arg-type]


@contextmanager
def served(prompt: str, reply: Callable[[int, FilledPrompt, str], str]) -> Iterator[Server]:
    """Serve gold labels in a form, and other labels for one seed."""
    filled, asked = FilledPrompt(read_prompt(prompt), NLI_LABELS), questions()
    wrong = asked[0].uses[0]["seed_id"]
    labels = {
        filled.question(question.premise, question.hypothesis): (
            number,
            NLI_LABELS[(NLI_LABELS.index(question.label) + (question.uses[0]["seed_id"] == wrong)) % 3],
        )
        for number, question in enumerate(asked)
    }

    def answer(text: str) -> str:
        number, label = next(labels[end] for end in labels if text.endswith(end))
        return reply(number, filled, label)

    with Server(answer, FAILURES) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def in_a_form(number: int, prompt: FilledPrompt, label: str) -> str:
    other = next(each for each in NLI_LABELS if each != label)
    word = prompt.words[prompt.labels.index(other)]
    return FORMS[number % len(FORMS)].format(prompt.answer_for(label), prompt.answer_for(other), word)


def ask_with(
    reply: Callable[[int, FilledPrompt, str], str], ask: Ask, prompt: str, folder: Path, patch: pytest.MonkeyPatch
) -> Result:
    with served(prompt, reply) as server:
        shots = {"shots": 0} if ask is ask_inspect else {}
        logs = ask(server, {"dataset": OWN, **SCOPE, "prompt": prompt, **shots}, folder, patch, MAX_TOKENS)
    assert {*FAILURES.values()} < {*server.requests}
    (result,) = import_files(logs, OWN)
    return result


@pytest.mark.parametrize("ask", [ask_inspect, ask_lm_eval])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_every_form_is_read(ask: Ask, prompt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = ask_with(in_a_form, ask, prompt, tmp_path, monkeypatch)
    assert result.run.no_answers == 0
    assert (result.scores.seed_accuracy, result.pattern_accuracy) == (0.75, 0.75)


@pytest.mark.parametrize("ask", [ask_inspect, ask_lm_eval])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_cut_and_refused_answers_are_counted_apart(
    ask: Ask, prompt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = {3: REFUSAL, 5: ENDLESS, 8: ENDLESS}

    def reply(number: int, prompt: FilledPrompt, label: str) -> str:
        return unread.get(number) or in_a_form(number, prompt, label)

    run = ask_with(reply, ask, prompt, tmp_path, monkeypatch).run
    assert (run.no_answers, run.unread) == (3, {"cut": 2, "refused": 1})
