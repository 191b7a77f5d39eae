"""Servers that reason, add text, refuse, are cut and often fail: no answer is lost or misread in either harness."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.prompts import PROMPTS, read_prompt
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN, prompt_of
from tests.merge_snli.language_models.server import Ask, Server, ask_inspect, ask_lm_eval

FAILURES = {4: "error", 13: "rate limit", 19: "time-out"}
MAX_TOKENS = 60
SCOPE = Scope(config="verb", limit_seeds=4)
# 0 is the answer, 1 another label in the form of an answer, and 2 the word for it: two JSON objects are two answers.
FORMS_OF_PROMPTS = (
    "{0}",
    "<think>\nThe premise mentions the same event.\n\nSo maybe {2}, maybe not.\n</think>\n\n{0}",
    "Okay, let me see. The answer could be {2} at first sight. Wait, let me check each word again.</think>\n\n{0}",
    "Let me compare the sentences.\nThe relationship hinges on one word: is it {2}?\nI conclude:\n\n**{0}**",
    "{0}\n\nPremise: A dog runs in a park.\nHypothesis: An animal runs.\nAnswer: {1}\n\nPremise: A cat",
    "The two sentences are about one event.\n\nAnswer: {0}",
)
REFUSAL = "I am sorry, but I cannot assist with that."
ENDLESS = "<think>" + " It may be so, or not." * MAX_TOKENS


def served(prompt: str, unread: Mapping[int, str]) -> Server:
    """Return a server of the right answers to the questions in several forms, of some another reply."""
    filled = FilledPrompt(read_prompt(prompt), NLI_LABELS)
    replies = {}
    for number, question in enumerate(read_questions(OWN, SCOPE).questions):
        text = filled.question(question.premise, question.hypothesis)
        replies[text] = unread.get(number) or in_a_form(number, filled, question.label)
    return Server(lambda text: next(replies[end] for end in replies if text.endswith(end)), FAILURES)


def in_a_form(number: int, prompt: FilledPrompt, label: str) -> str:
    other = next(each for each in NLI_LABELS if each != label)
    word = prompt.words[prompt.labels.index(other)]
    form = FORMS_OF_PROMPTS[number % len(FORMS_OF_PROMPTS)]
    return form.format(prompt.answer_for(label), prompt.answer_for(other), word)


@pytest.mark.slow
@pytest.mark.parametrize("ask", [ask_inspect, ask_lm_eval])
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("unread", [{}, {3: REFUSAL, 5: ENDLESS, 8: ENDLESS}], ids=["all read", "some unread"])
def test_every_form_is_read_and_cut_and_refused_answers_are_counted_apart(
    unread: dict[int, str], prompt: str, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"dataset": OWN, "config": SCOPE.config, "limit_seeds": SCOPE.limit_seeds, "prompt": prompt}
    if ask is ask_inspect:
        asked["shots"] = 0
    with served(prompt, unread) as server:
        logs = ask(server, asked, tmp_path, monkeypatch, MAX_TOKENS)
    assert {*FAILURES.values()} < {*server.requests}
    (result,) = import_files(logs, OWN)
    taken = prompt_of(result)
    assert taken.calls == len(read_questions(OWN, SCOPE).questions)
    if ask is ask_inspect:
        assert (taken.provider, taken.input_tokens) == ("openai-api", 40 * taken.calls)
        assert (taken.retries or 0) >= len(FAILURES)  # more if the machine is too busy to answer in time
    if unread:
        assert (result.run.no_answers, result.run.unread) == (3, {"cut": 2, "refused": 1})
    else:
        assert (result.run.no_answers, result.scores.seed_accuracy, result.pattern_accuracy) == (0, 1, 1)
