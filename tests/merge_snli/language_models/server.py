"""An OpenAI-compatible server on this machine that answers by a rule, and fails if asked to."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

SECONDS = 4.0
"""Duration of a reply that takes too long."""


class Server(ThreadingHTTPServer):
    """Answers by rule, and fails on some requests."""

    daemon_threads = True

    def __init__(self, answer: Callable[[str], str], failures: Mapping[int, str] | None = None) -> None:
        """Start to listen.

        Args:
            answer: Returns the reply to the last message; it is cut after `max_tokens` words.
            failures: What happens instead of a reply, by the number of the request.
        """
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.failures = failures or {}
        self.requests: Counter[str] = Counter()
        self.lock = Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def outcome(self) -> str:
        """Count a request and say what happens to it."""
        with self.lock:
            number = sum(self.requests.values()) + 1
            outcome = self.failures.get(number, "answer")
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
            time.sleep(SECONDS)
        elif outcome != "answer":
            self.reply(500 if outcome == "error" else 429, {"error": {"message": outcome}})
        else:
            self.reply(200, self.completion(body))

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.server.answer(text_of(body["messages"][-1]["content"]))
        for stop in body.get("stop") or []:
            answer = answer.partition(stop)[0]
        words = answer.split(" ")
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or len(words)
        answer, finish = " ".join(words[:limit]), "length" if len(words) > limit else "stop"
        message = {"role": "assistant", "content": answer}
        usage = {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41}
        choice = {"index": 0, "finish_reason": finish, "message": message}
        about = {"id": "1", "object": "chat.completion", "created": 0, "model": "rule"}
        return {**about, "choices": [choice], "usage": usage}

    def reply(self, status: int, content: object) -> None:
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())


def by_pair(rule: Callable[[str, str], str]) -> Callable[[str], str]:
    """Return a function that answers the last problem in a text by its premise and hypothesis."""

    def answer(text: str) -> str:
        lines = text.splitlines()
        premise, hypothesis = (
            next(line.removeprefix(name) for line in reversed(lines) if line.startswith(name))
            for name in ("Premise: ", "Hypothesis: ")
        )
        return rule(premise, hypothesis)

    return answer


def text_of(content: str | list[dict[str, str]]) -> str:
    """Return the text of a message, which may have parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
