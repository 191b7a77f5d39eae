"""Ask Slurm which jobs are in its queue, and cancel jobs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def queued(jobs: Sequence[str]) -> tuple[str, ...]:
    """Return those jobs that are running or waiting.

    Args:
        jobs: Ids of jobs of this user.

    Raises:
        InputError: If Slurm does not answer.
    """
    if not jobs:
        return ()
    queue = set(_run("squeue", "--noheader", "--me", "--format=%F").split())
    return tuple(job for job in jobs if job in queue)


def cancel(jobs: Sequence[str]) -> None:
    """Cancel jobs.

    Args:
        jobs: Ids of jobs.

    Raises:
        InputError: If Slurm cannot cancel them.
    """
    _run("scancel", *jobs)


def not_installed(command: str) -> InputError:
    """Return the error of a machine that lacks a command of Slurm."""
    return InputError(f"{command} is not installed: use a machine of the Slurm cluster")


def _run(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as error:
        raise not_installed(command[0]) from error
    except subprocess.CalledProcessError as error:
        raise InputError(f"{command[0]} failed: {error.stderr.strip()}") from error
