"""Run the command line in another process, and wait for what other processes do."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

# The longest that a test waits: the machine may be busy.
SECONDS = 900

WITHOUT_SPACY = """
import sys
sys.modules["spacy"] = None
from merge_snli.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_without_spacy(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as if spaCy was not installed."""
    command = [sys.executable, "-c", WITHOUT_SPACY, *arguments]
    return subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited for {SECONDS} s"
        time.sleep(0.02)
