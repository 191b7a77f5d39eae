"""Inspect asks an OpenAI-compatible server that often fails: no answer is lost, and every retry is counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from merge_snli.language_models.import_files import import_files
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN
from tests.merge_snli.language_models.server import SECONDS, Server, by_pair

FAILURES = {4: "error", 13: "rate limit", 19: "time-out"}
ATTEMPT_TIMEOUT = SECONDS / 2


def rule(premise: str, hypothesis: str) -> str:
    return NLI_LABELS[(len(premise) + len(hypothesis)) % 3]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(by_pair(rule), FAILURES) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def test_nothing_is_lost(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai import eval as inspect_eval

    from merge_snli.language_models.inspect_task import nli

    monkeypatch.setenv("STANDIN_API_KEY", "none")
    monkeypatch.setenv("STANDIN_BASE_URL", server.address)
    task = nli(OWN, config="verb", limit_seeds=2)
    (log,) = inspect_eval(
        task,
        model="openai-api/standin/rule",
        log_dir=str(tmp_path),
        display="none",
        max_connections=4,
        attempt_timeout=int(ATTEMPT_TIMEOUT),
    )
    assert log.status == "success"
    (result,) = import_files([log.location], OWN)
    prompt = result.run.prompt
    assert prompt is not None
    assert prompt.calls == len(task.dataset)
    assert {*FAILURES.values()} < {*server.requests}
    assert prompt.retries is not None
    assert prompt.retries >= len(FAILURES)  # more if the machine is too busy to answer in time
    assert prompt.input_tokens == 40 * prompt.calls
    assert result.run.no_answers == 0
    assert (prompt.provider, result.model.name) == ("openai-api", "standin/rule")
    asked = [dict(sample.metadata or {}) for sample in task.dataset]
    texts = [sample.input[-1].text.rsplit("\n", 3)[-3:-1] for sample in task.dataset if isinstance(sample.input, list)]
    right = [
        rule(premise.removeprefix("Premise: "), hypothesis.removeprefix("Hypothesis: ")) == use["label"]
        for use, (premise, hypothesis) in zip(asked, texts, strict=True)
    ]
    variants = [correct for use, correct in zip(asked, right, strict=True) if "variant_id" in use]
    assert result.scores.sample_accuracy.mean == pytest.approx(sum(variants) / len(variants))
