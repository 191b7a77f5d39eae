"""Ask a server of the tests through Inspect or lm-evaluation-harness, and return the logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from merge_snli.cli import main
from tests.merge_snli.language_models.conftest import lm_eval_logs_of
from tests.merge_snli.language_models.server import SECONDS, Server

Asked: TypeAlias = dict[str, Any]
"""The data set, the scope and the prompt, as the arguments of the Inspect task."""
Ask: TypeAlias = Callable[[Server, Asked, Path, pytest.MonkeyPatch, int], list[str]]


def ask_inspect(
    server: Server, asked: Asked, folder: Path, monkeypatch: pytest.MonkeyPatch, max_tokens: int = 1_000
) -> list[str]:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    monkeypatch.setenv("STANDIN_API_KEY", "none")
    monkeypatch.setenv("STANDIN_BASE_URL", server.address)
    (log,) = inspect_eval(
        "merge_snli/nli",
        model=get_model("openai-api/standin/rule", memoize=False),
        task_args=asked,
        log_dir=str(folder),
        display="none",
        max_tokens=max_tokens,
        attempt_timeout=int(SECONDS / 2),
    )
    assert log.status == "success"
    return [log.location]


def ask_lm_eval(
    server: Server, asked: Asked, folder: Path, monkeypatch: pytest.MonkeyPatch, max_tokens: int = 1_000
) -> list[str]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    tasks = folder / "tasks"
    given = {"prompt": "word", **asked}
    options = [
        text
        for name, value in given.items()
        if name != "dataset"
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    assert main(["harness", asked["dataset"], *options, "--out", str(tasks)]) == 0
    (task,) = (path.stem for path in tasks.glob("*_generate.yaml"))
    arguments = {"model": "rule", "base_url": f"{server.address}/chat/completions", "num_concurrent": 1}
    logs = lm_eval_logs_of(
        "local-chat-completions",
        [task],
        folder,
        model_args={**arguments, "timeout": SECONDS / 2, "max_retries": 5},
        gen_kwargs={"max_gen_toks": max_tokens},
        apply_chat_template=True,
    )
    return [str(path) for path in logs]
