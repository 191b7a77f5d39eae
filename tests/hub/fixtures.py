"""Fixtures that run the fake Hub and make `huggingface_hub` use it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from tests.hub.server import WRITER, Hub, running_hub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def hub_server() -> Iterator[Hub]:
    """The server, shared by all tests."""
    with running_hub() as hub:
        yield hub


@pytest.fixture
def hub(hub_server: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """An empty fake Hub that `huggingface_hub` uses in this process, without a token."""
    from huggingface_hub import constants
    from huggingface_hub.utils import _http
    from huggingface_hub.utils.tqdm import disable_progress_bars, enable_progress_bars

    hub_server.reset()
    changes = {
        "ENDPOINT": hub_server.url,
        "HUGGINGFACE_CO_URL_TEMPLATE": f"{hub_server.url}/{constants.HUGGINGFACE_CO_URL_TEMPLATE.split('/', 3)[3]}",
        "HF_HUB_OFFLINE": False,
        "HF_HUB_DISABLE_XET": True,
        "HF_HUB_CACHE": str(tmp_path / "hub-cache"),
        "HF_TOKEN_PATH": str(tmp_path / "no-token"),
    }
    for name, value in changes.items():
        monkeypatch.setattr(constants, name, value)
    monkeypatch.setattr(_http, "_HUB_ORIGINS", frozenset())
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE"):
        monkeypatch.delenv(name, raising=False)
    disable_progress_bars()
    yield hub_server
    enable_progress_bars()


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    """A token with write access, set in the environment."""
    monkeypatch.setenv("HF_TOKEN", WRITER)
    return WRITER


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each `time.sleep`, which returns at once."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def hub_environment(hub: Hub, home: Path, *, token: str | None = None) -> dict[str, str]:
    """Return the environment variables for a process that uses the fake Hub."""
    removed = {"HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_TOKEN", "HF_HUB_CACHE", "HF_DATASETS_CACHE"}
    environment = {name: value for name, value in os.environ.items() if name not in removed} | {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1",
    }
    return environment if token is None else environment | {"HF_TOKEN": token}
