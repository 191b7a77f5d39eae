"""Inspect asks an OpenAI-compatible server that often fails: no answer is lost, and every retry is counted."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

import pytest

from merge_snli.language_models.import_files import import_files
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN

FAILURES = {4: "error", 13: "rate limit", 19: "time-out"}
ATTEMPT_TIMEOUT = 2.0


def rule(premise: str, hypothesis: str) -> str:
    return NLI_LABELS[(len(premise) + len(hypothesis)) % 3]


class Server(ThreadingHTTPServer):
    """Answers by rule, and fails on some requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: Counter[str] = Counter()
        self.lock = Lock()

    def outcome(self) -> str:
        """Count a request and say what happens to it."""
        with self.lock:
            number = sum(self.requests.values()) + 1
            outcome = FAILURES.get(number, "answer")
            self.requests[outcome] += 1
        return outcome


class Handler(BaseHTTPRequestHandler):
    """Replies as the server decides."""

    server: Server

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        outcome = self.server.outcome()
        if outcome == "time-out":
            time.sleep(2 * ATTEMPT_TIMEOUT)
        elif outcome != "answer":
            self.reply(500 if outcome == "error" else 429, {"error": {"message": outcome}})
        else:
            _, premise, hypothesis = body["messages"][-1]["content"].rsplit("\n", 3)[:3]
            answer = rule(premise.removeprefix("Premise: "), hypothesis.removeprefix("Hypothesis: "))
            message = {"role": "assistant", "content": answer}
            usage = {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            about = {"id": "1", "object": "chat.completion", "created": 0, "model": "rule"}
            self.reply(200, {**about, "choices": [choice], "usage": usage})

    def reply(self, status: int, content: object) -> None:
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def test_nothing_is_lost(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai import eval as inspect_eval

    from merge_snli.language_models.inspect_task import nli

    monkeypatch.setenv("STANDIN_API_KEY", "none")
    monkeypatch.setenv("STANDIN_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
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
    texts = [str(sample.input).rsplit("\n", 3)[1:3] for sample in task.dataset]
    right = [
        rule(premise.removeprefix("Premise: "), hypothesis.removeprefix("Hypothesis: ")) == use["label"]
        for use, (premise, hypothesis) in zip(asked, texts, strict=True)
    ]
    variants = [correct for use, correct in zip(asked, right, strict=True) if "variant_id" in use]
    assert result.scores.on_variants.sample_accuracy.mean == pytest.approx(sum(variants) / len(variants))
