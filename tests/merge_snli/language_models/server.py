"""An OpenAI-compatible server on this machine that answers by a rule, and fails if asked to; harnesses that ask it."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Protocol, Self, TypeAlias

import pytest

from tests.merge_snli.language_models.conftest import lm_eval_logs_of, write_tasks

SECONDS = 4.0
"""Duration of a reply that takes too long."""


class Server(ThreadingHTTPServer):
    """Answers by rule, and fails on some requests."""

    daemon_threads = True

    def __enter__(self) -> Self:
        """Answer in another thread until the block ends."""
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop to listen."""
        self.shutdown()
        self.server_close()

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
            outcome = self.failures.get(sum(self.requests.values()) + 1, "answer")
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
        elif outcome == "no choices":
            self.reply(200, self.completion(body) | {"choices": []})
        elif outcome in ("empty", "content_filter"):
            completion = self.completion(body)
            [choice] = completion["choices"]
            choice["message"]["content"] = None
            if outcome == "content_filter":
                choice["finish_reason"] = outcome
            self.reply(200, completion)
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
        answer = " ".join(words[:limit])
        finish = "length" if len(words) > limit else "stop"
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


def text_of(content: str | list[dict[str, str]]) -> str:
    """Return the text of a message, which may have parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


Asked: TypeAlias = dict[str, Any]
"""The data set, the scope and the prompt, as the arguments of the Inspect task."""


class Ask(Protocol):
    """Asks a server through a harness, and returns the logs."""

    def __call__(
        self, server: Server, asked: Asked, folder: Path, patch: pytest.MonkeyPatch, max_tokens: int = 1_000
    ) -> list[Path]: ...


def ask_inspect(
    server: Server, asked: Asked, folder: Path, patch: pytest.MonkeyPatch, max_tokens: int = 1_000
) -> list[Path]:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    patch.setenv("STANDIN_API_KEY", "none")
    patch.setenv("STANDIN_BASE_URL", server.address)
    (log,) = inspect_eval(
        "merge_snli/nli",
        model=get_model("openai-api/standin/rule", memoize=False),  # a kept one asks the server of another test
        task_args=asked,
        log_dir=str(folder),
        display="none",
        max_connections=4,
        max_tokens=max_tokens,
        attempt_timeout=int(SECONDS / 2),
    )
    assert log.status == "success"
    return [Path(log.location)]


def ask_lm_eval(
    server: Server, asked: Asked, folder: Path, patch: pytest.MonkeyPatch, max_tokens: int = 1_000
) -> list[Path]:
    options = []
    for name, value in ({"prompt": "word"} | asked).items():
        if name != "dataset":
            options += [f"--{name.replace('_', '-')}", str(value)]
    tasks = write_tasks(folder, *options, dataset=asked["dataset"])
    patch.setenv("OPENAI_API_KEY", "none")
    arguments = {"model": "rule", "base_url": f"{server.address}/chat/completions", "num_concurrent": 1}
    return lm_eval_logs_of(
        "local-chat-completions",
        [path.stem for path in tasks.glob("*_generate.yaml")],
        folder,
        model_args={**arguments, "timeout": SECONDS / 2, "max_retries": 5},
        apply_chat_template=True,
        gen_kwargs={"max_gen_toks": max_tokens},
    )
