"""Run `merge-snli` with a cluster file in another process, and watch its tasks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from merge_snli.runs.run_folder import CLUSTER_FILE, run_folder
from merge_snli.runs.status import run_status
from tests.processes import SECONDS, wait_until

_PROGRAM = """
import signal, sys
from merge_snli.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have switched off for the tests
sys.exit(main())
"""
MAIN = (sys.executable, "-c", _PROGRAM)

MANY = ("--mlm", "demo:mlm-wordpiece", "demo:mlm-bpe", "--inflation", "3", "--subsamples", "2", "--quiet")
FEW = ("--mlm", "demo:mlm-wordpiece", "--inflation", "3", "--subsamples", "2", "--quiet")
"""The arguments of runs on many problems and on few."""


@dataclass(frozen=True)
class Running:
    """A command that runs in another process.

    Attributes:
        process: The process.
        out: Its `--out` folder.
    """

    process: subprocess.Popen[str]
    out: Path

    def end(self) -> tuple[int, str]:
        """Wait for the end, and return the exit code and what the command has printed on stderr."""
        _, error = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, error

    def running_in(self, stage: str) -> int:
        """Return how many tasks of a stage are running."""
        found = status(self.out)
        return 0 if found is None else sum(each["running"] for each in found["stages"] if each["name"] == stage)

    def wait_for(self, stage: str, tasks: int = 1) -> None:
        """Wait until this many tasks of a stage are running."""
        wait_until(lambda: self.running_in(stage) >= tasks or self.process.poll() is not None)
        assert self.process.poll() is None, self.end()


def start(command: str, *arguments: str, out: Path) -> Running:
    """Start a command."""
    process = subprocess.Popen(
        [*MAIN, command, *arguments, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return Running(process, out)


def generate(problems: Path, out: Path, cluster: Path, more: Sequence[str] = FEW) -> Running:
    """Start generating a data set on a cluster."""
    return start("generate", str(problems), *more, "--cluster", str(cluster), out=out)


def status(out: Path) -> dict[str, Any] | None:
    """Return what `merge-snli work status --format json` prints; None before the submission."""
    folder = run_folder(out)
    return run_status(folder) if (folder / CLUSTER_FILE).exists() else None


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def results(folder: Path) -> dict[str, Any]:
    """Return result files by name, without the time that the predictions took."""
    found = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    for result in found.values():
        result["run"].pop("seconds")
    return found
