"""Run the command line in another process, and wait for what other processes do."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

from tests import ROOT

# The longest that a test waits: the machine may be busy.
SECONDS = 900

PROGRAM = str(Path(sys.executable).with_name("merge-snli"))
"""The command line, as it is installed."""

WITHOUT_SPACY = """
import sys
sys.modules["spacy"] = None
from merge_snli.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_without_spacy(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as if spaCy was not installed."""
    command = [sys.executable, "-c", WITHOUT_SPACY, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in another process."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS)


def printed_by(code: str) -> str:
    """Return what code prints in another process, without an error."""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited for {SECONDS} s"
        time.sleep(0.02)


def free_port() -> int:
    """Return a port of this machine that no server uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for_server(url: str, server: subprocess.Popen[Any], log: Path) -> None:
    """Wait until a server answers; fail with the end of its log if it ends."""
    opener = build_opener(ProxyHandler({}))

    def is_up() -> bool:
        assert server.poll() is None, log.read_text(encoding="utf-8")[-2000:]
        with suppress(OSError):
            opener.open(url, timeout=5).close()
            return True
        return False

    wait_until(is_up)
