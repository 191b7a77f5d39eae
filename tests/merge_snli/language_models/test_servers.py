"""Servers that reason, add text, refuse, are cut and often fail: no answer is lost or misread in either harness."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from merge_snli import Result
from merge_snli.cli import main
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.prompts import PROMPTS, read_prompt
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN, prompt_of
from tests.merge_snli.language_models.server import Ask, Asked, Server, ask_inspect, ask_lm_eval, by_pair

FAILURES = {4: "error", 13: "rate limit", 19: "time-out"}
MAX_TOKENS = 60
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


def served(
    asked: Asked, reply: Callable[[int, FilledPrompt, str], str], failures: Mapping[int, str] | None = None
) -> Server:
    """Return a server of the gold label to each question, of every fourth group another, as `reply` writes them."""
    questions = read_questions(
        asked["dataset"], Scope(**{name: value for name, value in asked.items() if name in Scope.__annotations__})
    ).questions
    labels = TWO_WAY if "group_column" in asked else NLI_LABELS
    filled = FilledPrompt(read_prompt(asked.get("prompt", "word")), labels)
    groups = [use.get("seed_id") or use["group_id"] for use in (question.uses[0] for question in questions)]
    wrong = [*dict.fromkeys(groups)][::4]
    replies = {
        filled.question(question.premise, question.hypothesis): reply(
            number, filled, labels[(labels.index(question.label) + (group in wrong)) % len(labels)]
        )
        for number, (question, group) in enumerate(zip(questions, groups, strict=True))
    }
    return Server(lambda text: next(replies[end] for end in replies if text.endswith(end)), failures)


def check(results: list[Result], seeds: float | None = 0.75) -> None:
    (result,) = results
    assert (result.run.no_answers, result.scores.seed_accuracy, result.pattern_accuracy) == (0, seeds, 0.75)


both = pytest.mark.parametrize("ask", [ask_inspect, ask_lm_eval])


def in_a_form(number: int, prompt: FilledPrompt, label: str) -> str:
    other = next(each for each in NLI_LABELS if each != label)
    word = prompt.words[prompt.labels.index(other)]
    form = FORMS_OF_PROMPTS[number % len(FORMS_OF_PROMPTS)]
    return form.format(prompt.answer_for(label), prompt.answer_for(other), word)


@pytest.mark.slow
@both
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("unread", [{}, {3: REFUSAL, 5: ENDLESS, 8: ENDLESS}], ids=["all read", "some unread"])
def test_every_form_is_read_and_cut_and_refused_answers_are_counted_apart(
    unread: dict[int, str], prompt: str, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"dataset": OWN, "config": "verb", "limit_seeds": 4, "prompt": prompt}
    shots = {"shots": 0} if ask is ask_inspect else {}
    with served(asked, lambda *of: unread.get(of[0]) or in_a_form(*of), FAILURES) as server:
        logs = ask(server, asked | shots, tmp_path, monkeypatch, MAX_TOKENS)
    assert {*FAILURES.values()} < {*server.requests}
    (result,) = results = import_files(logs, OWN)
    if unread:
        assert (result.run.no_answers, result.run.unread) == (3, {"cut": 2, "refused": 1})
    else:
        check(results)


@pytest.mark.slow
def test_no_answer_is_lost_and_every_retry_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rule(premise: str, hypothesis: str) -> str:
        return NLI_LABELS[(len(premise) + len(hypothesis)) % 3]

    asked = {"config": "verb", "limit_seeds": 2}
    with Server(by_pair(rule), FAILURES) as server:
        (result,) = import_files(ask_inspect(server, {"dataset": OWN, **asked}, tmp_path, monkeypatch), OWN)
    assert {*FAILURES.values()} < {*server.requests}
    prompt, questions = prompt_of(result), read_questions(OWN, Scope(**asked)).questions  # type: ignore[arg-type]
    assert (prompt.calls, prompt.input_tokens) == (len(questions), 40 * len(questions))
    assert (prompt.retries or 0) >= len(FAILURES)  # more if the machine is too busy to answer in time
    assert (result.run.no_answers, prompt.provider, result.model.name) == (0, "openai-api", "standin/rule")
    right = [
        rule(question.premise, question.hypothesis) == use["label"]
        for question in questions
        for use in question.uses
        if "variant_id" in use
    ]
    assert result.scores.sample_accuracy.mean == pytest.approx(sum(right) / len(right))


@pytest.fixture(scope="module")
def simple_pair(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    out = tmp_path_factory.mktemp("pairs") / "simple_pair"
    assert main(["pairs", "simple", "--out", str(out), "--premises", "40"]) == 0
    return {"dataset": str(out), "config": "conjunction", "limit_seeds": 8}


@pytest.fixture(scope="module")
def hans(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Two-way pairs in a file, as in HANS."""
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


@pytest.mark.slow
@both
@pytest.mark.parametrize("pairs", ["simple_pair", "hans"])
def test_pairs_in_groups(
    pairs: str, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    asked, form = request.getfixturevalue(pairs), "<think>Is it {0} or neutral?</think>\n\nAnswer: **{0}**"
    with served(asked, lambda _, __, label: form.format(label)) as server:
        logs = ask(server, asked, tmp_path, monkeypatch)
    check(import_files(logs, asked["dataset"], model="rule", out=tmp_path / "results"), None)
    check(import_files([*(tmp_path / "results").glob("*.json")], asked["dataset"], again=True), None)


def test_a_log_on_other_pairs_is_refused(hans: Asked, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    lines = Path(hans["dataset"]).read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[1:]), encoding="utf-8")
    of_all, others = (read_questions(str(name), Scope(group_column="template")) for name in (hans["dataset"], path))
    assert of_all.digest != others.digest
    assert [question.id for question in others.questions][:2] == ["row-1", "row-2"]
