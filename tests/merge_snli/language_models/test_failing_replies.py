"""Replies without content, and requests that fail: what is asked again, how it is counted, and what a retry adds."""

from pathlib import Path

import pytest

from merge_snli.language_models.import_files import import_files
from tests.merge_snli.language_models.conftest import OWN, prompt_of
from tests.merge_snli.language_models.server import Server, ask_inspect
from tests.oracles import refused, written

pytestmark = pytest.mark.slow

ASKED = {"dataset": OWN, "config": "verb", "limit_seeds": 1}
QUESTIONS = 11
PRICES = "openai-api/standin/rule: {input: 1000, output: 0, input_cache_write: 0, input_cache_read: 0}"
CALL = 40 * 1000 / 1e6
"""The price of a call of the server, in dollars."""


def neutral(_: str) -> str:
    return "neutral"


def test_empty_replies_and_those_of_a_filter_are_kinds_and_can_be_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = {1: "empty", 10: "content_filter"}
    with Server(neutral, failures) as server:
        logs = ask_inspect(server, ASKED, tmp_path / "once", monkeypatch)
    (once,) = import_files(logs, OWN)
    assert once.run.unread == {"empty": 1, "refused by the provider": 1}
    with Server(neutral, failures) as server:
        logs = ask_inspect(server, ASKED | {"ask_again": 1}, tmp_path / "again", monkeypatch)
    (again,) = import_files(logs, OWN)
    assert again.run.unread == {}
    assert (prompt_of(once).calls, prompt_of(again).calls) == (QUESTIONS, QUESTIONS + 2)


def test_a_reply_without_choices_stops_no_other_question_and_a_retry_asks_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai import eval_retry

    monkeypatch.setenv("STANDIN_API_KEY", "none")
    prices = str(written(tmp_path / "prices.yaml", PRICES))
    asked = ASKED | {"prices": prices, "cost_limit": 100 * CALL}
    with Server(neutral, {3: "no choices"}) as server:
        (log,) = ask_inspect(server, asked, tmp_path, monkeypatch)
        assert server.requests == {"answer": QUESTIONS - 1, "no choices": 1}
        refused("has no answers to 1 of the 11", import_files, [log], OWN)
        (retried,) = eval_retry(str(log), display="none", log_dir=str(tmp_path))
        assert server.requests["answer"] == QUESTIONS
    (result,) = import_files([log, Path(retried.location)], OWN)
    assert (result.run.no_answers, prompt_of(result).calls) == (0, QUESTIONS + 1)
    assert retried.results is not None and retried.results.early_stopping is not None
    spent = retried.results.early_stopping.metadata["cost"]
    assert spent == pytest.approx((QUESTIONS + 1) * CALL)
