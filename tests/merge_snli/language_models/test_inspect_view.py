"""Inspect's page of a log shows the seed, the variant and the replaced word of a sample."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.merge_snli.language_models.conftest import OWN, Run
from tests.processes import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def log(run: Run) -> Path:
    from merge_snli.language_models.inspect_task import nli

    task = nli(OWN, config="verb", limit_seeds=1)
    return Path(run(task, ["neutral"] * len(task.dataset)).location)


@pytest.fixture
def address(log: Path) -> Iterator[str]:
    """The address of `inspect view` on the folder of the log."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "inspect_ai", "view", "start", "--log-dir", str(log.parent), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/"))
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def test_the_metadata_of_a_sample(address: str, log: Path) -> None:
    from inspect_ai.log import read_eval_log

    samples = read_eval_log(log).samples
    assert samples is not None
    use = samples[-1].metadata
    with chromium("--window-size=1400,1000") as browser:
        browser.get(f"{address}#/logs/{log.name}/samples/sample/{samples[-1].id}/1/metadata")
        names = ("seed_id", "variant_id", "original", "replacement")
        shown = [f"{name}:\n{use[name]}" for name in names]
        wait_until(lambda: all(text in browser.find_element("tag name", "body").text for text in shown))
